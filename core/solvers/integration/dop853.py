# SPDX-License-Identifier: GPL-3.0-or-later
"""Explicit steps for smooth motion: the Runge-Kutta method of Dormand and Prince of order 8, with error estimates of
orders 5 and 3.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (2nd ed., 1993), section II.5 for the method,
II.10 for its error; volume II, section IV.2, for the rate by which stiffness shows.
"""

from __future__ import annotations

import math

import numpy as np

from ...compilation.jit import jitable, subroutine
from ...spatial.storage import copy
from ..stepping import error_norm, is_finite
from ..system import ENERGY_TOTALS
from .dop853_table import FIFTH, NODES, RESULT, STAGES, THIRD

ORDER = 8
COUNT = len(STAGES)
"""Number of stages. The slope at the result comes after them."""


def _rows(sparse) -> np.ndarray:
    dense = np.zeros((len(sparse), COUNT + 1))
    for row, entries in enumerate(sparse):
        for column, weight in entries.items():
            dense[row, column] = weight
    return dense


WEIGHTS = _rows((*STAGES, RESULT))
TIMES = np.array([*NODES, 1.0])
ERRORS = _rows((FIFTH, THIRD))


@subroutine
def dop853_step(calls, system, y, trial, slopes, time, h, tolerance):
    """Write the state h seconds after y to `trial`. Return (error, fastest rate [1/s], error of a method of order 5).

    An error of 1 is what the tolerance allows; infinity means that the step has failed. That of order 5 is the mean of
    the error estimates of orders 5 and 3, for a method that estimates its error by a result of order 4.

    `slopes`, shape (COUNT + 3, len(y)), has the slope at y in its first row. Row COUNT becomes the slope at the result,
    which is the first one of the next step. The last two rows are work arrays.

    Only the result is projected on the constraints (Hairer, Wanner II, section VII.2: stabilization by projection).
    Slopes satisfy them at any state. The projection of a stage would use the factors of the stage before, and might
    move light bodies by more than the tolerance.
    """
    fifth, third = slopes[COUNT + 1], slopes[COUNT + 2]
    for stage in range(1, COUNT + 1):
        combine(y, slopes, WEIGHTS[stage], stage, h, trial)
        if not is_finite(trial) or (stage == COUNT and not calls.project(system, time + h, trial)):
            return math.inf, 0.0, math.inf
        if stage == COUNT - 1:
            copy(trial, third)
        calls.rates(system, time + TIMES[stage] * h, trial, 0.0, slopes[stage])
    rate = fastest_rate(trial, third, slopes[COUNT], slopes[COUNT - 1])
    weighted_sum(slopes, ERRORS[0], h, fifth)
    weighted_sum(slopes, ERRORS[1], h, third)
    small = error_norm(y, trial, fifth, tolerance)
    large = error_norm(y, trial, third, tolerance)
    error = small * small / math.sqrt(small * small + 0.01 * large * large) if small > 0.0 else small
    return error, rate, math.sqrt(small * large)


@jitable
def combine(y, slopes, weights, count, h, out):
    """Write y plus h times a weighted sum of the first slopes."""
    copy(y, out)
    for s in range(count):
        if weights[s] != 0.0:
            weight = h * weights[s]
            for k in range(y.shape[0]):
                out[k] += weight * slopes[s, k]


@jitable
def weighted_sum(slopes, weights, h, out):
    for k in range(out.shape[0]):
        out[k] = 0.0
    for s in range(weights.shape[0]):
        if weights[s] != 0.0:
            weight = h * weights[s]
            for k in range(out.shape[0]):
                out[k] += weight * slopes[s, k]


@jitable
def fastest_rate(trial, last, slope, last_slope):
    """Return the ratio of the difference of slopes to that of two states at the end of the step [1/s]."""
    turned, apart = 0.0, 0.0
    for k in range(trial.shape[0] - ENERGY_TOTALS):
        faster, farther = slope[k] - last_slope[k], trial[k] - last[k]
        turned += faster * faster
        apart += farther * farther
    return math.sqrt(turned / apart) if apart > 0.0 else 0.0
