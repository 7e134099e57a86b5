# SPDX-License-Identifier: GPL-3.0-or-later
"""Join links, and rebind joints at their Empties."""

import bpy
from bpy.props import EnumProperty

from ....core.model import ModelError
from ....core.model.text import counted
from ....core.spatial import IDENTITY
from ... import ids
from ...bridge.joints.joining import new_joint, rebind
from ...bridge.posing.link_poses import drawn_pose
from ...bridge.values.numbers import tidy_pose
from ...props import is_joint, is_link
from ...props.joint import type_items
from ..report import fail, in_object_mode, named, refuses_pose_mode, select_only, succeed
from ..selection import JOINED_BY_TAGGING, OnSelectedJoints, selected_pair
from .presets import preset_items, set_up

NO_PRESET = "NONE"


class LIMBERJACK_OT_joint_add(bpy.types.Operator):
    """Join the active link to the other selected link, or to the world if it is selected alone"""

    bl_idname = ids.OP_JOINT_ADD
    bl_label = "Add Joint"
    bl_options = {"REGISTER", "UNDO"}

    type: EnumProperty(
        name="Type", description="How the child may move relative to the parent", items=type_items(), default="revolute"
    )
    preset: EnumProperty(
        name="Preset",
        description="Preset whose type, limits and forces the joint gets",
        items=[(NO_PRESET, "None", "As the type says", 0), *preset_items()],
        default=NO_PRESET,
    )
    origin: EnumProperty(
        name="Place",
        description="Position of the joint; its axes are parallel to the world's",
        items=(
            ("CHILD", "Child's Origin", "Where the active link has its origin", 0),
            ("CURSOR", "3D Cursor", "Where the 3D cursor is", 1),
        ),
    )

    @classmethod
    def poll(cls, context):
        if refuses_pose_mode(cls, context, JOINED_BY_TAGGING) or not in_object_mode(cls, context):
            return False
        if not is_link(context.active_object) or not context.active_object.select_get():
            cls.poll_message_set("Select the parent link, then the child link; or the child alone for the world")
            return False
        return True

    def execute(self, context):
        try:
            child, parent = selected_pair(context)
            place = tidy_pose((*context.scene.cursor.location, *IDENTITY[3:]))
            X_WJ = place if self.origin == "CURSOR" else (*drawn_pose(child)[:3], *IDENTITY[3:])
            joint = new_joint(child, parent, self.type, X_WJ)
            notes = set_up([joint], self.preset, context.scene) if self.preset != NO_PRESET else []
        except ModelError as error:
            return fail(self, context, error)
        select_only(context, joint)
        return succeed(self, context, f"'{child.name}' is joined to {named(parent)} by '{joint.name}'", notes)


class LIMBERJACK_OT_joint_frames_from_empty(OnSelectedJoints, bpy.types.Operator):
    """Rebind the selected joints to the current places of their links, as their zero, at the place of the Empty"""

    bl_idname = ids.OP_JOINT_FRAMES
    bl_label = "Rebind at Current Pose"
    bl_options = {"REGISTER", "UNDO"}
    refusal_of_bones = "Joints of bones count from the rest pose: Pose > Apply > Apply Pose as Rest Pose moves it"

    def execute(self, context):
        joints = [obj for obj in context.selected_objects if is_joint(obj)]
        try:
            rebind(joints)
        except ModelError as error:
            return fail(self, context, error)
        return succeed(self, context, f"{counted(joints, 'joint')} rebound at the current pose")


CLASSES = (LIMBERJACK_OT_joint_add, LIMBERJACK_OT_joint_frames_from_empty)
