# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's handlers during a preview: changes, frame changes, undo, and files that are loaded and saved."""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from .. import watch
from .display import restore_own_poses
from .session import current, end


@persistent
def _depsgraph_updated(scene, _depsgraph):
    preview = current()
    if preview and not watch.is_preview_update and scene.session_uid == preview.uid:
        preview.is_touched = True


@persistent
def _frame_changed(scene, _depsgraph):
    preview = current()
    if preview and not watch.is_preview_update and scene.session_uid == preview.uid:
        preview.on_frame_set(scene)


@persistent
def _undone(*_):
    """Restore links: an undo step that was made during a preview contains the shown poses."""
    preview = current()
    if preview:
        preview.on_undo()
    else:
        restore_own_poses(bpy.data.objects)


@persistent
def _loaded(*_):
    """Restore links: a file that Blender saved automatically during a preview contains the shown poses."""
    end()
    restore_own_poses(bpy.data.objects)


@persistent
def _before_saving(*_):
    preview = current()
    if preview and preview.has_scene:
        preview.restore_for_saving()


@persistent
def _after_saving(*_):
    preview = current()
    if preview and preview.has_scene:
        preview.show_again()


_HANDLERS = {
    "depsgraph_update_post": _depsgraph_updated,
    "frame_change_post": _frame_changed,
    "undo_post": _undone,
    "redo_post": _undone,
    "load_post": _loaded,
    "save_pre": _before_saving,
    "save_post": _after_saving,
    "save_post_fail": _after_saving,
}


def start() -> None:
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def stop() -> None:
    preview = current()
    if preview and preview.has_scene:
        preview.stop()
    end()
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        if handler in handlers:
            handlers.remove(handler)
