# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel for graphs of the last motion."""

import bpy

from ... import ids
from ...bridge.findings.last_run import last_run
from ...props.settings import scene_settings
from ..base import Folded, in_columns


class LIMBERJACK_PT_graph(Folded, bpy.types.Panel):
    bl_idname = ids.PT_GRAPH
    bl_label = "Graph"
    bl_parent_id = ids.PT_SIMULATE

    def draw_header(self, context):
        self.layout.prop(scene_settings(context.scene), "shows_graph", text="")

    def draw(self, context):
        layout = in_columns(self.layout)
        settings = scene_settings(context.scene)
        column = layout.column()
        column.active = settings.shows_graph
        column.prop(settings, "graph")
        if last_run(context.scene) is None:
            layout.label(text="Simulate to see graphs", icon="INFO")


CLASSES = (LIMBERJACK_PT_graph,)
