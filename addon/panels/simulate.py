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
        stopped = status.diagnoses.splitlines()
        for diagnosis in stopped[1:] if status.error else stopped:  # the error has the first
            paragraph(layout, context, diagnosis, icon="ERROR")
        if settings.last_result:
            paragraph(layout, context, settings.last_result)
        for note in settings.last_notes.splitlines():
            paragraph(layout, context, note, icon="INFO")
        for diagnosis in settings.last_diagnoses.splitlines():
            paragraph(layout, context, diagnosis, icon="ERROR")


CLASSES = (LIMBERJACK_PT_simulate,)
