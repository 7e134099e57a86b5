# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of inverse kinematics, and the errors that remain."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real

from ...model import ModelError
from ...spatial import ZERO, Quat, Vec3, norm

LARGEST = 1e12
"""Largest number in a target [m or 1]. Squares of larger numbers would exceed all others."""


@dataclass(frozen=True)
class Target:
    """A target for one link: place, turn or look_at, or place with one of the two others.

    Attributes:
        place: target position of `point`, in the world [m].
        turn: target orientation of the link in the world, w x y z.
        look_at: a point in the world [m] that `axis` is to point at from `point`.
        point: in the link [m].
        axis: a direction in the link, of any length.
        weight: relative to other targets, if not all can be reached.

    Raises:
        TypeError: if `link` is not a string. ModelError: if nothing is given, numbers are not finite, a direction or
            quaternion is zero, or two orientations are given.
    """

    link: str
    place: Vec3 | None = None
    turn: Quat | None = None
    look_at: Vec3 | None = None
    point: Vec3 = ZERO
    axis: Vec3 = (0.0, 0.0, 1.0)
    weight: float = 1.0

    def __post_init__(self):
        if not isinstance(self.link, str):
            raise TypeError(f"a Target takes the name of a link first, found {self.link!r}")
        for name, count in (("place", 3), ("turn", 4), ("look_at", 3), ("point", 3), ("axis", 3)):
            self._require_numbers(name, count)
        asked = [numbers for numbers in (self.place, self.turn, self.look_at) if numbers is not None]
        if not asked:
            raise ModelError(f"the target of link '{self.link}' asks for nothing: give a place, a turn or look_at")
        if self.turn is not None and self.look_at is not None:
            raise ModelError(f"the target of link '{self.link}' asks for two orientations: give turn or look_at")
        if self.turn is not None and not math.hypot(*self.turn) > 0.0:
            raise ModelError(f"the target of link '{self.link}' needs a quaternion w x y z, found 0 0 0 0")
        if self.look_at is not None and not norm(self.axis) > 0.0:
            raise ModelError(f"the target of link '{self.link}' needs an axis to look along, found 0 0 0")
        if not (_is_number(self.weight) and self.weight > 0.0):
            raise ModelError(f"the target of link '{self.link}' takes a weight above 0, found {self.weight!r}")

    def _require_numbers(self, name: str, count: int) -> None:
        found = getattr(self, name)
        if found is None:
            return
        numbers = list(found) if isinstance(found, Iterable) else []
        if len(numbers) != count or not all(map(_is_number, numbers)):
            raise ModelError(
                f"the target of link '{self.link}' takes {count} numbers up to {LARGEST:g} as {name}, found {found!r}"
            )
        object.__setattr__(self, name, tuple(map(float, numbers)))


def targets_of(given: Target | Iterable[Target], what: str = "targets") -> tuple[Target, ...]:
    """Return targets as a tuple, from one target or several. what: name of the argument, for messages.

    Raises:
        TypeError: if something else is given.
    """
    found = [given] if isinstance(given, Target) or not isinstance(given, Iterable) else [*given]
    for target in found:
        if not isinstance(target, Target):
            raise TypeError(f"{what} takes a list of Target, found {target!r}; write [Target('hand', place=(x, y, z))]")
    return tuple(found)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and abs(float(value)) <= LARGEST


@dataclass(frozen=True)
class Miss:
    """The remaining error of a link's target [m, rad]."""

    link: str
    distance: float
    angle: float

    def __str__(self) -> str:
        parts = [f"{self.distance:.3g} m"] if self.distance else []
        parts += [f"{math.degrees(self.angle):.3g} degrees"] if self.angle else []
        return f"link '{self.link}' stays {' and '.join(parts)} from its target"


@dataclass(frozen=True)
class Reach:
    """The remaining errors of a pose.

    Attributes:
        misses: of the targets that are not reached, the largest first.
        gap: largest error of loops, couplings and pins [m or rad].
        is_closed: whether that is rounding.
        at_limits: names of the joints at a limit.
        steps: number of steps.
        is_held: whether nothing may move at all. is_base_held: whether something could move if its base were free.
    """

    misses: tuple[Miss, ...]
    gap: float
    is_closed: bool
    at_limits: tuple[str, ...]
    steps: int
    is_held: bool = False
    is_base_held: bool = False

    @property
    def is_reached(self) -> bool:
        return self.is_closed and not self.misses

    @property
    def distance(self) -> float:
        """The largest remaining distance [m]."""
        return max((miss.distance for miss in self.misses), default=0.0)

    @property
    def angle(self) -> float:
        """The largest remaining angle [rad]."""
        return max((miss.angle for miss in self.misses), default=0.0)

    @property
    def words(self) -> str:
        """Return a sentence for the user; "" if all targets are reached."""
        if self.is_reached:
            return ""
        if not self.is_closed:
            return f"loops, couplings or pins stay open by {self.gap:.3g} (m or rad): they contradict each other"
        missed = "; ".join(map(str, self.misses))
        if self.is_held:
            return f"{missed}: everything that could move is held" + (", its base, too" if self.is_base_held else "")
        if self.at_limits:
            shown = ", ".join(f"'{name}'" for name in self.at_limits[:3])
            more = len(self.at_limits) - 3
            return f"{missed}; at a limit: {shown}" + (f" and {more} more" if more > 0 else "")
        return f"{missed}: out of reach" if len(self.misses) == 1 else f"{missed}: they cannot all be met"
