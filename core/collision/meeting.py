# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may meet whom, as a rule that kernels can ask: nothing here grows with the number of pairs."""

from __future__ import annotations

from collections import namedtuple

from ..jit import subroutine
from ..slots import Bundled
from .solids import MESH, PLANE


class Meeting(Bundled, namedtuple("Meeting", "groups parts families selves pairs pair_meets neighbours")):
    """Whether two owners of solids may meet, by their numbers from 0 to n - 1.

    All arrays are int64. A pair of numbers a < b has the code a * n + b. `owners_may_meet` asks in this order: one
    group, a pair, neighbours, one family.

    Attributes:
        groups: of each owner, shape (n,): those that never move against each other, the world's among them.
        parts: likewise, those that are fixed to each other, the world not counted.
        families: shape (n,). selves: not 0 where an owner meets its own family, shape (n,).
        pairs: codes of owners, ascending, shape (m,). pair_meets: not 0 where they meet, shape (m,).
        neighbours: codes of parts that a joint joins, ascending, shape (k,).
    """

    def may_meet(self, i: int, j: int) -> bool:
        """Whether owners i and j may."""
        return bool(owners_may_meet(self, i, j))


@subroutine
def solids_may_meet(meeting, a, b):
    """Whether two SOLID records may: by their kinds, one of which is convex, their layers and their owners."""
    if a.kind in (PLANE, MESH) and b.kind in (PLANE, MESH):
        return False
    if (a.layers & b.meets) | (b.layers & a.meets) == 0:
        return False
    return owners_may_meet(meeting, a.owner, b.owner)


@subroutine
def owners_may_meet(meeting, i, j):
    if meeting.groups[i] == meeting.groups[j]:
        return False
    place = place_of(meeting.pairs, code_of(meeting, i, j))
    if place >= 0:
        return meeting.pair_meets[place] != 0
    if place_of(meeting.neighbours, code_of(meeting, meeting.parts[i], meeting.parts[j])) >= 0:
        return False
    return meeting.families[i] != meeting.families[j] or meeting.selves[i] != 0 or meeting.selves[j] != 0


@subroutine
def code_of(meeting, a, b):
    return min(a, b) * meeting.groups.shape[0] + max(a, b)


@subroutine
def place_of(codes, code):
    """Where a code stands among ascending ones; -1 where it does not."""
    low, high = 0, codes.shape[0]
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low if low < codes.shape[0] and codes[low] == code else -1
