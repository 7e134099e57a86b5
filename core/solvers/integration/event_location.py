# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that end at an event.

A step in which a margin becomes negative is repeated with a shorter length until it ends at the event. The first length
is the root of a cubic through both ends, and each further one improves the one before. The last part of the motion, up
to `event_time_error`, is a straight line.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...spatial.storage import copy
from ..joint_events.impacts import keeps_sliding
from ..joint_events.margins import SLIDE, first_crossing, has_passed_no_event, margin_tolerance
from ..system import ENERGY_TOTALS
from .one_step import attempt_step, end_row, write_step_margins

MAX_TRIES = 40
"""Upper bound of the number of steps that are tried to locate an event; interpolation needs about five."""


@subroutine
def step_to_event(calls, system, y, trial, slopes, now, h, settings):
    """Shorten a step of h seconds that passed an event, and write its end to `trial`.

    Return (seconds, set-valued force, margin); the seconds are NaN if no step is short enough.
    """
    low, high = 0.0, h
    part, element, margin = first_crossing(system.model, system.margins[0], system.margins[1], h)
    # The event is at the beginning of the step.
    if part == 0.0:
        copy(y, trial)
        calls.rates(system, now.time, trial, 0.0, slopes[end_row(now, settings)])
        return 0.0, element, margin
    s = part * h
    for _ in range(MAX_TRIES):
        error = attempt_step(calls, system, y, trial, slopes, now, s, settings)[0]
        if not error < 1e300:
            high = s
            s = 0.5 * (low + s)
            continue
        end_rates = slopes[end_row(now, settings)]
        write_step_margins(system, trial, end_rates, 1)
        part, k, w = first_crossing(system.model, system.margins[0], system.margins[1], s)
        is_passed = part <= 1.0
        if is_passed:
            element, margin, high = k, w, s
            aim = part * s
        else:
            low = s
            tolerance = margin_tolerance(system.model.set_valued_forces[element], margin)
            aim = s + time_to_margin(
                system.margins[0, element, margin], system.margins[1, element, margin], s, tolerance
            )
        if math.isnan(system.margins[1, element, margin, 1]):
            if (
                is_passed
                and s - aim <= settings.smooth_event_time_error * h
                and has_passed_no_event(system.model, system.margins[1])
            ):
                return s, element, margin
            # Aim slightly past the event, where the locking force or the drive has passed its bound.
            aim += 0.5 * settings.smooth_event_time_error * min(h, s)
        elif (
            margin == SLIDE
            and comes_to_rest(system, element, settings)
            and has_passed_no_event(system.model, system.margins[1])
        ):
            return s, element, margin
        elif abs(aim - s) <= settings.event_time_error * h:
            count = trial.shape[0]
            if now.implicit:
                # In stiff motion, accelerations and powers change quickly, so only positions are extrapolated.
                count -= ENERGY_TOTALS + system.tau.shape[0]
            for n in range(count):
                trial[n] += (aim - s) * end_rates[n]
            return aim, element, margin
        if high - low <= 1e-13 * h and is_passed:
            return s, element, margin
        s = aim if low < aim < high else 0.5 * (low + high)
    return math.nan, element, margin


@jitable
def time_to_margin(start, end, s, tolerance):
    """Return the time until a margin has the value at which `crossing_part` locates it, at its present rate [s]."""
    if math.isnan(end[1]):
        rate = (end[0] - start[0]) / s
    else:
        rate, tolerance = end[1], 0.5 * tolerance
    return -(end[0] + tolerance) / rate if rate < 0.0 else math.inf


@jitable
def comes_to_rest(system, k, settings):
    """Return whether a slip at the end of a step that was tried would end within the tolerance."""
    rate = system.margins[1, k, SLIDE, 0]
    return not keeps_sliding(system.model, system.work, k, rate, settings.rest_height)
