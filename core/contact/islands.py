# SPDX-License-Identifier: GPL-3.0-or-later
"""Islands of contact points: sets of points that moving bodies connect, directly or by way of other points.

Loads of one island do not depend on those of another, so the Delassus matrix is block diagonal, and points and rows are
ordered by island. A body that does not move, such as a floor, connects nothing.
"""

from __future__ import annotations

from ..compilation.jit import jitable, subroutine
from ..dynamics.constraints import ACTIVE_COUNT
from .points import POINTS, ROWS


@subroutine
def group_points(system):
    """Remove all rows, and write `order`: the points, island by island."""
    touch, model, constraints = system.touch, system.model, system.constraints
    roots, count = touch.roots, touch.count[POINTS]
    touch.count[ROWS] = 0
    for i in range(model.bodies.shape[0]):
        parent = model.bodies[i].parent
        roots[i] = roots[parent] if parent > 0 else i
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        for s in range(record.support + 1, record.support_end):
            join_islands(roots, constraints.supports[record.support].body, constraints.supports[s].body)
    for p in range(count):
        join_islands(roots, touch.points[p].one.body, touch.points[p].other.body)
    for p in range(count):
        one, other = root_of(roots, touch.points[p].one.body), root_of(roots, touch.points[p].other.body)
        touch.points[p].island = max(one, other)
        k = p
        while k > 0 and touch.points[touch.order[k - 1]].island > touch.points[p].island:
            touch.order[k] = touch.order[k - 1]
            k -= 1
        touch.order[k] = p


@jitable
def root_of(roots, i):
    """Return the root of element i in a union-find forest."""
    while roots[i] != i:
        i = roots[i]
    return i


@jitable
def join_islands(roots, i, j):
    """Unite the islands of two bodies, unless one of them is the world."""
    i, j = root_of(roots, i), root_of(roots, j)
    if i > 0 and j > 0:
        roots[max(i, j)] = min(i, j)


@subroutine
def set_row_ranges(touch):
    """Write to each row the range of its island's rows."""
    begin, count = 0, touch.count[ROWS]
    for r in range(count):
        island = touch.points[touch.rows[r].point].island
        if r + 1 == count or touch.points[touch.rows[r + 1].point].island != island:
            for k in range(begin, r + 1):
                touch.rows[k].begin, touch.rows[k].end = begin, r + 1
            begin = r + 1
