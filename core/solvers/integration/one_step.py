# SPDX-License-Identifier: GPL-3.0-or-later
"""One step by the present method, explicit or implicit, and the margins to events at its two ends."""

from __future__ import annotations

from collections import namedtuple

from ...compilation.abi import KernelTuple
from ...compilation.jit import jitable, subroutine
from ..joint_events.margins import write_margins
from ..system import parts_of
from .dop853 import COUNT, dop853_step
from .dopri5 import dopri5_step
from .extrapolation import extrapolated_step
from .step_order import LOW_SHARE


class StepSettings(
    KernelTuple,
    namedtuple(
        "StepSettings", "tolerance order methods instant_depth rest_height event_time_error smooth_event_time_error"
    ),
):
    """Settings that do not change during a run.

    Attributes:
        tolerance: absolute and relative error tolerance of a step [rad, m, rad/s, m/s].
        order: order of implicit steps.
        methods: BOTH, EXPLICIT or IMPLICIT, the steps that are allowed.
        instant_depth: largest depth of a compliant stop at which its impact is instantaneous [rad or m].
        rest_height: height of a bounce, or length of a slide, below which a motion ends at once [rad or m].
        event_time_error: error of an event's time at which velocities or forces jump, as a share of a step. The last
            part up to the event is a straight line.
        smooth_event_time_error: the same for events at which forces are continuous.
    """


@jitable
def attempt_step(calls, system, y, trial, slopes, now, h, settings):
    """Write the state h seconds after y to `trial`. Return (error, fastest rate [1/s]); an implicit step has rate 0."""
    tolerance, order = settings.tolerance, settings.order
    if now.implicit:
        error = extrapolated_step(calls, system, y, trial, slopes, slopes[order], now.time, h, order, tolerance)
        return error, 0.0
    if now.is_low_order:
        return dopri5_step(calls, system, y, trial, slopes, now.time, h, LOW_SHARE * tolerance)
    error, rate, now.low_order_error = dop853_step(calls, system, y, trial, slopes, now.time, h, tolerance)
    return error, rate


@jitable
def end_row(now, settings):
    """Return the number of the stage that has the rates at the end of an attempted step."""
    return settings.order if now.implicit else COUNT


@subroutine
def write_step_margins(system, y, slopes, end):
    """Write the margins at the beginning (end = 0) or at the end (end = 1) of a step to `system.margins`."""
    q, qd = parts_of(system, y)
    write_margins(system.model, system.work, q, qd, parts_of(system, slopes)[1], system.margins[end])
