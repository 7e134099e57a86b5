# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of objects in a scene's model, and the objects of such names.

In Blender, an object of this file and objects of several libraries may have the same name. A model's names are unique.
"""

from __future__ import annotations

import bpy


def model_name(obj: bpy.types.Object) -> str:
    """Return the name that the object has in models, messages, trajectories and exports.

    It is the object's own name. An object of a library gets the library's name added, as in "boom [yard.blend]", if a
    scene holds another object of that name. Both names stay the same when the file is saved and opened again.
    """
    if obj.library is None or not _has_namesake(obj):
        return obj.name
    return obj.name_full


def _has_namesake(obj: bpy.types.Object) -> bool:
    """Return whether a scene holds another object with the name of `obj`, which belongs to a library."""
    paths = [None, *(library.filepath for library in bpy.data.libraries)]
    found = (bpy.data.objects.get((obj.name, path)) for path in paths)
    return any(other is not None and other != obj and other.users_scene for other in found)


def object_named(scene: bpy.types.Scene, name: str) -> bpy.types.Object | None:
    """Return the scene's object that has this name in models; None if there is none."""
    found = scene.objects.get(name)
    if found is not None and model_name(found) == name:
        return found
    if not bpy.data.libraries:  # without libraries, names are unique
        return None
    return next((obj for obj in scene.objects if model_name(obj) == name), None)


def object_of(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    """Return the scene's object that has this name in models.

    Raises:
        KeyError: if the scene has no such object.
    """
    found = object_named(scene, name)
    if found is None:
        raise KeyError(name)
    return found
