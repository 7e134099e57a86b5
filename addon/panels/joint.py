"""The active object, as a joint."""

import bpy

from ...core.joints import JOINT_TYPES, Unit
from .. import ids
from ..bridge import has_left_its_frame
from ..bridge.fields import axis_unit
from ..props import is_joint
from .base import Below, in_columns, paragraph

SUFFIX = {Unit.ANGLE: "_angle", Unit.LENGTH: "_length", Unit.NUMBER: "_number"}


class LIMBERJACK_PT_joint(Below, bpy.types.Panel):
    bl_idname = ids.PT_JOINT
    bl_label = "Joint"

    @classmethod
    def poll(cls, context):
        return is_joint(context.active_object)

    def draw(self, context):
        layout = in_columns(self.layout)
        obj = context.active_object
        joint = getattr(obj, ids.JOINT)
        layout.prop(obj, "name")
        layout.prop(joint, "type")
        layout.prop(joint, "parent", placeholder="World")
        layout.prop(joint, "child")
        if JOINT_TYPES[joint.type].threaded:
            layout.prop(joint, "pitch")
        layout.prop(joint, "use_mimic")
        if joint.use_mimic:
            column = layout.column(align=True)
            for name in ("leader", "multiplier", "offset", "reference"):
                column.prop(joint.mimic, name)
        if joint.child and not joint.X_PJ:
            paragraph(
                layout, context, "A link was changed: place the Empty, then take the frames from it", icon="ERROR"
            )
        elif joint.child and has_left_its_frame(obj):
            paragraph(layout, context, "The Empty has left the joint's frames, which stay where they were", icon="INFO")
        layout.operator(ids.OP_JOINT_FRAMES)


class LIMBERJACK_PT_axes(Below, bpy.types.Panel):
    bl_idname = ids.PT_AXES
    bl_label = "Axes"
    bl_parent_id = ids.PT_JOINT

    @classmethod
    def poll(cls, context):
        return is_joint(context.active_object) and _kind(context).axis_count > 0

    def draw(self, context):
        layout = in_columns(self.layout)
        kind = _kind(context)
        joint = getattr(context.active_object, ids.JOINT)
        for number in range(min(kind.axis_count, len(joint.axes))):
            if kind.axis_count > 1:
                layout.label(text=f"Axis {number + 1}")
            _draw_axis(layout, joint.axes[number], kind, SUFFIX[axis_unit(kind, number)])


class LIMBERJACK_PT_home(Below, bpy.types.Panel):
    bl_idname = ids.PT_HOME
    bl_label = ""
    bl_parent_id = ids.PT_JOINT
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return is_joint(context.active_object) and _kind(context).nq > 0

    def draw_header(self, context):
        self.layout.prop(getattr(context.active_object, ids.JOINT), "use_home")

    def draw(self, context):
        layout = in_columns(self.layout)
        joint = getattr(context.active_object, ids.JOINT)
        layout.enabled = joint.use_home
        column = layout.column(align=True)
        for coordinate, (name, unit) in zip(joint.coordinates, _kind(context).q_units, strict=False):
            column.prop(coordinate, f"home{SUFFIX[unit]}", text=name or "Start")


def _kind(context):
    return JOINT_TYPES[getattr(context.active_object, ids.JOINT).type]


def _draw_axis(layout, axis, kind, suffix: str):
    layout.prop(axis, "xyz")
    if kind.limited:
        _draw_limit(layout, axis, "lower", suffix)
        _draw_limit(layout, axis, "upper", suffix)
        if axis.use_lower or axis.use_upper:
            _draw_limit(layout, axis, "stiffness")
            layout.prop(axis, "dissipation")
    _draw_limit(layout, axis, "effort")
    _draw_limit(layout, axis, "velocity", suffix)
    column = layout.column(align=True)
    for name in ("damping", "friction", "armature", "spring_stiffness"):
        column.prop(axis, name)
    if axis.spring_stiffness:
        column.prop(axis, f"spring_reference{suffix}")


def _draw_limit(layout, axis, name: str, suffix: str = ""):
    """A number that means infinity while its box is not ticked."""
    toggle = f"use_{name}"
    row = layout.row(heading=axis.bl_rna.properties[toggle].name)
    row.prop(axis, toggle, text="")
    value = row.row()
    value.enabled = getattr(axis, toggle)
    value.prop(axis, name + suffix, text="")


CLASSES = (LIMBERJACK_PT_joint, LIMBERJACK_PT_axes, LIMBERJACK_PT_home)
