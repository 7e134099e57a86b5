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

from ...compilation.abi import Bundled
from ...compilation.jit import jitable, kernel, subroutine
from ...contact.collision_state import look_around
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
    is_rescued,
)
from ..integration.dop853 import ORDER
from ..integration.one_step import attempt, end_row, mark
from ..joint_events.events import take_place, wake
from ..joint_events.margins import DRIVE, first_crossing, slack
from ..protocol import REACHED, UNDERWAY
from ..stepping import is_finite, went_astray
from ..system import normalize_quaternions, parts_of
from .cone_boundary import MOST_YIELDS, bears_it, is_strained, note_yield
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


class Closeness(Bundled, namedtuple("Closeness", "steps skin near least slow burden leak")):
    """Tolerances of events.

    Attributes:
        steps: as without contact, one_step.Settings.
        skin [m]: gaps up to which contacts are closed at an event.
        near [m]: tolerance of a gap at its event. least [m/s]: approach speed that counts as zero.
        slow [m/s or rad/s]: slip that ends at once.
        burden: cost of events [ns] above which convex steps are taken. leak: by how much this cost decreases per
            second, which is the cost that is allowed permanently.
    """


@kernel
def advance_touching(calls, system, ground, y, trial, stages, state, end, close, spare, impacts, most_steps):
    """Integrate `y` in place up to `end` [s], with at most `most_steps` steps.

    Return a `Progress`, NO_ROOM or TAKE_CONVEX_STEPS.
    """
    now = state[0]
    for _ in range(most_steps):
        if now.fresh == 0 and not begin_touching(calls, system, ground, y, stages, now, close, spare, impacts):
            return NO_ROOM
        if now.time >= end:
            break
        if prefers_convex_steps(now, close) or is_stuck(calls, system, y, stages, now, close):
            return TAKE_CONVEX_STEPS
        fits, h = look_ahead(calls, system, ground, y, stages, now, end - now.time, close, spare, impacts)
        if not fits:
            return NO_ROOM
        if prefers_convex_steps(now, close):
            return TAKE_CONVEX_STEPS
        error, rate = try_step(calls, system, y, trial, stages, now, h, close, True)
        if not error <= 1.0:
            reject(calls, system, y, stages, now, h, error, close)
            continue
        part, which, kind, number = first_event(system, ground, trial, stages, now, h, close)
        if part <= 1.0:
            if not meet_touching(
                calls, system, ground, y, trial, stages, now, h, part, which, kind, number, close, spare, impacts
            ):
                return NO_ROOM
            continue
        yields = is_strained(system.touch) and not bears_it(calls, system, y, trial, stages, now, h, close)
        if yields and h > close.skin and now.yielded < MOST_YIELDS:
            now.narrow = 0.5 * h
            continue
        least = now.step if now.narrow > 0.0 else 10.0 * SHORTEST_STEP  # up to a frame there was but a rounding
        note_yield(now, yields, close)
        now.time = end if h == end - now.time else now.time + h
        tidy(system, trial)
        accept(system, y, trial, stages, now, h, error, close.steps.order)
        choose_method(calls, system, y, stages, now, h, rate, close.steps.order)
        now.step = max(now.step, least)
        now.burden = max(0.0, now.burden - close.leak * h)
        now.stalled = now.stalled + 1 if h < STALLED else 0
        now.halted = 0 if h > LONG_ENOUGH else now.halted
        now.fresh = 0 if yields else 1
        mark_points(system.touch)
    if now.time < end:
        return UNDERWAY
    forget_bounces(system, now)
    return REACHED


@jitable
def prefers_convex_steps(now, close):
    """Return whether events cost so much, or follow each other so closely, that convex steps should go on."""
    return now.burden > close.burden or max(now.crowded, now.stalled) > MOST_EVENTS_AT_ONCE


@subroutine
def is_stuck(calls, system, y, stages, now, close):
    """Return whether no explicit or implicit step is short enough."""
    return not now.step > SHORTEST_STEP and not is_rescued(calls, system, y, stages, now, close.steps)


@subroutine
def try_step(calls, system, y, trial, stages, now, h, close, flies_freely):
    """Step to `trial`. Return (error, fastest rate or 0).

    An error of 1 is what the tolerance allows; it is infinite if the step fails. flies_freely: whether steps without
    contact cost nothing, since convex steps would be no better; searching for an event of a joint does cost.
    """
    points = system.touch.count[POINTS]
    if points > 0 or not flies_freely:
        now.burden += step_cost(system.model.bodies.shape[0], points)
    error, rate = attempt(calls, system, y, trial, stages, now, h, close.steps)
    return (math.inf if went_astray(system, trial, y) else error), rate


@subroutine
def reject(calls, system, y, stages, now, h, error, close):
    """Shorten the step. Bodies return to their places, so that nearby solids are found again."""
    order = close.steps.order if now.implicit else ORDER
    now.step = h * max(0.2, 0.9 * raised(error, -1.0 / order)) if error < 1e300 else 0.1 * h
    now.rejected += 1
    calls.rates(system, now.time, y, 0.0, stages[0])


@subroutine
def forget_bounces(system, now):
    """Reset the counts of bounces at a frame, and reconsider contacts that hold because their mode was undecided."""
    now.rescued = 0
    for p in range(system.touch.count[POINTS]):
        system.touch.points[p].bounces = 0
    for k in range(system.work.watches.shape[0]):
        system.work.watches[k].bounces = 0
        if system.work.watches[k].stubborn:
            now.fresh = 0


@subroutine
def look_ahead(calls, system, ground, y, stages, now, remaining, close, spare, impacts):
    """Do what `look_around` does for the step to be tried [s]. Contacts that have moved to another face are updated."""
    h = remaining / math.ceil(remaining / (min(now.step, now.narrow) if now.narrow > 0.0 else now.step))
    q, qd = parts_of(system, y)
    move_bodies(system.model, system.work, q, qd)  # the last stage was off by a rounding
    fits, longest = look_around(system, ground, h, close.skin)
    if fits and forget_moved(system, ground):
        fits = begin_touching(calls, system, ground, y, stages, now, close, spare, impacts)
        if fits:
            fits, longest = look_around(system, ground, h, close.skin)
    return fits, remaining / math.ceil(remaining / longest) if longest < h else h


@subroutine
def begin_touching(calls, system, ground, y, stages, now, close, spare, impacts):
    """Find the contacts and their modes. Return whether there was enough room.

    Solids that overlap at the start of a stage, after a joint was released or motion jumped, bring the energy of
    compliant contacts with them.
    """
    begins_late = now.started == 0 and now.steps == 0 and now.time > 0.0
    if now.started == 0:
        wake(system, y)
        clear_reported_loads(system)
    calls.rates(system, now.time, y, 0.0, stages[0])
    fits, _ = look_around(system, ground, 0.0, close.skin)
    if not fits:
        return False
    fits = settle_here(calls, system, ground, y, stages, now, close, spare, impacts)
    if fits and begins_late:
        y[y.shape[0] - 1] += soft_contact_energy(system.touch)
    return fits


@subroutine
def settle_here(calls, system, ground, y, stages, now, close, spare, impacts):
    """Add contacts that have closed, handle their impacts, and find the modes. Return whether there was enough room."""
    q, qd = parts_of(system, y)
    skin = close.skin * raised(10.0, min(max(0.1 * (now.crowded - WIDEN_AFTER), 0.0), WIDEST))
    if not look_at_end(system, ground, q, qd):
        return False
    now.burden += event_cost(system.model.bodies.shape[0], system.touch.count[POINTS] + count_closed(ground, skin))
    if now.burden > close.burden:
        return True
    if not add_closed(system, ground, skin):
        return False
    count, known = system.touch.count, impacts.count[0]
    count[WORK], count[ALLOWED] = 0, int((close.burden - now.burden) / SWEEP_ENTRY_COST)
    copy(y, stages[1])
    certain, jumped = resolve_points(calls, system, now.time, y, stages[0], close, spare, impacts)
    now.burden += count[WORK] * SWEEP_ENTRY_COST
    astray = went_astray(system, y, stages[1]) or not is_finite(stages[0])
    if astray or count[WORK] > count[ALLOWED]:  # convex steps solve what sweeps do not
        copy(stages[1], y)
        impacts.count[0] = known
        now.burden = math.inf
        return True
    now.unsettled += 0 if certain else 1
    now.impacts += 1 if jumped else 0
    mark(system, y, stages[0], 0)
    mark_points(system.touch)
    if now.started == 0 or jumped:
        now.step = max(first_step(y, stages[0], close.steps.tolerance), 10.0 * SHORTEST_STEP)
        now.error = 1e-4
    now.started, now.fresh = 1, 1
    return True


@subroutine
def first_event(system, ground, trial, stages, now, h, close):
    """Return (part of the step, number of the guard, contact or end point, kind of event, margin of a guard); a part of
    2 if there is no event.
    """
    first, which, kind, number = 2.0, -1, -1, -1
    if system.model.guards.shape[0] > 0:
        mark(system, trial, stages[end_row(now, close.steps)], 1)
        first, which, number = first_crossing(system.model, system.margins[0], system.margins[1], h)
        kind = JOINT
    part, p, what = first_change(system.touch)
    if part < first:
        first, which, kind = part, p, what
    q, qd = parts_of(system, trial)
    if ground.numbers[0] > 0:
        look_at_end(system, ground, q, qd)
        part, p = first_closing(ground, h, close.skin, close.near)
        if part < first:
            first, which, kind = part, p, GAP
    return first, which, kind, number


@subroutine
def meet_touching(calls, system, ground, y, trial, stages, now, h, part, which, kind, number, close, spare, impacts):
    """Step to the first event, and handle it. Return whether there was enough room."""
    low, high, s = 0.0, h, part * h
    guard, what, target = which, number, kind
    rough = max(close.steps.loose * h * 1e-3, 1e-15)
    for turn in range(MOST_TRIES):
        error, _ = try_step(calls, system, y, trial, stages, now, s, close, False)
        if not error < (1.0 if now.implicit else 1e300):
            high, s = s, 0.5 * (low + s)
            continue
        part, which, kind, number = first_event(system, ground, trial, stages, now, s, close)
        if part <= 1.0:
            guard, what, target = which, number, kind
            high, aim = s, part * s
            if kind == GAP:
                exact = -ground.ends[which].gap <= close.near
            else:
                exact = kind == JOINT and -system.margins[1, which, number, 0] <= MET * allowed(system, which, number)
            if exact or s - aim <= (1e-15 * h if kind == GAP else rough) or high - low <= 1e-15 * h:
                break
        else:
            low = s
            aim = s + time_to(system, ground, target, guard, what, s)
            if target == GAP and closest_gap(ground) <= close.near:
                break
            if aim - s <= 0.5 * rough:
                aim = s + 0.5 * rough
        if turn > 40 or not low < aim < high:
            aim = 0.5 * (low + high)
        s = aim
    if went_astray(system, trial, y):
        now.burden = math.inf
        return True
    count_flow(y, trial, now)
    copy(trial, y)
    now.time += s
    now.burden = max(0.0, now.burden - close.leak * s)
    now.steps += 1
    now.events += 1
    now.crowded = now.crowded + 1 if s < CROWDED else 0
    normalize_quaternions(system.model, y)
    pressed = count_pressed(system)
    if target == JOINT:
        take_place(system, y, guard, what)
    fits = settle_here(calls, system, ground, y, stages, now, close, spare, impacts)
    adapt_to_stops(system, now, close.steps, pressed)
    if target == JOINT and what == DRIVE:
        adapt_to_drives(system, now)
    return fits


@subroutine
def time_to(system, ground, target, which, what, s):
    """Return the time until an event at its present rate [s]; infinity if it does not come nearer."""
    if target == GAP:
        soonest = math.inf
        for k in range(ground.numbers[2]):
            own = ground.near_ends[k]
            if not own.closed and own.rate < 0.0 and ground.ends[k].gap > 0.0:
                soonest = min(soonest, -ground.ends[k].gap / own.rate)
        return soonest
    if target == JOINT:
        start, end = system.margins[0, which, what], system.margins[1, which, what]
        rate = end[1] if not math.isnan(end[1]) else (end[0] - start[0]) / s
        return -(end[0] + 0.5 * (1.0 + MET) * allowed(system, which, what)) / rate if rate < 0.0 else math.inf
    before, after = system.touch.points[which].margins[target], margin_of(system.touch.points[which], target)
    rate = (after - before) / s
    return -after / rate if rate < 0.0 else math.inf


@jitable
def allowed(system, guard, which):
    """Return by how much the margin of a joint may be negative before that is an event."""
    return slack(system.model.guards[guard], which)


@subroutine
def closest_gap(ground):
    """Return the smallest gap at the end of a step among points that approach and do not hold [m]."""
    least = math.inf
    for k in range(ground.numbers[2]):
        own = ground.near_ends[k]
        if not own.closed and own.rate < 0.0:
            least = min(least, abs(ground.ends[k].gap))
    return least
