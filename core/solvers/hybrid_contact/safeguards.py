# SPDX-License-Identifier: GPL-3.0-or-later
"""Check of event-driven steps whose equations are nearly singular.

If a cone and a twist of a joint are at their stops and a contact presses on its limb, one of the constraints almost
follows from the others. Rounding errors can then grow to velocities. Such a step is left to convex steps, whose
constraints give way a little.
"""

from __future__ import annotations

from ...compilation.jit import jitable
from ..system import parts_of

USUAL_CHANGE = 100.0
"""Largest change of velocities in a step, relative to what the largest acceleration at its ends would cause."""

LEAST_JUMP = 0.01
"""Least change of velocities that counts as a jump, relative to the largest velocity, or to 1 m/s and 1 rad/s."""


@jitable
def jumps(system, start, end, slopes, end_row, h):
    """Return whether velocities change in a step by far more than accelerations tell.

    Args:
        start, end: states. slopes: rates at the stages of the step; `end_row` is the number of the last one.
        h: length of the step [s].
    """
    before, after = parts_of(system, start)[1], parts_of(system, end)[1]
    first, last = parts_of(system, slopes[0])[1], parts_of(system, slopes[end_row])[1]
    change, speed, acceleration = 0.0, 1.0, 0.0
    for j in range(before.shape[0]):
        change = max(change, abs(after[j] - before[j]))
        speed = max(speed, abs(before[j]))
        acceleration = max(acceleration, abs(first[j]), abs(last[j]))
    return change > USUAL_CHANGE * h * acceleration + LEAST_JUMP * speed
