# SPDX-License-Identifier: GPL-3.0-or-later
"""The choice between explicit steps of order 8 and of order 5.

A step ends at the next frame at the latest. Where one of order 8 could be far longer, one of order 5 reaches the frame
too, with half of the evaluations.
"""

from __future__ import annotations

from ...compilation.jit import jitable
from .dop853 import ORDER
from .dopri5 import LOW_ORDER

LOW_SHARE = 0.01
"""Error of a step of order 5, as a share of the tolerance. Steps of order 8 that end at frames are far more accurate
than they need be, and the motion is not to become much worse."""
WAIT_AFTER_FAILURE = 16
"""Number of steps of order 8 after one of order 5 whose error was too large, against the expectation."""


@jitable
def explicit_order(now):
    """Return the order of explicit steps at present."""
    return LOW_ORDER if now.is_low_order else ORDER


@jitable
def use_high_order_for(now, remaining):
    """Take steps of order 8 again if one of order 5 will not reach the frame, which is `remaining` seconds away."""
    if now.is_low_order and now.step < remaining:
        now.is_low_order = 0


@jitable
def note_low_order_failed(now):
    """Take steps of order 8 again, since the error of one of order 5 was too large."""
    now.is_low_order, now.low_order_wait = 0, WAIT_AFTER_FAILURE


@jitable
def choose_order(now, reached):
    """Choose the order of the next step. reached: whether the last one has reached a frame."""
    if now.is_low_order == 0 and now.implicit == 0:
        now.low_order_wait = max(now.low_order_wait - 1, 0)
        if reached and now.low_order_wait == 0 and now.low_order_error < LOW_SHARE:
            now.is_low_order = 1
