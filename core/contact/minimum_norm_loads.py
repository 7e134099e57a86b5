# SPDX-License-Identifier: GPL-3.0-or-later
"""The loads of least norm that change the rows' rates as required, by a QR factorization with column pivoting.

Redundant points, such as the four corners of a box, make W singular and their loads ambiguous. The loads of least norm
share a weight evenly and change smoothly as bodies move, which long steps need. A contradiction of the size of rounding
remains in the rates.

Source: Golub, Van Loan, Matrix Computations (4th ed., 2013), algorithm 5.4.1 (QR with column pivoting) and section
5.5.6 (the least of all solutions).
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from .points import ROLL, ROWS, SPIN

RANK_TOLERANCE = 1e-9
"""Norm of a remaining column, as a share of the largest one, below which it is linearly dependent."""
REFINEMENTS = 2
"""Number of solutions in sequence. The second one corrects the rounding errors of the first."""


@subroutine
def factor_delassus(touch):
    """Write the factors of W to matrix[1], and the rank of each island's block to `rank` of its first row.

    Forces and torques are scaled to be commensurable. Factors are stored column by column, in the order of access.
    """
    first = 0
    while first < touch.count[ROWS]:
        end = touch.rows[first].end
        for r in range(first, end):
            for c in range(first, end):
                touch.matrix[1, c, r] = touch.matrix[0, r, c]
        scale_block(touch, touch.matrix[1], first, end)
        factor_block(touch, touch.matrix[1], first, end)
        first = end


@subroutine
def factor_block(touch, A, first, end):
    """Factor the block of A from `first` to `end` in place."""
    dependent = factor_qr(touch, A, first, end)
    touch.rows[first].rank = dependent - first
    for c in range(dependent, end):  # S = R11^-1 R12, in place of R12
        for r in range(dependent - 1, first - 1, -1):
            for k in range(r + 1, dependent):
                A[c, r] -= A[k, r] * A[c, k]
            A[c, r] /= A[r, r]
    for c in range(dependent, end):  # Cholesky factor of 1 + S'S, in place of R22
        for r in range(dependent, c + 1):
            total = 1.0 if r == c else 0.0
            for k in range(first, dependent):
                total += A[r, k] * A[c, k]
            for k in range(dependent, r):
                total -= A[k, c] * A[k, r]
            A[r, c] = math.sqrt(total) if r == c else total / A[r, r]


@subroutine
def scale_block(touch, A, first, end):
    """Scale a block so that forces and torques are commensurable, and write the factors to `scale` of the rows."""
    force, torque, forces, torques = 0.0, 0.0, 0, 0
    for r in range(first, end):
        if touch.rows[r].kind in (SPIN, ROLL):
            torque, torques = torque + abs(A[r, r]), torques + 1
        else:
            force, forces = force + abs(A[r, r]), forces + 1
    force = 1.0 / math.sqrt(force / forces) if force > 0.0 else 1.0
    torque = 1.0 / math.sqrt(torque / torques) if torque > 0.0 else 1.0
    for r in range(first, end):
        touch.rows[r].scale = torque if touch.rows[r].kind in (SPIN, ROLL) else force
        touch.rows[r].pivot_row = r
    for r in range(first, end):
        for c in range(first, end):
            A[c, r] *= touch.rows[r].scale * touch.rows[c].scale


@subroutine
def factor_qr(touch, A, first, end):
    """Apply Householder's QR factorization with column pivoting in place, and write the permutation to `pivot_row`.

    Returns where the dependent columns begin.
    """
    largest = 0.0
    for k in range(first, end):
        best, most = k, -1.0
        for c in range(k, end):
            size = squared_length(A, k, c, end)
            if size > most:
                best, most = c, size
        largest = max(largest, most)
        if most <= RANK_TOLERANCE * RANK_TOLERANCE * largest or most == 0.0:
            return k
        if best != k:
            for r in range(first, end):
                A[k, r], A[best, r] = A[best, r], A[k, r]
            touch.rows[k].pivot_row, touch.rows[best].pivot_row = touch.rows[best].pivot_row, touch.rows[k].pivot_row
        reach = math.sqrt(most) if A[k, k] <= 0.0 else -math.sqrt(most)
        head = A[k, k] - reach
        touch.rows[k].householder = -head / reach
        for r in range(k + 1, end):
            A[k, r] /= head
        A[k, k] = reach
        for c in range(k + 1, end):
            apply_reflection(touch, A, k, c, end)
    return end


@jitable
def squared_length(A, k, c, end):
    """Return the squared norm of column c from row k on."""
    total = 0.0
    for r in range(k, end):
        total += A[c, r] * A[c, r]
    return total


@jitable
def apply_reflection(touch, A, k, c, end):
    """Apply reflection k to column c."""
    total, mirror, column = A[c, k], A[k, k + 1 : end], A[c, k + 1 : end]
    for r in range(end - k - 1):
        total += mirror[r] * column[r]
    total *= touch.rows[k].householder
    A[c, k] -= total
    for r in range(end - k - 1):
        column[r] -= total * mirror[r]


@subroutine
def solve_loads(touch):
    """Write the loads that change the rows' rates by `rhs`, with the factors of `factor_delassus`."""
    W, rows = touch.matrix[0], touch.count[ROWS]
    for r in range(rows):
        touch.rows[r].load = 0.0
        touch.rows[r].residual = touch.rows[r].rhs
    for turn in range(REFINEMENTS):
        first = 0
        while first < rows:
            solve_island(touch, touch.matrix[1], first, touch.rows[first].end)
            first = touch.rows[first].end
        for r in range(rows):
            row = touch.rows[touch.rows[r].pivot_row]
            row.load += touch.rows[r].solution * row.scale
        if turn + 1 < REFINEMENTS:
            for r in range(rows):
                residual = touch.rows[r].rhs
                for c in range(touch.rows[r].begin, touch.rows[r].end):
                    residual -= W[r, c] * touch.rows[c].load
                touch.rows[r].residual = residual


@subroutine
def solve_island(touch, A, first, end):
    """Write to `solution` the scaled loads for the `residual` of an island, in the order of the columns."""
    rows, dependent = touch.rows, first + touch.rows[first].rank
    for r in range(first, end):
        rows[r].solution = rows[r].residual * rows[r].scale
    for k in range(first, dependent):
        total = rows[k].solution
        for r in range(k + 1, end):
            total += A[k, r] * rows[r].solution
        total *= rows[k].householder
        rows[k].solution -= total
        for r in range(k + 1, end):
            rows[r].solution -= total * A[k, r]
    for r in range(dependent - 1, first - 1, -1):
        for k in range(r + 1, dependent):
            rows[r].solution -= A[k, r] * rows[k].solution
        rows[r].solution /= A[r, r]
    if dependent < end:
        minimise_norm(rows, A, first, dependent, end)


@jitable
def minimise_norm(rows, A, first, dependent, end):
    """Turn the solution with loads of independent rows only into the one of least norm."""
    for c in range(dependent, end):
        total = 0.0
        for k in range(first, dependent):
            total += A[c, k] * rows[k].solution
        for k in range(dependent, c):
            total -= A[k, c] * rows[k].solution
        rows[c].solution = total / A[c, c]
    for c in range(end - 1, dependent - 1, -1):
        for k in range(c + 1, end):
            rows[c].solution -= A[c, k] * rows[k].solution
        rows[c].solution /= A[c, c]
    for r in range(first, dependent):
        for c in range(dependent, end):
            rows[r].solution -= A[c, r] * rows[c].solution
