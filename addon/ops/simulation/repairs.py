# SPDX-License-Identifier: GPL-3.0-or-later
"""Select the object of a problem, and repair the problem if there is one safe way."""

from collections.abc import Callable
from typing import NamedTuple

import bpy
from bpy.app.translations import pgettext_tip
from bpy.props import StringProperty

from ....core.model import ModelError
from ....core.model.text import counted, weighed
from ....core.spatial import IDENTITY, compose, norm
from ... import bridge, ids
from ...bridge.links.deforming import BY_BONES
from ...bridge.unbakeable_links import INSTANCED
from ...nodes import Node, armature_bones, joins_itself, model_name, owner_of
from ...nodes.animation import tracks_on
from ...nodes.chosen import choose_only
from ...nodes.naming import node_named
from ...props import axes_in_use, is_link
from ...props.settings import joint_settings, link_settings, scene_settings
from ..links.bone_colliders import add_bone_colliders, obstacle_of_armature
from ..links.hollows import divide, divide_all, select_hollow
from ..links.lifting import lift
from ..links.links import tag_links
from ..links.overlaps import let_pass_through, move_all_apart, move_apart, select_overlapping, shrink
from ..links.throws import start_at_keys
from ..report import fail, in_object_or_pose_mode, select_only, succeed
from .moved_bakes import (
    all_back_to_keys,
    back_to_keys,
    move_all_along,
    move_bake_along,
    play_in_place,
    scale_back,
)


class Repair(NamedTuple):
    """A repair of a problem.

    Attributes:
        label: of its button. tip: of its tooltip.
        apply: function that repairs the object that causes the problem, and returns a message about what it did.
        is_of_scene: whether the repair is about the whole scene. Then `apply` may get None instead of an object.
    """

    label: str
    tip: str
    apply: Callable[[bpy.types.Context, Node], str]
    is_of_scene: bool = False


def _delete(_context, obj) -> str:
    name = model_name(obj)
    if joins_itself(obj):
        bridge.joints.bone_joints.remove_bone_joint(obj)
    else:
        bpy.data.objects.remove(obj)
    return f"'{name}' is deleted"


def _join_to_world(context, obj) -> str:
    """Join the child to the world at the joint's frame in the child.

    The place of the Empty is not used, since the parent that carried it was deleted.
    """
    settings = joint_settings(obj)
    if joins_itself(obj):
        settings.to_world = True
        return f"'{model_name(obj)}' hangs in the world"
    X_CJ = (
        bridge.values.numbers.parse_pose(settings.X_CJ, f"joint '{model_name(obj)}': the frame in the child")
        if settings.X_CJ
        else IDENTITY
    )
    settings.to_world = True
    bridge.joints.joining.move_joint(obj, compose(bridge.posing.link_poses.drawn_pose(settings.child_node), X_CJ))
    return f"'{model_name(obj)}' hangs in the world"


def _join_here(_context, obj) -> str:
    bridge.joints.joining.rebind([obj])
    return f"'{model_name(obj)}' joins its links where they are"


def _put_back(context, obj) -> str:
    bridge.posing.posing.Posing(context.scene).settle()
    return "All links are where their joints hold them"


def _tag_ends(context, obj) -> str:
    settings = joint_settings(obj)
    ends = [link for link in (settings.parent_node, settings.child_node) if link is not None and not is_link(link)]
    tag_links(context, ends)
    return f"{', '.join(model_name(link) for link in ends)} tagged as links"


def _stop_following(_context, obj) -> str:
    joint_settings(obj).use_mimic = False
    return f"'{model_name(obj)}' follows no joint"


def _point_up(_context, obj) -> str:
    for axis in axes_in_use(joint_settings(obj)):
        if not norm(axis.xyz):
            axis.xyz = (0.0, 0.0, 1.0)
    return f"The axis of '{model_name(obj)}' points along Z"


def _swap_limits(_context, obj) -> str:
    for axis in axes_in_use(joint_settings(obj)):
        if axis.use_lower and axis.use_upper and axis.lower > axis.upper:
            axis.lower, axis.upper = axis.upper, axis.lower
    return f"The limits of '{model_name(obj)}' are swapped"


def _turn_drive_off(_context, obj) -> str:
    """Switch the drive off on each axis on which it cannot exert a force. This does not change the motion."""
    for axis in axes_in_use(joint_settings(obj)):
        drive = bridge.values.fields.drive_of(axis)
        is_idle = not any(getattr(axis, name) for name in drive.exerts) or (axis.use_effort and not axis.effort)
        if drive.exerts and is_idle:
            axis.drive_mode = "off"
    return f"The drive of '{model_name(obj)}' is off"


def _start_within(context, obj) -> str:
    view = bridge.joints.axis_views.view_joint(obj, context.scene)
    axes = [axis for axis in view.axes if axis.home is not None]
    if not axes:
        raise ModelError(f"joint '{model_name(obj)}': turn its link to within the limits, then press Start Here")
    for axis in axes:
        bridge.joints.joint_edits.set_home(obj, context.scene, axis, min(max(axis.home or 0.0, axis.lower), axis.upper))
    return f"'{model_name(obj)}' starts within its limits"


def _spring_within(_context, obj) -> str:
    for axis in axes_in_use(joint_settings(obj)):
        low = axis.lower if axis.use_lower else axis.spring_reference
        high = axis.upper if axis.use_upper else axis.spring_reference
        axis.spring_reference = min(max(axis.spring_reference, low), high)
    return f"The spring of '{model_name(obj)}' pulls to within its limits"


def _weigh(context, obj) -> str:
    found = bridge.links.mass.weigh(
        obj, bridge.links.parts.evaluated_scene_of(context.scene, context.evaluated_depsgraph_get())
    )
    if not found.mass:
        raise ModelError(f"link '{model_name(obj)}' is said to weigh nothing: give it a mass or a material")
    settings = link_settings(obj)
    if settings.mass_source != "DENSITY":
        settings.mass_source = "DENSITY"
        found = bridge.links.mass.weigh(
            obj, bridge.links.parts.evaluated_scene_of(context.scene, context.evaluated_depsgraph_get())
        )
    bridge.scene.store.store_weight(obj, found)
    return f"'{model_name(obj)}' weighs {weighed(found.mass)}"


def _mute_constraints(_context, obj) -> str:
    muted = bridge.animation.motion_sources.active_constraints(obj)
    for constraint in muted:
        constraint.mute = True
    return f"'{model_name(obj)}': {', '.join(constraint.name for constraint in muted)} muted"


def _mute_tracks(_context, obj) -> str:
    muted: list[bpy.types.NlaTrack] = []
    motion = bridge.animation.motion_sources
    while tracks := tracks_on(obj, motion.TRANSFORMS):  # without a solo track, others play
        for track in tracks:
            track.is_solo, track.mute = False, True
        muted += tracks
    return f"'{model_name(obj)}': {', '.join(track.name for track in muted)} muted"


def _fix_base(context, obj) -> str:
    link_settings(obj).motion = "STATIC"
    bridge.findings.stored_findings.remove_findings(context.scene, "falls-freely", obj)
    return f"'{model_name(obj)}' is held in the world: its Motion is Static"


def _add_ground(context, _obj) -> str:
    settings = scene_settings(context.scene)
    settings.contact = settings.ground = True
    return "Links collide with a floor at height zero"


def _turn_axes(context, obj) -> str:
    """Turn the axes of all such hinges at once, since they mostly occur in chains."""
    turned = bridge.joints.hinge_axes.turn_idle_axes(context.scene)
    return f"Gravity can turn {', '.join(map(repr, turned)) or 'all hinges'} now"


def _bones_as_colliders(context, obj) -> str:
    """Make colliders of the bones that deform a collider, or a shape of it."""
    shapes = bridge.links.deforming.shapes_of([obj])[obj]
    armatures = bridge.skins.bound_meshes.armatures_chosen([each for each in shapes if each.type != "ARMATURE"])
    made = []
    for armature in armatures:
        if reason := obstacle_of_armature(armature):
            raise ModelError(reason)
        found, notes = add_bone_colliders(context, armature, list(armature_bones(armature)))
        if not found:
            raise ModelError(notes[0] if notes else f"no bone of '{armature.name}' is large enough for a capsule")
        made += found
    return f"{counted(made, 'bone')} collide in the place of '{obj.name}'"


def _take_out_of_instance(context, obj) -> str:
    """Make the links of an instance objects of the scene.

    This uses Blender's own operators, which need the Empty to be the only selected object.
    """
    collection = obj.instance_collection.name
    is_linked = bool(obj.library or obj.instance_collection.library)
    select_only(context, obj)
    try:
        if is_linked:
            bpy.ops.object.make_override_library()
        else:
            bpy.ops.object.duplicates_make_real(use_hierarchy=True)
    except RuntimeError as error:
        raise ModelError(str(error).removeprefix("Error: ").strip()) from None
    if is_linked:
        return f"'{collection}' is a library override, at the place that it has in its file: its links can be simulated"
    return f"The links of '{collection}' are objects of the scene, and can be simulated"


OPERATORS = {"gravity-by-unit": ids.OP_EARTH_GRAVITY}
"""Operators that repair problems without an object, by the code of the problem."""

JOIN_HERE = Repair("Rebind at Current Pose", "Let the joint join its links where they are now", _join_here)

GROUND = Repair("Ground", "Let links collide with an invisible floor at height zero", _add_ground, is_of_scene=True)

REPAIRS: dict[str, tuple[Repair, ...]] = {
    "no-child": (Repair("Delete Joint", "Delete the joint, which moves nothing", _delete),),
    "lost-parent": (Repair("Join to World", "Let the joint hang in the world", _join_to_world),),
    "no-link": (Repair("Tag as Link", "Tag the objects that it joins as links", _tag_ends),),
    "no-frames": (JOIN_HERE,),
    "link-left": (JOIN_HERE, Repair("Put Back", "Put all links back where their joints hold them", _put_back)),
    "no-leader": (Repair("Stop Following", "Switch Follow Joint off", _stop_following),),
    "zero-axis": (Repair("Point along Z", "Give the axis the direction Z", _point_up),),
    "crossed-limits": (Repair("Swap", "Swap the limits", _swap_limits),),
    "idle-drive": (Repair("Turn Drive Off", "Switch the drive off, which does nothing", _turn_drive_off),),
    "home-outside-limits": (Repair("Start Within", "Move the start to the nearest limit", _start_within),),
    "spring-outside-limits": (Repair("Pull Within", "Move the spring's rest to the nearest limit", _spring_within),),
    "constrained": (Repair("Mute", "Mute the link's constraints", _mute_constraints),),
    "plays-strips": (Repair("Mute", "Mute the tracks whose strips move the link", _mute_tracks),),
    "falls-freely": (Repair("Fix Base", "Hold the link in the world where it stands", _fix_base), GROUND),
    "no-floor": (GROUND,),
    "many-overlapping": (
        Repair("Select Them", "Select all links that overlap", select_overlapping, is_of_scene=True),
        Repair("Move Apart", "Move all links out of each other that nothing holds", move_all_apart, is_of_scene=True),
    ),
    "gravity-cannot-turn": (
        Repair("Turn Axes", "Lay every axis that gravity cannot turn level, across what its joint carries", _turn_axes),
    ),
    "bake-left-behind": (
        Repair(
            "Move Bake Along", "Let the bakes of all moved or copied machines play where they stand", move_all_along
        ),
        Repair("Back to Keys", "Put all links and joints back where their keys have them", all_back_to_keys),
    ),
    "bake-moved": (
        Repair("Move Bake Along", "Let the keys of the whole machine play where the link stands now", move_bake_along),
        Repair("Back to Keys", "Put all links back where their keys have them", back_to_keys),
    ),
    "bake-scaled": (Repair("Scale Back", "Give the link the size that it was baked with", scale_back),),
    "bake-carried": (
        Repair("Play in Place", "Let the keys play where they were baked, whatever carries the link", play_in_place),
    ),
    "overlapping": (
        Repair("Leave Pair Out", "Let the link pass through all that it is in", let_pass_through),
        Repair("Move Apart", "Move one of the two out of the other, the shortest way", move_apart),
        Repair("Shrink", "Make the collision shapes of the smaller link smaller, until they are in nothing", shrink),
    ),
    "sunk-in-ground": (Repair("Lift", "Raise the machine until it just touches what it starts in", lift),),
    "hollow-filled": (Repair("Convex Pieces", "Divide the mesh into convex pieces that touch in its place", divide),),
    "many-hollow-filled": (
        Repair("Select Them", "Select all links whose hollows are filled", select_hollow, is_of_scene=True),
        Repair("Convex Pieces", "Divide all these meshes into convex pieces", divide_all, is_of_scene=True),
    ),
    "keys-replaced": (
        Repair(
            "Throw from Animation",
            "Start simulations from the animation at its last key, with the velocity of the keys. The keys before are "
            "kept",
            start_at_keys,
        ),
    ),
    BY_BONES: (
        Repair(
            "Bones as Colliders",
            "Let the bones that deform the mesh collide in its place, with capsules that are fitted to it",
            _bones_as_colliders,
        ),
    ),
    INSTANCED: (
        Repair(
            "Simulate Its Links",
            "Make a library override of a linked collection, or else make the instances real, so that the links are "
            "objects that a simulation can move",
            _take_out_of_instance,
        ),
    ),
    "massless": (Repair("Weigh", "Find the mass from the link's meshes", _weigh),),
}
"""Repairs by the code of the problem. None of them deletes anything of the user except the cause of the problem."""


class _OfCulprit:
    """An operator on the object that a problem names."""

    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty(name="Object")

    @classmethod
    def poll(cls, context):
        return in_object_or_pose_mode(cls, context)

    def execute(self, context):
        obj = node_named(context.scene, self.name)
        if obj is None:
            return fail(self, context, f"'{self.name}' is no longer in the scene")
        return self.act(context, obj)


class LIMBERJACK_OT_problem_select(_OfCulprit, bpy.types.Operator):
    """Select the object that causes the problem"""

    bl_idname = ids.OP_PROBLEM_SELECT
    bl_label = "Select Culprit"

    def act(self, context, obj):
        owner = owner_of(obj)
        if owner not in set(context.view_layer.objects):
            return fail(self, context, f"'{self.name}' is in a collection that is switched off in this view layer")
        owner.hide_set(False)
        choose_only(context, obj)
        return succeed(self, context, f"'{self.name}' is selected")


class LIMBERJACK_OT_problem_mend(_OfCulprit, bpy.types.Operator):
    """Repair the problem"""

    bl_idname = ids.OP_PROBLEM_MEND
    bl_label = "Repair"

    code: StringProperty(name="Problem", description="Its code", options={"HIDDEN"})
    label: StringProperty(name="Remedy", description="Where there are several", options={"HIDDEN"})

    @classmethod
    def description(cls, _context, properties):
        return next((pgettext_tip(repair.tip) for repair in _repairs(properties)), cls.__doc__)

    def execute(self, context):
        found = _repairs(self)
        is_of_scene = not self.name and bool(found) and found[0].is_of_scene
        return self.act(context, None) if is_of_scene else super().execute(context)

    def act(self, context, obj):
        found = _repairs(self)
        if not found:
            return fail(self, context, f"There is no button for '{self.code}': the message says what to do")
        try:
            done = found[0].apply(context, obj)
        except ModelError as error:
            return fail(self, context, error)
        return succeed(self, context, done)


def _repairs(properties) -> list[Repair]:
    return [repair for repair in REPAIRS.get(properties.code, ()) if properties.label in ("", repair.label)]


CLASSES = (LIMBERJACK_OT_problem_select, LIMBERJACK_OT_problem_mend)
