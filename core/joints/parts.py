# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts that a joint type is made of: screw columns or a quaternion chart, slots for axes, rows, a force law.

A type says what it is by these alone, and no algorithm asks for its name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from ..spatial import ZERO, Vec3

SCREWS, BALL, FREE = 0, 1, 2
"""What kernels tell apart: a joint made of columns, and the two charts."""


class Unit(Enum):
    """What a coordinate measures; velocities and forces follow from it."""

    ANGLE = "rad"
    LENGTH = "m"
    NUMBER = ""

    @property
    def velocity(self) -> str:
        return f"{self.value}/s"


class Column(NamedTuple):
    """One screw: a unit of its coordinate turns by `turn` [rad] and slides by `slide` [m] about axis number `axis`.

    A `threaded` column slides by the joint's pitch [m/turn] besides. The screw's line leads through `point` [m], in the
    joint's frame.
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
        """Metres per unit of the coordinate, on a joint of `pitch` [m/turn]."""
        return self.slide + (pitch / math.tau if self.threaded else 0.0)


class Chart(NamedTuple):
    """Coordinates with a quaternion in them: nq positions, nv velocities, and where they start."""

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
"""The fields of a joint's `Axis` that mean something on an axis that turns without end."""
FULL = ENDLESS | LIMITS
MAY_BE_INFINITE = LOWER | UPPER | frozenset({"stiffness", "effort", "velocity"})
"""The fields of which infinity means something: no limit, or a rigid stop."""


class Slot(NamedTuple):
    """A place for one `Axis` of a joint: what it is called, where it points, and which of its fields mean something.

    Attributes:
        name: "" where the type has but one.
        fields: names of the `Axis`'s fields that mean something here.
        direction: in the joint's frame, where the type decides it; None where the user does.
        along: the number of another axis whose direction this one shares.
        unit: of what a row or a force law measures on it; None on the axis of a column, which has its own.
    """

    name: str = ""
    fields: frozenset[str] = FULL
    direction: Vec3 | None = None
    along: int | None = None
    unit: Unit | None = None

    @property
    def limited(self) -> bool:
        """Whether position limits mean something."""
        return "upper" in self.fields

    @property
    def is_pointed(self) -> bool:
        """Whether the user chooses its direction."""
        return self.direction is None and self.along is None and "xyz" in self.fields

    def fixed_to(self, direction: Vec3) -> Slot:
        return self._replace(direction=direction, fields=self.fields - DIRECTION)


class Row(NamedTuple):
    """A constraint row: a measure of a chart's coordinates, one of `rows.py`, kept within an axis's limits.

    Attributes:
        least, most: what the measure can be, in its slot's unit.
    """

    measure: int
    axis: int
    least: float
    most: float


@dataclass(frozen=True)
class JointType:
    """A joint type, as data.

    Attributes:
        name: what a `Joint` calls it.
        label, summary: what a person reads in a menu.
        known_as: what those call it who never read a mechanics book, where that is another word.
        aliases: what other programs call it, where that is neither `known_as` nor its name in a format.
        common: its place among what most machines are made of, which menus list first; 0 for others.
        columns: the screws in series, outward; empty for a chart or a fixed joint.
        chart: the quaternion chart, or None.
        axes: slots for a joint's axes; left out, a full one for each column.
        rows: constraint rows over the chart.
        law: for each velocity coordinate of the chart, the number of the axis whose spring and damper act on it.
        picks: a list with fewer axes than slots names the axes that are not locked, by their directions.
        is_open: a joint of this type has as many columns as it has axes, and the axes say how they move.
        sdf, urdf: its name in those formats, or None where they have none.
    """

    name: str
    label: str
    summary: str
    columns: tuple[Column, ...] = ()
    chart: Chart | None = None
    axes: tuple[Slot, ...] = ()
    rows: tuple[Row, ...] = ()
    law: tuple[int, ...] = ()
    picks: bool = False
    is_open: bool = False
    sdf: str | None = None
    urdf: str | None = None
    known_as: str = ""
    common: int = 0
    aliases: tuple[str, ...] = ()

    def __post_init__(self):
        if not self.axes and self.columns:
            single = len(self.columns) == 1
            slots = tuple(Slot("" if single else str(i + 1)) for i in range(len(self.columns)))
            object.__setattr__(self, "axes", slots)

    @property
    def title(self) -> str:
        """As "Hinge (Revolute)"."""
        return f"{self.known_as} ({self.label})" if self.known_as else self.label

    @property
    def code(self) -> int:
        """SCREWS, BALL or FREE."""
        return self.chart.code if self.chart else SCREWS

    @property
    def holds_nothing(self) -> bool:
        """Whether a joint of this type may as well not be there."""
        return self.code == FREE and not self.rows and not self.law

    @property
    def threaded(self) -> bool:
        return any(column.threaded for column in self.columns)

    def slot(self, number: int) -> Slot:
        """The slot of axis `number`; an open type's axes are all alike."""
        return Slot(str(number + 1), FULL | SCREW) if self.is_open else self.axes[number]
