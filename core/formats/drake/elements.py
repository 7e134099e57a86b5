# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake's elements between links (springs, ball constraints, collision filter groups), rotor inertias and mimics.

SDF has their values in texts, URDF in the attributes value, name and link; both are read by the same code. Mimics are
in SDF only, and read by `sdf.joint`. Source: Drake's page "Parsing Models for Multibody Dynamics", sections
drake:linear_spring_damper to drake:rotor_inertia.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, product

from ...files.xml import Element
from ...model import WORLD, Axis, ContactPair, Joint, Model
from ...model.naming import claim
from ...spatial import IDENTITY, IDENTITY_QUAT, ZERO, Vec3, compose, inverse
from ..findings import TRUE, Findings, Places

SPRING = "drake:linear_spring_damper"
BALL = "drake:ball_constraint"
GROUP = "drake:collision_filter_group"
MEMBER, MEMBER_GROUP, IGNORED_GROUP = "drake:member", "drake:member_group", "drake:ignored_collision_filter_group"
ROTOR_INERTIA, GEAR_RATIO = "drake:rotor_inertia", "drake:gear_ratio"
MIMIC = "drake:mimic"
BETWEEN_LINKS = (SPRING, BALL, GROUP)
"""Tags of the elements that `DrakeElements` reads."""


MAX_PAIRS = 100_000
"""Largest number of pairs of links that collision filter groups may exclude.

More take minutes; a group of 400 links has 80,000.
"""

LinkOf = Callable[[str], str | None]
"""Function from a name in the file to the name of the link in the model, or "world"; None if there is none."""


class DrakeElements:
    """Reads the elements of a file into its model, whose links must have their poses already.

    Call `finish` at the end.
    """

    def __init__(self, model: Model, places: Places, findings: Findings):
        self.model, self.places, self.findings = model, places, findings
        self.solid = {link.name for link in model.links if link.collisions}
        self.taken = {joint.name for joint in model.joints}
        self.poses = {link.name: link.pose for link in model.links} | {WORLD: IDENTITY}
        self.groups: dict[str, _Group] = {}
        self._members: dict[str, tuple[str, ...]] = {}

    def read(self, element: Element, link_of: LinkOf, scope: str = "") -> None:
        """Add an element of `BETWEEN_LINKS` to the model.

        scope: prefix of the names of groups, for references from outside of their model.
        """
        if element.tag == GROUP:
            self._group(element, link_of, scope)
            return
        ends = [self._link(element, f"{element.tag}_body_{end}", link_of) for end in "AB"]
        points = [self._point(element, f"{element.tag}_p_{point}") for point in ("AP", "BQ")]
        parent, child = ends
        if parent is None or child is None:
            return
        if child == WORLD:  # the world cannot be a child
            parent, child, points = child, parent, points[::-1]
        joint = self._joint_between(element, parent, child, points)
        self.model.joints.append(joint)
        self.places["joint", joint.name] = element

    def finish(self) -> None:
        """Add the contact pairs of all groups to the model, after all members are known."""
        found: dict[tuple[str, str], None] = {}
        count = 0
        for name, group in self.groups.items():
            for ignored, at in group.ignored.items():
                if ignored not in self.groups:
                    message = f"ignores the group '{ignored}', which is not there; name a {GROUP}"
                    self.findings.error(at, "unknown-group", message)
                    continue
                for pair in self._pairs(name, ignored):
                    found[pair] = None
                    count += 1
                    if count > MAX_PAIRS:
                        message = f"its groups exclude more than {MAX_PAIRS:,} pairs of links; make them smaller"
                        self.findings.error(at, "too-many-pairs", message)
                        return
        self.model.contact_pairs += [ContactPair(a, b, meets=False) for a, b in found]

    # ---- springs and balls

    def _joint_between(self, element: Element, parent: str, child: str, points: list[Vec3]) -> Joint:
        X_PJ, X_CJ = ((*point, *IDENTITY_QUAT) for point in points)
        X_PC = compose(inverse(self.poses.get(parent, IDENTITY)), self.poses.get(child, IDENTITY))
        if element.tag == BALL:
            name = claim(element.name or f"{parent}_{child}_ball", self.taken)
            X_CJ = (*points[1], *inverse(X_PC)[3:])  # in the drawn pose, the joint's axes are those of the parent
            return Joint(name, "ball", parent, child, X_PJ, X_CJ, closes_loop=True)
        name = claim(element.name or f"{parent}_{child}_spring", self.taken)
        axis = Axis(
            spring_reference=self._number(element, f"{element.tag}_free_length"),
            spring_stiffness=self._number(element, f"{element.tag}_stiffness"),
            damping=self._number(element, f"{element.tag}_damping"),
        )
        if not axis.spring_reference > 0.0:
            message = f"its free length is {axis.spring_reference:g} m; give a length above 0"
            self.findings.error(element, "bad-number", message)
        home = compose(compose(inverse(X_PJ), X_PC), X_CJ)
        return Joint(name, "distance", parent, child, X_PJ, X_CJ, axes=[axis], home=home)

    def _link(self, element: Element, tag: str, link_of: LinkOf) -> str | None:
        at = element.child(tag)
        name = value_of(at) if at else ""
        found = link_of(name) if name else None
        if found is None:
            message = f"<{tag}> names '{name}', which is no link" if at else f"has no <{tag}>"
            self.findings.error(at or element, "unknown-link", f"{message}; name a link of its model")
        return found

    def _point(self, element: Element, tag: str) -> Vec3:
        at = element.child(tag)
        if at is None:
            self.findings.error(element, "bad-number", f"has no <{tag}>; give a point, three numbers [m]")
            return ZERO
        return self.findings.parse(at, f"<{tag}>", value_of(at), ZERO) or ZERO

    def _number(self, element: Element, tag: str) -> float:
        at = element.child(tag)
        if at is None:
            self.findings.error(element, "bad-number", f"has no <{tag}>; give a number")
            return 1.0
        return number_in(at, self.findings)

    # ---- groups

    def _group(self, element: Element, link_of: LinkOf, scope: str) -> None:
        if element.attributes.get("ignore", "").strip().lower() in TRUE:
            return
        group = _Group()
        for child in element.children:
            name = value_of(child)
            if child.tag == MEMBER:
                link = link_of(name)
                if link is None:
                    message = f"its member '{name}' is no link; name a link of its model"
                    self.findings.error(child, "unknown-link", message)
                elif link != WORLD:
                    group.links[link] = None
            elif child.tag == MEMBER_GROUP:
                group.inner[scope + name] = child
            elif child.tag == IGNORED_GROUP:
                group.ignored[scope + name] = child
        self.groups[scope + element.name] = group

    def _members_of(self, name: str) -> tuple[str, ...]:
        """Return the links of a group, and of the groups in it, that have collision shapes."""
        if name not in self._members:
            self._members[name] = tuple(link for link in self._all_members(name) if link in self.solid)
        return self._members[name]

    def _all_members(self, name: str) -> dict[str, None]:
        links: dict[str, None] = {}
        seen = {name}
        waiting = [name]
        while waiting:
            group = self.groups[waiting.pop()]
            links |= group.links
            for inner, element in group.inner.items():
                if inner not in self.groups:
                    message = f"holds the group '{inner}', which is not there; name a {GROUP}"
                    self.findings.error(element, "unknown-group", message)
                elif inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
        return links

    def _pairs(self, one: str, other: str) -> Iterator[tuple[str, str]]:
        ours, theirs = self._members_of(one), self._members_of(other)
        pairs = combinations(ours, 2) if one == other else product(ours, theirs)
        yield from ((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1])


class _Group:
    def __init__(self) -> None:
        self.links: dict[str, None] = {}
        self.inner: dict[str, Element] = {}
        self.ignored: dict[str, Element] = {}


def value_of(element: Element) -> str:
    """Return the value of an element of Drake's: its text in SDF, or one of three attributes in URDF."""
    said = (element.attributes.get(name, "") for name in ("value", "name", "link"))
    return (element.text or next(filter(None, said), "")).strip()


def number_in(element: Element, findings: Findings) -> float:
    """Return the number of an element of Drake's, 0 or more. If it has another value, report that and return 0."""
    (value,) = findings.parse(element, f"<{element.tag}>", value_of(element), (0.0,)) or (0.0,)
    if value < 0.0:
        findings.error(element, "bad-number", f"<{element.tag}> is {value:g}; give 0 or more")
        return 0.0
    return value


def read_rotor(holder: Element, joint: Joint, findings: Findings) -> bool:
    """Set the armature of a joint: the rotor inertia times the square of the gear ratio, from an element's children.

    Returns:
        Whether that was possible. If not, a warning says why.
    """
    rotor, gear = holder.child(ROTOR_INERTIA), holder.child(GEAR_RATIO)
    if rotor is None and gear is None:
        return True
    axis = joint.axes[0] if len(joint.columns) == 1 else None
    if axis is None or "armature" not in joint.kind.slot(0).fields:
        tag = (rotor or gear or holder).tag
        message = f"<{tag}> is left out: only joints of one axis have a rotor here, and it is {joint.type}"
        findings.warning(rotor or gear or holder, "not-simulated", message)
        return False
    ratio = number_in(gear, findings) if gear else 1.0
    axis.armature = (number_in(rotor, findings) if rotor else 0.0) * ratio * ratio
    return True


def report_others(elements: Iterable[Element], findings: Findings) -> None:
    """Warn of each element of Drake's that is not read here, among the children of a model."""
    for element in elements:
        if element.tag.startswith("drake:"):
            message = f"<{element.tag}> is not simulated here; it is kept, and written again to the same format"
            findings.warning(element, "not-simulated", message)
