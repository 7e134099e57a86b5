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

TIP_BELOW = 18
"""Distance from a handle down to its text, so that the text is not on the number of the handle [pixels at resolution
scale 1]."""

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
    tips = _placed(hovered, context, -TIP_BELOW * scale)
    numbers = _placed(labels, context, 0.5 * LABEL_OFFSET * scale)
    for box, text in (*tips, *(each for each in numbers if not any(overlap(each[0], box) for box, _ in tips))):
        blf.position(0, box[0], box[1], 0.0)
        blf.draw(0, text)
    blf.disable(0, blf.SHADOW)
    hovered.clear()


Box = tuple[float, float, float, float]
"""Left, lower, right and upper end of a text in a view [pixels]."""


def _placed(labels: Sequence[tuple[Vector, str]], context, height: float) -> list[tuple[Box, str]]:
    """Return the boxes of labels that are seen, and their texts. height: of a text above its mark [pixels]."""
    found = []
    for point, text in labels:
        seen = location_3d_to_region_2d(context.region, context.region_data, point)
        if seen is not None:
            left, lower = seen.x + LABEL_OFFSET * context.preferences.system.ui_scale, seen.y + height
            width, tall = blf.dimensions(0, text)
            found.append(((left, lower, left + width, lower + tall), text))
    return found


def overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes overlap."""
    return all(one[axis] < other[axis + 2] and other[axis] < one[axis + 2] for axis in (0, 1))
