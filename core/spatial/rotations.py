# SPDX-License-Identifier: GPL-3.0-or-later
"""Quaternions and poses."""

from __future__ import annotations

import math

from ..compilation.jit import jitable
from .elementary import atan2, cos_sin
from .types import Pose, Quat, Vec3
from .vectors import add, dot, norm, rotate, scale, sub

SMALLEST_SQUARE = 1e-290
"""Square of the sine of an angle below which two directions are the same: smaller squares lose their digits."""


@jitable
def quat_mul(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@jitable
def quat_rate(q, w):
    """Return q w / 2, the rate of a quaternion q that rotates with angular velocity w in its own axes [rad/s]."""
    w, x, y, z = quat_mul(q, (0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]))
    return w, x, y, z


@jitable
def quat_normalized(q):
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * k, q[1] * k, q[2] * k, q[3] * k


@jitable
def quat_to_mat(q):
    w, x, y, z = q
    a, b, c = 2.0 * x, 2.0 * y, 2.0 * z
    return (
        1.0 - (y * b + z * c),
        x * b - w * c,
        x * c + w * b,
        x * b + w * c,
        1.0 - (x * a + z * c),
        y * c - w * a,
        x * c - w * b,
        y * c + w * a,
        1.0 - (x * a + y * b),
    )


@jitable
def quat_of_mat(R):
    """Return the unit quaternion of a rotation matrix, with w >= 0.

    The method is Shepperd's, which divides by the largest of the four components.
    """
    trace = R[0] + R[4] + R[8]
    if trace >= R[0] and trace >= R[4] and trace >= R[8]:
        q = (1.0 + trace, R[7] - R[5], R[2] - R[6], R[3] - R[1])
    elif R[0] >= R[4] and R[0] >= R[8]:
        q = (R[7] - R[5], 1.0 + R[0] - R[4] - R[8], R[1] + R[3], R[2] + R[6])
    elif R[4] >= R[8]:
        q = (R[2] - R[6], R[1] + R[3], 1.0 + R[4] - R[0] - R[8], R[5] + R[7])
    else:
        q = (R[3] - R[1], R[2] + R[6], R[5] + R[7], 1.0 + R[8] - R[0] - R[4])
    q = quat_normalized(q)
    if q[0] < 0.0:
        return -q[0], -q[1], -q[2], -q[3]
    return q


@jitable
def quat_of_rotvec(v):
    """Return the quaternion of the rotation by |v| [rad] about v."""
    angle = math.sqrt(dot(v, v))
    cosine, sine = cos_sin(0.5 * angle)
    k = 0.5 - angle * angle / 48.0 if angle < 1e-4 else sine / angle
    return cosine, k * v[0], k * v[1], k * v[2]


@jitable
def rotvec_of_quat(q):
    """Return the rotation vector [rad] of at most half a turn. It is the same for q and -q."""
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if sine < 1e-9:
        k = 2.0 / q[0]
    elif q[0] < 0.0:
        k = -2.0 * atan2(sine, -q[0]) / sine
    else:
        k = 2.0 * atan2(sine, q[0]) / sine
    return k * q[1], k * q[2], k * q[3]


def quat_angle(a: Quat, b: Quat) -> float:
    """Return the angle of the rotation from one unit quaternion to another [rad], exact for small ones too."""
    w, x, y, z = quat_mul((a[0], -a[1], -a[2], -a[3]), b)
    return 2.0 * atan2(math.sqrt(x * x + y * y + z * z), abs(w))


def pose_distance(X: Pose, Y: Pose) -> float:
    """Return the larger one of the distance [m] and the angle [rad] between two poses."""
    return max(norm(sub(X[:3], Y[:3])), quat_angle(X[3:], Y[3:]))


def quat_of_rpy(roll: float, pitch: float, yaw: float) -> Quat:
    """Return the quaternion of SDF's and URDF's angles [rad] about fixed axes.

    It is that of the rotation Rz(yaw) Ry(pitch) Rx(roll).
    """
    (cr, sr), (cp, sp), (cy, sy) = cos_sin(roll / 2), cos_sin(pitch / 2), cos_sin(yaw / 2)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def quat_of_z(direction: Vec3) -> Quat:
    """Return the smallest rotation that takes z to a direction of any length except 0. For -z it is about x."""
    x, y, z = scale(direction, 1.0 / math.sqrt(dot(direction, direction)))
    if x * x + y * y < SMALLEST_SQUARE:
        return (1.0, 0.0, 0.0, 0.0) if z > 0.0 else (0.0, 1.0, 0.0, 0.0)
    # Both forms are the same number; near -z the second one avoids cancellation.
    above_minus_z = 1.0 + z if z > 0.0 else (x * x + y * y) / (1.0 - z)
    return quat_normalized((above_minus_z, -y, x, 0.0))


def rpy_of_quat(q: Quat) -> Vec3:
    """Return the angles [rad] of `quat_of_rpy`. At pitch = ±90 degrees, where yaw and roll coincide, yaw is 0.

    Roll is computed after yaw has been removed, so that the angles reproduce q however close to ±90 degrees the pitch
    is.
    """
    R = quat_to_mat(q)
    level = math.sqrt(R[0] * R[0] + R[3] * R[3])
    yaw = atan2(R[3], R[0]) if level > 1e-12 else 0.0
    c, s = cos_sin(yaw)
    return atan2(s * R[2] - c * R[5], c * R[4] - s * R[1]), atan2(-R[6], level), yaw


def quat_rotate(q: Quat, v: Vec3) -> Vec3:
    return rotate(quat_to_mat(q), v)


def compose(X_AB: Pose, X_BC: Pose) -> Pose:
    """Return X_AC, the product of X_AB and X_BC."""
    return add(X_AB[:3], quat_rotate(X_AB[3:], X_BC[:3])) + quat_mul(X_AB[3:], X_BC[3:])


def inverse(X_AB: Pose) -> Pose:
    """Return X_BA, the inverse of X_AB."""
    turned = (X_AB[3], -X_AB[4], -X_AB[5], -X_AB[6])
    return scale(quat_rotate(turned, X_AB[:3]), -1.0) + turned
