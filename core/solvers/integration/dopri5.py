# SPDX-License-Identifier: GPL-3.0-or-later
"""Explicit steps for motion that is slow beside its frames: the Runge-Kutta method of Dormand and Prince of order 5.

A step takes half of the evaluations of one of order 8, and no frame is passed by a step. `step_order.py` chooses.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (2nd ed., 1993), table II.5.2; the weights of
the error are those of the authors' code DOPRI5.
"""

from __future__ import annotations

import math

import numpy as np

from ...compilation.jit import subroutine
from ...spatial.storage import copy
from ..stepping import error_norm, is_finite
from .dop853 import COUNT, combine, fastest_rate

LOW_ORDER = 5
LOW_COUNT = 6
"""Number of stages. The slope at the result comes after them."""

_ROWS = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
LOW_WEIGHTS = np.array([[*row, *(0.0,) * (LOW_COUNT - len(row))] for row in _ROWS])
LOW_TIMES = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
LOW_ERRORS = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
"""Weights of the stages' slopes, and of that at the result, in the difference of the results of orders 5 and 4."""


@subroutine
def dopri5_step(calls, system, y, trial, slopes, time, h, tolerance):
    """Write the state h seconds after y to `trial`. Return (error, fastest rate [1/s]).

    The arguments are those of `dop853_step`, and so are the rows of `slopes` that are read from outside: the first one,
    and row COUNT.
    """
    errors, last = slopes[COUNT + 1], slopes[COUNT + 2]
    for stage in range(1, LOW_COUNT + 1):
        combine(y, slopes, LOW_WEIGHTS[stage], stage, h, trial)
        if not is_finite(trial) or (stage == LOW_COUNT and not calls.project(system, time + h, trial)):
            return math.inf, 0.0
        if stage == LOW_COUNT - 1:
            copy(trial, last)
        row = stage if stage < LOW_COUNT else COUNT
        calls.rates(system, time + LOW_TIMES[stage] * h, trial, 0.0, slopes[row])
    rate = fastest_rate(trial, last, slopes[COUNT], slopes[LOW_COUNT - 1])
    for k in range(errors.shape[0]):
        errors[k] = h * LOW_ERRORS[LOW_COUNT] * slopes[COUNT, k]
    for stage in range(LOW_COUNT):
        for k in range(errors.shape[0]):
            errors[k] += h * LOW_ERRORS[stage] * slopes[stage, k]
    return error_norm(y, trial, errors, tolerance), rate
