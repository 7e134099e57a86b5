# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers beside what is drawn, in the user's units."""

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
BESIDE = 12
"""Pixels from a mark to its number."""

hovered: list[tuple[Vector, str]] = []
"""What the mouse is over: put here by whoever draws it, in each redraw."""


LASTS = 0.3
"""Seconds for which the mouse counts as over what was drawn so last."""

_hovered_at = -LASTS


def note_hover() -> None:
    """The mouse is over a handle, which is drawn now."""
    global _hovered_at
    _hovered_at = time.perf_counter()


def is_hovering() -> bool:
    """Whether a click would take a handle."""
    return time.perf_counter() - _hovered_at < LASTS


def reading(dial: bridge.dials.Dial, value: float, scene: bpy.types.Scene) -> str:
    """A value of a dial [rad or m], as the scene's units say it."""
    if dial.kind != "slide":
        return f"{math.degrees(value):.1f}°"
    return bridge.numbers.length_in_words(scene, value)


def draw(labels: Sequence[tuple[Vector, str]], context) -> None:
    """In a view's handler for pixels."""
    scale = context.preferences.system.ui_scale
    blf.size(0, SIZE * scale)
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, 3, 0.0, 0.0, 0.0, 1.0)
    blf.color(0, 1.0, 1.0, 1.0, 1.0)
    for point, text in (*labels, *hovered):
        seen = location_3d_to_region_2d(context.region, context.region_data, point)
        if seen is not None:
            blf.position(0, seen.x + BESIDE * scale, seen.y + 0.5 * BESIDE * scale, 0.0)
            blf.draw(0, text)
    blf.disable(0, blf.SHADOW)
    hovered.clear()
