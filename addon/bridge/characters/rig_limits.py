# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of joints that a rig already has: limits for inverse kinematics, and the range of its animation."""

from __future__ import annotations

import math

import bpy

from ....core.characters.joint_ranges import PartJoint
from ....core.model import Axis
from ....core.spatial import quat_of_rpy
from ...nodes import Node
from ..joints.motion_ranges import joints_with_limits, recorded_motions
from ..joints.read_joints import read_joint
from ..scene.write import store_joint
from .ragdoll_plans import RagdollPart

HALF_TURN = math.pi
"""Half of the range of an angle without limits [rad]."""

MARGIN = 0.1
"""Distance of limits from the range of an animation, relative to its length."""

DIRECTIONS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def joint_by_ik_limits(part: RagdollPart) -> PartJoint | None:
    """Return the joint that the limits for inverse kinematics give a bone; None if it has none.

    A bone that turns about one axis only, across it, gets a hinge, any other one a ball: the twist has the range about
    the bone, and the cone the larger of the two others, about their middle.
    """
    pose = part.bone
    locked = [getattr(pose, f"lock_ik_{axis}") for axis in "xyz"]
    limited = [getattr(pose, f"use_ik_limit_{axis}") for axis in "xyz"]
    if not any((*locked, *limited)):
        return None
    ranges = [
        (0.0, 0.0)
        if locked[number]
        else (getattr(pose, f"ik_min_{axis}"), getattr(pose, f"ik_max_{axis}"))
        if limited[number]
        else (-HALF_TURN, HALF_TURN)
        for number, axis in enumerate("xyz")
    ]
    moving = [number for number, (low, high) in enumerate(ranges) if low < high]
    if len(moving) == 1 and moving[0] != 1:
        low, high = ranges[moving[0]]
        return PartJoint("revolute", [Axis(xyz=DIRECTIONS[moving[0]], lower=low, upper=high)])
    (low_x, high_x), (low_y, high_y), (low_z, high_z) = ranges
    turn = quat_of_rpy(0.5 * (low_x + high_x), 0.0, 0.5 * (low_z + high_z))
    cone = 0.5 * max(high_x - low_x, high_z - low_z)
    limits = [Axis(xyz=DIRECTIONS[1], upper=cone), Axis(lower=low_y, upper=high_y)]
    return PartJoint("ball", [Axis(), Axis(), Axis(), *limits], turn)


def limit_to_animation(bones: list[Node], scene: bpy.types.Scene) -> int:
    """Limit the joints of bones to the range of their animation over the scene's frames, with a margin.

    Joints that the animation does not move keep their limits. Return the number of joints that were limited.
    """
    joints = {bone: read_joint(bone, scene) for bone in bones}
    if not joints:
        return 0
    count = 0
    for bone, motion in recorded_motions(joints_with_limits(joints), scene).items():
        if any(motion.moves(number) for number in motion.lowest):
            store_joint(motion.with_limits(MARGIN), bone, scene)
            count += 1
    return count
