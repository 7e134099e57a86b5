# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of all joints: in the middle of their limits, and those that the scene stores by name."""

import bpy
from bpy.props import IntProperty, StringProperty

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...props.settings import scene_settings
from ..report import fail, succeed
from ..selection import OnJoints, selected_joints

NEAR = 1e-6
"""Distance from the middle of the limits that is not reported [rad or m]."""


class LIMBERJACK_OT_pose_mid_limits(OnJoints, bpy.types.Operator):
    """Bring the selected joints to the middle of their limits; all joints, if none is selected"""

    bl_idname = ids.OP_POSE_MIDDLE
    bl_label = "Mid-Limits"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            posing = bridge.posing.posing_cache.posing_of(context.scene)
            chosen = [
                name for name in selected_joints(context) or posing.movable_joints if name in posing.movable_joints
            ]
            wanted = bridge.posing.named_poses.middle_of_limits(posing, chosen)
            if not wanted:
                return fail(self, context, "None of these joints has two limits: give it some, or select another")
            posing.set_coordinates(wanted)
        except ModelError as error:
            return fail(self, context, error)
        short = [name for name, q in wanted.items() if _distance(posing.q_of(name), q) > NEAR]
        notes = [f"'{name}' is as near to its middle as its loop lets it be" for name in short]
        return succeed(self, context, f"{counted(wanted, 'joint')} put in the middle of the limits", notes)


def _distance(one, other) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


class LIMBERJACK_OT_pose_add(OnJoints, bpy.types.Operator):
    """Save the current positions of all joints as a pose"""

    bl_idname = ids.OP_POSE_ADD
    bl_label = "Add Pose"
    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty(name="Name", description="Name of the pose", default="Pose", options={"SKIP_SAVE"})

    def execute(self, context):
        settings = scene_settings(context.scene)
        try:
            values = bridge.posing.named_poses.joint_values_as_text(
                bridge.posing.posing_cache.posing_of(context.scene), context.scene
            )
        except ModelError as error:
            return fail(self, context, error)
        pose = settings.poses.add()
        pose.name = self.name or "Pose"
        bridge.posing.named_poses.store_pose(pose, values)
        settings.pose = len(settings.poses) - 1
        return succeed(self, context, f"Pose '{pose.name}' keeps {counted(pose.joints, 'joint')}")


class _OfPose(OnJoints):
    """An operator on a pose of the scene."""

    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty(name="Name", description="Name of the pose", options={"SKIP_SAVE"})
    index: IntProperty(
        name="Number",
        description="Number of the pose, counted from 0, where no name is given; -1 for the chosen one",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        if not scene_settings(context.scene).poses:
            cls.poll_message_set("There are no poses: add one first")
            return False
        return super().poll(context)

    def pose(self, context):
        return bridge.posing.named_poses.scene_pose(context.scene, self.name, self.index)


class LIMBERJACK_OT_pose_update(_OfPose, bpy.types.Operator):
    """Update the pose with the current positions of all joints"""

    bl_idname = ids.OP_POSE_UPDATE
    bl_label = "Update"

    def execute(self, context):
        try:
            pose = self.pose(context)
            bridge.posing.named_poses.store_pose(
                pose,
                bridge.posing.named_poses.joint_values_as_text(
                    bridge.posing.posing_cache.posing_of(context.scene), context.scene
                ),
            )
        except ModelError as error:
            return fail(self, context, error)
        return succeed(self, context, f"Pose '{pose.name}' keeps {counted(pose.joints, 'joint')}")


class LIMBERJACK_OT_pose_remove(_OfPose, bpy.types.Operator):
    """Remove the pose from the scene; no link moves"""

    bl_idname = ids.OP_POSE_REMOVE
    bl_label = "Remove Pose"

    def execute(self, context):
        settings = scene_settings(context.scene)
        try:
            name = self.pose(context).name
        except ModelError as error:
            return fail(self, context, error)
        settings.poses.remove(settings.poses.find(name))
        settings.pose = max(0, min(settings.pose, len(settings.poses) - 1))
        return succeed(self, context, f"Pose '{name}' is removed")


class LIMBERJACK_OT_pose_apply(_OfPose, bpy.types.Operator):
    """Move the joints to the pose. A machine with a floating base keeps its base where it is"""

    bl_idname = ids.OP_POSE_APPLY
    bl_label = "Apply"

    def execute(self, context):
        try:
            pose = self.pose(context)
            notes = bridge.posing.named_poses.apply_pose(
                pose, bridge.posing.posing_cache.posing_of(context.scene), context.scene
            )
        except ModelError as error:
            return fail(self, context, error)
        return succeed(self, context, f"The joints are in pose '{pose.name}'", notes)


CLASSES = (
    LIMBERJACK_OT_pose_mid_limits,
    LIMBERJACK_OT_pose_add,
    LIMBERJACK_OT_pose_update,
    LIMBERJACK_OT_pose_remove,
    LIMBERJACK_OT_pose_apply,
)
