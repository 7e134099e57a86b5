# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame of a link: location and rotation of its object in the world, without scale."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, takewhile

import numpy as np

from ....core.model import ModelError
from ....core.spatial import Pose, quat_of_mat, quat_to_mat
from ....core.spatial.arrays import det, dot, matmul, nearest_rotation, norm
from ...nodes import Node, delta_scale, model_name, own_matrix, parent_inverse, parent_of, world_matrix
from ...props import ancestors
from ...props.settings import link_settings
from ..animation.motion_sources import is_animated
from ..values.numbers import parse_pose, shortest_all, significant, tidy_pose

SAME_SIZE = 1e-5
"""Largest relative difference of the squares of scales that count as equal in all directions [1]."""

SAME_POSE = 2e-6
"""Largest difference of equal poses in single precision, relative to the distance from the origin or to 1."""


def to_array(matrix) -> np.ndarray:
    """Return a mathutils matrix in double precision, shape (4, 4)."""
    return np.array(matrix, dtype=np.float64)


def own_scale(obj: Node) -> np.ndarray:
    """Return the object's scale in its own axes, shape (3,), signed.

    Raises:
        ModelError: if a factor is 0.
    """
    scale = np.array(shortest_all(obj.scale)) * np.array(shortest_all(delta_scale(obj)))
    if not scale.all():
        raise ModelError(f"object '{model_name(obj)}' has a scale of zero: give it a size in all three directions")
    return scale


_kept_scales: dict[Node, np.ndarray] | None = None
"""Results of `world_scale` within `keeping_scales`, by node; None outside of it."""


@contextmanager
def keeping_scales() -> Iterator[None]:
    """Compute the scale of each node once within this context, during which no scale and no parent may change.

    A scale depends on all nodes above, which the nodes of a hierarchy share.
    """
    global _kept_scales
    before = _kept_scales
    _kept_scales = {} if before is None else before
    try:
        yield
    finally:
        _kept_scales = before


def world_scale(obj: Node) -> np.ndarray:
    """Return the scale of the object's vertices in the world, along its own axes, shape (3,), signed.

    It is computed from scales and never from a world matrix, whose last digits change with every frame of an animation.

    Raises:
        ModelError: if a factor is 0.
    """
    known = {} if _kept_scales is None else _kept_scales
    unknown = list(takewhile(lambda node: node not in known, chain((obj,), ancestors(obj))))
    for node in reversed(unknown):
        known[node] = _world_scale(node, known)
    return known[obj]


def _world_scale(obj: Node, known: dict[Node, np.ndarray]) -> np.ndarray:
    """Return the result of `world_scale`.

    Args:
        known: results for other nodes, among them the parent.
    """
    scale = own_scale(obj)
    parent = parent_of(obj)
    if parent is None:
        return scale
    carried = matmul(np.diag(known[parent]), parent_inverse(obj)[:3, :3])
    if size := _size_of_turn(carried):
        return np.array([significant(size * factor) for factor in scale])
    stretched = matmul(carried, own_matrix(obj)[:3, :3])
    signs = np.sign(scale) * np.sign(det(carried))
    return np.array([significant(factor) for factor in norm(np.transpose(stretched)) * signs])


def _size_of_turn(linear: np.ndarray) -> float | None:
    """Return the factor, signed, of a matrix that is a rotation times a uniform scale; None for other matrices."""
    size = math.copysign(abs(det(linear)) ** (1.0 / 3.0), det(linear))
    even = size * size * np.eye(3)
    is_even = (np.abs(matmul(linear, linear.T) - even) <= SAME_SIZE * (size * size + even)).all()
    return size if is_even and size else None


def pose_of_matrix(matrix: np.ndarray, scale: np.ndarray) -> Pose:
    """Return the pose in a matrix that is a pose times a scale.

    Args:
        scale: along the object's own axes, shape (3,).
    """
    rotation = nearest_rotation(matrix[:3, :3] / scale)
    return tuple(matrix[:3, 3].tolist()) + quat_of_mat(tuple(rotation.ravel().tolist()))


def matrix_of_pose(pose: Pose) -> np.ndarray:
    """Return the matrix of a pose, shape (4, 4)."""
    matrix = np.eye(4)
    matrix[:3, :3] = np.array(quat_to_mat(pose[3:])).reshape(3, 3)
    matrix[:3, 3] = pose[:3]
    return matrix


def live_pose(obj: Node) -> Pose:
    """Return the present pose of the link in the world [Blender units]."""
    return tidy_pose(pose_of_matrix(world_matrix(obj), world_scale(obj)))


def drawn_pose(obj: Node) -> Pose:
    """Return the pose in which the link was drawn [Blender units].

    It is the stored pose if the link is animated, else the present one. A link at its stored pose has exactly that
    pose, which has more digits than the matrix.
    """
    text = link_settings(obj).rest_pose
    stored = parse_pose(text, f"link '{model_name(obj)}': the rest pose") if text else None
    if stored and is_animated(obj):
        return stored
    live = live_pose(obj)
    return stored if stored and are_same(stored, live) else live


def are_same(a: Pose, b: Pose) -> bool:
    """Return whether two poses differ by no more than the rounding errors of single precision."""
    place_a, place_b = np.array(a[:3]), np.array(b[:3])
    allowed = SAME_POSE * max(1.0, np.abs(place_a).max())
    turn = abs(float(dot(np.array(a[3:]), np.array(b[3:]))))
    return bool(np.abs(place_a - place_b).max() <= allowed) and 1.0 - turn <= 1e-11
