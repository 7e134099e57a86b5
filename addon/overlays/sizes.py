# SPDX-License-Identifier: GPL-3.0-or-later
"""How large the active joint is drawn: as its Empty, within what the mouse can take and what the view can show."""

import math

import bpy
from mathutils import Vector

from ..preferences import preferences

LEAST = 80.0
"""Pixels, at Blender's own resolution scale, of the ring on which handles sit."""

MOST = 0.3
"""Share of the smaller side of a view that the radius of that ring is at most."""

STEP = 1.05
"""Ratio of the sizes that are drawn, so that turning the view about the joint changes nothing."""


def active_radius(obj: bpy.types.Object, region, rv3d) -> float:
    """Of the ring that the joint's handles sit on, as a view shows it [Blender units]."""
    own = obj.empty_display_size * preferences().size
    pixel = size_of_pixel(obj.matrix_world.translation, region, rv3d)
    least = LEAST * resolution_scale() * pixel
    most = max(MOST * min(region.width, region.height) * pixel, STEP * least)
    if not own or not most:  # the joint is in the plane of the eye
        return own
    if own > most:
        return own * STEP ** -math.ceil(math.log(own / most, STEP))
    return own * STEP ** math.ceil(max(math.log(least / own, STEP), 0.0)) if least else own


def resolution_scale() -> float:
    """Return Blender's own resolution scale; 0 without a window."""
    return bpy.context.preferences.system.ui_scale


def size_of_pixel(point: Vector, region, rv3d) -> float:
    """What a pixel covers at a point of the world [Blender units]."""
    depth = abs((rv3d.perspective_matrix @ point.to_4d()).w)
    return 2.0 * depth / (region.width * rv3d.window_matrix[0][0])
