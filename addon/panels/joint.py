"""The active object, as a joint."""

import bpy

from .. import ids
from ..bridge.rig import last_rig
from ..props import core_joint, has_lost_its_parent, is_joint, is_known_joint
from .base import Below, draw_switched, in_columns, paragraph


class LIMBERJACK_PT_joint(Below, bpy.types.Panel):
    bl_idname = ids.PT_JOINT
    bl_label = "Joint"

    @classmethod
    def poll(cls, context):
        return is_joint(context.active_object)

    def draw(self, context):
        layout = in_columns(self.layout)
        joint = getattr(context.active_object, ids.JOINT)
        obj = joint.id_data
        layout.prop(obj, "name")
        row = layout.row(align=True)
        row.prop(joint, "type")
        row.menu(ids.MT_JOINT_PRESETS, text="", icon="PRESET")
        if not is_known_joint(obj):
            paragraph(layout, context, "Chosen by a newer Limberjack, and unknown to this one", icon="ERROR")
            return
        layout.prop(joint, "parent", placeholder="World" if joint.to_world else "Lost")
        if has_lost_its_parent(joint):
            layout.prop(joint, "to_world")
        layout.prop(joint, "child")
        layout.prop(joint, "enabled")
        release = layout.column()
        release.active = joint.enabled
        draw_switched(release, joint, "use_released_at", "released_at")
        layout.prop(joint, "is_held")
        layout.prop(joint, "closes_loop")
        if core_joint(joint).kind.threaded:
            layout.prop(joint, "pitch")
        layout.prop(joint, "use_mimic")
        if joint.use_mimic:
            _draw_mimic(layout.column(align=True), joint)
        if has_lost_its_parent(joint):
            paragraph(layout, context, "The parent was deleted: choose another, or tick Join to World", icon="ERROR")
        elif joint.child and not joint.X_PJ:
            paragraph(layout, context, "A link was changed: place the Empty, then press Join Here", icon="ERROR")
        scene = context.scene
        rig = last_rig(scene)
        if rig and obj.name in rig.loops and not joint.closes_loop:
            paragraph(layout, context, "Closes a loop: its links are joined by other joints already", icon="LINKED")
        row = layout.row(align=True)
        row.operator(ids.OP_ZERO_HERE)
        row.operator(ids.OP_JOINT_FRAMES)


def _draw_mimic(layout, joint):
    """The numbers of axes only where there is a choice."""
    mimic = joint.mimic
    if core_joint(joint).axis_count > 1:
        layout.prop(mimic, "axis_number")
    layout.prop(mimic, "leader")
    if is_known_joint(mimic.leader) and core_joint(getattr(mimic.leader, ids.JOINT)).axis_count > 1:
        layout.prop(mimic, "leader_axis_number")
    for name in ("multiplier", "offset", "reference"):
        layout.prop(mimic, name)


CLASSES = (LIMBERJACK_PT_joint,)
