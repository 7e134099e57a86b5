# SPDX-License-Identifier: GPL-3.0-or-later
"""The pairs of links of a model that may collide, as arrays that kernels read.

Links that are fixed to each other, or all to the world, never collide. Neither do links that a joint connects, nor
links that are fixed to these; the world does not count here, so that an arm on a pedestal collides with the floor.
Links of one family do not collide either, unless one of the two has `self_collide`. `Model.contact_pairs` take
precedence over joints and families. The layers of shapes decide besides, see `Shape.may_meet`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence

import numpy as np

from ...collision.collision_filter import CollisionFilter
from ..elements import Joint, Link
from ..errors import ModelError
from ..graph import connected_components
from ..model import Model


def collision_filter_of(model: Model) -> CollisionFilter:
    """Return which links may collide, with the joints that are enabled.

    `Model.acting_at` returns the model for a time at which some joints have broken.

    Raises:
        ModelError: if a contact pair names a link that does not exist, or one link twice.
    """
    numbers = {link.name: number for number, link in enumerate(model.links)}
    part_of, piece_of = model.rigid_parts(), joined_links(model)
    static = model.fixed_links()

    def array(values) -> np.ndarray:
        return np.array([*values], dtype=np.int64)

    parts = array(numbers[part_of[link.name]] for link in model.links)
    first_static = min((numbers[name] for name in static), default=-1)
    groups = array(first_static if link.name in static else numbers[part_of[link.name]] for link in model.links)
    seen: dict[tuple[str, str], int] = {}
    families = [(link.family, "" if link.family else piece_of[link.name]) for link in model.links]
    ends = ((part_of[joint.parent], part_of[joint.child]) for joint in _joining(model))
    neighbours = {_code(len(model.links), numbers[a], numbers[b]) for a, b in ends}
    pairs = _pairs(model, numbers)
    return CollisionFilter(
        groups,
        parts,
        array(seen.setdefault(family, len(seen)) for family in families),
        array(link.self_collide for link in model.links),
        array(sorted(pairs)),
        array(pairs[code] for code in sorted(pairs)),
        array(sorted(neighbours)),
    )


MAX_TABLE = 4096
"""Largest number of links with collision shapes for which `any_may_collide` compares all pairs.

A table of conditions then takes 16 MB, and a table of integers 128 MB.
"""


def any_may_collide(links: Sequence[Link], collision_filter: CollisionFilter) -> bool:
    """Return whether any two links of a model may collide; True if there are more than `MAX_TABLE`.

    The rule is that of `owners_may_meet` and of `Shape.may_meet`, for all pairs at once.
    """
    numbers = np.array([number for number, link in enumerate(links) if link.collisions], np.int64)
    if len(numbers) > MAX_TABLE:
        return True
    category_bits = np.array(
        [_united(shape.layers for shape in links[number].collisions) for number in numbers], np.int64
    )
    collide_bits = np.array(
        [_united(shape.meets for shape in links[number].collisions) for number in numbers], np.int64
    )
    is_self = collision_filter.selves[numbers] != 0
    own, parts = (_codes(len(links), values[numbers]) for values in (np.arange(len(links)), collision_filter.parts))
    may = _differ(collision_filter.families[numbers]) | is_self[:, None] | is_self[None, :]
    may &= ~np.isin(parts, collision_filter.neighbours)
    may &= ~np.isin(own, collision_filter.pairs[collision_filter.pair_meets == 0])
    may |= np.isin(own, collision_filter.pairs[collision_filter.pair_meets != 0])
    may &= _differ(collision_filter.groups[numbers])
    seen = category_bits[:, None] & collide_bits[None, :]
    return bool((may & ((seen | seen.T) != 0)).any())


def _united(bits: Iterable[int]) -> int:
    return functools.reduce(operator.or_, bits, 0)


def _differ(values: np.ndarray) -> np.ndarray:
    return values[:, None] != values[None, :]


def _codes(count: int, values: np.ndarray) -> np.ndarray:
    return np.minimum(values[:, None], values[None, :]) * count + np.maximum(values[:, None], values[None, :])


def landing_links(model: Model) -> frozenset[str]:
    """Return the names of links that may collide with something that does not fall.

    These are all links with collision shapes, if one of them does not fall, and none otherwise.
    """
    tree = model.tree()
    falling = {name for root in tree.loose() for name in tree.hanging[root]}
    colliding = frozenset(link.name for link in model.links if link.collisions)
    return colliding if colliding - falling else frozenset()


def joined_links(model: Model) -> dict[str, str]:
    """Return {link: first link of the component that joints connect it with}. Joints with the world do not count."""
    return connected_components([link.name for link in model.links], _joining(model))


def _joining(model: Model) -> list[Joint]:
    """Return the joints that are enabled and have an effect, between links that exist."""
    known = {link.name for link in model.links}
    return [
        joint
        for joint in model.joints
        if joint.enabled and not joint.kind.is_free and {joint.parent, joint.child} <= known
    ]


def _pairs(model: Model, numbers: dict[str, int]) -> dict[int, bool]:
    """Return {code: whether the links may collide} of the contact pairs.

    Of two pairs with the same links, the later one counts.

    Raises:
        ModelError: if a pair names a link that does not exist, or one link twice.
    """
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
