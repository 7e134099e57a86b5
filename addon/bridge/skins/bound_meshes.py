# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the armatures that deform a mesh, and the meshes that an armature deforms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy


def armatures_of(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """Return the armatures that deform an object by vertex groups, through modifiers or as its parent, each once."""
    found = [
        modifier.object
        for modifier in obj.modifiers
        if isinstance(modifier, bpy.types.ArmatureModifier)
        and modifier.object is not None
        and modifier.use_vertex_groups
        and (modifier.show_viewport or modifier.show_render)
    ]
    if obj.parent is not None and obj.parent.type == "ARMATURE" and obj.parent_type == "ARMATURE":
        found.append(obj.parent)
    return list(dict.fromkeys(found))


def meshes_bound_to(armature: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the meshes of a scene that an armature deforms, sorted by name: the visible ones, or else all."""
    found = sorted(
        (obj for obj in scene.objects if obj.type == "MESH" and armature in armatures_of(obj)), key=lambda obj: obj.name
    )
    return [obj for obj in found if obj.visible_get()] or found


def armatures_chosen(objects: Iterable[bpy.types.Object]) -> Iterator[bpy.types.Object]:
    """Yield the armatures among objects, and those that deform them, each once."""
    known: set[bpy.types.Object] = set()
    for obj in objects:
        for armature in [obj] if obj.type == "ARMATURE" else armatures_of(obj):
            if armature not in known:
                known.add(armature)
                yield armature
