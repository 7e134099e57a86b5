# SPDX-License-Identifier: GPL-3.0-or-later
"""The surfaces of the shapes of bones as triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import bridge

if TYPE_CHECKING:
    from ...core.geometry import Capsule
    from ..bridge.links.bone_shapes import BoneShape

SIDES = 20
"""Number of corners around a capsule."""

RINGS = 5
"""Number of rings of corners on each half sphere, with the ring at its edge and without its pole."""


def _directions() -> np.ndarray:
    """Return the directions from the centres of both half spheres to the corners: pole, rings, rings, pole."""
    heights = np.linspace(0.5 * np.pi, 0.0, RINGS + 1)[1:]
    around = 2.0 * np.pi * np.arange(SIDES) / SIDES
    upper = [
        (np.cos(height) * np.cos(angle), np.cos(height) * np.sin(angle), np.sin(height))
        for height in heights
        for angle in around
    ]
    lower = np.array(upper).reshape(RINGS, SIDES, 3)[::-1] * (1.0, 1.0, -1.0)
    return np.concatenate([[(0.0, 0.0, 1.0)], upper, lower.reshape(-1, 3), [(0.0, 0.0, -1.0)]])


def _triangles() -> np.ndarray:
    """Return the triangles between the corners, counterclockwise as seen from outside, shape (m, 3)."""
    rows = 1 + np.arange(2 * RINGS * SIDES).reshape(2 * RINGS, SIDES)
    left, right = rows, np.roll(rows, -1, axis=1)
    top = [(0, a, b) for a, b in zip(left[0], right[0], strict=True)]
    last = int(rows[-1, -1]) + 1
    bottom = [(last, b, a) for a, b in zip(left[-1], right[-1], strict=True)]
    a, b, c, d = left[:-1].ravel(), right[:-1].ravel(), left[1:].ravel(), right[1:].ravel()
    return np.concatenate([top, np.column_stack([a, c, d]), np.column_stack([a, d, b]), bottom])


DIRECTIONS = _directions()
"""Outward unit vectors at the corners of a capsule along z, shape (n, 3). The upper half comes first."""

TRIANGLES = _triangles()
"""Indices of the corners of the triangles of a capsule, shape (m, 3)."""


def surface_of(shape: BoneShape) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the surface of the shape of a bone in the frame of the bone.

    Returns:
        Corners and their outward unit normals, both of shape (n, 3), and triangles, shape (m, 3). The faces of a box or
        hull share no corners, since each has its own normal.
    """
    capsule = shape.capsule
    if capsule is not None:
        return *capsule_surface(capsule.geometry, capsule.pose), TRIANGLES
    points, faces = shape.polyhedron()
    corners, normals, triangles = [], [], []
    for face in faces:
        first, around = len(corners), points[list(face)]
        across = np.cross(around, np.roll(around, -1, axis=0)).sum(axis=0)  # twice the area, along the normal
        corners += [*around]
        normals += [across / np.linalg.norm(across)] * len(face)
        triangles += [(first, first + number, first + number + 1) for number in range(1, len(face) - 1)]
    return np.array(corners), np.array(normals), np.array(triangles)


def capsule_surface(capsule: Capsule, pose) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of a capsule's surface and their outward unit normals, both of shape (n, 3).

    Args:
        pose: of the capsule in the frame of the result, in which its axis is z.
    """
    half = np.where(np.arange(len(DIRECTIONS)) < len(DIRECTIONS) // 2, 0.5, -0.5)
    points = capsule.radius * DIRECTIONS
    points[:, 2] += capsule.length * half
    matrix = bridge.posing.link_poses.matrix_of_pose(pose)
    return points @ matrix[:3, :3].T + matrix[:3, 3], DIRECTIONS @ matrix[:3, :3].T
