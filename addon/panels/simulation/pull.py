# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel for IK drag of links, and the tool in the 3D view's toolbar."""

import bpy

from ... import ids
from ...props.settings import scene_settings
from ..base import Folded


class PullLinks(bpy.types.WorkSpaceTool):
    """Drag a link, and what is joined to it follows.
    A click selects. Pinned links and held joints stay"""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = ids.TOOL_PULL
    bl_label = "IK Drag"
    bl_icon = "ops.pose.push"
    bl_cursor = "HAND"
    bl_options = {"KEYMAP_FALLBACK"}  # drags beside links select, as in Blender's tools
    bl_keymap = ((ids.OP_LINK_PULL, {"type": "LEFTMOUSE", "value": "CLICK_DRAG"}, None),)

    @staticmethod
    def draw_settings(context, layout, _tool):
        _draw_choices(layout, scene_settings(context.scene))
        layout.operator(ids.OP_RELEASE_ALL)


class PullBones(PullLinks):
    """Drag a bone, and what is joined to it follows.
    A click selects. Pinned links and held joints stay"""

    bl_context_mode = "POSE"


class LIMBERJACK_PT_pull(Folded, bpy.types.Panel):
    bl_idname = ids.PT_PULL
    bl_label = "IK Drag"

    def draw(self, context):
        column = self.layout.column(align=True)
        tool = column.operator("wm.tool_set_by_id", text=PullLinks.bl_label, icon="VIEW_PAN")
        tool.name, tool.space_type = PullLinks.bl_idname, PullLinks.bl_space_type
        row = column.row(align=True)
        row.operator(ids.OP_LINK_PIN, icon="PINNED")
        row.operator(ids.OP_RELEASE_ALL)
        column.operator(ids.OP_JOINT_HOLD, icon="LOCKED")  # its label needs the whole width
        _draw_choices(self.layout.column(), scene_settings(context.scene))


def _draw_choices(layout, settings):
    layout.prop(settings, "keeps_turn")
    layout.prop(settings, "moves_base")


CLASSES = (LIMBERJACK_PT_pull,)
