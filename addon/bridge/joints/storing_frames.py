# SPDX-License-Identifier: GPL-3.0-or-later
"""Store the frames of joints whose Empties were moved."""

import bpy

from ....core.model import ModelError
from ...nodes import Node, joins_itself
from ...props.settings import joint_settings
from ..animation.motion_sources import has_own_motion
from ..values.numbers import scaled_pose, unit_length
from .frames import store_frames, was_moved_since_stored
from .read_joints import read_joint


def store_moved_frames(scene: bpy.types.Scene) -> None:
    """Store the frames of joints whose Empties were moved."""
    for obj in scene.objects:
        joint = joint_settings(obj)
        if not joint.is_joint or not joint.X_PJ or has_own_motion(obj):
            continue
        try:
            if was_moved_since_stored(obj):
                store_joint_frames(obj, scene)
        except ModelError:
            continue  # reported as a problem when the scene is read


def store_joint_frames(obj: Node, scene: bpy.types.Scene) -> None:
    """Store the frames of a joint at its Empty. The joint of a bone stores none, so nothing is done.

    Raises:
        ModelError: if the joint cannot be used as it is.
    """
    if joins_itself(obj):
        return
    unit = unit_length(scene)
    found = read_joint(obj, scene)
    store_frames(obj, scaled_pose(found.X_PJ, 1.0 / unit), scaled_pose(found.X_CJ, 1.0 / unit))
