# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes and objects that hold data of this add-on and store, or could store, the version that made them."""

from __future__ import annotations

from typing import TypeAlias, TypeGuard

import bpy

from ..nodes import Node, is_node, owner_of
from . import belongs_to_model
from .settings import link_settings, scene_settings

Owner: TypeAlias = bpy.types.Scene | Node


def holds_ours(owner: bpy.types.ID | Node | None) -> TypeGuard[Owner]:
    """Return whether a scene or an object has, or had, settings that a user has made. Others are never written to."""
    if is_node(owner):
        has_been = link_settings(owner).is_property_set("is_link")
        return has_been or belongs_to_model(owner)
    if not isinstance(owner, bpy.types.Scene):
        return False
    return _is_set(settings_of(owner)) or any(holds_ours(obj) and not is_linked(obj) for obj in owner.objects)


def _is_set(settings: bpy.types.PropertyGroup) -> bool:
    """Return whether any of the settings was set. Reading a group does not set anything."""
    for prop in settings.bl_rna.properties:
        name = prop.identifier
        if name == "rna_type" or prop.is_skip_save or not settings.is_property_set(name):
            continue
        if not isinstance(prop, bpy.types.PointerProperty) or _is_set(getattr(settings, name)):
            return True
    return False


def is_linked(owner: Owner) -> bool:
    """Return whether the owner is linked or overridden from another file."""
    block = owner if isinstance(owner, bpy.types.Scene) else owner_of(owner)
    return block.library is not None or block.override_library is not None


def settings_of(owner: Owner):
    """Return the property group whose `version` names the version of Limberjack that made the owner."""
    return scene_settings(owner) if isinstance(owner, bpy.types.Scene) else link_settings(owner)
