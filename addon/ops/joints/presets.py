# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply presets to joints, such as the settings of a door hinge, a drawer or a knee."""

import bpy
from bpy.props import EnumProperty

from ....core.model import ModelError
from ....core.model.presets import PRESETS, with_preset
from ....core.model.text import counted
from ... import bridge, ids
from ...nodes import Node
from ...props import is_joint
from ...props.chosen import meant_nodes
from ...props.entries import number_of
from ..report import fail, succeed
from ..selection import OnSelectedJoints


def preset_items():
    return [(preset.name, preset.label, preset.summary, number_of(preset.name)) for preset in PRESETS.values()]


class LIMBERJACK_OT_joint_preset(OnSelectedJoints, bpy.types.Operator):
    """Set the type, limits and forces of the selected joints from a preset. Their position and axes stay"""

    bl_idname = ids.OP_PRESET
    bl_label = "Joint Preset"
    bl_options = {"REGISTER", "UNDO"}

    preset: EnumProperty(name="Preset", description="Preset for the joints", items=preset_items())

    @classmethod
    def description(cls, context, properties):
        return PRESETS[properties.preset].summary

    def execute(self, context):
        joints = [node for node in meant_nodes(context) if is_joint(node)]
        try:
            notes = set_up(joints, self.preset, context.scene)
        except ModelError as error:
            return fail(self, context, error)
        return succeed(self, context, f"{counted(joints, 'joint')} set up as {PRESETS[self.preset].label}", notes)


def set_up(joints: list[Node], preset: str, scene: bpy.types.Scene) -> list[str]:
    """Apply a preset, and return messages for the user.

    Raises:
        ModelError: before any joint is changed.
    """
    made = {obj: with_preset(bridge.joints.read_joints.read_joint(obj, scene), PRESETS[preset]) for obj in joints}
    return [note for obj, joint in made.items() for note in bridge.scene.write.store_joint(joint, obj, scene)]


CLASSES = (LIMBERJACK_OT_joint_preset,)
