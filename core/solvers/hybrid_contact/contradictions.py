# SPDX-License-Identifier: GPL-3.0-or-later
"""Contradictions between contact modes and loads or accelerations: a pull, a load outside its cone, a slip backward."""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...contact.delassus import MIN_SLIP_SPEED
from ...contact.points import POINTS, SLIPS, STICKS
from ...spatial import dot, norm, scale, sub
from ...spatial.storage import get3, put3
from ..joint_events.margins import ZERO_TOLERANCE

MOST_ROUNDS = 60
"""Upper bound of the rounds of mode changes at one event, apart from two rounds for each contact."""
EDGE = 1e-7
"""Relative distance from the cone within which a load counts as on its surface."""
OUTSIDE = 1e-3
"""Distance from the cone, relative to the largest load, beyond which loads differ from those of the cone problem."""
ROUGH = 1e-9
"""Rounding error of a load, relative to the largest load, and of a contradiction, relative to the largest one."""


@subroutine
def reconsider_points(calls, system, time, y, slopes):
    """Change the modes of the contacts with the largest contradiction until there is none.

    Return whether that succeeded.
    """
    touch = system.touch
    for _ in range(MOST_ROUNDS + 2 * touch.count[POINTS]):
        calls.rates(system, time, y, 0.0, slopes)
        which, worst, most = worst_point(system)
        if which < 0:
            return True
        for p in range(touch.count[POINTS]):
            if p == which or contradiction(touch.points[p], most, system) > (1.0 - ROUGH) * worst:
                change_point(touch.points[p], most)
    return False


@subroutine
def worst_point(system):
    """Return (contact with the largest contradiction or -1, its size, the largest load)."""
    touch, most = system.touch, largest_load(system.touch)
    worst, which = 0.0, -1
    for p in range(touch.count[POINTS]):
        found = contradiction(touch.points[p], most, system)
        if found > worst:
            worst, which = found, p
    return which, worst, most


@jitable
def largest_load(touch):
    most = 0.0
    for p in range(touch.count[POINTS]):
        most = max(most, abs(touch.points[p].load))
    return most


@jitable
def is_over_cone(point, slack):
    """Return whether a load is outside of its cone by more than a tolerance: a pull, or too much sticking friction."""
    if point.is_active == 0:
        return False
    spun, rolled = friction_torques(point)
    load = max(point.load, 0.0)
    return (
        (point.is_soft == 0 and -point.load > slack)
        or (point.slide == STICKS and norm(get3(point.force)) - point.current_friction * load > slack)
        or (point.spin == STICKS and abs(spun) - point.spinning * load > slack * point.spinning)
        or (point.roll == STICKS and rolled - point.rolling * load > slack * point.rolling)
    )


@jitable
def contradiction(point, most, system):
    """Return the size of a contact's contradiction; 0 if there is none.

    Loads and rates are made comparable by the diagonal of W.
    """
    if point.candidate == 0:
        return 0.0
    if point.is_active == 0:
        return -point.gap_acceleration if point.gap_acceleration < -ZERO_TOLERANCE else 0.0
    rough = ROUGH * most + 1e-300
    if point.is_soft == 0 and point.load < -rough and not point.is_on_cone:
        return -point.load
    if point.slide == STICKS and not point.is_on_cone:
        over = math.sqrt(dot(get3(point.force), get3(point.force))) - point.current_friction * max(point.load, 0.0)
        if over > rough:
            return over
    if (
        point.slide == SLIPS
        and point.slip_speed == 0.0
        and dot(get3(point.slip_velocity), get3(point.slip_velocity)) <= MIN_SLIP_SPEED * MIN_SLIP_SPEED
    ):
        back = dot(get3(point.slip_acceleration), get3(point.slip))
        if back < -ZERO_TOLERANCE:
            return -back
        beside = sub(get3(point.slip_acceleration), scale(get3(point.slip), back))
        off = math.sqrt(dot(beside, beside))
        if off > 1e-8 * (back + ZERO_TOLERANCE) + ZERO_TOLERANCE:
            return off
    spun, rolled = friction_torques(point)
    if point.is_on_cone:
        return 0.0
    if point.spin == STICKS and abs(spun) > point.spinning * max(point.load, 0.0) + rough:
        return abs(spun)
    if point.roll == STICKS and rolled > point.rolling * max(point.load, 0.0) + rough:
        return rolled
    return 0.0


@jitable
def friction_torques(point):
    """Return (torque about the normal, size of the torque across it) [N m]."""
    torque, n = get3(point.torque), get3(point.normal)
    spun = dot(torque, n)
    across = sub(torque, scale(n, spun))
    return spun, math.sqrt(dot(across, across))


@jitable
def change_point(point, most):
    """Change the mode of a contact to remove its first contradiction, in the order of `contradiction`."""
    rough = ROUGH * most + 1e-300
    if point.is_active == 0:
        point.is_active = 1
        return
    if point.is_soft == 0 and point.load < -rough and not point.is_on_cone:
        point.is_active = 0
        return
    force = get3(point.force)
    size = math.sqrt(dot(force, force))
    if point.slide == STICKS and not point.is_on_cone and size > point.current_friction * max(point.load, 0.0) + rough:
        point.slide = SLIPS
        point.current_friction = point.friction
        put3(point.slip, scale(force, -1.0 / size))
        return
    if (
        point.slide == SLIPS
        and point.slip_speed == 0.0
        and dot(get3(point.slip_velocity), get3(point.slip_velocity)) <= MIN_SLIP_SPEED * MIN_SLIP_SPEED
    ):
        pull = get3(point.slip_acceleration)
        back, size = dot(pull, get3(point.slip)), math.sqrt(dot(pull, pull))
        if back < -ZERO_TOLERANCE:
            point.slide, point.current_friction = STICKS, point.static_friction
            return
        if size > ZERO_TOLERANCE and size - back > 1e-16 * size:
            put3(point.slip, scale(pull, 1.0 / size))
    if point.is_on_cone:
        return
    spun, rolled = friction_torques(point)
    if point.spin == STICKS and abs(spun) > point.spinning * max(point.load, 0.0) + rough:
        point.spin, point.spin_slip = SLIPS, (-1.0 if spun > 0.0 else 1.0)
    if point.roll == STICKS and rolled > point.rolling * max(point.load, 0.0) + rough:
        torque, n = get3(point.torque), get3(point.normal)
        point.roll = SLIPS
        put3(point.roll_slip, scale(sub(torque, scale(n, spun)), -1.0 / rolled))
