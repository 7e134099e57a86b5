# SPDX-License-Identifier: GPL-3.0-or-later
"""The rule that decides which solids may collide, for kernels. Its memory does not grow with the number of pairs."""

from __future__ import annotations

from collections import namedtuple

from ..compilation.abi import KernelTuple
from ..compilation.jit import subroutine
from .solids import MESH, PLANE


class CollisionFilter(
    KernelTuple, namedtuple("CollisionFilter", "groups parts families selves pairs pair_meets neighbours")
):
    """The rule whether two owners of solids may collide. Owners have numbers from 0 to n - 1.

    All arrays are int64. A pair of numbers a < b has the code a * n + b. `owners_may_meet` applies the criteria in this
    order: group, pair, neighbours, family.

    Attributes:
        groups: group of each owner, shape (n,). Owners of one group never move relative to each other. One group
            contains the world.
        parts: part of each owner, shape (n,). Owners of one part are fixed to each other, but not by way of the world.
        families: family of each owner, shape (n,).
        selves: not 0 if an owner collides with its own family, shape (n,).
        pairs: codes of pairs of owners with a rule of their own, ascending, shape (m,).
        pair_meets: not 0 if such a pair collides, shape (m,).
        neighbours: codes of pairs of parts that a joint connects, ascending, shape (k,).
    """

    def may_meet(self, i: int, j: int) -> bool:
        """Return whether owners i and j may collide."""
        return bool(owners_may_meet(self, i, j))


@subroutine
def solids_may_collide(collision_filter, a, b):
    """Return whether two SOLID records may collide.

    This depends on their kinds, of which one must be neither plane nor mesh, their layers and their owners.
    """
    if a.kind in (PLANE, MESH) and b.kind in (PLANE, MESH):
        return False
    if (a.category_bits & b.collide_bits) | (b.category_bits & a.collide_bits) == 0:
        return False
    return owners_may_meet(collision_filter, a.owner, b.owner)


@subroutine
def owners_may_meet(collision_filter, i, j):
    if collision_filter.groups[i] == collision_filter.groups[j]:
        return False
    place = place_of(collision_filter.pairs, code_of(collision_filter, i, j))
    if place >= 0:
        return collision_filter.pair_meets[place] != 0
    if (
        place_of(
            collision_filter.neighbours, code_of(collision_filter, collision_filter.parts[i], collision_filter.parts[j])
        )
        >= 0
    ):
        return False
    return (
        collision_filter.families[i] != collision_filter.families[j]
        or collision_filter.selves[i] != 0
        or collision_filter.selves[j] != 0
    )


@subroutine
def code_of(collision_filter, a, b):
    return min(a, b) * collision_filter.groups.shape[0] + max(a, b)


@subroutine
def place_of(codes, code):
    """Return the index of a code in an ascending array, or -1 if it is not there."""
    low, high = 0, codes.shape[0]
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low if low < codes.shape[0] and codes[low] == code else -1
