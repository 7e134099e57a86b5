# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses from and to other forms, for scripts: their product and inverse, 4 x 4 matrices, roll-pitch-yaw angles.

A pose is (x, y, z, qw, qx, qy, qz): a position [m] and a unit quaternion. These functions check what they are given.
Those of `rotations.py` do not, and are for code that has made its poses itself.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .arrays import det, matmul
from .rotations import compose, inverse, quat_normalized, quat_of_mat, quat_of_rpy, quat_to_mat, rpy_of_quat
from .types import IDENTITY, Pose

PROPER = 1e-6
"""Largest error of a rotation that is passed in.

It applies to the length of a quaternion, and to elements of R^T R and of the last row of a matrix.
"""


def compose_poses(*poses: ArrayLike) -> Pose:
    """Return the product of poses: of X_AB and X_BC, the pose X_AC = X_AB X_BC; the identity if there are none.

    Args:
        poses: each x y z [m], qw qx qy qz, or a 4 x 4 matrix.

    Raises:
        ValueError: if an argument is not a pose: of another shape, not finite, or without a rotation.
    """
    product = IDENTITY
    for number, X in enumerate(poses, 1):
        product = compose(product, checked_pose(X, f"pose {number}"))
    return product[:3] + quat_normalized(product[3:])


def inverse_pose(X_AB: ArrayLike) -> Pose:
    """Return X_BA, the pose of frame A in frame B: x y z [m], qw qx qy qz.

    Args:
        X_AB: x y z [m], qw qx qy qz, or a 4 x 4 matrix.

    Raises:
        ValueError: as `compose_poses`.
    """
    return inverse(checked_pose(X_AB, "X_AB"))


def pose_from_matrix(T_AB: ArrayLike) -> Pose:
    """Return the pose x y z [m], qw qx qy qz, with qw >= 0, of a homogeneous matrix.

    Args:
        T_AB: shape (4, 4): the axes of B in A as columns, then its origin; the last row is 0 0 0 1.

    Raises:
        ValueError: if it has another shape, or if its rotation is none.
    """
    if np.shape(T_AB) != (4, 4):
        raise ValueError(f"T_AB takes a 4 x 4 matrix, found shape {np.shape(T_AB)}")
    return checked_pose(T_AB, "T_AB")


def pose_to_matrix(X_AB: ArrayLike) -> np.ndarray:
    """Return the homogeneous matrix of a pose, shape (4, 4), which takes points of frame B to frame A.

    Args:
        X_AB: x y z [m], qw qx qy qz.

    Raises:
        ValueError: as `compose_poses`.
    """
    X = checked_pose(X_AB, "X_AB")
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.reshape(quat_to_mat(X[3:]), (3, 3)), X[:3]
    return T


def pose_from_rpy(xyz_rpy: ArrayLike) -> Pose:
    """Return the pose x y z [m], qw qx qy qz, of a position and angles as in SDF's `<pose>` and URDF's `<origin>`.

    The rotation is Rz(yaw) Ry(pitch) Rx(roll).

    Args:
        xyz_rpy: x y z [m], then roll pitch yaw [rad].

    Raises:
        ValueError: if it does not have 6 finite numbers.
    """
    numbers = _numbers(xyz_rpy)
    if numbers.shape != (6,) or not np.isfinite(numbers).all():
        raise ValueError(f"xyz_rpy takes x y z [m] and roll pitch yaw [rad], 6 finite numbers, found {xyz_rpy!r}")
    x, y, z, roll, pitch, yaw = numbers.tolist()
    return (x, y, z, *quat_of_rpy(roll, pitch, yaw))


def pose_to_rpy(X_AB: ArrayLike) -> tuple[float, float, float, float, float, float]:
    """Return x y z [m], then roll pitch yaw [rad] of a pose: the inverse of `pose_from_rpy`.

    Pitch is between -90 and 90 degrees. Where it is one of these, only the difference or the sum of yaw and roll is
    determined, and yaw is 0.

    Args:
        X_AB: x y z [m], qw qx qy qz, or a 4 x 4 matrix.

    Raises:
        ValueError: as `compose_poses`.
    """
    X = checked_pose(X_AB, "X_AB")
    return X[:3] + rpy_of_quat(X[3:])


def checked_pose(value: ArrayLike, subject: str) -> Pose:
    """Return a pose from an array of shape (7,) or (4, 4) [m].

    Args:
        subject: the pose, as messages name it.

    Raises:
        ValueError: if `value` has another shape, or if the error of its rotation exceeds `PROPER`.
    """
    found = _numbers(value)
    if found.shape not in ((7,), (4, 4)):
        several = ", one pose at a time" if found.ndim > 1 and found.shape[-1] == 7 else ""
        given = f"shape {found.shape}" if found.size > 16 else repr(value)
        raise ValueError(f"{subject} takes a pose (x, y, z, qw, qx, qy, qz) or a 4 x 4 matrix{several}, found {given}")
    if not np.isfinite(found).all():
        raise ValueError(f"{subject} takes finite numbers, found {value!r}")
    if found.shape == (7,):
        x, y, z, *quat = found.tolist()
        if abs(math.hypot(*quat) - 1.0) > PROPER:
            raise ValueError(f"{subject}: the quaternion {quat} has length {math.hypot(*quat):.6g}; it must be 1")
        return (x, y, z, *quat_normalized(quat))
    R = found[:3, :3]
    if np.abs(found[3] - (0.0, 0.0, 0.0, 1.0)).max() > PROPER:
        raise ValueError(f"{subject}: the last row is {found[3].tolist()}; it must be 0 0 0 1")
    if np.abs(matmul(R.T, R) - np.eye(3)).max() > PROPER or det(R) < 0.0:
        raise ValueError(
            f"{subject}: the upper left 3 x 3 part is no rotation (determinant {det(R):.6g}); its columns "
            "must be unit vectors, at right angles, right-handed"
        )
    x, y, z = found[:3, 3].tolist()
    return (x, y, z, *quat_of_mat(tuple(R.ravel().tolist())))


def _numbers(value: ArrayLike) -> np.ndarray:
    """Return the numbers of an array-like; an empty array if it has something else in it."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0)
