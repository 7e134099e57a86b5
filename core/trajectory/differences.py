# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates at the frames of a motion, from the mean rates between frames."""

from __future__ import annotations

import numpy as np


def tangents(slopes: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Return rates at F frames, shape (F, n), of second order in the time between frames.

    They are the slopes of the parabola through a frame and its two neighbours; at an end of the motion, through the
    three frames at that end. The motion also ends at a mean rate that is NaN. A frame without neighbours has the rate
    0.

    Args:
        slopes: mean rates between one frame and the next, shape (F - 1, n).
        steps: times between the frames, shape (F - 1,) [s].
    """
    nothing = np.full((2, slopes.shape[1]), np.nan)
    slope = np.concatenate([nothing, slopes, nothing])
    step = np.concatenate([[np.nan] * 2, steps, [np.nan] * 2])[:, None]
    left, right = slice(1, -2), slice(2, -1)
    between = (step[right] * slope[left] + step[left] * slope[right]) / (step[left] + step[right])
    found = _first_of(
        between,
        _at_an_end(slope[right], slope[3:], step[right], step[3:]),
        _at_an_end(slope[left], slope[:-3], step[left], step[:-3]),
        slope[right],
        slope[left],
    )
    return np.nan_to_num(found, nan=0.0, posinf=np.inf, neginf=-np.inf)


def _at_an_end(near: np.ndarray, far: np.ndarray, step: np.ndarray, step_far: np.ndarray) -> np.ndarray:
    return near + step / (step + step_far) * (near - far)


def _first_of(*candidates: np.ndarray) -> np.ndarray:
    """Return, for each element, the first candidate that is not NaN."""
    found = candidates[0].copy()
    for candidate in candidates[1:]:
        found = np.where(np.isnan(found), candidate, found)
    return found
