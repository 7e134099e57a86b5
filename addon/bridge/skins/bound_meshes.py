# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the armatures that deform a mesh, the meshes that an armature deforms, and by which weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy
import numpy as np

from ...nodes import armature_bones


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


def weights_of(
    mesh: bpy.types.Mesh, obj: bpy.types.Object, armature: bpy.types.Object
) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Return (vertices, bones, weights), one entry for each deforming bone that a vertex of a mesh follows.

    As the Armature modifier does, vertex groups without a deforming bone are ignored.

    Args:
        mesh: of the object, as evaluated.

    Returns:
        Numbers of vertices, shape (n,); names of bones, n of them; weights, shape (n,).
    """
    deforming = {bone.name for bone in armature_bones(armature) if bone.bone.use_deform}
    names = {group.index: group.name for group in obj.vertex_groups if group.name in deforming}
    entries = [
        (vertex.index, names[item.group], item.weight)
        for vertex in mesh.vertices
        for item in vertex.groups
        if item.weight > 0.0 and item.group in names
    ]
    vertices, bones, weights = zip(*entries, strict=True) if entries else ((), (), ())
    return np.array(vertices, dtype=np.int64), list(bones), np.array(weights, dtype=np.float64)
