# SPDX-License-Identifier: GPL-3.0-or-later
"""Find out which identifiers of bones are in use, and remove those that are not."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from .. import ids
from ..nodes import armature_bones
from .references import BESIDE, BONE_UID, uid_in
from .settings import bones_with_settings, scene_settings


def remove_unused_identifiers(armature: bpy.types.Object) -> None:
    """Remove the identifiers of those bones of an armature to which no link, joint, pair, pose or finding refers."""
    marked = [bone for bone in armature_bones(armature) if BONE_UID in bone]
    if not marked or not armature.is_editable:
        return
    used = {uid_in(text) for group in _groups() for text in _references_in(group)}
    for bone in marked:
        if uid_in(bone[BONE_UID]) not in used:
            del bone[BONE_UID]


def _groups() -> Iterator[bpy.types.PropertyGroup]:
    """Yield the property groups of all scenes, objects and bones that store settings. No other group is read."""
    for scene in bpy.data.scenes:
        yield scene_settings(scene)
    for obj in bpy.data.objects:
        for node in (obj, *bones_with_settings(obj)):
            yield from (getattr(node, name) for name in (ids.LINK, ids.JOINT) if node.is_property_set(name))


def _references_in(group: bpy.types.PropertyGroup) -> Iterator[str]:
    """Yield the texts in a group, and in the groups within it, that refer to bones."""
    for name, prop in group.bl_rna.properties.items():
        if prop.is_skip_save or name == "rna_type":
            continue
        if prop.type == "COLLECTION":
            for item in getattr(group, name):
                yield from _references_in(item)
        elif prop.type == "POINTER":
            value = getattr(group, name)
            if isinstance(value, bpy.types.PropertyGroup):
                yield from _references_in(value)
        elif prop.type == "STRING" and name.endswith(BESIDE):
            yield getattr(group, name)
