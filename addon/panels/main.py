# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab's head, in view wherever one is: play, bake and clear, what the last bake came to, and how to begin."""

import bpy
from bpy.app.translations import pgettext_iface

from .. import ids
from ..bake.restore import bake_of
from ..ops.bake import failed_run
from ..ops.samples import NEXT, opened, samples
from ..preview import current
from ..props.members import has_links
from .base import InTab, draw_running, paragraph
from .preview import draw_controls, draw_state
from .simulate import draw_result, draw_warnings

MOST_NOTES = 3
"""Notes of the last operator that are shown; all are in the Info editor."""


class LIMBERJACK_PT_main(InTab, bpy.types.Panel):
    bl_idname = ids.PT_MAIN
    bl_label = "Limberjack"

    def draw(self, context):
        layout = self.layout
        is_begun = has_links(context.scene)
        if is_begun:
            _draw_transport(layout, context)
        else:  # a newcomer's first click
            row = layout.row()
            row.scale_y = 1.5
            row.menu(ids.MT_SAMPLES, icon="FILE_BLEND")
        _draw_building(layout)
        _draw_messages(layout, context, is_begun)
        draw_result(layout, context)


def _draw_messages(layout, context, is_begun: bool):
    """Below all buttons, so that a message that appears moves none of them away from the mouse."""
    preview = current()
    if preview is not None:
        draw_state(layout, context, preview)
    draw_warnings(layout, context)
    status = getattr(context.window_manager, ids.STATUS)
    if status.error:
        paragraph(layout, context, status.error, icon="ERROR")
    if run := failed_run(context.scene):
        first, last = run.first, int(run.good_frames[-1])
        failed = pgettext_iface("The simulation failed after frame {frame}").format(frame=last)
        paragraph(layout, context, failed, icon="ERROR")
        keep = pgettext_iface("Keep Frames {first}–{last}").format(first=first, last=last)
        layout.operator(ids.OP_BAKE_KEEP_PARTIAL, text=keep, icon="ACTION", translate=False)
    notes = status.notes.splitlines()
    for note in notes[:MOST_NOTES]:
        paragraph(layout, context, note, icon="INFO")
    if len(notes) > MOST_NOTES:
        more = pgettext_iface("More of them: {count}").format(count=len(notes) - MOST_NOTES)
        layout.label(text=more, translate=False)
    sample = opened()
    if is_begun and sample:
        paragraph(layout, context, f"{sample.says or sample.title}. {pgettext_iface(NEXT)}", icon="INFO")


def _draw_transport(layout, context):
    """Play and Simulate, or what goes on instead, always at the same place."""
    preview, status = current(), getattr(context.window_manager, ids.STATUS)
    if preview is not None:
        draw_controls(layout, preview)
    elif status.running:
        draw_running(layout, status)
    else:
        row = layout.split(factor=0.36, align=True)
        row.scale_y = 1.3
        row.operator(ids.OP_PREVIEW, icon="PLAY")
        row.operator(ids.OP_SIMULATE, icon="REC")
        if bake_of(context.scene) is not None:
            layout.operator(ids.OP_BAKE_CLEAR, icon="TRASH")


def _draw_building(layout):
    column = layout.column(align=True)
    row = column.row(align=True)
    row.operator(ids.OP_LINK_TAG, icon="MESH_CUBE")
    row.menu(ids.MT_JOINT_ADD, icon="EMPTY_ARROWS")
    row = column.row(align=True)
    row.operator(ids.OP_JOINT_PICK, icon="EYEDROPPER")
    row.operator(ids.OP_COLLIDER_ADD, text="Collider", icon="MESH_PLANE")
    row.menu(ids.MT_MORE, text="", icon="DOWNARROW_HLT")


class LIMBERJACK_MT_more(bpy.types.Menu):
    """Ways to join many links at once, and machines to learn from"""

    bl_idname = ids.MT_MORE
    bl_label = "Limberjack"

    def draw(self, _context):
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator(ids.OP_CHAIN, icon="LINKED")
        layout.operator(ids.OP_HIERARCHY, icon="OUTLINER")
        layout.operator(ids.OP_MIRROR, icon="MOD_MIRROR")
        layout.separator()
        layout.menu(ids.MT_SAMPLES, icon="FILE_BLEND")


class LIMBERJACK_MT_samples(bpy.types.Menu):
    bl_idname = ids.MT_SAMPLES
    bl_label = "Open a Sample"

    def draw(self, _context):
        self.layout.operator_context = "INVOKE_DEFAULT"
        for name, sample in samples().items():
            self.layout.operator(ids.OP_SAMPLE_OPEN, text=sample.title).name = name


CLASSES = (
    LIMBERJACK_MT_samples,
    LIMBERJACK_MT_more,
    LIMBERJACK_PT_main,
)
