# SPDX-License-Identifier: GPL-3.0-or-later
"""Which 3D view the mouse is over, and which link is near it, for tools that work in all of them."""

import math

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

from .. import bridge
from ..props import carrier_of, is_link

EDGE = 6.0
"""Pixels at Blender's own resolution scale beside a wire within which pressing is on it."""

NEAR = 20.0
"""Pixels around its origin in which a link is found that has nothing to hit."""

NAVIGATION = {
    *("MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE", "WHEELOUTMOUSE"),
    *("TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM"),
}


def is_navigation(event) -> bool:
    """Whether the event turns the view, which a tool leaves to it; a 3D mouse and its buttons do, too."""
    return event.type in NAVIGATION or event.type.startswith("NDOF_")


def view_under(context, event):
    """Area, region, view and place in the region of the 3D view under the mouse; None above panels and elsewhere."""
    for area in context.screen.areas if context.screen else ():
        if area.type != "VIEW_3D" or not _holds(area, event):
            continue
        if any(_holds(region, event) for region in area.regions if region.type not in ("WINDOW", "HUD", "XR")):
            return None
        windows = [region for region in area.regions if region.type == "WINDOW"]
        space = area.spaces.active
        views = [space.region_3d] if len(windows) == 1 else list(space.region_quadviews)
        for region, rv3d in zip(windows, views, strict=False):
            if _holds(region, event):
                return area, region, rv3d, (event.mouse_x - region.x, event.mouse_y - region.y)
    return None


def link_at(context, region, region_3d, pixel: Vector) -> tuple[bpy.types.Object, Vector] | None:
    """Return the link that is seen at a pixel of the region, and its point there.

    The displayed edges of links in wire display come first, where nothing hides them. Where no surface is seen, it is
    the link inside whose silhouette the pixel is; else the link whose origin is near, and its origin.
    """
    hit = bridge.picking.hit_under(context, region, region_3d, pixel)
    reach = EDGE * max(1.0, context.preferences.system.ui_scale)  # which is 0 without a window
    nearer_than = math.inf if hit is None else hit.distance
    wire = bridge.wires.wire_link_near(context, region, region_3d, pixel, reach, nearer_than)
    if wire is not None:
        return wire
    if hit is None:
        hit = bridge.picking.hit_under(context, region, region_3d, pixel, meets_wires=True)
    if hit is not None:
        link = carrier_of(hit.obj)
        return None if link is None else (link, Vector(hit.point.tolist()))
    link = nearest_link(context, region, region_3d, pixel)
    return None if link is None else (link, link.matrix_world.translation.copy())


def nearest_link(context, region, region_3d, pixel: Vector) -> bpy.types.Object | None:
    """The link whose origin is seen nearest to a pixel of the region, if one is near."""
    near: list[tuple[float, str, bpy.types.Object]] = []
    for obj in context.visible_objects:
        if not is_link(obj):
            continue
        place = view3d_utils.location_3d_to_region_2d(region, region_3d, obj.matrix_world.translation)
        if place is not None and (place - pixel).length < NEAR:
            near.append(((place - pixel).length, obj.name, obj))
    return min(near)[2] if near else None


def _holds(part, event) -> bool:
    """Whether the mouse is in the area or region, which is not folded away."""
    inside = 0 <= event.mouse_x - part.x < part.width and 0 <= event.mouse_y - part.y < part.height
    return inside and part.width > 1 and part.height > 1
