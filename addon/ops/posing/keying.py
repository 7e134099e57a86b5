# SPDX-License-Identifier: GPL-3.0-or-later
"""Key the present pose of the joints."""

import bpy
from bpy.props import EnumProperty

from ....core.model import ModelError
from ... import bake, bridge, ids
from ..report import fail, succeed
from ..selection import OnJoints


class LIMBERJACK_OT_pose_key(OnJoints, bpy.types.Operator):
    """Key the pose at this frame"""

    bl_idname = ids.OP_POSE_KEY
    bl_label = "Key Pose"
    bl_options = {"REGISTER", "UNDO"}

    what: EnumProperty(
        name="Key",
        description="What gets the keys",
        items=(
            ("LINKS", "Links", "Location and rotation of every link that joints move, as for any object", 0),
            ("JOINTS", "Joint Values", "Positions of all joints. Between keys, links turn about their joints", 1),
        ),
    )

    def execute(self, context):
        key, things = (
            (bake.keys.pose_keys.key_links, "links")
            if self.what == "LINKS"
            else (bake.keys.pose_keys.key_joints, "joints")
        )
        try:
            count, notes = key(context.scene, bridge.posing.posing_cache.posing_of(context.scene))
        except ModelError as error:
            return fail(self, context, error)
        if not count:
            return fail(self, context, notes[0] if notes else f"There are no {things} that move: join some links first")
        return succeed(self, context, f"{count} {things} have keys at frame {context.scene.frame_current}", notes)


CLASSES = (LIMBERJACK_OT_pose_key,)
