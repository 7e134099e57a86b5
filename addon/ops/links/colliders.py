# SPDX-License-Identifier: GPL-3.0-or-later
"""Make floors, walls and platforms: objects that links collide with and that only their animation moves."""

import bpy

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...nodes import Node
from ...props import carrier_of, is_joint, is_link
from ...props.settings import link_settings, scene_settings
from ..report import fail, in_object_mode, succeed
from .links import enable_contact_initially, summary_of_refusals


class LIMBERJACK_OT_collider_add(bpy.types.Operator):
    """Make each selected object a floor, wall or platform. Links collide with it, and only its animation moves it"""

    bl_idname = ids.OP_COLLIDER_ADD
    bl_label = "Add Collider"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not in_object_mode(cls, context):
            return False
        if not any(not is_joint(obj) for obj in context.selected_objects):
            cls.poll_message_set("Select the objects that links should collide with")
            return False
        return True

    def execute(self, context):
        objects = [obj for obj in context.selected_objects if not is_joint(obj)]
        if not objects:
            return fail(self, context, "Nothing is selected: select what links are to collide with")
        obstacles = {obj: reason for obj in objects if (reason := _obstacle(context, obj))}
        fit = [obj for obj in objects if obj not in obstacles]
        if not fit:
            return fail(self, context, summary_of_refusals([*obstacles.values()], "colliders"))
        enable_contact_initially(context.scene)
        poses = {obj: bridge.posing.link_poses.drawn_pose(obj) for obj in fit}
        for obj, pose in poses.items():
            _make_collider(obj, pose)
        evaluated_scene = bridge.links.parts.evaluated_scene_of(context.scene, context.evaluated_depsgraph_get())
        for obj in fit:
            weigh_collider(obj, evaluated_scene)
        notes = [note for reason in bridge.links.tagging.changes_of_form(fit).values() for note in reason]
        if not scene_settings(context.scene).contact:
            notes.append("Contact is off in this scene: switch it on in the panel Simulation")
        return succeed(self, context, f"{counted(fit, 'collider')} added", [*obstacles.values(), *notes])


def _obstacle(context, obj: bpy.types.Object) -> str:
    """Return why nothing can collide with the object, and what to do; empty if links can collide with it."""
    if reason := bridge.links.tagging.obstacle_to_tagging(obj):
        armatures = [*bridge.skins.bound_meshes.armatures_chosen([obj])]
        if armatures in ([], [obj]) or bridge.links.tagging.library_of(obj):
            return reason
        return (
            f"object '{obj.name}' is deformed by the armature '{armatures[0].name}', and a collider is rigid: press "
            "Bones as Colliders, and the bones collide in its place"
        )
    carrier = carrier_of(obj)
    if carrier is not None and carrier != obj:
        return (
            f"object '{obj.name}' is a shape of link '{carrier.name}', and collides as one: unparent it to make it a "
            "collider of its own"
        )
    if bridge.animation.motion_sources.has_animated_scale(obj):
        return f"object '{obj.name}' changes its size in its animation: delete the keys or drivers of its scale"
    if 0.0 in obj.matrix_world.to_scale():
        return f"object '{obj.name}' has a scale of zero: give it a size"
    evaluated_scene = bridge.links.parts.evaluated_scene_of(context.scene, context.evaluated_depsgraph_get())
    try:
        parts = bridge.links.parts.parts_of(obj, evaluated_scene)
    except ModelError as error:
        return str(error)
    if any(part.is_placeholder or (part.has_mesh and len(part.mesh().starts)) for part in parts):
        return ""
    return f"object '{obj.name}' has no faces that links could collide with: give it a mesh with faces"


def _make_collider(obj: Node, pose) -> None:
    settings = link_settings(obj)
    if not is_link(obj):
        settings.recognizes = True  # counts once it is free; a collider uses its triangles
        settings.is_link, settings.rest_pose = True, bridge.values.numbers.format_pose(pose)
    settings.motion, settings.collides = "KINEMATIC", True
    if settings.role == "VISUAL":
        settings.role = "AUTO"


def weigh_collider(obj: Node, evaluated_scene) -> None:
    """Compute the mass of a collider. Its Mass becomes Custom if it is open or flat, since its mass does not matter."""
    settings = link_settings(obj)
    try:
        weight = bridge.links.mass.weigh(obj, evaluated_scene)
    except ModelError:
        weight = None
    if weight is None or weight.notes:
        settings.mass_source = "CUSTOM"
    else:
        bridge.scene.store.store_weight(obj, weight)


CLASSES = (LIMBERJACK_OT_collider_add,)
