# SPDX-License-Identifier: GPL-3.0-or-later
"""A temporary scene in which Blender's own importers and exporters work without changes to the user's data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

TEMPORARY = "limberjack temporary"
KINDS = (
    *("objects", "collections", "meshes", "materials", "images", "cameras", "lights", "armatures", "actions"),
    *("curves", "node_groups", "worlds", "texts", "shape_keys"),
)
"""Collections of `bpy.data` to which an importer may add items."""


@contextmanager
def scratch_scene() -> Iterator[bpy.types.Scene]:
    """Yield an empty scene in metres that is the context's scene.

    It is removed afterwards with all its objects.
    """
    shown = [(window, window.scene, window.view_layer) for window in bpy.context.window_manager.windows]
    scene = bpy.data.scenes.new(TEMPORARY)
    layer = scene.view_layers[0]
    try:
        with bpy.context.temp_override(
            scene=scene,
            view_layer=layer,
            collection=scene.collection,
            active_object=None,
            object=None,
            selected_objects=[],
        ):
            yield scene
    finally:
        for window, its_scene, layer in shown:  # the glTF add-on shows the scene that it works on
            if window.scene != its_scene:
                window.scene, window.view_layer = its_scene, layer
        for obj in list(scene.objects):
            bpy.data.objects.remove(obj)
        bpy.data.scenes.remove(scene)


def all_data() -> dict[str, set[bpy.types.ID]]:
    """Return the present data-blocks of the file, by kind."""
    return {kind: set(getattr(bpy.data, kind)) for kind in (*KINDS, "scenes") if hasattr(bpy.data, kind)}


def remove_new(before: dict[str, set[bpy.types.ID]], kept: set[bpy.types.ID]) -> None:
    """Remove the data-blocks that were added since `before`, except those of `kept` and those that they use."""
    for kind in before:
        if kind in ("materials", "images", "node_groups"):
            continue
        new = [item for item in getattr(bpy.data, kind) if item not in before[kind] and item not in kept]
        bpy.data.batch_remove([item for item in new if not _is_ours(item)])
    for kind in ("materials", "node_groups", "images"):  # users before the data that they use
        new = [item for item in getattr(bpy.data, kind) if item not in before[kind]]
        bpy.data.batch_remove([item for item in new if item.users == 0])


def _is_ours(item: bpy.types.ID) -> bool:
    return isinstance(item, bpy.types.Scene) and item.name.startswith(TEMPORARY)
