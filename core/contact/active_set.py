# SPDX-License-Identifier: GPL-3.0-or-later
"""The loads of an island by linear equations, once it is known what holds, sticks and slips.

Sweeps from point to point soon show that, and then come nearer but slowly where bodies hold each other in many points.
Rows that carry a load and are not at the edge of their cone are solved for at once, those at an edge go with the load
along the normal; all else takes what it took.

Source: Alart, Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods,
Comput. Methods Appl. Mech. Eng. 92 (1991): a step of the generalized Newton method, with the directions of slip kept.
"""

from __future__ import annotations

from ..jit import jitable, subroutine
from .minimum_norm_loads import factor_block, scale_block, solve_island
from .points import ACROSS, NORMAL, SPIN

INSIDE = 1.0 - 1e-9
"""Part of what friction can take below which it is not at its edge."""


@subroutine
def solve_active(touch, begin, end):
    """Correct the loads of the rows from `begin` up to `end`, an island's, with `left` of all of them.

    `kept` has the loads from before.
    """
    for r in range(begin, end):
        touch.rows[r].kept = touch.rows[r].load
    mark_active(touch, begin, end)
    write_active(touch, touch.matrix[0], touch.matrix[1], begin, end)
    scale_block(touch, touch.matrix[1], begin, end)
    factor_block(touch, touch.matrix[1], begin, end)
    solve_island(touch, touch.matrix[1], begin, end)
    for k in range(begin, end):
        row = touch.rows[touch.rows[k].from_row]
        if row.share != 0.0 and row.goes_with < 0:
            row.load += touch.rows[k].found * row.scale
    for r in range(begin, end):
        row = touch.rows[r]
        if row.goes_with >= 0:
            row.load = row.share * touch.rows[row.goes_with].load
    write_left(touch, begin, end)


@subroutine
def take_back(touch, begin, end):
    for r in range(begin, end):
        touch.rows[r].load = touch.rows[r].kept
    write_left(touch, begin, end)


@jitable
def write_left(touch, begin, end):
    for r in range(begin, end):
        left = touch.rows[r].before
        for c in range(begin, end):
            left += touch.matrix[0, r, c] * touch.rows[c].load
        touch.rows[r].left = left


@subroutine
def mark_active(touch, begin, end):
    """Say of each row whether it is solved for (share 1), goes with a normal one (share of that), or neither (0)."""
    normal = -1
    r = begin
    while r < end:
        row = touch.rows[r]
        point = touch.points[row.point]
        row.goes_with, row.share = -1, 0.0
        if row.kind == NORMAL:
            normal = r
            row.share = 1.0 if row.load > 0.0 else 0.0
            r += 1
            continue
        if normal >= 0 and touch.rows[normal].point != row.point:
            normal = -1
        load = touch.rows[normal].load if normal >= 0 else point.load
        if row.kind == SPIN:
            mark_row(touch, r, normal, load, abs(row.load) < INSIDE * point.spinning * load)
            r += 1
        else:
            x, y = row.load, touch.rows[r + 1].load
            most = (point.limit if row.kind == ACROSS else point.rolling) * load
            inside = x * x + y * y < INSIDE * INSIDE * most * most
            mark_row(touch, r, normal, load, inside)
            mark_row(touch, r + 1, normal, load, inside)
            r += 2


@jitable
def mark_row(touch, r, normal, load, inside):
    row = touch.rows[r]
    row.goes_with, row.share = -1, 0.0
    if inside:
        row.share = 1.0
    elif normal >= 0 and load > 0.0:
        row.goes_with, row.share = normal, row.load / load


@subroutine
def write_active(touch, W, A, begin, end):
    """Write the equations of the rows that are solved for; the others' have their own diagonal, and ask for nothing.

    A: column by column.
    """
    for r in range(begin, end):
        row = touch.rows[r]
        solved = row.share != 0.0 and row.goes_with < 0
        row.left = touch.points[row.point].pace * (1.0 if row.kind == NORMAL else 0.0) - row.left if solved else 0.0
        for c in range(begin, end):
            A[c, r] = 0.0
        if not solved:
            A[r, r] = W[r, r] if W[r, r] > 0.0 else 1.0
    for c in range(begin, end):
        column = touch.rows[c]
        into = c if column.goes_with < 0 else column.goes_with
        if column.share == 0.0:
            continue
        for r in range(begin, end):
            if touch.rows[r].share != 0.0 and touch.rows[r].goes_with < 0:
                A[into, r] += W[r, c] * column.share
