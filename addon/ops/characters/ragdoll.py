# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a ragdoll of a character in one click, and remove it again."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty

from ....core.characters.choices import LIMITS, PRESETS, SHAPES
from ....core.characters.muscles import RELAXED
from ....core.model import ModelError
from ....core.model.text import counted
from ... import ids
from ...nodes import armature_bones, is_selected, is_visible
from ...props.ragdoll import STIFFNESS_HELP, ragdoll_bones
from ..links.bone_colliders import OnCharacters, chosen_armatures, obstacle_of_armature
from ..report import fail, succeed
from .making import RagdollOptions, make_ragdoll, remove_ragdoll


class LIMBERJACK_OT_make_ragdoll(OnCharacters, bpy.types.Operator):
    """Let a character fall: its limbs become bodies of their shape and weight. In Pose Mode, those of selected bones"""

    bl_idname = ids.OP_RAGDOLL
    bl_label = "Make Ragdoll"

    preset: EnumProperty(
        name="Preset",
        description="How far joints bend, and how the weight is spread",
        items=[(*preset, number) for number, preset in enumerate(PRESETS)],
    )
    weight: FloatProperty(
        name="Weight (kg)",
        description="Mass of the whole body; 0 for that of its volume in flesh and bone",
        min=0.0,
        soft_max=200.0,
        precision=2,
    )
    self_collision: BoolProperty(
        name="Self-Collision",
        description="Limbs collide with each other, except neighbours and those that overlap at rest",
        default=True,
    )
    stiffness: FloatProperty(
        name="Stiffness", description=STIFFNESS_HELP, subtype="FACTOR", default=RELAXED, min=0.0, max=1.0
    )
    shapes: EnumProperty(
        name="Shapes",
        description="What the parts collide as. Each can be changed later",
        items=[(*shape, number) for number, shape in enumerate(SHAPES)],
    )
    limits: EnumProperty(
        name="Limits",
        description="Where the limits of joints come from",
        items=[(*source, number) for number, source in enumerate(LIMITS)],
    )
    fingers: BoolProperty(
        name="Fingers and Toes", description="Fingers and toes get bodies of their own, and do not only follow the hand"
    )

    def execute(self, context):
        armatures = [*chosen_armatures(context)]
        if obstacles := [reason for obj in armatures if (reason := obstacle_of_armature(obj))]:
            return fail(self, context, obstacles[0])
        try:
            made = [make_ragdoll(context, obj, self._options(_wanted_bones(context, obj))) for obj in armatures]
        except ModelError as error:
            return fail(self, context, error)
        message = "; ".join(each.summary for each in made)
        notes, details = ([note for each in made for note in getattr(each, name)] for name in ("notes", "details"))
        return succeed(self, context, message, notes, details=details)

    def _options(self, wanted: set[str] | None) -> RagdollOptions:
        return RagdollOptions(
            preset=self.preset,
            weight=self.weight,
            stiffness=self.stiffness,
            self_collision=self.self_collision,
            fingers=self.fingers,
            limits=self.limits,
            shapes=self.shapes,
            bones=wanted,
        )


def _wanted_bones(context, armature: bpy.types.Object) -> set[str] | None:
    """Return the names of the bones that the user has chosen in Pose Mode; None for all."""
    if context.mode != "POSE":
        return None
    shown = [bone for bone in armature_bones(armature) if is_visible(bone)]
    chosen = [bone for bone in shown if is_selected(bone)]
    if not chosen or len(chosen) == len(shown):
        return None
    return {bone.name for bone in chosen}


class LIMBERJACK_OT_remove_ragdoll(OnCharacters, bpy.types.Operator):
    """Take away everything that Make Ragdoll has added to the bones: bodies, joints, and pairs that do not collide"""

    bl_idname = ids.OP_RAGDOLL_REMOVE
    bl_label = "Remove Ragdoll"

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        if not any(ragdoll_bones(armature) for armature in chosen_armatures(context)):
            cls.poll_message_set("Make Ragdoll has not been used on this character")
            return False
        return True

    def execute(self, context):
        bones = [bone for armature in chosen_armatures(context) for bone in ragdoll_bones(armature)]
        remove_ragdoll(bones)
        return succeed(self, context, f"The ragdoll of {counted(bones, 'bone')} is removed")


CLASSES = (LIMBERJACK_OT_make_ragdoll, LIMBERJACK_OT_remove_ragdoll)
