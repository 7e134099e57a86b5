"""Simulate, bake, clear."""

import bpy

from .. import ids
from .base import Below, in_columns, paragraph


class LIMBERJACK_PT_simulate(Below, bpy.types.Panel):
    bl_idname = ids.PT_SIMULATE
    bl_label = "Simulate"

    def draw(self, context):
        layout = in_columns(self.layout)
        scene = context.scene
        settings = getattr(scene, ids.SCENE)
        status = getattr(context.window_manager, ids.STATUS)
        layout.prop(settings, "accuracy")
        column = layout.column(align=True)
        column.prop(scene, "frame_start", text="Frame Start")
        column.prop(scene, "frame_end", text="End")
        if status.running:
            layout.progress(factor=status.factor, text=status.text)
            layout.label(text="Esc cancels")
        else:
            layout.operator(ids.OP_SIMULATE, icon="PLAY")
            layout.operator(ids.OP_BAKE_CLEAR)
        if settings.last_result:
            paragraph(layout, context, settings.last_result)
        for note in settings.last_notes.splitlines():
            paragraph(layout, context, note, icon="INFO")


CLASSES = (LIMBERJACK_PT_simulate,)
