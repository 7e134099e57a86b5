# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as nodes: see `Kind` for what each function returns."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .rotation_modes import rotation_in, set_rotation

JOINS_ITSELF: bool = False
HAS_OWN_SHAPE: bool = True
IS_PART: bool = False

CHANNELS: tuple[str, ...] = (
    *("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale"),
    *("delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale"),
)


def prefix_of(_obj: bpy.types.Object) -> str:
    return ""


def model_name(obj: bpy.types.Object) -> str:
    """Return the object's own name.

    An object of a library gets the library's name added, as in "boom [yard.blend]", if a scene holds another object of
    that name. Both names stay the same when the file is saved and opened again.
    """
    if obj.library is None or not _has_namesake(obj):
        return obj.name
    return obj.name_full


def _has_namesake(obj: bpy.types.Object) -> bool:
    """Return whether a scene holds another object with the name of `obj`, which belongs to a library."""
    paths = [None, *(library.filepath for library in bpy.data.libraries)]
    found = (bpy.data.objects.get((obj.name, path)) for path in paths)
    return any(other is not None and other != obj and other.users_scene for other in found)


def parent_of(obj: bpy.types.Object) -> bpy.types.Object | bpy.types.PoseBone | None:
    """Return the parent; for an object on a bone, the bone."""
    return bone_of(obj) or obj.parent


def bone_of(obj: bpy.types.Object) -> bpy.types.PoseBone | None:
    """Return the bone to which the object is parented; None if it is parented to no bone."""
    if obj.parent_type != "BONE" or obj.parent is None or obj.parent.pose is None:
        return None
    return obj.parent.pose.bones.get(obj.parent_bone)


def attachment_of(obj: bpy.types.Object) -> str:
    return "" if obj.parent is None or obj.parent_type == "OBJECT" else obj.parent_type.lower()


def parent_inverse(obj: bpy.types.Object) -> np.ndarray:
    """Return the stored matrix. For an object on a bone, the way from the bone's head to its tail is added."""
    stored = np.array(obj.matrix_parent_inverse, dtype=np.float64)
    bone = bone_of(obj)
    if bone is None:
        return stored
    if bone.bone.use_relative_parent:
        return np.linalg.inv(np.array(bone.bone.matrix_local, dtype=np.float64)) @ stored
    stored[1, :] += bone.bone.length * stored[3, :]
    return stored


def own_matrix(obj: bpy.types.Object) -> np.ndarray:
    return np.array(obj.matrix_basis, dtype=np.float64)


def world_matrix(obj: bpy.types.Object) -> np.ndarray:
    return np.array(obj.matrix_world, dtype=np.float64)


def evaluated(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.Object:
    return obj.evaluated_get(depsgraph)


def compose_channels(obj: bpy.types.Object, values: dict[str, list[float]]) -> np.ndarray:
    translation = Matrix.Translation(Vector(values["location"]) + Vector(values["delta_location"]))
    scale = Vector(values["scale"]) * Vector(values["delta_scale"])
    delta, own = (rotation_in(obj.rotation_mode, values, prefix) for prefix in ("delta_", ""))
    return np.array(translation @ (delta @ own).to_4x4() @ Matrix.Diagonal((*scale, 1.0)), dtype=np.float64)


def delta_location(obj: bpy.types.Object) -> np.ndarray:
    return np.array(obj.delta_location)


def delta_rotation(obj: bpy.types.Object) -> np.ndarray:
    if obj.rotation_mode == "QUATERNION":
        return np.array(obj.delta_rotation_quaternion.normalized().to_matrix())
    if obj.rotation_mode == "AXIS_ANGLE":
        return np.eye(3)  # Blender has no delta in this mode
    delta = obj.delta_rotation_euler.copy()
    delta.order = obj.rotation_mode
    return np.array(delta.to_matrix())


def delta_scale(obj: bpy.types.Object) -> Vector:
    return obj.delta_scale


def has_location(_obj: bpy.types.Object) -> bool:
    return True


def obstacle_to_showing(_obj: bpy.types.Object) -> str:
    return ""


def set_transform(obj: bpy.types.Object, location: Vector, rotation: Matrix) -> None:
    obj.location = location - obj.delta_location
    set_rotation(obj, Matrix(delta_rotation(obj).tolist()).inverted() @ rotation)


def children_of(obj: bpy.types.Object) -> tuple[bpy.types.Object, ...]:
    return obj.children


def dimensions_of(obj: bpy.types.Object) -> Vector:
    return obj.dimensions


def display_size(obj: bpy.types.Object) -> float:
    return obj.empty_display_size


def is_selected(obj: bpy.types.Object) -> bool:
    return obj.select_get()


def select(obj: bpy.types.Object, selected: bool) -> None:
    obj.select_set(selected)


def is_visible(obj: bpy.types.Object) -> bool:
    return obj.visible_get()
