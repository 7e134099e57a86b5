# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that explicit, implicit and convex steps share: the norm of an error, and whether velocities diverged."""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from ..kinematics.work import largest
from .system import ENERGY_TOTALS, parts_of

ENERGY_TOLERANCE_RATIO = 100.0
"""Ratio of the tolerance of the energy totals to that of positions and velocities."""
MAX_SPEED_FROM_REST = 1e6
"""Speed that no step and no impact causes from rest [m/s or rad/s]."""
MAX_SPEED_RATIO = 1e3
"""Ratio of the largest speed after and before a step or an impact, above which it diverged."""


@jitable
def error_norm(y, trial, errors, tolerance):
    """Return the root mean square of `errors`, each divided by its tolerance, absolute and relative.

    The energy totals have larger tolerances, but are not ignored, because a stiff stop or drive exchanges much energy
    during very little motion.
    """
    total = 0.0
    count = y.shape[0] - ENERGY_TOTALS
    for k in range(y.shape[0]):
        allowed = tolerance if k < count else ENERGY_TOLERANCE_RATIO * tolerance
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
def has_diverged(system, y, before):
    """Return whether velocities are not finite, or have jumped beyond all plausible values."""
    fastest = max(MAX_SPEED_FROM_REST, MAX_SPEED_RATIO * largest(parts_of(system, before)[1]))
    return not is_finite(y) or largest(parts_of(system, y)[1]) > fastest
