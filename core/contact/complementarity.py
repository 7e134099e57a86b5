# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads that push and never pull, with friction inside Coulomb's cone: which points hold, stick, slip or part.

For all rigid points: load >= 0, rate >= pace, and one of both is met; friction is up to limit times the load, and as
much as that only against the slip that is left. The projected method of Gauss and Seidel goes from point to point; what
it finds decides what holds, and the linear equations of loads.py find the last digits. Rates are velocities in an
impact, else accelerations.

Source: Jourdan, Alart, Jean, A Gauss-Seidel like algorithm to solve frictional contact problems, Comput. Methods Appl.
Mech. Eng. 155 (1998). Sweeps alone come nearer too slowly where points hold the same twice: mixing.py and active_set.py
take longer strides.
"""

from __future__ import annotations

import math

from ..jit import jitable, subroutine
from ..spatial import add, dot, scale
from ..spatial.storage import get3, put3
from .active_set import solve_active, take_back
from .anderson_acceleration import mix_loads, note_loads
from .delassus import rolling_of, slip_direction, spin_of
from .points import ACROSS, ALLOWED, NORMAL, POINTS, ROWS, SLIPS, SPIN, WORK

CLOSE = 1e-14
"""Of the largest rate: by how much a sweep may still change one."""
NOISE = 2e-16
"""Part by which each term of a sum may be off."""
MOST_WORK = 20_000_000
"""Entries of W that sweeps may go through."""
LEAST_SWEEPS = 50
WORSE = 30.0
"""Times the least change so far, beyond which what was mixed is forgotten."""
FIRST_JUMP = 10
"""Sweeps before linear equations are tried; then twice as many, and so on."""
BLOCKED = 1e-13
"""Part of the row that answers most, below which one does not answer: joints keep bodies from going that way."""


@subroutine
def solve_cones(touch, moving):
    """Find all rows' loads. moving: whether what slips already has a direction that it keeps.

    `before` of the rows, `limit` and `pace` of the points are given, and `known`, from which it begins. Returns whether
    it converged.
    """
    rows, scale_of, free = touch.count[ROWS], 0.0, 0.0
    for r in range(rows):
        touch.rows[r].load, touch.rows[r].left = 0.0, touch.rows[r].before
        scale_of, free = max(scale_of, abs(touch.rows[r].before)), max(free, touch.matrix[0, r, r])
    for r in range(rows):
        shift(touch, r, touch.rows[r].known)
    certain, begin = True, 0
    while begin < touch.count[POINTS]:
        end = begin + 1
        while end < touch.count[POINTS] and island_at(touch, end) == island_at(touch, begin):
            end += 1
        certain = relax(touch, begin, end, moving, BLOCKED * free, CLOSE * scale_of) and certain
        begin = end
    return certain


@jitable
def island_at(touch, i):
    return touch.points[touch.order[i]].island


@subroutine
def relax(touch, begin, end, moving, stiff, still):
    """Go from point to point of an island until no rate changes by more than `still`. Returns whether that came."""
    first = -1
    for i in range(begin, end):
        if touch.points[touch.order[i]].row >= 0:
            first = touch.points[touch.order[i]].row
    if first < 0:
        return True
    first, last = touch.rows[first].begin, touch.rows[first].end
    jumps, mixed, best = FIRST_JUMP, 0, math.inf
    for n in range(max(LEAST_SWEEPS, MOST_WORK // max(1, (last - first) * (last - first)))):
        note_loads(touch, first, last)
        touch.count[WORK] += 2 * (last - first) * (last - first)
        change = sweep(touch, begin, end, moving, stiff)
        if change <= still + noise_of(touch, first, last):
            return True
        if touch.count[WORK] > touch.count[ALLOWED]:
            return False
        best = min(best, change)
        mixed = mix_loads(touch, first, last, mixed) if change <= WORSE * best else 0
        if n == jumps:
            jumps, mixed = 2 * jumps, 0
            solve_active(touch, first, last)
            touch.count[WORK] += (last - first) * (last - first) * (last - first)
            jumped = sweep(touch, begin, end, moving, stiff)
            if jumped <= still + noise_of(touch, first, last):
                return True
            if not jumped < change:
                take_back(touch, first, last)
    return False


@jitable
def noise_of(touch, begin, end):
    """What rounding leaves of the rates, which are small sums of what large loads do to them."""
    most = 0.0
    for r in range(begin, end):
        most = max(most, abs(touch.rows[r].load) * touch.matrix[0, r, r])
    return NOISE * (end - begin) * most


@subroutine
def sweep(touch, begin, end, moving, stiff):
    """Correct each point's loads twice, forwards and backwards. Returns the largest change of a rate."""
    change = 0.0
    for i in range(begin, end):
        change = max(change, solve_point(touch, touch.order[i], moving, stiff))
    for i in range(end - 1, begin - 1, -1):
        change = max(change, solve_point(touch, touch.order[i], moving, stiff))
    return change


@subroutine
def solve_point(touch, p, moving, stiff):
    """Correct the loads of one point. Rows that answer by no more than `stiff` take none.

    Returns the largest change of a rate.
    """
    point = touch.points[p]
    r, end, load, change = point.row, touch.count[ROWS], point.load, 0.0
    if r < 0:
        return 0.0
    if r < end and touch.rows[r].point == p and touch.rows[r].kind == NORMAL:
        row = touch.rows[r]
        load = 0.0
        if touch.matrix[0, r, r] > stiff:
            load = max(0.0, row.load - (row.left - point.pace) / touch.matrix[0, r, r])
        change = shift(touch, r, load)
        r += 1
    while r < end and touch.rows[r].point == p:
        if touch.rows[r].kind == SPIN:
            most = point.spinning * load
            wanted = 0.0
            if touch.matrix[0, r, r] > stiff:
                wanted = touch.rows[r].load - touch.rows[r].left / touch.matrix[0, r, r]
            if moving and point.spin == SLIPS:
                wanted = -spin_of(point) * most
            change = max(change, shift(touch, r, min(max(wanted, -most), most)))
            r += 1
        else:
            change = max(change, solve_pair(touch, r, point, load, moving, stiff))
            r += 2
    return change


@subroutine
def solve_pair(touch, r, point, load, moving, least):
    """The two rows of sliding or of rolling friction. Returns the largest change of a rate."""
    slides = touch.rows[r].kind == ACROSS
    most = (point.limit if slides else point.rolling) * load
    if moving and (point.slide if slides else point.roll) == SLIPS:
        along = slip_direction(get3(point.v), get3(point.slip), point.slip_speed) if slides else rolling_of(point)
        x, y = -dot(along, get3(touch.rows[r].direction)) * most, -dot(along, get3(touch.rows[r + 1].direction)) * most
    else:
        a, b, c = touch.matrix[0, r, r], touch.matrix[0, r, r + 1], touch.matrix[0, r + 1, r + 1]
        stiff = 0.5 * (a + c) + math.sqrt(0.25 * (a - c) * (a - c) + b * b)
        x, y = 0.0, 0.0
        if stiff > least:
            x = touch.rows[r].load - touch.rows[r].left / stiff
            y = touch.rows[r + 1].load - touch.rows[r + 1].left / stiff
        det = a * c - b * b
        if stiff > least and det > 1e-12 * a * c:  # inside of the cone, both at once
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
def take_known(touch):
    """Give each row its share of what the cones found for its point before."""
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point, direction = touch.points[row.point], get3(row.direction)
        if row.kind == NORMAL:
            row.known = point.known_load
        else:
            row.known = dot(direction, get3(point.known_force if row.kind == ACROSS else point.known_torque))


@jitable
def keep_known(touch):
    """Note for each point what the cones have found."""
    for r in range(touch.count[ROWS]):
        point = touch.points[touch.rows[r].point]
        put3(point.known_force, (0.0, 0.0, 0.0))
        put3(point.known_torque, (0.0, 0.0, 0.0))
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point, part = touch.points[row.point], scale(get3(row.direction), row.load)
        if row.kind == NORMAL:
            point.known_load = row.load
        elif row.kind == ACROSS:
            put3(point.known_force, add(get3(point.known_force), part))
        else:
            put3(point.known_torque, add(get3(point.known_torque), part))


@jitable
def shift(touch, r, load):
    """Give a row another load; all rates follow. Returns by how much its own rate changes."""
    change = load - touch.rows[r].load
    if change != 0.0:
        touch.rows[r].load = load
        for k in range(touch.rows[r].begin, touch.rows[r].end):
            touch.rows[k].left += touch.matrix[0, k, r] * change
    return abs(change) * touch.matrix[0, r, r]
