# SPDX-License-Identifier: GPL-3.0-or-later
"""Set limits of joints from the motion of their links."""

import bpy
from bpy.props import FloatProperty

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...nodes import model_name
from ...props import is_joint
from ...props.chosen import meant_nodes
from ..report import fail, succeed
from ..selection import OnSelectedJoints

REPORTED_GAP = 0.02
"""Gap between links and joint, distance [m] or angle [rad], above which the user is warned."""


class LIMBERJACK_OT_limits_from_motion(OnSelectedJoints, bpy.types.Operator):
    """Set the limits of the selected joints to the range of their links' animation, over the scene's frames"""

    bl_idname = ids.OP_LIMITS_FROM_MOTION
    bl_label = "Limits from Motion"
    bl_options = {"REGISTER", "UNDO"}
    what = "joints whose links are animated"

    margin: FloatProperty(
        name="Margin",
        description="Added on either side, in percent of the range. An axis that stands still gets 2° or 1 mm instead",
        default=10.0,
        min=0.0,
        soft_max=100.0,
        subtype="PERCENTAGE",
    )

    def execute(self, context):
        scene = context.scene
        objects = [obj for obj in meant_nodes(context) if is_joint(obj)]
        try:  # read all before any is changed
            joints = {obj: bridge.joints.read_joints.read_joint(obj, scene) for obj in objects}
            motions = bridge.joints.motion_ranges.recorded_motions(
                bridge.joints.motion_ranges.joints_with_limits(joints), scene
            )
            for obj, motion in motions.items():
                bridge.joints.motion_ranges.require_motion(obj, motion, scene)
        except ModelError as error:
            return fail(self, context, error)
        notes = []
        for obj, motion in motions.items():
            notes += bridge.scene.write.store_joint(motion.with_limits(self.margin / 100.0), obj, scene)
            if motion.largest_gap > REPORTED_GAP:
                gap = motion.largest_gap
                notes.append(
                    f"joint '{model_name(obj)}': its links move by up to {gap:.3g} m or rad in ways that it does "
                    "not allow: is its place or its type right?"
                )
        return succeed(self, context, f"{counted(motions, 'joint')} limited to how the links move", notes)


CLASSES = (LIMBERJACK_OT_limits_from_motion,)
