# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the 3D view under the mouse, and the link near the mouse, for tools that work in all views."""

import math

from bpy_extras import view3d_utils
from mathutils import Vector

from .. import bridge
from ..nodes import Node, origin_of
from ..props import carrier_of, is_link

WIRE_PIXELS = 6.0
"""Distance from a wire within which a press hits it [pixels at resolution scale 1]."""

ORIGIN_PIXELS = 20.0
"""Distance from a bone, or from the origin of a link, within which it is found if no surface is hit [pixels]."""

NAVIGATION = {
    *("MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE", "WHEELOUTMOUSE"),
    *("TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM"),
}


def is_navigation(event) -> bool:
    """Return whether the event navigates the view, which tools pass through. Events of 3D mice do."""
    return event.type in NAVIGATION or event.type.startswith("NDOF_")


def view_under(context, event):
    """Return area, region, view and position in the region of the 3D view under the mouse.

    It is None above panels and outside of 3D views.
    """
    for area in context.screen.areas if context.screen else ():
        if area.type != "VIEW_3D" or not _contains(area, event):
            continue
        if any(_contains(region, event) for region in area.regions if region.type not in ("WINDOW", "HUD", "XR")):
            return None
        windows = [region for region in area.regions if region.type == "WINDOW"]
        space = area.spaces.active
        views = [space.region_3d] if len(windows) == 1 else list(space.region_quadviews)
        for region, rv3d in zip(windows, views, strict=False):
            if _contains(region, event):
                return area, region, rv3d, (event.mouse_x - region.x, event.mouse_y - region.y)
    return None


def link_at(context, region, region_3d, pixel: Vector) -> tuple[Node, Vector] | None:
    """Return the link at a pixel of the region, and its point there; None if there is none.

    In Pose Mode, a bone near the pixel comes first; then, in all modes, visible edges of links in wire display. On a
    mesh that bones deform, it is the bone nearest to the surface there. Without a surface, it is the link inside whose
    silhouette the pixel is; else the bone that is near, or the link whose origin is, and its origin.
    """
    if context.mode == "POSE" and (bone := _bone_near(context, region, region_3d, pixel)):
        return bone
    hit = bridge.viewport.picking.hit_under(context, region, region_3d, pixel)
    reach = WIRE_PIXELS * max(1.0, context.preferences.system.ui_scale)  # the scale is 0 without a window
    nearer_than = math.inf if hit is None else hit.distance
    wire = bridge.viewport.wires.wire_link_near(context, region, region_3d, pixel, reach, nearer_than)
    if wire is not None:
        return wire
    if hit is None:
        hit = bridge.viewport.picking.hit_under(context, region, region_3d, pixel, hits_wires=True)
    if hit is not None:
        link = carrier_of(hit.obj) or bridge.viewport.wires.bone_beneath(context.scene, hit.obj, hit.point)
        return None if link is None else (link, Vector(hit.point.tolist()))
    if bone := _bone_near(context, region, region_3d, pixel):
        return bone
    link = nearest_link(context, region, region_3d, pixel)
    return None if link is None else (link, origin_of(link))


def _bone_near(context, region, region_3d, pixel: Vector) -> tuple[Node, Vector] | None:
    return bridge.viewport.wires.bone_link_near(context, region, region_3d, pixel, ORIGIN_PIXELS)


def nearest_link(context, region, region_3d, pixel: Vector) -> Node | None:
    """Return the link whose origin is nearest to a pixel of the region; None if none is within `ORIGIN_PIXELS`."""
    candidates: list[tuple[float, str, Node]] = []
    for obj in context.visible_objects:
        if not is_link(obj):
            continue
        place = view3d_utils.location_3d_to_region_2d(region, region_3d, origin_of(obj))
        if place is not None and (place - pixel).length < ORIGIN_PIXELS:
            candidates.append(((place - pixel).length, obj.name, obj))
    return min(candidates)[2] if candidates else None


def _contains(part, event) -> bool:
    """Return whether the mouse is in an area or a region that is not collapsed."""
    inside = 0 <= event.mouse_x - part.x < part.width and 0 <= event.mouse_y - part.y < part.height
    return inside and part.width > 1 and part.height > 1
