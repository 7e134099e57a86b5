# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cases of tests/peers share: models in few words, since each case is a model and some numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import limberjack as lj

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
"""The quaternion without a turn."""

HERE = (0.0, 0.0, 0.0, *UPRIGHT)
"""The pose of the origin [m]."""

X_AXIS, Y_AXIS, Z_AXIS = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0, quat: Sequence[float] = UPRIGHT) -> tuple[float, ...]:
    """Return a pose [m]."""
    return (x, y, z, *quat)


def rpy(roll: float, pitch: float, yaw: float) -> tuple[float, ...]:
    """Return the quaternion of Rz(yaw) Ry(pitch) Rx(roll), as SDFormat and URDF compose them [rad]."""
    cr, sr, cp, sp = math.cos(roll / 2), math.sin(roll / 2), math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def quat_mul(a: Sequence[float], b: Sequence[float]) -> tuple[float, ...]:
    """Return the product of two quaternions: b, then a."""
    w, x, y, z = a
    W, X, Y, Z = b
    return (
        w * W - x * X - y * Y - z * Z,
        w * X + x * W + y * Z - z * Y,
        w * Y - x * Z + y * W + z * X,
        w * Z + x * Y - y * X + z * W,
    )


def rotation(quat: Sequence[float]) -> np.ndarray:
    """Return the rotation matrix of a quaternion."""
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def point_at(pose: Sequence[float], point: Sequence[float]) -> np.ndarray:
    """Return where a point that is fixed in a frame with this pose is [m]."""
    return np.asarray(pose[:3]) + rotation(pose[3:]) @ np.asarray(point, float)


def compose(a: Sequence[float], b: Sequence[float]) -> tuple[float, ...]:
    """Return the pose X_AC of X_AB and X_BC."""
    return (*point_at(a, b[:3]), *quat_mul(a[3:], b[3:]))


def moments(x: float, y: float, z: float) -> tuple[float, ...]:
    """Return an inertia with these principal moments [kg m^2], in the order of `Link.inertia`."""
    return (x, 0.0, 0.0, y, 0.0, z)


def box_moments(mass: float, x: float, y: float, z: float) -> tuple[float, ...]:
    """Return the inertia of an even box with these edges [m]."""
    return moments(*(mass / 12 * each for each in (y * y + z * z, x * x + z * z, x * x + y * y)))


UNIT = moments(1.0, 1.0, 1.0)


def axis(xyz: Sequence[float] = Z_AXIS, **fields) -> lj.Axis:
    return lj.Axis(tuple(xyz), **fields)


def slide(xyz: Sequence[float], **fields) -> lj.Axis:
    """Return an axis of a custom joint that slides."""
    return lj.Axis(tuple(xyz), turn=0.0, slide=1.0, **fields)


def add_body(model, name, joint="free", parent="world", *, at=HERE, axes=None, child=None, **link) -> None:
    """Add a link, and a joint "to NAME" that carries it, whose frame is `at` in the parent and `child` in the link.

    A link on the world is drawn where its joint's frame is.
    """
    pose = {"pose": at} if joint == "free" else {}
    frames = {"X_PJ": at, **({"X_CJ": child} if child else {}), **({"axes": axes} if axes else {})}
    if joint == "free":
        lj.add_link(model, lj.Link(name, **link, **pose))
    else:
        lj.add_link(model, lj.Link(name, **link), lj.Joint(f"to {name}", joint, parent, name, **frames))


def add_floor(model, shape=None, **surface) -> None:
    """Add a half-space below z = 0, or a shape, that is fixed in the world."""
    top = lj.Shape("top", shape or lj.Plane(), surface=lj.Surface(**surface))
    lj.add_link(model, lj.Link("floor", collisions=[top]), lj.Joint("floor held", "fixed", "world", "floor"))


def solid(shape, pose=HERE, **surface) -> list:
    """Return a link's collisions: one shape."""
    return [lj.Shape("shape", shape, pose=pose, **({"surface": lj.Surface(**surface)} if surface else {}))]


def twist_at_end(model, trajectory, link: str) -> np.ndarray:
    """Return the velocity of a link's origin and its angular velocity in the last frame, in world axes, shape (6,)."""
    names = list(lj.compile_model(model).link_names)
    return lj.forward_kinematics(model, **trajectory.state(-1))[1][names.index(link)]


def wrench_of(trajectory, joint: str, frame: int = -1) -> np.ndarray:
    """Return the recorded wrench of a joint on its child, in world axes, force first, shape (6,)."""
    return trajectory.wrenches[frame, list(trajectory.wrench_names).index(joint)]


def differs(a, b) -> float:
    """Return the largest difference of two arrays of one shape."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape
    return float(np.abs(a - b).max())


def pose_error(found: Sequence[float], expected: Sequence[float]) -> float:
    """Return the largest difference of two poses [m or 1], whichever sign the quaternions have."""
    a, b = np.asarray(found, float), np.asarray(expected, float)
    turn = min(np.abs(a[3:] - b[3:]).max(), np.abs(a[3:] + b[3:]).max())
    return float(max(np.abs(a[:3] - b[:3]).max(), turn))
