# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the active joint's drives, one axis after the other.

The mode and the target come first: a window of 720 pixels has room for two rows below the panel's header.
"""

import bpy

from ....core.model.drives import OFF
from ... import ids
from ...bridge.values.fields import drive_of, fields_on
from ...icons import OF_UNIT
from ...props import axes_in_use, core_joint, is_known_joint
from ...props.chosen import meant_active_node
from ...props.settings import joint_settings
from ..base import InTab, in_columns, readable
from ..key_dots import draw_followed
from .axes import DRIVE_SECTION, draw_fields, shown_fields


class LIMBERJACK_PT_drives(InTab, bpy.types.Panel):
    bl_idname = ids.PT_DRIVES
    bl_label = "Drive"
    bl_parent_id = ids.PT_JOINT
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        if not is_known_joint(meant_active_node(context)):
            return False
        known = core_joint(joint_settings(meant_active_node(context)))
        return any(can_be_driven(known.kind.slot(i)) for i in range(known.axis_count))

    def draw(self, context):
        layout = in_columns(self.layout)
        joint = joint_settings(meant_active_node(context))
        layout.active = joint.enabled
        known = core_joint(joint)
        for number, axis in enumerate(axes_in_use(joint)):
            slot, unit = known.kind.slot(number), known.axis_unit(number)
            if not can_be_driven(slot) or (axis.locked and "locked" in slot.fields):
                continue
            fields = [field for field in shown_fields(axis, slot) if field.section == DRIVE_SECTION]
            if not slot.name:
                draw_fields(layout, axis, fields, unit)
                continue
            header, body = layout.panel_prop(axis, "show_drive")
            header.label(text=readable(slot.name), icon=OF_UNIT[unit])
            if body:
                draw_fields(in_columns(body), axis, fields, unit)
        if any(drive_of(axis) is not OFF for axis in axes_in_use(joint)):
            draw_followed(layout, joint, "drive_strength")
        layout.operator(ids.OP_DRIVE_TO_POSE, icon="DRIVER")


def can_be_driven(slot) -> bool:
    """Return whether a joint's axis with this slot can have a drive."""
    return any(field.section == DRIVE_SECTION for field in fields_on(slot))
