# SPDX-License-Identifier: GPL-3.0-or-later
"""Active-set steps for the complementarity problem: loads of an island by linear equations, for given contact states.

complementarity.py calls `solve_active` when its sweeps show which rows bear loads but converge slowly. Rows inside
their friction cone are solved for. Rows on its edge follow the normal load. All other loads stay 0.

Source: Alart, Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods,
Comput. Methods Appl. Mech. Eng. 92 (1991): a step of the generalized Newton method, with fixed directions of slip.
"""

from __future__ import annotations

from ..compilation.jit import jitable, subroutine
from .minimum_norm_loads import factor_block, scale_block, solve_island
from .points import NORMAL, SPIN, TANGENT

CONE_INTERIOR = 1.0 - 1e-9
"""Share of the bound of friction below which a load counts as inside its cone."""


@subroutine
def solve_active(touch, begin, end):
    """Correct the loads of an island's rows, from `begin` to `end`, whose `residual` is up to date.

    `saved_load` keeps the loads from before, for `restore_loads`.
    """
    for r in range(begin, end):
        touch.rows[r].saved_load = touch.rows[r].load
    mark_active_rows(touch, begin, end)
    write_active_equations(touch, touch.matrix[0], touch.matrix[1], begin, end)
    scale_block(touch, touch.matrix[1], begin, end)
    factor_block(touch, touch.matrix[1], begin, end)
    solve_island(touch, touch.matrix[1], begin, end)
    for k in range(begin, end):
        row = touch.rows[touch.rows[k].pivot_row]
        if row.share != 0.0 and row.follows < 0:
            row.load += touch.rows[k].solution * row.scale
    for r in range(begin, end):
        row = touch.rows[r]
        if row.follows >= 0:
            row.load = row.share * touch.rows[row.follows].load
    write_residuals(touch, begin, end)


@subroutine
def restore_loads(touch, begin, end):
    """Restore the loads from before `solve_active`."""
    for r in range(begin, end):
        touch.rows[r].load = touch.rows[r].saved_load
    write_residuals(touch, begin, end)


@jitable
def write_residuals(touch, begin, end):
    """Write the rates of an island's rows at their present loads."""
    for r in range(begin, end):
        residual = touch.rows[r].free_rate
        for c in range(begin, end):
            residual += touch.matrix[0, r, c] * touch.rows[c].load
        touch.rows[r].residual = residual


@subroutine
def mark_active_rows(touch, begin, end):
    """Write for each row whether it is solved for or follows its normal row.

    `share` is 1 for rows that are solved for, the share of the normal load for rows that follow it, and 0 for others.
    """
    normal = -1
    r = begin
    while r < end:
        row = touch.rows[r]
        point = touch.points[row.point]
        row.follows, row.share = -1, 0.0
        if row.kind == NORMAL:
            normal = r
            row.share = 1.0 if row.load > 0.0 else 0.0
            r += 1
            continue
        if normal >= 0 and touch.rows[normal].point != row.point:
            normal = -1
        load = touch.rows[normal].load if normal >= 0 else point.load
        if row.kind == SPIN:
            mark_row(touch, r, normal, load, abs(row.load) < CONE_INTERIOR * point.spinning * load)
            r += 1
        else:
            x, y = row.load, touch.rows[r + 1].load
            bound = (point.current_friction if row.kind == TANGENT else point.rolling) * load
            inside = x * x + y * y < CONE_INTERIOR * CONE_INTERIOR * bound * bound
            mark_row(touch, r, normal, load, inside)
            mark_row(touch, r + 1, normal, load, inside)
            r += 2


@jitable
def mark_row(touch, r, normal, load, inside):
    """Mark a row of friction. normal: its normal row, or -1. inside: whether its load is inside the cone."""
    row = touch.rows[r]
    row.follows, row.share = -1, 0.0
    if inside:
        row.share = 1.0
    elif normal >= 0 and load > 0.0:
        row.follows, row.share = normal, row.load / load


@subroutine
def write_active_equations(touch, W, A, begin, end):
    """Write the equations of the rows that are solved for to A, column by column.

    Other rows have only their own diagonal entry, and a right-hand side of 0.
    """
    for r in range(begin, end):
        row = touch.rows[r]
        is_solved = row.share != 0.0 and row.follows < 0
        row.residual = (
            touch.points[row.point].separation_velocity * (1.0 if row.kind == NORMAL else 0.0) - row.residual
            if is_solved
            else 0.0
        )
        for c in range(begin, end):
            A[c, r] = 0.0
        if not is_solved:
            A[r, r] = W[r, r] if W[r, r] > 0.0 else 1.0
    for c in range(begin, end):
        column = touch.rows[c]
        into = c if column.follows < 0 else column.follows
        if column.share == 0.0:
            continue
        for r in range(begin, end):
            if touch.rows[r].share != 0.0 and touch.rows[r].follows < 0:
                A[into, r] += W[r, c] * column.share
