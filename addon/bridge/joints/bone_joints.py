# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of bones. They are stored on the bones themselves, and their frames follow from the armature.

If the parent is a bone of the same armature, coordinates count from the rest pose, turned by `limit_turn`. So limits
and springs stay where they are while the bone is posed, and they follow an edit of the armature. The joint of a bone
with another parent counts from the pose in which the bone was drawn, since its armature may be placed anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from ....core.kinematics import coordinates_at
from ....core.model import Joint
from ....core.model.screws import joint_pose
from ....core.spatial import IDENTITY, IDENTITY_QUAT, ZERO, Pose, Quat, compose, inverse, quat_of_rpy
from ....core.spatial.arrays import inverse as inverse_matrix
from ....core.spatial.arrays import matmul
from ...nodes import Node, has_location, is_part, owner_of
from ...props import axes_in_use, kind_of
from ...props.settings import joint_settings
from ..posing.link_poses import are_same, pose_of_matrix, world_scale
from ..values.numbers import scaled_pose, shortest_vec3, tidy_pose
from .frames import UNSCALED, child_in_parent, require_both_ends

DEFAULT_TYPE = "ball"
"""Type of a new bone's joint: the one that allows what bones do, which is to rotate about their heads."""


ALONG_BONE = (0.0, 1.0, 0.0)
"""Direction of a new ball's cone in the axes of its bone: a limb swings about the direction in which it was drawn."""


class BoneFrames(NamedTuple):
    """The frames of a bone's joint.

    Attributes:
        X_PJ, X_CJ: [Blender units].
        home: initial values in the pose in which the bone was drawn, in the form of `Joint.home`; empty if they are the
            neutral ones.
    """

    X_PJ: Pose
    X_CJ: Pose
    home: tuple[float, ...]


def add_bone_joint(bone: bpy.types.PoseBone) -> None:
    """Make the bone the child of a joint with the nearest link above it, if it is no joint yet."""
    joint = joint_settings(bone)
    if joint.is_joint:
        return
    joint.to_world = False
    joint.is_joint, joint.type = True, DEFAULT_TYPE
    kind = kind_of(joint)
    for number, axis in enumerate(axes_in_use(joint)):
        if kind.slot(number).is_pointed:
            axis.xyz = ALONG_BONE


def remove_bone_joint(bone: bpy.types.PoseBone) -> None:
    """Let the bone be no joint any more. Its settings are kept."""
    joint_settings(bone).is_joint = False


def frames_of_bone(bone: bpy.types.PoseBone, joint: Joint, unit: float) -> BoneFrames:
    """Return the frames of a bone's joint, at which its links keep the poses in which they were drawn.

    If the joint does not allow the drawn pose, X_CJ contains the rest of the way from the nearest pose that it allows.
    For a connected bone, it has no translation: keys cannot part it from its parent, as rigs do that stretch limbs.

    Args:
        joint: the joint's type and axes. unit: length of a Blender unit [m].

    Raises:
        ModelError: if the joint lacks a link, or if one of its links has scale 0.
    """
    require_both_ends(bone)
    X_PC = child_in_parent(bone)
    X_PJ = compose(_rest_in_parent(bone) or X_PC, (*ZERO, *limit_turn_of(bone)))
    if are_same(X_PC, X_PJ):
        return BoneFrames(X_PC, IDENTITY, ())
    q = coordinates_at(joint, scaled_pose(compose(inverse(X_PJ), X_PC), unit), np.array(joint.q_neutral))
    reached = compose(X_PJ, scaled_pose(joint_pose(joint, q.tolist()), 1.0 / unit))
    X_CJ = compose(inverse(X_PC), reached)
    if not has_location(bone):
        X_CJ = (*ZERO, *X_CJ[3:])
    return BoneFrames(X_PJ, IDENTITY if are_same(X_CJ, IDENTITY) else X_CJ, _with_locked_axes(joint, q))


def limit_turn_of(bone: Node) -> Quat:
    """Return the rotation of the frame of a bone's joint from the bone at rest."""
    angles = shortest_vec3(joint_settings(bone).limit_turn)
    return quat_of_rpy(*angles) if any(angles) else IDENTITY_QUAT


def _with_locked_axes(joint: Joint, q: np.ndarray) -> tuple[float, ...]:
    if joint.kind.chart:
        return tuple(q.tolist())
    values = iter(q.tolist())
    columns = zip(joint.all_columns, joint.home, strict=True)
    return tuple(locked if joint.is_locked(column.axis) else next(values) for column, locked in columns)


def _rest_in_parent(bone: bpy.types.PoseBone) -> Pose | None:
    """Return the pose of a bone at rest in the parent of its joint [Blender units].

    It is None if the parent is no bone of the same armature.
    """
    parent = joint_settings(bone).parent_node
    if parent is None or not is_part(parent) or owner_of(parent) != owner_of(bone):
        return None
    rest = np.array(bone.bone.matrix_local, dtype=np.float64)
    carried = matmul(inverse_matrix(np.array(parent.bone.matrix_local, dtype=np.float64)), rest)
    return tidy_pose(pose_of_matrix(matmul(np.diag((*world_scale(parent), 1.0)), carried), UNSCALED))
