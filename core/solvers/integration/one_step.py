# SPDX-License-Identifier: GPL-3.0-or-later
"""One step by the present method, explicit or implicit, and the margins to events at its two ends."""

from __future__ import annotations

from collections import namedtuple

from ...compilation.abi import KernelTuple
from ...compilation.jit import jitable, subroutine
from ..joint_events.margins import write_margins
from ..system import parts_of
from .dop853 import COUNT, dop853_step
from .extrapolation import extrapolated_step


class Settings(KernelTuple, namedtuple("Settings", "tolerance order methods shallow resting near loose")):
    """Settings that do not change during a run.

    Attributes:
        tolerance: absolute and relative error tolerance of a step. order: of implicit steps. methods: those allowed.
        shallow: largest depth of a compliant stop at which its impact is instantaneous [rad or m].
        resting: height of a bounce, or length of a slide, below which a motion ends at once [rad or m].
        near: tolerance of event times, in parts of a step; a straight line makes up for the rest.
        loose: the same where forces do not jump.
    """


@jitable
def attempt(calls, system, y, trial, slopes, now, h, settings):
    """Write to `trial` the state that y reaches after h seconds. Return (error, rate of the fastest change or 0)."""
    tolerance, order = settings.tolerance, settings.order
    if now.implicit:
        error = extrapolated_step(calls, system, y, trial, slopes, slopes[order], now.time, h, order, tolerance)
        return error, 0.0
    return dop853_step(calls, system, y, trial, slopes, now.time, h, tolerance)


@jitable
def end_row(now, settings):
    """Return the number of the stage that has the rates at the end of an attempted step."""
    return settings.order if now.implicit else COUNT


@subroutine
def mark(system, y, slopes, end):
    """Write the margins at the beginning (end = 0) or at the end (end = 1) of a step to `system.margins`."""
    q, qd = parts_of(system, y)
    write_margins(system.model, system.work, q, qd, parts_of(system, slopes)[1], system.margins[end])
