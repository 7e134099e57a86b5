# SPDX-License-Identifier: GPL-3.0-or-later
"""Where links stand as drawn: the frames of joints, and what follows when they change."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..spatial import (
    IDENTITY,
    IDENTITY_QUAT,
    ZERO,
    Pose,
    Vec3,
    compose,
    inverse,
    norm,
    quat_normalized,
    quat_of_mat,
    quat_of_rotvec,
    sub,
)
from ..spatial.arrays import det, matmul
from .elements import WORLD, Joint
from .errors import ModelError
from .graph import Branch, Tree, spanning_tree
from .model import Model
from .screws import joint_pose

SAME_PLACE = 1e-12
"""Metres (per metre from the origin) and quaternion components within which two poses count as one."""
SAME_DRAWN = 1e-9
"""The same, for two ways from the world to a joint, over any number of links."""
PROPER = 1e-6
"""By how much a rotation that is handed in may miss being one."""
Z: Vec3 = (0.0, 0.0, 1.0)


def set_frames(model: Model, name: str, X_PJ: ArrayLike | None = None, X_CJ: ArrayLike | None = None) -> None:
    """Set a joint's frames in its links. The links that it carries move along in the drawn pose.

    Args:
        X_PJ, X_CJ: the joint's frame in the parent and in the child link [m], each a pose (x, y, z, qw, qx, qy, qz) or
            a 4 x 4 matrix. What is left out stays.

    Raises:
        ModelError: no such joint, something that is no pose, or joints that do not fit together.
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

    With the joint's coordinate q, the child stands in its parent at Rz(theta + q) Tz(d) Tx(a) Rx(alpha), or,
    `modified`, at Rx(alpha) Tx(a) Rz(theta + q) Tz(d); q of a joint that slides adds to d instead. What comes before
    the motion goes into X_PJ, what comes after it into X_CJ. What the joint carries moves along, as drawn.

    Sources: Spong, Hutchinson, Vidyasagar, Robot Modeling and Control (2006), equation 3.10; modified: Craig,
    Introduction to Robotics, 3rd ed. (2005), equation 3.6.

    Args:
        a, d: link length and offset [m]. alpha, theta: link twist and joint angle [rad].

    Raises:
        ModelError: no such joint, a number that is not finite, a joint that moves otherwise than along and about one
            axis, or joints that do not fit together.
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
    """From a pose or a 4 x 4 matrix [m].

    Raises:
        ModelError: it is neither, or its rotation is off by more than `PROPER`.
    """
    try:
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape not in ((7,), (4, 4)):
        raise ModelError(f"{subject} takes a pose (x, y, z, qw, qx, qy, qz) or a 4 x 4 matrix, found {value!r}")
    if not np.isfinite(found).all():
        raise ModelError(f"{subject} takes finite numbers, found {value!r}")
    if found.shape == (7,):
        x, y, z, *quat = found.tolist()
        if abs(math.hypot(*quat) - 1.0) > PROPER:
            raise ModelError(f"{subject}: the quaternion {quat} has length {math.hypot(*quat):.6g}; it must be 1")
        return (x, y, z, *quat_normalized(quat))
    R = found[:3, :3]
    if np.abs(found[3] - (0.0, 0.0, 0.0, 1.0)).max() > PROPER:
        raise ModelError(f"{subject}: the last row is {found[3].tolist()}; it must be 0 0 0 1")
    if np.abs(matmul(R.T, R) - np.eye(3)).max() > PROPER or det(R) < 0.0:
        raise ModelError(
            f"{subject}: the upper left 3 x 3 part is no rotation (determinant {det(R):.6g}); its columns "
            "must be unit vectors, at right angles, right-handed"
        )
    x, y, z = found[:3, 3].tolist()
    return (x, y, z, *quat_of_mat(tuple(R.ravel().tolist())))


def drawn(joint: Joint) -> Pose:
    """X_PC at q = 0: of the child link in the parent link [m]."""
    return compose(compose(joint.X_PJ, joint_pose(joint, joint.q_neutral)), inverse(joint.X_CJ))


def drawn_step(branch: Branch) -> Pose:
    """Of a branch's outer link in its inner one at q = 0 [m]."""
    return inverse(drawn(branch.joint)) if branch.backward else drawn(branch.joint)


def apart(joint: Joint, X_WP: Pose, X_WC: Pose) -> float:
    """How far a joint's two frames are from each other [m, or 1 in a quaternion], with its links at these poses."""
    gap = compose(inverse(compose(X_WP, joint.X_PJ)), compose(X_WC, joint.X_CJ))
    return max(norm(gap[:3]), norm(gap[4:]))


def is_drawn_apart(joint: Joint, X_WP: Pose, X_WC: Pose) -> bool:
    """Whether that is more than what rounding makes of links as drawn."""
    return apart(joint, X_WP, X_WC) > SAME_DRAWN * (1.0 + norm(X_WC[:3]))


def pose_of(model: Model, link: str) -> Pose:
    """X_WL as drawn [m]; "world" has one too.

    Raises:
        ModelError: no such link.
    """
    return IDENTITY if link == WORLD else model.link(link).pose


def settle(model: Model, joints: list[Joint], before: Tree, *changed: str) -> None:
    """Make `joints` those of the model, and put links where the joints that carry them put them at q = 0.

    It looks at what the joints `changed` carry, at links that another joint carries than did in the tree `before`, and
    at all that hangs on what has moved. A link that stands in its place but for rounding keeps its pose.

    Raises:
        ModelError: the joints do not fit together; nothing has changed then.
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
    """Set properties of a joint and move what it carries along, or raise and leave all as it was."""
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


def _same(X: Pose, Y: Pose) -> bool:
    apart = min(max(abs(x - s * y) for x, y in zip(X[3:], Y[3:], strict=True)) for s in (1.0, -1.0))
    return apart <= SAME_PLACE and norm(sub(X[:3], Y[:3])) <= SAME_PLACE * (1.0 + norm(X[:3]))


def _turned(axis: Vec3, angle: float) -> Pose:
    return ZERO + quat_of_rotvec((axis[0] * angle, axis[1] * angle, axis[2] * angle))


def _moved(by: Vec3) -> Pose:
    return by + IDENTITY_QUAT
