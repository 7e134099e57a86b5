# SPDX-License-Identifier: GPL-3.0-or-later
"""Switch the scene's ground on and off."""

import bpy

from ... import ids
from ...props.settings import scene_settings
from ..report import in_object_or_pose_mode, succeed


class LIMBERJACK_OT_ground(bpy.types.Operator):
    """Switch the ground on or off: an invisible, infinite floor at height zero. Links bounce, slide and rest on it"""

    bl_idname = ids.OP_GROUND
    bl_label = "Ground"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return in_object_or_pose_mode(cls, context)

    def execute(self, context):
        settings = scene_settings(context.scene)
        settings.ground = not settings.ground
        if not settings.ground:
            return succeed(self, context, "The ground is off")
        settings.contact = True  # without it, links would pass through the ground
        return succeed(self, context, "The ground is on, at height zero")


CLASSES = (LIMBERJACK_OT_ground,)
