# SPDX-License-Identifier: GPL-3.0-or-later
"""Normal loads of redundant points in the complementarity problem: those of equal stiff springs.

A change of the normal loads in the null space of W_n, the block of W of the normal rows, changes neither the force nor
the torque on any body. But it changes the bounds of friction, and with them which points stick. The loads of equal
springs in the points have no component in that null space, so they also solve the problem with W_n + c P in place of
W_n, where P is the projection onto the null space and c > 0 is a compliance. No other normal loads do. The result
depends neither on c nor on the order of the points.

Source: Golub, Van Loan, Matrix Computations (4th ed., 2013), sections 2.5.1 (projections) and 5.2.2 (QR factorization).
"""

from __future__ import annotations

from ..compilation.jit import jitable, subroutine
from .active_set import write_residuals
from .complementarity import BLOCKED_SHARE, solve_cones
from .delassus import write_delassus
from .minimum_norm_loads import factor_qr, reflect, reflect_back
from .points import ALLOWED, NORMAL, ROWS, WORK

COMPLIANCE = 1.0
"""The compliance c, as a share of the mean diagonal entry of W_n. With this value, sweeps converge fastest."""
MAX_SOLUTIONS = 4
"""Number of solutions with springs after which the set of points that bear loads is not reconsidered any more."""
MAX_SPRING_SWEEPS = 500
"""Number of sweeps over all rows after which the loads of springs are given up. Most problems need less than 100."""
MAX_RATE_ERROR = 1e-6
"""Error of a rate that is still accepted, as a share of the largest rate without loads.

A larger one means that the point opens, or that no loads of springs solve the problem.
"""


@subroutine
def solve_redundant_cones(system, keeps_slip_directions):
    """Solve for the loads of all rows as `solve_cones` does, with those of equal springs where points are redundant.

    A first solution shows which points stay closed, and whether these are redundant. Springs do not pull, so P is that
    of the points that bear loads in the solution before. If sweeps do not find loads of springs that solve the problem,
    those of the first solution are taken. W must be up to date. Return whether the iteration converged.
    """
    touch = system.touch
    if not solve_cones(touch, keeps_slip_directions):
        return False
    mark_closed_rows(touch)
    if not penalise_null_space(touch):
        return True
    allowed, rows, converged = touch.count[ALLOWED], touch.count[ROWS], False
    touch.count[ALLOWED] = min(allowed, touch.count[WORK] + MAX_SPRING_SWEEPS * 2 * rows * rows)
    for n in range(MAX_SOLUTIONS):
        converged = solve_cones(touch, keeps_slip_directions)
        changed = mark_loaded_rows(touch)
        write_delassus(system, False)
        if n + 1 == MAX_SOLUTIONS or not (converged and changed):
            break
        penalise_null_space(touch)
    touch.count[ALLOWED] = allowed
    first = 0
    while first < rows:
        write_residuals(touch, first, touch.rows[first].end)
        first = touch.rows[first].end
    return (converged and has_exact_rates(touch)) or solve_cones(touch, keeps_slip_directions)


@jitable
def largest_rate(touch):
    """Return the largest rate of a row without loads."""
    largest = 0.0
    for r in range(touch.count[ROWS]):
        largest = max(largest, abs(touch.rows[r].free_rate))
    return largest


@jitable
def mark_closed_rows(touch):
    """Write to `bears_load` which normal rows have the `separation_velocity` of their point as rate, loaded or not."""
    largest = largest_rate(touch)
    for r in range(touch.count[ROWS]):
        row, point = touch.rows[r], touch.points[touch.rows[r].point]
        is_closed = row.residual - point.separation_velocity <= MAX_RATE_ERROR * largest
        row.bears_load = 1 if row.kind == NORMAL and point.row >= 0 and is_closed else 0


@jitable
def mark_loaded_rows(touch):
    """Write to `bears_load` which normal rows bear a load. Return whether that has changed."""
    changed = False
    for r in range(touch.count[ROWS]):
        bears_load = 1 if touch.rows[r].kind == NORMAL and touch.rows[r].load > 0.0 else 0
        if touch.rows[r].bears_load != bears_load:
            touch.rows[r].bears_load = bears_load
            changed = True
    return changed


@jitable
def has_exact_rates(touch):
    """Return whether the rate of each normal row that bears a load is the `separation_velocity` of its point."""
    largest = largest_rate(touch)
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        error = abs(row.residual - touch.points[row.point].separation_velocity)
        if row.kind == NORMAL and row.load > 0.0 and error > MAX_RATE_ERROR * largest:
            return False
    return True


@subroutine
def penalise_null_space(touch):
    """Add c P to the normal rows of each island of W. Return whether any are redundant.

    The second matrix of `Touch` is scratch.
    """
    is_redundant, largest, first = False, 0.0, 0
    for r in range(touch.count[ROWS]):
        largest = max(largest, touch.matrix[0, r, r])
    while first < touch.count[ROWS]:
        if penalise_island(touch, touch.matrix[0], touch.matrix[1], first, BLOCKED_SHARE * largest):
            is_redundant = True
        first = touch.rows[first].end
    return is_redundant


@subroutine
def penalise_island(touch, W, A, first, blocked):
    """Add c P to the normal rows of the island whose rows begin at `first`. Return whether they are redundant.

    blocked: diagonal entry of W up to which a row bears no load.
    """
    rows = touch.rows
    end = list_normal_rows(touch, W, A, first, blocked)
    dependent = factor_qr(touch, A, first, end)
    if dependent == end:
        return False
    trace = 0.0
    for k in range(first, end):
        trace += W[rows[k].normal_row, rows[k].normal_row]
    compliance = COMPLIANCE * trace / (end - first)
    for c in range(first, end):
        for k in range(first, end):
            rows[k].reflected = 1.0 if k == c else 0.0
        reflect(rows, A, first, dependent, end)
        for k in range(first, dependent):
            rows[k].reflected = 0.0
        reflect_back(rows, A, first, dependent, end)
        for k in range(first, end):
            W[rows[k].normal_row, rows[c].normal_row] += compliance * rows[k].reflected
    return True


@jitable
def list_normal_rows(touch, W, A, first, blocked):
    """Write the numbers of an island's normal rows that bear loads to `normal_row`, and their block of W to A.

    The block begins at `first`. Return where it ends.
    """
    rows, end = touch.rows, first
    for r in range(first, rows[first].end):
        if rows[r].kind == NORMAL and rows[r].bears_load and W[r, r] > blocked:
            rows[end].normal_row = r
            end += 1
    for c in range(first, end):
        rows[c].pivot_row = c
        for r in range(first, end):
            A[c, r] = W[rows[r].normal_row, rows[c].normal_row]
    return end
