# SPDX-License-Identifier: GPL-3.0-or-later
"""The modes of contacts after an event: each contact sticks, slips or separates.

Impacts of all contacts that close (contact/impacts.py) come first, in turn with those of joint stops, until no contact
and no stop approaches. Then a cone complementarity problem gives the modes. Its solution is not exact to rounding, so
the accelerations are checked: a contact that would pull separates, a sticking contact with a load outside its friction
cone slips, and a contact that would slip backward sticks.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...contact.complementarity import load_warm_start, store_warm_start
from ...contact.contact_kinematics import update_kinematics
from ...contact.delassus import MIN_SLIP_SPEED, add_rows, apply_loads, write_delassus
from ...contact.impacts import resolve_impact, write_row_rates
from ...contact.islands import group_points
from ...contact.loads import spring_gap, write_point_accelerations
from ...contact.minimum_norm_loads import factor_delassus, solve_loads
from ...contact.points import FRICTIONLESS, NORMAL, POINTS, ROWS, SLIPS, SPIN, STICKS, TANGENT, WARM_STARTED
from ...contact.redundant_normals import solve_redundant_cones
from ...dynamics.aba import acceleration_pass
from ...dynamics.constraint_forces import clear_forces
from ...dynamics.energy import kinetic_energy
from ...kinematics.motion import update_bodies
from ...spatial import ZERO, add, dot, norm, scale, sub
from ...spatial.storage import get3, put3
from ..joint_events.events import resolve_joint_event
from ..joint_events.modes import resolve_modes
from ..release import release_all
from ..system import DISSIPATED, parts_of
from .contradictions import EDGE, OUTSIDE, is_over_cone, largest_load, reconsider_points, worst_point

MOST_IMPACT_ROUNDS = 60
"""Upper bound of the rounds at one event in which contacts and joint stops take impacts in turn."""
MOST_MODE_ROUNDS = 4
"""Upper bound of the rounds at one event in which modes of contacts and of joints are found in turn."""
SLIP_THRESHOLD = 1e-8
"""Slip rate below which a contact still sticks, relative to the largest rate without contact loads."""


@subroutine
def resolve_contacts(calls, system, time, y, slopes, tolerances, spare, impacts):
    """Apply the impacts at y, find the contact modes, and write the rates to `slopes`.

    tolerances: an `EventTolerances`. spare: a work array of the shape of y. impacts: the `Impacts`, to which those at y
    are added. Return (whether the modes are certain, whether velocities jumped).
    """
    instant_depth, rest_height, rest_speed = (
        tolerances.steps.instant_depth,
        tolerances.steps.rest_height,
        tolerances.rest_speed,
    )
    q, qd = parts_of(system, y)
    jumped, settled = False, True
    for _ in range(MOST_IMPACT_ROUNDS):
        release_all(system)
        calls.rates(system, time, y, 0.0, slopes)
        hit, before = resolve_impact(system, qd, rest_speed, rest_height, parts_of(system, spare)[1])
        if hit:
            update_bodies(system.model, system.work, q, qd)
            y[DISSIPATED] += before - kinetic_energy(system.model, system.work, qd)
            record_contact_impacts(system, time, impacts)
            jumped = True
        if system.model.set_valued_forces.shape[0] == 0:
            break
        _, stops_jumped = resolve_joint_event(calls, system, time, y, slopes, instant_depth, rest_height, False)
        jumped = jumped or stops_jumped != 0
        if stops_jumped == 0:
            break
    stop_slow_motion(calls, system, time, y, slopes, tolerances, parts_of(system, spare)[1])
    for _ in range(MOST_MODE_ROUNDS):
        settled = find_modes(calls, system, time, y, slopes, tolerances)
        if system.model.set_valued_forces.shape[0] == 0 or resolve_modes(
            calls, system, time, y, slopes, instant_depth, False
        ):
            break
    calls.rates(system, time, y, 0.0, slopes)
    return settled, jumped


@subroutine
def stop_slow_motion(calls, system, time, y, slopes, tolerances, dv):
    """Apply impulses that stop slips below `tolerances.slow_slip`, and bounces that are too low to count.

    dv: a work array, shape (nv,).
    """
    touch, found = system.touch, False
    q, qd = parts_of(system, y)
    release_all(system)
    calls.rates(system, time, y, 0.0, slopes)
    group_points(system)
    for i in range(touch.count[POINTS]):
        p = touch.order[i]
        point = touch.points[p]
        update_kinematics(system.work, point)
        weight = max(-point.gap_acceleration, norm(get3(system.model.gravity)))
        separates = point.rate > tolerances.rest_speed
        if separates and (point.is_soft or point.rate * point.rate > 2.0 * weight * tolerances.steps.rest_height):
            # The bounce is higher than `rest_height`.
            continue
        found = found or (separates and point.is_soft == 0)
        spin = dot(get3(point.angular_velocity), get3(point.normal))
        rolling = sub(get3(point.angular_velocity), scale(get3(point.normal), spin))
        point.slide = (
            mode_if_slow(norm(get3(point.slip_velocity)), point.friction, tolerances.slow_slip)
            if point.slip_speed == 0.0
            else FRICTIONLESS
        )
        point.roll = mode_if_slow(norm(rolling), point.rolling, tolerances.slow_slip)
        point.spin = mode_if_slow(abs(spin), point.spinning, tolerances.slow_slip)
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
    clear_forces(system.work)
    apply_loads(system)
    acceleration_pass(system.model, system.work, ZERO, dv)
    for j in range(qd.shape[0]):
        qd[j] += dv[j]
    update_bodies(system.model, system.work, q, qd)
    y[DISSIPATED] += before - kinetic_energy(system.model, system.work, qd)


@jitable
def mode_if_slow(speed, friction, slow_slip):
    """Return STICKS if friction can stop a motion that is this slow, else FRICTIONLESS."""
    return STICKS if friction > 0.0 and speed <= slow_slip else FRICTIONLESS


@subroutine
def record_contact_impacts(system, time, impacts):
    """Add the impulses of all contacts to the list of impacts. If the list is full, they are only counted."""
    for p in range(system.touch.count[POINTS]):
        point = system.touch.points[p]
        if point.load > 0.0:
            k = impacts.count[0]
            if k < impacts.records.shape[0]:
                impact = impacts.records[k]
                impact.time, impact.first, impact.second, impact.rest_of = time, point.first, point.second, -1
                put3(impact.point, get3(point.position))
                n = get3(point.normal)
                put3(impact.normal, n)
                for j in range(3):
                    impact.impulse[j] = point.force[j] + n[j] * point.load
            impacts.count[0] += 1


@subroutine
def find_modes(calls, system, time, y, slopes, tolerances):
    """Find the modes of contacts, for the present modes of joints. Remove contacts that separate.

    If the minimum-norm loads contradict no contact at rest, these contacts stay at rest. Otherwise the cone problem
    decides. Return whether the modes are certain.
    """
    touch = system.touch
    touch.count[WARM_STARTED] = 0
    for p in range(touch.count[POINTS]):
        update_kinematics(system.work, touch.points[p])
        propose_mode(touch.points[p], tolerances.rest_speed, tolerances.closed_gap)
    calls.rates(system, time, y, 0.0, slopes)
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        point.is_active, point.is_on_cone = point.candidate, 0
        if point.is_soft and point.friction > 0.0 and point.slide == FRICTIONLESS and point.slip_speed == 0.0:
            point.slide = STICKS
    calls.rates(system, time, y, 0.0, slopes)
    certain = True
    if worst_point(system)[0] >= 0:
        certain = solve_cone_problem(calls, system, time, y, slopes)
        for p in range(touch.count[POINTS]):
            touch.points[p].is_on_cone = 1 if certain else 0
        certain = reconsider_points(calls, system, time, y, slopes)
        if not choose_loads(calls, system, time, y, slopes):
            certain = reconsider_points(calls, system, time, y, slopes)
    remove_separated(touch)
    return certain


@subroutine
def solve_cone_problem(calls, system, time, y, slopes):
    """Find the modes by the cone complementarity problem. Return whether it converged."""
    touch = system.touch
    for p in range(touch.count[POINTS]):
        touch.points[p].is_active = touch.points[p].is_soft * touch.points[p].candidate
    # Rates without the loads of the contacts whose modes are to be found.
    calls.rates(system, time, y, 0.0, slopes)
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
def choose_loads(calls, system, time, y, slopes):
    """Use the loads of the cone problem for contacts whose minimum-norm loads are outside of their friction cones.

    If a load is still outside its cone at the rates that follow, all contacts use minimum-norm loads again. Return
    whether all loads are inside.
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
def propose_mode(point, rest_speed, closed_gap):
    """Write the mode in which a contact would be by its velocities alone.

    It is a candidate if it does not separate. It slips if it has a slip velocity, and sticks otherwise.
    """
    point.separation_velocity = 0.0
    n = get3(point.normal)
    w = get3(point.angular_velocity)
    spin = dot(w, n)
    rolling = sub(w, scale(n, spin))
    separates = point.rate > rest_speed and (point.is_soft == 0 or spring_gap(point) >= -closed_gap)
    point.candidate = 0 if separates else 1
    point.is_active = point.is_soft * point.candidate
    point.slide = slip_mode(get3(point.slip_velocity), point.friction, point.slip, point.slip_speed)
    if point.is_soft and point.slide == STICKS:
        # Its friction cone is unknown before its load.
        point.slide = FRICTIONLESS
    point.current_friction = point.friction if point.slide == SLIPS else point.static_friction
    point.roll = slip_mode(rolling, point.rolling, point.roll_slip, 0.0)
    point.spin = FRICTIONLESS
    if point.spinning > 0.0:
        point.spin = SLIPS if abs(spin) > MIN_SLIP_SPEED else STICKS
        point.spin_slip = 1.0 if spin > 0.0 else -1.0


@jitable
def slip_mode(v, friction, slip, slip_speed):
    """Return the mode of sliding or rolling at relative velocity v. Write its direction to `slip` if it is faster than
    MIN_SLIP_SPEED.

    slip_speed: speed below which friction is smoothed; smoothed friction never sticks [m/s].
    """
    if friction <= 0.0:
        return FRICTIONLESS
    speed = math.sqrt(dot(v, v))
    if speed > MIN_SLIP_SPEED:
        put3(slip, scale(v, 1.0 / speed))
        return SLIPS
    return SLIPS if slip_speed > 0.0 else STICKS


@subroutine
def begin_slips(touch):
    """Let contacts slip that have a slip rate in the solution of the cone problem.

    Return whether the kinetic friction of one of them is below its static friction.
    """
    easier, threshold = False, 0.0
    for r in range(touch.count[ROWS]):
        threshold = max(threshold, SLIP_THRESHOLD * abs(touch.rows[r].free_rate))
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
                if point.spin == STICKS and abs(touch.rows[r].residual) > threshold:
                    point.spin, point.spin_slip = SLIPS, (1.0 if touch.rows[r].residual > 0.0 else -1.0)
                r += 1
                continue
            u, v = touch.rows[r].residual, touch.rows[r + 1].residual
            slip_rate = math.sqrt(u * u + v * v)
            if (point.slide if kind == TANGENT else point.roll) == STICKS and slip_rate > threshold:
                a, b = get3(touch.rows[r].direction), get3(touch.rows[r + 1].direction)
                along = add(
                    scale(a, touch.rows[r].residual / slip_rate), scale(b, touch.rows[r + 1].residual / slip_rate)
                )
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
def remove_separated(touch):
    """Remove the contacts that are not active. The others keep their order."""
    kept = 0
    for p in range(touch.count[POINTS]):
        if touch.points[p].is_active:
            if kept != p:
                touch.points[kept] = touch.points[p]
            kept += 1
    touch.count[POINTS] = kept
