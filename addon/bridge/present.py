# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a scene's objects take part: hidden ones too, but not what every view layer excludes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import bpy

from ..props import is_joint, is_link


def objects_present(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """In the order of their names: all but what stands in collections only that every view layer excludes.

    View layers are all asked, so that the model does not change with the one that is shown.
    """
    included: set[bpy.types.Object] = set()
    for layer in scene.view_layers:
        included |= _objects_in(scene.collection, layer.layer_collection)
    return sorted((obj for obj in scene.objects if obj in included), key=lambda obj: obj.name)


def _objects_in(collection: bpy.types.Collection, shown: bpy.types.LayerCollection | None) -> set[bpy.types.Object]:
    """What a view layer includes of the collection and those below. shown: how the layer has it.

    The layer's own list of objects is not asked, nor need it have the collection yet: both lag behind what scripts do.
    """
    found = set() if shown and shown.exclude else set(collection.objects)
    for child in collection.children:
        found |= _objects_in(child, shown.children.get(child.name) if shown else None)
    return found


@contextlib.contextmanager
def all_evaluated(scene: bpy.types.Scene) -> Iterator[None]:
    """Let Blender evaluate what is disabled in viewports: it would hand out such meshes without their modifiers."""
    collections = [entry for entry in scene.collection.children_recursive if entry.hide_viewport]
    objects = [obj for obj in scene.objects if obj.hide_viewport and _is_of_a_link(obj)]
    disabled = [entry for entry in (*collections, *objects) if entry.is_editable]
    if not disabled or not any(is_link(obj) for obj in scene.objects):
        yield
        return
    _disable(disabled, False, scene)
    try:
        yield
    finally:
        _disable(disabled, True, scene)


def _disable(entries: list, disabled: bool, scene: bpy.types.Scene) -> None:
    for entry in entries:
        entry.hide_viewport = disabled
    for layer in scene.view_layers:
        layer.update()


def _is_of_a_link(obj: bpy.types.Object | None) -> bool:
    """Whether the object is a link or joint, or hangs on one."""
    while obj is not None and not is_link(obj) and not is_joint(obj):
        obj = obj.parent
    return obj is not None
