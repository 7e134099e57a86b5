"""The tab's own panel: what to do first, and what went wrong last."""

import bpy

from .. import ids
from .base import InTab, paragraph


class LIMBERJACK_PT_main(InTab, bpy.types.Panel):
    bl_idname = ids.PT_MAIN
    bl_label = "Limberjack"

    def draw(self, context):
        layout = self.layout
        column = layout.column(align=True)
        column.operator(ids.OP_LINK_TAG, icon="MESH_CUBE")
        column.operator_menu_enum(ids.OP_JOINT_ADD, "type", text="Add Joint", icon="EMPTY_ARROWS")
        column.operator(ids.OP_JOINT_PICK, icon="SNAP_FACE")
        column = layout.column(align=True)
        row = column.row(align=True)
        row.operator(ids.OP_CHAIN, text="Chain", icon="LINKED")
        row.operator(ids.OP_HIERARCHY, text="From Hierarchy", icon="OUTLINER")
        column.operator(ids.OP_MIRROR, icon="MOD_MIRROR")
        error = getattr(context.window_manager, ids.STATUS).error
        if error:
            paragraph(layout, context, error, icon="ERROR")


CLASSES = (LIMBERJACK_PT_main,)
