# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the nodes of a scene by the names that they have in models.

In Blender, an object of this file and objects of several libraries may have the same name. A model's names are unique.
"""

from __future__ import annotations

import bpy

from . import Node, model_name


def node_named(scene: bpy.types.Scene, name: str) -> Node | None:
    """Return the scene's node that has this name in models; None if there is none."""
    found = scene.objects.get(name)
    if found is not None and model_name(found) == name:
        return found
    if not bpy.data.libraries:  # without libraries, names are unique
        return None
    return next((obj for obj in scene.objects if model_name(obj) == name), None)


def node_of(scene: bpy.types.Scene, name: str) -> Node:
    """Return the scene's node that has this name in models.

    Raises:
        KeyError: if the scene has no such node.
    """
    found = node_named(scene, name)
    if found is None:
        raise KeyError(name)
    return found
