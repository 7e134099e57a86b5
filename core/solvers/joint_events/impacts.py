# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts of joints: the velocity of a coordinate that reaches a stop, or its velocity limit, jumps.

Impulses act at all stops that are reached at the same time, and propagate through joints and loops. Impulses that would
pull are removed, and stops that would then be passed are added. Friction takes no part, since a bounded force has no
impulse. Each stop has Newton's restitution. If several stops together would gain energy, all restitutions are reduced.

Source: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 8; Marhefka, Orin, A compliant
contact model with nonlinear damping for simulation of robotic systems (1999), for the restitution of a compliant stop.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...contact.impacts import MAX_RESTITUTION_TRIES, reduced_share
from ...dynamics.constraint_forces import (
    solve_multipliers,
    velocity_change_of_locked_dofs,
    velocity_change_of_multipliers,
)
from ...dynamics.constraint_rows import velocity_errors
from ...dynamics.constraints import ACTIVE_COUNT, ROW_COUNT
from ...dynamics.energy import kinetic_energy
from ...dynamics.set_valued_forces import force_law_coordinate, force_law_velocity, stop_position
from ...kinematics.motion import update_bodies
from ...kinematics.work import largest
from ...model.compiling.compiled import ON_CHART, ON_DOF
from ...spatial import log1p
from ...spatial.storage import copy
from ..system import CLOSED_RESIDUAL, DISSIPATED, parts_of
from .margins import ZERO_TOLERANCE
from .modes import BLOCK_ROUNDS, apply_locks, element_acceleration

MAX_BOUNCES = 200
"""Maximum number of bounces of one set-valued force in one frame. After these, it comes to rest."""

MAX_IMPACT_ROUNDS = 30
"""Upper bound of the rounds in which stops that an impact would pass are added, and stops that would pull removed."""

UNCHANGED, JUMPED, INCONSISTENT = range(3)
"""Results of joint impacts: no velocity changed, velocities jumped, or no consistent velocities were found."""


@subroutine
def resolve_joint_impacts(calls, system, time, y, slopes, instant_depth, rest_height):
    """Apply the impacts of set-valued forces to the velocities of y. The lost energy counts as dissipated.

    slopes: the rates at y, which are overwritten. instant_depth [m or rad]: depth up to which a compliant stop acts at
    once. rest_height [m or rad]: height of a bounce below which the motion ends. Return UNCHANGED, JUMPED, or
    INCONSISTENT if no consistent velocities were found.
    """
    if release_velocity_limits(system, y):
        calls.rates(system, time, y, 0.0, slopes)
    if not find_impacts(system, y, slopes, instant_depth, rest_height):
        return UNCHANGED
    lock_impacts(system)
    calls.rates(system, time, y, 0.0, slopes)
    if press_compliant_stops(system, instant_depth):
        if not lock_impacts(system):
            return UNCHANGED
        calls.rates(system, time, y, 0.0, slopes)
    qd = parts_of(system, y)[1]
    velocities_after = parts_of(system, slopes)[1]  # scratch, since the rates are computed anew
    before = kinetic_energy(system.model, system.work, qd)
    after, restitution_share, fits = before, 1.0, False
    for _ in range(MAX_RESTITUTION_TRIES):
        fits = solve_joint_impact(calls, system, time, y, slopes, restitution_share)
        after = kinetic_energy(system.model, system.work, velocities_after)
        if fits and (after <= before * (1.0 + 1e-12) or system.inputs.signals.shape[0] > 0):
            break
        restitution_share *= reduced_share(restitution_share)
    copy(velocities_after, qd)
    y[DISSIPATED] += before - after
    clear_impacts(system)
    return JUMPED if fits else INCONSISTENT


@subroutine
def solve_joint_impact(calls, system, time, y, slopes, restitution_share):
    """Write the velocities after an impact to those of `slopes`, with a part `restitution_share` of all restitutions.

    Return whether they satisfy the constraints.
    """
    q, qd = parts_of(system, y)
    velocities_after = parts_of(system, slopes)[1]
    for turn in range(MAX_IMPACT_ROUNDS):
        if turn > 0:
            lock_impacts(system)
            calls.rates(system, time, y, 0.0, slopes)
        fits = solve_impact_velocities(system, q, qd, velocities_after, restitution_share)
        if not update_impacts(system, q, velocities_after, turn < BLOCK_ROUNDS):
            return fits
    return False


@subroutine
def solve_impact_velocities(system, q, qd, velocities_after, restitution_share):
    """Write the velocities that the targets of the impacts imply. Return whether the constraints stay satisfied."""
    model, work = system.model, system.work
    for k in range(model.set_valued_forces.shape[0]):
        force_state = work.force_states[k]
        if force_state.impact_side != 0 and model.set_valued_forces[k].kind == ON_DOF:
            v = model.set_valued_forces[k].v
            work.dofs[v].prescribed_qdd = target_velocity(force_state, restitution_share) - qd[v]
    velocity_change_of_locked_dofs(model, work, system.scratch, velocities_after)
    for j in range(qd.shape[0]):
        velocities_after[j] += qd[j]
    for k in range(model.set_valued_forces.shape[0]):
        if model.set_valued_forces[k].kind == ON_DOF:
            dof = work.dofs[model.set_valued_forces[k].v]
            work.force_states[k].impulse = dof.locking_force
            dof.prescribed_qdd = 0.0
    worst = correct_row_velocities(system, q, velocities_after, restitution_share)
    update_bodies(model, work, q, velocities_after)
    return worst <= ZERO_TOLERANCE * (1.0 + largest(qd))


@subroutine
def correct_row_velocities(system, q, velocities_after, restitution_share):
    """Correct velocities for the targets of rows, and add up the impulses. Return the remaining error."""
    model, work, scratch, constraints = system.model, system.work, system.scratch, system.constraints
    rows, worst = constraints.count[ROW_COUNT], 0.0
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.force_law >= 0:
            record.impact_velocity = target_velocity(work.force_states[record.force_law], restitution_share)
            work.force_states[record.force_law].impulse = 0.0
    for _ in range(5 if rows > 0 else 0):
        update_bodies(model, work, q, velocities_after)
        velocity_errors(model, work, constraints, scratch.signal, q, velocities_after, scratch.error)
        worst = largest(scratch.error[:rows])
        if worst <= CLOSED_RESIDUAL * (1.0 + largest(velocities_after)):
            break
        solve_multipliers(constraints, scratch, scratch.error, scratch.multipliers)
        velocity_change_of_multipliers(model, work, constraints, scratch, scratch.multipliers, scratch.dv)
        for j in range(velocities_after.shape[0]):
            velocities_after[j] += scratch.dv[j]
        add_impulses(system)
    for n in range(constraints.count[ACTIVE_COUNT]):
        constraints.records[constraints.active[n]].impact_velocity = 0.0
    return worst


@subroutine
def add_impulses(system):
    model, work, constraints = system.model, system.work, system.constraints
    for k in range(model.set_valued_forces.shape[0]):
        if work.force_states[k].is_locked and model.set_valued_forces[k].kind == ON_DOF:
            work.force_states[k].impulse += work.dofs[model.set_valued_forces[k].v].locking_force
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.force_law >= 0:
            work.force_states[record.force_law].impulse += system.scratch.multipliers[record.row]


@jitable
def target_velocity(force_state, restitution_share):
    """Return the velocity after the impact of one set-valued force."""
    return force_state.velocity_after if force_state.speeding else restitution_share * force_state.velocity_after


@subroutine
def update_impacts(system, q, velocities_after, all_at_once):
    """Leave out impulses that would pull, and add stops that would be passed. Return whether there were any."""
    model, found = system.model, False
    for k in range(model.set_valued_forces.shape[0]):
        element, force_state = model.set_valued_forces[k], system.work.force_states[k]
        if force_state.is_disabled or element.kind == ON_CHART:
            continue
        if force_state.impact_side != 0:
            if force_state.impact_side * force_state.impulse <= 0.0:
                continue
            force_state.impact_side = 0
        else:
            rate = force_law_velocity(model, element, q, velocities_after)
            side = 1 if rate > 0.0 else -1
            stopped = at_stop(model, element, force_state, q, side) and abs(rate) > ZERO_TOLERANCE
            if not stopped and not abs(rate) > element.velocity_limit + ZERO_TOLERANCE:
                continue
            force_state.impact_side, force_state.speeding, force_state.velocity_after = side, 0 if stopped else 1, 0.0
            if not stopped:
                force_state.velocity_after = side * element.velocity_limit
        found = True
        if not all_at_once:
            return True
    return found


@jitable
def at_stop(model, element, force_state, q, side):
    """Return whether a coordinate is at a stop that takes impulses."""
    if element.kind == ON_CHART or force_state.pressed == side:
        return False
    return side * (stop_position(force_state, side) - force_law_coordinate(model, element, q)) <= ZERO_TOLERANCE


@subroutine
def release_velocity_limits(system, y):
    """Release axes that are held at their velocity limit if a stop is hit. Return whether there are any.

    Whether an axis rests after an impact depends on the acceleration that drives it back to the stop. The velocity
    limit no longer acts then.
    """
    model, force_states = system.model, system.work.force_states
    q, qd = parts_of(system, y)
    strikes, found = False, False
    for k in range(model.set_valued_forces.shape[0]):
        rate = force_law_velocity(model, model.set_valued_forces[k], q, qd)
        if not force_states[k].is_disabled and abs(rate) > ZERO_TOLERANCE:
            strikes = strikes or at_stop(model, model.set_valued_forces[k], force_states[k], q, 1 if rate > 0.0 else -1)
    for k in range(model.set_valued_forces.shape[0] if strikes else 0):
        if force_states[k].is_locked and force_states[k].motion_sign != 0:
            force_states[k].is_locked, found = 0, True
    if found:
        apply_locks(system)
    return found


@subroutine
def find_impacts(system, y, slopes, instant_depth, rest_height):
    """Store which stops and limits take an impulse, and the velocities after it. Return whether there are any."""
    model, found = system.model, False
    q, qd = parts_of(system, y)
    for k in range(model.set_valued_forces.shape[0]):
        element, force_state = model.set_valued_forces[k], system.work.force_states[k]
        force_state.impact_side, force_state.speeding = 0, 0
        if force_state.is_disabled:
            continue
        rate = force_law_velocity(model, element, q, qd)
        side = 1 if rate > 0.0 else -1
        force_state.free_acceleration = (
            -force_state.load * force_state.locked_response
            if force_state.is_locked
            else element_acceleration(system, y, slopes, k)
        )
        if abs(rate) > ZERO_TOLERANCE and at_stop(model, element, force_state, q, side):
            if instant_depth > 0.0 or math.isinf(element.stiffness):
                force_state.impact_side, force_state.velocity_before = side, rate
                force_state.velocity_after = -rebound(element, force_state, rate, side, rest_height)
            else:
                force_state.pressed = side
        elif abs(rate) > element.velocity_limit + ZERO_TOLERANCE:
            force_state.impact_side, force_state.speeding, force_state.velocity_before = side, 1, rate
            force_state.velocity_after = side * element.velocity_limit
        found = found or force_state.impact_side != 0
    return found


@jitable
def rebound(element, force_state, rate, side, rest_height):
    """Return the speed at which a coordinate leaves a stop; 0 if the bounce would be below the tolerance."""
    force_state.bounce_count += 1
    back = rate * (
        element.restitution if math.isinf(element.stiffness) else compliant_restitution(element.dissipation * abs(rate))
    )
    return (
        0.0 if force_state.bounce_count > MAX_BOUNCES or is_driven_back(force_state, back, side, rest_height) else back
    )


@jitable
def is_driven_back(force_state, rate, side, rest_height):
    """Return whether a coordinate that leaves the stop so slowly is driven back at once."""
    return (
        side * force_state.free_acceleration > 0.0
        and rate * rate <= 2.0 * side * force_state.free_acceleration * rest_height
    )


@jitable
def keeps_sliding(model, work, k, rate, rest_height):
    """Return whether friction takes longer than the tolerance to stop a coordinate with this velocity."""
    element = model.set_valued_forces[k]
    yields = work.dofs[element.v].D_inv if element.kind == ON_DOF else work.force_states[k].locked_response
    return rate * rate > 2.0 * element.friction * yields * rest_height and abs(rate) > ZERO_TOLERANCE


@subroutine
def bring_to_rest(calls, system, time, y, slopes, rest_height, jumped):
    """Stop coordinates that would move by less than the tolerance, by impulses that conserve momentum.

    These are slides that friction stops, and coordinates that have just left a stop into which forces drive them.
    Otherwise two stops whose bounces push each other's links away would bounce in turn without end.
    """
    model, work = system.model, system.work
    q, qd = parts_of(system, y)
    found = False
    for k in range(model.set_valued_forces.shape[0]):
        element, force_state = model.set_valued_forces[k], work.force_states[k]
        rate = force_law_velocity(model, element, q, qd)
        # A coordinate that accelerates has just begun to slide: its low speed does not mean that it stops.
        slows = jumped or rate * force_state.free_acceleration <= 0.0
        rests = element.friction > 0.0 and slows and not keeps_sliding(model, work, k, rate, rest_height)
        for side in (-1, 1):
            if at_stop(model, element, force_state, q, side):
                rests = rests or abs(rate) <= ZERO_TOLERANCE or is_driven_back(force_state, rate, side, rest_height)
        force_state.is_locked = 1 if rests and not force_state.is_disabled else 0
        force_state.velocity_after, force_state.speeding = 0.0, 0
        force_state.impact_side = force_state.is_locked
        found = found or (force_state.is_locked != 0 and abs(rate) > ZERO_TOLERANCE)
    if found:
        apply_locks(system)
        calls.rates(system, time, y, 0.0, slopes)
        before = kinetic_energy(model, work, qd)
        velocities_after = parts_of(system, slopes)[1]
        if solve_impact_velocities(system, q, qd, velocities_after, 0.0):
            y[DISSIPATED] += before - kinetic_energy(model, work, velocities_after)
            copy(velocities_after, qd)
    clear_impacts(system)


@jitable
def compliant_restitution(x):
    """Return the restitution of a compliant stop for x = dissipation * speed: y / x with x - ln(1 + x) = -y - ln(1 -
    y).

    It depends neither on the stiffness nor on the mass.
    """
    if x < 1e-3:
        return 1.0 - 2.0 * x / 3.0
    lost = x - log1p(x)
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        if -middle - log1p(-middle) < lost:
            low = middle
        else:
            high = middle
    return low / x


@subroutine
def lock_impacts(system):
    """Lock exactly the coordinates whose set-valued forces take an impulse. Return whether there are any."""
    force_states, found = system.work.force_states, False
    for k in range(force_states.shape[0]):
        force_states[k].is_locked = 1 if force_states[k].impact_side != 0 else 0
        found = found or force_states[k].impact_side != 0
    apply_locks(system)
    return found


@subroutine
def clear_impacts(system):
    """Clear all impacts."""
    for k in range(system.work.force_states.shape[0]):
        system.work.force_states[k].impact_side, system.work.force_states[k].speeding = 0, 0


@subroutine
def press_compliant_stops(system, instant_depth):
    """Mark compliant stops as pressed that would be compressed by more than `instant_depth`. Return whether there are
    any.
    """
    model, work, found = system.model, system.work, False
    for k in range(model.set_valued_forces.shape[0]):
        if work.force_states[k].impact_side != 0:
            found = press_if_deep(model.set_valued_forces[k], work.force_states[k], instant_depth) or found
    return found


@jitable
def press_if_deep(element, force_state, instant_depth):
    """Mark a compliant stop as pressed, instead of its impact, if it would be compressed by more than `instant_depth`.

    Return whether it would.
    """
    if (
        force_state.speeding
        or force_state.velocity_before * force_state.velocity_before
        <= instant_depth * instant_depth * element.stiffness * force_state.locked_response
    ):
        return False
    if math.isinf(element.stiffness):
        return False
    force_state.pressed, force_state.impact_side = force_state.impact_side, 0
    return True
