"""The tab's own panel: what to do first, and what went wrong last."""

import bpy
from bpy.app.translations import pgettext_iface

from .. import ids
from ..ops.samples import NEXT, opened, samples
from ..props import is_link
from .base import InTab, paragraph


class LIMBERJACK_PT_main(InTab, bpy.types.Panel):
    bl_idname = ids.PT_MAIN
    bl_label = "Limberjack"

    def draw(self, context):
        layout = self.layout
        has_links = any(is_link(obj) for obj in context.scene.objects)
        sample = opened()
        if not has_links:  # a newcomer's first click
            row = layout.row()
            row.scale_y = 1.5
            row.menu(ids.MT_SAMPLES, icon="FILE_BLEND")
        elif sample:
            paragraph(layout, context, f"{sample.says or sample.title}. {pgettext_iface(NEXT)}", icon="INFO")
        column = layout.column(align=True)
        column.operator(ids.OP_LINK_TAG, icon="MESH_CUBE")
        column.operator_menu_enum(ids.OP_JOINT_ADD, "type", text="Add Joint", icon="EMPTY_ARROWS")
        column.operator(ids.OP_JOINT_PICK, icon="SNAP_FACE")
        column = layout.column(align=True)
        row = column.row(align=True)
        row.operator(ids.OP_CHAIN, text="Chain", icon="LINKED")
        row.operator(ids.OP_HIERARCHY, text="From Hierarchy", icon="OUTLINER")
        column.operator(ids.OP_MIRROR, icon="MOD_MIRROR")
        if has_links:
            layout.menu(ids.MT_SAMPLES)
        error = getattr(context.window_manager, ids.STATUS).error
        if error:
            paragraph(layout, context, error, icon="ERROR")


class LIMBERJACK_MT_samples(bpy.types.Menu):
    bl_idname = ids.MT_SAMPLES
    bl_label = "Open a Sample"

    def draw(self, _context):
        self.layout.operator_context = "INVOKE_DEFAULT"
        for name, sample in samples().items():
            self.layout.operator(ids.OP_SAMPLE_OPEN, text=sample.title).name = name


CLASSES = (
    LIMBERJACK_MT_samples,
    LIMBERJACK_PT_main,
)
