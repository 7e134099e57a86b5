"""The menu of joint presets."""

import bpy

from ...core.model.presets import PRESETS
from .. import ids


class LIMBERJACK_MT_joint_presets(bpy.types.Menu):
    """What the selected joints are to be like"""

    bl_idname = ids.MT_JOINT_PRESETS
    bl_label = "Joint Presets"

    def draw(self, context):
        for preset in PRESETS.values():
            self.layout.operator(ids.OP_PRESET, text=preset.label).preset = preset.name


CLASSES = (LIMBERJACK_MT_joint_presets,)
