# SPDX-License-Identifier: GPL-3.0-or-later
"""Choices that a newer version has stored and this one lacks.

Blender keeps their numbers in the file, and reads them as no choice at all: taken for anything, they would be another
model than the file's.
"""

from __future__ import annotations

from functools import cache

import bpy

from .. import ids
from .animated import curves_moving
from .errors import SceneError


def require_known_choices(what: str, *groups: bpy.types.PropertyGroup) -> None:
    """what: whose settings `groups` are, as "link 'arm'". Raises SceneError."""
    for group in groups:
        for name, label in _choices_of(type(group)):
            if not getattr(group, name) and not _is_animated(group, name):
                raise SceneError(
                    "unknown-choice",
                    f"{what}: its {label} is one that this version of Limberjack does not know: update Limberjack, or "
                    "choose another",
                )


def _is_animated(group: bpy.types.PropertyGroup, name: str) -> bool:
    """A curve's numbers are in single precision, which has not the digits of an entry's: that is no newer choice."""
    owner, path = group.id_data, group.path_from_id(name)
    return owner is not None and any(curve.data_path == path for curve in curves_moving(owner))


@cache
def _choices_of(kind: type[bpy.types.PropertyGroup]) -> tuple[tuple[str, str], ...]:
    """Name and label of each property that is one choice of several."""
    found = (prop for prop in kind.bl_rna.properties if isinstance(prop, bpy.types.EnumProperty))
    return tuple((prop.identifier, prop.name) for prop in found if not prop.is_enum_flag)


def require_known_shape(obj: bpy.types.Object) -> None:
    """Of a link, or of what gives one its shape. Raises SceneError."""
    settings = getattr(obj, ids.LINK)
    require_known_choices(f"{'link' if settings.is_link else 'object'} '{obj.name}'", settings)
