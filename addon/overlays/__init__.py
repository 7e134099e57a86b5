"""What is drawn over the 3D view, and takes no clicks."""

import bpy

from ..preferences import preferences
from . import active, ghost, model

_handles: list = []


def _draw() -> None:
    context = bpy.context
    look = preferences()
    if not (look.show_overlays and context.space_data.overlay.show_overlays):
        return
    model.draw(context, look)
    active.draw(context, look)
    ghost.draw(look)


def start() -> None:
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def stop() -> None:
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    model.forget()
    active.forget()
    ghost.clear()
