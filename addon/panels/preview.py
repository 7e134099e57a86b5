"""Play with the scene before anything is baked."""

import bpy

from .. import bridge, ids
from ..preview import current
from .base import Below, draw_running, in_columns, paragraph
from .problems import draw_problem

SLOW = 0.95
"""Of real time, below which the pace is told."""


class LIMBERJACK_PT_preview(Below, bpy.types.Panel):
    bl_idname = ids.PT_PREVIEW
    bl_label = "Play"

    def draw(self, context):
        layout = in_columns(self.layout)
        settings = getattr(context.scene, ids.SCENE).preview
        preview = current()
        status = getattr(context.window_manager, ids.STATUS)
        if preview is None and status.running:
            draw_running(layout, status)
        elif preview is None:
            layout.operator(ids.OP_PREVIEW, icon="PLAY")
        else:
            _draw_controls(layout, context, preview)
        layout.prop(settings, "pace")
        layout.prop(settings, "strength")


def _draw_controls(layout, context, preview):
    is_in_real_time = getattr(context.scene, ids.SCENE).preview.pace == "REAL"
    row = layout.row(align=True)
    row.operator(ids.OP_PREVIEW_STEP, text="", icon="FRAME_PREV").frames = -1
    word, icon = ("Pause", "PAUSE") if preview.is_playing else ("Go On", "PLAY")
    row.operator(ids.OP_PREVIEW_PLAY, text=word, icon=icon)
    row.operator(ids.OP_PREVIEW_STEP, text="", icon="FRAME_NEXT").frames = 1
    row = layout.row(align=True)
    row.operator(ids.OP_PREVIEW_POSE, text="Keep Pose", icon="CHECKMARK")
    row.operator(ids.OP_PREVIEW_BAKE, text="Keep Bake", icon="ACTION")
    layout.operator(ids.OP_PREVIEW_STOP, text="Put All Back", icon="X")
    if preview.problem:
        paragraph(layout, context, preview.problem, icon="ERROR")
    elif preview.is_behind:
        layout.progress(factor=preview.caught_up, text="Catching up with the change")
    elif preview.is_playing and is_in_real_time and preview.pace < SLOW:
        layout.label(text=f"{preview.pace:.0%} of real time", icon="TIME")
    _draw_start(layout, context)


def _draw_start(layout, context):
    """That it falls, or that nothing moves, where whoever plays wonders at it."""
    rig = bridge.rig.last_rig(context.scene)
    for problem in rig.problems if rig else ():
        if problem.code in bridge.problems.OF_START:
            draw_problem(layout.box().column(), context, problem)


CLASSES = (LIMBERJACK_PT_preview,)
