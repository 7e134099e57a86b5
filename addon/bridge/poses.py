# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame of a link: its object's location and rotation in the world, free of scale."""

import math

import bpy
import numpy as np

from ...core.model import ModelError
from ...core.spatial import Pose, quat_of_mat, quat_to_mat
from ...core.spatial.arrays import det, dot, matmul, nearest_rotation, norm
from .. import ids
from .motion import is_animated
from .numbers import parse_pose, shortest_all, significant, tidy_pose

SAME_POSE = 2e-6
"""Largest difference that single precision makes to a pose whose numbers are about 1."""


def to_array(matrix) -> np.ndarray:
    """A mathutils matrix in double precision, shape (4, 4)."""
    return np.array(matrix, dtype=np.float64)


def own_scale(obj: bpy.types.Object) -> np.ndarray:
    """The object's scale in its own axes, shape (3,), signed."""
    scale = np.array(shortest_all(obj.scale)) * np.array(shortest_all(obj.delta_scale))
    if not scale.all():
        raise ModelError(f"object '{obj.name}' has a scale of zero: give it a size in all three directions")
    return scale


def world_scale(obj: bpy.types.Object) -> np.ndarray:
    """The factors by which the object's points lie larger in the world, along its own axes, shape (3,), signed.

    They come from the scales alone and never from a matrix in the world: that one changes with every frame of an
    animation, if only in its last digits.
    """
    scale = own_scale(obj)
    if obj.parent is None:
        return scale
    carried = matmul(np.diag(world_scale(obj.parent)), to_array(obj.matrix_parent_inverse)[:3, :3])
    if size := _size_of_turn(carried):
        return np.array([significant(size * factor) for factor in scale])
    stretched = matmul(carried, to_array(obj.matrix_basis)[:3, :3])
    signs = np.sign(scale) * np.sign(det(carried))
    return np.array([significant(factor) for factor in norm(np.transpose(stretched)) * signs])


def _size_of_turn(linear: np.ndarray) -> float | None:
    """The factor of a matrix that turns and scales evenly; None for one that stretches."""
    size = math.copysign(abs(det(linear)) ** (1.0 / 3.0), det(linear))
    is_even = np.allclose(matmul(linear, linear.T), size * size * np.eye(3), atol=1e-5 * size * size)
    return size if is_even and size else None


def pose_of_matrix(matrix: np.ndarray, scale: np.ndarray) -> Pose:
    """The pose in a matrix that also holds `scale`, shape (3,), in front of the points."""
    rotation = nearest_rotation(matrix[:3, :3] / scale)
    return tuple(matrix[:3, 3].tolist()) + quat_of_mat(tuple(rotation.ravel().tolist()))


def matrix_of_pose(pose: Pose) -> np.ndarray:
    """Shape (4, 4)."""
    matrix = np.eye(4)
    matrix[:3, :3] = np.array(quat_to_mat(pose[3:])).reshape(3, 3)
    matrix[:3, 3] = pose[:3]
    return matrix


def live_pose(obj: bpy.types.Object) -> Pose:
    """Where the link is now [Blender units]."""
    return tidy_pose(pose_of_matrix(to_array(obj.matrix_world), world_scale(obj)))


def drawn_pose(obj: bpy.types.Object) -> Pose:
    """Where the link was drawn [Blender units]: the stored pose of a link that is animated, else where it is now.

    A link that stands where its stored pose says has exactly that pose, which has more digits than its matrix.
    """
    text = getattr(obj, ids.LINK).rest_pose
    stored = parse_pose(text, f"link '{obj.name}': the rest pose") if text else None
    if stored and is_animated(obj):
        return stored
    live = live_pose(obj)
    return stored if stored and are_same(stored, live) else live


def are_same(a: Pose, b: Pose) -> bool:
    """Whether two poses differ by no more than single precision does."""
    place_a, place_b = np.array(a[:3]), np.array(b[:3])
    allowed = SAME_POSE * max(1.0, np.abs(place_a).max())
    turn = abs(float(dot(np.array(a[3:]), np.array(b[3:]))))
    return bool(np.abs(place_a - place_b).max() <= allowed) and 1.0 - turn <= 1e-11
