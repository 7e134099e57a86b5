# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a ragdoll of an armature, and remove it again. The operators and the command line use these functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import bpy

from ....core.characters.choices import AS_HUMAN, AUTO, BY_ANIMATION, BY_BODY, BY_RIG, HUMAN
from ....core.characters.muscles import RELAXED
from ....core.model import ModelError
from ....core.model.text import counted, weighed
from ....core.spatial import Pose
from ... import bake, bridge, ids
from ...nodes import Node, armature_bones, owner_of
from ...props import is_link
from ...props.chosen import link_for
from ...props.identifiers import remove_unused_identifiers
from ...props.pairs import overlapping_parts, remove_pairs_of, store_overlapping_parts
from ...props.ragdoll import ragdoll_bones
from ...props.settings import joint_settings, link_settings, tagged_bones
from ...watch import ignoring_changes
from ..links.bone_colliders import named_bones, obstacle_of_armature
from ..links.links import tag_links
from .starts import at_start_of_fall, enable_contact_for_ragdoll, restore_scene, start_from_animation

SMALLEST = 0.05
"""Least length of a limb of unknown kind, relative to the extent of the character."""


@dataclass(frozen=True)
class RagdollOptions:
    """Options of `make_ragdoll`.

    Attributes:
        preset: the name of one of `PRESETS`.
        weight: mass of the whole body, or of the chosen bones [kg]; 0 for that of its volume.
        stiffness: strength of the muscles, from 0 to 1.
        self_collision: whether limbs collide with each other.
        fingers: whether fingers and toes get links of their own.
        limits: the name of one of `LIMITS`.
        shapes: the name of one of `SHAPES`.
        bones: names of the bones that may become links, or of bones that copy or steer them; None for all.
    """

    preset: str = AUTO
    weight: float = 0.0
    stiffness: float = RELAXED
    self_collision: bool = True
    fingers: bool = False
    limits: str = BY_BODY
    shapes: str = AUTO
    bones: Collection[str] | None = None


@dataclass(frozen=True)
class MadeRagdoll:
    """A ragdoll that was made.

    Attributes:
        plan: its parts, and the bones that got none.
        mass: of all parts that were set up [kg].
        summary: what was done, in one sentence.
        notes: sentences for the user about what may have to be changed.
        details: sentences about what is as it should be.
    """

    plan: bridge.characters.ragdoll_plans.RagdollPlan
    mass: float
    summary: str
    notes: list[str]
    details: list[str]


def make_ragdoll(context: bpy.types.Context, armature: bpy.types.Object, options: RagdollOptions) -> MadeRagdoll:
    """Make a ragdoll of an armature. The selection does not matter, and stays.

    Bones of a former ragdoll are set up again, or stay as they are if they are not among those that may become links.
    If all bones may become links, those of a former ragdoll that do not are no links any more.

    Raises:
        ModelError: if it cannot be made; nothing is changed then.
    """
    if reason := obstacle_of_armature(armature):
        raise ModelError(reason)
    meshes = bridge.skins.bound_meshes.meshes_bound_to(armature, context.scene)
    with ignoring_changes():
        skin = bridge.skins.rest_skins.rest_skin(armature, meshes, context.view_layer) if meshes else {}
    wanted = None
    if options.bones is not None:
        wanted = {link_for(bone).name for bone in armature_bones(armature) if bone.name in options.bones}
    links = [bone for bone in tagged_bones(armature) if is_link(bone)]
    by_user = [bone for bone in links if not link_settings(bone).body_part]
    kept = [bone.name for bone in links if bone in by_user or (wanted is not None and bone.name not in wanted)]
    plan = bridge.characters.ragdoll_plans.plan_ragdoll(
        armature, skin, SMALLEST, options.fingers, AS_HUMAN[options.preset], wanted, kept, options.shapes
    )
    _check(armature, plan, options, wanted)
    notes = _notes_on_kept(armature, by_user)
    if not skin:
        notes.append(
            f"no mesh follows the bones of '{armature.name}' by weights, so their shapes are those of a usual "
            "body: set Shape in the panel Ragdoll"
        )
    elif note := _note_on_shapes(armature, plan, options.shapes):
        notes.append(note)
    bones = [part.bone for part in plan.new_parts.values()]
    if wanted is None:
        remove_ragdoll([bone for bone in ragdoll_bones(armature) if bone not in bones])
    enable_contact_for_ragdoll(context.scene)
    notes += tag_links(context, bones)
    notes += _set_up(context, plan, options, meshes)
    for bone in bones:
        link_settings(bone).self_collide = options.self_collision
        joint_settings(bone).drive_strength = options.stiffness
    extent = bridge.skins.bone_fitting.extent_of(armature, skin)
    if note := start_from_animation(armature, context.scene):
        notes.insert(0, note)  # the panel shows the first ones
    starts: list[Mapping[str, Pose]] = []
    with at_start_of_fall(armature, context.scene) as is_another_pose:
        if is_another_pose:
            for bone in (part.bone for part in plan.new_parts.values() if part.above is not None):
                notes += bridge.characters.ragdoll_joints.widen_to_present_pose(bone, context.scene)
            starts.append(bridge.characters.ragdoll_bodies.present_poses(plan, context.scene))
    bridge.characters.ragdoll_bodies.store_pairs(plan, extent, context.scene, starts)
    mass = sum(link_settings(bone).mass for bone in bones)
    notes += _notes_on_pieces(armature, plan)
    details = [*_details_of_anchors(armature, plan), *_details_of_merged(plan)]
    return MadeRagdoll(plan, mass, _summary(armature, plan, mass), notes, details)


def remove_ragdoll(bones: Iterable[Node]) -> None:
    """Take away everything that `make_ragdoll` has added to some of its bones, and their bake."""
    removed = list(bones)
    if not removed:
        return
    bake.receipts.clear_some.clear_bake_of(removed)
    for scene in bpy.data.scenes:
        remove_pairs_of(scene, set(removed), only_among=False)
    armatures = {owner_of(bone) for bone in removed}
    for armature in armatures:
        left = [pair for pair in overlapping_parts(armature) if not {*pair} & {*removed}]
        store_overlapping_parts(armature, left)
    for bone in removed:
        for group in (ids.LINK, ids.JOINT, ids.BEFORE):
            bone.property_unset(group)
    for armature in armatures:
        remove_unused_identifiers(armature)
    for scene in bpy.data.scenes:
        restore_scene(scene)


def _check(
    armature: bpy.types.Object,
    plan: bridge.characters.ragdoll_plans.RagdollPlan,
    options: RagdollOptions,
    wanted: Collection[str] | None,
) -> None:
    """Raise `ModelError` if no ragdoll can be made. wanted: as in `plan_ragdoll`."""
    if options.preset == HUMAN and not plan.anatomy.is_humanoid:
        raise ModelError(
            f"armature '{armature.name}' has no bones that are known as hips, thighs and shins: choose the preset "
            "Creature, or name its bones as Rigify, Mixamo or Unreal do"
        )
    if not plan.new_parts:
        chosen = {name: plan.merged[name] for name in wanted or plan.merged if name in plan.merged}
        if plan.kept and chosen:
            raise ModelError(f"{_reasons_in_words(chosen)}. Select other bones, or none for the whole body")
        if plan.kept:
            raise ModelError(f"the bones of armature '{armature.name}' are links already: untag them first")
        raise ModelError(f"armature '{armature.name}' has no bones to make a ragdoll of: select some that deform it")
    for part in plan.new_parts.values():
        if reason := bridge.links.tagging.obstacle_to_tagging(part.bone):
            raise ModelError(reason)


def _notes_on_kept(armature: bpy.types.Object, bones: list[Node]) -> list[str]:
    """Return a note about bones that are links already and stay as they are."""
    names = [bone.name for bone in bones]
    return [f"{named_bones(armature, names)}: links already, so left as they are"] if bones else []


def _note_on_shapes(armature: bpy.types.Object, plan: bridge.characters.ragdoll_plans.RagdollPlan, shapes: str) -> str:
    """Return a note about the new parts that do not have the chosen shape; empty if there are none."""
    names = [name for name, part in plan.new_parts.items() if shapes not in (AUTO, part.shape)]
    if not names:
        return ""
    return f"{named_bones(armature, names)}: too little of a mesh follows for the chosen shape, so it is a capsule"


def _set_up(
    context: bpy.types.Context,
    plan: bridge.characters.ragdoll_plans.RagdollPlan,
    options: RagdollOptions,
    meshes: list[bpy.types.Object],
) -> list[str]:
    """Store the shapes, surfaces, joints, masses and muscles of a ragdoll whose bones are links. Return notes."""
    scene = context.scene
    for name, part in plan.new_parts.items():
        settings = link_settings(part.bone)
        settings.body_part, settings.bone_shape = part.place.part, part.shape
        settings.motion = "KINEMATIC" if name in plan.anchors else "FREE"
        bridge.skins.bone_fitting.store_fit(part.bone, part.fit)
    total = options.weight or bridge.characters.ragdoll_bodies.body_mass(
        plan, meshes, context.evaluated_depsgraph_get()
    )
    bridge.characters.ragdoll_bodies.store_masses(plan, total, scene)
    bridge.characters.ragdoll_bodies.store_surfaces(plan, scene)
    rods = bridge.characters.ragdoll_bodies.rods_of(plan, scene)
    notes: list[str] = []
    for name, part in plan.new_parts.items():
        if part.above is not None:
            _hang_on(part.bone, plan.parts[part.above].bone)
            by_rig = bridge.characters.rig_limits.joint_by_ik_limits(part) if options.limits == BY_RIG else None
            made = by_rig or bridge.characters.ragdoll_joints.joint_for(name, plan)
            notes += bridge.characters.ragdoll_joints.store_part_joint(part.bone, made, scene)
            bridge.characters.ragdoll_joints.store_muscles(name, plan, rods, scene)
    if options.limits == BY_ANIMATION:
        notes += _limit_to_animation(plan, scene)
    evaluated_scene = bridge.links.parts.evaluated_scene_of(scene, context.evaluated_depsgraph_get())
    for part in plan.new_parts.values():
        bridge.scene.store.store_weight(part.bone, bridge.links.mass.weigh(part.bone, evaluated_scene))
    return notes


def _limit_to_animation(plan: bridge.characters.ragdoll_plans.RagdollPlan, scene: bpy.types.Scene) -> list[str]:
    """Limit the joints of new parts to the range of their animation. Return a note if there is none."""
    bones = [part.bone for part in plan.new_parts.values() if part.above is not None]
    if bridge.characters.rig_limits.limit_to_animation(bones, scene):
        return []
    return [
        f"no bone moves from frame {scene.frame_start} to {scene.frame_end}, so joints have the limits of a body: "
        "animate the character, or choose other Limits"
    ]


def _hang_on(bone: Node, above: Node) -> None:
    """Join a bone to another one, if that is not the nearest link above it anyway."""
    settings = joint_settings(bone)
    if settings.parent_node != above:
        settings.parent_node = above


def _summary(armature: bpy.types.Object, plan: bridge.characters.ragdoll_plans.RagdollPlan, mass: float) -> str:
    kind = "a human body" if plan.anatomy.is_humanoid else "a creature"
    return (
        f"'{armature.name}' is a ragdoll of {counted(plan.parts, 'bone')}, {weighed(mass)}, with the joints of {kind}"
    )


def _notes_on_pieces(armature: bpy.types.Object, plan: bridge.characters.ragdoll_plans.RagdollPlan) -> list[str]:
    """Return a note about a body that falls apart."""
    if len(plan.pieces) < 2:
        return []
    return [
        f"'{armature.name}' falls apart into {len(plan.pieces)} pieces: {named_bones(armature, plan.pieces)}. Parent "
        "them to one bone that deforms the mesh, and press Make Ragdoll again"
    ]


def _details_of_anchors(armature: bpy.types.Object, plan: bridge.characters.ragdoll_plans.RagdollPlan) -> list[str]:
    """Return a sentence about the bones that hold the chosen ones."""
    if not plan.anchors:
        return []
    anchors = named_bones(armature, sorted(plan.anchors))
    follow = "it, so it follows" if len(plan.anchors) == 1 else "them, so they follow"
    return [f"{anchors}: not chosen, but chosen bones hang on {follow} the animation"]


def _details_of_merged(plan: bridge.characters.ragdoll_plans.RagdollPlan) -> list[str]:
    """Return one sentence about the bones that got no link, with their reasons."""
    return [_reasons_in_words(plan.merged)] if plan.merged else []


def _reasons_in_words(merged: Mapping[str, str]) -> str:
    """Return a sentence about bones that get no link. merged: the reasons by name, at least one."""
    if len(merged) < 2:
        ((name, reason),) = merged.items()
        return f"bone '{name}' follows the bone above it: {reason}"
    counts = Counter(merged.values())
    reasons = ", ".join(f"{number} × {reason}" for reason, number in counts.most_common())
    return f"{counted(merged, 'bone')} follow the bones above them: {reasons}"
