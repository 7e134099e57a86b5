# SPDX-License-Identifier: GPL-3.0-or-later
"""Menus of joint types and of presets."""

import bpy

from ....core.model.presets import PRESETS
from ... import ids


class LIMBERJACK_MT_joint_presets(bpy.types.Menu):
    """What the selected joints are to be like"""

    bl_idname = ids.MT_JOINT_PRESETS
    bl_label = "Joint Presets"

    def draw(self, context):
        for preset in PRESETS.values():
            self.layout.operator(ids.OP_PRESET, text=preset.label).preset = preset.name


class LIMBERJACK_MT_new_presets(bpy.types.Menu):
    """What a new joint is to be like"""

    bl_idname = ids.MT_NEW_PRESETS
    bl_label = "Presets"

    def draw(self, _context):
        for preset in PRESETS.values():
            self.layout.operator(ids.OP_JOINT_ADD, text=preset.label).preset = preset.name


class LIMBERJACK_MT_joint_add(bpy.types.Menu):
    """Join the active link to the other selected link, or to the world if it is selected alone"""

    bl_idname = ids.MT_JOINT_ADD
    bl_label = "Add Joint"

    def draw(self, _context):
        self.layout.operator_enum(ids.OP_JOINT_ADD, "type")
        self.layout.separator()
        self.layout.menu(ids.MT_NEW_PRESETS, icon="PRESET")


CLASSES = (LIMBERJACK_MT_joint_presets, LIMBERJACK_MT_new_presets, LIMBERJACK_MT_joint_add)
