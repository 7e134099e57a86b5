# SPDX-License-Identifier: GPL-3.0-or-later
"""What rests by loads on the edge of their cones: whether it still does, and the step in which it yields.

The margin to the edge says nothing there, as it is 0 all the time. So the cones are asked anew after each step, and a
step over which they change their mind is halved until it is found when.
"""

from __future__ import annotations

from ..contact.points import POINTS, WARM_STARTED
from ..jit import jitable, subroutine
from .contact_modes import settle_points
from .one_step import end_row

MOST_YIELDS = 3
"""In a row, of what is strained, that are located."""


@jitable
def is_strained(touch):
    """Whether the cones must be asked anew whether what sticks still does."""
    strained = 0
    for p in range(touch.count[POINTS]):
        strained += touch.points[p].strained
    return strained > 0


@jitable
def note_yield(now, yields, close):
    """Narrow on, or be done with it. What yields again and again is not located each time: the end of the step does."""
    if yields or 0.0 < now.narrow <= close.skin:
        now.narrow = 0.0
        now.yielded = now.yielded + 1 if now.yielded < MOST_YIELDS else 0
    elif now.narrow > 0.0:
        now.narrow *= 0.5
    else:
        now.yielded = 0


@subroutine
def bears_it(calls, system, y, trial, stages, now, h, close):
    """Whether all goes on as it does after a step, by the cones; if not, points are again as they were before it."""
    touch, count = system.touch, system.touch.count[POINTS]
    rates = stages[end_row(now, close.steps)]
    for p in range(count):
        touch.saved[p] = touch.points[p]
    based = touch.count[WARM_STARTED]
    certain = settle_points(calls, system, now.time + h, trial, rates, close)
    same = certain and touch.count[POINTS] == count
    for p in range(count):
        old, new = touch.saved[p], touch.points[p]
        same = same and (old.holds, old.slide, old.roll, old.spin) == (new.holds, new.slide, new.roll, new.spin)
    if not same:
        for p in range(count):
            touch.points[p] = touch.saved[p]
        touch.count[POINTS], touch.count[WARM_STARTED] = count, based
        calls.rates(system, now.time, y, 0.0, stages[0])
        if h <= close.skin:
            calls.rates(system, now.time + h, trial, 0.0, rates)
    return same
