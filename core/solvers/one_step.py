# SPDX-License-Identifier: GPL-3.0-or-later
"""One step by whichever method is on, and how far its ends are from the next event."""

from __future__ import annotations

from collections import namedtuple

from ..jit import jitable, subroutine
from ..slots import Bundled
from .dop853 import COUNT, dop853_step
from .extrapolation import extrapolated_step
from .margins import write_margins
from .system import parts_of


class Settings(Bundled, namedtuple("Settings", "tolerance order methods shallow resting near loose")):
    """What does not change in a run.

    Attributes:
        tolerance: of the error in a step, absolute and relative. order: of implicit steps. methods: that are allowed.
        shallow: how far a stop that is struck at once might have given way [m or rad].
        resting: what would bounce no higher, or slide no farther, comes to rest at once [m or rad].
        near: part of a step by which it may miss an event, to be made up by a straight line.
        loose: likewise where forces do not jump.
    """


@jitable
def attempt(calls, system, y, trial, stages, now, h, settings):
    """Leave in `trial` where y is after h seconds. Returns (error, rate of the fastest change or 0)."""
    tolerance, order = settings.tolerance, settings.order
    if now.implicit:
        error = extrapolated_step(calls, system, y, trial, stages, stages[order], now.time, h, order, tolerance)
        return error, 0.0
    return dop853_step(calls, system, y, trial, stages, now.time, h, tolerance)


@jitable
def end_row(now, settings):
    """Which of the stages has the rates where an attempt has ended."""
    return settings.order if now.implicit else COUNT


@subroutine
def mark(system, y, slopes, end):
    """Write the margins at the beginning (0) or at the end (1) of a step."""
    q, qd = parts_of(system, y)
    write_margins(system.model, system.work, q, qd, parts_of(system, slopes)[1], system.margins[end])
