# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements as matrices, shape (4, 4), in Blender units: compare them, and remove rounding noise."""

import math

import numpy as np

from ...nodes import Node, world_matrix

POSE_TOLERANCE = 1e-4
"""Tolerance for equal poses: angle [rad], and length relative to the distance from the origin or to 1 Blender unit,
whichever is larger.
"""

ROTATION_NOISE = 1e-5
"""Angle below which a machine counts as not rotated [rad]; single precision causes angles of this size."""

IDENTITY_MATRIX = np.eye(4)
"""The displacement that moves nothing. Others share this array, so it cannot be changed."""
IDENTITY_MATRIX.flags.writeable = False


def tidy_displacement(link: Node, move: np.ndarray) -> np.ndarray:
    """Return the rigid displacement of a link without rounding noise; the identity if it is not rigid."""
    found = common_displacement({link: move})
    return IDENTITY_MATRIX if found is None else found


def leaves_in_place(move: np.ndarray, at: np.ndarray | None = None) -> bool:
    """Return whether a displacement leaves an object where it is.

    Args:
        at: origin of the object, shape (3,); None for the world's origin.
    """
    origin = np.zeros(3) if at is None else at
    distance = np.linalg.norm(move[:3, :3] @ origin + move[:3, 3] - origin)
    if not distance <= POSE_TOLERANCE * max(1.0, np.linalg.norm(origin)):
        return False
    return bool(np.abs(move[:3, :3] - np.eye(3)).max() <= POSE_TOLERANCE)


def is_rigid(move: np.ndarray) -> bool:
    """Return whether a displacement translates and rotates without scaling."""
    return bool(np.abs(move[:3, :3].T @ move[:3, :3] - np.eye(3)).max() <= POSE_TOLERANCE)


def common_displacement(moves: dict[Node, np.ndarray]) -> np.ndarray | None:
    """Return the displacement that is common to all, without rounding noise.

    It is None if a displacement is not rigid, or if they differ.
    """
    if not moves:
        return IDENTITY_MATRIX
    if not all(map(is_rigid, moves.values())):
        return None
    first = next(iter(moves.values()))
    ends = {link: world_matrix(link)[:3, 3] for link in moves}
    for link, move in moves.items():
        if not leaves_in_place(np.linalg.inv(first) @ move, np.linalg.inv(move)[:3] @ [*ends[link], 1.0]):
            return None
    return _snapped(first, [(np.linalg.inv(moves[link])[:3] @ [*end, 1.0], end) for link, end in ends.items()])


def _snapped(move: np.ndarray, origins: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return a displacement without rounding noise.

    Args:
        origins: for each link, its origin before and after the displacement.
    """
    u, _, vt = np.linalg.svd(move[:3, :3])
    turn = u @ vt
    angle = math.acos(min(1.0, max(-1.0, 0.5 * (np.trace(turn) - 1.0))))
    found = np.eye(4)
    if angle > ROTATION_NOISE:
        found[:3, :3] = turn
        for axis in np.eye(3):
            if np.abs(turn @ axis - axis).max() <= ROTATION_NOISE:  # snap to this world axis
                found[:3, :3] = _rotation_about(axis, turn)
    shift = np.mean([end - found[:3, :3] @ start for start, end in origins], axis=0)
    found[:3, 3] = np.round(shift, 6)
    return found


def _rotation_about(axis: np.ndarray, turn: np.ndarray) -> np.ndarray:
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    cosine, sine = 0.5 * (np.trace(turn) - 1.0), 0.5 * np.sum(cross * turn)
    angle = math.atan2(sine, cosine)
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
