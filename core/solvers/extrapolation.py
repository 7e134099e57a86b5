# SPDX-License-Identifier: GPL-3.0-or-later
"""Implicit steps for stiff springs and dampers: the linearly implicit Euler method, extrapolated to a high order.

The simplest step that no stiffness upsets is taken over the same time in 1, 2, 3 ... parts, and from how the results
change with the number of parts follows what infinitely many would give. Only the forces of springs and dampers are
treated implicitly; to the articulated-body algorithm they look like armature, so a step stays O(n). That the rest is
explicit costs no order: the error of any one-step method has an expansion in the step.

Source: Hairer, Wanner, Solving Ordinary Differential Equations II (2nd ed., 1996), section IV.9; Gragg's expansion in
volume I, Theorem II.8.1.
"""

from __future__ import annotations

import math

from ..dynamics.forces import joint_forces
from ..dynamics.guards import guard_forces
from ..jit import jitable, subroutine
from ..spatial.storage import copy
from .inputs import set_inputs
from .stepping import error_norm, is_finite
from .system import LEDGERS, parts_of, rates_of_positions


@subroutine
def extrapolated_step(calls, system, y, trial, table, slopes, time, h, order, tolerance):
    """Leave in `trial` where y is after h seconds, of that order. Returns the error: 1 is as much as allowed.

    table: scratch, shape (at least order, len(y)). slopes: scratch, shape (len(y),).
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
        calls.rates(system, time + h, trial, 0.0, slopes)  # `close` takes its factors from there
        if not calls.close(system, time + h, trial):
            return math.inf
    return error


@jitable
def euler_step(calls, system, y, slopes, time, h):
    """Move y on by h seconds: velocities by the accelerations at its end, positions by the velocities there.

    What dampers take away and drives bring in is counted at the end as well: at its beginning a stiff damper may take a
    power that it has not kept for a part of the step.
    """
    ledgers = y.shape[0] - LEDGERS
    q, qd = parts_of(system, y)
    set_inputs(system, time)
    lost, gained = own_powers(system, q, qd)
    calls.rates(system, time, y, h, slopes)
    for j in range(qd.shape[0]):
        qd[j] += h * slopes[q.shape[0] + j]
    rates_of_positions(system.model, q, qd, slopes)
    for k in range(q.shape[0]):
        q[k] += h * slopes[k]
    set_inputs(system, time + h)
    loses, gains = own_powers(system, q, qd)
    slopes[ledgers] += loses - lost
    slopes[ledgers + 1] += gains - gained
    for k in range(ledgers, y.shape[0]):
        y[k] += h * slopes[k]


@subroutine
def own_powers(system, q, qd):
    """What springs, dampers, guards and drives take away, and what drives bring in [W]."""
    lost = joint_forces(system.model, system.work, q, qd, 0.0, system.tau)
    taken, gained = guard_forces(system.model, system.work, q, qd, 0.0, system.tau)
    return lost + taken, gained
