# SPDX-License-Identifier: GPL-3.0-or-later
"""Which colliders meet: filtered pairs, collision groups, and joints whose bodies may collide.

All bodies meet, except those that a joint connects, unless the joint says so.

Source: OpenUSD documentation, "Rigid Body Physics in USD", section "Collision Filtering".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from ...geometry import Shape
from ...model import WORLD, ContactPair, Joint, Model
from ..findings import Findings
from .bodies import Bodies
from .stage import Stage

MOST_GROUPS = 32
"""Number of collision groups that layers can tell apart."""


def read_pairs(model: Model, stage: Stage, bodies: Bodies, scenery: str) -> None:
    """Add the pairs of links that `physics:filteredPairs` keeps apart. scenery: the link of what stands still."""
    for prim in [*bodies.prims.values(), *bodies.others]:
        for target in stage.targets(prim, "physics:filteredPairs"):
            ends = [_links_below(bodies, str(path), scenery) for path in (prim.GetPath(), target)]
            for a, b in product(*ends):
                if a != b and not any({pair.a, pair.b} == {a, b} for pair in model.contact_pairs):
                    model.contact_pairs.append(ContactPair(a, b, meets=False))


def _links_below(bodies: Bodies, path: str, scenery: str) -> list[str]:
    """Return the link to which a prim belongs, or else those of all bodies below it."""
    if (owner := bodies.name_of(path)) and owner != WORLD:
        return [owner]
    below = [link.name for other, link in bodies.links.items() if other.startswith(f"{path}/")]
    return below or ([scenery] if scenery else [])


def let_joined_meet(model: Model, joints: Sequence[Joint]) -> None:
    """Let the two bodies of each joint collide."""
    known = {frozenset((pair.a, pair.b)) for pair in model.contact_pairs}
    for joint in joints:
        ends = frozenset((joint.parent, joint.child))
        if WORLD not in ends and ends not in known:
            known.add(ends)
            model.contact_pairs.append(ContactPair(joint.parent, joint.child, meets=True))


def read_groups(stage: Stage, bodies: Bodies, shapes: Mapping[str, Shape], findings: Findings) -> None:
    """Set the layers of colliders that collision groups keep apart. shapes: collisions by the paths of their prims."""
    groups = [prim for prim in bodies.others if str(prim.GetTypeName()) == "PhysicsCollisionGroup"]
    if not groups:
        return
    if len(groups) >= MOST_GROUPS:
        message = f"there are {len(groups)} collision groups; {MOST_GROUPS - 1} can be told apart, so none is read"
        findings.warning(stage.place(groups[0]), "left-out", message)
        return
    numbers = {str(prim.GetPath()): number for number, prim in enumerate(groups, 1)}
    apart = {number: _filtered(stage, prim, numbers) for prim, number in zip(groups, numbers.values(), strict=True)}
    for path, shape in shapes.items():
        own = [numbers[str(prim.GetPath())] for prim in groups if stage.is_in_collection(prim, "colliders", path)]
        shape.layers = sum(1 << number for number in own) or 1
        avoided = {other for number in own for other in apart[number]}
        avoided |= {other for other, theirs in apart.items() if theirs & {*own}}
        shape.meets = ((1 << MOST_GROUPS) - 1) & ~sum(1 << number for number in avoided)


def _filtered(stage: Stage, group: Any, numbers: Mapping[str, int]) -> set[int]:
    """Return the numbers of the groups with which a group does not collide."""
    named = {numbers[str(path)] for path in stage.targets(group, "physics:filteredGroups") if str(path) in numbers}
    return {*numbers.values()} - named if stage.flag(group, "physics:invertFilteredGroups", False) else named
