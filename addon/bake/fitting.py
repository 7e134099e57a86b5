# SPDX-License-Identifier: GPL-3.0-or-later
"""A property's values as keys: one on every frame, or as few as keep to a tolerance when Blender plays them."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.reduction import Error, reduced
from .fcurves import BakeAction, evaluated

SHARES = (0.97, 0.7, 0.3)
"""Of a tolerance, for the cubics of double precision; Blender's are of single precision, and may be off by more."""


def fill_within(
    bake: BakeAction,
    curves: list[bpy.types.FCurve],
    frames: np.ndarray,
    values: np.ndarray,
    error: Error,
    tolerance: float,
) -> np.ndarray:
    """Give the curves as few keys as keep the error within the tolerance, at every frame and as Blender evaluates them.

    Args:
        frames: shape (F,). values: at these, shape (F, number of curves).
        error: what values are off by, see `core.reduction.Error`. tolerance: in its unit.

    Returns:
        what Blender makes of the curves at the frames, shape (F, number of curves).
    """
    for share in SHARES:
        bake.fill_reduced(curves, frames, reduced(frames, values, error, share * tolerance))
        found = evaluated(curves, frames)
        if error(0, found).max() <= tolerance:
            return found
    bake.fill(curves, frames, values)
    return evaluated(curves, frames)
