# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the active object as a joint."""

import bpy
from bpy.app.translations import pgettext_iface

from ... import ids
from ...bridge.rig import last_rig
from ...nodes import joins_itself, model_name
from ...props import core_joint, has_lost_its_parent, is_joint, is_known_joint, is_link
from ...props.chosen import meant_active_node
from ...props.settings import joint_settings
from ..base import (
    Below,
    InTab,
    also_in_physics,
    draw_meant,
    draw_switched,
    draw_with_unit,
    has_details,
    in_columns,
    paragraph,
)
from ..key_dots import draw_key_dot
from .axes import LIMBERJACK_PT_axes, LIMBERJACK_PT_home
from .drives import LIMBERJACK_PT_drives


class LIMBERJACK_PT_joint(Below, bpy.types.Panel):
    bl_idname = ids.PT_JOINT
    bl_label = "Joint"

    @classmethod
    def poll(cls, context):
        node = meant_active_node(context)
        may_join = is_joint(node) or (is_link(node) and joint_settings(node).is_joint)  # or a bone, to the world
        return may_join and has_details(cls, context)

    def draw_header(self, context):
        self.layout.prop(joint_settings(meant_active_node(context)), "enabled", text="")

    def draw_header_preset(self, context):
        draw_key_dot(self.layout, joint_settings(meant_active_node(context)), "enabled")
        self.layout.menu(ids.MT_JOINT_PRESETS, text="", icon="PRESET")

    def draw(self, context):
        layout = in_columns(self.layout)
        obj = meant_active_node(context)
        joint = joint_settings(obj)
        layout.active = joint.enabled
        draw_meant(layout, context, "Joint of '{link}'")
        row = layout.row()
        row.use_property_split = False  # beside its name, the menu would cut off the names of types
        row.prop(joint, "type", text="")
        if not joint.type:
            paragraph(layout, context, "Chosen in a newer Limberjack; unknown in this version", icon="ERROR")
            return
        if joins_itself(obj):
            _draw_parent_of_bone(layout, joint)
        else:
            layout.prop(joint, "parent", placeholder="World" if joint.to_world else "Lost")
            if has_lost_its_parent(joint):
                layout.prop(joint, "to_world")
            layout.prop(joint, "child")
        if core_joint(joint).kind.threaded:
            layout.prop(joint, "pitch")
        _draw_troubles(layout, context, joint)


def _draw_parent_of_bone(layout, joint):
    """Draw the choices of the world and of an object, and the name of the link to which the bone is joined."""
    layout.prop(joint, "to_world")
    layout.prop(joint, "parent", placeholder="World" if joint.to_world else "")
    if joint.parent_node is not None:
        layout.label(
            text=pgettext_iface("Joined to {link}").format(link=model_name(joint.parent_node)), translate=False
        )


def _draw_troubles(layout, context, joint):
    obj, rig = meant_active_node(context), last_rig(context.scene)
    if has_lost_its_parent(joint):
        paragraph(layout, context, "The parent was deleted: choose another, or tick Join to World", icon="ERROR")
    elif not joins_itself(obj) and joint.child_node and not joint.X_PJ:
        paragraph(
            layout, context, "A link was changed: place the Empty, then press Rebind at Current Pose", icon="ERROR"
        )
        layout.operator(ids.OP_JOINT_FRAMES)
    if rig and model_name(obj) in rig.loops and not joint.closes_loop:
        paragraph(layout, context, "Closes a loop: its links are joined by other joints already", icon="LINKED")


class LIMBERJACK_PT_joint_more(InTab, bpy.types.Panel):
    bl_idname = ids.PT_JOINT_MORE
    bl_label = "More"
    bl_parent_id = ids.PT_JOINT
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return is_known_joint(meant_active_node(context))

    def draw(self, context):
        layout, joint = in_columns(self.layout), joint_settings(meant_active_node(context))
        layout.active = joint.enabled
        draw_switched(layout, joint, "use_released_at", "released_at")
        draw_with_unit(layout, joint, "use_break_force", "break_force", "N")
        draw_with_unit(layout, joint, "use_break_torque", "break_torque", "N m")
        if joint.parent_node and joint.child_node:
            row = layout.row()
            row.use_property_split = False  # a sidebar of the default width would cut the name off
            row.prop(joint, "collide_ends")
        layout.prop(joint, "is_held")
        layout.prop(joint, "closes_loop")
        layout.prop(joint, "use_mimic")
        if joint.use_mimic:
            _draw_mimic(layout.column(align=True), joint)
        known = core_joint(joint)
        if any(known.kind.slot(number).limited for number in range(known.axis_count)):
            layout.operator(ids.OP_LIMITS_FROM_MOTION, icon="ANIM_DATA")
        column = layout.column(align=True)
        column.operator(ids.OP_ZERO_HERE)
        column.operator(ids.OP_JOINT_FRAMES)  # its label needs the whole width


def _draw_mimic(layout, joint):
    """Draw the settings of a mimic. Numbers of axes are drawn only if there is a choice."""
    mimic = joint.mimic
    if core_joint(joint).axis_count > 1:
        layout.prop(mimic, "axis_number")
    layout.prop(mimic, "leader")
    if is_known_joint(mimic.leader_node) and core_joint(joint_settings(mimic.leader_node)).axis_count > 1:
        layout.prop(mimic, "leader_axis_number")
    for name in ("multiplier", "offset", "reference"):
        layout.prop(mimic, name)


PANELS = (
    LIMBERJACK_PT_joint,
    LIMBERJACK_PT_axes,
    LIMBERJACK_PT_drives,
    LIMBERJACK_PT_home,
    LIMBERJACK_PT_joint_more,
)
CLASSES = (*PANELS, *also_in_physics(*PANELS))
