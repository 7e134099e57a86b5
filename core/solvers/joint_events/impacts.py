# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts of joints: the velocity of a coordinate that reaches a stop, or its velocity limit, jumps.

Impulses act at all stops that are touched at once, and propagate through joints and loops. Impulses that would pull are
left out, and stops that would then be passed take part. Friction takes no part, since a bounded force has no impulse.
Each stop has Newton's restitution. If several stops together would gain energy, all restitutions are reduced.

Source: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 8; Marhefka, Orin, A compliant
contact model with nonlinear damping for simulation of robotic systems (1999), for the restitution of a compliant stop.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...contact.impacts import MAX_RESTITUTION_TRIES, reduced_share
from ...dynamics.constraint_forces import jump, multipliers_for, respond
from ...dynamics.constraint_rows import velocity_errors
from ...dynamics.energy import kinetic_energy
from ...dynamics.guards import bound_of, watched_rate, watched_value
from ...kinematics.motion import move_bodies
from ...kinematics.work import largest
from ...model.compiling.compiled import ON_CHART, ON_DOF
from ...spatial import log1p
from ...spatial.storage import copy
from ..system import CLOSED, parts_of
from .holding import TOGETHER, update_holds, watched_gain
from .margins import NEAR

MOST_BOUNCES = 200
"""Maximum number of bounces of one guard in one frame. After these, it comes to rest."""

MOST_ROUNDS = 30


NOTHING, JUMPED, UNFIT = 0, 1, 2


@subroutine
def strike(calls, system, time, y, slopes, shallow, resting):
    """Let velocities jump at impacts. The lost energy counts as dissipated.

    slopes: the rates at y, which are overwritten. shallow [m or rad]: depth up to which a compliant stop acts at once.
    resting [m or rad]: height of a bounce below which the motion ends. Return NOTHING, JUMPED, or UNFIT if no
    consistent velocities were found.
    """
    if release_speeds(system, y):
        calls.rates(system, time, y, 0.0, slopes)
    if not find_struck(system, y, slopes, shallow, resting):
        return NOTHING
    hold_struck(system)
    calls.rates(system, time, y, 0.0, slopes)
    if press_soft(system, shallow):
        if not hold_struck(system):
            return NOTHING
        calls.rates(system, time, y, 0.0, slopes)
    qd = parts_of(system, y)[1]
    leaving = parts_of(system, slopes)[1]  # the rates will be found anew
    before = kinetic_energy(system.model, system.work, qd)
    after, give, fits = before, 1.0, False
    for _ in range(MAX_RESTITUTION_TRIES):
        fits = bounce_together(calls, system, time, y, slopes, give)
        after = kinetic_energy(system.model, system.work, leaving)
        if fits and (after <= before * (1.0 + 1e-12) or system.inputs.signals.shape[0] > 0):
            break
        give *= reduced_share(give)
    copy(leaving, qd)
    y[y.shape[0] - 2] += before - after
    forget(system)
    return JUMPED if fits else UNFIT


@subroutine
def bounce_together(calls, system, time, y, slopes, give):
    """Write the velocities after an impact to those of `slopes`, with a part `give` of all restitutions.

    Return whether they satisfy the constraints.
    """
    q, qd = parts_of(system, y)
    leaving = parts_of(system, slopes)[1]
    for turn in range(MOST_ROUNDS):
        if turn > 0:
            hold_struck(system)
            calls.rates(system, time, y, 0.0, slopes)
        fits = bounce(system, q, qd, leaving, give)
        if not choose_struck(system, q, leaving, turn < TOGETHER):
            return fits
    return False


@subroutine
def bounce(system, q, qd, leaving, give):
    """Write the velocities that the targets of the impacts imply. Return whether the constraints stay satisfied."""
    model, work = system.model, system.work
    for k in range(model.guards.shape[0]):
        watch = work.watches[k]
        if watch.struck != 0 and model.guards[k].kind == ON_DOF:
            v = model.guards[k].v
            work.dofs[v].prescribed_qdd = target(watch, give) - qd[v]
    jump(model, work, system.scratch, leaving)
    for j in range(qd.shape[0]):
        leaving[j] += qd[j]
    for k in range(model.guards.shape[0]):
        if model.guards[k].kind == ON_DOF:
            dof = work.dofs[model.guards[k].v]
            work.watches[k].impulse = dof.locking_force
            dof.prescribed_qdd = 0.0
    worst = close_targets(system, q, leaving, give)
    move_bodies(model, work, q, leaving)
    return worst <= NEAR * (1.0 + largest(qd))


@subroutine
def close_targets(system, q, leaving, give):
    """Correct velocities for the targets of rows, and add up the impulses. Return the remaining error."""
    model, work, scratch, constraints = system.model, system.work, system.scratch, system.constraints
    rows, worst = constraints.count[1], 0.0
    for n in range(constraints.count[0]):
        record = constraints.records[constraints.active[n]]
        if record.guard >= 0:
            record.pace = target(work.watches[record.guard], give)
            work.watches[record.guard].impulse = 0.0
    for _ in range(5 if rows > 0 else 0):
        move_bodies(model, work, q, leaving)
        velocity_errors(model, work, constraints, scratch.signal, q, leaving, scratch.error)
        worst = largest(scratch.error[:rows])
        if worst <= CLOSED * (1.0 + largest(leaving)):
            break
        multipliers_for(constraints, scratch, scratch.error, scratch.multipliers)
        respond(model, work, constraints, scratch, scratch.multipliers, scratch.dv)
        for j in range(leaving.shape[0]):
            leaving[j] += scratch.dv[j]
        add_impulses(system)
    for n in range(constraints.count[0]):
        constraints.records[constraints.active[n]].pace = 0.0
    return worst


@subroutine
def add_impulses(system):
    model, work, constraints = system.model, system.work, system.constraints
    for k in range(model.guards.shape[0]):
        if work.watches[k].held and model.guards[k].kind == ON_DOF:
            work.watches[k].impulse += work.dofs[model.guards[k].v].locking_force
    for n in range(constraints.count[0]):
        record = constraints.records[constraints.active[n]]
        if record.guard >= 0:
            work.watches[record.guard].impulse += system.scratch.multipliers[record.row]


@jitable
def target(watch, give):
    """Return the velocity after the impact of one guard."""
    return watch.pace if watch.speeding else give * watch.pace


@subroutine
def choose_struck(system, q, leaving, together):
    """Leave out impulses that would pull, and add stops that would be passed. Return whether there were any."""
    model, found = system.model, False
    for k in range(model.guards.shape[0]):
        guard, watch = model.guards[k], system.work.watches[k]
        if watch.asleep or guard.kind == ON_CHART:
            continue
        if watch.struck != 0:
            if watch.struck * watch.impulse <= 0.0:
                continue
            watch.struck = 0
        else:
            rate = watched_rate(model, guard, q, leaving)
            side = 1 if rate > 0.0 else -1
            stopped = at_stop(model, guard, watch, q, side) and abs(rate) > NEAR
            if not stopped and not abs(rate) > guard.velocity + NEAR:
                continue
            watch.struck, watch.speeding, watch.pace = side, 0 if stopped else 1, 0.0
            if not stopped:
                watch.pace = side * guard.velocity
        found = True
        if not together:
            return True
    return found


@jitable
def at_stop(model, guard, watch, q, side):
    """Return whether a coordinate is at a stop that takes impulses."""
    if guard.kind == ON_CHART or watch.pressed == side:
        return False
    return side * (bound_of(watch, side) - watched_value(model, guard, q)) <= NEAR


@subroutine
def release_speeds(system, y):
    """Release axes that are held at their velocity limit if a stop is hit. Return whether there are any.

    Whether an axis rests after an impact depends on the acceleration that drives it back to the stop. The velocity
    limit no longer acts then.
    """
    model, watches = system.model, system.work.watches
    q, qd = parts_of(system, y)
    strikes, found = False, False
    for k in range(model.guards.shape[0]):
        rate = watched_rate(model, model.guards[k], q, qd)
        if not watches[k].asleep and abs(rate) > NEAR:
            strikes = strikes or at_stop(model, model.guards[k], watches[k], q, 1 if rate > 0.0 else -1)
    for k in range(model.guards.shape[0] if strikes else 0):
        if watches[k].held and watches[k].slide != 0:
            watches[k].held, found = 0, True
    if found:
        update_holds(system)
    return found


@subroutine
def find_struck(system, y, slopes, shallow, resting):
    """Store which guards take an impulse, and their velocities after the impact. Return whether there are any."""
    model, found = system.model, False
    q, qd = parts_of(system, y)
    for k in range(model.guards.shape[0]):
        guard, watch = model.guards[k], system.work.watches[k]
        watch.struck, watch.speeding = 0, 0
        if watch.asleep:
            continue
        rate = watched_rate(model, guard, q, qd)
        side = 1 if rate > 0.0 else -1
        watch.gain = -watch.load * watch.yields if watch.held else watched_gain(system, y, slopes, k)
        if abs(rate) > NEAR and at_stop(model, guard, watch, q, side):
            if shallow > 0.0 or math.isinf(guard.stiffness):
                watch.struck, watch.rate = side, rate
                watch.pace = -rebound(guard, watch, rate, side, resting)
            else:
                watch.pressed = side
        elif abs(rate) > guard.velocity + NEAR:
            watch.struck, watch.speeding, watch.rate = side, 1, rate
            watch.pace = side * guard.velocity
        found = found or watch.struck != 0
    return found


@jitable
def rebound(guard, watch, rate, side, resting):
    """Return the speed at which a coordinate leaves a stop; 0 if the bounce would be below the tolerance."""
    watch.bounces += 1
    back = rate * (guard.restitution if math.isinf(guard.stiffness) else given_back(guard.dissipation * abs(rate)))
    return 0.0 if watch.bounces > MOST_BOUNCES or stays(watch, back, side, resting) else back


@jitable
def stays(watch, rate, side, resting):
    """Return whether a coordinate that leaves the stop so slowly is driven back at once."""
    return side * watch.gain > 0.0 and rate * rate <= 2.0 * side * watch.gain * resting


@jitable
def slides_on(model, work, k, rate, resting):
    """Return whether friction takes longer than the tolerance to stop a coordinate with this velocity."""
    guard = model.guards[k]
    yields = work.dofs[guard.v].D_inv if guard.kind == ON_DOF else work.watches[k].yields
    return rate * rate > 2.0 * guard.friction * yields * resting and abs(rate) > NEAR


@subroutine
def bring_to_rest(calls, system, time, y, slopes, resting, jumped):
    """Stop coordinates that would move by less than the tolerance, by impulses that conserve momentum.

    These are slides that friction stops, and coordinates that have just left a stop into which forces drive them.
    Otherwise two stops that push each other's links off would take turns for ever.
    """
    model, work = system.model, system.work
    q, qd = parts_of(system, y)
    found = False
    for k in range(model.guards.shape[0]):
        guard, watch = model.guards[k], work.watches[k]
        rate = watched_rate(model, guard, q, qd)
        slows = jumped or rate * watch.gain <= 0.0  # what has only just begun to slide is slow as well
        rests = guard.friction > 0.0 and slows and not slides_on(model, work, k, rate, resting)
        for side in (-1, 1):
            if at_stop(model, guard, watch, q, side):
                rests = rests or abs(rate) <= NEAR or stays(watch, rate, side, resting)
        watch.held = 1 if rests and not watch.asleep else 0
        watch.pace, watch.speeding = 0.0, 0
        watch.struck = watch.held
        found = found or (watch.held != 0 and abs(rate) > NEAR)
    if found:
        update_holds(system)
        calls.rates(system, time, y, 0.0, slopes)
        before = kinetic_energy(model, work, qd)
        leaving = parts_of(system, slopes)[1]
        if bounce(system, q, qd, leaving, 0.0):
            y[y.shape[0] - 2] += before - kinetic_energy(model, work, leaving)
            copy(leaving, qd)
    forget(system)


@jitable
def given_back(x):
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
def hold_struck(system):
    """Let exactly the guards hold that take an impulse. Return whether there are any."""
    watches, found = system.work.watches, False
    for k in range(watches.shape[0]):
        watches[k].held = 1 if watches[k].struck != 0 else 0
        found = found or watches[k].struck != 0
    update_holds(system)
    return found


@subroutine
def forget(system):
    """Clear all impacts."""
    for k in range(system.work.watches.shape[0]):
        system.work.watches[k].struck, system.work.watches[k].speeding = 0, 0


@subroutine
def press_soft(system, shallow):
    """Let compliant stops that would be pressed deeper than `shallow` act as such. Return whether there are any."""
    model, work, found = system.model, system.work, False
    for k in range(model.guards.shape[0]):
        if work.watches[k].struck != 0:
            found = soften(model.guards[k], work.watches[k], shallow) or found
    return found


@jitable
def soften(guard, watch, shallow):
    """Let a stop act as a compliant one if it would be pressed deeper than `shallow`."""
    if watch.speeding or watch.rate * watch.rate <= shallow * shallow * guard.stiffness * watch.yields:
        return False
    if math.isinf(guard.stiffness):
        return False
    watch.pressed, watch.struck = watch.struck, 0
    return True
