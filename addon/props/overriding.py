# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of objects that come from another file through a library override."""

from collections.abc import Iterable
from typing import Literal

import bpy
from bpy.types import PropertyGroup

from .. import ids
from ..nodes import armature_bones
from .settings import before_bake, joint_settings, link_settings, tagged_bones

ALLOWED: set[Literal["LIBRARY_OVERRIDABLE"]] = {"LIBRARY_OVERRIDABLE"}
"""Options of properties that library overrides may change. Without them, Blender loses the values on reload."""


WITH_ITEMS: set[Literal["LIBRARY_OVERRIDABLE", "NO_PROPERTY_NAME", "USE_INSERTION"]] = {
    "LIBRARY_OVERRIDABLE",
    "NO_PROPERTY_NAME",
    "USE_INSERTION",
}
"""Options of collections to which library overrides may add items, such as the axes of a new joint. Without them,
Blender refuses `add` on an override. Items are known by their numbers, since they have no names."""


def let_override(group: type[PropertyGroup]) -> type[PropertyGroup]:
    """Let overrides store every property of a group that has a value of its own. The class must not be registered yet.

    This includes pointers: without it, those of an override refer to the objects of the library once the file is opened
    again.
    """
    for stored in group.__annotations__.values():
        if "get" not in stored.keywords:  # a computed property stores nothing
            stored.keywords["override"] = WITH_ITEMS if stored.function is bpy.props.CollectionProperty else ALLOWED
    return group


def complete_overrides(objects: Iterable[bpy.types.Object]) -> None:
    """Create this add-on's property groups on library overrides and on their originals. Call it before a file is saved.

    Blender creates a group when it is read first. It stores the differences between an override and its original, and
    if one of the two lacks a group, it stores the group as a whole. Blender 5.2 cannot apply such a difference when the
    file is opened ("expected ID type, not BeforeProperties").
    """
    for obj in objects:
        _complete(obj, (ids.LINK, ids.JOINT, ids.BEFORE))
        if obj.override_library and obj.override_library.reference:
            _complete_bones(obj, obj.override_library.reference)
        if isinstance(obj.data, bpy.types.Light):
            _complete(obj.data, (ids.LIGHT,))


def _complete(owner: bpy.types.ID, names: Iterable[str]) -> None:
    override = owner.override_library
    if override and override.reference:
        for name in names:
            _create(getattr(owner, name))
            _create(getattr(override.reference, name))


def _complete_bones(obj: bpy.types.Object, reference: bpy.types.ID) -> None:
    assert isinstance(reference, bpy.types.Object)  # the original of an object
    originals = armature_bones(reference)
    for bone in tagged_bones(obj):
        original = originals.get(bone.name) if originals else None
        for owner in (bone, original) if original is not None else ():
            for settings_of in (link_settings, joint_settings, before_bake):
                _create(settings_of(owner))


def _create(group: PropertyGroup) -> None:
    """Create a group and the groups in it by reading them."""
    pointers = [prop for prop in group.bl_rna.properties if isinstance(prop, bpy.types.PointerProperty)]
    for name in [prop.identifier for prop in pointers if prop.identifier != "rna_type"]:
        value = getattr(group, name)
        if isinstance(value, PropertyGroup):
            _create(value)
