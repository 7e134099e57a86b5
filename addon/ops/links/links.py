# SPDX-License-Identifier: GPL-3.0-or-later
"""Tag objects as links, and compute their masses."""

import bpy

from ....core.model import ModelError
from ....core.model.text import counted, weighed
from ... import bake, bridge, ids
from ...nodes import Node, has_own_shape, joins_itself, model_name
from ...nodes.chosen import selected_nodes
from ...props import is_joint, is_link
from ...props.chosen import link_for, meant_nodes
from ...props.members import has_links, joints_in
from ...props.settings import joint_settings, link_settings, scene_settings
from ..report import fail, in_object_or_pose_mode, succeed
from ..selection import OnLinks

MOST_NAMED = 3
"""Number of objects that the status bar names; the Info editor names all of them."""


class LIMBERJACK_OT_link_tag(bpy.types.Operator):
    """Make each selected object or bone a rigid body of the model, with the objects on it as its shape"""

    bl_idname = ids.OP_LINK_TAG
    bl_label = "Tag as Links"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not in_object_or_pose_mode(cls, context):
            return False
        if not _taggable_nodes(context):
            cls.poll_message_set("Select the objects or bones that are to become links")
            return False
        return True

    def execute(self, context):
        chosen = _taggable_nodes(context)
        if not chosen:
            return fail(self, context, "Nothing is selected: select the objects or bones that are to become links")
        replacing = bridge.links.tagging.notes_on_replacing(chosen)
        objects = list(dict.fromkeys(map(link_for, chosen)))
        fit, refused = split_taggable(objects)
        if not fit:
            return fail(self, context, summary_of_refusals(refused, "links"))
        new = [obj for obj in fit if isinstance(obj, bpy.types.Object) and not is_link(obj)]
        try:
            notes = replacing + tag_links(context, fit)
        except ModelError as error:
            return fail(self, context, error)
        left = [f"'{model_name(obj)}'" for obj in objects if obj not in fit]
        more = f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else ""
        but = f", but not {', '.join(left[:MOST_NAMED])}{more}" if left else ""
        return succeed(self, context, f"{counted(fit, 'link')} tagged{but}{_recognized(context, new)}", notes, refused)


def _taggable_nodes(context) -> list[Node]:
    """Return the selected nodes that may become links: bones, and objects that are no joints."""
    return [node for node in selected_nodes(context) if joins_itself(node) or not is_joint(node)]


def _recognized(context, links: list[Node]) -> str:
    """Return the end of a message, with the primitives as which new links collide; empty if there are none."""
    evaluated_scene = bridge.links.parts.evaluated_scene_of(context.scene, context.evaluated_depsgraph_get())
    reader = bridge.links.shapes.ShapeReader(evaluated_scene, bridge.values.numbers.units_of(context.scene))
    try:
        reason = bridge.links.recognition.in_words(shape for link in links for shape in reader.collisions_of(link))
    except ModelError:  # Problems reports it
        return ""
    return f"; recognized for collisions: {reason}" if reason else ""


def split_taggable(objects: list[Node]) -> tuple[list[Node], list[str]]:
    """Return the objects that can be links, and for each of the others why it cannot."""
    obstacles = {obj: bridge.links.tagging.obstacle_to_tagging(obj) for obj in objects}
    return [obj for obj in objects if not obstacles[obj]], [reason for reason in obstacles.values() if reason]


def summary_of_refusals(refused: list[str], kind: str) -> str:
    """Return the message of the status bar about objects that cannot be of a kind."""
    return refused[0] if len(refused) == 1 else f"{refused[0]}; and {len(refused) - 1} more cannot be {kind} either"


def tag_links(context, objects: list[Node]) -> list[str]:
    """Make the objects links, and compute their masses. Return the assumptions that were necessary.

    Raises:
        ModelError: if an object has scale 0 or cannot be a link; no object is changed then.
    """
    _, refused = split_taggable(objects)
    if refused:
        raise ModelError(refused[0])
    enable_contact_initially(context.scene)
    poses = {obj: bridge.posing.link_poses.drawn_pose(obj) for obj in objects}
    for obj, pose in poses.items():  # before weighing, since a link is no part of another
        settings = link_settings(obj)
        settings.recognizes = settings.recognizes or not settings.is_link  # older links keep their shapes
        settings.is_link, settings.rest_pose = True, bridge.values.numbers.format_pose(pose)
        if joins_itself(obj):
            bridge.joints.bone_joints.add_bone_joint(obj)
    evaluated_scene = bridge.links.parts.evaluated_scene_of(context.scene, context.evaluated_depsgraph_get())
    notes = [note for obj in objects for note in bridge.links.tagging.notes_on_tagging(obj)]
    return notes + [note for obj in objects for note in _set_up_mass(obj, evaluated_scene)]


def enable_contact_initially(scene: bpy.types.Scene) -> bool:
    """Switch contact on when the first links of a scene are made. Return whether it was switched on.

    It stays off in scenes from before contact existed.
    """
    settings = scene_settings(scene)
    if has_links(scene) or settings.is_property_set("contact"):
        return False
    settings.contact = True
    return True


def _set_up_mass(obj: Node, evaluated_scene: "bridge.links.parts.EvaluatedScene") -> list[str]:
    """Compute the mass of a new link. Return assumptions, or why the mass cannot be computed."""
    settings = link_settings(obj)
    try:
        if has_own_shape(obj) and not _has_visible_mesh(obj, evaluated_scene):
            settings.mass_source = "CUSTOM"
            given = f"its mass is set to {settings.mass:g} kg, and its inertia to 1 kg m²: type them in the panel Link"
            return [f"link '{model_name(obj)}' has no mesh to weigh: {given}"]
        weight = bridge.links.mass.weigh(obj, evaluated_scene)
    except ModelError as error:
        settings.mass_note = str(error)
        return [str(error)]
    bridge.scene.store.store_weight(obj, weight)
    return [f"link '{model_name(obj)}': {note}" for note in weight.notes]


def _has_visible_mesh(link: Node, evaluated_scene: "bridge.links.parts.EvaluatedScene") -> bool:
    return any(part.has_mesh and part.is_visual for part in bridge.links.parts.parts_of(link, evaluated_scene))


class LIMBERJACK_OT_link_untag(bpy.types.Operator):
    """Make the selected links ordinary objects and bones again"""

    bl_idname = ids.OP_LINK_UNTAG
    bl_label = "Untag"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not any(is_link(node) for node in meant_nodes(context)):
            cls.poll_message_set("Select links")
            return False
        return in_object_or_pose_mode(cls, context)

    def execute(self, context):
        links = [node for node in meant_nodes(context) if is_link(node)]
        notes = untag(links)
        left = [model_name(joint) for joint in joints_in(context.scene) if _joins(joint, links)]
        notes += [f"joint '{name}' has lost a link: choose another, or delete it" for name in left]
        return succeed(self, context, f"{len(links)} untagged", notes)


def untag(links: list[Node]) -> list[str]:
    """Make links ordinary objects and bones again. Their bakes are cleared, which could not be done later.

    Return a note if other links lose their bake as well.
    """
    others = [node for node in bake.receipts.clear_some.clear_bake_of(links) if is_link(node) and node not in links]
    for obj in links:
        settings = link_settings(obj)
        settings.is_link = False
        settings.rest_pose, settings.led_by_node = "", None
        if joins_itself(obj):
            bridge.joints.bone_joints.remove_bone_joint(obj)
    if not others:
        return []
    which = f"{counted(others, 'link')}, such as '{model_name(others[0])}',"
    return [f"the bake of {which} was cleared, too: it cannot play without that of what was untagged"]


def _joins(joint: Node, links: list[Node]) -> bool:
    settings = joint_settings(joint)
    return settings.parent_node in links or settings.child_node in links


class LIMBERJACK_OT_link_weigh(OnLinks, bpy.types.Operator):
    """Recompute the masses of all links from the volumes of their meshes"""

    bl_idname = ids.OP_LINK_WEIGH
    bl_label = "Recalculate Mass"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            reading = bridge.scene.read.scan_scene(context.scene)
        except ModelError as error:
            return fail(self, context, error)
        bridge.scene.store.store_weights(reading)
        total = sum(link.mass for link in reading.model.links)
        return succeed(self, context, f"{counted(reading.model.links, 'link')}, {weighed(total)} in all", reading.notes)


class LIMBERJACK_OT_link_mass_by_hand(bpy.types.Operator):
    """Turn the computed mass, center of mass and inertia of the selected links into editable numbers"""

    bl_idname = ids.OP_LINK_BY_HAND
    bl_label = "Edit as Custom"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not _weighed_nodes(context):
            cls.poll_message_set("Select links whose mass is typed, or follows a material")
            return False
        return in_object_or_pose_mode(cls, context)

    def execute(self, context):
        links = _weighed_nodes(context)
        evaluated_scene = bridge.links.parts.evaluated_scene_of(context.scene, context.evaluated_depsgraph_get())
        try:  # weigh all before any is changed
            weights = {obj: bridge.links.mass.weigh(obj, evaluated_scene) for obj in links}
        except ModelError as error:
            return fail(self, context, error)
        for obj, weight in weights.items():
            settings = link_settings(obj)
            bridge.values.fields.write_fields(
                bridge.values.fields.INERTIAL_FIELDS, settings, weight, bridge.values.numbers.units_of(context.scene)
            )
            settings.mass_source, settings.mass_note = "CUSTOM", ""
        return succeed(self, context, f"The mass of {counted(links, 'link')} can be edited now")


def _weighed_nodes(context) -> list[Node]:
    """Return the selected links whose mass, or its distribution, comes from their shapes."""
    return [node for node in meant_nodes(context) if is_link(node) and bridge.links.mass.is_weighed(node)]


CLASSES = (
    LIMBERJACK_OT_link_tag,
    LIMBERJACK_OT_link_untag,
    LIMBERJACK_OT_link_weigh,
    LIMBERJACK_OT_link_mass_by_hand,
)
