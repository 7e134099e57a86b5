# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the nodes of a scene by the names that they have in models.

In Blender, an object of this file and objects of several libraries may have the same name. A model's names are unique.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from . import Node, armature_bones, model_name

SEPARATOR = ":"
"""Character between the names of armature and bone in `model_name`. Both names may contain it, too."""


def node_named(scene: bpy.types.Scene, name: str) -> Node | None:
    """Return the scene's object or pose bone that has this name in models; None if there is none."""
    return next((node for node in _candidates(scene, name) if model_name(node) == name), None)


def _candidates(scene: bpy.types.Scene, name: str) -> Iterator[Node]:
    """Yield nodes that may have a name in models, at a cost that does not depend on the scene's size if possible."""
    if (found := scene.objects.get(name)) is not None:
        yield found
    ends = [place for place, letter in enumerate(name) if letter == SEPARATOR]
    for place in ends:
        armature = scene.objects.get(name[:place])
        if armature is not None:
            yield from _bone(armature, name[place + 1 :])
    if bpy.data.libraries:  # without libraries, names are unique
        for obj in scene.objects:
            yield obj
            for place in ends:
                yield from _bone(obj, name[place + 1 :])


def _bone(armature: bpy.types.Object, name: str) -> list[bpy.types.PoseBone]:
    """Return the armature's bone of this name in a list, which is empty if there is none."""
    bones = armature_bones(armature)
    found = bones.get(name) if bones else None
    return [] if found is None else [found]


def node_of(scene: bpy.types.Scene, name: str) -> Node:
    """Return the scene's node that has this name in models.

    Raises:
        KeyError: if the scene has no such node.
    """
    found = node_named(scene, name)
    if found is None:
        raise KeyError(name)
    return found
