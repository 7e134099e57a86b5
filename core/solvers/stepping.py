# SPDX-License-Identifier: GPL-3.0-or-later
"""What all kinds of steps share: how large an error is, what is a number, and what is beyond all measure."""

from __future__ import annotations

import math

from ..jit import jitable, subroutine
from ..kinematics.work import largest
from .system import LEDGERS, parts_of

LEDGER_SLACK = 100.0
"""How many times larger an error in a ledger may be than one in the state."""
FASTEST, FASTER = 1e6, 1e3
"""Metres or radians a second, and times the velocity before, that no step and no blow gives."""


@jitable
def error_norm(y, trial, errors, tolerance):
    """Root mean square of `errors`, 1 where they are just as large as `tolerance` allows, absolute and relative.

    The ledgers may be less exact, but not wrong: a stiff stop or drive turns over much energy in next to no motion.
    """
    total = 0.0
    count = y.shape[0] - LEDGERS
    for k in range(y.shape[0]):
        allowed = tolerance if k < count else LEDGER_SLACK * tolerance
        part = errors[k] / (allowed * (1.0 + max(abs(y[k]), abs(trial[k]))))
        total += part * part
    return math.sqrt(total / max(count, 1))


@jitable
def is_finite(y):
    total = 0.0
    for k in range(y.shape[0]):
        total += 0.0 * y[k]  # infinities and NaN times 0 are NaN
    return total == 0.0


@subroutine
def went_astray(system, y, before):
    """Whether velocities have jumped beyond all measure."""
    fastest = max(FASTEST, FASTER * largest(parts_of(system, before)[1]))
    return not is_finite(y) or largest(parts_of(system, y)[1]) > fastest
