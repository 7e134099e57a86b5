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

from ..jit import jitable, subroutine
from .stepping import error_norm, is_finite
from .system import LEDGERS, accelerations_at, close, rates_of_positions


@subroutine
def extrapolated_step(system, y, trial, table, slopes, time, h, order, tolerance):
    """Leave in `trial` where y is after h seconds, of that order. Returns the error: 1 is as much as allowed.

    table: scratch, shape (at least order, len(y)). slopes: scratch, shape (len(y),).
    """
    for j in range(order):
        row = table[j]
        row[:] = y
        parts = j + 1
        for part in range(parts):
            euler_step(system, row, slopes, time + h * part / parts, h / parts)
        if not is_finite(row):
            return math.inf
        for k in range(j - 1, -1, -1):  # Aitken and Neville: entry k of the table is made from it and the one after it
            weight = 1.0 / ((j + 1.0) / (k + 1.0) - 1.0)
            for n in range(row.shape[0]):
                table[k, n] = table[k + 1, n] + weight * (table[k + 1, n] - table[k, n])
    trial[:] = table[0]
    for n in range(trial.shape[0]):
        slopes[n] = trial[n] - table[1, n]
    error = error_norm(y, trial, slopes, tolerance)
    if error <= 1.0 and system.constraints.first.shape[0] > 0:
        nv = system.tau.shape[0]
        nq = y.shape[0] - nv - LEDGERS
        q, qd = trial[:nq], trial[nq : nq + nv]
        accelerations_at(system, time + h, q, qd, 0.0, slopes[nq : nq + nv])
        if not close(system, time + h, q, qd):
            return math.inf
    return error


@jitable
def euler_step(system, y, slopes, time, h):
    """Move y on by h seconds: velocities by the accelerations at its end, positions by the velocities there."""
    nv = system.tau.shape[0]
    nq = y.shape[0] - nv - LEDGERS
    q, qd = y[:nq], y[nq : nq + nv]
    lost, gained = accelerations_at(system, time, q, qd, h, slopes[nq : nq + nv])
    for j in range(nv):
        qd[j] += h * slopes[nq + j]
    rates_of_positions(system.model, q, qd, slopes[:nq])
    for k in range(nq):
        q[k] += h * slopes[k]
    y[nq + nv] += h * lost
    y[nq + nv + 1] += h * gained
