# SPDX-License-Identifier: GPL-3.0-or-later
"""The outlines of the shapes with which bones collide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import bridge

if TYPE_CHECKING:
    from ...core.geometry import Capsule
    from ..bridge.links.bone_shapes import BoneShape

ARC = np.linspace(0.0, np.pi, 13)
"""Angles of the points of a half circle [rad]."""


def outline_of(shape: BoneShape) -> np.ndarray:
    """Return the lines of the shape of a bone in the frame of the bone, shape (n, 2, 3): the edges of a box or hull."""
    capsule = shape.capsule
    if capsule is not None:
        return capsule_outline(capsule.geometry, capsule.pose)
    points, faces = shape.polyhedron()
    edges = {tuple(sorted(edge)) for face in faces for edge in zip(face, (*face[1:], face[0]), strict=True)}
    return points[np.array(sorted(edges))]


def capsule_outline(capsule: Capsule, pose) -> np.ndarray:
    """Return a ring at each end of the cylinder and two outlines along the axis, shape (n, 2, 3).

    Args:
        pose: of the capsule in the frame of the result, in which its axis is z.
    """
    half, radius = capsule.length / 2.0, capsule.radius
    cosines, sines, nothing = radius * np.cos(ARC), radius * np.sin(ARC), np.zeros(len(ARC))
    over = np.column_stack([cosines, nothing, half + sines])
    under = np.column_stack([-cosines, nothing, -half - sines])
    along = _closed(np.concatenate([over, under]))
    ring = _closed(np.column_stack([np.append(cosines, -cosines), np.append(sines, -sines), np.zeros(2 * len(ARC))]))
    end = np.array((0.0, 0.0, half))
    lines = np.concatenate([along, along[..., [1, 0, 2]], ring + end, ring - end])
    matrix = bridge.posing.link_poses.matrix_of_pose(pose)
    return lines @ matrix[:3, :3].T + matrix[:3, 3]


def _closed(points: np.ndarray) -> np.ndarray:
    """Return the segments of a closed line through points, shape (n, 3) to (n, 2, 3)."""
    return np.stack([points, np.roll(points, -1, axis=0)], axis=1)
