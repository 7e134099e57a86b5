# SPDX-License-Identifier: GPL-3.0-or-later
"""The loads of least norm that change the rows' rates as required, by a QR factorization with column pivoting.

Redundant points, such as the four corners of a box, make W singular and their loads ambiguous. The loads of least norm
share a weight evenly and change smoothly as bodies move, which long steps need. A contradiction of the size of rounding
remains in the rates.

If friction slips, it is proportional to the normal load of its point. W = J M^-1 F is then not symmetric, and the loads
of least norm are not physical. Instead, the loads are a combination of the columns of J, the limit of equal springs in
all rows as the springs become stiff. Among all loads with the same normal forces and torques on each body, they are the
smallest, and they have no component in the left null space of W. If no friction slips, they are the loads of least
norm.

Source: Golub, Van Loan, Matrix Computations (4th ed., 2013), algorithm 5.4.1 (QR with column pivoting) and section
5.5.6 (the least of all solutions).
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from .delassus import is_slipping
from .points import NORMAL, ROLL, ROWS, SPIN

RANK_TOLERANCE = 1e-9
"""Norm of a remaining column, as a share of the largest one, below which it is linearly dependent."""
MIN_NULL_SPACE_PIVOT = 1e-6
"""Pivot of the elimination of L'N (see `factor_null_spaces`) below which friction is so large that a body jams.

L has orthonormal columns, and N has entries of 1. If a pivot is smaller, no spring loads exist, and the loads of least
norm are taken.
"""
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
        dependent = write_null_space(touch, touch.matrix[1], first, end)
        avoids = dependent < end and has_slipping_normals(touch, first, end)
        if avoids and factor_null_spaces(touch, touch.matrix[1], first, dependent, end):
            touch.rows[first].has_spring_loads = 1
        else:
            touch.rows[first].has_spring_loads = 0
            factor_normal_equations(touch.matrix[1], first, dependent, end)
        first = end


@jitable
def has_slipping_normals(touch, first, end):
    """Return whether friction is proportional to any normal load of a block, so that W is not symmetric."""
    for r in range(first, end):
        if touch.rows[r].kind == NORMAL and is_slipping(touch.points[touch.rows[r].point]):
            return True
    return False


@subroutine
def factor_block(touch, A, first, end):
    """Factor the block of A from `first` to `end` in place, for the loads of least norm."""
    dependent = write_null_space(touch, A, first, end)
    touch.rows[first].has_spring_loads = 0
    factor_normal_equations(A, first, dependent, end)


@subroutine
def write_null_space(touch, A, first, end):
    """Factor a block in place, and write S = R11^-1 R12 in place of R12. The right null space is N = (-S, 1).

    Return where the dependent columns begin.
    """
    dependent = factor_qr(touch, A, first, end)
    touch.rows[first].rank = dependent - first
    for c in range(dependent, end):
        for r in range(dependent - 1, first - 1, -1):
            for k in range(r + 1, dependent):
                A[c, r] -= A[k, r] * A[c, k]
            A[c, r] /= A[r, r]
    return dependent


@jitable
def factor_normal_equations(A, first, dependent, end):
    """Write the Cholesky factor of 1 + S'S in place of R22."""
    for c in range(dependent, end):
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

    Return where the dependent columns begin.
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
        rows[r].reflected = rows[r].residual * rows[r].scale
    reflect(rows, A, first, dependent, end)
    for r in range(first, end):
        rows[r].solution = rows[r].reflected
    for r in range(dependent - 1, first - 1, -1):
        for k in range(r + 1, dependent):
            rows[r].solution -= A[k, r] * rows[k].solution
        rows[r].solution /= A[r, r]
    if dependent < end and rows[first].has_spring_loads:
        remove_left_null_space(rows, A, first, dependent, end)
    elif dependent < end:
        minimise_norm(rows, A, first, dependent, end)
    for r in range(first, dependent):
        for c in range(dependent, end):
            rows[r].solution -= A[c, r] * rows[c].solution


@jitable
def minimise_norm(rows, A, first, dependent, end):
    """Write the loads of the dependent rows in the solution of least norm.

    `solution` has the loads of the independent rows for dependent loads of 0. `solve_island` corrects them afterwards.
    """
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


@jitable
def reflect(rows, A, first, dependent, end):
    """Multiply the vector `reflected` of the rows by Q', with the reflections in the columns of A."""
    for k in range(first, dependent):
        reflect_once(rows, A, k, end)


@jitable
def reflect_back(rows, A, first, dependent, end):
    """Multiply the vector `reflected` of the rows by Q, as `reflect` does by Q'."""
    for k in range(dependent - 1, first - 1, -1):
        reflect_once(rows, A, k, end)


@jitable
def reflect_once(rows, A, k, end):
    """Apply the Householder reflection in column k of A to the vector `reflected` of the rows."""
    total = rows[k].reflected
    for r in range(k + 1, end):
        total += A[k, r] * rows[r].reflected
    total *= rows[k].householder
    rows[k].reflected -= total
    for r in range(k + 1, end):
        rows[r].reflected -= total * A[k, r]


@subroutine
def factor_null_spaces(touch, A, first, dependent, end):
    """Write the LU factors of L'N in place of R22. Return whether L'N is regular.

    L is the left null space, the last columns of Q. N = (-S, 1) is the right null space, in the order of the columns.
    """
    rows = touch.rows
    for c in range(dependent, end):
        for k in range(first, dependent):
            rows[rows[k].pivot_row].reflected = -A[c, k]
        for k in range(dependent, end):
            rows[rows[k].pivot_row].reflected = 1.0 if k == c else 0.0
        reflect(rows, A, first, dependent, end)
        for r in range(dependent, end):
            A[c, r] = rows[r].reflected
    for k in range(dependent, end):
        best = k
        for r in range(k + 1, end):
            if abs(A[k, r]) > abs(A[k, best]):
                best = r
        if abs(A[k, best]) < MIN_NULL_SPACE_PIVOT:
            return False
        rows[k].exchanged = best
        for c in range(dependent, end):
            A[c, k], A[c, best] = A[c, best], A[c, k]
        for r in range(k + 1, end):
            A[k, r] /= A[k, k]
            for c in range(k + 1, end):
                A[c, r] -= A[k, r] * A[c, k]
    return True


@jitable
def remove_left_null_space(rows, A, first, dependent, end):
    """Write the loads of the dependent rows in the solution that has no component in the left null space.

    `solve_island` corrects the loads of the independent rows afterwards.
    """
    for k in range(first, end):
        rows[rows[k].pivot_row].reflected = rows[k].solution if k < dependent else 0.0
    reflect(rows, A, first, dependent, end)
    for k in range(dependent, end):
        rows[k].solution = -rows[k].reflected
    for k in range(dependent, end):
        best = rows[k].exchanged
        rows[k].solution, rows[best].solution = rows[best].solution, rows[k].solution
    for k in range(dependent, end):
        for r in range(k + 1, end):
            rows[r].solution -= A[k, r] * rows[k].solution
    for c in range(end - 1, dependent - 1, -1):
        for k in range(c + 1, end):
            rows[c].solution -= A[k, c] * rows[k].solution
        rows[c].solution /= A[c, c]
