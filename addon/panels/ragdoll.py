# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of a ragdoll: the whole body, and the part that is active in Pose Mode."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from ...core.characters.body_parts import PARTS
from .. import bridge, ids
from ..bridge.values.fields import COORDINATE_SUFFIXES
from ..nodes import Node
from ..nodes.copied_bones import bones_above
from ..props import axes_in_use, core_joint, is_known_joint, kind_of
from ..props.chosen import meant_active_node
from ..props.ragdoll import is_body_part, ragdoll_of
from ..props.settings import joint_settings, link_settings, window_status
from .base import Below, in_columns, readable, section
from .bone_shape import draw_shape_of_bone
from .key_dots import draw_followed

LIMITS = {
    "cone": {"upper": "Swing"},
    "twist": {"lower": "Twist From", "upper": "Twist To"},
    "": {"lower": "Bend From", "upper": "Bend To"},
}
"""Labels of the ends of an axis, by its name. Hinges have one axis without a name."""


class LIMBERJACK_PT_ragdoll(Below, bpy.types.Panel):
    bl_idname = ids.PT_RAGDOLL
    bl_label = "Ragdoll"

    @classmethod
    def poll(cls, context):
        return ragdoll_of(context.object) is not None

    def draw(self, context):
        layout = in_columns(self.layout)
        settings = link_settings(ragdoll_of(context.object))
        for name in ("ragdoll_mass", "ragdoll_stiffness", "ragdoll_self_collision"):
            layout.prop(settings, name)
        bone = meant_active_node(context) if context.mode == "POSE" else None
        if is_body_part(bone):
            _draw_part(layout.box(), context, bone)
        elif bone is not None:
            _draw_follower(layout.box(), bone)
        layout.operator(ids.OP_RAGDOLL_REMOVE, icon="TRASH")


def _draw_part(layout, context, bone: Node) -> None:
    """Draw what matters of the active part. The panels Link and Joint, which are hidden at first, have everything."""
    settings = link_settings(bone)
    title = PARTS[settings.body_part].title if settings.body_part in PARTS else settings.body_part
    layout.label(text=f"{pgettext_iface(title)}: {bone.name}", translate=False, icon="BONE_DATA")
    row = layout.row()
    row.use_property_split = False
    row.prop(settings, "follows", expand=True)
    column = layout.column()
    column.active = settings.motion == "FREE"  # else the animation alone moves it
    column.prop(settings, "mass", text="Weight (kg)")
    joint = joint_settings(bone) if is_known_joint(bone) else None
    if joint is not None:
        draw_followed(column, joint, "drive_strength", text="Stiffness")
        _draw_limits(column, joint)
    body = section(layout, "part_shape", "Shape")
    if body:
        draw_shape_of_bone(body, settings)
    body = section(layout, "part_limits", "Directions of Limits") if joint is not None else None
    if body:
        body.prop(joint, "limit_turn", text="Turn")
    if bridge.scene.mirroring_bones.has_side(bone):
        layout.operator(ids.OP_MIRROR, icon="MOD_MIRROR")
    layout.prop(window_status(context.window_manager), "shows_part_panels")


def _draw_follower(layout, bone: Node) -> None:
    """Draw on which part of the ragdoll a bone without a body hangs."""
    above = next((each for each in bones_above(bone) if is_body_part(each)), None)
    layout.label(text=bone.name, translate=False, icon="BONE_DATA")
    if above is None:
        layout.label(text="No part of the ragdoll")
    else:
        layout.label(text=pgettext_iface("Follows {part}").format(part=above.name), translate=False)


def _draw_limits(layout, joint) -> None:
    """Draw the ends of the axes that may have some, each with its switch."""
    known = core_joint(joint)
    column = layout.column(align=True)
    for number, axis in enumerate(axes_in_use(joint)):
        slot = kind_of(joint).slot(number)
        labels = LIMITS.get(slot.name, {"lower": "From", "upper": "To"})
        ends = [end for end in labels if end in slot.fields]
        if ends and slot.name not in LIMITS:
            column.label(text=readable(slot.name))
        for end in ends:
            row = column.row(heading=labels[end])
            row.prop(axis, f"use_{end}", text="")
            value = row.row()
            value.enabled = getattr(axis, f"use_{end}")
            value.prop(axis, f"{end}{COORDINATE_SUFFIXES[known.axis_unit(number)]}", text="")


CLASSES = (LIMBERJACK_PT_ragdoll,)
