# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for the actions of a joint's handles: pose it, aim its axes, and set its limits and initial pose."""

import bpy
from bpy.props import FloatProperty, FloatVectorProperty, IntProperty
from mathutils import Vector

from ....core.joints import Unit
from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...nodes import Node, model_name, owner_of
from ...nodes.naming import node_of
from ...overlays.labels import reading
from ...props import is_joint
from ...props.chosen import meant_active_node
from ...props.settings import joint_settings
from ..report import fail, in_object_or_pose_mode, succeed
from ..selection import OnJoints, selected_joints


class _OfActiveJoint:
    bl_options = {"REGISTER", "UNDO"}

    axis: IntProperty(name="Axis", description="Which axis of the joint, counted from 1", default=1, min=1)

    @classmethod
    def poll(cls, context):
        if not is_joint(meant_active_node(context)):
            cls.poll_message_set("Select a joint")
            return False
        return in_object_or_pose_mode(cls, context)

    def axis_view(self, context) -> "bridge.joints.axis_views.AxisView":
        obj = meant_active_node(context)
        view = bridge.joints.axis_views.view_joint(obj, context.scene)
        found = [axis for axis in view.axes if axis.number == self.axis - 1]
        if not found:
            raise ModelError(f"joint '{model_name(obj)}' has nothing that moves on an axis {self.axis}")
        return found[0]

    def in_core(self, context, value: float) -> float:
        """Return a value in rad or m for one in rad or Blender units."""
        axis = self.axis_view(context)
        return value * bridge.values.numbers.unit_length(context.scene) if axis.kind == "slide" else value


class LIMBERJACK_OT_joint_aim(_OfActiveJoint, bpy.types.Operator):
    """Aim an axis of the active joint along a direction; all links stay in place"""

    bl_idname = ids.OP_JOINT_AIM
    bl_label = "Aim Axis"

    direction: FloatVectorProperty(name="Direction", description="In the world", subtype="XYZ", default=(0.0, 0.0, 1.0))

    def execute(self, context):
        obj = meant_active_node(context)
        if not any(self.direction):
            return fail(self, context, "The direction is 0 0 0: give it one")
        try:
            self.axis_view(context)
            bridge.joints.joint_edits.aim_axis(obj, context.scene, self.axis - 1, Vector(self.direction))
        except ModelError as error:
            return fail(self, context, error)
        return succeed(self, context, f"Axis {self.axis} of '{model_name(obj)}' is aimed")


class LIMBERJACK_OT_joint_pose(_OfActiveJoint, bpy.types.Operator):
    """Move the active joint to a position. Its child links follow, and loops stay closed"""

    bl_idname = ids.OP_JOINT_POSE
    bl_label = "Pose Joint"

    value: FloatProperty(name="Position", description="In radians, or Blender units on a sliding axis")

    def execute(self, context):
        obj = meant_active_node(context)
        try:
            axis = self.axis_view(context)
            if axis.q_index is None:
                raise ModelError(f"axis {self.axis} of joint '{model_name(obj)}' is a limit and cannot be led")
            wanted = self.in_core(context, self.value)
            reached = bridge.posing.posing.Posing(context.scene).set_coordinate(model_name(obj), axis.q_index, wanted)
        except ModelError as error:
            return fail(self, context, error)
        notes = []
        if abs(reached - wanted) > 1e-6:
            notes = [f"'{model_name(obj)}' goes no farther than {reading(axis, reached, context.scene)}"]
        return succeed(self, context, f"'{model_name(obj)}' is at {reading(axis, reached, context.scene)}", notes)


class LIMBERJACK_OT_joint_limits(_OfActiveJoint, bpy.types.Operator):
    """Set the limits of an axis of the active joint"""

    bl_idname = ids.OP_JOINT_LIMITS
    bl_label = "Set Limits"

    lower: FloatProperty(name="Lower", description="In radians, or Blender units on a sliding axis", default=-1.0)
    upper: FloatProperty(name="Upper", description="In radians, or Blender units on a sliding axis", default=1.0)

    def execute(self, context):
        obj = meant_active_node(context)
        try:
            axis = self.axis_view(context)
            if not axis.can_have_limits:
                raise ModelError(
                    f"axis {self.axis} of joint '{model_name(obj)}' turns without end: choose another type"
                )
            if axis.can_have_lower and self.lower > self.upper:
                raise ModelError(f"the lower limit {self.lower:g} is above the upper {self.upper:g}: swap them")
            lower, upper = self.in_core(context, self.lower), self.in_core(context, self.upper)
        except ModelError as error:
            return fail(self, context, error)
        bridge.joints.joint_edits.set_limits(
            obj, context.scene, self.axis - 1, lower if axis.can_have_lower else None, upper
        )
        return succeed(self, context, f"Axis {self.axis} of '{model_name(obj)}' has its limits")


class LIMBERJACK_OT_joint_start_here(OnJoints, bpy.types.Operator):
    """Use the current positions of the selected joints as their initial pose; all joints, if none is selected"""

    bl_idname = ids.OP_START_HERE
    bl_label = "Start Here"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            names = selected_joints(context) or bridge.posing.posing.Posing(context.scene).movable_joints
            joints = [node_of(context.scene, name) for name in names]
            views = {obj: bridge.joints.axis_views.view_joint(obj, context.scene) for obj in joints}
            for obj in joints:
                bridge.joints.read_joints.read_joint(obj, context.scene)
                if not owner_of(obj).is_editable:
                    raise ModelError(f"joint '{model_name(obj)}' comes from a library: make it local")
        except ModelError as error:
            return fail(self, context, error)
        for obj, view in views.items():
            if view.joint.kind.chart:
                _start_chart(obj, view, bridge.values.numbers.unit_length(context.scene))
            for axis in view.axes:
                if axis.q_index is not None:
                    bridge.joints.joint_edits.set_home(obj, context.scene, axis, axis.value)
        return succeed(self, context, f"Initial pose set for {counted(joints, 'joint')}")


def _start_chart(obj: Node, view, unit: float) -> None:
    settings = joint_settings(obj)
    settings.use_home = True
    for coordinate, value, (_, what) in zip(settings.coordinates, view.q, view.joint.home_units, strict=True):
        coordinate.home = value / unit if what is Unit.LENGTH else value


class LIMBERJACK_OT_joint_zero_here(_OfActiveJoint, bpy.types.Operator):
    """Make the current position of the active joint's first axis its zero; limits, spring and drive stay in place"""

    bl_idname = ids.OP_ZERO_HERE
    bl_label = "Set as Zero"

    def execute(self, context):
        obj = meant_active_node(context)
        try:
            axis = self.axis_view(context)
            if axis.q_index != 0:
                raise ModelError(f"joint '{model_name(obj)}': only its first axis has a zero of its own to move")
            joint = bridge.joints.read_joints.read_joint(obj, context.scene)
            bridge.joints.joint_edits.move_zero(obj, context.scene, axis, axis.value)
            bridge.joints.moved_zero.shift_stored_values(
                obj, context.scene, axis, joint, bridge.values.numbers.unit_length(context.scene), axis.value
            )
        except ModelError as error:
            return fail(self, context, error)
        return succeed(self, context, f"'{model_name(obj)}' counts from where it is")


class LIMBERJACK_OT_pose_reset(OnJoints, bpy.types.Operator):
    """Move all links to the initial pose"""

    bl_idname = ids.OP_POSE_RESET
    bl_label = "Back to Start"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            bridge.posing.posing.Posing(context.scene).move_to_initial_pose()
        except ModelError as error:
            return fail(self, context, error)
        return succeed(self, context, "All links are where simulations start")


CLASSES = (
    LIMBERJACK_OT_joint_aim,
    LIMBERJACK_OT_joint_pose,
    LIMBERJACK_OT_joint_limits,
    LIMBERJACK_OT_joint_start_here,
    LIMBERJACK_OT_joint_zero_here,
    LIMBERJACK_OT_pose_reset,
)
