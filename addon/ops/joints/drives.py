# SPDX-License-Identifier: GPL-3.0-or-later
"""Set drives from the present pose of the joints."""

import bpy
from bpy.props import BoolProperty, FloatProperty

from ....core.model import ModelError
from ... import bridge, ids
from ...nodes.animation import insert_key
from ..report import fail, succeed
from ..selection import OnJoints, selected_joints


class LIMBERJACK_OT_drive_to_pose(OnJoints, bpy.types.Operator):
    """Set the drive targets of the selected joints to their current positions; all joints, if none is selected"""

    bl_idname = ids.OP_DRIVE_TO_POSE
    bl_label = "Drive to Pose"
    bl_options = {"REGISTER", "UNDO"}

    inserts_keys: BoolProperty(
        name="Insert Keys", description="Key the targets at this frame, so that the joints follow from pose to pose"
    )
    frequency: FloatProperty(
        name="Frequency (Hz)",
        description="How fast a joint would swing about its target: higher is stiffer",
        default=2.0,
        min=0.01,
        soft_max=20.0,
    )
    damping_ratio: FloatProperty(
        name="Damping Ratio",
        description="1 comes to rest without swinging, less swings, 0 swings for ever",
        default=1.0,
        min=0.0,
        soft_max=2.0,
    )
    tunes: BoolProperty(
        name="Tune", description="Also replace existing position drives, instead of only moving their targets"
    )

    def execute(self, context):
        tuning = bridge.joints.driving.Tuning(self.frequency, self.damping_ratio)
        try:
            posing = bridge.posing.posing_cache.posing_of(context.scene)
            chosen = [
                name for name in selected_joints(context) or posing.movable_joints if name in posing.movable_joints
            ]
            driven = list(bridge.joints.driving.drive_to_pose(context.scene, posing, chosen, tuning, self.tunes))
        except ModelError as error:
            return fail(self, context, error)
        if not driven:
            return fail(self, context, "None of these joints has an axis that can be driven: select others")
        for obj, path in driven if self.inserts_keys else ():
            insert_key(obj, path, context.scene.frame_current)
        keyed = f", with keys at frame {context.scene.frame_current}" if self.inserts_keys else ""
        return succeed(self, context, f"{len({obj for obj, _ in driven})} joints are driven to their pose{keyed}")


CLASSES = (LIMBERJACK_OT_drive_to_pose,)
