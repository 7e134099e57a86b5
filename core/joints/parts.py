# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a joint type: screw columns or a quaternion chart, slots for axes, and limited quantities.

They define a type completely. No algorithm depends on the name of a type.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from ..spatial import ZERO, Vec3
from .limited_quantities import TWIST

SCREWS = 0
"""Kind of a joint in the kernels: a series of screws."""
BALL = 1
"""Kind of a joint in the kernels: the chart of a ball joint, a quaternion."""
FREE = 2
"""Kind of a joint in the kernels: the chart of a free joint, a position and a quaternion."""


class Unit(Enum):
    """The unit of a coordinate. The units of its velocity and force follow from it."""

    ANGLE = "rad"
    LENGTH = "m"
    NUMBER = ""

    @property
    def velocity(self) -> str:
        return f"{self.value}/s"


class Column(NamedTuple):
    """One screw, which is one column of S(q).

    Attributes:
        axis: number of the joint's axis along which the screw lies.
        turn: rotation per unit of the coordinate [rad].
        slide: translation per unit of the coordinate [m].
        threaded: whether the screw also slides by the joint's pitch [m/turn].
        point: a point on the screw's line, in the joint's frame [m].
    """

    axis: int = 0
    turn: float = 0.0
    slide: float = 0.0
    threaded: bool = False
    point: Vec3 = ZERO

    @property
    def unit(self) -> Unit:
        return Unit.ANGLE if self.turn else Unit.LENGTH

    def slide_with(self, pitch: float) -> float:
        """Return the translation per unit of the coordinate [m], for a joint of this `pitch` [m/turn]."""
        return self.slide + (pitch / math.tau if self.threaded else 0.0)


class Chart(NamedTuple):
    """Coordinates that contain a unit quaternion.

    Attributes:
        code: BALL or FREE.
        home: initial values of q.
        q_units: names and units of the entries of q.
        qd_units: names of the entries of qd, and the units of their integrals.
    """

    code: int
    home: tuple[float, ...]
    q_units: tuple[tuple[str, Unit], ...]
    qd_units: tuple[tuple[str, Unit], ...]


_XYZ = tuple((name, Unit.LENGTH) for name in ("x", "y", "z"))
_QUAT = tuple((name, Unit.NUMBER) for name in ("qw", "qx", "qy", "qz"))
_OMEGA = tuple((name, Unit.ANGLE) for name in ("wx", "wy", "wz"))
_VELOCITY = tuple((name, Unit.LENGTH) for name in ("vx", "vy", "vz"))

BALL_CHART = Chart(BALL, (1.0, 0.0, 0.0, 0.0), _QUAT, _OMEGA)
FREE_CHART = Chart(FREE, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), _XYZ + _QUAT, _VELOCITY + _OMEGA)

DIRECTION = frozenset({"xyz"})
SCREW = frozenset({"turn", "slide", "point"})
LOCK = frozenset({"locked"})
LOWER, UPPER = frozenset({"lower"}), frozenset({"upper"})
STOPS = frozenset({"stiffness", "dissipation", "restitution"})
LIMITS = LOWER | UPPER | STOPS
LOSSES = frozenset({"damping", "friction"})
SPRING = frozenset({"spring_stiffness", "spring_reference"})
MOTOR = frozenset({"effort", "velocity", "armature"})
DRIVE = frozenset({"drive_mode", "drive_stiffness", "drive_damping", "drive_target"})
ENDLESS = DIRECTION | LOCK | LOSSES | SPRING | MOTOR | DRIVE
"""The fields of a joint's `Axis` that have an effect on an axis that turns without end."""
FULL = ENDLESS | LIMITS
"""The fields of an `Axis` that have an effect on an axis with all features."""
MAY_BE_INFINITE = LOWER | UPPER | frozenset({"stiffness", "effort", "velocity"})
"""The fields that may be infinite, which means no limit or a rigid stop."""


class Slot(NamedTuple):
    """The definition of one axis of a joint type.

    Attributes:
        name: "" if the type has only one axis.
        fields: names of the fields of `Axis` that have an effect here.
        direction: unit vector in the joint's frame if the type defines it, or None if the user does.
        along: number of another axis whose direction this one shares, or None.
        unit: unit of the limited quantity or the spring on this axis; None for the axis of a column, which has its own
            unit.
    """

    name: str = ""
    fields: frozenset[str] = FULL
    direction: Vec3 | None = None
    along: int | None = None
    unit: Unit | None = None

    @property
    def limited(self) -> bool:
        """Whether the axis may have position limits."""
        return "upper" in self.fields

    @property
    def is_pointed(self) -> bool:
        """Whether the user chooses the direction."""
        return self.direction is None and self.along is None and "xyz" in self.fields

    def fixed_to(self, direction: Vec3) -> Slot:
        return self._replace(direction=direction, fields=self.fields - DIRECTION)


class LimitedQuantity(NamedTuple):
    """A function of a chart's coordinates to which the limits of an axis apply, such as the length of a rope.

    Attributes:
        code: which function, from `limited_quantities.py`.
        axis: number of the axis that has the limits.
        least, most: range of the function's values, in the slot's unit.
    """

    code: int
    axis: int
    least: float
    most: float

    def stops(self, lower: float, upper: float) -> tuple[float, float]:
        """Return the limits at which the motion stops, infinite where there is no stop [rad or m].

        A limit outside of the function's range stops nothing. But a twist is an angle on a circle, so the end of its
        range is a stop if the other end has one: the limits -180 and 60 degrees leave two thirds of the circle.
        """
        if self.code == TWIST and (lower > self.least or upper < self.most):
            return max(lower, self.least), min(upper, self.most)
        return (lower if lower > self.least else -math.inf), (upper if upper < self.most else math.inf)

    def centre(self, lower: float, upper: float) -> float:
        """Return the middle of the stops for two limits; 0 if there is only one stop, or none."""
        lower, upper = self.stops(lower, upper)
        return 0.5 * (lower + upper) if math.isfinite(lower) and math.isfinite(upper) else 0.0


@dataclass(frozen=True)
class JointType:
    """A joint type, as data.

    Attributes:
        name: value of `Joint.type`.
        label, summary: texts in menus.
        known_as: everyday word for the type, if there is another one.
        aliases: words of other programs that `Joint` takes, besides `known_as` and the names in formats.
        elsewhere: words of other programs that `Joint` does not take, since they may mean a little more or less there.
            The error suggests this type. They are written as `stem_of` returns them.
        common: position in the short list of common types, with which menus begin; 0 for all others.
        columns: the screws in series, from the parent to the child; empty for a chart or a fixed joint.
        chart: the quaternion chart, or None.
        axes: slots for the joint's axes. Default: one slot with all features for each column.
        limited_quantities: functions of the chart that may have limits.
        spring_axes: for each velocity coordinate of the chart, the number of the axis whose spring, damper and armature
            act on it.
        picks: whether a list with fewer axes than slots names, by their directions, the axes that are not locked.
        is_open: whether a joint has one column for each of its axes, which define how the column moves.
        sdf, urdf: name in these formats, or None if they have no such type.
    """

    name: str
    label: str
    summary: str
    columns: tuple[Column, ...] = ()
    chart: Chart | None = None
    axes: tuple[Slot, ...] = ()
    limited_quantities: tuple[LimitedQuantity, ...] = ()
    spring_axes: tuple[int, ...] = ()
    picks: bool = False
    is_open: bool = False
    sdf: str | None = None
    urdf: str | None = None
    known_as: str = ""
    common: int = 0
    aliases: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    def __post_init__(self):
        if not self.axes and self.columns:
            single = len(self.columns) == 1
            slots = tuple(Slot("" if single else str(i + 1)) for i in range(len(self.columns)))
            object.__setattr__(self, "axes", slots)

    @property
    def title(self) -> str:
        """The everyday word with the technical term, such as "Hinge (Revolute)"."""
        return f"{self.known_as} ({self.label})" if self.known_as else self.label

    @property
    def code(self) -> int:
        """SCREWS, BALL or FREE."""
        return self.chart.code if self.chart else SCREWS

    @property
    def is_free(self) -> bool:
        """Whether a joint of this type lets its links move every way, and at most resists that."""
        springs = any("spring_stiffness" in slot.fields for slot in self.axes)
        return self.code == FREE and not self.limited_quantities and not springs

    @property
    def threaded(self) -> bool:
        """Whether the joint has a pitch."""
        return any(column.threaded for column in self.columns)

    def slot(self, number: int) -> Slot:
        """Return the slot of axis `number`. All axes of an open type have the same slot."""
        return Slot(str(number + 1), FULL | SCREW) if self.is_open else self.axes[number]
