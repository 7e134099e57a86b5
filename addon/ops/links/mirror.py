# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirror links and joints to the other side of a machine or a creature."""

import bpy
from bpy.props import BoolProperty

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...props import is_joint, is_link
from ..report import fail, in_object_mode, select_only, succeed


class LIMBERJACK_OT_mirror(bpy.types.Operator):
    """Mirror the selected links and their joints across the world's YZ plane, and rename them for the other side"""

    bl_idname = ids.OP_MIRROR
    bl_label = "Mirror across X"
    bl_options = {"REGISTER", "UNDO"}

    skip_middle: BoolProperty(
        name="Skip Links on Plane",
        description="Links whose origin lies on the mirror plane are not copied; they carry both sides",
        default=True,
    )

    @classmethod
    def poll(cls, context):
        if not any(is_link(obj) for obj in context.selected_objects):
            cls.poll_message_set("Select the links of one side")
            return False
        return in_object_mode(cls, context)

    def execute(self, context):
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
