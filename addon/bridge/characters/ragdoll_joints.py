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
from ....core.spatial import IDENTITY, Pose, Vec3, compose, inverse, rotvec_of_quat, rpy_of_quat
from ....core.spatial.arrays import matmul
from ...nodes import Node, model_name, owner_of
from ...props.settings import joint_settings
from ..joints.bone_joints import limit_turn_of
from ..joints.motion_ranges import MotionRange
from ..joints.read_joints import read_joint
from ..posing.link_poses import live_pose
from ..scene.write import store_joint
from ..values.numbers import scaled_pose, unit_length
from .ragdoll_plans import RagdollPart, RagdollPlan

ROOM = math.radians(1.0)
"""Distance of a widened limit from the pose for which it was widened [rad]."""


def joint_for(name: str, plan: RagdollPlan) -> PartJoint:
    """Return the joint of a part of a ragdoll with the one above it."""
    part, axes = plan.parts[name], plan.anatomy.axes
    above = plan.parts[part.above] if part.above is not None else None
    return joint_of_part(part.place, _limb(part, above), axes, _sharing(part, plan))


def _limb(part: RagdollPart, above: RagdollPart | None) -> Limb:
    x, y, z = map(_vector, part.rest[:3, :3].T)
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
    motion.add_pose(_present_displacement(bone, joint, scene))
    axes, notes = _widened(joint, motion)
    if notes:
        store_joint(replace(joint, axes=axes), bone, scene)
    return [f"'{model_name(bone)}': {note}" for note in notes]


def _present_displacement(bone: Node, joint: Joint, scene: bpy.types.Scene) -> Pose:
    """Return the pose of the joint's child-side frame in its parent-side frame, as the links are now [m, rad]."""
    unit, settings = unit_length(scene), joint_settings(bone)
    X_WP, X_WC = (
        scaled_pose(live_pose(link), unit) if link else IDENTITY for link in (settings.parent_node, settings.child_node)
    )
    X_PJ, X_CJ = joint.X_PJ, joint.X_CJ
    return compose(inverse(compose(X_WP, X_PJ)), compose(X_WC, X_CJ))


def _widened(joint: Joint, motion: MotionRange) -> tuple[list[Axis], list[str]]:
    """Return the axes with limits that contain a motion, and sentences about those that were widened."""
    axes, notes = list(joint.axes), []
    for number, lowest in motion.lowest.items():
        axis, slot = joint.axes[number], joint.kind.slot(number)
        word = slot.name or "angle"
        if motion.highest[number] > axis.upper:
            axes[number] = replace(axes[number], upper=motion.highest[number] + ROOM)
            notes.append(_widening(word, "upper", axis.upper, axes[number].upper))
        if "lower" in slot.fields and lowest < axis.lower:
            axes[number] = replace(axes[number], lower=lowest - ROOM)
            notes.append(_widening(word, "lower", axis.lower, axes[number].lower))
    return axes, notes


def _widening(word: str, which: str, before: float, after: float) -> str:
    return (
        f"the {which} limit of its {word} is {math.degrees(after):.0f}° in place of {math.degrees(before):.0f}°, since "
        "its pose lies beyond"
    )


def store_muscles(name: str, plan: RagdollPlan, rods: Mapping[str, Rod], scene: bpy.types.Scene) -> None:
    """Store the drives of a part's joint, which pull to its present pose, and its damping.

    Args:
        rods: the parts at rest, by name; in the armature's axes [m].
    """
    part = plan.parts[name]
    bone = part.bone
    joint = read_joint(bone, scene)
    moved = [rods[each] for each in plan.parts if _hangs_on(each, name, plan)]
    head = _vector(part.rest[:3, 3] * length_factor(owner_of(bone), scene))
    directions = _axis_directions(part, joint)
    found = muscles_about(moved, head, directions, PARTS[part.place.part].tone)
    motion = MotionRange(joint, np.array(joint.q_neutral))
    motion.add_pose(_present_displacement(bone, joint, scene))
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
        )
    store_joint(replace(joint, axes=axes), bone, scene)


def length_factor(armature: bpy.types.Object, scene: bpy.types.Scene) -> float:
    """Return the length of a unit of an armature in the world [m]: the mean of its three axes."""
    volume = abs(armature.matrix_world.to_3x3().determinant())
    return float(volume ** (1.0 / 3.0)) * unit_length(scene)


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
        return [*map(_vector, rotation.T)]
    return [_vector(matmul(rotation, np.array(joint.unit_direction(0))[:, None])[:, 0])]


def _vector(values: np.ndarray) -> Vec3:
    x, y, z = values.tolist()
    return x, y, z
