# SPDX-License-Identifier: GPL-3.0-or-later
"""Select the nodes of a scene that belong to the model: also hidden ones, unless every view layer excludes them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import bpy

from ..nodes import Node
from ..props import belongs_to_model
from ..props.members import has_links
from ..props.settings import tagged_bones


def objects_present(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the objects that some view layer includes, sorted by name.

    All view layers are considered, so that the model does not depend on the one that is shown.
    """
    included: set[bpy.types.Object] = set()
    for layer in scene.view_layers:
        included |= _objects_in(scene.collection, layer.layer_collection)
    return sorted((obj for obj in scene.objects if obj in included), key=lambda obj: obj.name)


def nodes_present(scene: bpy.types.Scene) -> list[Node]:
    """Return the objects of `objects_present`, each followed by those of its bones that are tagged, sorted by name."""
    return [
        node for obj in objects_present(scene) for node in (obj, *sorted(tagged_bones(obj), key=lambda bone: bone.name))
    ]


def _objects_in(collection: bpy.types.Collection, shown: bpy.types.LayerCollection | None) -> set[bpy.types.Object]:
    """Return the objects that a view layer includes, from a collection and those below it.

    The layer's own list of objects is not used, and the layer need not contain the collection yet: both are updated
    late after changes by scripts.

    Args:
        shown: the layer's entry for the collection.
    """
    found = set() if shown and shown.exclude else set(collection.objects)
    for child in collection.children:
        found |= _objects_in(child, shown.children.get(child.name) if shown else None)
    return found


@contextlib.contextmanager
def all_evaluated(scene: bpy.types.Scene) -> Iterator[None]:
    """Let Blender evaluate objects that are disabled in viewports, within this context.

    Otherwise Blender returns their meshes without modifiers.
    """
    collections = [entry for entry in scene.collection.children_recursive if entry.hide_viewport]
    objects = [obj for obj in scene.objects if obj.hide_viewport and belongs_to_model(obj)]
    disabled = [entry for entry in (*collections, *objects) if entry.is_editable]
    if not disabled or not has_links(scene):
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
