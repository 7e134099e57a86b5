# SPDX-License-Identifier: GPL-3.0-or-later
"""Orientations over time as rotation vectors without jumps."""

from __future__ import annotations

import math

import numpy as np

STRAIGHT = 1e-12
"""Sine of half an angle at or below which a quaternion has no axis."""


def rotation_vectors(quaternions: np.ndarray) -> np.ndarray:
    """Return rotation vectors [rad], shape (F, 3), of unit quaternions w x y z, shape (F, 4).

    The rotation vectors of one orientation differ by whole turns. Each result is the one nearest to the previous
    result, and the first is the shortest. A frame of NaN gives NaN, and the next frame counts as the first.
    """
    found = np.full((len(quaternions), 3), np.nan)
    before = np.zeros(3)
    for frame, (w, *v) in enumerate(quaternions.tolist()):
        sine = math.hypot(*v)
        if math.isnan(w + sine):
            before = np.zeros(3)
            continue
        length = math.hypot(*before)
        axis = np.array(v) / sine if sine > STRAIGHT else before / length if length else np.zeros(3)
        angle = 2.0 * math.atan2(sine, w) if sine > STRAIGHT else 0.0
        turns = round((float(axis @ before) - angle) / math.tau)
        before = found[frame] = (angle + math.tau * turns) * axis
    return found
