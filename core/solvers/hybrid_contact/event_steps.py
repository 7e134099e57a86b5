# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of high order between contact events: each touch, slip and separation is an event.

Steps are explicit or, for stiff joints, implicit, as without contact (adaptive.py). Contacts are constraints, satisfied
to rounding as joints are. A step in which a contact event occurs is repeated with a shorter length, so that it ends
there. Bounces below a tolerance end at once, so that infinitely many bounces take a finite number of events.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (2nd ed., 1993), section II.6, for events;
Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996), for the problems that are solved at them.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ...compilation.abi import KernelTuple
from ...compilation.jit import jitable, kernel, subroutine
from ...contact.collision_state import update_candidate_pairs
from ...contact.loads import soft_contact_energy
from ...contact.points import ALLOWED, POINTS, WORK
from ...contact.touch_log import has_room
from ...dynamics.energy import kinetic_energy
from ...kinematics.motion import update_bodies
from ...spatial import raised
from ...spatial.storage import copy
from ..convex_step.persistence import clear_reported_loads, is_half_full
from ..convex_step.steps import ARRAYS_TOO_SHORT
from ..frames import is_asked, time_ahead, write_frame_of_contact
from ..integration.adaptive_steps import (
    CROWDED_INTERVAL,
    SHORTEST_STEP,
    accept_step,
    adapt_to_drives,
    adapt_to_stops,
    add_energy_flow,
    choose_method,
    count_pressed_stops,
    first_step,
    shorten_step,
    switch_method_if_stuck,
)
from ..integration.one_step import end_row, write_step_margins
from ..integration.step_order import choose_order, use_high_order_for
from ..joint_events.events import apply_mode_change, initialize_modes
from ..joint_events.margins import DRIVE, HOLD, SLIDE
from ..protocol import REACHED, UNDERWAY
from ..stepping import has_diverged, is_finite
from ..system import DISSIPATED, SUPPLIED, normalize_quaternions, parts_of
from .cone_boundary import MOST_YIELDS, is_strained, note_yield, stays_in_cones
from .contact_events import (
    JOINT,
    add_closed,
    count_closed,
    list_end_contacts,
    remove_moved_points,
    store_margins,
)
from .contact_modes import resolve_contacts
from .costs import SWEEP_ENTRY_COST, event_cost, joint_event_cost
from .event_location import first_event, locate_event, try_step
from .safeguards import jumps
from .stabilization import remove_rounding_errors

TAKE_CONVEX_STEPS = 4
"""Return value of `advance_touching`: events cost more than convex steps (convex_step/steps.py), or do not advance."""

LONG_ENOUGH = 2e-4
"""Length of a step that shows that events do not stop the motion [s]."""
STALLED = 1e-7
"""Length of a step below which it makes no progress [s]."""
MOST_EVENTS_AT_ONCE = 100
"""Number of consecutive events, or of consecutive steps without progress, after which convex steps are taken."""


WIDEN_AFTER = 20
"""Number of consecutive crowded events after which the gap at which contacts count as closed grows. A body that rocks
ever faster from one end to the other then comes to rest on both.
"""
WIDEST = 5.0
"""Largest power of ten by which that gap grows."""
FREE_ENERGY = 1e-6
"""Largest elastic energy of compliant contacts as they begin, as a share of the kinetic energy: events are located with
an error, so contacts overlap a little.
"""


class EventTolerances(
    KernelTuple,
    namedtuple("EventTolerances", "steps closed_gap gap_error rest_speed slow_slip cost_limit cost_decay"),
):
    """Tolerances of event location at one accuracy level.

    Attributes:
        steps: those of steps without contact, a one_step.StepSettings.
        closed_gap: gap up to which a contact counts as closed at an event [m].
        gap_error: error of a gap at the time of its event [m].
        rest_speed: approach speed that counts as zero [m/s].
        slow_slip: slip that ends at once [m/s or rad/s].
        cost_limit: cost of events above which convex steps are taken [ns].
        cost_decay: decrease of that cost per second of motion, which is the cost that is allowed permanently [ns/s].
    """


class EventWork(KernelTuple, namedtuple("EventWork", "collisions tolerances spare impacts")):
    """The arrays and tolerances that event-driven steps take besides the system.

    Attributes:
        collisions: the `CollisionState`.
        tolerances: an `EventTolerances`.
        spare: work array of the shape of y.
        impacts: the `Impacts` so far.
    """


@kernel
def advance_touching(calls, system, events, y, trial, slopes, stepping, ahead, end, most_steps):
    """Integrate `y` in place up to the last of the frames ahead, or up to `end` [s] if none is asked for.

    Return a `Progress`, ARRAYS_TOO_SHORT or TAKE_CONVEX_STEPS.

    Args:
        calls: a `system.Calls`.
        events: an `EventWork`.
        y: positions, velocities and energy totals, shape (n,). trial: work array of the same shape.
        slopes: rates of y at the stages of a step, shape (stages, n).
        stepping: one STEPPING record, the state of the step size control.
        ahead: a `FramesAhead`.
        most_steps: number of steps after which the rest is left to another call.
    """
    frames, left = ahead.frames, most_steps
    while True:
        if is_asked(frames) and not has_room(system.touch, ahead.log):
            return UNDERWAY
        end = time_ahead(frames, end)
        found, left = advance_to(calls, system, events, y, trial, slopes, stepping[0], end, left)
        if found != REACHED or not is_asked(frames):
            return found
        write_frame_of_contact(calls, system, stepping[0], y, soft_contact_energy(system.touch), ahead)
        if not is_asked(frames):
            return REACHED
        if left <= 0 or is_half_full(events.impacts):
            return UNDERWAY


@subroutine
def advance_to(calls, system, events, y, trial, slopes, now, end, most_steps):
    """Integrate `y` in place up to `end` [s].

    Return (what `advance_touching` returns, how many steps of `most_steps` are left).
    """
    tolerances, left = events.tolerances, most_steps
    while left > 0:
        left -= 1
        if now.has_slopes == 0 and not initialize_contacts(calls, system, events, y, slopes, now):
            return ARRAYS_TOO_SHORT, left
        if now.time >= end:
            break
        if prefers_convex_steps(now, tolerances) or fails_after_switch(calls, system, y, slopes, now, tolerances):
            return TAKE_CONVEX_STEPS, left
        remaining = end - now.time
        use_high_order_for(now, remaining)
        fits, h = prepare_step(calls, system, events, y, slopes, now, remaining)
        if not fits or prefers_convex_steps(now, tolerances):
            return (TAKE_CONVEX_STEPS if fits else ARRAYS_TOO_SHORT), left
        error, rate = try_step(calls, system, y, trial, slopes, now, h, tolerances, True)
        if not error <= 1.0:
            reject(calls, system, y, slopes, now, h, error, tolerances)
            continue
        event = first_event(system, events, trial, slopes, now, h)
        if event[0] <= 1.0:
            if not advance_to_event(calls, system, events, y, trial, slopes, now, h, event):
                return ARRAYS_TOO_SHORT, left
            continue
        yields = is_strained(system.touch) and not stays_in_cones(calls, system, y, trial, slopes, now, h, tolerances)
        if yields and h > tolerances.closed_gap and now.yielded < MOST_YIELDS:
            now.yield_step = 0.5 * h
            continue
        # A last step before a frame may be as short as a rounding error; the next step must not be.
        least = now.step if now.yield_step > 0.0 else 10.0 * SHORTEST_STEP
        note_yield(now, yields, tolerances)
        remove_rounding_errors(system, trial)
        if jumps(system, y, trial, slopes, end_row(now, tolerances.steps), h):
            now.event_cost = math.inf
            calls.rates(system, now.time, y, 0.0, slopes[0])
            continue
        now.time = end if h == remaining else now.time + h
        accept_step(system, y, trial, slopes, now, h, error, tolerances.steps.order)
        choose_order(now, h == remaining)
        choose_method(calls, system, y, slopes, now, h, rate, tolerances.steps.order)
        now.step = max(now.step, least)
        now.event_cost = max(0.0, now.event_cost - tolerances.cost_decay * h)
        now.stalled = now.stalled + 1 if h < STALLED else 0
        now.halted = 0 if h > LONG_ENOUGH else now.halted
        now.has_slopes = 0 if yields else 1
        store_margins(system.touch)
    if now.time < end:
        return UNDERWAY, left
    reset_bounces(system, now)
    return REACHED, left


@jitable
def prefers_convex_steps(now, tolerances):
    """Return whether convex steps should continue, since events cost too much or follow each other too closely."""
    return now.event_cost > tolerances.cost_limit or max(now.crowded, now.stalled) > MOST_EVENTS_AT_ONCE


@subroutine
def fails_after_switch(calls, system, y, slopes, now, tolerances):
    """Return whether no explicit or implicit step is short enough."""
    return not now.step > SHORTEST_STEP and not switch_method_if_stuck(calls, system, y, slopes, now, tolerances.steps)


@subroutine
def reject(calls, system, y, slopes, now, h, error, tolerances):
    """Choose a shorter step, and evaluate the rates at y again: `slopes[0]` and the poses of bodies are those of y."""
    shorten_step(now, h, error, tolerances.steps.order)
    calls.rates(system, now.time, y, 0.0, slopes[0])


@subroutine
def reset_bounces(system, now):
    """Reset the counts of bounces at a frame. Find undecided modes of joints anew."""
    now.has_tried_other = 0
    for p in range(system.touch.count[POINTS]):
        system.touch.points[p].bounces = 0
    for k in range(system.work.force_states.shape[0]):
        system.work.force_states[k].bounce_count = 0
        if system.work.force_states[k].is_undecided:
            now.has_slopes = 0


@subroutine
def prepare_step(calls, system, events, y, slopes, now, remaining):
    """Choose the length of the next step [s], update its candidate pairs, and remove contacts that changed faces.

    Return (whether the arrays were long enough, the length). remaining: time to the next frame [s].
    """
    collisions, closed_gap = events.collisions, events.tolerances.closed_gap
    h = remaining / math.ceil(remaining / (min(now.step, now.yield_step) if now.yield_step > 0.0 else now.step))
    q, qd = parts_of(system, y)
    # Bodies are where the last stage of the last step ended, which differs from y by a rounding error.
    update_bodies(system.model, system.work, q, qd)
    fits, longest = update_candidate_pairs(system, collisions, h, closed_gap)
    if fits and remove_moved_points(system, collisions, now):
        fits = initialize_contacts(calls, system, events, y, slopes, now)
        if fits:
            fits, longest = update_candidate_pairs(system, collisions, h, closed_gap)
    return fits, remaining / math.ceil(remaining / longest) if longest < h else h


@subroutine
def initialize_contacts(calls, system, events, y, slopes, now):
    """Find the contacts and their modes at y. Return whether the arrays were long enough.

    After a joint was released or motion jumped, solids may overlap already. The energy of these compliant contacts is
    then counted as supplied.
    """
    begins_late = now.started == 0 and now.steps == 0 and now.time > 0.0
    if now.started == 0:
        initialize_modes(system, y)
        clear_reported_loads(system)
    calls.rates(system, now.time, y, 0.0, slopes[0])
    fits, _ = update_candidate_pairs(system, events.collisions, 0.0, events.tolerances.closed_gap)
    if not fits:
        return False
    fits = update_contacts(calls, system, events, y, slopes, now)
    if fits and begins_late:
        y[SUPPLIED] += soft_contact_energy(system.touch)
    return fits


@subroutine
def update_contacts(calls, system, events, y, slopes, now):
    """Add the contacts that have closed, apply their impacts, and find the modes.

    Return whether the arrays were long enough.

    If the search for modes costs too much or fails, y stays as it is, and `now.event_cost` exceeds its limit, so that
    the caller takes convex steps.
    """
    collisions, tolerances, impacts = events.collisions, events.tolerances, events.impacts
    q, qd = parts_of(system, y)
    widening = min(max(0.1 * (now.crowded - WIDEN_AFTER), 0.0), WIDEST)
    closed_gap = tolerances.closed_gap * raised(10.0, widening)
    if not list_end_contacts(system, collisions, q, qd):
        return False
    points = system.touch.count[POINTS] + count_closed(collisions, closed_gap)
    now.event_cost += event_cost(system.model.bodies.shape[0], points)
    if now.event_cost > tolerances.cost_limit:
        return True
    energy = math.inf  # springs may be compressed as a motion begins
    if now.started == 1 or now.steps > 0:
        energy = now.soft_energy + FREE_ENERGY * kinetic_energy(system.model, system.work, qd)
    fits, taken = add_closed(system, collisions, closed_gap, energy)
    if not fits:
        return False
    y[DISSIPATED] += max(now.soft_energy - taken, 0.0)
    now.soft_energy = 0.0
    count, impact_count = system.touch.count, impacts.count[0]
    count[WORK], count[ALLOWED] = 0, int((tolerances.cost_limit - now.event_cost) / SWEEP_ENTRY_COST)
    copy(y, slopes[1])
    certain, jumped = resolve_contacts(calls, system, now.time, y, slopes[0], tolerances, events.spare, impacts)
    now.event_cost += count[WORK] * SWEEP_ENTRY_COST
    astray = has_diverged(system, y, slopes[1]) or not is_finite(slopes[0])
    if astray or count[WORK] > count[ALLOWED]:
        copy(slopes[1], y)
        impacts.count[0] = impact_count
        now.event_cost = math.inf
        return True
    now.unsettled += 0 if certain else 1
    now.impacts += 1 if jumped else 0
    write_step_margins(system, y, slopes[0], 0)
    store_margins(system.touch)
    if now.started == 0 or jumped:
        now.step = max(first_step(y, slopes[0], tolerances.steps.tolerance), 10.0 * SHORTEST_STEP)
        now.error = 1e-4
    now.started, now.has_slopes = 1, 1
    return True


@subroutine
def advance_to_event(calls, system, events, y, trial, slopes, now, h, event):
    """Advance y to the first event of a step of h seconds, and handle it. Return whether the arrays were long enough.

    event: the first event of the whole step, as `first_event` returns it.
    """
    tolerances = events.tolerances
    s, index, kind, margin = locate_event(calls, system, events, y, trial, slopes, now, h, event)
    if has_diverged(system, trial, y) or jumps(system, y, trial, slopes, end_row(now, tolerances.steps), s):
        now.event_cost = math.inf
        return True
    add_energy_flow(y, trial, now)
    copy(trial, y)
    now.time += s
    now.event_cost = max(0.0, now.event_cost - tolerances.cost_decay * s)
    now.steps += 1
    now.events += 1
    now.crowded = now.crowded + 1 if s < CROWDED_INTERVAL else 0
    normalize_quaternions(system.model, y)
    pressed = count_pressed_stops(system)
    if kind == JOINT:
        apply_mode_change(system, y, index, margin)
        # With contact, `update_contacts` counts the event. Stops are not counted: events keep them best.
        if system.touch.count[POINTS] == 0 and margin in (HOLD, SLIDE):
            now.event_cost += joint_event_cost(system.model.bodies.shape[0])
    fits = update_contacts(calls, system, events, y, slopes, now)
    adapt_to_stops(system, now, tolerances.steps, pressed)
    if kind == JOINT and margin == DRIVE:
        adapt_to_drives(system, now)
    return fits
