# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuse choices that a newer version has stored and this version does not know.

Blender keeps the numbers of unknown choices in the file, and reads them as an empty choice. A default in their place
would give another model than the file's.
"""

from __future__ import annotations

from functools import cache

import bpy

from ...nodes import Node, model_name
from ...props.settings import data_path_of, link_settings
from ..animation.animated import curves_moving
from ..errors import SceneError


def require_known_choices(owner: str, *groups: bpy.types.PropertyGroup) -> None:
    """Raise `SceneError` if a setting has an unknown choice.

    Args:
        owner: words for the owner of the settings, for the message, such as "link 'arm'".
        groups: property groups of the owner.
    """
    for group in groups:
        for name, label in _choices_of(type(group)):
            if not getattr(group, name) and not _is_animated(group, name):
                raise SceneError(
                    "unknown-choice",
                    f"{owner}: its {label} is one that this version of Limberjack does not know: update Limberjack, or "
                    "choose another",
                )


def _is_animated(group: bpy.types.PropertyGroup, name: str) -> bool:
    """Return whether F-curves animate a property.

    F-curves store numbers in single precision, which cannot represent the number of every choice. So an animated
    property may read as empty although no newer version has stored it.
    """
    owner, path = group.id_data, data_path_of(group, name)
    return owner is not None and any(curve.data_path == path for curve in curves_moving(owner))


@cache
def _choices_of(kind: type[bpy.types.PropertyGroup]) -> tuple[tuple[str, str], ...]:
    """Return name and label of each property whose value is one choice of several."""
    found = (prop for prop in kind.bl_rna.properties if isinstance(prop, bpy.types.EnumProperty))
    return tuple((prop.identifier, prop.name) for prop in found if not prop.is_enum_flag)


def require_known_shape(obj: Node) -> None:
    """Raise `SceneError` if a link, or an object that gives a link its shape, has an unknown choice."""
    settings = link_settings(obj)
    require_known_choices(f"{'link' if settings.is_link else 'object'} '{model_name(obj)}'", settings)
