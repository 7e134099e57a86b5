# SPDX-License-Identifier: GPL-3.0-or-later
"""Sticking contacts whose loads lie on the boundary of their friction cones.

The margin of such a contact from its boundary is 0 all the time, so it does not locate an event. Instead, the modes are
found again after each step. If they differ, the step is halved until the time of the change, a yield, is located.
"""

from __future__ import annotations

from ...compilation.jit import jitable, subroutine
from ...contact.points import POINTS, WARM_STARTED
from ..integration.one_step import end_row
from .contact_modes import find_modes

MOST_YIELDS = 3
"""Number of consecutive yields whose times are located."""


@jitable
def is_strained(touch):
    """Return whether the cones must be checked after each step."""
    strained = 0
    for p in range(touch.count[POINTS]):
        strained += touch.points[p].is_on_cone
    return strained > 0


@jitable
def note_yield(now, yields, tolerances):
    """Halve the interval in which a contact yields, or end the search.

    After `MOST_YIELDS` consecutive yields, their times are not located any more. The change then takes place at the end
    of the step.
    """
    if yields or 0.0 < now.yield_step <= tolerances.closed_gap:
        now.yield_step = 0.0
        now.yielded = now.yielded + 1 if now.yielded < MOST_YIELDS else 0
    elif now.yield_step > 0.0:
        now.yield_step *= 0.5
    else:
        now.yielded = 0


@subroutine
def stays_in_cones(calls, system, y, trial, slopes, now, h, tolerances):
    """Return whether the modes of all contacts are the same after a step. If not, restore the points from before."""
    touch, count = system.touch, system.touch.count[POINTS]
    rates = slopes[end_row(now, tolerances.steps)]
    for p in range(count):
        touch.saved[p] = touch.points[p]
    warm_started = touch.count[WARM_STARTED]
    certain = find_modes(calls, system, now.time + h, trial, rates, tolerances)
    same = certain and touch.count[POINTS] == count
    for p in range(count):
        old, new = touch.saved[p], touch.points[p]
        same = same and (old.is_active, old.slide, old.roll, old.spin) == (new.is_active, new.slide, new.roll, new.spin)
    if not same:
        for p in range(count):
            touch.points[p] = touch.saved[p]
        touch.count[POINTS], touch.count[WARM_STARTED] = count, warm_started
        calls.rates(system, now.time, y, 0.0, slopes[0])
        if h <= tolerances.closed_gap:
            calls.rates(system, now.time + h, trial, 0.0, rates)
    return same
