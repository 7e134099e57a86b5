# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirror links and joints to the other side of a machine or a creature."""

import bpy
from bpy.props import BoolProperty

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...nodes import parts_among
from ...props import is_joint, is_link
from ...props.chosen import meant_nodes
from ...watch import note_change
from ..report import fail, in_object_or_pose_mode, select_only, succeed


class LIMBERJACK_OT_mirror(bpy.types.Operator):
    """Mirror the selected links and joints across the world's YZ plane. Bones give their settings to the other side"""

    bl_idname = ids.OP_MIRROR
    bl_label = "Mirror across X"
    bl_options = {"REGISTER", "UNDO"}

    skip_middle: BoolProperty(
        name="Skip Links on Plane",
        description="Links whose origin lies on the mirror plane are not copied, nor bones whose names have no side",
        default=True,
    )

    @classmethod
    def poll(cls, context):
        if not any(is_link(node) for node in meant_nodes(context)):
            cls.poll_message_set("Select the links of one side")
            return False
        return in_object_or_pose_mode(cls, context)

    def execute(self, context):
        return self._mirror_bones(context) if context.mode == "POSE" else self._mirror_objects(context)

    def _mirror_bones(self, context):
        bones = [bone for bone in parts_among(meant_nodes(context)) if is_link(bone)]
        chosen = [bone for bone in bones if not self.skip_middle or bridge.scene.mirroring_bones.has_side(bone)]
        if not chosen:
            return fail(self, context, f"'{bones[0].name}' is on no side: select bones with names such as arm.L")
        try:
            notes = bridge.scene.mirroring_bones.mirror_settings(chosen, context.scene)
        except ModelError as error:
            return fail(self, context, error)
        note_change(context.selected_objects)
        return succeed(self, context, f"Settings of {counted(chosen, 'bone')} given to the other side", notes)

    def _mirror_objects(self, context):
        chosen = [obj for obj in context.selected_objects if is_link(obj)]
        try:
            links = [obj for obj in chosen if not (self.skip_middle and bridge.scene.mirroring.is_in_the_middle(obj))]
            if not links:
                return fail(
                    self,
                    context,
                    f"'{chosen[0].name}' lies on the plane x = 0, where its image would be itself: select links beside "
                    "it, or switch Skip Links on Plane off",
                )
            done = bridge.scene.mirroring.mirror(links, context.scene)
        except ModelError as error:
            return fail(self, context, error)
        context.view_layer.update()
        joints = [copy for copy in done.copies.values() if is_joint(copy)]
        select_only(context, *(done.copies[link] for link in links))
        return succeed(self, context, f"{counted(links, 'link')} and {counted(joints, 'joint')} mirrored", done.notes)


CLASSES = (LIMBERJACK_OT_mirror,)
