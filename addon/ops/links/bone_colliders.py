# SPDX-License-Identifier: GPL-3.0-or-later
"""Let the bones of characters collide, with capsules that are fitted to the meshes that they deform."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import bpy
from bpy.props import BoolProperty, FloatProperty

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...nodes import Node, armature_bones, is_selected, model_name
from ...props import ancestors, carrier_of, is_link
from ...props.chosen import meant_node
from ...props.ragdoll import is_body_part
from ...props.settings import link_settings, scene_settings, tagged_bones
from ...watch import ignoring_changes
from ..report import fail, in_object_or_pose_mode, succeed
from .colliders import weigh_collider
from .links import enable_contact_initially, untag

SMALLEST = 6.0
"""Default of the smallest bone [% of the character]: below it are fingers, toes and the bones of a face."""

MOST_NAMED = 3
"""Number of bones that a note names."""


def chosen_armatures(context) -> Iterator[bpy.types.Object]:
    """Yield the armatures that are in Pose Mode; in Object Mode, those that are selected or deform what is."""
    chosen = context.objects_in_mode if context.mode == "POSE" else context.selected_objects
    return bridge.skins.bound_meshes.armatures_chosen(chosen)


class OnCharacters:
    """An operator on the armatures of characters, in Object Mode and in Pose Mode."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not in_object_or_pose_mode(cls, context):
            return False
        if next(chosen_armatures(context), None) is None:
            cls.poll_message_set("Select a character: its armature, or a mesh that the armature deforms")
            return False
        return True


class _OnCharacterBones(OnCharacters):
    """An operator on all bones of characters, or on those that are selected."""

    selected_only: BoolProperty(
        name="Selected Bones Only",
        description="Leave out bones that are not selected. In Pose Mode only",
        options={"SKIP_SAVE"},
    )

    def bones_of(self, context, armature: bpy.types.Object) -> list[bpy.types.PoseBone]:
        """Return the bones that the operator may change."""
        selected_only = self.selected_only and context.mode == "POSE"
        return [bone for bone in armature_bones(armature) if not selected_only or is_selected(bone)]


class LIMBERJACK_OT_bones_as_colliders(_OnCharacterBones, bpy.types.Operator):
    """Let a character push links: bones that deform its meshes become kinematic links with capsules of their shape"""

    bl_idname = ids.OP_BONE_COLLIDERS
    bl_label = "Bones as Colliders"

    smallest: FloatProperty(
        name="Smallest Bone",
        description="Leave out bones whose capsule would be shorter than this part of the character, such as fingers, "
        "toes and bones of the face. What they deform belongs to the bone above: fingers to the hand",
        subtype="PERCENTAGE",
        default=SMALLEST,
        min=0.0,
        max=100.0,
        soft_max=30.0,
        precision=1,
    )

    def execute(self, context):
        armatures = [*chosen_armatures(context)]
        obstacles = [reason for obj in armatures if (reason := obstacle_of_armature(obj))]
        if obstacles:
            return fail(self, context, obstacles[0])
        made: list[bpy.types.PoseBone] = []
        notes: list[str] = []
        for armature in armatures:
            bones = self.bones_of(context, armature)
            found, more = add_bone_colliders(context, armature, bones, self.smallest / 100.0)
            made += found
            notes += more
        if not made:
            return fail(self, context, notes[0] if notes else "No bone is selected")
        if not scene_settings(context.scene).contact:
            notes.append("Contact is off in this scene: switch it on in the panel Simulation")
        return succeed(self, context, f"{counted(made, 'bone')} made colliders", notes)


def obstacle_of_armature(armature: bpy.types.Object) -> str:
    """Return why the bones of an armature cannot get shapes, and what to do; empty if they can."""
    if reason := bridge.links.tagging.library_of(armature):
        return reason
    if 0.0 in armature.matrix_world.to_scale():
        return f"armature '{armature.name}' has a scale of zero: give it a size"
    return ""


def add_bone_colliders(
    context, armature: bpy.types.Object, bones: list[bpy.types.PoseBone], smallest: float = SMALLEST / 100.0
) -> tuple[list[bpy.types.PoseBone], list[str]]:
    """Make bones of an armature colliders, in the place of the meshes that it deforms.

    Bones that are links already and not kinematic stay as they are.

    Args:
        bones: those that may become colliders.
        smallest: least length of a capsule, relative to the greatest extent of the character.

    Returns:
        The bones that are colliders now, and notes for the user.
    """
    meshes = bridge.skins.bound_meshes.meshes_bound_to(armature, context.scene)
    skin = _skin_of(context, armature, meshes)
    least = smallest * bridge.skins.bone_fitting.extent_of(armature, skin)
    kept = [bone.name for bone in tagged_bones(armature) if is_link(bone) and link_settings(bone).motion != "KINEMATIC"]
    candidates = [bone for bone in bones if bone.name not in kept and (not skin or bone.name in skin)]
    resized = _with_animated_scale(candidates)
    obstacles = {bone: reason for bone in candidates if (reason := _obstacle(bone, resized))}
    candidates = [bone for bone in candidates if bone not in obstacles]
    notes = list(obstacles.values())
    if skin:
        names = [bone.name for bone in candidates]
        fits = bridge.skins.bone_fitting.fit_bones(armature, skin, names, least, kept)
        chosen, fit_of = [bone for bone in candidates if bone.name in fits.by_bone], fits.by_bone
    else:
        chosen, fit_of = [bone for bone in _deforming(candidates) if _length(bone) >= least], {}
        notes.append(
            f"no mesh follows the bones of '{armature.name}' by weights, so their shapes are capsules of a tenth of "
            "their length: set Radius, Start and End in the panel Link"
        )
    if kept:
        notes.append(f"{named_bones(armature, kept)}: already simulated or static, so left as before")
    enable_contact_initially(context.scene)
    untag([bone for bone in tagged_bones(armature) if bone in bones and bone not in chosen and _was_made(bone)])
    for bone in chosen:
        _make_collider(bone, fit_of.get(bone.name))
    evaluated_scene = _evaluated_scene_of(context)
    for bone in chosen:
        weigh_collider(bone, evaluated_scene)
    return chosen, notes + _release_meshes(meshes, armature)


def _skin_of(context, armature: bpy.types.Object, meshes: list[bpy.types.Object]):
    """Return the result of `rest_skin`, without counting what it shows meanwhile as changes of the scene."""
    if not meshes:
        return {}
    with ignoring_changes():
        return bridge.skins.rest_skins.rest_skin(armature, meshes, context.view_layer)


def _with_animated_scale(bones: list[bpy.types.PoseBone]) -> set[Node]:
    """Return those of the bones, and of what carries them, whose scale is animated. Each is looked at once."""
    nodes = {node for bone in bones for node in (bone, *ancestors(bone))}
    return {node for node in nodes if bridge.animation.motion_sources.has_animated_scale(node)}


def _obstacle(bone: bpy.types.PoseBone, resized: set[Node]) -> str:
    """Return why a bone cannot be a collider, and what to do; empty if it can.

    Args:
        resized: nodes whose scale is animated.
    """
    if reason := bridge.links.tagging.obstacle_to_tagging(bone):
        return reason
    for node in (bone, *ancestors(bone)):
        if node in resized:
            what = "it" if node == bone else f"'{node.name}', which carries it,"
            return (
                f"bone '{model_name(bone)}': {what} changes its size in its animation, and a collider keeps its form: "
                "delete the keys of the scale"
            )
    return ""


def _deforming(bones: list[bpy.types.PoseBone]) -> list[bpy.types.PoseBone]:
    """Return the bones that would deform a mesh, or all if none would."""
    return [bone for bone in bones if bone.bone.use_deform] or bones


def _length(bone: bpy.types.PoseBone) -> float:
    return bridge.links.bone_capsules.length_of(bone)


def _was_made(bone: bpy.types.PoseBone) -> bool:
    """Return whether a bone is a collider that this operator has made."""
    return is_link(bone) and link_settings(bone).motion == "KINEMATIC" and link_settings(bone).is_fitted


def _make_collider(bone: bpy.types.PoseBone, fit) -> None:
    settings = link_settings(bone)
    pose = bridge.posing.link_poses.drawn_pose(bone)
    if not is_link(bone):
        settings.recognizes = True
        settings.is_link, settings.rest_pose = True, bridge.values.numbers.format_pose(pose)
    settings.motion, settings.collides = "KINEMATIC", True
    if fit is not None:
        bridge.skins.bone_fitting.store_fit(bone, fit)


def _release_meshes(meshes: list[bpy.types.Object], armature: bpy.types.Object) -> list[str]:
    """Let the meshes that an armature deforms collide no more: its bones do. Return notes about what was changed."""
    links = [obj for obj in (*meshes, armature) if is_link(obj) and link_settings(obj).motion != "FREE"]
    untag(links)
    shapes = [obj for obj in meshes if _collides_for_another(obj)]
    for obj in shapes:
        link_settings(obj).role = "VISUAL"
    changed = ", ".join(f"'{obj.name}'" for obj in (*links, *shapes))
    return [f"{changed}: no collider any more, since the bones collide in its place"] if changed else []


def _collides_for_another(obj: bpy.types.Object) -> bool:
    """Return whether an object is a colliding shape of a link that is not free."""
    carrier = carrier_of(obj)
    if carrier is None or carrier == obj or link_settings(carrier).motion == "FREE":
        return False
    return link_settings(obj).role != "VISUAL"


def _evaluated_scene_of(context) -> bridge.links.parts.EvaluatedScene:
    return bridge.links.parts.evaluated_scene_of(context.scene, context.evaluated_depsgraph_get())


def _weigh(context, bones: list[bpy.types.PoseBone]) -> list[str]:
    """Compute the masses of bones, for the panel. Return why some cannot be computed."""
    evaluated_scene, reasons = _evaluated_scene_of(context), []
    for bone in bones:
        if bridge.links.mass.is_weighed(bone):
            try:
                bridge.scene.store.store_weight(bone, bridge.links.mass.weigh(bone, evaluated_scene))
            except ModelError as error:
                reasons.append(str(error))
    return reasons


def named_bones(armature: bpy.types.Object, names: Collection[str]) -> str:
    """Return some names of bones for a sentence."""
    shown = [f"'{armature.name}:{name}'" for name in [*names][:MOST_NAMED]]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(shown)}{more}"


class LIMBERJACK_OT_bones_fit_to_mesh(_OnCharacterBones, bpy.types.Operator):
    """Fit the shapes of bones that are links to the meshes that the bones, and those below without links, deform"""

    bl_idname = ids.OP_BONE_FIT
    bl_label = "Fit to Mesh"

    def execute(self, context):
        fitted: list[bpy.types.PoseBone] = []
        notes: list[str] = []
        armatures = [*chosen_armatures(context)]
        for armature in armatures:
            if reason := obstacle_of_armature(armature):
                return fail(self, context, reason)
            found, more = _fit_links(context, armature, [*map(meant_node, self.bones_of(context, armature))])
            fitted += found
            notes += more
        if not fitted:
            return fail(self, context, notes[0] if notes else "Tag bones as links first: their shapes are fitted")
        notes += _weigh(context, fitted)
        bridge.characters.ragdoll_bodies.add_pairs_of([bone for bone in fitted if is_body_part(bone)], context.scene)
        return succeed(self, context, f"The shapes of {counted(fitted, 'bone')} are fitted", notes)


def _fit_links(
    context, armature: bpy.types.Object, bones: list[bpy.types.PoseBone]
) -> tuple[list[bpy.types.PoseBone], list[str]]:
    """Fit the shapes of those bones that are links. Return them, and notes for the user."""
    links = [bone for bone in tagged_bones(armature) if is_link(bone)]
    wanted = [bone for bone in links if bone in bones]
    skin = _skin_of(context, armature, bridge.skins.bound_meshes.meshes_bound_to(armature, context.scene))
    if not wanted or not skin:
        nothing = f"no mesh follows the bones of '{armature.name}' by weights, so there is nothing to fit to"
        return [], [nothing] if wanted else []
    kept = [bone.name for bone in links if bone not in wanted]
    fits = bridge.skins.bone_fitting.fit_bones(armature, skin, [bone.name for bone in wanted], kept=kept).by_bone
    fitted = [bone for bone in wanted if bone.name in fits]
    for bone in fitted:
        bridge.skins.bone_fitting.store_fit(bone, fits[bone.name])
    left = [bone.name for bone in wanted if bone.name not in fits]
    notes = [f"{named_bones(armature, left)}: no part of a mesh follows, so the shape is as before"] if left else []
    return fitted, notes


CLASSES = (LIMBERJACK_OT_bones_as_colliders, LIMBERJACK_OT_bones_fit_to_mesh)
