# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of high order between contact events: each touch, slip and separation is an event.

Steps are explicit or, for stiff joints, implicit, as without contact (adaptive.py). Contacts that hold are constraints,
satisfied to rounding as joints are. A step in which a contact event occurs is repeated with a shorter length, so that
it ends there. Bounces below a tolerance end at once, so that infinitely many bounces take a finite number of events.

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
from ...kinematics.motion import move_bodies
from ...spatial import raised
from ...spatial.storage import copy
from ..convex_step.persistence import clear_reported_loads
from ..convex_step.steps import NO_ROOM
from ..integration.adaptive_steps import (
    CROWDED,
    SHORTEST_STEP,
    accept,
    adapt_to_drives,
    adapt_to_stops,
    choose_method,
    count_flow,
    count_pressed,
    first_step,
    switch_method_if_stuck,
)
from ..integration.dop853 import ORDER
from ..integration.one_step import attempt, end_row, mark
from ..joint_events.events import apply_mode_change, initialize_modes
from ..joint_events.margins import DRIVE, first_crossing, slack
from ..protocol import REACHED, UNDERWAY
from ..stepping import is_finite, went_astray
from ..system import normalize_quaternions, parts_of
from .cone_boundary import MOST_YIELDS, is_strained, note_yield, stays_in_cones
from .contact_events import (
    GAP,
    JOINT,
    add_closed,
    count_closed,
    first_change,
    first_closing,
    forget_moved,
    look_at_end,
    margin_of,
    mark_points,
)
from .contact_modes import resolve_points
from .costs import SWEEP_ENTRY_COST, event_cost, step_cost
from .stabilization import tidy

TAKE_CONVEX_STEPS = 4
"""Return value of `advance_touching`: events cost more than convex steps (convex_step/steps.py), or do not advance."""


LONG_ENOUGH = 2e-4
"""Length of a step that shows that events do not stop the motion [s]."""
STALLED = 1e-7
"""Length of a step below which it makes no progress [s]."""


MOST_TRIES = 60
MET = 2.0
"""Amount by which the margin of a joint may be below its limit at the event."""

MOST_EVENTS_AT_ONCE = 100


WIDEN_AFTER = 20
"""Number of consecutive crowded events after which the gap at which contacts count as closed grows. A body that rocks
ever faster from one end to the other then comes to rest on both."""

WIDEST = 5.0
"""Largest power of ten by which that gap grows."""


class EventTolerances(KernelTuple, namedtuple("EventTolerances", "steps skin near least slow cost_limit cost_decay")):
    """Tolerances of events.

    Attributes:
        steps: as without contact, one_step.Settings.
        skin [m]: gaps up to which contacts are closed at an event.
        near [m]: tolerance of a gap at its event. least [m/s]: approach speed that counts as zero.
        slow [m/s or rad/s]: slip that ends at once.
        cost_limit: cost of events [ns] above which convex steps are taken. cost_decay: by how much this cost decreases
            per second, which is the cost that is allowed permanently.
    """


@kernel
def advance_touching(
    calls, system, collisions, y, trial, slopes, stepping, end, tolerances, spare, impacts, most_steps
):
    """Integrate `y` in place up to `end` [s], with at most `most_steps` steps.

    Return a `Progress`, NO_ROOM or TAKE_CONVEX_STEPS.
    """
    now = stepping[0]
    for _ in range(most_steps):
        if now.has_slopes == 0 and not begin_touching(
            calls, system, collisions, y, slopes, now, tolerances, spare, impacts
        ):
            return NO_ROOM
        if now.time >= end:
            break
        if prefers_convex_steps(now, tolerances) or fails_after_switch(calls, system, y, slopes, now, tolerances):
            return TAKE_CONVEX_STEPS
        fits, h = look_ahead(calls, system, collisions, y, slopes, now, end - now.time, tolerances, spare, impacts)
        if not fits:
            return NO_ROOM
        if prefers_convex_steps(now, tolerances):
            return TAKE_CONVEX_STEPS
        error, rate = try_step(calls, system, y, trial, slopes, now, h, tolerances, True)
        if not error <= 1.0:
            reject(calls, system, y, slopes, now, h, error, tolerances)
            continue
        event = first_event(system, collisions, trial, slopes, now, h, tolerances)
        if event[0] <= 1.0:
            if not meet_touching(
                calls, system, collisions, y, trial, slopes, now, h, event, tolerances, spare, impacts
            ):
                return NO_ROOM
            continue
        yields = is_strained(system.touch) and not stays_in_cones(calls, system, y, trial, slopes, now, h, tolerances)
        if yields and h > tolerances.skin and now.yielded < MOST_YIELDS:
            now.narrow = 0.5 * h
            continue
        # A last step before a frame may be as short as a rounding error; the next step must not be.
        least = now.step if now.narrow > 0.0 else 10.0 * SHORTEST_STEP
        note_yield(now, yields, tolerances)
        now.time = end if h == end - now.time else now.time + h
        tidy(system, trial)
        accept(system, y, trial, slopes, now, h, error, tolerances.steps.order)
        choose_method(calls, system, y, slopes, now, h, rate, tolerances.steps.order)
        now.step = max(now.step, least)
        now.event_cost = max(0.0, now.event_cost - tolerances.cost_decay * h)
        now.stalled = now.stalled + 1 if h < STALLED else 0
        now.halted = 0 if h > LONG_ENOUGH else now.halted
        now.has_slopes = 0 if yields else 1
        mark_points(system.touch)
    if now.time < end:
        return UNDERWAY
    forget_bounces(system, now)
    return REACHED


@jitable
def prefers_convex_steps(now, tolerances):
    """Return whether events cost so much, or follow each other so closely, that convex steps should go on."""
    return now.event_cost > tolerances.cost_limit or max(now.crowded, now.stalled) > MOST_EVENTS_AT_ONCE


@subroutine
def fails_after_switch(calls, system, y, slopes, now, tolerances):
    """Return whether no explicit or implicit step is short enough."""
    return not now.step > SHORTEST_STEP and not switch_method_if_stuck(calls, system, y, slopes, now, tolerances.steps)


@subroutine
def try_step(calls, system, y, trial, slopes, now, h, tolerances, flies_freely):
    """Step to `trial`. Return (error, fastest rate or 0).

    An error of 1 is what the tolerance allows; it is infinite if the step fails. flies_freely: whether steps without
    contact cost nothing, since convex steps would be no better; searching for an event of a joint does cost.
    """
    points = system.touch.count[POINTS]
    if points > 0 or not flies_freely:
        now.event_cost += step_cost(system.model.bodies.shape[0], points)
    error, rate = attempt(calls, system, y, trial, slopes, now, h, tolerances.steps)
    return (math.inf if went_astray(system, trial, y) else error), rate


@subroutine
def reject(calls, system, y, slopes, now, h, error, tolerances):
    """Shorten the step. Bodies return to their places, so that nearby solids are found again."""
    order = tolerances.steps.order if now.implicit else ORDER
    now.step = h * max(0.2, 0.9 * raised(error, -1.0 / order)) if error < 1e300 else 0.1 * h
    now.rejected += 1
    calls.rates(system, now.time, y, 0.0, slopes[0])


@subroutine
def forget_bounces(system, now):
    """Reset the counts of bounces at a frame, and reconsider contacts that hold because their mode was undecided."""
    now.has_tried_other = 0
    for p in range(system.touch.count[POINTS]):
        system.touch.points[p].bounces = 0
    for k in range(system.work.force_states.shape[0]):
        system.work.force_states[k].bounce_count = 0
        if system.work.force_states[k].is_undecided:
            now.has_slopes = 0


@subroutine
def look_ahead(calls, system, collisions, y, slopes, now, remaining, tolerances, spare, impacts):
    """Choose the length of the next step [s], update its candidate pairs, and replace contacts that changed faces."""
    h = remaining / math.ceil(remaining / (min(now.step, now.narrow) if now.narrow > 0.0 else now.step))
    q, qd = parts_of(system, y)
    move_bodies(system.model, system.work, q, qd)  # the last stage was off by a rounding
    fits, longest = update_candidate_pairs(system, collisions, h, tolerances.skin)
    if fits and forget_moved(system, collisions):
        fits = begin_touching(calls, system, collisions, y, slopes, now, tolerances, spare, impacts)
        if fits:
            fits, longest = update_candidate_pairs(system, collisions, h, tolerances.skin)
    return fits, remaining / math.ceil(remaining / longest) if longest < h else h


@subroutine
def begin_touching(calls, system, collisions, y, slopes, now, tolerances, spare, impacts):
    """Find the contacts and their modes. Return whether there was enough room.

    Solids that overlap at the start of a stage, after a joint was released or motion jumped, bring the energy of
    compliant contacts with them.
    """
    begins_late = now.started == 0 and now.steps == 0 and now.time > 0.0
    if now.started == 0:
        initialize_modes(system, y)
        clear_reported_loads(system)
    calls.rates(system, now.time, y, 0.0, slopes[0])
    fits, _ = update_candidate_pairs(system, collisions, 0.0, tolerances.skin)
    if not fits:
        return False
    fits = settle_here(calls, system, collisions, y, slopes, now, tolerances, spare, impacts)
    if fits and begins_late:
        y[y.shape[0] - 1] += soft_contact_energy(system.touch)
    return fits


@subroutine
def settle_here(calls, system, collisions, y, slopes, now, tolerances, spare, impacts):
    """Add contacts that have closed, handle their impacts, and find the modes. Return whether there was enough room."""
    q, qd = parts_of(system, y)
    skin = tolerances.skin * raised(10.0, min(max(0.1 * (now.crowded - WIDEN_AFTER), 0.0), WIDEST))
    if not look_at_end(system, collisions, q, qd):
        return False
    now.event_cost += event_cost(
        system.model.bodies.shape[0], system.touch.count[POINTS] + count_closed(collisions, skin)
    )
    if now.event_cost > tolerances.cost_limit:
        return True
    if not add_closed(system, collisions, skin):
        return False
    count, known = system.touch.count, impacts.count[0]
    count[WORK], count[ALLOWED] = 0, int((tolerances.cost_limit - now.event_cost) / SWEEP_ENTRY_COST)
    copy(y, slopes[1])
    certain, jumped = resolve_points(calls, system, now.time, y, slopes[0], tolerances, spare, impacts)
    now.event_cost += count[WORK] * SWEEP_ENTRY_COST
    astray = went_astray(system, y, slopes[1]) or not is_finite(slopes[0])
    if astray or count[WORK] > count[ALLOWED]:  # convex steps solve what sweeps do not
        copy(slopes[1], y)
        impacts.count[0] = known
        now.event_cost = math.inf
        return True
    now.unsettled += 0 if certain else 1
    now.impacts += 1 if jumped else 0
    mark(system, y, slopes[0], 0)
    mark_points(system.touch)
    if now.started == 0 or jumped:
        now.step = max(first_step(y, slopes[0], tolerances.steps.tolerance), 10.0 * SHORTEST_STEP)
        now.error = 1e-4
    now.started, now.has_slopes = 1, 1
    return True


@subroutine
def first_event(system, collisions, trial, slopes, now, h, tolerances):
    """Return the first event of a step: (part of the step, index, kind, margin).

    The part is 2 if there is no event. The index is that of a set-valued force, of a contact or of a point at the end.
    The margin is that of a set-valued force.
    """
    first, which, kind, number = 2.0, -1, -1, -1
    if system.model.set_valued_forces.shape[0] > 0:
        mark(system, trial, slopes[end_row(now, tolerances.steps)], 1)
        first, which, number = first_crossing(system.model, system.margins[0], system.margins[1], h)
        kind = JOINT
    part, p, what = first_change(system.touch)
    if part < first:
        first, which, kind = part, p, what
    q, qd = parts_of(system, trial)
    if collisions.numbers[0] > 0:
        look_at_end(system, collisions, q, qd)
        part, p = first_closing(collisions, h, tolerances.skin, tolerances.near)
        if part < first:
            first, which, kind = part, p, GAP
    return first, which, kind, number


@subroutine
def meet_touching(calls, system, collisions, y, trial, slopes, now, h, event, tolerances, spare, impacts):
    """Step to the first event, and handle it. Return whether there was enough room.

    event: that of a step of length h, as `first_event` returns it.
    """
    part, which, kind, number = event
    low, high, s = 0.0, h, part * h
    element, what, target = which, number, kind
    rough = max(tolerances.steps.loose * h * 1e-3, 1e-15)
    for turn in range(MOST_TRIES):
        error, _ = try_step(calls, system, y, trial, slopes, now, s, tolerances, False)
        if not error < (1.0 if now.implicit else 1e300):
            high, s = s, 0.5 * (low + s)
            continue
        part, which, kind, number = first_event(system, collisions, trial, slopes, now, s, tolerances)
        if part <= 1.0:
            element, what, target = which, number, kind
            high, aim = s, part * s
            if kind == GAP:
                exact = -collisions.ends[which].gap <= tolerances.near
            else:
                exact = kind == JOINT and -system.margins[1, which, number, 0] <= MET * allowed(system, which, number)
            if exact or s - aim <= (1e-15 * h if kind == GAP else rough) or high - low <= 1e-15 * h:
                break
        else:
            low = s
            aim = s + time_to(system, collisions, target, element, what, s)
            if target == GAP and closest_gap(collisions) <= tolerances.near:
                break
            if aim - s <= 0.5 * rough:
                aim = s + 0.5 * rough
        if turn > 40 or not low < aim < high:
            aim = 0.5 * (low + high)
        s = aim
    if went_astray(system, trial, y):
        now.event_cost = math.inf
        return True
    count_flow(y, trial, now)
    copy(trial, y)
    now.time += s
    now.event_cost = max(0.0, now.event_cost - tolerances.cost_decay * s)
    now.steps += 1
    now.events += 1
    now.crowded = now.crowded + 1 if s < CROWDED else 0
    normalize_quaternions(system.model, y)
    pressed = count_pressed(system)
    if target == JOINT:
        apply_mode_change(system, y, element, what)
    fits = settle_here(calls, system, collisions, y, slopes, now, tolerances, spare, impacts)
    adapt_to_stops(system, now, tolerances.steps, pressed)
    if target == JOINT and what == DRIVE:
        adapt_to_drives(system, now)
    return fits


@subroutine
def time_to(system, collisions, target, which, what, s):
    """Return the time until an event at its present rate [s]; infinity if it does not come nearer."""
    if target == GAP:
        soonest = math.inf
        for k in range(collisions.numbers[2]):
            own = collisions.near_ends[k]
            if not own.closed and own.rate < 0.0 and collisions.ends[k].gap > 0.0:
                soonest = min(soonest, -collisions.ends[k].gap / own.rate)
        return soonest
    if target == JOINT:
        start, end = system.margins[0, which, what], system.margins[1, which, what]
        rate = end[1] if not math.isnan(end[1]) else (end[0] - start[0]) / s
        return -(end[0] + 0.5 * (1.0 + MET) * allowed(system, which, what)) / rate if rate < 0.0 else math.inf
    before, after = system.touch.points[which].margins[target], margin_of(system.touch.points[which], target)
    rate = (after - before) / s
    return -after / rate if rate < 0.0 else math.inf


@jitable
def allowed(system, element, which):
    """Return by how much the margin of a joint may be negative before that is an event."""
    return slack(system.model.set_valued_forces[element], which)


@subroutine
def closest_gap(collisions):
    """Return the smallest gap at the end of a step among points that approach and do not hold [m]."""
    least = math.inf
    for k in range(collisions.numbers[2]):
        own = collisions.near_ends[k]
        if not own.closed and own.rate < 0.0:
            least = min(least, abs(collisions.ends[k].gap))
    return least
