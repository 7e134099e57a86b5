"""Loads that push and never pull, with friction inside Coulomb's cone: which points hold, stick, slip or part.

For all rigid points: load >= 0, rate >= pace, and one of both is met; friction is up to limit times the load, and as
much as that only against the slip that is left. The projected method of Gauss and Seidel goes from point to point; what
it finds decides what holds, and the linear equations of loads.py find the last digits. Rates are velocities in an
impact, else accelerations.

Source: Jourdan, Alart, Jean, A Gauss-Seidel like algorithm to solve frictional contact problems, Comput. Methods Appl.
Mech. Eng. 155 (1998).
"""

from __future__ import annotations

import math

from ..jit import jitable, subroutine
from ..spatial import dot
from ..spatial.storage import get3
from .points import ACROSS, NORMAL, POINTS, ROWS, SLIPS, SPIN
from .responses import rolling_of, slip_direction, spin_of

CLOSE = 1e-14
"""Of the largest rate: by how much a sweep may still change one."""
WORK = 60_000_000
"""Entries of W that sweeps may go through."""
LEAST_SWEEPS = 50


@subroutine
def solve_cones(touch, moving):
    """Find all rows' loads. moving: whether what slips already has a direction that it keeps.

    `before` of the rows, `limit` and `pace` of the points are given. Returns whether it converged.
    """
    rows, scale_of = touch.count[ROWS], 0.0
    for r in range(rows):
        touch.rows[r].load, touch.rows[r].left = 0.0, touch.rows[r].before
        scale_of = max(scale_of, abs(touch.rows[r].before))
    sweeps = max(LEAST_SWEEPS, WORK // max(1, rows * rows))
    for sweep in range(sweeps):
        change = 0.0
        for i in range(touch.count[POINTS]):
            p = i if sweep % 2 == 0 else touch.count[POINTS] - 1 - i
            change = max(change, solve_point(touch, p, moving))
        if change <= CLOSE * scale_of:
            return True
    return False


@subroutine
def solve_point(touch, p, moving):
    """Correct the loads of one point. Returns the largest change of a rate."""
    point = touch.points[p]
    r, end, load, change = point.row, touch.count[ROWS], point.load, 0.0
    if r < 0:
        return 0.0
    if r < end and touch.rows[r].point == p and touch.rows[r].kind == NORMAL:
        row = touch.rows[r]
        load = max(0.0, row.load - (row.left - point.pace) / touch.matrix[0, r, r])
        change = shift(touch, r, load)
        r += 1
    while r < end and touch.rows[r].point == p:
        if touch.rows[r].kind == SPIN:
            most = point.spinning * load
            wanted = touch.rows[r].load - touch.rows[r].left / touch.matrix[0, r, r]
            if moving and point.spin == SLIPS:
                wanted = -spin_of(point) * most
            change = max(change, shift(touch, r, min(max(wanted, -most), most)))
            r += 1
        else:
            change = max(change, solve_pair(touch, r, point, load, moving))
            r += 2
    return change


@subroutine
def solve_pair(touch, r, point, load, moving):
    """The two rows of sliding or of rolling friction. Returns the largest change of a rate."""
    slides = touch.rows[r].kind == ACROSS
    most = (point.limit if slides else point.rolling) * load
    if moving and (point.slide if slides else point.roll) == SLIPS:
        along = slip_direction(get3(point.v), get3(point.slip), point.slip_speed) if slides else rolling_of(point)
        x, y = -dot(along, get3(touch.rows[r].direction)) * most, -dot(along, get3(touch.rows[r + 1].direction)) * most
    else:
        a, b, c = touch.matrix[0, r, r], touch.matrix[0, r, r + 1], touch.matrix[0, r + 1, r + 1]
        stiff = 0.5 * (a + c) + math.sqrt(0.25 * (a - c) * (a - c) + b * b)
        x = touch.rows[r].load - touch.rows[r].left / stiff
        y = touch.rows[r + 1].load - touch.rows[r + 1].left / stiff
        det = a * c - b * b
        if det > 1e-12 * a * c:  # inside of the cone, both at once
            f, g = touch.rows[r].left, touch.rows[r + 1].left
            u, v = touch.rows[r].load - (c * f - b * g) / det, touch.rows[r + 1].load - (a * g - b * f) / det
            if u * u + v * v <= most * most:
                x, y = u, v
        size = math.sqrt(x * x + y * y)
        if size > most:
            x, y = x * most / size, y * most / size
    change = shift(touch, r, x)
    return max(change, shift(touch, r + 1, y))


@jitable
def shift(touch, r, load):
    """Give a row another load; all rates follow. Returns by how much its own rate changes."""
    change = load - touch.rows[r].load
    if change != 0.0:
        touch.rows[r].load = load
        for k in range(touch.count[ROWS]):
            touch.rows[k].left += touch.matrix[0, k, r] * change
    return abs(change) * touch.matrix[0, r, r]
