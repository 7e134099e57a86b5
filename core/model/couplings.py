# SPDX-License-Identifier: GPL-3.0-or-later
"""Couplings: equations between the coordinates of joints. A new kind is one entry in `COUPLING_TYPES`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..extras import Extra
from ..joints import Unit
from ..spatial import IDENTITY, Pose, dot, quat_rotate
from .elements import Joint, Mimic
from .errors import ModelError
from .record import Record
from .text import counted

ROUNDING = 1e-12
"""Difference up to which two initial positions of an axis are the same but for rounding [rad or m]."""


@dataclass(frozen=True)
class Term:
    """`weight` times the coordinate of a joint's axis."""

    joint: str
    axis: int
    weight: float


@dataclass(frozen=True)
class Equation:
    """The sum of the terms equals `constant`, in rad or m."""

    name: str
    terms: tuple[Term, ...]
    constant: float


@dataclass(frozen=True)
class CouplingType:
    """A kind of coupling, as data.

    Attributes:
        parts: name of each of its axes; () for any number of axes, whose weights the coupling gives.
        weights: function from the coupling's ratio to the weight of each part's coordinate.
        units: of each part's coordinate.
    """

    name: str
    label: str
    summary: str
    parts: tuple[str, ...] = ()
    weights: Callable[[float], tuple[float, ...]] = lambda _: ()
    units: tuple[Unit, ...] = ()


COUPLING_TYPES: dict[str, CouplingType] = {
    entry.name: entry
    for entry in (
        CouplingType(
            "gear",
            "Gear",
            "The output turns ratio times as far as the input; negative where two outer gears mesh",
            ("input", "output"),
            lambda ratio: (-ratio, 1.0),
            (Unit.ANGLE, Unit.ANGLE),
        ),
        CouplingType(
            "rack",
            "Rack and Pinion",
            "The rack slides by ratio metres for a radian of the pinion",
            ("pinion", "rack"),
            lambda ratio: (-ratio, 1.0),
            (Unit.ANGLE, Unit.LENGTH),
        ),
        CouplingType(
            "differential",
            "Differential",
            "One side and ratio times the other turn as far as (1 + ratio) times the carrier (Willis)",
            ("carrier", "side", "other side"),
            lambda ratio: (-(1.0 + ratio), 1.0, ratio),
            (Unit.ANGLE, Unit.ANGLE, Unit.ANGLE),
        ),
        CouplingType("sum", "Weighted Sum", "Coordinates of any number of axes, times weights, have a constant sum"),
    )
}


@dataclass(repr=False)
class Coupling(Record):
    """An equation between axes: the sum of their coordinates, times the weights of the type, is `offset` [rad or m].

    Attributes:
        type: a name in `COUPLING_TYPES`.
        axes: (joint, number of its axis) for each term of the type's equation.
        weights: of each axis, if the type is "sum"; those of other types follow from `ratio`.
    """

    name: str
    type: str
    axes: list[tuple[str, int]]
    ratio: float = 1.0
    offset: float = 0.0
    weights: list[float] = field(default_factory=list, metadata={"since": "0.2.0"})

    def __post_init__(self):
        if self.type not in COUPLING_TYPES:
            raise ModelError(
                f"coupling '{self.name}': type '{self.type}' is not known; allowed are {', '.join(COUPLING_TYPES)}"
            )
        if problem := wrong_counts(self):
            raise ModelError(f"coupling '{self.name}' {problem}")

    def equation(self, _joints: list[Joint]) -> Equation:
        kind = COUPLING_TYPES[self.type]
        weights = kind.weights(self.ratio) if kind.parts else self.weights
        terms = (Term(joint, axis, weight) for (joint, axis), weight in zip(self.axes, weights, strict=True))
        return Equation(self.name, tuple(terms), self.offset)


def wrong_counts(coupling: Coupling) -> str:
    """Return why the axes and weights of a coupling do not fit its type, which is known; "" if they do."""
    parts, axes = COUPLING_TYPES[coupling.type].parts, counted(coupling.axes, "axis", "axes")
    if parts and len(coupling.axes) != len(parts):
        return f"couples {axes}; a {coupling.type} takes {len(parts)}: give {', '.join(parts)}"
    if parts and len(coupling.weights):
        return f"has weights, and those of a {coupling.type} follow from its ratio; leave them out"
    if not parts and not len(coupling.axes) == len(coupling.weights) > 0:
        return f"couples {axes} with {counted(coupling.weights, 'weight')}; give each of its axes one"
    return ""


@dataclass(repr=False)
class Gearbox(Record):
    """SDFormat's gearbox: two links turn on hinges of a third link, the reference, by angles in a fixed ratio.

    Angle 1 is that of `parent` against `reference` about `axis`, angle 2 that of `child` against it about `axis2`, both
    axes in the reference link's frame at q = 0: angle 2 = -ratio * angle 1. X_CJ is where its own frame stands in the
    child link [m], which means nothing to the motion.

    Source: SDFormat specification, joint/gearbox_ratio and joint/gearbox_reference_body.
    """

    name: str
    parent: str
    child: str
    reference: str
    ratio: float = 1.0
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    axis2: tuple[float, float, float] = (0.0, 0.0, 1.0)
    X_CJ: Pose = IDENTITY
    extras: tuple[Extra, ...] = ()

    def equation(self, joints: list[Joint]) -> Equation:
        """Return the coupling as an equation between the two hinges.

        Raises:
            ModelError: if a link is not connected to the reference by one hinge.
        """
        one, two = self._term(joints, self.parent, self.axis), self._term(joints, self.child, self.axis2)
        terms = (Term(one.joint, one.axis, self.ratio * one.weight), two)
        return Equation(self.name, terms, 0.0)

    def _term(self, joints: list[Joint], link: str, axis: tuple[float, float, float]) -> Term:
        """Return the hinge between `link` and the reference, with the sign with which it counts the angle."""
        hinges = [joint for joint in joints if {joint.parent, joint.child} == {link, self.reference}]
        if len(hinges) != 1 or len(hinges[0].columns) != 1 or not hinges[0].columns[0].turn:
            raise ModelError(
                f"gearbox '{self.name}': link '{link}' does not turn on one hinge of the reference link "
                f"'{self.reference}'; name as reference the link that carries both hinges"
            )
        hinge = hinges[0]
        number = hinge.columns[0].axis
        forward = hinge.parent == self.reference
        X_RJ = hinge.X_PJ if forward else hinge.X_CJ
        along = dot(quat_rotate(X_RJ[3:], hinge.direction(number)), axis)
        return Term(hinge.name, number, (1.0 if along >= 0.0 else -1.0) * (1.0 if forward else -1.0))


def mimic_equation(follower: str, mimic: Mimic) -> Equation:
    """Return follower - multiplier * leader = offset - multiplier * reference as an equation."""
    terms = (Term(follower, mimic.axis, 1.0), Term(mimic.leader, mimic.leader_axis, -mimic.multiplier))
    return Equation(follower, terms, mimic.offset - mimic.multiplier * mimic.reference)


def led_homes(joints: Iterable[Joint]) -> dict[tuple[str, int], float]:
    """Return the initial positions of axes that mimic others: {(joint, number of its axis): value in rad or m}.

    They follow from the homes of the joints that they mimic, not from their own. Mimics in a ring, mimics of joints
    that do not exist or are disabled, and axes without a coordinate are left out.
    """
    acting = [joint for joint in joints if joint.enabled]
    at = {
        (joint.name, column.axis): value
        for joint in acting
        if not joint.kind.chart
        for column, value in zip(joint.columns, joint.q_home, strict=True)
    }
    mimics = {(joint.name, joint.mimic.axis): joint.mimic for joint in acting if joint.mimic}
    found: dict[tuple[str, int], float] = {}
    lost: set[tuple[str, int]] = set()
    for start in mimics:
        if start in found or start in lost:
            continue
        chain, key = {start: None}, start
        while key in mimics and key not in found and key not in lost:
            chain[key] = None
            key = mimics[key].leader, mimics[key].leader_axis
            if key in chain:
                break
        if key in chain or key in lost or not at.keys() >= {key, *chain}:
            lost.update(chain)
            continue
        value = found.get(key, at[key])
        for follower in reversed(chain):
            mimic = mimics[follower]
            found[follower] = value = mimic.multiplier * (value - mimic.reference) + mimic.offset
    return found


def at_led_homes(joints: Sequence[Joint]) -> list[Joint]:
    """Return joints of which the axes that mimic others start where those lead them.

    Joints that do so already are returned as they are, others as copies.
    """
    led = led_homes(joints)
    found = []
    for joint in joints:
        if joint.kind.chart or not joint.mimic:
            found.append(joint)
            continue
        keys = [(joint.name, column.axis) for column in joint.all_columns]
        home = tuple(led.get(key, value) for key, value in zip(keys, joint.home, strict=True))
        is_off = any(abs(new - old) > ROUNDING for new, old in zip(home, joint.home, strict=True))
        found.append(replace(joint, home=home) if is_off else joint)
    return found
