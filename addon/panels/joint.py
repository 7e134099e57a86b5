"""The active object, as a joint."""

import bpy

from ...core.joints import JOINT_TYPES, Unit
from .. import ids
from ..bridge import AXIS_FIELDS, has_left_its_frame
from ..bridge.fields import Measure, axis_unit
from ..props import has_lost_its_parent, is_joint
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
        joint = getattr(context.active_object, ids.JOINT)
        obj = joint.id_data
        layout.prop(obj, "name")
        layout.prop(joint, "type")
        layout.prop(joint, "parent", placeholder="World" if joint.to_world else "Lost")
        if has_lost_its_parent(joint):
            layout.prop(joint, "to_world")
        layout.prop(joint, "child")
        if JOINT_TYPES[joint.type].threaded:
            layout.prop(joint, "pitch")
        layout.prop(joint, "use_mimic")
        if joint.use_mimic:
            column = layout.column(align=True)
            for name in ("leader", "multiplier", "offset", "reference"):
                column.prop(joint.mimic, name)
        if has_lost_its_parent(joint):
            paragraph(layout, context, "The parent was deleted: choose another, or tick Join to World", icon="ERROR")
        elif joint.child and not joint.X_PJ:
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
        paragraph(layout, context, "Limits and friction are kept and exported. They do not act in the simulation yet")


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
    """Every field of the table, but for those that would have no effect."""
    idle = set()
    if not kind.limited:
        idle |= {"lower", "upper"}
    if not (kind.limited and (axis.use_lower or axis.use_upper)):
        idle |= {"stiffness", "dissipation"}
    if not axis.spring_stiffness:
        idle.add("spring_reference")
    for field in AXIS_FIELDS:
        if field.name in idle:
            continue
        name = field.name + (suffix if field.measure is Measure.COORDINATE else "")
        if field.toggle:
            _draw_limit(layout, axis, field.toggle, name)
        else:
            layout.prop(axis, name)


def _draw_limit(layout, axis, toggle: str, name: str):
    """A number that means infinity while its box is not ticked."""
    row = layout.row(heading=axis.bl_rna.properties[toggle].name)
    row.prop(axis, toggle, text="")
    value = row.row()
    value.enabled = getattr(axis, toggle)
    value.prop(axis, name, text="")


CLASSES = (LIMBERJACK_PT_joint, LIMBERJACK_PT_axes, LIMBERJACK_PT_home)
