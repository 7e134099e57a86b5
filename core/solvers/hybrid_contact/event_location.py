# SPDX-License-Identifier: GPL-3.0-or-later
"""Location of the first event within a step: a joint's margin or a contact's changes its sign, or a gap closes.

event_steps.py calls `first_event` after each step. If the step has passed an event, `locate_event` repeats it with
shorter lengths until it ends at the event. The estimates of the time come from cubics through both ends of a step
(contact_events.py, joint_events/margins.py), and the interval is halved where they fail.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (2nd ed., 1993), section II.6.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...contact.collision_state import END_COUNT, PAIR_COUNT
from ...contact.points import POINTS
from ..integration.one_step import attempt_step, end_row, write_step_margins
from ..joint_events.margins import first_crossing, margin_tolerance
from ..stepping import has_diverged
from ..system import parts_of
from .contact_events import (
    GAP,
    JOINT,
    first_change,
    first_closing,
    list_end_contacts,
    margin_of,
)
from .costs import step_cost

MOST_TRIES = 60
"""Upper bound of the number of steps that are tried to locate an event."""
BISECT_AFTER = 40
"""Number of tries after which the interval of the event is halved, because estimates of its time have failed."""
OVERSHOOT = 2.0
"""Largest distance of a joint's margin below 0 at which its event counts as located, as a multiple of its tolerance."""


@subroutine
def try_step(calls, system, y, trial, slopes, now, h, tolerances, flies_freely):
    """Step to `trial`. Return (error, fastest rate or 0).

    An error of 1 is what the tolerance allows; it is infinite if the step fails. flies_freely: whether a step without
    contact costs nothing, since a convex step would be no better. The search for an event of a joint does cost.
    """
    points = system.touch.count[POINTS]
    if points > 0 or not flies_freely:
        now.event_cost += step_cost(system.model.bodies.shape[0], points)
    error, rate = attempt_step(calls, system, y, trial, slopes, now, h, tolerances.steps)
    return (math.inf if has_diverged(system, trial, y) else error), rate


@subroutine
def first_event(system, events, trial, slopes, now, h):
    """Return the first event of a step of h seconds to `trial`: (part of the step, index, kind, margin).

    The part is 2 if there is no event. The index is the number of a set-valued force if the kind is JOINT, of a contact
    point at the end of the step if it is GAP, and of a contact otherwise. The margin is that of the set-valued force.
    """
    collisions, tolerances = events.collisions, events.tolerances
    first, index, kind, margin = 2.0, -1, -1, -1
    if system.model.set_valued_forces.shape[0] > 0:
        write_step_margins(system, trial, slopes[end_row(now, tolerances.steps)], 1)
        first, index, margin = first_crossing(system.model, system.margins[0], system.margins[1], h)
        kind = JOINT
    part, p, change = first_change(system.touch)
    if part < first:
        first, index, kind = part, p, change
    q, qd = parts_of(system, trial)
    if collisions.counts[PAIR_COUNT] > 0:
        list_end_contacts(system, collisions, q, qd)
        part, p = first_closing(collisions, h, tolerances.closed_gap, tolerances.gap_error)
        if part < first:
            first, index, kind = part, p, GAP
    return first, index, kind, margin


@subroutine
def locate_event(calls, system, events, y, trial, slopes, now, h, event):
    """Shorten a step of h seconds until it ends at its first event. Write the end of the step to `trial`.

    Return (length of the step [s], index, kind, margin), the latter three as `first_event` returns them.
    """
    collisions, tolerances = events.collisions, events.tolerances
    part, index, kind, margin = event
    low, high, s = 0.0, h, part * h
    time_error = max(tolerances.steps.smooth_event_time_error * h * 1e-3, 1e-15)
    for turn in range(MOST_TRIES):
        error, _ = try_step(calls, system, y, trial, slopes, now, s, tolerances, False)
        if not error < (1.0 if now.implicit else 1e300):
            high, s = s, 0.5 * (low + s)
            continue
        part, new_index, new_kind, new_margin = first_event(system, events, trial, slopes, now, s)
        if part <= 1.0:
            index, kind, margin = new_index, new_kind, new_margin
            high, aim = s, part * s
            if is_located(system, collisions, index, kind, margin, tolerances):
                break
            if s - aim <= (1e-15 * h if kind == GAP else time_error) or high - low <= 1e-15 * h:
                break
        else:
            low = s
            aim = s + time_until_event(system, collisions, index, kind, margin, s)
            if kind == GAP and smallest_closing_gap(collisions) <= tolerances.gap_error:
                break
            if aim - s <= 0.5 * time_error:
                aim = s + 0.5 * time_error
        if turn > BISECT_AFTER or not low < aim < high:
            aim = 0.5 * (low + high)
        s = aim
    return s, index, kind, margin


@jitable
def is_located(system, collisions, index, kind, margin, tolerances):
    """Return whether the event that a step has passed is close enough to the step's end."""
    if kind == GAP:
        return -collisions.ends[index].gap <= tolerances.gap_error
    return kind == JOINT and -system.margins[1, index, margin, 0] <= OVERSHOOT * joint_margin_tolerance(
        system, index, margin
    )


@subroutine
def time_until_event(system, collisions, index, kind, margin, s):
    """Return the time until an event at its present rate [s]; infinity if it does not come nearer.

    s: length of the step that ended before the event [s].
    """
    if kind == GAP:
        soonest = math.inf
        for k in range(collisions.counts[END_COUNT]):
            own = collisions.end_states[k]
            if not own.is_contact and own.rate < 0.0 and collisions.ends[k].gap > 0.0:
                soonest = min(soonest, -collisions.ends[k].gap / own.rate)
        return soonest
    if kind == JOINT:
        start, end = system.margins[0, index, margin], system.margins[1, index, margin]
        rate = end[1] if not math.isnan(end[1]) else (end[0] - start[0]) / s
        # Aim at the middle of what counts as located.
        return (
            -(end[0] + 0.5 * (1.0 + OVERSHOOT) * joint_margin_tolerance(system, index, margin)) / rate
            if rate < 0.0
            else math.inf
        )
    before, after = system.touch.points[index].margins[kind], margin_of(system.touch.points[index], kind)
    rate = (after - before) / s
    return -after / rate if rate < 0.0 else math.inf


@jitable
def joint_margin_tolerance(system, k, margin):
    """Return how far below 0 a margin of set-valued force k may be without being an event."""
    return margin_tolerance(system.model.set_valued_forces[k], margin)


@subroutine
def smallest_closing_gap(collisions):
    """Return the smallest gap at the end of a step among points that approach and are not contacts [m]."""
    least = math.inf
    for k in range(collisions.counts[END_COUNT]):
        own = collisions.end_states[k]
        if not own.is_contact and own.rate < 0.0:
            least = min(least, abs(collisions.ends[k].gap))
    return least
