# SPDX-License-Identifier: GPL-3.0-or-later
"""Anderson acceleration of the Gauss-Seidel sweeps over an island.

complementarity.py calls it after each sweep, which takes loads x to G(x). Of the last sweeps, it finds the combination
whose changes G(x) - x nearly cancel, and continues from the loads of that. The second matrix of `Touch`, which sweeps
do not use, keeps the history.

Source: Walker, Ni, Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49 (2011), section 2.
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from .active_set import write_residuals
from .points import ANDERSON_MEMORY

MIN_ROWS = 6
"""Number of rows below which the second matrix has no room for a history of two sweeps."""
MIN_PIVOT = 1e-14
"""Pivot of the normal equations, as a share of their diagonal, below which sweeps are linearly dependent."""


@subroutine
def save_loads(touch, first, last):
    """Save the loads before a sweep."""
    for r in range(first, last):
        touch.rows[r].saved_load = touch.rows[r].load


@subroutine
def accelerate_loads(touch, first, last, combined):
    """Replace the loads after a sweep by the combination of the last sweeps.

    combined: number of sweeps since the last restart. Return the new number; 0 is a restart.
    """
    A, equations, rows = touch.matrix[1], touch.anderson, last - first
    memory = min(ANDERSON_MEMORY, (rows - 2) // 2)
    if rows < MIN_ROWS:
        return 0
    at, loads, changes = first + (combined + memory - 1) % memory, first + 2 * memory, first + 2 * memory + 1
    for r in range(first, last):
        weight = math.sqrt(abs(touch.matrix[0, r, r]))  # makes forces and torques commensurable
        change = (touch.rows[r].load - touch.rows[r].saved_load) * weight
        if combined > 0:
            A[at, r] = touch.rows[r].saved_load - A[loads, r]
            A[at + memory, r] = change - A[changes, r]
        A[loads, r], A[changes, r] = touch.rows[r].saved_load, change
    count = min(combined, memory)
    if count == 0:
        return 1
    for i in range(count):
        for j in range(i + 1):
            equations[i, j] = row_product(A, first + memory + i, first + memory + j, first, last)
        equations[i, ANDERSON_MEMORY] = row_product(A, first + memory + i, changes, first, last)
    if not solve_normal_equations(equations, count):
        return 0
    for r in range(first, last):
        weight = math.sqrt(abs(touch.matrix[0, r, r]))
        for i in range(count):
            change = A[first + memory + i, r] / weight if weight > 0.0 else 0.0
            touch.rows[r].load -= equations[i, ANDERSON_MEMORY] * (A[first + i, r] + change)
    write_residuals(touch, first, last)
    return combined + 1


@jitable
def row_product(A, i, j, first, last):
    """Return the dot product of lines i and j of A over the columns first to last."""
    total = 0.0
    for r in range(first, last):
        total += A[i, r] * A[j, r]
    return total


@jitable
def solve_normal_equations(equations, count):
    """Solve the normal equations, given by their lower half, by Cholesky factors in place.

    The last column has the right-hand side, then the solution. Return False if the matrix is singular.
    """
    for i in range(count):
        for j in range(i + 1):
            total = equations[i, j]
            for k in range(j):
                total -= equations[i, k] * equations[j, k]
            if i == j:
                if not total > MIN_PIVOT * equations[i, i]:
                    return False
                equations[i, i] = math.sqrt(total)
            else:
                equations[i, j] = total / equations[j, j]
    for i in range(count):
        for k in range(i):
            equations[i, ANDERSON_MEMORY] -= equations[i, k] * equations[k, ANDERSON_MEMORY]
        equations[i, ANDERSON_MEMORY] /= equations[i, i]
    for i in range(count - 1, -1, -1):
        for k in range(i + 1, count):
            equations[i, ANDERSON_MEMORY] -= equations[k, i] * equations[k, ANDERSON_MEMORY]
        equations[i, ANDERSON_MEMORY] /= equations[i, i]
    return True
