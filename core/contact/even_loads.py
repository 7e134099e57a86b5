"""Even out normal loads among points that hold the same twice, before friction's bounds are drawn from them.

A change of normal loads in the null space of their block of W moves nothing; the smallest loads have no part in that
space. Friction's bounds do change with it, so the cones are solved anew after each change, until nothing is left of it.
"""

from __future__ import annotations

from ..jit import jitable, subroutine
from .complementarity import solve_cones
from .least_loads import decompose, turn_rows
from .points import NORMAL, ROWS

ROUNDS = 60
"""How often loads are evened out at most. Where that does not end, the cones' own solution counts."""
EVEN = 1e-11
"""Part of the largest load by which one may still change."""


@subroutine
def solve_evenly(touch, moving):
    """Find all rows' loads as `solve_cones` does, with the smallest normal loads.

    Returns whether it converged, and has made any load smaller. Where normal loads are not redundant it does not: a
    body that is jammed by friction alone keeps the loads that the cones found.
    """
    smaller = False
    for n in range(ROUNDS):
        if not solve_cones(touch, moving):
            return False
        change, most, first = 0.0, 0.0, 0
        while first < touch.count[ROWS]:
            end = touch.rows[first].end
            for r in range(first, end):
                most = max(most, abs(touch.rows[r].load))
                touch.rows[r].kept = touch.rows[r].load
            even_out(touch, touch.matrix[1], first, end)
            for r in range(first, end):
                change = max(change, abs(touch.rows[r].load - touch.rows[r].kept))
            first = end
        if change <= EVEN * most:
            return smaller
        smaller = True
        for r in range(touch.count[ROWS]):
            touch.rows[r].known = touch.rows[r].load
    return False


@subroutine
def even_out(touch, A, first, end):
    """Make an island's normal loads as small as they can be without a change of motion, and none negative."""
    at = touch.rows
    for r in range(first, end):
        at[r].share = 1.0 if at[r].kind == NORMAL else 0.0
    for _ in range(first, end):
        count = list_normals(touch, A, first, end)
        own = decompose(touch, A, first, count)
        if own == count:
            return
        for k in range(first, count):
            at[k].turned = at[at[k].goes_with].load
        turn_rows(at, A, first, own, count)
        for k in range(first, own):
            at[k].turned = 0.0
        turn_back(at, A, first, own, count)
        part, blocked = 1.0, -1
        for k in range(first, count):
            load = at[at[k].goes_with].load
            if at[k].turned > 0.0 and load < part * at[k].turned:
                part, blocked = load / at[k].turned, k
        for k in range(first, count):
            row = at[at[k].goes_with]
            row.load = 0.0 if k == blocked else max(0.0, row.load - part * at[k].turned)
        if blocked < 0:
            return
        at[at[blocked].goes_with].share = 0.0


@jitable
def list_normals(touch, A, first, end):
    """Write the block of the normal rows that take part, and to `goes_with` which they are. Returns where it ends."""
    at, count = touch.rows, first
    for r in range(first, end):
        if at[r].share > 0.0:
            at[count].goes_with, at[count].from_row = r, count
            count += 1
    for c in range(first, count):
        for r in range(first, count):
            A[c, r] = touch.matrix[0, at[r].goes_with, at[c].goes_with]
    return count


@jitable
def turn_back(at, A, first, own, end):
    """Multiply the vector `turned` by Q."""
    for k in range(own - 1, first - 1, -1):
        total = at[k].turned
        for r in range(k + 1, end):
            total += A[k, r] * at[r].turned
        total *= at[k].turn
        at[k].turned -= total
        for r in range(k + 1, end):
            at[r].turned -= total * A[k, r]
