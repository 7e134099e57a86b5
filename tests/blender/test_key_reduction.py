# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduced keys against the curves that Blender evaluates from them, in single precision."""

import bpy
import numpy as np

from limberjack.addon.bake.keys.fcurves import BakeAction, evaluate_curves
from limberjack.addon.bake.keys.key_reduction import fill_within

FAR = 4000.0
"""Distance from the origin [m], where neighbouring numbers of single precision are 2.4e-4 m apart."""


def test_the_error_is_that_of_single_precision_at_every_frame():
    """Guards the tolerance far from the origin: no frame is off by more, also where only rounding makes it so."""
    frames = np.arange(1.0, 201.0)
    values = FAR + 0.3 * np.sin(0.11 * frames)[:, None] + 0.2 * np.cos(0.037 * frames)[:, None]
    tolerance = 2e-4
    bake = BakeAction("far")
    curves = bake.curves(bpy.data.objects.new("far", None), [("location", 0)])

    def error(first, found):
        return np.abs(found - values[first : first + len(found)]).max(axis=1)

    found = fill_within(bake, curves, frames, values, error, tolerance)
    assert np.array_equal(found, evaluate_curves(curves, frames))
    assert error(0, found).max() <= tolerance
