"""The tab's own panel: what to do first, and what went wrong last."""

import bpy

from .. import ids
from ..props import is_joint, is_link
from .base import InTab, paragraph


class LIMBERJACK_PT_main(InTab, bpy.types.Panel):
    bl_idname = ids.PT_MAIN
    bl_label = "Limberjack"

    def draw(self, context):
        layout = self.layout
        column = layout.column(align=True)
        column.operator(ids.OP_LINK_TAG, icon="MESH_CUBE")
        column.operator_menu_enum(ids.OP_JOINT_ADD, "type", text="Add Joint", icon="EMPTY_ARROWS")
        links = sum(is_link(obj) for obj in context.scene.objects)
        joints = sum(is_joint(obj) for obj in context.scene.objects)
        layout.label(text=f"{links} links, {joints} joints")
        error = getattr(context.window_manager, ids.STATUS).error
        if error:
            paragraph(layout, context, error, icon="ERROR")


CLASSES = (LIMBERJACK_PT_main,)
