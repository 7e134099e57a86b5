# SPDX-License-Identifier: GPL-3.0-or-later
"""Longer strides for sweeps that come nearer but slowly: Anderson's mixing of the last ones.

A sweep takes loads x to G(x). Of the last few, that combination is found whose changes G(x) - x all but cancel, and the
next sweep begins at what it leads to. The second matrix of `Touch`, which sweeps have no use for, keeps them.

Source: Walker, Ni, Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49 (2011), section 2.
"""

from __future__ import annotations

import math

from ..jit import jitable, subroutine
from .active_set import write_left
from .points import MEMORY

LEAST_ROWS = 6
SURE = 1e-14
"""Part of the diagonal below which an equation says what others have said."""


@subroutine
def note_loads(touch, first, last):
    """Keep the loads before a sweep."""
    for r in range(first, last):
        touch.rows[r].kept = touch.rows[r].load


@subroutine
def mix_loads(touch, first, last, known):
    """Go on from the loads after a sweep, and those `kept` from before it, to what this and the last ones lead to.

    known: how many were mixed since the first. Returns how many are known now.
    """
    A, room, rows = touch.matrix[1], touch.mixing, last - first
    memory = min(MEMORY, (rows - 2) // 2)
    if rows < LEAST_ROWS:
        return 0
    at, loads, changes = first + (known + memory - 1) % memory, first + 2 * memory, first + 2 * memory + 1
    for r in range(first, last):
        weight = math.sqrt(abs(touch.matrix[0, r, r]))  # forces and torques are made alike
        change = (touch.rows[r].load - touch.rows[r].kept) * weight
        if known > 0:
            A[at, r] = touch.rows[r].kept - A[loads, r]
            A[at + memory, r] = change - A[changes, r]
        A[loads, r], A[changes, r] = touch.rows[r].kept, change
    count = min(known, memory)
    if count == 0:
        return 1
    for i in range(count):
        for j in range(i + 1):
            room[i, j] = product(A, first + memory + i, first + memory + j, first, last)
        room[i, MEMORY] = product(A, first + memory + i, changes, first, last)
    if not solve_small(room, count):
        return 0
    for r in range(first, last):
        weight = math.sqrt(abs(touch.matrix[0, r, r]))
        for i in range(count):
            change = A[first + memory + i, r] / weight if weight > 0.0 else 0.0
            touch.rows[r].load -= room[i, MEMORY] * (A[first + i, r] + change)
    write_left(touch, first, last)
    return known + 1


@jitable
def product(A, i, j, first, last):
    total = 0.0
    for r in range(first, last):
        total += A[i, r] * A[j, r]
    return total


@jitable
def solve_small(room, count):
    """Solve the normal equations, in their lower half, by Cholesky's factors. Returns whether they have a solution."""
    for i in range(count):
        for j in range(i + 1):
            total = room[i, j]
            for k in range(j):
                total -= room[i, k] * room[j, k]
            if i == j:
                if not total > SURE * room[i, i]:
                    return False
                room[i, i] = math.sqrt(total)
            else:
                room[i, j] = total / room[j, j]
    for i in range(count):
        for k in range(i):
            room[i, MEMORY] -= room[i, k] * room[k, MEMORY]
        room[i, MEMORY] /= room[i, i]
    for i in range(count - 1, -1, -1):
        for k in range(i + 1, count):
            room[i, MEMORY] -= room[k, i] * room[k, MEMORY]
        room[i, MEMORY] /= room[i, i]
    return True
