# SPDX-License-Identifier: GPL-3.0-or-later
"""One axis of a joint, and the order of axes that the joint's type defines."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from ..joints import JointType
from ..spatial import ZERO, Vec3, norm, scale, sub
from .drives import OFF
from .errors import ModelError
from .record import Record
from .text import as_text

INF = math.inf

SAME_DIRECTION = 1e-6
"""Largest distance between the ends of two unit vectors that count as equal [1]."""

RIGID = 1e8
"""Stiffness from which a stop counts as rigid [N m/rad or N/m].

It is SDF's default, which files that do not mention stops therefore have. As a spring with SDF's dissipation, such a
stop would bounce for seconds, and no engine that reads these files makes it compliant.
"""


@dataclass(repr=False)
class Axis(Record):
    """One axis of a joint. Defaults are those of SDF 1.9. U is the unit of the axis's coordinate, rad or m.

    The `Slot` of the joint's type defines which of these fields have an effect.

    Attributes:
        xyz: unit vector in the parent-side joint frame at q = 0.
        lower, upper: position limits [U].
        stiffness, dissipation: of the stops at the limits; restitution: of rigid stops, see `stop_stiffness`.
        effort: largest drive force [N m or N]. velocity: largest speed [U/s]; 0 means no limit, see `velocity_limit`.
        damping: force per speed. friction: dry friction [N m or N]. armature: inertia of the drive [kg m^2 or kg].
        spring_reference [U], spring_stiffness [N m/rad or N/m]: a spring that pulls to the reference.
        drive_mode: one of `DRIVES`. A position drive pulls to drive_target [U] with drive_stiffness [N m/rad or N/m]
            and drive_damping [force per speed], a velocity drive to the speed drive_target [U/s] with drive_damping,
            and a force drive pushes with drive_target [N m or N].
        locked: whether the axis stays at its home value and has no coordinate.
        turn [rad], slide [m]: rotation and translation per unit of the coordinate. point [m]: a point on the axis's
            line, in the joint frame. All three have an effect on `custom` joints only.
    """

    _VECTORS = frozenset({"xyz", "point"})

    xyz: Vec3 = (0.0, 0.0, 1.0)
    lower: float = -INF
    upper: float = INF
    stiffness: float = 1e8
    dissipation: float = 1.0
    restitution: float = 0.0
    effort: float = INF
    velocity: float = INF
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    spring_reference: float = 0.0
    spring_stiffness: float = 0.0
    drive_mode: str = OFF.name
    drive_stiffness: float = 0.0
    drive_damping: float = 0.0
    drive_target: float = 0.0
    locked: bool = False
    turn: float = 1.0
    slide: float = 0.0
    point: Vec3 = ZERO

    @property
    def velocity_limit(self) -> float:
        """The speed limit in effect [U/s].

        A `velocity` of 0 means no limit, as in many files; `locked` stops an axis.
        """
        return self.velocity or INF

    @property
    def stop_stiffness(self) -> float:
        """The stiffness in effect at the limits [N m/rad or N/m].

        It is infinite if `stiffness` is at least `RIGID`; then `restitution` has an effect.
        """
        return self.stiffness if self.stiffness < RIGID else INF

    @property
    def is_unlimited(self) -> bool:
        """Whether neither position limit is finite."""
        return math.isinf(self.lower) and math.isinf(self.upper)

    @property
    def has_no_room(self) -> bool:
        """Whether both position limits are the same number."""
        return self.lower == self.upper


class AxisList(list[Axis]):
    """The axes of one joint. Every axis that is put into the list is copied, so that no two joints share an axis.

    Raises:
        TypeError: if something else than an `Axis` is put into the list.
    """

    def __init__(self, axes: Iterable[Axis] = ()):
        # `dataclasses.asdict` makes such a list of dictionaries, and `Joint` checks what it is given.
        super().__init__(copy.copy(axis) for axis in axes)

    def append(self, axis: Axis) -> None:
        super().append(_own_copy(axis))

    def insert(self, index: Any, axis: Axis) -> None:
        super().insert(index, _own_copy(axis))

    def extend(self, axes: Iterable[Axis]) -> None:
        super().extend([_own_copy(axis) for axis in axes])

    def __iadd__(self, axes: Iterable[Axis]) -> Self:
        self.extend(axes)
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, [*map(_own_copy, value)] if isinstance(index, slice) else _own_copy(value))


def _own_copy(axis: Axis) -> Axis:
    if not isinstance(axis, Axis):
        raise TypeError(f"the axes of a joint are a list of Axis, found {axis!r}; write Axis(xyz=(0, 0, 1))")
    return copy.copy(axis)


def placed(subject: str, kind: JointType, axes: Sequence[Axis]) -> list[Axis]:
    """Return a joint's axes in the order of its type, after a check of the directions that the type fixes.

    The direction 0 0 1, the default, stands for the type's own direction. If the type has `picks`, a list with fewer
    axes than the type names those that are not locked.

    Args:
        subject: the joint, as messages name it.

    Raises:
        ModelError: if an axis points where the type has none, or if two axes of a short list are the same.
    """
    if kind.picks and 0 < len(axes) < len(kind.axes):
        return _picked(subject, kind, axes)
    for number, (axis, slot) in enumerate(zip(axes, kind.axes, strict=False)):
        if slot.direction and axis.xyz != Axis.xyz and not _same(axis.xyz, slot.direction):
            name = f"its axis {slot.name or number + 1}"
            raise ModelError(
                f"{subject}: {name} always points along {as_text(slot.direction)}, found {as_text(axis.xyz)}; leave "
                "xyz out, and turn the joint's frames X_PJ and X_CJ instead"
            )
    return [*axes]


def _picked(subject: str, kind: JointType, axes: Sequence[Axis]) -> list[Axis]:
    found: list[Axis] = [Axis(slot.direction or Axis.xyz, locked=True) for slot in kind.axes]
    for axis in axes:
        fits = [
            column.axis
            for column in kind.columns
            if bool(column.slide) == bool(axis.slide) and _same(axis.xyz, kind.axes[column.axis].direction)
        ]
        does = "slide along" if axis.slide else "turn about"
        if not fits:
            raise ModelError(
                f"{subject}: its axes cannot {does} {as_text(axis.xyz)}; in a list of fewer than {len(kind.axes)}, "
                "axes are 1 0 0, 0 1 0 and 0 0 1 in the joint's frames X_PJ and X_CJ, which can be turned"
            )
        if not found[fits[0]].locked or axis.locked:
            raise ModelError(f"{subject}: two of its axes {does} {as_text(axis.xyz)}; list each axis that moves once")
        found[fits[0]] = replace(axis, turn=Axis.turn, slide=Axis.slide)
    return found


def _same(direction: Vec3, other: Vec3 | None) -> bool:
    length = norm(direction)
    return other is not None and length > 0.0 and norm(sub(scale(direction, 1.0 / length), other)) < SAME_DIRECTION
