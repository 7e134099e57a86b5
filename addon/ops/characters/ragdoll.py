# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a ragdoll of a character in one click, and remove it again."""

from __future__ import annotations

from collections import Counter

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty

from ....core.characters.muscles import RELAXED
from ....core.model import ModelError
from ....core.model.text import counted, weighed
from ... import bake, bridge, ids
from ...nodes import armature_bones, is_selected, is_visible, model_name
from ...props import is_link
from ...props.chosen import link_for
from ...props.pairs import remove_pairs_of
from ...props.ragdoll import STIFFNESS_HELP, ragdoll_bones
from ...props.settings import joint_settings, link_settings, tagged_bones
from ...watch import ignoring_changes
from ..links.bone_colliders import chosen_armatures, obstacle_of_armature
from ..links.links import tag_links
from ..report import fail, in_object_or_pose_mode, succeed
from .starts import restore_start, start_from_animation

SMALLEST = 0.05
"""Least length of a limb of unknown kind, relative to the extent of the character."""

MOST_NAMED = 3
"""Number of bones that a note names."""


class _OnCharacter:
    """An operator on the armature of a character, in Object Mode and in Pose Mode."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not in_object_or_pose_mode(cls, context):
            return False
        if next(chosen_armatures(context), None) is None:
            cls.poll_message_set("Select a character: its armature, or a mesh that the armature deforms")
            return False
        return True


class LIMBERJACK_OT_make_ragdoll(_OnCharacter, bpy.types.Operator):
    """Let a character fall: its limbs become rigid bodies of their shape and weight, with joints that bend as a body's do. In Pose Mode, the selected bones, or all if all are selected"""  # noqa: E501

    bl_idname = ids.OP_RAGDOLL
    bl_label = "Make Ragdoll"

    preset: EnumProperty(
        name="Preset",
        description="How far joints bend, and how the weight is spread",
        items=(
            ("AUTO", "Automatic", "As a human body if its parts are recognized, else as a creature", 0),
            ("HUMAN", "Human", "Ranges and weights of a human body; an error if its parts are not recognized", 1),
            ("CREATURE", "Creature", "The same range for all joints, and weight by volume", 2),
        ),
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
    fingers: BoolProperty(
        name="Fingers and Toes", description="Fingers and toes get bodies of their own, and do not only follow the hand"
    )

    def execute(self, context):
        armatures = [*chosen_armatures(context)]
        if obstacles := [reason for obj in armatures if (reason := obstacle_of_armature(obj))]:
            return fail(self, context, obstacles[0])
        messages: list[str] = []
        notes: list[str] = []
        try:
            for armature in armatures:
                message, more = self._make(context, armature)
                messages.append(message)
                notes += more
        except ModelError as error:
            return fail(self, context, error)
        return succeed(self, context, "; ".join(messages), notes)

    def _make(self, context, armature: bpy.types.Object) -> tuple[str, list[str]]:
        """Make a ragdoll of one armature. Return what was done, and notes.

        Raises:
            ModelError: if it cannot be made; nothing of this armature is changed then.
        """
        meshes = bridge.skins.bound_meshes.meshes_bound_to(armature, context.scene)
        with ignoring_changes():
            skin = bridge.skins.rest_skins.rest_skin(armature, meshes, context.view_layer) if meshes else {}
        plan = bridge.characters.ragdoll_plans.plan_ragdoll(
            armature, skin, SMALLEST, self.fingers, self.preset != "CREATURE", _wanted_bones(context, armature)
        )
        notes = self._check(armature, plan)
        if not skin:
            notes.append(
                f"no mesh follows the bones of '{armature.name}' by weights, so their shapes are those of a usual "
                "body: set Shape in the panel Ragdoll"
            )
        bones = [part.bone for part in plan.parts.values()]
        notes += tag_links(context, bones)
        notes += _set_up(context, armature, plan, self.weight, meshes)
        for bone in bones:
            link_settings(bone).self_collide = self.self_collision
            joint_settings(bone).drive_strength = self.stiffness
        extent = bridge.skins.bone_fitting.extent_of(armature, skin)
        bridge.characters.ragdoll_bodies.store_pairs(plan, extent, context.scene)
        if note := start_from_animation(armature, context.scene):
            notes.insert(0, note)  # the panel shows the first ones
        return _summary(armature, plan), notes + _notes_on_merged(plan)

    def _check(self, armature: bpy.types.Object, plan) -> list[str]:
        """Return notes about bones that stay as they are. Raise `ModelError` if no ragdoll can be made."""
        if self.preset == "HUMAN" and not plan.anatomy.is_humanoid:
            raise ModelError(
                f"armature '{armature.name}' has no bones that are known as hips, thighs and shins: choose the preset "
                "Creature, or name its bones as Rigify, Mixamo or Unreal do"
            )
        before = [bone for bone in tagged_bones(armature) if is_link(bone) and not link_settings(bone).body_part]
        kept = {bone.name for bone in before}
        for name in kept & set(plan.parts):
            del plan.parts[name]
        if not plan.parts:
            raise ModelError(
                f"armature '{armature.name}' has no bones to make a ragdoll of: select some that deform it"
            )
        for part in plan.parts.values():
            if reason := bridge.links.tagging.obstacle_to_tagging(part.bone):
                raise ModelError(reason)
        shown = ", ".join(f"'{model_name(bone)}'" for bone in before[:MOST_NAMED])
        more = f" and {len(before) - MOST_NAMED} more" if len(before) > MOST_NAMED else ""
        return [f"{shown}{more}: links already, so left as they are"] if before else []


def _wanted_bones(context, armature: bpy.types.Object) -> set[str] | None:
    """Return the names of the bones that the user has chosen in Pose Mode; None for all."""
    if context.mode != "POSE":
        return None
    shown = [bone for bone in armature_bones(armature) if is_visible(bone)]
    chosen = [bone for bone in shown if is_selected(bone)]
    if not chosen or len(chosen) == len(shown):
        return None
    return {link_for(bone).name for bone in chosen}


def _set_up(context, armature: bpy.types.Object, plan, weight: float, meshes) -> list[str]:
    """Store the shapes, joints, masses and muscles of a ragdoll whose bones are links. Return notes."""
    scene = context.scene
    for part in plan.parts.values():
        settings = link_settings(part.bone)
        settings.body_part, settings.motion = part.place.part, "FREE"
        bridge.skins.bone_fitting.store_fit(part.bone, part.fit)
    total = weight or bridge.characters.ragdoll_bodies.body_mass(plan, meshes, context.evaluated_depsgraph_get())
    bridge.characters.ragdoll_bodies.store_masses(plan, total, scene)
    rods = bridge.characters.ragdoll_bodies.rods_of(plan, scene)
    notes: list[str] = []
    for name, part in plan.parts.items():
        if part.above is not None:
            made = bridge.characters.ragdoll_joints.joint_for(name, plan)
            notes += bridge.characters.ragdoll_joints.store_part_joint(part.bone, made, scene)
            bridge.characters.ragdoll_joints.store_muscles(name, plan, rods, scene)
    evaluated_scene = bridge.links.parts.evaluated_scene_of(scene, context.evaluated_depsgraph_get())
    for part in plan.parts.values():
        bridge.scene.store.store_weight(part.bone, bridge.links.mass.weigh(part.bone, evaluated_scene))
    return notes


def _summary(armature: bpy.types.Object, plan) -> str:
    total = weighed(sum(link_settings(part.bone).mass for part in plan.parts.values()))
    kind = "a human body" if plan.anatomy.is_humanoid else "a creature"
    return f"'{armature.name}' is a ragdoll of {counted(plan.parts, 'bone')}, {total}, with the joints of {kind}"


def _notes_on_merged(plan) -> list[str]:
    """Return one note about the bones that got no link, with their reasons."""
    counts = Counter(plan.merged.values())
    if not counts:
        return []
    reasons = ", ".join(f"{number} × {reason}" for reason, number in counts.most_common())
    return [f"{counted(plan.merged, 'bone')} follow the bones above them: {reasons}"]


class LIMBERJACK_OT_remove_ragdoll(_OnCharacter, bpy.types.Operator):
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
        bake.receipts.clear_some.clear_bake_of(bones)
        for scene in bpy.data.scenes:
            remove_pairs_of(scene, set(bones))
        for bone in bones:
            for group in (ids.LINK, ids.JOINT, ids.BEFORE):
                bone.property_unset(group)
        for scene in bpy.data.scenes:
            restore_start(scene)
        return succeed(self, context, f"The ragdoll of {counted(bones, 'bone')} is removed")


CLASSES = (LIMBERJACK_OT_make_ragdoll, LIMBERJACK_OT_remove_ragdoll)
