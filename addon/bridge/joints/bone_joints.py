# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of bones. They are stored on the bones themselves."""

from __future__ import annotations

import bpy

from ...props.settings import joint_settings

DEFAULT_TYPE = "ball"
"""Type of a new bone's joint: the one that allows what bones do, which is to rotate about their heads."""


def add_bone_joint(bone: bpy.types.PoseBone) -> None:
    """Make the bone the child of a joint with the nearest link above it, if it is no joint yet."""
    joint = joint_settings(bone)
    if joint.is_joint:
        return
    joint.to_world = False
    joint.is_joint, joint.type = True, DEFAULT_TYPE


def remove_bone_joint(bone: bpy.types.PoseBone) -> None:
    """Let the bone be no joint any more. Its settings are kept."""
    joint_settings(bone).is_joint = False
