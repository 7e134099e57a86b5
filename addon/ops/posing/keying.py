# SPDX-License-Identifier: GPL-3.0-or-later
"""Key the present pose of the joints, and settings of bones."""

import bpy
from bpy.props import EnumProperty, StringProperty

from ....core.model import ModelError
from ... import bake, bridge, ids
from ...nodes import owner_of
from ...nodes.animation import animation_at
from ...nodes.chosen import active_node
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


class LIMBERJACK_OT_setting_key(bpy.types.Operator):
    """Insert a key for this setting at this frame, or delete the one that is there"""

    bl_idname = ids.OP_SETTING_KEY
    bl_label = "Key Setting"
    bl_options = {"UNDO", "INTERNAL"}

    path: StringProperty(description="Data path of the setting, from the object that stores it", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return active_node(context) is not None

    def execute(self, context):
        owner, frame = owner_of(active_node(context)), context.scene.frame_current_final
        if animation_at(owner, self.path, frame).is_keyed:
            owner.keyframe_delete(self.path, frame=frame)
        else:
            owner.keyframe_insert(self.path, frame=frame)
        return {"FINISHED"}


CLASSES = (LIMBERJACK_OT_pose_key, LIMBERJACK_OT_setting_key)
