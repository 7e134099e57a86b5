# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision filters: filtered pairs, joints whose bodies may collide, and articulations that do not hit themselves.

All bodies meet, except those that a joint connects, unless the joint says so. Collision groups are in `groups.py`.

Source: OpenUSD documentation, "Rigid Body Physics in USD", section "Collision Filtering".
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from ...model import WORLD, ContactPair, Joint, Model
from ..findings import Findings
from .bodies import Bodies
from .stage import Stage

SELF_COLLISIONS = ("newton:selfCollisionEnabled", "physxArticulation:enabledSelfCollisions")
"""Attributes of an articulation's root that switch collisions between its bodies off."""

ROOT = "PhysicsArticulationRootAPI"


class FilteredPairs:
    """The pairs of prims that `physics:filteredPairs` keeps apart.

    Attributes:
        pairs: (prim, path that it names), where both are prims of the stage.
        named: paths of all these prims.
    """

    def __init__(self, stage: Stage, bodies: Bodies, findings: Findings):
        self._stage, self._findings = stage, findings
        self.pairs: list[tuple[Any, str]] = []
        for prim in bodies.others:
            for target in stage.targets(prim, "physics:filteredPairs"):
                if stage.prim_at(target):
                    self.pairs.append((prim, str(target)))
                else:
                    message = f"physics:filteredPairs names {target}, which is not there; it is left out"
                    findings.warning(stage.place(prim), "unknown-body", message)
        self.named = {path for prim, target in self.pairs for path in (str(prim.GetPath()), target)}

    def nearest(self, path: str) -> str:
        """Return the path of the nearest named prim at or above a path; "" if there is none."""
        while path and path not in self.named:
            path = path.rpartition("/")[0]
        return path

    def add_to(self, model: Model, bodies: Bodies, standing: dict[str, str]) -> None:
        """Add the pairs of links to a model. standing: names of the links that stand still, by the `nearest` path."""
        known: set[frozenset[str]] = set()
        below = _Below({**{path: link.name for path, link in bodies.links.items()}, **standing})
        counts = {link.name: len(link.collisions) for link in model.links}
        for prim, target in self.pairs:
            ends = [self._links(path, prim, bodies, below, counts) for path in (str(prim.GetPath()), target)]
            for a, b in product(*ends):
                if a != b and (pair := frozenset((a, b))) not in known:
                    known.add(pair)
                    model.contact_pairs.append(ContactPair(a, b, meets=False))

    def _links(self, path: str, prim: Any, bodies: Bodies, below: _Below, counts: dict[str, int]) -> list[str]:
        """Return the link to which a prim belongs, or else all links below it."""
        owner = bodies.owner.get(path, "")
        if not owner:
            return below.names(path)
        name = bodies.links[owner].name
        if owner != path and counts[name] > 1:
            message = f"it keeps a part of '{name}' apart from others; all of '{name}' is kept apart"
            self._findings.warning(self._stage.place(prim), "approximated", message)
        return [name]


class _Below:
    """Names by paths, to be asked for those at or below a path."""

    def __init__(self, names: dict[str, str]):
        self._names, self._paths = names, sorted(names)

    def names(self, path: str) -> list[str]:
        first, last = bisect_left(self._paths, f"{path}/"), bisect_left(self._paths, f"{path}0")  # "0" follows "/"
        own = [self._names[path]] if path in self._names else []
        return [*own, *(self._names[each] for each in self._paths[first:last])]


def let_joined_meet(model: Model, joints: Sequence[Joint]) -> None:
    """Let the two bodies of each joint collide, unless they are filtered."""
    known = {frozenset((pair.a, pair.b)) for pair in model.contact_pairs}
    for joint in joints:
        ends = frozenset((joint.parent, joint.child))
        if WORLD not in ends and ends not in known:
            known.add(ends)
            model.contact_pairs.append(ContactPair(joint.parent, joint.child, meets=True))


def read_self_collisions(model: Model, stage: Stage, bodies: Bodies) -> None:
    """Let links of an articulation not collide with each other where its root says so."""
    below = _Below({path: link.name for path, link in bodies.links.items()})
    roots = [prim for prim in bodies.others if ROOT in stage.applied(prim)]
    found = [
        name
        for prim in roots
        if not all(stage.flag(prim, attribute, True) for attribute in SELF_COLLISIONS)
        for name in below.names(str(prim.GetPath()))
    ]
    if found:
        apart = _joined_to(found, model.joints)
        for link in model.links:
            link.self_collide = link.self_collide and link.name not in apart


def _joined_to(names: Iterable[str], joints: Iterable[Joint]) -> set[str]:
    """Return links, and all that joints connect with them, not counting connections through the world."""
    beside: dict[str, list[str]] = defaultdict(list)
    for joint in joints:
        beside[joint.parent].append(joint.child)
        beside[joint.child].append(joint.parent)
    found, waiting = {WORLD}, [*names]
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += beside[name]
    return found
