# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel for import and export of models and motions."""

import bpy

from ...core.formats.registry import writable
from .. import ids
from ..props.settings import scene_settings
from .base import Folded, in_columns


class LIMBERJACK_PT_exchange(Folded, bpy.types.Panel):
    bl_idname = ids.PT_EXCHANGE
    bl_label = "Import / Export"

    def draw(self, context):
        layout = in_columns(self.layout)
        layout.prop(scene_settings(context.scene), "model_name", placeholder=context.scene.name)
        column = layout.column(align=True)
        column.operator(ids.OP_IMPORT, icon="IMPORT")
        for entry in writable():
            column.operator(ids.export_of(entry.suffixes[0]), icon="EXPORT")
        column = layout.column(align=True)
        column.operator(ids.OP_IMPORT_TRAJECTORY, icon="IMPORT")
        column.operator(ids.OP_EXPORT_TRAJECTORY, icon="EXPORT")
        layout.operator(ids.OP_PROVE, icon="CHECKMARK")


CLASSES = (LIMBERJACK_PT_exchange,)
