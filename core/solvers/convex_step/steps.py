# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of the convex solver: one step finds the velocities of all bodies at once, and locates no events.

hybrid_contact/solver.py calls `advance_convex`. A step is linearly implicit: momentum balances at the velocities of its
end, with the impulses of all constraints. Gaps close by no more than they are open, so no contact is stepped over.
Impacts with restitution follow as a second solution at the end of the step (restitution.py), and positions advance in
free flight (free_flight.py). While bodies are at rest, steps grow up to the length of a frame, and islands fall asleep.

Source: Castro, Han, Masterjohn, Irrotational contact fields, arXiv 2312.03908 (2023); Moreau, Unilateral contact and
dry friction in finite freedom dynamics (1988), for impacts.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ...compilation.abi import KernelTuple
from ...compilation.jit import jitable, kernel, subroutine
from ...contact.collision_state import (
    HALF_SPACE_EXTENT,
    NEEDED_PAIRS,
    PAIR_COUNT,
    START_COUNT,
    list_contacts,
    update_solid_poses,
)
from ...contact.contact_kinematics import velocity_at
from ...contact.touch_log import has_room
from ...dynamics.constraints import ROW_COUNT
from ...dynamics.set_valued_forces import stop_energy
from ...spatial import norm, sub
from ...spatial.storage import copy, get3, put3
from ..frames import is_asked, time_ahead, write_frame_of_contact
from ..protocol import HOPELESS, REACHED, UNDERWAY
from ..release import release_all
from ..stepping import has_diverged
from ..system import DISSIPATED, SUPPLIED, normalize_quaternions, parts_of, read_signals
from .constraints import (
    add_bilateral_constraints,
    add_contact,
    add_set_valued_force_constraints,
)
from .energy_accounts import energy_of_step, soft_energy
from .free_flight import (
    advance_positions,
    begin_flight,
    choose_position_velocities,
    close_loops,
    largest_velocity_change,
    separate_inertia,
)
from .mass_matrix import share_coupled_mass, write_mass_matrix
from .newton import find_velocities
from .persistence import (
    clear_reported_loads,
    copy_persistent,
    is_half_full,
    move_springs,
    recall_contact,
    report_contacts,
    report_element_loads,
    spring_share,
    store_contacts,
    store_element_loads,
)
from .problem import (
    CONSTRAINT_COUNT,
    CONTACT_COUNT,
    DOF_COUNT,
    ISLAND_COUNT,
    JACOBIAN_COUNT,
    PREVIOUS_COUNT,
    find_islands,
)
from .restitution import apply_restitution
from .sleeping import (
    keep_sleeping_contacts,
    put_to_sleep,
    remove_sleeping_pairs,
    stop_sleeping_trees,
    update_still_time,
    wake,
    wake_if_forces_changed,
)
from .step_checks import (
    LEAST_RETAKEN,
    MOST_AT_ONCE,
    created_energy,
    energies_at,
    energy_error,
    fitting_length,
    leaves_range,
    overlaps_too_far,
)

ARRAYS_TOO_SHORT = 3
"""Return value of `advance_convex`, besides a `Progress`: the step was not taken, since an array is too short for it.
"""

MIN_STEP = 1e-9
"""Step below which the solver gives up if the step fails [s]."""
RETRY_FACTOR = 0.1
"""Length of the next try as a share of a step that failed."""
SHORTER = 0.25
"""Length of the next try as a share of a step in which an angle left its range or solids came to overlap."""
MIN_REMAINING = 1e-12
"""Time up to a frame that counts as none [s]: it is a rounding error, and no step is that short."""
FLIGHT_TOLERANCE = 0.01
"""Relative error of the kinetic energy in free flight, as a share of the tolerance of the friction bounds."""


class ConvexStepSettings(
    KernelTuple,
    namedtuple(
        "ConvexStepSettings",
        "base_step momentum_residual friction_bound_change rest_height growth_error sleep_threshold range_error"
        " overlap_share energy_error",
    ),
):
    """Tolerances of the convex step at one accuracy level.

    Attributes:
        base_step: length of a step while bodies move [s].
        momentum_residual, friction_bound_change: where the solver stops; see `find_velocities`.
        rest_height: a contact that would bounce no higher than this does not bounce [m].
        growth_error: the next step may be twice as long, and longer than `base_step`, if the change of velocities moved
            nothing farther than this in the step [m].
        sleep_threshold: a body is still while it moves no farther than this in a step [m].
        range_error: a step in which an angle with a rigid stop leaves its range by more than this is taken again in
            shorter ones [rad].
        overlap_share: a step in which the overlap of rigid solids grows by more than this is taken again in shorter
            ones; as a share of the thickness of the thinner one.
        energy_error: energy that a step may create, as a share of what moved; see step_checks.py.
    """


@kernel
def advance_convex(
    calls, system, collisions, step, y, trial, slopes, stepping, ahead, end, settings, impacts, most_steps
):
    """Integrate `y` in place up to the last of the frames ahead, or up to `end` [s] if none is asked for.

    Return a `Progress`, or ARRAYS_TOO_SHORT.

    Args:
        ahead: a `FramesAhead`. `touch.points` must have room for all contacts of a step.
        most_steps: number of steps after which the rest is left to another call.
    """
    frames, now, left = ahead.frames, stepping[0], most_steps
    while True:
        if is_asked(frames) and not has_room(system.touch, ahead.log):
            return UNDERWAY
        end = time_ahead(frames, end)
        found, left = advance_to(calls, system, collisions, step, y, trial, slopes, now, end, settings, impacts, left)
        if found != REACHED:
            return found
        report_contacts(system, collisions, step)
        report_element_loads(system, step)
        if is_asked(frames):
            write_frame_of_contact(calls, system, now, y, now.soft_energy, ahead)
        if not is_asked(frames):
            return REACHED
        if left <= 0 or now.convex_steps_left <= 0 or is_half_full(impacts):
            return UNDERWAY


@subroutine
def advance_to(calls, system, collisions, step, y, trial, slopes, now, end, settings, impacts, most_steps):
    """Integrate `y` in place up to `end` [s].

    Return (what `advance_convex` returns, how many steps of `most_steps` are left). A step that fails is undone as a
    whole and tried again with RETRY_FACTOR times its length; one that the checks of step_checks.py reject, with SHORTER
    times its length.
    """
    energy, left = energies_at(system, y), most_steps
    while left > 0 and now.time < end and now.convex_steps_left > 0:
        left -= 1
        remaining = end - now.time
        if remaining < MIN_REMAINING:
            now.time = end
            break
        h = remaining / math.ceil(remaining / (now.convex_step if now.convex_step > 0.0 else settings.base_step) - 1e-9)
        impacts_listed, impact_count, stored = impacts.count[0], now.impacts, now.soft_energy
        contacts = step.counts[PREVIOUS_COUNT]
        copy_persistent(step, step.backup, contacts)
        fits, succeeded, change, unbacked = take_step(
            calls, system, collisions, step, y, trial, slopes, now, h, settings, impacts
        )
        failed = fits and (not succeeded or has_diverged(system, y, trial))
        retake, after, error, shortest, created, moved = failed, energy, 0.0, 0.0, 0.0, 0.0
        if fits and not failed:
            soft_energy = now.soft_energy - stored
            after, created, moved = created_energy(system, trial, y, energy, soft_energy, unbacked, settings)
            error, shortest = energy_error(now, created, moved, settings)
            failed = h <= shortest and created > MOST_AT_ONCE * moved
            retake = failed or (error > 1.0 and h > shortest)
            if not retake and h > LEAST_RETAKEN * settings.base_step:
                retake = leaves_range(system, trial, y, settings.range_error)
                if not retake:
                    fits, retake = overlaps_too_far(system, collisions, step, h, settings)
        if failed and h < MIN_STEP:
            return HOPELESS, left
        if retake or not fits:
            copy(trial, y)
            restore_backup(step, contacts)
            impacts.count[0], now.impacts, now.soft_energy = impacts_listed, impact_count, stored
            if not fits:
                return ARRAYS_TOO_SHORT, left
            factor = RETRY_FACTOR if failed else SHORTER
            now.convex_step = max(min(fitting_length(h, error, shortest), factor * h), RETRY_FACTOR * h)
            now.rejected += 1
            continue
        now.time = end if h == remaining else now.time + h
        now.steps += 1
        now.implicit_steps += 1
        now.convex_steps_left -= 1
        now.created, now.most_moved = now.created + created, max(now.most_moved, moved)
        energy = after
        longest = 1.0 if change * h <= settings.growth_error else settings.base_step
        now.convex_step = min(fitting_length(h, error, shortest), longest)
    return (REACHED if now.time >= end else UNDERWAY), left


@subroutine
def restore_backup(step, contacts):
    """Restore the arrays that persist between steps from the backup. contacts: number of contacts of the last step."""
    copy_persistent(step.backup, step, contacts)
    step.counts[PREVIOUS_COUNT] = contacts


@subroutine
def take_step(calls, system, collisions, step, y, trial, slopes, now, h, settings, impacts):
    """Advance y by one step of h seconds.

    A step fails if it is too long for the rotation of bodies.

    Returns:
        (whether the arrays were long enough, whether the step succeeded, the largest change of a velocity [m/s], the
        energy that compliant contacts and stops stored or gave without having received it [J]).
    """
    copy(y, trial)
    q, qd = parts_of(system, y)
    slope, model, work = slopes[0], system.model, system.work
    reset_event_states(system, q)
    is_flying = begin_flight(system, step, y, h, slopes[1])
    calls.rates(system, now.time, y, h, slope)
    qdd = parts_of(system, slope)[1]
    gravity = norm(get3(model.gravity))
    for j in range(qd.shape[0]):
        step.v0[j] = step.v[j] = qd[j]
        step.v_free[j] = qd[j] + h * qdd[j]
    separate_inertia(system, step, h, is_flying, slopes[1])
    write_mass_matrix(model, work, step)
    share_coupled_mass(system.constraints, step)
    wake_if_forces_changed(step, h)
    if not find_constraints(system, collisions, step, q, qd, now, h, settings, gravity):
        return False, True, 0.0, 0.0
    pushed = max(soft_energy(step) - now.soft_energy, 0.0)  # energy that separates overlaps; see `spring_share`
    find_velocities(step, settings.momentum_residual, settings.friction_bound_change)
    choose_position_velocities(step, qd)
    move_springs(step, h, qd)
    store_contacts(step, h)
    store_element_loads(system, step, h, max(gravity, 1.0))
    stored, stop_energy_before = soft_energy(step), stop_energy(model, work, q)
    undelivered_work = apply_restitution(model, step, qd, now, h, settings, gravity, impacts)
    lost, gained, pressed = energy_of_step(system, step, q, qd, now.time, h)
    update_still_time(model, step, step.v, h, settings.sleep_threshold)
    put_to_sleep(step, work.force_states, step.v, h)
    energy_tolerance = FLIGHT_TOLERANCE * settings.friction_bound_change
    succeeded = advance_positions(system, step, y, trial, h, is_flying, energy_tolerance, slopes)
    normalize_quaternions(model, y)
    succeeded = close_loops(calls, system, now.time + h, y, slope) and succeeded
    y[SUPPLIED] += gained + pushed
    released = now.soft_energy + pushed - stored + stop_energy_before - stop_energy(model, work, q)
    y[DISSIPATED] += lost + undelivered_work + released
    now.soft_energy = stored
    for k in range(work.force_states.shape[0]):
        work.force_states[k].is_step_constraint = 0
    return True, succeeded, largest_velocity_change(model, step, qd), max(pressed - released, 0.0)


@subroutine
def reset_event_states(system, q):
    """Reset the states of contacts and set-valued forces in event-driven steps, which constraints replace here."""
    release_all(system)
    clear_reported_loads(system)
    for k in range(system.model.set_valued_forces.shape[0]):
        element, force_state = system.model.set_valued_forces[k], system.work.force_states[k]
        (
            force_state.motion_sign,
            force_state.pressed,
            force_state.saturated,
            force_state.stop_side,
            force_state.is_undecided,
        ) = 0, 0, 0, 0, 0
        drives = element.drive_stiffness != 0.0 or element.drive_damping != 0.0 or element.drive_push != 0.0
        force_state.is_step_constraint = 1 if drives and 0.0 < element.effort_limit < math.inf else 0


@subroutine
def find_constraints(system, collisions, step, q, qd, now, h, settings, gravity):
    """Find the constraints of a step and their islands, and wake islands that they connect with moving bodies.

    Return whether the arrays were long enough.
    """
    if not find_near_contacts(system, collisions, step, h, gravity):
        return False
    if wake_touched(system, collisions, step, h, gravity) and not find_near_contacts(
        system, collisions, step, h, gravity
    ):
        return False
    stop_sleeping_trees(step)
    for k in (CONSTRAINT_COUNT, DOF_COUNT, JACOBIAN_COUNT, ISLAND_COUNT):
        step.counts[k] = 0
    return assemble_constraints(system, collisions, step, q, qd, now, h, settings, gravity)


@subroutine
def find_near_contacts(system, collisions, step, h, gravity):
    """List the contact points that may close within h seconds. Return whether the arrays were long enough.

    The bounding box of each solid is enlarged by the distance that the solid moves in the step at its present velocity
    and the acceleration of gravity [m/s^2]. Pairs at rest and sleeping pairs are left out.
    """
    update_solid_poses(system, collisions)
    farthest = 0.0
    for i in range(collisions.solids.shape[0]):
        solid, pose = collisions.solids[i], collisions.solid_poses[i]
        if solid.body == 0:
            continue
        twist = collisions.twists[solid.body]
        arm = norm(get3(solid.origin)) + min(solid.bounding_radius, HALF_SPACE_EXTENT)
        displacement = h * (norm(get3(twist)) + norm(get3(twist, 3)) * arm + h * gravity)
        farthest = max(farthest, displacement)
        for k in range(3):
            pose.lower[k] -= displacement
            pose.upper[k] += displacement
    count = collisions.kernels.find_pairs(
        collisions.solids, collisions.solid_poses, collisions.collision_filter, 0.0, collisions.tree, collisions.pairs
    )
    collisions.counts[PAIR_COUNT] = count
    if count > collisions.pairs.shape[0]:
        collisions.counts[NEEDED_PAIRS] = count
        return False
    collisions.counts[PAIR_COUNT] = remove_sleeping_pairs(system.work, collisions, step, count)
    collisions.listed_gap[0] = 2.0 * farthest
    return list_contacts(
        system, collisions, collisions.listed_gap[0], collisions.starts, collisions.start_states, START_COUNT
    )


@subroutine
def assemble_constraints(system, collisions, step, q, qd, now, h, settings, gravity):
    """Write all constraints of a step, and find their islands. Return whether the arrays were long enough."""
    counts, next_previous, share, one, other = step.counts, 0, 1.0, -1, -1
    counts[CONTACT_COUNT] = 0
    point = system.touch.points[0]  # scratch: it only holds the combined surface of a pair
    for k in range(collisions.counts[START_COUNT]):
        start = collisions.starts[k]
        if stays_open(system, collisions, start, h, gravity):
            continue
        first, second = start.first, start.second
        next_previous, fits = keep_sleeping_contacts(system.work, collisions, step, next_previous, first, second)
        if not fits or counts[CONTACT_COUNT] >= step.contacts.shape[0]:
            return False
        contact = step.contacts[counts[CONTACT_COUNT]]
        contact.first, contact.second, contact.name = first, second, start.name
        put3(contact.position, get3(start.point))
        put3(contact.normal, get3(start.normal))
        if now.steps > 0 and (first != one or second != other):
            share = spring_share(step, collisions, k, next_previous, h, settings.base_step, gravity)
            one, other = first, second
        contact.gap, contact.spring_gap = start.gap, start.gap if start.gap > 0.0 else share * start.gap
        recall_contact(step, contact, next_previous)
        if not add_contact(system, collisions, step, point, contact, h, settings.base_step, gravity):
            return False
        counts[CONTACT_COUNT] += 1
    count = collisions.solids.shape[0]
    if not keep_sleeping_contacts(system.work, collisions, step, next_previous, count, count)[1]:
        return False
    if not add_set_valued_force_constraints(system, step, q, qd, h, settings.base_step, gravity):
        return False
    if system.constraints.count[ROW_COUNT] > 0:
        read_signals(system, now.time + h)
        if not add_bilateral_constraints(system, step, q, qd):
            return False
    return find_islands(step)


@jitable
def stays_open(system, collisions, start, h, gravity):
    """Return whether a contact's gap stays open for h seconds, with twice the relative velocity and gravity."""
    return start.gap > 2.0 * h * (norm(contact_velocity(system.work, collisions, start)) + gravity * h)


@jitable
def contact_velocity(work, collisions, contact):
    """Return the velocity of the second body relative to the first at a CONTACT's point [m/s]."""
    one, other = work.bodies[collisions.solids[contact.first].body], work.bodies[collisions.solids[contact.second].body]
    p = get3(contact.point)
    return sub(velocity_at(other, p), velocity_at(one, p))


@subroutine
def wake_touched(system, collisions, step, h, gravity):
    """Wake sleeping islands that may come into contact with moving bodies. Return whether there were any."""
    found = False
    for k in range(collisions.counts[START_COUNT]):
        start = collisions.starts[k]
        if stays_open(system, collisions, start, h, gravity):
            continue
        for solid in (start.first, start.second):  # the other solid is awake, since pairs at rest were removed
            t = step.forest.tree_of_body[collisions.solids[solid].body]
            if t >= 0 and step.asleep[t]:
                wake(step, step.asleep[t])
                found = True
    return found
