# SPDX-License-Identifier: GPL-3.0-or-later
"""The complementarity problem of rigid contact with Coulomb friction: which points are active, stick, slip or separate.

For each rigid point, load >= 0, rate >= separation_velocity, and one of both is an equality; friction is at most
`current_friction` times the load, and reaches that only against the slip that remains. Rates are velocities in an
impact, and accelerations otherwise. A projected Gauss-Seidel method solves it point by point, with Anderson
acceleration and active-set steps where points are redundant and sweeps converge slowly.

Source: Jourdan, Alart, Jean, A Gauss-Seidel like algorithm to solve frictional contact problems, Comput. Methods Appl.
Mech. Eng. 155 (1998).
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from ..spatial import add, dot, scale
from ..spatial.storage import get3, put3
from .active_set import restore_loads, solve_active
from .anderson_acceleration import accelerate_loads, save_loads
from .delassus import rolling_direction, slip_direction, spin_direction
from .points import ALLOWED, NORMAL, POINTS, ROWS, SLIPS, SPIN, TANGENT, WORK

RATE_TOLERANCE = 1e-14
"""Change of a rate in a sweep at which the iteration stops, as a share of the largest rate without loads."""
ROUNDING = 2e-16
"""Relative rounding error of a term in a sum."""
MAX_WORK = 20_000_000
"""Upper bound of the entries of W that the sweeps of one island go through."""
MIN_SWEEPS = 50
"""Number of sweeps that even the largest island may take."""
RESTART_FACTOR = 30.0
"""Change of a sweep, in multiples of the least change so far, from which on Anderson acceleration starts anew."""
FIRST_ACTIVE_SET_SWEEP = 10
"""Number of sweeps before the first active-set step; before each further one, there are twice as many."""
BLOCKED_SHARE = 1e-13
"""Diagonal entry of W, as a share of the largest one, below which joints block the row, so that it bears no load."""


@subroutine
def solve_cones(touch, keeps_slip_directions):
    """Solve for the loads of all rows. Return whether the iteration converged.

    `free_rate` and `initial_load` of the rows, and `current_friction` and `separation_velocity` of the points, are
    given.
    keeps_slip_directions: whether points that slip keep the direction of their friction.
    """
    rows, largest_rate, largest_entry = touch.count[ROWS], 0.0, 0.0
    for r in range(rows):
        touch.rows[r].load, touch.rows[r].residual = 0.0, touch.rows[r].free_rate
        largest_rate = max(largest_rate, abs(touch.rows[r].free_rate))
        largest_entry = max(largest_entry, touch.matrix[0, r, r])
    for r in range(rows):
        set_load(touch, r, touch.rows[r].initial_load)
    converged, begin = True, 0
    while begin < touch.count[POINTS]:
        end = begin + 1
        while end < touch.count[POINTS] and island_of(touch, end) == island_of(touch, begin):
            end += 1
        blocked, tolerance = BLOCKED_SHARE * largest_entry, RATE_TOLERANCE * largest_rate
        converged = solve_island_cones(touch, begin, end, keeps_slip_directions, blocked, tolerance) and converged
        begin = end
    return converged


@jitable
def island_of(touch, i):
    """Return the island of the point at place i of the order."""
    return touch.points[touch.order[i]].island


@subroutine
def solve_island_cones(touch, begin, end, keeps_slip_directions, blocked, tolerance):
    """Sweep over an island until no rate changes by more than `tolerance`. Return whether that was reached.

    begin, end: range of places in the order. blocked: diagonal entry of W up to which a row bears no load.
    """
    first = -1
    for i in range(begin, end):
        if touch.points[touch.order[i]].row >= 0:
            first = touch.points[touch.order[i]].row
    if first < 0:
        return True
    first, last = touch.rows[first].begin, touch.rows[first].end
    next_active_set, combined, best = FIRST_ACTIVE_SET_SWEEP, 0, math.inf
    for n in range(max(MIN_SWEEPS, MAX_WORK // max(1, (last - first) * (last - first)))):
        save_loads(touch, first, last)
        touch.count[WORK] += 2 * (last - first) * (last - first)
        change = sweep(touch, begin, end, keeps_slip_directions, blocked)
        if change <= tolerance + rounding_error(touch, first, last):
            return True
        if touch.count[WORK] > touch.count[ALLOWED]:
            return False
        best = min(best, change)
        combined = accelerate_loads(touch, first, last, combined) if change <= RESTART_FACTOR * best else 0
        if n == next_active_set:
            next_active_set, combined = 2 * next_active_set, 0
            solve_active(touch, first, last)
            touch.count[WORK] += (last - first) * (last - first) * (last - first)
            change_after = sweep(touch, begin, end, keeps_slip_directions, blocked)
            if change_after <= tolerance + rounding_error(touch, first, last):
                return True
            if not change_after < change:
                restore_loads(touch, first, last)
    return False


@jitable
def rounding_error(touch, begin, end):
    """Return the rounding error of the rates of rows begin to end, which are small differences of large terms."""
    largest = 0.0
    for r in range(begin, end):
        largest = max(largest, abs(touch.rows[r].load) * touch.matrix[0, r, r])
    return ROUNDING * (end - begin) * largest


@subroutine
def sweep(touch, begin, end, keeps_slip_directions, blocked):
    """Correct each point's loads twice, forward and backward. Return the largest change of a rate."""
    change = 0.0
    for i in range(begin, end):
        change = max(change, solve_point(touch, touch.order[i], keeps_slip_directions, blocked))
    for i in range(end - 1, begin - 1, -1):
        change = max(change, solve_point(touch, touch.order[i], keeps_slip_directions, blocked))
    return change


@subroutine
def solve_point(touch, p, keeps_slip_directions, blocked):
    """Correct the loads of one point, with those of all others fixed. Return the largest change of a rate."""
    point = touch.points[p]
    r, end, load, change = point.row, touch.count[ROWS], point.load, 0.0
    if r < 0:
        return 0.0
    if r < end and touch.rows[r].point == p and touch.rows[r].kind == NORMAL:
        row = touch.rows[r]
        load = 0.0
        if touch.matrix[0, r, r] > blocked:
            load = max(0.0, row.load - (row.residual - point.separation_velocity) / touch.matrix[0, r, r])
        change = set_load(touch, r, load)
        r += 1
    while r < end and touch.rows[r].point == p:
        if touch.rows[r].kind == SPIN:
            bound = point.spinning * load
            trial = 0.0
            if touch.matrix[0, r, r] > blocked:
                trial = touch.rows[r].load - touch.rows[r].residual / touch.matrix[0, r, r]
            if keeps_slip_directions and point.spin == SLIPS:
                trial = -spin_direction(point) * bound
            change = max(change, set_load(touch, r, min(max(trial, -bound), bound)))
            r += 1
        else:
            change = max(change, solve_pair(touch, r, point, load, keeps_slip_directions, blocked))
            r += 2
    return change


@subroutine
def solve_pair(touch, r, point, load, keeps_slip_directions, blocked):
    """Correct the two rows of sliding or rolling friction of a point. Return the largest change of a rate."""
    slides = touch.rows[r].kind == TANGENT
    bound = (point.current_friction if slides else point.rolling) * load
    if keeps_slip_directions and (point.slide if slides else point.roll) == SLIPS:
        along = rolling_direction(point)
        if slides:
            along = slip_direction(get3(point.slip_velocity), get3(point.slip), point.slip_speed)
        x = -dot(along, get3(touch.rows[r].direction)) * bound
        y = -dot(along, get3(touch.rows[r + 1].direction)) * bound
    else:
        a, b, c = touch.matrix[0, r, r], touch.matrix[0, r, r + 1], touch.matrix[0, r + 1, r + 1]
        eigenvalue = 0.5 * (a + c) + math.sqrt(0.25 * (a - c) * (a - c) + b * b)
        x, y = 0.0, 0.0
        if eigenvalue > blocked:
            x = touch.rows[r].load - touch.rows[r].residual / eigenvalue
            y = touch.rows[r + 1].load - touch.rows[r + 1].residual / eigenvalue
        det = a * c - b * b
        if eigenvalue > blocked and det > 1e-12 * a * c:  # inside the cone, solve for both rows at once
            f, g = touch.rows[r].residual, touch.rows[r + 1].residual
            u, v = touch.rows[r].load - (c * f - b * g) / det, touch.rows[r + 1].load - (a * g - b * f) / det
            if u * u + v * v <= bound * bound:
                x, y = u, v
        size = math.sqrt(x * x + y * y)
        if size > bound:
            x, y = x * bound / size, y * bound / size
    change = set_load(touch, r, x)
    return max(change, set_load(touch, r + 1, y))


@jitable
def load_warm_start(touch):
    """Write to `initial_load` of each row its component of the loads that were stored for its point."""
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point, direction = touch.points[row.point], get3(row.direction)
        if row.kind == NORMAL:
            row.initial_load = point.warm_start_load
        else:
            row.initial_load = dot(
                direction, get3(point.warm_start_force if row.kind == TANGENT else point.warm_start_torque)
            )


@jitable
def store_warm_start(touch):
    """Store the loads of each point, for the next solution and for the steps until then."""
    for r in range(touch.count[ROWS]):
        point = touch.points[touch.rows[r].point]
        put3(point.warm_start_force, (0.0, 0.0, 0.0))
        put3(point.warm_start_torque, (0.0, 0.0, 0.0))
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point, part = touch.points[row.point], scale(get3(row.direction), row.load)
        if row.kind == NORMAL:
            point.warm_start_load = row.load
        elif row.kind == TANGENT:
            put3(point.warm_start_force, add(get3(point.warm_start_force), part))
        else:
            put3(point.warm_start_torque, add(get3(point.warm_start_torque), part))


@jitable
def set_load(touch, r, load):
    """Set the load of a row, and update the rates of its island. Return the change of its own rate."""
    change = load - touch.rows[r].load
    if change != 0.0:
        touch.rows[r].load = load
        for k in range(touch.rows[r].begin, touch.rows[r].end):
            touch.rows[k].residual += touch.matrix[0, k, r] * change
    return abs(change) * touch.matrix[0, r, r]
