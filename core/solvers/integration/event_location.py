# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that end at an event.

A step in which a margin becomes negative is repeated with a shorter length until it ends at the event: first at the
root of a cubic through both ends, then nearer. The last part is a straight line.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...spatial.storage import copy
from ..joint_events.impacts import slides_on
from ..joint_events.margins import SLIDE, first_crossing, is_clear, slack
from ..system import LEDGERS
from .one_step import attempt, end_row, mark

MOST_TRIES = 40


@subroutine
def step_to_event(calls, system, y, trial, slopes, now, h, settings):
    """Shorten a step of h seconds that passed an event, and write its end to `trial`.

    Return (seconds, set-valued force, margin); the seconds are NaN if no step is short enough.
    """
    low, high = 0.0, h
    part, element, which = first_crossing(system.model, system.margins[0], system.margins[1], h)
    if part == 0.0:  # it is there already
        copy(y, trial)
        calls.rates(system, now.time, trial, 0.0, slopes[end_row(now, settings)])
        return 0.0, element, which
    s = part * h
    for _ in range(MOST_TRIES):
        error = attempt(calls, system, y, trial, slopes, now, s, settings)[0]
        if not error < 1e300:
            high = s
            s = 0.5 * (low + s)
            continue
        ends = slopes[end_row(now, settings)]
        mark(system, trial, ends, 1)
        part, k, w = first_crossing(system.model, system.margins[0], system.margins[1], s)
        happened = part <= 1.0
        if happened:
            element, which, high = k, w, s
            aim = part * s
        else:
            low = s
            allowed = slack(system.model.set_valued_forces[element], which)
            aim = s + time_left(system.margins[0, element, which], system.margins[1, element, which], s, allowed)
        if math.isnan(system.margins[1, element, which, 1]):
            if happened and s - aim <= settings.loose * h and is_clear(system.model, system.margins[1]):
                return s, element, which
            # Aim slightly past the event, where the locking force or the drive has passed its bound.
            aim += 0.5 * settings.loose * min(h, s)
        elif which == SLIDE and comes_to_rest(system, element, settings) and is_clear(system.model, system.margins[1]):
            return s, element, which
        elif abs(aim - s) <= settings.near * h:
            count = trial.shape[0]
            if now.implicit:
                # In stiff motion, accelerations and powers change quickly, so only positions are extrapolated.
                count -= LEDGERS + system.tau.shape[0]
            for n in range(count):
                trial[n] += (aim - s) * ends[n]
            return aim, element, which
        if high - low <= 1e-13 * h and happened:
            return s, element, which
        s = aim if low < aim < high else 0.5 * (low + high)
    return math.nan, element, which


@jitable
def time_left(start, end, s, allowed):
    """Return the time until a margin has the value at which `crossing` meets the event, at its present rate [s]."""
    if math.isnan(end[1]):
        rate = (end[0] - start[0]) / s
    else:
        rate, allowed = end[1], 0.5 * allowed
    return -(end[0] + allowed) / rate if rate < 0.0 else math.inf


@jitable
def comes_to_rest(system, k, settings):
    """Return whether a slip at the end of a step that was tried would end within the tolerance."""
    rate = system.margins[1, k, SLIDE, 0]
    return not slides_on(system.model, system.work, k, rate, settings.resting)
