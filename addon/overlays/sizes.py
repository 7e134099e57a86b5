# SPDX-License-Identifier: GPL-3.0-or-later
"""How large the active joint is drawn: as large as its Empty, and never too small to be taken with the mouse."""

import bpy
from mathutils import Vector

from ..preferences import preferences

LEAST = 80.0
"""Pixels, at Blender's own resolution scale, of the ring on which handles sit."""

STEP = 1.05
"""Ratio of the sizes that are drawn, so that turning the view about the joint changes nothing."""


def active_radius(obj: bpy.types.Object, region, rv3d) -> float:
    """Of the ring that the joint's handles sit on, as a view shows it [Blender units]."""
    own = obj.empty_display_size * preferences().size
    least = LEAST * bpy.context.preferences.system.ui_scale * size_of_pixel(obj.matrix_world.translation, region, rv3d)
    while own < least:
        own *= STEP
    return own


def size_of_pixel(point: Vector, region, rv3d) -> float:
    """What a pixel covers at a point of the world [Blender units]."""
    depth = abs((rv3d.perspective_matrix @ point.to_4d()).w)
    return 2.0 * depth / (region.width * rv3d.window_matrix[0][0])
