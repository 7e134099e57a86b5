# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints by products of exponentials of 4x4 twists, in plain numpy: what the engine's own arithmetic is judged by.

Twists and wrenches are shape (6,), linear part first, as in public arrays. All of it takes complex numbers too, so that
a complex step gives derivatives without cancellation (Squire and Trapp, SIAM Review 40, 1998).

Source: Lynch and Park, Modern Robotics (2017), chapters 3 to 5.
"""

from __future__ import annotations

import math

import numpy as np

from limberjack.core.joints import BALL
from limberjack.core.model import Joint

TINY_STEP = 1e-40


def skew(w) -> np.ndarray:
    x, y, z = w
    zero = 0.0 * x
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])


def expm(A: np.ndarray) -> np.ndarray:
    """The matrix exponential by Taylor's series, scaled and squared."""
    halvings = max(0, math.ceil(math.log2(max(np.abs(A).max(), 1e-9))) + 2)
    A = A / 2.0**halvings
    term = total = np.eye(len(A), dtype=A.dtype)
    for k in range(1, 20):
        term = term @ A / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


def exp_twist(V) -> np.ndarray:
    """The pose, shape (4, 4), reached by moving with twist V for a second."""
    V = np.asarray(V)
    A = np.zeros((4, 4), V.dtype)
    A[:3, :3], A[:3, 3] = skew(V[3:]), V[:3]
    return expm(A)


def inverse_of(X: np.ndarray) -> np.ndarray:
    Y = np.eye(4, dtype=X.dtype)
    Y[:3, :3], Y[:3, 3] = X[:3, :3].T, -X[:3, :3].T @ X[:3, 3]
    return Y


def adjoint(X: np.ndarray) -> np.ndarray:
    """Takes a twist of B at B's origin, in B's axes, to A's, for X = X_AB."""
    Ad = np.zeros((6, 6), X.dtype)
    Ad[:3, :3] = Ad[3:, 3:] = X[:3, :3]
    Ad[:3, 3:] = skew(X[:3, 3]) @ X[:3, :3]
    return Ad


def bracket(V: np.ndarray) -> np.ndarray:
    """The matrix ad V, shape (6, 6)."""
    ad = np.zeros((6, 6))
    ad[:3, :3] = ad[3:, 3:] = skew(V[3:])
    ad[:3, 3:] = skew(V[:3])
    return ad


def matrix_of_quat(quat) -> np.ndarray:
    w, *v = np.asarray(quat) / np.sqrt(np.sum(np.asarray(quat) ** 2))
    return np.eye(3) + 2.0 * w * skew(v) + 2.0 * skew(v) @ skew(v)


def matrix_of(pose) -> np.ndarray:
    """Shape (4, 4), of a pose x y z, qw qx qy qz."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = matrix_of_quat(pose[3:]), pose[:3]
    return X


def quat_of_rotation_vector(v) -> np.ndarray:
    angle = np.linalg.norm(v)
    return np.array([math.cos(0.5 * angle), *(0.5 * np.sinc(0.5 * angle / math.pi) * np.asarray(v))])


def quat_product(a, b) -> np.ndarray:
    return np.array([a[0] * b[0] - np.dot(a[1:], b[1:]), *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def rotation_angles(R: np.ndarray) -> np.ndarray:
    """The rotation vector of R, from the eigenvector of its quaternion, good at any angle up to half a turn."""
    K = np.zeros((4, 4))
    K[0, 0] = np.trace(R)
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    K[0, 1:] = K[1:, 0] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    w, *v = np.linalg.eigh(K)[1][:, -1]
    w, v = (w, np.array(v)) if w >= 0.0 else (-w, -np.array(v))
    size = np.linalg.norm(v)
    return 2.0 * math.atan2(size, w) * v / size if size else np.zeros(3)


def screws(joint: Joint) -> list[tuple[np.ndarray, float | None]]:
    """The twist of a unit of each column, in the parent-side frame at q = 0, and where it is locked, or None."""
    found = []
    for column, home in zip(joint.all_columns, joint.home, strict=True):
        direction = np.array(joint.direction(column.axis)) / np.linalg.norm(joint.direction(column.axis))
        climb = column.slide + (joint.pitch / math.tau if column.threaded else 0.0)
        turn = column.turn * direction
        linear = climb * direction - np.cross(turn, column.point)
        found.append((np.concatenate([linear, turn]), home if joint.is_locked(column.axis) else None))
    return found


def pose_at(joint: Joint, q) -> np.ndarray:
    """X_J(q), shape (4, 4)."""
    X = np.eye(4, dtype=np.asarray(q).dtype)
    if joint.kind.chart:
        X[:3, :3] = matrix_of_quat(q[-4:])
        X[:3, 3] = 0.0 if joint.kind.code == BALL else q[:3]
        return X
    values = iter(q)
    for twist, locked_at in screws(joint):
        X = X @ exp_twist(twist * (next(values) if locked_at is None else locked_at))
    return X


def subspace_at(joint: Joint, q) -> np.ndarray:
    """S(q), shape (6, nv), in child-side axes at the child-side origin: each screw, seen past those after it."""
    if joint.kind.chart:
        return np.eye(6)[:, 6 - joint.nv :]
    values, columns, X = iter(q[::-1]), [], np.eye(4, dtype=np.asarray(q).dtype)
    for twist, locked_at in reversed(screws(joint)):
        value = next(values) if locked_at is None else locked_at
        if locked_at is None:
            columns.append(adjoint(inverse_of(X)) @ twist)
        X = exp_twist(twist * value) @ X
    return np.array(columns[::-1]).reshape(-1, 6).T


def subspace_rate(joint: Joint, q, qd) -> np.ndarray:
    """dS/dt, shape (6, nv), by a complex step."""
    if joint.kind.chart:
        return np.zeros((6, joint.nv))
    return subspace_at(joint, np.asarray(q) + 1j * TINY_STEP * np.asarray(qd)).imag / TINY_STEP


def moved(joint: Joint, q, qd, time: float) -> np.ndarray:
    """q after `time` seconds at constant qd, as the conventions of charts say what qd is."""
    q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    if not joint.kind.chart:
        return q + time * qd
    quat = quat_product(q[-4:], quat_of_rotation_vector(time * qd[-3:]))
    if joint.kind.code == BALL:
        return quat
    return np.concatenate([(matrix_of(q) @ exp_twist(time * qd))[:3, 3], quat])


def slope(function, h: float = 1e-3):
    """df/dt at 0 by central differences of fourth order."""
    return (8.0 * (function(h) - function(-h)) - (function(2.0 * h) - function(-2.0 * h))) / (12.0 * h)


def twist_along(path, time: float) -> np.ndarray:
    """The twist of a moving pose, shape (4, 4), in its own axes, from differences of the pose alone."""
    rate = inverse_of(path(time)) @ slope(lambda step: path(time + step))
    W = 0.5 * (rate[:3, :3] - rate[:3, :3].T)
    return np.array([*rate[:3, 3], W[2, 1], W[0, 2], W[1, 0]])
