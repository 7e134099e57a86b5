# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert rotations over time to each of Blender's rotation modes, without jumps.

Arrays of rotations have shape (F, 4), quaternions w x y z, or (F, 3, 3), matrices.
"""

import math

import numpy as np

from ....core.spatial import atan2, cos_sin
from ....core.spatial.arrays import angle_of, cosines_sines, dot, hypot, matmul, norm

LOCKED = 1e-9
"""Cosine of the middle Euler angle below which the other two turn about the same axis (gimbal lock)."""


def quaternions_of(matrices: np.ndarray) -> np.ndarray:
    """Return unit quaternions of rotation matrices by Shepperd's method, which divides by the largest component."""
    xx, yy, zz = (matrices[:, i, i] for i in range(3))
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=1)
    wx, xy = matrices[:, 2, 1] - matrices[:, 1, 2], matrices[:, 1, 0] + matrices[:, 0, 1]
    wy, xz = matrices[:, 0, 2] - matrices[:, 2, 0], matrices[:, 0, 2] + matrices[:, 2, 0]
    wz, yz = matrices[:, 1, 0] - matrices[:, 0, 1], matrices[:, 2, 1] + matrices[:, 1, 2]
    rows = np.stack(
        [
            np.stack([squares[:, 0], wx, wy, wz], axis=1),
            np.stack([wx, squares[:, 1], xy, xz], axis=1),
            np.stack([wy, xy, squares[:, 2], yz], axis=1),
            np.stack([wz, xz, yz, squares[:, 3]], axis=1),
        ],
        axis=1,
    )
    quaternions = rows[np.arange(len(rows)), squares.argmax(axis=1)]
    return quaternions / norm(quaternions)[..., None]


def matrices_of(quaternions: np.ndarray) -> np.ndarray:
    """Return rotation matrices of unit quaternions."""
    w, x, y, z = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def matrices_of_euler(angles: np.ndarray, order: str) -> np.ndarray:
    """Return rotation matrices of Euler angles.

    Args:
        angles: about x, y and z [rad], shape (F, 3).
        order: Blender's rotation order; the rotation about its first letter is applied first.
    """
    turned = np.eye(3)
    for letter in order:
        axis = "XYZ".index(letter)
        quaternions = np.zeros((len(angles), 4))
        quaternions[:, 0], quaternions[:, 1 + axis] = cosines_sines(0.5 * angles[:, axis])
        turned = matmul(matrices_of(quaternions), turned)
    return turned


def quaternions_of_axis_angles(values: np.ndarray) -> np.ndarray:
    """Return unit quaternions of angles and axes.

    Args:
        values: an angle [rad] and an axis of any length except 0, shape (F, 4).
    """
    axes = values[:, 1:] / norm(values[:, 1:])[..., None]
    cosine, sine = cosines_sines(0.5 * values[:, :1])
    return np.hstack([cosine, sine * axes])


def angles_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the angles between rotation matrices [rad], shape (F,). They are accurate for small angles, too."""
    sine2 = np.minimum(((a - b) ** 2).sum(axis=(1, 2)) / 8.0, 1.0)  # sin^2 of half the angle
    return 2.0 * angle_of(np.sqrt(sine2), np.sqrt(1.0 - sine2))


def unit_quaternions(quaternions: np.ndarray) -> np.ndarray:
    """Return normalised quaternions, shape (F, 4)."""
    return quaternions / norm(quaternions)[..., None]


def continuous_quaternions(quaternions: np.ndarray, start) -> np.ndarray:
    """Return the same rotations with signs such that each quaternion is nearest to the one before it.

    Args:
        start: the quaternion before the first.
    """
    before = np.vstack([np.asarray(start)[None], quaternions[:-1]])
    flips = np.where(dot(before, quaternions) < 0.0, -1.0, 1.0)
    return quaternions * np.cumprod(flips)[:, None]


def axis_angles(quaternions: np.ndarray, start) -> np.ndarray:
    """Return angle [rad] and axis, shape (F, 4), of quaternions of continuous sign.

    Args:
        start: angle and axis before the first.
    """
    result = np.empty_like(quaternions)
    angle, axis = float(start[0]), np.asarray(start[1:], dtype=np.float64)
    axis = axis if axis.any() else np.array([0.0, 1.0, 0.0])  # Blender's axis in place of a zero vector
    for frame, (w, *vector) in enumerate(quaternions.tolist()):
        size = math.sqrt(sum(part * part for part in vector))
        turned = 2.0 * atan2(size, w)
        if size > 1e-9:
            direction = np.array(vector) / size
            if matmul(direction, axis) < 0.0:
                direction, turned = -direction, -turned
            axis = direction
        angle = _nearest_turn(turned, angle)
        result[frame] = (angle, *axis)
    return result


def euler_angles(matrices: np.ndarray, order: str, start) -> np.ndarray:
    """Return angles about x, y and z [rad], shape (F, 3).

    Each rotation has two sets of angles, each up to whole turns. The set nearest to that of the frame before is taken.

    Args:
        order: Blender's rotation order; the rotation about its first letter is applied first.
        start: angles before the first frame.
    """
    i, j, k = ("XYZ".index(letter) for letter in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    level = hypot(matrices[:, i, i], matrices[:, j, i])
    angles = np.empty((len(matrices), 3))
    angles[:, i] = angle_of(sign * matrices[:, k, j], matrices[:, k, k])
    angles[:, j] = angle_of(-sign * matrices[:, k, i], level)
    angles[:, k] = angle_of(sign * matrices[:, j, i], matrices[:, i, i])
    locked = level < LOCKED
    if not locked.any():
        return _nearest_sets(angles, j, np.array(start, dtype=np.float64))
    before = [float(angle) for angle in start]
    for frame, found in enumerate(angles.tolist()):
        if locked[frame]:
            found = _locked_angles(matrices[frame], (i, j, k), sign, found[j], before)
        before = _nearest_set(found, j, before)
        angles[frame] = before
    return angles


def _locked_angles(matrix, axes, sign: float, middle: float, before: list[float]) -> list[float]:
    """Return angles in gimbal lock: the last angle stays as it was, and the first one takes up the rotation."""
    i, j, k = axes
    c, s = cos_sin(before[k])
    # Undo the rotation by the last angle. The middle row of the remaining matrix contains the first angle.
    row = [-sign * s * matrix[i, n] + c * matrix[j, n] for n in range(3)]
    found = [0.0, 0.0, 0.0]
    found[i], found[j], found[k] = atan2(-sign * row[k], row[j]), middle, before[k]
    return found


def _nearest_sets(angles: np.ndarray, middle: int, start: np.ndarray) -> np.ndarray:
    """Return the result of `_nearest_set` for all frames at once.

    With the sets A and B of a frame, and A' and B' of the frame before, |A - A'| = |B - B'| and |A - B'| = |B - A'|. So
    whether to change between A and B depends on these two frames only, and the changes add up as an exclusive or.
    """
    other = _other_set(angles, middle)
    before = np.vstack([start, angles[:-1]])
    changes = _distance(other, before) < _distance(angles, before)
    chosen = np.where(np.logical_xor.accumulate(changes)[:, None], other, angles)
    return np.unwrap(np.vstack([start, chosen]), axis=0)[1:]


def _distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return distances between sets of angles without whole turns [rad], shape (F,)."""
    gap = a - b
    return np.abs(gap - math.tau * np.round(gap / math.tau)).sum(axis=1)


def _other_set(angles: np.ndarray, middle: int) -> np.ndarray:
    other = angles + math.pi
    other[..., middle] = math.pi - angles[..., middle]
    return other


def _nearest_set(found: list[float], middle: int, before: list[float]) -> list[float]:
    candidates = [
        [_nearest_turn(angle, last) for angle, last in zip(angles, before, strict=True)]
        for angles in (found, _other_set(np.array(found), middle).tolist())
    ]
    return min(candidates, key=lambda angles: sum(abs(a - b) for a, b in zip(angles, before, strict=True)))


def _nearest_turn(angle: float, before: float) -> float:
    return angle + math.tau * round((before - angle) / math.tau)
