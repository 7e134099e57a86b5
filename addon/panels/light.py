# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the active light with its properties for model files."""

import bpy

from .. import ids
from ..props.settings import light_settings
from .base import Folded, in_columns


class LIMBERJACK_PT_light(Folded, bpy.types.Panel):
    bl_idname = ids.PT_LIGHT
    bl_label = "Light in Files"

    @classmethod
    def poll(cls, context):
        return context.active_object is not None and context.active_object.type == "LIGHT"

    def draw(self, context):
        layout = in_columns(self.layout)
        light = context.active_object.data
        settings = light_settings(light)
        layout.prop(settings, "specular")
        if light.type == "SUN":
            return
        layout.prop(settings, "range")
        for name in ("constant", "linear", "quadratic"):
            layout.prop(settings, name, text=f"Fade {name.capitalize()}")
        if light.type == "SPOT":
            layout.prop(settings, "falloff")


CLASSES = (LIMBERJACK_PT_light,)
