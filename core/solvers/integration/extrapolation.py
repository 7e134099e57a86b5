# SPDX-License-Identifier: GPL-3.0-or-later
"""Implicit steps for stiff springs and dampers: the linearly implicit Euler method, extrapolated to a high order.

A step is taken in 1, 2, 3, ... parts, and the results are extrapolated to infinitely many parts. Only forces of
springs, dampers and drives are implicit. In the articulated-body algorithm they look like armature, so a step takes
O(n) operations. The explicit treatment of everything else does not reduce the order, since the error of any one-step
method has an expansion in powers of the step.

Source: Hairer, Wanner, Solving Ordinary Differential Equations II (2nd ed., 1996), section IV.9; Gragg's expansion in
volume I, theorem II.8.1.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...controls.inputs import set_inputs
from ...dynamics.forces import joint_forces
from ...dynamics.set_valued_forces import add_set_valued_forces
from ...spatial.storage import copy
from ..stepping import error_norm, is_finite
from ..system import DISSIPATED, ENERGY_TOTALS, SUPPLIED, parts_of, rates_of_positions


@subroutine
def extrapolated_step(calls, system, y, trial, table, slopes, time, h, order, tolerance):
    """Write the state h seconds after y to `trial`, by a method of this order.

    Return the error; the tolerance allows 1.

    table: work array, shape (at least order, len(y)). slopes: work array, shape (len(y),).
    """
    for j in range(order):
        row = table[j]
        copy(y, row)
        parts = j + 1
        for part in range(parts):
            euler_step(calls, system, row, slopes, time + h * part / parts, h / parts)
        if not is_finite(row):
            return math.inf
        for k in range(j - 1, -1, -1):  # Aitken and Neville: entry k of the table is made from it and the one after it
            weight = 1.0 / ((j + 1.0) / (k + 1.0) - 1.0)
            for n in range(row.shape[0]):
                table[k, n] = table[k + 1, n] + weight * (table[k + 1, n] - table[k, n])
    copy(table[0], trial)
    for n in range(trial.shape[0]):
        slopes[n] = trial[n] - table[1, n]
    error = error_norm(y, trial, slopes, tolerance)
    if error <= 1.0:
        # `calls.project` takes its factors from these rates.
        calls.rates(system, time + h, trial, 0.0, slopes)
        if not calls.project(system, time + h, trial):
            return math.inf
    return error


@jitable
def euler_step(calls, system, y, slopes, time, h):
    """Move y by h seconds: velocities by the accelerations at the end, positions by the velocities there.

    The power of dampers and drives is taken at the end as well. At the beginning, the power of a stiff damper may be
    much larger than during most of the step.
    """
    first_total = y.shape[0] - ENERGY_TOTALS
    q, qd = parts_of(system, y)
    set_inputs(system, time)
    lost, gained = powers_of_forces(system, q, qd)
    calls.rates(system, time, y, h, slopes)
    for j in range(qd.shape[0]):
        qd[j] += h * slopes[q.shape[0] + j]
    rates_of_positions(system.model, q, qd, slopes)
    for k in range(q.shape[0]):
        q[k] += h * slopes[k]
    set_inputs(system, time + h)
    lost_at_end, gained_at_end = powers_of_forces(system, q, qd)
    slopes[DISSIPATED] += lost_at_end - lost
    slopes[SUPPLIED] += gained_at_end - gained
    for k in range(first_total, y.shape[0]):
        y[k] += h * slopes[k]


@subroutine
def powers_of_forces(system, q, qd):
    """Return (power dissipated by springs, dampers, set-valued forces and drives, power supplied by drives) [W]."""
    lost = joint_forces(system.model, system.work, q, qd, 0.0, system.tau)
    dissipated, supplied = add_set_valued_forces(system.model, system.work, q, qd, 0.0, system.tau)
    return lost + dissipated, supplied
