# SPDX-License-Identifier: GPL-3.0-or-later
"""Store the joints of a ragdoll: their limits, widened by the poses that a character has, and their muscles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import bpy
import numpy as np

from ....core.characters.body_parts import PARTS, Swing
from ....core.characters.joint_ranges import Limb, PartJoint, joint_of_part
from ....core.characters.muscles import Rod, muscles_about
from ....core.model import Axis, Joint
from ....core.spatial import Vec3, inverse, rotvec_of_quat, rpy_of_quat
from ....core.spatial.arrays import matvec
from ...nodes import Node, model_name
from ...props.settings import joint_settings
from ..joints.bone_joints import limit_turn_of
from ..joints.motion_ranges import MotionRange, present_displacement
from ..joints.read_joints import read_joint
from ..scene.write import store_joint
from ..values.numbers import unit_length
from .ragdoll_plans import RagdollPart, RagdollPlan
from .skeletons import vec3

ROOM = math.radians(1.0)
"""Distance of a widened limit from the pose for which it was widened [rad]."""


def joint_for(name: str, plan: RagdollPlan) -> PartJoint:
    """Return the joint of a part of a ragdoll with the one above it."""
    part, axes = plan.parts[name], plan.anatomy.axes
    above = plan.parts[part.above] if part.above is not None else None
    return joint_of_part(part.place, _limb(part, above), axes, _sharing(part, plan))


def _limb(part: RagdollPart, above: RagdollPart | None) -> Limb:
    x, y, z = map(vec3, part.rest[:3, :3].T)
    return Limb(part.direction, above.direction if above else None, (x, y, z))


def _sharing(part: RagdollPart, plan: RagdollPlan) -> int:
    """Return the number of joints that share the range of a part."""
    group = PARTS[part.place.part].group
    if not _is_shared(part):
        return 1
    return sum(1 for each in plan.parts.values() if PARTS[each.place.part].group == group and _is_shared(each))


def _is_shared(part: RagdollPart) -> bool:
    rule = PARTS[part.place.part].joint
    return isinstance(rule, Swing) and rule.is_shared


def store_part_joint(bone: Node, made: PartJoint, scene: bpy.types.Scene) -> list[str]:
    """Store the type, the axes and the turn of a bone's joint, with limits that contain its rest pose and present pose.

    Returns:
        Messages about limits that were widened.
    """
    settings = joint_settings(bone)
    settings.limit_turn = rpy_of_quat(made.turn)
    joint = replace(read_joint(bone, scene), type=made.type, axes=list(made.axes), home=())
    store_joint(joint, bone, scene)
    joint = read_joint(bone, scene)
    motion = MotionRange(joint, np.array(joint.q_neutral))
    motion.add_pose(inverse((0.0, 0.0, 0.0, *limit_turn_of(bone))))
    motion.add_pose(present_displacement(bone, joint, unit_length(scene)))
    return _store_widened(bone, joint, motion, "its pose", scene)


def widen_to_present_pose(bone: Node, scene: bpy.types.Scene) -> list[str]:
    """Widen the limits of a bone's joint so that they contain its pose at the frame that the scene shows.

    Returns:
        Messages about limits that were widened.
    """
    joint = read_joint(bone, scene)
    motion = MotionRange(joint, np.array(joint.q_neutral))
    motion.add_pose(present_displacement(bone, joint, unit_length(scene)))
    return _store_widened(bone, joint, motion, f"its pose at frame {scene.frame_current}", scene)


def _store_widened(bone: Node, joint: Joint, motion: MotionRange, pose: str, scene: bpy.types.Scene) -> list[str]:
    """Store a joint with limits that contain a motion. Return messages about those that were widened.

    Args:
        pose: the words for the pose in the messages.
    """
    axes, notes = _widened(joint, motion, pose)
    if notes:
        store_joint(replace(joint, axes=axes), bone, scene)
    return [f"'{model_name(bone)}': {note}" for note in notes]


def _widened(joint: Joint, motion: MotionRange, pose: str) -> tuple[list[Axis], list[str]]:
    """Return the axes with limits that contain a motion, and sentences about those that were widened."""
    axes, notes = list(joint.axes), []
    for number, lowest in motion.lowest.items():
        axis, slot = joint.axes[number], joint.kind.slot(number)
        word = slot.name or "angle"
        if motion.highest[number] > axis.upper:
            axes[number] = replace(axes[number], upper=motion.highest[number] + ROOM)
            notes.append(_widening(word, "upper", axis.upper, axes[number].upper, pose))
        if "lower" in slot.fields and lowest < axis.lower:
            axes[number] = replace(axes[number], lower=lowest - ROOM)
            notes.append(_widening(word, "lower", axis.lower, axes[number].lower, pose))
    return axes, notes


def _widening(word: str, which: str, before: float, after: float, pose: str) -> str:
    return (
        f"the {which} limit of its {word} is {math.degrees(after):.0f}° in place of {math.degrees(before):.0f}°, since "
        f"{pose} lies beyond"
    )


def store_muscles(name: str, plan: RagdollPlan, rods: Mapping[str, Rod], scene: bpy.types.Scene) -> None:
    """Store the drives of a part's joint, which pull to its present pose, its damping and its friction.

    Args:
        rods: the parts at rest, by name; in the armature's axes [m].
    """
    part = plan.parts[name]
    bone = part.bone
    joint = read_joint(bone, scene)
    moved = [rods[each] for each in plan.parts if _hangs_on(each, name, plan)]
    directions = _axis_directions(part, joint)
    found = muscles_about(moved, vec3(part.head(scene)), directions, PARTS[part.place.part].tone)
    motion = MotionRange(joint, np.array(joint.q_neutral))
    motion.add_pose(present_displacement(bone, joint, unit_length(scene)))
    targets = rotvec_of_quat(tuple(motion.q.tolist())) if joint.kind.chart else tuple(motion.q.tolist())
    axes = list(joint.axes)
    for number, muscles in enumerate(found):
        axes[number] = replace(
            axes[number],
            drive_mode="position",
            drive_stiffness=muscles.stiffness,
            drive_damping=muscles.drive_damping,
            drive_target=targets[number],
            damping=muscles.damping,
            friction=muscles.friction,
        )
    store_joint(replace(joint, axes=axes), bone, scene)


def _hangs_on(name: str, other: str, plan: RagdollPlan) -> bool:
    """Return whether a part is another one or hangs on it."""
    above: str | None = name
    while above is not None and above != other:
        above = plan.parts[above].above
    return above is not None


def _axis_directions(part: RagdollPart, joint: Joint) -> list[Vec3]:
    """Return the directions of a ball's or a hinge's rotations at rest, in the axes of the armature."""
    rotation = part.rest[:3, :3]
    if joint.kind.chart:
        return [*map(vec3, rotation.T)]
    return [vec3(matvec(rotation, np.array(joint.unit_direction(0))))]
