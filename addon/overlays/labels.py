# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers beside overlays, in the user's units."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import blf
import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector

from .. import bridge

SIZE = 11
LABEL_OFFSET = 12
"""Distance from a mark to its number [pixels at resolution scale 1]."""

hovered: list[tuple[Vector, str]] = []
"""Place and text of the handle under the mouse. The handle adds them at each redraw."""


HOVER_TIME = 0.3
"""Time for which the mouse counts as over a handle after the handle was drawn so [s]."""

_hovered_at = -HOVER_TIME


def note_hover() -> None:
    """Register that the mouse is over a handle, which is being drawn."""
    global _hovered_at
    _hovered_at = time.perf_counter()


def is_hovering() -> bool:
    """Return whether a click would hit a handle."""
    return time.perf_counter() - _hovered_at < HOVER_TIME


def reading(axis: bridge.joints.axis_views.AxisView, value: float, scene: bpy.types.Scene) -> str:
    """Return a value of an axis [rad or m] as text in the scene's units."""
    if axis.kind != "slide":
        return f"{math.degrees(value):.1f}°"
    return bridge.values.numbers.length_in_words(scene, value)


def draw(labels: Sequence[tuple[Vector, str]], context) -> None:
    """Draw the numbers, in a view's handler for pixels."""
    scale = context.preferences.system.ui_scale
    blf.size(0, SIZE * scale)
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, 3, 0.0, 0.0, 0.0, 1.0)
    blf.color(0, 1.0, 1.0, 1.0, 1.0)
    for point, text in (*labels, *hovered):
        seen = location_3d_to_region_2d(context.region, context.region_data, point)
        if seen is not None:
            blf.position(0, seen.x + LABEL_OFFSET * scale, seen.y + 0.5 * LABEL_OFFSET * scale, 0.0)
            blf.draw(0, text)
    blf.disable(0, blf.SHADOW)
    hovered.clear()
