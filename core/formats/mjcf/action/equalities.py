# SPDX-License-Identifier: GPL-3.0-or-later
"""Equality constraints: joints that close loops, and joints that follow others.

Source: MuJoCo documentation, XML Reference, "equality". MuJoCo's constraints are soft; here they are exact.
"""

from __future__ import annotations

from collections.abc import Callable

from ....files.xml import Element
from ....model import WORLD, Joint, Mimic, Model
from ....model.naming import TakenNames
from ....spatial import IDENTITY, IDENTITY_QUAT, ZERO, Pose, compose, inverse
from ...findings import Findings, Places
from ..model_file import ModelFile
from ..poses import numbers_of, unit_quat
from ..settings import SWITCHES, word
from ..tree.assembly import Assembled
from ..tree.bodies import OWN, Affixes
from ..tree.joints import JointPlace

PAIR_NAMES = (("body1", "body2"), ("site1", "site2"))
"""Attributes with the two ends of a <connect> or <weld>."""


class EqualityReader:
    """Reads the equality constraints of one file."""

    def __init__(self, model: Model, assembled: Assembled, places: Places, findings: Findings):
        self.model, self.assembled, self.places, self.findings = model, assembled, places, findings
        self._taken = TakenNames(joint.name for joint in model.joints)

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
        follower = self._place(element, "joint1", affixes)
        leader = self._place(element, "joint2", affixes) if "joint2" in element.attributes else None
        if follower is None or (leader is None and "joint2" in element.attributes) or not self._is_active(element):
            return
        constant, factor, *others = numbers_of(element, "polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), self.findings)
        joint = self.model.joint(follower.joint)
        if leader is None:
            axis = joint.axes[follower.axis]
            axis.lower = axis.upper = follower.ref + constant
            return
        if any(others):
            message = "its polycoef is curved; only the first two numbers are read, so that one joint follows in a line"
            self.findings.warning(element, "curved-coupling", message)
        if joint.mimic is not None:
            message = f"joint '{joint.name}' follows another one already, and cannot follow two; this one is left out"
            self.findings.warning(element, "second-leader", message)
            return
        offset = follower.ref + constant
        joint.mimic = Mimic(leader.joint, factor, offset, leader.ref, follower.axis, leader.axis)

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
    }
