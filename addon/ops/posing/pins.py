# SPDX-License-Identifier: GPL-3.0-or-later
"""Pin links and lock joints, so that posing does not change them."""

import bpy
from bpy.props import EnumProperty, StringProperty

from ....core.model.text import counted
from ... import ids
from ...nodes import Node, model_name, owner_of
from ...nodes.naming import node_named
from ...props import is_joint, is_link
from ...props.chosen import meant_nodes
from ...props.members import has_joints, has_links, joints_in, links_in
from ...props.settings import joint_settings, link_settings
from ..report import fail, in_object_or_pose_mode, succeed
from ..selection import OnLinks, OnSelectedJoints


def _wanted(operator, context) -> list[Node]:
    """Return the link that is named, or all selected objects or bones."""
    named = node_named(context.scene, operator.object)
    return [named] if named else meant_nodes(context)


def _from_library(objects: list[Node]) -> str:
    """Return a message if one of the objects comes from a library and cannot be changed; empty otherwise."""
    return next(
        (
            f"'{model_name(obj)}' comes from a library: make it local"
            for obj in objects
            if not owner_of(obj).is_editable
        ),
        "",
    )


def _one_object():
    return StringProperty(
        name="Object", description="The one to change; empty for all selected ones", options={"SKIP_SAVE", "HIDDEN"}
    )


class LIMBERJACK_OT_link_pin(OnLinks, bpy.types.Operator):
    """Pin the selected links for posing; use it again to unpin them"""

    bl_idname = ids.OP_LINK_PIN
    bl_label = "Pin"
    bl_options = {"REGISTER", "UNDO"}

    pin: EnumProperty(
        name="Pin",
        description="What stays of the links",
        items=(
            ("PLACE", "Place", "Their origins stay in place; the links can turn", 1),
            ("POSE", "Pose", "They stay as they stand", 2),
        ),
        default="POSE",
    )
    object: _one_object()

    def execute(self, context):
        chosen = [obj for obj in _wanted(self, context) if is_link(obj)]
        if not chosen:
            return fail(self, context, "No link is selected: select the links to be pinned")
        if linked := _from_library(chosen):
            return fail(self, context, linked)
        links = [link_settings(obj) for obj in chosen]
        is_letting_go = all(link.pin == self.pin for link in links)
        for link in links:
            link.pin = "NONE" if is_letting_go else self.pin
        return succeed(self, context, f"{counted(links, 'link')} {'unpinned' if is_letting_go else 'pinned'}")


class LIMBERJACK_OT_joint_hold(OnSelectedJoints, bpy.types.Operator):
    """Lock the selected joints for posing; use it again to unlock them"""

    bl_idname = ids.OP_JOINT_HOLD
    bl_label = "Lock for Posing"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        chosen = [obj for obj in meant_nodes(context) if is_joint(obj)]
        if linked := _from_library(chosen):
            return fail(self, context, linked)
        joints = [joint_settings(obj) for obj in chosen]
        is_releasing = all(joint.is_held for joint in joints)
        for joint in joints:
            joint.is_held = not is_releasing
        return succeed(
            self, context, f"{counted(joints, 'joint')} {'unlocked' if is_releasing else 'locked for posing'}"
        )


class LIMBERJACK_OT_release_all(bpy.types.Operator):
    """Unpin all links and unlock all joints of the scene"""

    bl_idname = ids.OP_RELEASE_ALL
    bl_label = "Release All"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not has_links(context.scene) and not has_joints(context.scene):
            cls.poll_message_set("There are no links and no joints")
            return False
        return in_object_or_pose_mode(cls, context)

    def execute(self, context):
        links = [obj for obj in links_in(context.scene) if link_settings(obj).pin != "NONE"]
        joints = [obj for obj in joints_in(context.scene) if joint_settings(obj).is_held]
        for obj in links:
            link_settings(obj).pin = "NONE"
        for obj in joints:
            joint_settings(obj).is_held = False
        return succeed(self, context, f"{counted(links, 'link')} unpinned, {counted(joints, 'joint')} unlocked")


CLASSES = (LIMBERJACK_OT_link_pin, LIMBERJACK_OT_joint_hold, LIMBERJACK_OT_release_all)
