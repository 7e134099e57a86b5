"""Explicit steps for smooth motion: Dormand and Prince's Runge-Kutta pair of orders 5 and 4.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (2nd ed., 1993), Table II.5.2 for the
coefficients, section II.4 for the error; volume II, section IV.2, for the test of stiffness.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import jitable, subroutine
from .stepping import copy, error_norm, is_finite
from .system import LEDGERS

STAGES = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
NODES = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
ERROR = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])

ORDER = 5


@subroutine
def dopri5_step(calls, system, y, trial, stages, time, h, tolerance):
    """Leave in `trial` where y is after h seconds. `stages`, shape (8, len(y)), has the slope at y in its first row.

    Returns the error (1 is as much as allowed, infinite all is lost) and the rate at which the fastest part changes
    [1/s]. The last slope is the next step's first; the eighth row is scratch.
    """
    last = stages[7]
    for stage in range(1, 7):
        combine(y, stages, stage, h, trial)
        if not is_finite(trial):
            return math.inf, 0.0
        if stage == 5:
            copy(trial, last)
        if not calls.close(system, time + h, trial):
            return math.inf, 0.0
        calls.rates(system, time + NODES[stage] * h, trial, 0.0, stages[stage])
    rate = fastest_rate(trial, last, stages)
    for k in range(y.shape[0]):
        total = 0.0
        for s in range(7):
            total += ERROR[s] * stages[s, k]
        last[k] = h * total
    return error_norm(y, trial, last, tolerance), rate


@jitable
def combine(y, stages, stage, h, out):
    """Where `stage` looks: y plus h times its weighted sum of the slopes before it."""
    for k in range(y.shape[0]):
        total = 0.0
        for s in range(stage):
            total += STAGES[stage, s] * stages[s, k]
        out[k] = y[k] + h * total


@jitable
def fastest_rate(trial, sixth, stages):
    """How much slopes differ between two states at the end of the step, for the distance between these [1/s]."""
    slopes, states = 0.0, 0.0
    for k in range(trial.shape[0] - LEDGERS):
        slopes += (stages[6, k] - stages[5, k]) ** 2
        states += (trial[k] - sixth[k]) ** 2
    return math.sqrt(slopes / states) if states > 0.0 else 0.0
