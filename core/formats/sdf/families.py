# SPDX-License-Identifier: GPL-3.0-or-later
"""Families of links in SDF: the links of one model do not collide, unless <self_collide> is set.

SDF has no element for families. The model of a link is the innermost one that contains it, as in Gazebo. Nested models
that joints connect count as one, since Gazebo's DART moves links on such joints into the skeleton of the other model.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...model import Model
from ...model.compiling.collision_filter import CollisionFilter, collision_filter_of, joined_links
from .layout import Groups


def name_families(model: Model, model_of: Mapping[str, str]) -> None:
    """Set the family of links that one SDF model contains and that joints do not connect.

    Other links keep "", which means the links that joints connect with them.

    model_of: the SDF model of each link, as the names of all models around it. This is also the name of the family.
    """
    collision_filter = collision_filter_of(model)
    members: dict[str, list[int]] = {}
    for number, kept_apart in enumerate(_families_there(model, model_of)):
        members.setdefault(kept_apart, []).append(number)
    for numbers in members.values():
        several = len({collision_filter.families[i] for i in numbers}) > 1
        if several and len({collision_filter.groups[i] for i in numbers}) > 1:
            for i in numbers:
                model.links[i].family = model_of[model.links[numbers[0]].name]


def family_losses(model: Model, model_of: Mapping[str, Hashable]) -> list[str]:
    """Return a line about each family that is different in SDF.

    model_of: the SDF model into which each link is written.
    """
    collision_filter = collision_filter_of(replace(model, contact_pairs=[]))
    here, there = collision_filter.families.tolist(), _families_there(model, model_of)
    in_one = "in SDF they do not, as they stand in one model; write a world, with a model for each articulation"
    return [
        *(f"links '{a}' and '{b}' may meet; {in_one}" for a, b in _parted(model, collision_filter, there, here)),
        *(
            f"links '{a}' and '{b}' are of one family and do not meet; in SDF they may, as its families are models"
            for a, b in _parted(model, collision_filter, here, there)
        ),
    ]


def _families_there(model: Model, model_of: Mapping[str, Hashable]) -> list[str]:
    """Return, for each link, the first link of those that do not collide with it and with each other in SDF."""
    together = Groups(link.name for link in model.links)
    first_of: dict[Hashable, str] = {}
    for link in model.links:
        together.join(first_of.setdefault(model_of[link.name], link.name), link.name)
    for name, first in joined_links(model).items():
        together.join(first, name)
    return [together.top(link.name) for link in model.links]


def _parted(
    model: Model, collision_filter: CollisionFilter, together: Sequence[Hashable], apart: Sequence[Hashable]
) -> Iterator[tuple[str, str]]:
    """Yield two links of each class by `together` that are in two classes by `apart`.

    Pairs are left out if another rule decides whether they collide.
    """
    first_of: dict[Hashable, int] = {}
    reported: set[Hashable] = set()
    for i, link in enumerate(model.links):
        if not link.collisions or link.self_collide or together[i] in reported:
            continue
        first = first_of.setdefault(together[i], i)
        if apart[first] != apart[i] and collision_filter.groups[first] != collision_filter.groups[i]:
            reported.add(together[i])
            yield model.links[first].name, link.name
