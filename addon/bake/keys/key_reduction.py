# SPDX-License-Identifier: GPL-3.0-or-later
"""Write values of a property as keys: one at every frame, or as few as a tolerance allows."""

from __future__ import annotations

import bpy
import numpy as np

from ....core.trajectory.reduction import Error, reduced
from .fcurves import BakeAction, evaluate_curves

SHARES = (0.97, 0.7, 0.3)
"""Parts of the tolerance that are tried in turn for the fit in double precision. Blender evaluates the keys in single
precision, so that its error may be larger.
"""


def fill_within(
    bake: BakeAction,
    curves: list[bpy.types.FCurve],
    frames: np.ndarray,
    values: np.ndarray,
    error: Error,
    tolerance: float,
) -> np.ndarray:
    """Write as few keys as keep the error within the tolerance at every frame, as Blender evaluates the curves.

    If that is not possible with fewer keys, every frame gets one.

    Args:
        frames: shape (F,). values: at these, shape (F, number of curves).
        error: function that measures the error of values, see `core.trajectory.reduction.Error`. tolerance: in its
        unit.

    Returns:
        The values of the curves at the frames as Blender evaluates them, shape (F, number of curves).
    """
    for share in SHARES:
        bake.fill_reduced(curves, frames, reduced(frames, values, error, share * tolerance))
        found = evaluate_curves(curves, frames)
        if error(0, found).max() <= tolerance:
            return found
    bake.fill(curves, frames, values)
    return evaluate_curves(curves, frames)
