# SPDX-License-Identifier: GPL-3.0-or-later
"""The first panel in the Properties editor's Physics tab, where artists look for physics: tag, ground, bake.

Its buttons stand below each other: the Properties editor of a small window has 160 pixels for a row.
"""

import bpy

from .. import ids
from ..props import carrier_of, is_joint
from ..props.members import has_links
from .main import draw_ground, draw_transport


class LIMBERJACK_PT_main_physics(bpy.types.Panel):
    bl_idname = ids.PT_PHYSICS
    bl_label = "Limberjack"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context):
        return context.object is not None

    def draw(self, context):
        layout = self.layout
        if carrier_of(context.object) is None and not is_joint(context.object):
            column = layout.column(align=True)
            column.operator(ids.OP_LINK_TAG, icon="MESH_CUBE")
            column.operator(ids.OP_COLLIDER_ADD, text="Collider", icon="MESH_PLANE")
        draw_ground(layout, context.scene, is_narrow=True)
        if has_links(context.scene):
            draw_transport(layout, context, is_narrow=True)


CLASSES = (LIMBERJACK_PT_main_physics,)
