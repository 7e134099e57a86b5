# SPDX-License-Identifier: GPL-3.0-or-later
"""The modes of contacts after an event: which hold, and which of these stick, slip or separate.

First come impacts of all contacts that close (contact/impacts.py), alternating with those of joint stops, until nothing
approaches. Then a cone complementarity problem gives the modes. It is solved to most but not all digits, so
accelerations are checked: a contact that would pull is released, a sticking contact outside its cone slips, and one
that slips back sticks.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...contact.complementarity import load_warm_start, store_warm_start
from ...contact.contact_kinematics import place_point
from ...contact.delassus import MIN_SLIP_SPEED, add_rows, apply_loads, write_delassus
from ...contact.impacts import resolve_impact, write_row_rates
from ...contact.islands import group_points
from ...contact.loads import write_point_accelerations
from ...contact.minimum_norm_loads import factor_delassus, solve_loads
from ...contact.points import FREE, NORMAL, POINTS, ROWS, SLIPS, SPIN, STICKS, TANGENT, WARM_STARTED
from ...contact.redundant_normals import solve_redundant_cones
from ...dynamics.aba import acceleration_pass
from ...dynamics.constraint_forces import clear_pushes
from ...dynamics.energy import kinetic_energy
from ...kinematics.motion import move_bodies
from ...spatial import ZERO, add, dot, norm, scale, sub
from ...spatial.storage import get3, put3
from ..joint_events.events import resolve
from ..joint_events.modes import settle
from ..release import release_all
from ..system import parts_of
from .contradictions import EDGE, OUTSIDE, is_over_cone, largest_load, reconsider_points, worst_point

MOST_STRIKES = 60
BARELY = 1e-8
"""Slip rate below which a contact does not slip yet, relative to the largest rate."""


@subroutine
def resolve_points(calls, system, time, y, slopes, tolerances, spare, record):
    """Handle impacts, find the contact modes, and leave the rates in `slopes`.

    tolerances: an `EventTolerances`. spare: room for a state. record: `Impacts`. Return (whether the modes are certain,
    whether velocities jumped).
    """
    shallow, resting, least = tolerances.steps.shallow, tolerances.steps.resting, tolerances.least
    q, qd = parts_of(system, y)
    jumped, settled = False, True
    for _ in range(MOST_STRIKES):
        release_all(system)
        calls.rates(system, time, y, 0.0, slopes)
        hit, before = resolve_impact(system, qd, least, resting, parts_of(system, spare)[1])
        if hit:
            move_bodies(system.model, system.work, q, qd)
            y[y.shape[0] - 2] += before - kinetic_energy(system.model, system.work, qd)
            note_impacts(system, time, record)
            jumped = True
        if system.model.set_valued_forces.shape[0] == 0:
            break
        _, impact_count = resolve(calls, system, time, y, slopes, shallow, resting, False)
        jumped = jumped or impact_count != 0
        if impact_count == 0:
            break
    stop_slow(calls, system, time, y, slopes, tolerances, parts_of(system, spare)[1])
    for _ in range(4):
        settled = settle_points(calls, system, time, y, slopes, tolerances)
        if system.model.set_valued_forces.shape[0] == 0 or settle(calls, system, time, y, slopes, shallow, False):
            break
    calls.rates(system, time, y, 0.0, slopes)
    return settled, jumped


@subroutine
def stop_slow(calls, system, time, y, slopes, tolerances, dv):
    """Apply impulses that stop slips below `tolerances.slow`, and separations too slow to count as bounces."""
    touch, found = system.touch, False
    q, qd = parts_of(system, y)
    release_all(system)
    calls.rates(system, time, y, 0.0, slopes)
    group_points(system)
    for i in range(touch.count[POINTS]):
        p = touch.order[i]
        point = touch.points[p]
        place_point(system.work, point)
        weight = max(-point.gap_acceleration, norm(get3(system.model.gravity)))
        if point.rate > tolerances.least and (
            point.is_soft or point.rate * point.rate > 2.0 * weight * tolerances.steps.resting
        ):
            continue  # it parts for longer than counts
        found = found or (point.rate > tolerances.least and point.is_soft == 0)
        spin = dot(get3(point.angular_velocity), get3(point.normal))
        rolling = sub(get3(point.angular_velocity), scale(get3(point.normal), spin))
        point.slide = (
            slows(norm(get3(point.slip_velocity)), point.friction, tolerances.slow) if point.slip_speed == 0.0 else FREE
        )
        point.roll = slows(norm(rolling), point.rolling, tolerances.slow)
        point.spin = slows(abs(spin), point.spinning, tolerances.slow)
        found = found or point.slide == STICKS or point.roll == STICKS or point.spin == STICKS
        add_rows(touch, p, False)
    if not found:
        return
    write_delassus(system, False)
    factor_delassus(touch)
    write_row_rates(touch)
    for r in range(touch.count[ROWS]):
        touch.rows[r].rhs = -touch.rows[r].free_rate
    before = kinetic_energy(system.model, system.work, qd)
    solve_loads(touch)
    clear_pushes(system.work)
    apply_loads(system)
    acceleration_pass(system.model, system.work, ZERO, dv)
    for j in range(qd.shape[0]):
        qd[j] += dv[j]
    move_bodies(system.model, system.work, q, qd)
    y[y.shape[0] - 2] += before - kinetic_energy(system.model, system.work, qd)


@jitable
def slows(speed, friction, slow):
    return STICKS if friction > 0.0 and speed <= slow else FREE


@subroutine
def note_impacts(system, time, record):
    """Add the impacts to the list. If the list is full, they are only counted."""
    for p in range(system.touch.count[POINTS]):
        point = system.touch.points[p]
        if point.load > 0.0:
            k = record.count[0]
            if k < record.impacts.shape[0]:
                impact = record.impacts[k]
                impact.time, impact.first, impact.second = time, point.first, point.second
                put3(impact.point, get3(point.place))
                n = get3(point.normal)
                put3(impact.normal, n)
                for j in range(3):
                    impact.impulse[j] = point.force[j] + n[j] * point.load
            record.count[0] += 1


@subroutine
def settle_points(calls, system, time, y, slopes, tolerances):
    """Find the modes of contacts, for the present modes of joint set-valued forces. Remove contacts that separate.

    Contacts at rest stay at rest if the minimum-norm loads allow it. Otherwise the cone problem decides.
    """
    touch = system.touch
    touch.count[WARM_STARTED] = 0
    for p in range(touch.count[POINTS]):
        place_point(system.work, touch.points[p])
        propose(touch.points[p], tolerances.least, tolerances.skin)
    calls.rates(system, time, y, 0.0, slopes)
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        point.is_active, point.is_on_cone = point.candidate, 0
        if point.is_soft and point.friction > 0.0 and point.slide == FREE and point.slip_speed == 0.0:
            point.slide = STICKS
    calls.rates(system, time, y, 0.0, slopes)
    certain = True
    if worst_point(system)[0] >= 0:
        certain = ask_cones(calls, system, time, y, slopes)
        for p in range(touch.count[POINTS]):
            touch.points[p].is_on_cone = 1 if certain else 0
        certain = reconsider_points(calls, system, time, y, slopes)
        if not take_cones_loads(calls, system, time, y, slopes):
            certain = reconsider_points(calls, system, time, y, slopes)
    forget_points(touch)
    return certain


@subroutine
def ask_cones(calls, system, time, y, slopes):
    """Find the modes by the cone complementarity problem. Return whether it converged."""
    touch = system.touch
    for p in range(touch.count[POINTS]):
        touch.points[p].is_active = touch.points[p].is_soft * touch.points[p].candidate
    calls.rates(system, time, y, 0.0, slopes)  # without what they may push
    group_points(system)
    for i in range(touch.count[POINTS]):
        p = touch.order[i]
        point = touch.points[p]
        point.row, point.is_active = -1, point.candidate
        if point.candidate:
            add_rows(touch, p, point.is_soft == 0)
            if point.is_soft and touch.count[ROWS] == point.row:
                point.row = -1
    if touch.count[ROWS] == 0:
        return True
    write_delassus(system, False)
    write_point_accelerations(system)
    load_warm_start(touch)
    certain = solve_redundant_cones(system, True)
    if begin_slips(touch):
        certain = solve_redundant_cones(system, True)
        begin_slips(touch)
    store_warm_start(touch)
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        if point.candidate and point.is_soft == 0 and touch.rows[point.row].load <= 0.0:
            point.is_active = 0
    return certain


@subroutine
def take_cones_loads(calls, system, time, y, slopes):
    """Use the loads of the cone problem where the minimum-norm loads are outside of friction cones.

    Return whether these are inside. If not, no contact uses them any more.
    """
    touch, outside = system.touch, False
    most = largest_load(touch)
    for p in range(touch.count[POINTS]):
        if touch.points[p].is_on_cone and is_over_cone(touch.points[p], -EDGE * most):
            touch.count[WARM_STARTED] = 1
    if touch.count[WARM_STARTED]:
        calls.rates(system, time, y, 0.0, slopes)
    most = largest_load(touch)
    for p in range(touch.count[POINTS]):
        outside = outside or is_over_cone(touch.points[p], OUTSIDE * most)
    for p in range(touch.count[POINTS]):
        at_edge = touch.count[WARM_STARTED] and not outside and is_over_cone(touch.points[p], -EDGE * most)
        touch.points[p].is_on_cone = 1 if at_edge else 0
    if outside:
        touch.count[WARM_STARTED] = 0
    return not outside


@jitable
def propose(point, least, skin):
    """Mark the contacts that may hold, and those that slip already."""
    point.separation_velocity = 0.0
    n = get3(point.normal)
    w = get3(point.angular_velocity)
    spin = dot(w, n)
    rolling = sub(w, scale(n, spin))
    leaves = point.rate > least and (point.is_soft == 0 or point.gap >= -skin)
    point.candidate = 0 if leaves else 1
    point.is_active = point.is_soft * point.candidate
    point.slide = slip_of(get3(point.slip_velocity), point.friction, point.slip, point.slip_speed)
    if point.is_soft and point.slide == STICKS:
        point.slide = FREE  # until its cone is known
    point.current_friction = point.friction if point.slide == SLIPS else point.static_friction
    point.roll = slip_of(rolling, point.rolling, point.roll_slip, 0.0)
    point.spin = FREE
    if point.spinning > 0.0:
        point.spin = SLIPS if abs(spin) > MIN_SLIP_SPEED else STICKS
        point.spin_slip = 1.0 if spin > 0.0 else -1.0


@jitable
def slip_of(v, friction, slip, slip_speed):
    if friction <= 0.0:
        return FREE
    speed = math.sqrt(dot(v, v))
    if speed > MIN_SLIP_SPEED:
        put3(slip, scale(v, 1.0 / speed))
        return SLIPS
    return SLIPS if slip_speed > 0.0 else STICKS


@subroutine
def begin_slips(touch):
    """Let contacts slip that the cone problem could not keep. Return whether one slips more easily than it stuck."""
    easier, still = False, 0.0
    for r in range(touch.count[ROWS]):
        still = max(still, BARELY * abs(touch.rows[r].free_rate))
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        r = point.row
        if r < 0 or not point.candidate:
            continue
        if touch.rows[r].kind == NORMAL:
            r += 1
        while r < touch.count[ROWS] and touch.rows[r].point == p:
            kind = touch.rows[r].kind
            if kind == SPIN:
                if point.spin == STICKS and abs(touch.rows[r].residual) > still:
                    point.spin, point.spin_slip = SLIPS, (1.0 if touch.rows[r].residual > 0.0 else -1.0)
                r += 1
                continue
            u, v = touch.rows[r].residual, touch.rows[r + 1].residual
            slid = math.sqrt(u * u + v * v)
            if (point.slide if kind == TANGENT else point.roll) == STICKS and slid > still:
                a, b = get3(touch.rows[r].direction), get3(touch.rows[r + 1].direction)
                along = add(scale(a, touch.rows[r].residual / slid), scale(b, touch.rows[r + 1].residual / slid))
                if kind == TANGENT:
                    point.slide = SLIPS
                    put3(point.slip, along)
                    easier = easier or point.friction < point.current_friction
                    point.current_friction = point.friction
                else:
                    point.roll = SLIPS
                    put3(point.roll_slip, along)
            r += 2
    return easier


@subroutine
def forget_points(touch):
    """Keep the contacts that hold, in their order."""
    kept = 0
    for p in range(touch.count[POINTS]):
        if touch.points[p].is_active:
            if kept != p:
                touch.points[kept] = touch.points[p]
            kept += 1
    touch.count[POINTS] = kept
