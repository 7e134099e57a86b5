# SPDX-License-Identifier: GPL-3.0-or-later
"""Give a scene the gravity of the Earth, regardless of its unit."""

import bpy

from ... import bridge, ids
from ..report import nothing_runs, succeed


class LIMBERJACK_OT_earth_gravity(bpy.types.Operator):
    """Set gravity to 9.81 m/s², whatever the scene's Unit Scale; its direction stays"""

    bl_idname = ids.OP_EARTH_GRAVITY
    bl_label = "Earth's Gravity"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return nothing_runs(cls, context)

    def execute(self, context):
        bridge.values.gravity.set_earth_gravity(context.scene)
        return succeed(self, context, "Gravity is 9.81 m/s²")


CLASSES = (LIMBERJACK_OT_earth_gravity,)
