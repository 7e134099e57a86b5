# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of a ragdoll: the whole body, and the part that is active in Pose Mode."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from ...core.characters.body_parts import PARTS
from .. import ids
from ..nodes import model_name
from ..props import axes_in_use, is_known_joint, kind_of
from ..props.chosen import meant_active_node
from ..props.ragdoll import ragdoll_bones
from ..props.settings import joint_settings, link_settings
from .base import Below, in_columns
from .joints.axes import draw_fields, shown_fields
from .key_dots import draw_followed


class LIMBERJACK_PT_ragdoll(Below, bpy.types.Panel):
    bl_idname = ids.PT_RAGDOLL
    bl_label = "Ragdoll"

    @classmethod
    def poll(cls, context):
        return context.object is not None and bool(ragdoll_bones(context.object))

    def draw(self, context):
        layout, armature = in_columns(self.layout), context.object
        bone = meant_active_node(context) if context.mode == "POSE" else None
        settings = link_settings(armature)
        for name in ("ragdoll_mass", "ragdoll_stiffness", "ragdoll_self_collision"):
            layout.prop(settings, name)
        if bone is not None and link_settings(bone).body_part:
            _draw_part(layout, bone)
        layout.operator(ids.OP_RAGDOLL_REMOVE, icon="TRASH")


def _draw_part(layout, bone) -> None:
    """Draw what matters of the active part; the panels Link and Joint have everything."""
    settings = link_settings(bone)
    title = PARTS[settings.body_part].title if settings.body_part in PARTS else settings.body_part
    box = layout.box()
    box.label(text=f"{pgettext_iface(title)}: {model_name(bone)}", translate=False, icon="BONE_DATA")
    row = box.row()
    row.use_property_split = False
    row.prop(settings, "follows", expand=True)
    box.prop(settings, "mass", text="Weight (kg)")
    if is_known_joint(bone):
        joint = joint_settings(bone)
        draw_followed(box, joint, "drive_strength", text="Stiffness")
        _draw_limits(box, joint)
    column = box.column(align=True)
    for name in ("bone_radius", "bone_start", "bone_end"):
        column.prop(settings, name)
    box.operator(ids.OP_BONE_FIT).selected_only = True


def _draw_limits(layout, joint) -> None:
    from ..props import core_joint

    known = core_joint(joint)
    for number, axis in enumerate(axes_in_use(joint)):
        slot = kind_of(joint).slot(number)
        fields = [field for field in shown_fields(axis, slot) if field.section == "limits"]
        if fields:
            column = layout.column(align=True, heading=pgettext_iface(slot.name.capitalize()) if slot.name else "")
            draw_fields(column, axis, fields, known.axis_unit(number))
    layout.prop(joint, "limit_turn")


CLASSES = (LIMBERJACK_PT_ragdoll,)
