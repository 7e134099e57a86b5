# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a file is ours: the scenes and objects that say, or could say, which version has made them."""

from __future__ import annotations

from typing import TypeAlias, TypeGuard

import bpy

from .. import ids
from . import carrier_of, is_joint

Owner: TypeAlias = bpy.types.Scene | bpy.types.Object


def holds_ours(owner: bpy.types.ID | None) -> TypeGuard[Owner]:
    """Whether it has settings of ours that somebody has made, or had; what has none is never written to."""
    if isinstance(owner, bpy.types.Object):
        has_been = getattr(owner, ids.LINK).is_property_set("is_link")
        return has_been or is_joint(owner) or carrier_of(owner) is not None
    if not isinstance(owner, bpy.types.Scene):
        return False
    return _is_set(settings_of(owner)) or any(holds_ours(obj) and not is_linked(obj) for obj in owner.objects)


def _is_set(settings: bpy.types.PropertyGroup) -> bool:
    """Whether somebody has set any of the settings; of a group that was only looked at, none is."""
    for prop in settings.bl_rna.properties:
        name = prop.identifier
        if name == "rna_type" or prop.is_skip_save or not settings.is_property_set(name):
            continue
        if not isinstance(prop, bpy.types.PointerProperty) or _is_set(getattr(settings, name)):
            return True
    return False


def is_linked(owner: Owner) -> bool:
    """Whether another file decides what it is."""
    return owner.library is not None or owner.override_library is not None


def settings_of(owner: Owner):
    """The group that keeps the version, `made_by`."""
    return getattr(owner, ids.SCENE if isinstance(owner, bpy.types.Scene) else ids.LINK)
