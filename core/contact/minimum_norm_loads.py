# SPDX-License-Identifier: GPL-3.0-or-later
"""The least loads that change the rows' rates by what is asked of them.

Points that hold the same twice, such as the four corners of a box, leave W singular, and loads open. The smallest ones
are taken: they share a weight evenly, and go on smoothly as bodies move, which long steps need. What rows ask that
contradicts itself by a rounding is left.

Source: Golub, Van Loan, Matrix Computations (4th ed., 2013), algorithm 5.4.1 (QR with column pivoting) and section
5.5.6 (the least of all solutions).
"""

from __future__ import annotations

import math

from ..jit import jitable, subroutine
from .points import ROLL, ROWS, SPIN

DEPENDENT = 1e-9
"""Part of the largest column, below which a column says what others have said."""
PASSES = 2
"""Of which the last finds the digits that the first lost."""


@subroutine
def factor_rows(touch):
    """Leave in matrix[1] the factors of W, its forces and torques made alike; `rank` of an island's rows count.

    They stand column by column, since that is how they are gone through.
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
    """Factor a block of A in place."""
    own = decompose(touch, A, first, end)
    touch.rows[first].rank = own - first
    for c in range(own, end):  # S = R11^-1 R12 in its place
        for r in range(own - 1, first - 1, -1):
            for k in range(r + 1, own):
                A[c, r] -= A[k, r] * A[c, k]
            A[c, r] /= A[r, r]
    for c in range(own, end):  # Cholesky's factor of 1 + S'S, where nothing else is
        for r in range(own, c + 1):
            total = 1.0 if r == c else 0.0
            for k in range(first, own):
                total += A[r, k] * A[c, k]
            for k in range(own, r):
                total -= A[k, c] * A[k, r]
            A[r, c] = math.sqrt(total) if r == c else total / A[r, r]


@subroutine
def scale_block(touch, A, first, end):
    """Make forces and torques alike, by `scale` of the rows."""
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
        touch.rows[r].from_row = r
    for r in range(first, end):
        for c in range(first, end):
            A[c, r] *= touch.rows[r].scale * touch.rows[c].scale


@subroutine
def decompose(touch, A, first, end):
    """Householder's QR with column pivoting, in place; `from_row` says which column stands where.

    Returns where the dependent columns begin.
    """
    largest = 0.0
    for k in range(first, end):
        best, most = k, -1.0
        for c in range(k, end):
            size = length2(A, k, c, end)
            if size > most:
                best, most = c, size
        largest = max(largest, most)
        if most <= DEPENDENT * DEPENDENT * largest or most == 0.0:
            return k
        if best != k:
            for r in range(first, end):
                A[k, r], A[best, r] = A[best, r], A[k, r]
            touch.rows[k].from_row, touch.rows[best].from_row = touch.rows[best].from_row, touch.rows[k].from_row
        reach = math.sqrt(most) if A[k, k] <= 0.0 else -math.sqrt(most)
        head = A[k, k] - reach
        touch.rows[k].turn = -head / reach
        for r in range(k + 1, end):
            A[k, r] /= head
        A[k, k] = reach
        for c in range(k + 1, end):
            reflect(touch, A, k, c, end)
    return end


@jitable
def length2(A, k, c, end):
    total = 0.0
    for r in range(k, end):
        total += A[c, r] * A[c, r]
    return total


@jitable
def reflect(touch, A, k, c, end):
    """Apply reflection k to column c."""
    total, mirror, column = A[c, k], A[k, k + 1 : end], A[c, k + 1 : end]
    for r in range(end - k - 1):
        total += mirror[r] * column[r]
    total *= touch.rows[k].turn
    A[c, k] -= total
    for r in range(end - k - 1):
        column[r] -= total * mirror[r]


@subroutine
def solve_rows(touch):
    """Write the loads that change the rows' rates by `asked`, by what `factor_rows` has left."""
    W, rows = touch.matrix[0], touch.count[ROWS]
    for r in range(rows):
        touch.rows[r].load = 0.0
        touch.rows[r].left = touch.rows[r].asked
    for turn in range(PASSES):
        first = 0
        while first < rows:
            solve_island(touch, touch.matrix[1], first, touch.rows[first].end)
            first = touch.rows[first].end
        for r in range(rows):
            touch.rows[touch.rows[r].from_row].load += touch.rows[r].found * touch.rows[touch.rows[r].from_row].scale
        if turn + 1 < PASSES:
            for r in range(rows):
                left = touch.rows[r].asked
                for c in range(touch.rows[r].begin, touch.rows[r].end):
                    left -= W[r, c] * touch.rows[c].load
                touch.rows[r].left = left


@subroutine
def solve_island(touch, A, first, end):
    """Write to `found` the scaled loads for what is `left`, in the order of the columns."""
    at, own = touch.rows, first + touch.rows[first].rank
    for r in range(first, end):
        at[r].found = at[r].left * at[r].scale
    for k in range(first, own):
        total = at[k].found
        for r in range(k + 1, end):
            total += A[k, r] * at[r].found
        total *= at[k].turn
        at[k].found -= total
        for r in range(k + 1, end):
            at[r].found -= total * A[k, r]
    for r in range(own - 1, first - 1, -1):
        for k in range(r + 1, own):
            at[r].found -= A[k, r] * at[k].found
        at[r].found /= A[r, r]
    if own < end:
        share(at, A, first, own, end)


@jitable
def share(at, A, first, own, end):
    """From the loads of independent rows alone to the least of all rows."""
    for c in range(own, end):
        total = 0.0
        for k in range(first, own):
            total += A[c, k] * at[k].found
        for k in range(own, c):
            total -= A[k, c] * at[k].found
        at[c].found = total / A[c, c]
    for c in range(end - 1, own - 1, -1):
        for k in range(c + 1, end):
            at[c].found -= A[c, k] * at[k].found
        at[c].found /= A[c, c]
    for r in range(first, own):
        for c in range(own, end):
            at[r].found -= A[c, r] * at[c].found
