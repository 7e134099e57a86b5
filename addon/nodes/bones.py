# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose bones as nodes: see `Kind` for what each function returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import bpy
import numpy as np
from mathutils import Matrix, Vector

from . import objects
from .rotation_modes import rotation_in, set_rotation

JOINS_ITSELF: bool = True
HAS_OWN_SHAPE: bool = False
IS_PART: bool = True

CHANNELS: tuple[str, ...] = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")


def _armature(bone: bpy.types.PoseBone) -> bpy.types.Object:
    armature = bone.id_data
    assert isinstance(armature, bpy.types.Object)
    return armature


def prefix_of(bone: bpy.types.PoseBone) -> str:
    return f"{bone.path_from_id()}."


def model_name(bone: bpy.types.PoseBone) -> str:
    """Return the names of armature and bone, as in "Rig:hand.L"."""
    return f"{objects.model_name(_armature(bone))}:{bone.name}"


def parent_of(bone: bpy.types.PoseBone) -> bpy.types.PoseBone | bpy.types.Object:
    """Return the parent bone; for a bone without one, the armature."""
    return bone.parent or _armature(bone)


def attachment_of(_bone: bpy.types.PoseBone) -> str:
    """Return nothing: `space.space_of` computes the space of every bone."""
    return ""


def parent_inverse(bone: bpy.types.PoseBone) -> np.ndarray:
    """Return the bone's rest matrix, in the axes of the parent bone at rest or of the armature."""
    rest = bone.bone.matrix_local
    return np.array(bone.parent.bone.matrix_local.inverted() @ rest if bone.parent else rest, dtype=np.float64)


def own_matrix(bone: bpy.types.PoseBone) -> np.ndarray:
    """Return the bone's own transform. Blender ignores the location of a bone that is connected to its parent."""
    matrix = np.array(bone.matrix_basis, dtype=np.float64)
    if bone.bone.use_connect:
        matrix[:3, 3] = 0.0
    return matrix


def world_matrix(bone: bpy.types.PoseBone) -> np.ndarray:
    return np.array(_armature(bone).matrix_world @ bone.matrix, dtype=np.float64)


def evaluated(bone: bpy.types.PoseBone, depsgraph: bpy.types.Depsgraph) -> bpy.types.PoseBone:
    pose = _armature(bone).evaluated_get(depsgraph).pose
    assert pose is not None  # the object of a pose bone is an armature
    return pose.bones[bone.name]


def compose_channels(bone: bpy.types.PoseBone, values: dict[str, list[float]]) -> np.ndarray:
    translation = Vector() if bone.bone.use_connect else Vector(values["location"])
    size = Matrix.Diagonal((*values["scale"], 1.0))
    rotation = rotation_in(bone.rotation_mode, values).to_4x4()
    return np.array(Matrix.Translation(translation) @ rotation @ size, dtype=np.float64)


def delta_location(_bone: bpy.types.PoseBone) -> np.ndarray:
    return np.zeros(3)


def delta_rotation(_bone: bpy.types.PoseBone) -> np.ndarray:
    return np.eye(3)


def delta_scale(_bone: bpy.types.PoseBone) -> Vector:
    return Vector((1.0, 1.0, 1.0))


def has_location(bone: bpy.types.PoseBone) -> bool:
    return not bone.bone.use_connect


def obstacle_to_showing(bone: bpy.types.PoseBone) -> str:
    armature = _armature(bone)
    if isinstance(armature.data, bpy.types.Armature) and armature.data.pose_position == "REST":
        return f"armature '{armature.name}' shows its rest position only: switch it to Pose Position (Data > Pose)"
    return ""


InverseKinematics: TypeAlias = bpy.types.KinematicConstraint | bpy.types.SplineIKConstraint
"""A constraint that moves a chain of bones, which ends at the bone that has the constraint."""


def inverse_kinematics_of(armature: bpy.types.Object) -> Iterator[tuple[bpy.types.PoseBone, InverseKinematics]]:
    """Yield the constraints of an armature for inverse kinematics with their bones, except muted ones."""
    for end in armature.pose.bones if armature.pose else ():
        for constraint in end.constraints:
            if isinstance(constraint, InverseKinematics) and not constraint.mute and constraint.target is not None:
                yield end, constraint


def chain_of(end: bpy.types.PoseBone, constraint: InverseKinematics) -> list[bpy.types.PoseBone]:
    """Return the bones that a constraint for inverse kinematics moves.

    Args:
        end: the bone that has the constraint.
    """
    is_moved = isinstance(constraint, bpy.types.SplineIKConstraint) or constraint.use_tail
    chain = [*([end] if is_moved else []), *end.parent_recursive]
    return chain[: constraint.chain_count] if constraint.chain_count else chain


def set_transform(bone: bpy.types.PoseBone, location: Vector, rotation: Matrix) -> None:
    if has_location(bone):
        bone.location = location
    set_rotation(bone, rotation)


def children_of(bone: bpy.types.PoseBone) -> tuple[bpy.types.Object, ...]:
    children = _armature(bone).children
    return tuple(child for child in children if child.parent_type == "BONE" and child.parent_bone == bone.name)


def dimensions_of(bone: bpy.types.PoseBone) -> Vector:
    """Return the bone's length along its y axis; the other extents are not known."""
    return Vector((0.0, display_size(bone), 0.0))


def display_size(bone: bpy.types.PoseBone) -> float:
    return (_armature(bone).matrix_world.to_3x3() @ bone.vector).length


def middle_lines(bones: Iterable[bpy.types.PoseBone]) -> np.ndarray:
    """Return the lines from the heads of bones to their tails in world axes, shape (n, 2, 3) [Blender units]."""
    places = [_armature(bone).matrix_world @ end for bone in bones for end in (bone.head, bone.tail)]
    return np.array([place[:] for place in places]).reshape(-1, 2, 3)


def _selectable(bone: bpy.types.PoseBone):
    """Return what stores whether the bone is selected or hidden: the bone itself since Blender 5.0."""
    return bone if bpy.app.version >= (5, 0, 0) else bone.bone


def is_selected(bone: bpy.types.PoseBone) -> bool:
    return _selectable(bone).select


def select(bone: bpy.types.PoseBone, selected: bool) -> None:
    _selectable(bone).select = selected


def is_visible(bone: bpy.types.PoseBone) -> bool:
    collections = bone.bone.collections
    is_shown = not collections or any(each.is_visible_effectively for each in collections)
    return is_shown and not _selectable(bone).hide and _armature(bone).visible_get()
