"""Which 3D view the mouse is over, for tools that work in all of them."""

NAVIGATION = {
    *("MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE", "WHEELOUTMOUSE"),
    *("TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION"),
}
"""Events that turn the view and that a tool leaves to it."""


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


def _holds(part, event) -> bool:
    """Whether the mouse is in the area or region, which is not folded away."""
    inside = 0 <= event.mouse_x - part.x < part.width and 0 <= event.mouse_y - part.y < part.height
    return inside and part.width > 1 and part.height > 1
