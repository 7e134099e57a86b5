# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of joint values, with a slider for each coordinate, and of stored poses."""

from typing import TYPE_CHECKING

import bpy
from bpy.app.translations import pgettext_iface

from ... import ids
from ...bridge.rig import last_rig
from ...bridge.values.fields import COORDINATE_SUFFIXES
from ...icons import icon_of_joint
from ...nodes import Node
from ...props import core_joint, is_known_joint, limits_of
from ...props.members import has_joints, joints_in
from ...props.settings import joint_settings, scene_settings
from ..base import Folded, readable
from ..model import draw_rows, in_tree_order

if TYPE_CHECKING:
    from ....core.model import Joint

OFF, TURNED = "Not enabled", "Turned in the viewport"
"""Texts in place of sliders after the joint's name: of a joint that is not enabled, and of a ball or free joint."""

BAR = 0.65
"""Part of a row's width for the bar with the joint's name."""

SUFFIX = {unit: suffix or "_plain" for unit, suffix in COORDINATE_SUFFIXES.items()}
"""Suffixes of the properties that show the present value of a coordinate in its unit."""


class LIMBERJACK_UL_posed(bpy.types.UIList):
    """The scene's joints that move"""

    bl_idname = ids.UL_POSED

    def draw_item(self, context, layout, _data, item, _number, _active_data, _active_property, _index, _flag):
        settings = joint_settings(item)
        known = core_joint(settings)
        row = layout.row(align=True)
        row.active = settings.enabled
        row.label(text="", icon=icon_of_joint(known))  # a click here selects the joint
        numbers = row.column(align=True)
        if not settings.enabled:
            numbers.label(text=f"{item.name}: {pgettext_iface(OFF)}", translate=False)
        elif known.kind.chart:
            numbers.label(text=f"{item.name}: {pgettext_iface(TURNED)}", translate=False)
        else:
            _draw_sliders(numbers, item.name, settings, known)

    def filter_items(self, context, data, propname):
        return in_tree_order(self, context, data, [obj for obj in joints_in(context.scene) if moves(obj)])


def moves(obj: Node) -> bool:
    """Return whether the object is a joint with coordinates."""
    return is_known_joint(obj) and core_joint(joint_settings(obj)).nq > 0


def _draw_sliders(column, joint: str, settings, known: "Joint"):
    """Draw a bar and a number for each coordinate with two limits, and a number for the others."""
    for coordinate, part, (name, unit) in zip(settings.coordinates, known.all_columns, known.home_units, strict=False):
        if known.is_locked(part.axis):
            continue
        label, value = f"{joint} {readable(name)}" if name else joint, f"value{SUFFIX[unit]}"
        if limits_of(coordinate):
            split = column.split(factor=BAR, align=True)
            split.prop(coordinate, "share", text=label, slider=True)
            split.prop(coordinate, value, text="")
        else:
            column.prop(coordinate, value, text=label)


class LIMBERJACK_UL_poses(bpy.types.UIList):
    """The poses that the scene keeps"""

    bl_idname = ids.UL_POSES

    def draw_item(self, _context, layout, _data, item, _number, _active_data, _active_property, index, _flag):
        row = layout.row(align=True)
        row.prop(item, "name", text="", emboss=False, icon="ARMATURE_DATA")
        row.operator(ids.OP_POSE_APPLY, text="", icon="PLAY", emboss=False).index = index


class LIMBERJACK_PT_pose(Folded, bpy.types.Panel):
    bl_idname = ids.PT_POSE
    bl_label = "Pose"

    @classmethod
    def poll(cls, context):
        return has_joints(context.scene)

    def draw(self, context):
        layout, scene = self.layout, context.scene
        if last_rig(scene) is None:
            layout.label(text="Reading the scene", icon="SORTTIME")
            return
        settings = scene_settings(scene)
        draw_rows(layout, context, ids.UL_POSED)
        column = layout.column(align=True)
        row = column.row(align=True)
        row.operator(ids.OP_POSE_RESET)
        row.operator(ids.OP_POSE_MIDDLE)
        column.operator(ids.OP_START_HERE)
        _draw_poses(layout, settings)
        layout.operator_menu_enum(ids.OP_POSE_KEY, "what", icon="KEY_HLT")
        layout.operator(ids.OP_DRIVE_TO_POSE, icon="DRIVER")


def _draw_poses(layout, settings):
    row = layout.row()
    row.template_list(ids.UL_POSES, "", settings, "poses", settings, "pose", rows=3)
    column = row.column(align=True)
    column.operator(ids.OP_POSE_ADD, text="", icon="ADD")
    column.operator(ids.OP_POSE_REMOVE, text="", icon="REMOVE")
    if settings.poses:
        row = layout.row(align=True)
        row.operator(ids.OP_POSE_APPLY)
        row.operator(ids.OP_POSE_UPDATE)


CLASSES = (LIMBERJACK_UL_posed, LIMBERJACK_UL_poses, LIMBERJACK_PT_pose)
