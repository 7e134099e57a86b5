# SPDX-License-Identifier: GPL-3.0-or-later
"""The links and joints that the user has selected."""

from ...core.model import ModelError
from .. import bridge
from ..nodes import Node, is_part, is_selected, model_name
from ..props import is_joint, is_link
from ..props.chosen import meant_nodes
from ..props.members import has_joints, has_links, joints_in
from .report import in_object_or_pose_mode, refuses_pose_mode

JOINED_BY_TAGGING = "Bones have their joints already: Tag as Links joins them, and the panel Joint shows the active one"
"""Why operators that make joints between links do not run in Pose Mode."""


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
        refusal_of_bones: sentence that says why it does not run in Pose Mode; empty if it does.
    """

    refusal_of_bones = ""

    @classmethod
    def poll(cls, context):
        if not has_links(context.scene):
            cls.poll_message_set("There are no links: select objects and tag them as links")
            for sentence in bridge.rig.instanced_once(context.scene):
                cls.poll_message_set(sentence)
            return False
        return not refuses_pose_mode(cls, context, cls.refusal_of_bones) and in_object_or_pose_mode(cls, context)


class OnSelectedJoints:
    """An operator that changes the selected joints.

    Attributes:
        what: words for the objects that the user is asked to select if none are selected.
        refusal_of_bones: sentence that says why it does not run in Pose Mode; empty if it does.
    """

    what = "joints"
    refusal_of_bones = ""

    @classmethod
    def poll(cls, context):
        if refuses_pose_mode(cls, context, cls.refusal_of_bones):
            return False
        if not _has_selected_joint(context):
            cls.poll_message_set(f"Select {cls.what}")
            return False
        return in_object_or_pose_mode(cls, context)


def _has_selected_joint(context) -> bool:
    """Return whether a joint is selected: a bone in Pose Mode, else an object. Settings of other nodes are not read."""
    if context.mode == "POSE":
        return not set(meant_nodes(context)).isdisjoint(joints_in(context.scene))
    return any(not is_part(node) and is_selected(node) for node in joints_in(context.scene))


class OnJoints:
    """An operator that needs joints, selected or not."""

    @classmethod
    def poll(cls, context):
        if not has_joints(context.scene):
            cls.poll_message_set("There are no joints")
            return False
        return in_object_or_pose_mode(cls, context)


def selected_joints(context) -> list[str]:
    """Return the names of the selected joints, which are bones in Pose Mode."""
    return [model_name(obj) for obj in meant_nodes(context) if is_joint(obj)]
