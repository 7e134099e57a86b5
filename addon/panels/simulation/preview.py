# SPDX-License-Identifier: GPL-3.0-or-later
"""The controls of a preview."""

from bpy.app.translations import pgettext_iface

from ... import ids
from ...props.settings import scene_settings
from ..base import paragraph

SLOW = 0.95
"""Part of real time below which the pace is displayed."""


def draw_controls(layout, preview, is_narrow: bool = False):
    """Draw the buttons of a preview.

    Args:
        is_narrow: whether the panel may be too narrow for two labels in one row.
    """
    row = layout.row(align=True)
    row.operator(ids.OP_PREVIEW_STEP, text="", icon="FRAME_PREV").frames = -1
    word, icon = ("Pause", "PAUSE") if preview.is_playing else ("Resume", "PLAY")
    row.operator(ids.OP_PREVIEW_PLAY, text=word, icon=icon)
    row.operator(ids.OP_PREVIEW_STEP, text="", icon="FRAME_NEXT").frames = 1
    row = layout.column(align=True) if is_narrow else layout.row(align=True)
    row.operator(ids.OP_PREVIEW_POSE, text="Apply Pose", icon="CHECKMARK")
    row.operator(ids.OP_PREVIEW_BAKE, text="Bake Preview", icon="ACTION")
    layout.operator(ids.OP_PREVIEW_STOP, text="Cancel", icon="X")


def draw_state(layout, context, preview):
    """Draw the state of a preview: why it has stopped, how far it is behind, and problems of its start."""
    is_in_real_time = scene_settings(context.scene).preview.pace == "REAL"
    if preview.problem:
        paragraph(layout, context, preview.problem, icon="ERROR")
    elif preview.is_behind:
        layout.progress(factor=preview.catch_up_progress, text="Catching up with the change")
    elif preview.is_playing and is_in_real_time and preview.pace < SLOW:
        pace = pgettext_iface("Pace: {pace} of real time").format(pace=f"{preview.pace:.0%}")
        layout.label(text=pace, translate=False, icon="TIME")
