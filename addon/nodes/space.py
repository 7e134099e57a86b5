# SPDX-License-Identifier: GPL-3.0-or-later
"""The space of a node's own transform: the matrices by which Blender computes its world matrix.

It is computed in double precision. Enabling the add-on does not import this module, since it needs core.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import bpy
import numpy as np

from ...core.spatial.arrays import det, inverse, matmul, norm
from . import Node, owner_of, parent_inverse, parent_of


class Space(NamedTuple):
    """The space of a node's own transform, at one moment or at several.

    Attributes:
        rotation, location: matrices to the world, shape (F, 4, 4), (1, 4, 4) or (4, 4). The first one applies to
            rotation and scale, the second one to location. They are the same array, except for bones that do not
            inherit everything from their parent.
    """

    rotation: np.ndarray
    location: np.ndarray

    def world_of(self, own: np.ndarray) -> np.ndarray:
        """Return the world matrices of a node with these own transforms, shape (F, 4, 4) or (4, 4)."""
        found = matmul(self.rotation, own)
        return found if self.location is self.rotation else _with_location(found, matmul(self.location, own))

    def since(self, begin: int) -> Space:
        """Return the space from a moment on. One matrix holds for all moments."""
        rotation, location = (
            each[begin:] if each.ndim == 3 and len(each) > 1 else each for each in (self.rotation, self.location)
        )
        return Space(rotation, rotation if self.location is self.rotation else location)

    def own_of(self, world: np.ndarray) -> np.ndarray:
        """Return the own transforms that give a node these world matrices, shape (F, 4, 4) or (4, 4)."""
        found = matmul(inverse(self.rotation), world)
        if self.location is self.rotation:
            return found
        return _with_location(found, matmul(inverse(self.location), world))


def space_at(matrix: np.ndarray) -> Space:
    """Return the space with one matrix for rotation and location."""
    return Space(matrix, matrix)


def space_of(node: Node, world_of: Callable[[Node], np.ndarray]) -> Space:
    """Return the space of a node without an attachment.

    Args:
        world_of: function that returns the world matrices of another node, shape (F, 4, 4), (1, 4, 4) or (4, 4). It is
            called for the node's parent, and for the armature of a bone.
    """
    parent = parent_of(node)
    if parent is None:
        return space_at(np.eye(4))
    carried = parent_inverse(node)
    if isinstance(node, bpy.types.Object) or _inherits_all(node):
        return space_at(matmul(world_of(parent), carried))
    armature = world_of(owner_of(node))
    if node.parent is None:  # the location is along the axes of the armature
        return Space(matmul(armature, carried), matmul(armature, _translation(carried[:3, 3])))
    pose = matmul(inverse(armature), world_of(parent))
    return Space(
        matmul(armature, _rotation_space(node, pose, carried)), matmul(armature, _location_space(node, pose, carried))
    )


def _inherits_all(bone: bpy.types.PoseBone) -> bool:
    rest = bone.bone
    inherits_turn = bone.parent is None or (rest.use_inherit_rotation and rest.inherit_scale == "FULL")
    return rest.use_local_location and inherits_turn


def _location_space(bone: bpy.types.PoseBone, pose: np.ndarray, carried: np.ndarray) -> np.ndarray:
    """Return the matrix from a bone's location to the axes of the armature.

    Without Local Location, Blender moves the bone along the axes of the armature as the parent turns them.

    Args:
        pose: of the parent, in the axes of the armature. carried: the bone at rest, in those of the parent at rest.
    """
    if bone.bone.use_local_location:
        return matmul(pose, carried)
    found = np.array(pose)
    found[..., :3, 3] = matmul(pose, carried)[..., :3, 3]
    return found


def _rotation_space(bone: bpy.types.PoseBone, pose: np.ndarray, carried: np.ndarray) -> np.ndarray:
    """Return the matrix from a bone's rotation and scale to the axes of the armature, as Blender computes it.

    Source: `BKE_bone_parent_transform_calc_from_matrices` of Blender, for parents that are not sheared.

    Args:
        pose, carried: as for `_location_space`.
    """
    mode, sizes = bone.bone.inherit_scale, norm(np.swapaxes(pose[..., :3, :3], -1, -2))
    if bone.bone.use_inherit_rotation:
        turn = pose[..., :3, :3] / sizes[..., None, :]
    else:
        turn = np.array(bone.parent.bone.matrix_local, dtype=np.float64)[:3, :3]
    if mode in ("FULL", "FIX_SHEAR"):
        turn = turn * sizes[..., None, :]
    elif mode == "AVERAGE":
        turn = turn * np.cbrt(np.abs(det(pose[..., :3, :3])))[..., None, None]
    turn = matmul(turn, carried[:3, :3])
    if mode == "ALIGNED":  # the parent's scale, along the axes of the bone
        turn = turn * sizes[..., None, :]
    found = np.broadcast_to(np.eye(4), (*turn.shape[:-2], 4, 4)).copy()
    found[..., :3, :3] = turn
    return found


def _with_location(matrices: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return matrices with the locations of others. Either may be one matrix for all frames."""
    found = np.broadcast_to(matrices, np.broadcast_shapes(matrices.shape, others.shape)).copy()
    found[..., :3, 3] = others[..., :3, 3]
    return found


def _translation(shift: np.ndarray) -> np.ndarray:
    found = np.eye(4)
    found[:3, 3] = shift
    return found
