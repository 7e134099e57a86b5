# SPDX-License-Identifier: GPL-3.0-or-later
"""The size of the active joint's drawing: that of its Empty, within limits for the mouse and the view."""

import math

import bpy
from mathutils import Vector

from ..nodes import Node, display_size, origin_of
from ..preferences import preferences

MIN_PIXELS = 80.0
"""Smallest radius of the ring of handles [pixels at resolution scale 1]."""

MAX_SHARE = 0.3
"""Largest radius of that ring, as a part of the smaller side of a view."""

STEP = 1.05
"""Ratio between the sizes that are used, so that turning the view about the joint does not change the size."""


def active_radius(joint: Node, region, rv3d) -> float:
    """Return the radius of the ring of the joint's handles in a view [Blender units]."""
    own = display_size(joint) * preferences().size
    pixel = size_of_pixel(origin_of(joint), region, rv3d)
    least = MIN_PIXELS * resolution_scale() * pixel
    most = max(MAX_SHARE * min(region.width, region.height) * pixel, STEP * least)
    if not own or not most:  # the joint is at the depth of the eye
        return own
    if own > most:
        return own * STEP ** -math.ceil(math.log(own / most, STEP))
    return own * STEP ** math.ceil(max(math.log(least / own, STEP), 0.0)) if least else own


def resolution_scale() -> float:
    """Return Blender's own resolution scale; 0 without a window."""
    return bpy.context.preferences.system.ui_scale


def size_of_pixel(point: Vector, region, rv3d) -> float:
    """Return the length that a pixel covers at a point of the world [Blender units]."""
    depth = abs((rv3d.perspective_matrix @ point.to_4d()).w)
    return 2.0 * depth / (region.width * rv3d.window_matrix[0][0])
