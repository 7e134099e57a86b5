# SPDX-License-Identifier: GPL-3.0-or-later
"""Add and remove axes of joints whose type has any number of axes."""

from collections.abc import Iterator

import bpy
from bpy.props import IntProperty

from ....core.joints import JOINT_TYPES
from ....core.model.text import counted
from ... import ids
from ...nodes import Node, model_name
from ...props import add_axis, axes_in_use, is_joint, is_known_joint, kind_of, remove_axis
from ...props.chosen import meant_active_node
from ...props.settings import joint_settings, tagged_bones
from ..report import fail, in_object_or_pose_mode, succeed


def _open_joint(cls, context):
    """Return the active joint if its type has any number of axes; else None, with a message for the user."""
    obj = meant_active_node(context)
    if is_known_joint(obj) and kind_of(joint_settings(obj)).is_open:
        return joint_settings(obj)
    labels = " or ".join(kind.label for kind in JOINT_TYPES.values() if kind.is_open)
    cls.poll_message_set(f"Select a joint of type {labels}: the others have the axes that they have")
    return None


class LIMBERJACK_OT_joint_axis_add(bpy.types.Operator):
    """Add an axis to the active joint, carried by its other axes"""

    bl_idname = ids.OP_AXIS_ADD
    bl_label = "Add Axis"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return _open_joint(cls, context) is not None and in_object_or_pose_mode(cls, context)

    def execute(self, context):
        obj = meant_active_node(context)
        settings = joint_settings(obj)
        add_axis(settings)
        return succeed(self, context, f"Axes of '{model_name(obj)}': {len(axes_in_use(settings))}")


class LIMBERJACK_OT_joint_axis_remove(bpy.types.Operator):
    """Remove an axis of the active joint"""

    bl_idname = ids.OP_AXIS_REMOVE
    bl_label = "Remove Axis"
    bl_options = {"REGISTER", "UNDO"}

    number: IntProperty(name="Axis", description="Which axis, counted from 1", default=1, min=1)

    @classmethod
    def poll(cls, context):
        joint = _open_joint(cls, context)
        if joint is not None and not len(axes_in_use(joint)):
            cls.poll_message_set(f"'{model_name(meant_active_node(context))}' has no axes to remove")
            return False
        return joint is not None and in_object_or_pose_mode(cls, context)

    def execute(self, context):
        obj = meant_active_node(context)
        settings = joint_settings(obj)
        count = len(axes_in_use(settings))
        if self.number > count:
            return fail(self, context, f"'{model_name(obj)}' has no axis {self.number}: choose one from 1 to {count}")
        remove_axis(settings, self.number - 1)
        for mimic, name in _mimics_of(obj):
            if getattr(mimic, name) >= self.number:
                setattr(mimic, name, getattr(mimic, name) - 1)
        return succeed(self, context, f"'{model_name(obj)}' has {counted(count - 1, 'axis', 'axes')}")


def _mimics_of(obj: Node) -> Iterator[tuple[bpy.types.PropertyGroup, str]]:
    """Yield the mimics, and their properties, that contain numbers of the joint's axes: its own and its followers'."""
    yield joint_settings(obj).mimic, "axis"
    nodes = (node for owner in bpy.data.objects for node in (owner, *tagged_bones(owner)))
    for other in filter(is_joint, nodes):
        mimic = joint_settings(other).mimic
        if mimic.leader_node == obj:
            yield mimic, "leader_axis"


CLASSES = (LIMBERJACK_OT_joint_axis_add, LIMBERJACK_OT_joint_axis_remove)
