# SPDX-License-Identifier: GPL-3.0-or-later
"""The links and joints that the user has selected."""

import bpy

from ...core.model import ModelError
from .. import bridge
from ..nodes import Node, is_selected, model_name
from ..props import is_joint, is_link
from ..props.members import has_joints, has_links, joints_in
from .report import in_object_mode, in_object_or_pose_mode


def selected_pair(context) -> tuple[Node, Node | None]:
    """Return the active link, which is the child, and the other selected link, the parent; None for the world.

    Raises:
        ModelError: if a selected object is no link, or if too many are selected.
    """
    child = context.active_object
    others = [obj for obj in context.selected_objects if obj != child and not is_joint(obj)]
    strangers = [obj.name for obj in others if not is_link(obj)]
    if strangers:
        raise ModelError(f"'{strangers[0]}' is no link: tag it as a link first, or deselect it")
    if len(others) > 1:
        raise ModelError(f"{len(others) + 1} links are selected: select the parent, then the child, no more")
    return child, others[0] if others else None


class OnLinks:
    """An operator that needs links, selected or not.

    Attributes:
        runs_in_pose_mode: whether it also runs in Pose Mode.
    """

    runs_in_pose_mode = False

    @classmethod
    def poll(cls, context):
        if not has_links(context.scene):
            cls.poll_message_set("There are no links: select objects and tag them as links")
            for sentence in bridge.rig.instanced_once(context.scene):
                cls.poll_message_set(sentence)
            return False
        return in_object_or_pose_mode(cls, context) if cls.runs_in_pose_mode else in_object_mode(cls, context)


class OnSelectedJoints:
    """An operator that changes the selected joints.

    Attributes:
        what: words for the objects that the user is asked to select if none are selected.
        takes_bones: whether it also changes the joints of selected bones, in Pose Mode.
    """

    what = "joints"
    takes_bones = False

    @classmethod
    def poll(cls, context):
        kind = bpy.types.PoseBone if cls.takes_bones and context.mode == "POSE" else bpy.types.Object
        if not any(isinstance(node, kind) and is_selected(node) for node in joints_in(context.scene)):
            cls.poll_message_set(f"Select {cls.what}")
            return False
        return in_object_or_pose_mode(cls, context) if cls.takes_bones else in_object_mode(cls, context)


class OnJoints:
    """An operator that needs joints, selected or not."""

    @classmethod
    def poll(cls, context):
        if not has_joints(context.scene):
            cls.poll_message_set("There are no joints")
            return False
        return in_object_mode(cls, context)


def selected_joints(context) -> list[str]:
    """Return the names of the selected joints."""
    return [model_name(obj) for obj in context.selected_objects if is_joint(obj)]
