# SPDX-License-Identifier: GPL-3.0-or-later
"""Equality constraints: joints that close loops, joints that follow others, and tendons that couple joints.

Source: MuJoCo documentation, XML Reference, "equality". MuJoCo's constraints are soft; here they are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ....files.xml import Element
from ....model import WORLD, Coupling, Joint, Mimic, Model
from ....model.naming import TakenNames
from ....spatial import IDENTITY, IDENTITY_QUAT, ZERO, Pose, compose, inverse
from ...findings import Findings, Places
from ..model_file import ModelFile
from ..poses import numbers_of, unit_quat
from ..settings import SWITCHES, word
from ..tree.assembly import Assembled
from ..tree.bodies import OWN, Affixes
from ..tree.joints import JointPlace
from .tendons import Tendons


class Coordinate(NamedTuple):
    """An axis of a joint.

    Attributes:
        joint: its name. axis: number of the axis.
    """

    joint: str
    axis: int


PAIR_NAMES = (("body1", "body2"), ("site1", "site2"))
"""Attributes with the two ends of a <connect> or <weld>."""


class EqualityReader:
    """Reads the equality constraints of one file."""

    def __init__(self, model: Model, assembled: Assembled, tendons: Tendons, places: Places, findings: Findings):
        self.model, self.assembled, self.tendons = model, assembled, tendons
        self.places, self.findings = places, findings
        self._taken = TakenNames(joint.name for joint in model.joints)
        self._coupling_names = TakenNames()

    def read(self, file: ModelFile, affixes: Affixes = OWN) -> None:
        """Add the constraints of a file to the model. affixes: of its names, if the file was attached."""
        if not file.settings.equalities:
            return
        for element in file.document.entries("equality"):
            if reader := self._READERS.get(element.tag):
                reader(self, file.defaults.complete(element, "", "equality"), affixes)

    def _is_active(self, element: Element) -> bool:
        return word(element, "active", SWITCHES, True, self.findings)

    # ---- loops

    def _connect(self, element: Element, affixes: Affixes) -> None:
        """Add a ball joint at a point of two bodies, which coincides as drawn, or at two sites."""
        ends = self._ends(element, affixes)
        if ends is None:
            return
        (parent, X_PJ), (child, X_CJ) = ends
        if "anchor" in element.attributes or "site1" not in element.attributes:
            X_PJ = compose(X_PJ, self.findings.attribute_vector(element, "anchor", ZERO) + IDENTITY_QUAT)
            X_CJ = compose(inverse(self._drawn(child)), compose(self._drawn(parent), X_PJ))
        self._add_loop(element, "ball", (parent, X_PJ), (child, X_CJ))

    def _weld(self, element: Element, affixes: Affixes) -> None:
        """Add a fixed joint between two bodies, as drawn or with a given relative pose, or between two sites."""
        ends = self._ends(element, affixes)
        if ends is None:
            return
        (parent, X_PJ), (child, X_CJ) = ends
        if "site1" not in element.attributes:
            anchor = self.findings.attribute_vector(element, "anchor", ZERO) + IDENTITY_QUAT
            X_PC = compose(inverse(self._drawn(parent)), self._drawn(child))
            x, y, z, *quat = self.findings.attribute_vector(element, "relpose", (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
            if any(quat):
                X_PC = (x, y, z, *unit_quat(quat))
            X_PJ, X_CJ = compose(X_PC, anchor), anchor
        holds_turns = self.findings.attribute(element, "torquescale", 1.0) > 0.0
        self._add_loop(element, "fixed" if holds_turns else "ball", (parent, X_PJ), (child, X_CJ))

    def _ends(self, element: Element, affixes: Affixes) -> tuple[tuple[str, Pose], tuple[str, Pose]] | None:
        """Return (link, frame in it) of both ends; the world for a second body that is not named.

        Return None if a name is unknown, which is reported.
        """
        kind = next((names for names in PAIR_NAMES if names[0] in element.attributes), PAIR_NAMES[0])
        found: list[tuple[str, Pose]] = []
        for attribute in kind:
            name = element.attributes.get(attribute, "")
            if attribute.startswith("site") and (frame := self.assembled.sites.get(affixes.of(name))):
                found.append((frame.link, frame.pose))
            elif attribute.startswith("body") and (
                link := self.assembled.links.get(affixes.of(name) if name else WORLD)
            ):
                found.append((link, IDENTITY))
            elif affixes.is_own:  # an attached file may refer to what was not attached
                message = f"{attribute} '{name}' of <{element.tag}> is not there; check the name"
                self.findings.error(element, f"unknown-{attribute[:4]}", message)
        return (found[0], found[1]) if len(found) == 2 else None

    def _drawn(self, link: str) -> Pose:
        return self.assembled.drawn[link]

    def _add_loop(self, element: Element, kind: str, parent: tuple[str, Pose], child: tuple[str, Pose]) -> None:
        """Add a joint between two (link, joint frame in it)."""
        if child[0] == WORLD:
            parent, child = child, parent
        name = self._taken.claim(element.name or f"{element.tag}_{child[0]}")
        joint = Joint(name, kind, parent[0], child[0], parent[1], child[1], enabled=self._is_active(element))
        joint.closes_loop = not {parent[0], child[0]} & self.assembled.floating
        self.model.joints.append(joint)
        self.places["joint", name] = element

    # ---- joints that follow others

    def _joint(self, element: Element, affixes: Affixes) -> None:
        """Let a joint follow another by q1 - q1' = a0 + a1 (q2 - q2'), with q' as drawn; or hold it."""
        place = self._place(element, "joint1", affixes)
        led_by = self._place(element, "joint2", affixes) if "joint2" in element.attributes else None
        if place is None or (led_by is None and "joint2" in element.attributes) or not self._is_active(element):
            return
        constant, factor = self._line(element)
        offset, follower = place.ref + constant, Coordinate(place.joint, place.axis)
        if led_by is None:
            self._lock(follower, offset)
            return
        leader = Coordinate(led_by.joint, led_by.axis)
        if not self._follow(follower, leader, factor, offset, led_by.ref):
            self._couple(element, affixes, [(follower, 1.0), (leader, -factor)], offset - factor * led_by.ref)

    def _lock(self, axis: Coordinate, value: float) -> None:
        """Lock an axis at a coordinate [rad or m]."""
        locked = self.model.joint(axis.joint).axes[axis.axis]
        locked.lower = locked.upper = value

    def _follow(self, follower: Coordinate, leader: Coordinate, factor: float, offset: float, reference: float) -> bool:
        """Let an axis follow another one. Return False if its joint follows one already, or if it would form a ring."""
        joint = self.model.joint(follower.joint)
        at: Coordinate | None = leader
        while at is not None and at != follower:
            ahead = self.model.joint(at.joint).mimic
            at = Coordinate(ahead.leader, ahead.leader_axis) if ahead and ahead.axis == at.axis else None
        if joint.mimic is not None or at is not None:
            return False
        joint.mimic = Mimic(leader.joint, factor, offset, reference, follower.axis, leader.axis)
        return True

    def _couple(
        self, element: Element, affixes: Affixes, terms: Iterable[tuple[Coordinate, float]], constant: float
    ) -> None:
        """Let the sum of coordinates times weights be constant.

        Of two axes one follows the other if that is possible, so that a tendon over both drives one joint.
        """
        weights: dict[Coordinate, float] = {}
        for axis, weight in terms:
            weights[axis] = weights.get(axis, 0.0) + weight
        axes = [axis for axis, weight in weights.items() if weight]
        if not axes:
            message = "it leaves all joints free, since what it adds up cancels out; take it out"
            self.findings.warning(element, "zero-ratio", message)
            return
        if len(axes) == 1:
            self._lock(axes[0], constant / weights[axes[0]])
            return
        for one, other in (axes, axes[::-1]) if len(axes) == 2 else ():
            if self._follow(one, other, -weights[other] / weights[one], constant / weights[one], 0.0):
                return
        name = self._coupling_names.claim(affixes.of(element.name or element.tag))
        places = [(axis.joint, axis.axis) for axis in axes]
        coupling = Coupling(name, "sum", places, offset=constant, weights=[weights[axis] for axis in axes])
        self.model.couplings.append(coupling)
        self.places["coupling", name] = element

    def _line(self, element: Element) -> tuple[float, float]:
        """Return a0 and a1 of `polycoef`. Warn if what follows them is not 0."""
        constant, factor, *others = numbers_of(element, "polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), self.findings)
        if any(others):
            message = "its polycoef is curved; only the first two numbers are read, so that it follows in a line"
            self.findings.warning(element, "curved-coupling", message)
        return constant, factor

    # ---- tendons

    def _tendon(self, element: Element, affixes: Affixes) -> None:
        """Couple the joints of a tendon, or of two: l1 - l1' = a0 + a1 (l2 - l2'), with l' as drawn."""
        lengths = [
            self._length(element, name, affixes) for name in ("tendon1", "tendon2") if name in element.attributes
        ]
        if None in lengths or not lengths or not self._is_active(element):
            return
        constant, factor = self._line(element)
        terms: list[tuple[Coordinate, float]] = []
        for length, sign in zip(lengths, (1.0, -factor), strict=False):
            for place, weight in length or ():
                terms.append((Coordinate(place.joint, place.axis), sign * weight))
                constant += sign * weight * place.ref
        self._couple(element, affixes, terms, constant)

    def _length(self, element: Element, attribute: str, affixes: Affixes) -> list[tuple[JointPlace, float]] | None:
        """Return the axes of a fixed tendon with their coefficients; None if it is another one, which is told."""
        name = affixes.of(element.attributes[attribute])
        if name in self.tendons:
            return self.tendons.terms(name)
        if name in self.tendons.names:
            where = f"first in {element.subject}, line {element.line}"
            self.findings.note(
                f"the length of a spatial tendon is not constrained here ({where})", once="spatial length"
            )
        elif affixes.is_own:
            message = f"{attribute} '{name}' of <{element.tag}> is not there; check the name"
            self.findings.error(element, "unknown-tendon", message)
        return None

    def _place(self, element: Element, attribute: str, affixes: Affixes) -> JointPlace | None:
        """Return where the hinge or slide that an attribute names is; None if there is none, which is reported."""
        name = element.attributes.get(attribute, "")
        place = self.assembled.joints.get(affixes.of(name))
        if place is not None and place.kind in ("hinge", "slide"):
            return place
        if affixes.is_own:
            found = "is not there" if place is None else f"is a {place.kind}"
            message = f"{attribute} '{name}' of <{element.tag}> {found}; name a hinge or slide"
            self.findings.error(element, "unknown-joint", message)
        return None

    _READERS: dict[str, Callable[[EqualityReader, Element, Affixes], None]] = {
        "connect": _connect,
        "weld": _weld,
        "joint": _joint,
        "tendon": _tendon,
    }
