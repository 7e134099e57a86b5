# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawings over the 3D view, which receive no clicks."""

import bpy

from ..preferences import preferences
from . import active, contact, ghost, graph, model, pull, ragdoll

_handles: list = []


def _is_on(context) -> bool:
    return preferences().show_overlays and context.space_data.overlay.show_overlays


def _draw() -> None:
    context, style = bpy.context, preferences()
    if not _is_on(context):
        return
    ragdoll.draw(context, style)
    model.draw(context, style)
    active.draw(context, style)
    ghost.draw(style)
    contact.draw(context, style)
    pull.draw(context, style)


def _draw_labels() -> None:
    if _is_on(bpy.context):
        active.draw_labels(bpy.context, preferences())
    if bpy.context.space_data.overlay.show_overlays:
        graph.draw(bpy.context)


def start() -> None:
    if not bpy.app.background:
        add = bpy.types.SpaceView3D.draw_handler_add
        _handles.append(add(_draw, (), "WINDOW", "POST_VIEW"))
        _handles.append(add(_draw_labels, (), "WINDOW", "POST_PIXEL"))


def stop() -> None:
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    model.forget()
    ragdoll.forget()
    active.forget()
    graph.forget()
    contact.forget()
    ghost.clear()
    pull.clear()
