# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of links as drawn: the frames of joints, and the links that move when these change."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...spatial import (
    IDENTITY,
    IDENTITY_QUAT,
    ZERO,
    Pose,
    Vec3,
    compose,
    inverse,
    norm,
    quat_of_rotvec,
    quat_of_z,
    scale,
    sub,
)
from ...spatial.poses import checked_pose
from ..elements import WORLD, Joint
from ..errors import ModelError
from ..graph import Branch, Tree, spanning_tree
from ..model import Model
from ..screws import joint_pose

SAME_PLACE = 1e-12
"""Largest difference between two poses that count as equal.

In quaternion components, and in metres per (1 m + distance from the origin).
"""
SAME_DRAWN = 1e-9
"""Tolerance for the two frames of a joint in the drawn pose, as `SAME_PLACE`. Rounding adds up over many links."""
Z: Vec3 = (0.0, 0.0, 1.0)


def set_frames(model: Model, name: str, X_PJ: ArrayLike | None = None, X_CJ: ArrayLike | None = None) -> None:
    """Set a joint's frames in its links. The links that it carries move with them in the drawn pose.

    Args:
        X_PJ, X_CJ: the joint's frame in the parent and in the child link [m], each a pose (x, y, z, qw, qx, qy, qz) or
            a 4 x 4 matrix. None leaves a frame unchanged.

    Raises:
        ModelError: if there is no such joint, if an argument is not a pose, or if joints do not fit together.
    """
    joint = model.joint(name)
    frames = {
        side: as_pose(X, f"joint '{name}': {side}") for side, X in (("X_PJ", X_PJ), ("X_CJ", X_CJ)) if X is not None
    }
    _give(model, joint, **frames)


def set_dh(
    model: Model, name: str, a: float, alpha: float, d: float, theta: float = 0.0, modified: bool = False
) -> None:
    """Set a joint's frames and its axis, z, from a row of a Denavit-Hartenberg table.

    With the joint's coordinate q, the pose of the child in its parent is Rz(theta + q) Tz(d) Tx(a) Rx(alpha), or, if
    `modified`, Rx(alpha) Tx(a) Rz(theta + q) Tz(d). The coordinate of a joint that slides is added to d instead. The
    factors before the motion go into X_PJ, those after it into X_CJ. The links that the joint carries move with it in
    the drawn pose.

    Sources: Spong, Hutchinson, Vidyasagar, Robot Modeling and Control (2006), equation 3.10; modified: Craig,
    Introduction to Robotics, 3rd ed. (2005), equation 3.6.

    Args:
        a, d: link length and offset [m]. alpha, theta: link twist and joint angle [rad].

    Raises:
        ModelError: if there is no such joint, if a number is not finite, if the joint has another motion than along and
            about one axis, or if joints do not fit together.
    """
    joint = model.joint(name)
    for what, value in (("a", a), ("alpha", alpha), ("d", d), ("theta", theta)):
        if not math.isfinite(value):
            raise ModelError(f"joint '{name}': {what} is {value}; it takes a finite number")
    pointed = [number for number in range(joint.axis_count) if joint.kind.slot(number).is_pointed]
    axes = [replace(axis, xyz=Z, point=ZERO) if i in pointed else axis for i, axis in enumerate(joint.axes)]
    along_z = replace(joint, axes=axes)
    aside = any(along_z.direction(column.axis) != Z for column in along_z.all_columns)
    if joint.kind.chart or aside or len(pointed) > 1:
        raise ModelError(
            f"joint '{name}' ({joint.type}) has more than the one axis of a Denavit-Hartenberg row; give it frames by "
            "set_frames, or another type by replace_joint"
        )
    turn, offset = _turned(Z, theta), _moved((0.0, 0.0, d))
    arm = compose(_moved((a, 0.0, 0.0)), _turned((1.0, 0.0, 0.0), alpha))  # Tx and Rx commute
    X_PJ, X_JC = (compose(arm, turn), offset) if modified else (turn, compose(offset, arm))
    _give(model, joint, axes=along_z.axes, X_PJ=X_PJ, X_CJ=inverse(X_JC))


def as_pose(value: ArrayLike, subject: str) -> Pose:
    """Return a pose from an array of shape (7,) or (4, 4) [m].

    Args:
        subject: the pose, as messages name it.

    Raises:
        ModelError: if `value` has another shape, or if its rotation is none.
    """
    try:
        return checked_pose(value, subject)
    except ValueError as error:
        raise ModelError(str(error)) from None


def frame_at(subject: str, point: ArrayLike | None, axis: ArrayLike | None) -> Pose:
    """Return a frame in the world at a point [m], with z along an axis, or parallel to the world's axes without one.

    Args:
        subject: the owner of the frame, as messages name it.

    Raises:
        ModelError: if there is no point, if one of both is not three finite numbers, or if the axis is 0 0 0.
    """
    if point is None:
        raise ModelError(f"{subject} has an axis in the world, but no point on it; give point=(x, y, z), too")
    place = _vector(f"{subject}: point", point)
    if axis is None:
        return place + IDENTITY_QUAT
    direction = _vector(f"{subject}: axis", axis)
    length = norm(direction)
    if not length > 0.0:
        raise ModelError(f"{subject}: axis is 0 0 0; give it a direction")
    return place + quat_of_z(scale(direction, 1.0 / length))


def is_along_z(direction: Vec3) -> bool:
    """Return whether a vector has the direction of z."""
    x, y, z = direction
    return x == y == 0.0 and z > 0.0


def drawn(joint: Joint) -> Pose:
    """Return X_PC at q = 0: the pose of the child link in the parent link [m]."""
    return compose(compose(joint.X_PJ, joint_pose(joint, joint.q_neutral)), inverse(joint.X_CJ))


def drawn_step(branch: Branch) -> Pose:
    """Return the pose of a branch's outer link in its inner link at q = 0 [m]."""
    return inverse(drawn(branch.joint)) if branch.backward else drawn(branch.joint)


def apart(joint: Joint, X_WP: Pose, X_WC: Pose) -> float:
    """Return the difference between a joint's two frames, with its links at these poses.

    It is the larger one of the distance [m] and the length of the vector part of the quaternion between them.
    """
    gap = compose(inverse(compose(X_WP, joint.X_PJ)), compose(X_WC, joint.X_CJ))
    return max(norm(gap[:3]), norm(gap[4:]))


def is_drawn_apart(joint: Joint, X_WP: Pose, X_WC: Pose) -> bool:
    """Return whether a joint's two frames differ by more than rounding explains, with its links at these poses."""
    return apart(joint, X_WP, X_WC) > SAME_DRAWN * (1.0 + norm(X_WC[:3]))


def pose_of(model: Model, link: str) -> Pose:
    """Return X_WL as drawn [m]; the identity for "world".

    Raises:
        ModelError: if there is no such link.
    """
    return IDENTITY if link == WORLD else model.link(link).pose


def settle(model: Model, joints: list[Joint], before: Tree, *changed: str) -> None:
    """Make `joints` the joints of the model, and move links to the poses that these joints give them at q = 0.

    The function considers links that the joints `changed` carry, links that another joint carries than in the tree
    `before`, and all that these links carry if they move. A link whose pose differs by rounding only keeps its pose.

    Raises:
        ModelError: if the joints do not fit together. The model is unchanged then.
    """
    links = {link.name: link for link in model.links}
    carried_by = {branch.outer: branch.joint.name for branch in before.branches}
    moved: dict[str, Pose] = {}
    for branch in spanning_tree(model.links, joints).branches:
        link, joint = links[branch.outer], branch.joint.name
        if branch.inner in moved or joint in changed or carried_by.get(link.name) != joint:
            inner = links[branch.inner].pose if branch.inner in links else IDENTITY
            pose = compose(moved.get(branch.inner, inner), drawn_step(branch))
            if not _same(pose, link.pose):
                moved[link.name] = pose
    model.joints = joints
    for name, pose in moved.items():
        links[name].pose = pose


def _give(model: Model, joint: Joint, **properties: Any) -> None:
    """Set properties of a joint and move the links that it carries.

    If that fails, raise the error and restore the joint.
    """
    before = model.tree()
    old = {name: getattr(joint, name) for name in properties}
    try:
        for name, value in properties.items():
            setattr(joint, name, value)
        settle(model, model.joints, before, joint.name)
    except Exception:
        for name, value in old.items():
            setattr(joint, name, value)
        raise


def _vector(subject: str, value: ArrayLike) -> Vec3:
    try:
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise ModelError(f"{subject} takes three finite numbers, found {value!r}")
    x, y, z = found.tolist()
    return x, y, z


def _same(X: Pose, Y: Pose) -> bool:
    apart = min(max(abs(x - s * y) for x, y in zip(X[3:], Y[3:], strict=True)) for s in (1.0, -1.0))
    return apart <= SAME_PLACE and norm(sub(X[:3], Y[:3])) <= SAME_PLACE * (1.0 + norm(X[:3]))


def _turned(axis: Vec3, angle: float) -> Pose:
    return ZERO + quat_of_rotvec((axis[0] * angle, axis[1] * angle, axis[2] * angle))


def _moved(by: Vec3) -> Pose:
    return by + IDENTITY_QUAT
