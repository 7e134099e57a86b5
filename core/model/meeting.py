"""Which links of a model may meet, as arrays that kernels can ask.

Links that are fixed to each other, or all to the world, never meet. Links that a joint joins do not either, nor do
those that are fixed to them (the world hands nothing on: an arm on a pedestal meets the floor). Nor do links of one
family, unless one of the two has `self_collide`. `Model.contact_pairs` come before joints and families. Which of two
links' shapes meet is a matter of the shapes besides, see `Shape.may_meet`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..collision.meeting import Meeting
from .elements import WORLD, Joint
from .errors import ModelError
from .graph import pieces
from .model import Model


def who_meets(model: Model) -> Meeting:
    """Of the joints that are enabled; `Model.acting_at` has the model once some have let go.

    Raises:
        ModelError: a contact pair names a link that is not there, or one link twice.
    """
    numbers = {link.name: number for number, link in enumerate(model.links)}
    part_of, piece_of = model.rigid_parts(), joined_links(model)
    in_world = (joint for joint in model.rigid_joints() if WORLD in (joint.parent, joint.child))
    static = {part_of[end] for joint in in_world for end in (joint.parent, joint.child) if end != WORLD}

    def array(values) -> np.ndarray:
        return np.array([*values], dtype=np.int64)

    parts = array(numbers[part_of[link.name]] for link in model.links)
    first_static = min((numbers[part] for part in static), default=-1)
    groups = array(
        first_static if part_of[link.name] in static else numbers[part_of[link.name]] for link in model.links
    )
    seen: dict[tuple[str, str], int] = {}
    families = [(link.family, "" if link.family else piece_of[link.name]) for link in model.links]
    ends = ((part_of[joint.parent], part_of[joint.child]) for joint in _joining(model))
    neighbours = {_code(len(model.links), numbers[a], numbers[b]) for a, b in ends}
    pairs = _pairs(model, numbers)
    return Meeting(
        groups,
        parts,
        array(seen.setdefault(family, len(seen)) for family in families),
        array(link.self_collide for link in model.links),
        array(sorted(pairs)),
        array(pairs[code] for code in sorted(pairs)),
        array(sorted(neighbours)),
    )


def may_land(model: Model, links: Iterable[str]) -> bool:
    """Whether something that the world holds may be in the way of links that nothing holds, by their names."""
    tree = model.tree()
    falling = {name for root in tree.loose() for name in tree.links_from(root)}
    has_floor = any(link.collisions for link in model.links if link.name not in falling)
    return has_floor and any(model.link(name).collisions for name in links)


def joined_links(model: Model) -> dict[str, str]:
    """For each link, the first of those that joints connect it with, not through the world."""
    return pieces([link.name for link in model.links], _joining(model))


def _joining(model: Model) -> list[Joint]:
    """The joints that are enabled and hold something, between links that are there."""
    known = {link.name for link in model.links}
    return [
        joint
        for joint in model.joints
        if joint.enabled and not joint.kind.holds_nothing and {joint.parent, joint.child} <= known
    ]


def _pairs(model: Model, numbers: dict[str, int]) -> dict[int, bool]:
    """What each pair's code stands for; of two that speak of the same links, the later one counts."""
    found: dict[int, bool] = {}
    for pair in model.contact_pairs:
        subject = f"the contact pair '{pair.a}', '{pair.b}'"
        for name in (pair.a, pair.b):
            if name not in numbers:
                raise ModelError(f"{subject}: there is no link '{name}'; there are: {', '.join(numbers) or 'none'}")
        if pair.a == pair.b:
            raise ModelError(f"{subject} names one link twice; name two links")
        found[_code(len(model.links), numbers[pair.a], numbers[pair.b])] = pair.meets
    return found


def _code(links: int, a: int, b: int) -> int:
    return min(a, b) * links + max(a, b)
