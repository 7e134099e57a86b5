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
    """Leave in matrix[1] the factors of W, its forces and torques made alike; `rank` of them count."""
    A, rows = touch.matrix[1], touch.count[ROWS]
    write_scaled(touch, A, rows)
    rank = decompose(touch, A, rows)
    touch.rank[0] = rank
    for c in range(rank, rows):  # S = R11^-1 R12 in its place
        for r in range(rank - 1, -1, -1):
            for k in range(r + 1, rank):
                A[r, c] -= A[r, k] * A[k, c]
            A[r, c] /= A[r, r]
    for c in range(rank, rows):  # Cholesky's factor of 1 + S'S, where nothing else is
        for r in range(rank, c + 1):
            total = 1.0 if r == c else 0.0
            for k in range(rank):
                total += A[k, r] * A[k, c]
            for k in range(rank, r):
                total -= A[c, k] * A[r, k]
            A[c, r] = math.sqrt(total) if r == c else total / A[r, r]


@subroutine
def write_scaled(touch, A, rows):
    W = touch.matrix[0]
    force, torque, forces, torques = 0.0, 0.0, 0, 0
    for r in range(rows):
        if touch.rows[r].kind in (SPIN, ROLL):
            torque, torques = torque + abs(W[r, r]), torques + 1
        else:
            force, forces = force + abs(W[r, r]), forces + 1
    force = 1.0 / math.sqrt(force / forces) if force > 0.0 else 1.0
    torque = 1.0 / math.sqrt(torque / torques) if torque > 0.0 else 1.0
    for r in range(rows):
        touch.rows[r].scale = torque if touch.rows[r].kind in (SPIN, ROLL) else force
        touch.rows[r].from_row = r
    for r in range(rows):
        for c in range(rows):
            A[r, c] = W[r, c] * touch.rows[r].scale * touch.rows[c].scale


@subroutine
def decompose(touch, A, rows):
    """Householder's QR with column pivoting, in place; `from_row` says which column stands where. Returns the rank."""
    largest = 0.0
    for k in range(rows):
        best, most = k, -1.0
        for c in range(k, rows):
            size = length2(A, k, c, rows)
            if size > most:
                best, most = c, size
        largest = max(largest, most)
        if most <= DEPENDENT * DEPENDENT * largest or most == 0.0:
            return k
        if best != k:
            for r in range(rows):
                A[r, k], A[r, best] = A[r, best], A[r, k]
            touch.rows[k].from_row, touch.rows[best].from_row = touch.rows[best].from_row, touch.rows[k].from_row
        reach = math.sqrt(most) if A[k, k] <= 0.0 else -math.sqrt(most)
        head = A[k, k] - reach
        touch.rows[k].turn = -head / reach
        for r in range(k + 1, rows):
            A[r, k] /= head
        A[k, k] = reach
        for c in range(k + 1, rows):
            reflect(touch, A, k, c, rows)
    return rows


@jitable
def length2(A, k, c, rows):
    total = 0.0
    for r in range(k, rows):
        total += A[r, c] * A[r, c]
    return total


@jitable
def reflect(touch, A, k, c, rows):
    """Apply reflection k to column c."""
    total = A[k, c]
    for r in range(k + 1, rows):
        total += A[r, k] * A[r, c]
    total *= touch.rows[k].turn
    A[k, c] -= total
    for r in range(k + 1, rows):
        A[r, c] -= total * A[r, k]


@subroutine
def solve_rows(touch):
    """Write the loads that change the rows' rates by `asked`, by what `factor_rows` has left."""
    W, rows = touch.matrix[0], touch.count[ROWS]
    for r in range(rows):
        touch.rows[r].load = 0.0
        touch.rows[r].left = touch.rows[r].asked
    for turn in range(PASSES):
        solve_once(touch, touch.matrix[1], rows, touch.rank[0])
        for r in range(rows):
            touch.rows[touch.rows[r].from_row].load += touch.rows[r].found * touch.rows[touch.rows[r].from_row].scale
        if turn + 1 < PASSES:
            for r in range(rows):
                left = touch.rows[r].asked
                for c in range(rows):
                    left -= W[r, c] * touch.rows[c].load
                touch.rows[r].left = left


@subroutine
def solve_once(touch, A, rows, rank):
    """Write to `found` the scaled loads for what is `left`, in the order of the columns."""
    at = touch.rows
    for r in range(rows):
        at[r].found = at[r].left * at[r].scale
    for k in range(rank):
        total = at[k].found
        for r in range(k + 1, rows):
            total += A[r, k] * at[r].found
        total *= at[k].turn
        at[k].found -= total
        for r in range(k + 1, rows):
            at[r].found -= total * A[r, k]
    for r in range(rank - 1, -1, -1):
        for k in range(r + 1, rank):
            at[r].found -= A[r, k] * at[k].found
        at[r].found /= A[r, r]
    if rank < rows:
        share(at, A, rows, rank)


@jitable
def share(at, A, rows, rank):
    """From the loads of independent rows alone to the least of all rows."""
    for c in range(rank, rows):
        total = 0.0
        for k in range(rank):
            total += A[k, c] * at[k].found
        for k in range(rank, c):
            total -= A[c, k] * at[k].found
        at[c].found = total / A[c, c]
    for c in range(rows - 1, rank - 1, -1):
        for k in range(c + 1, rows):
            at[c].found -= A[k, c] * at[k].found
        at[c].found /= A[c, c]
    for r in range(rank):
        for c in range(rank, rows):
            at[r].found -= A[r, c] * at[c].found
