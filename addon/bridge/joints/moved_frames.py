# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of a joint whose Empty was moved, alone or together with its whole machine."""

from __future__ import annotations

import numpy as np

from ....core.kinematics import coordinates_at
from ....core.model import Joint
from ....core.model.screws import joint_pose
from ....core.spatial import IDENTITY, Pose, compose, inverse
from ...nodes import Node
from ..animation.motion_sources import has_own_motion
from ..posing.link_poses import are_same, world_scale
from ..values.numbers import scaled_pose
from .frames import child_in_parent, empty_frame, require_both_ends, stored_frames


def joint_frames(obj: Node, joint: Joint, unit: float) -> tuple[Pose, Pose]:
    """Return X_PJ and X_CJ [Blender units]. If the Empty was moved since they were stored, the joint has moved with it.

    If the child was moved along, as when a whole machine is moved, X_CJ stays the same. Otherwise the links keep their
    poses, and X_CJ changes so that the joint's coordinates stay the same.

    Args:
        joint: the joint's type and axes. unit: length of a Blender unit [m].

    Raises:
        ModelError: if the joint lacks a link or its frames, or if one of its links has scale 0.
    """
    require_both_ends(obj)
    X_PJ, X_CJ = stored_frames(obj)
    moved = empty_frame(obj)
    if has_own_motion(obj) or are_same(X_PJ, moved):
        return X_PJ, X_CJ
    X_PC = child_in_parent(obj)
    before, after = (compose(inverse(frame), compose(X_PC, X_CJ)) for frame in (X_PJ, moved))
    if are_same(after, IDENTITY):
        return moved, X_CJ
    if _allows(joint, after, unit) and (
        not _allows(joint, before, unit) or _was_scaled_at_home(obj, joint, before, after, unit)
    ):
        return moved, X_CJ
    return moved, compose(inverse(X_PC), moved if are_same(before, IDENTITY) else compose(moved, before))


def _was_scaled_at_home(obj: Node, joint: Joint, before: Pose, after: Pose, unit: float) -> bool:
    """Return whether a whole machine was scaled while its joint was at its initial pose, as after an import.

    The lengths in X_J, the pose between the frames, were scaled along then. Otherwise the Empty alone was moved or
    scaled along with the parent. Along the axis of a slide, the joint allows both.

    Args:
        before, after: X_J with the Empty where it was before, and with the Empty where it is now [Blender units].
    """
    scale = float(np.prod(np.abs(world_scale(obj)))) ** (1.0 / 3.0)  # an Empty that was not scaled has the scale 1
    return scale > 0.0 and _is_at_home(joint, after, unit / scale) and not _is_at_home(joint, before, unit)


def _is_at_home(joint: Joint, X_J: Pose, unit: float) -> bool:
    """Return whether X_J, the pose between a joint's frames [Blender units], is that of its initial pose."""
    return are_same(joint_pose(joint, joint.q_home), scaled_pose(X_J, unit))


def _allows(joint: Joint, X_J: Pose, unit: float) -> bool:
    """Return whether the joint has coordinates at which the pose between its frames is X_J [Blender units]."""
    wanted = scaled_pose(X_J, unit)
    return are_same(joint_pose(joint, coordinates_at(joint, wanted, np.array(joint.q_neutral)).tolist()), wanted)
