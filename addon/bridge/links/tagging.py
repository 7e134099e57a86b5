# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide which objects can be links, and report what would stop a simulation of a new link later."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ....core.model import ModelError
from ...nodes import Node, is_part, model_name, owner_of
from ...nodes.animation import strips_on
from ...nodes.copied_bones import copied_bone, steered_bone
from ...nodes.muting import obstacle_to_muting
from ...props import is_link
from ...props.chosen import link_for
from ..animation.motion_sources import TRANSFORMS, active_constraints, transform_drivers
from ..posing.link_poses import world_scale
from .deforming import form_changes, shapes_of
from .parts import SOLID

WEIGHTLESS = {"LIGHT": "light", "CAMERA": "camera", "SPEAKER": "speaker", "LIGHT_PROBE": "light probe"}
"""Words for objects that links carry and that are no bodies, by Blender's type."""


def notes_on_replacing(chosen: Iterable[Node]) -> list[str]:
    """Return sentences about chosen bones in whose place others become links."""
    found = []
    for find, one, several in ((copied_bone, "copies", "copy"), (steered_bone, "steers", "steer")):
        pairs = [
            (model_name(bone), model_name(link))
            for bone in chosen
            if is_part(bone) and (link := link_for(bone)) != bone and find(bone) == link
        ]
        if len(pairs) == 1:
            found.append(f"'{pairs[0][0]}' {one} '{pairs[0][1]}', which is tagged in its place")
        elif pairs:
            found.append(
                f"{len(pairs)} bones, such as '{pairs[0][0]}', {several} others, which are tagged in their place"
            )
    return found


def obstacle_to_tagging(obj: Node) -> str:
    """Return why an object or a bone cannot be a link, and what to do instead; empty if it can.

    Empties can be links, as frames of a rig.
    """
    if reason := library_of(obj):
        return reason
    if not isinstance(obj, bpy.types.Object):
        return _obstacle_of_scale(obj)
    if what := WEIGHTLESS.get(obj.type):
        return f"object '{obj.name}' is a {what}, which has no mass: parent it to the link that is to carry it"
    if obj.type == "ARMATURE" and not any(_is_shape(child) for child in obj.children_recursive):
        return (
            f"object '{obj.name}' is an armature with no mesh to weigh: tag its bones in Pose Mode, or parent "
            "meshes to it that move with it as one rigid body"
        )
    return deformation_of(obj)


def _obstacle_of_scale(bone: Node) -> str:
    """Return why the scale of a bone keeps it from being a link, and what to do; empty if it does not."""
    name, armature = model_name(bone), owner_of(bone).name
    try:
        scale = world_scale(bone)
    except ModelError:
        return f"bone '{name}' is scaled to zero: give it a size in all three directions (Alt-S resets it)"
    if (scale < 0.0).any():
        return (
            f"bone '{name}' is mirrored by a negative scale: reset the scale of the bones of '{armature}' and apply "
            "that of the armature (Ctrl-A, Scale)"
        )
    return ""


def _is_shape(obj: bpy.types.Object) -> bool:
    return obj.type in SOLID and not is_link(obj)


def notes_on_tagging(link: Node) -> list[str]:
    """Return notes about a new link that its user may not expect or has to deal with before a simulation."""
    found = []
    if isinstance(link, bpy.types.Object) and link.type == "ARMATURE":
        found.append(f"link '{link.name}' is an armature: all of it moves as one rigid body, and its bones as before")
    conflict = conflict_with_keys(link)
    return [*found, *changes_of_form([link])[link], *([conflict] if conflict else [])]


def library_of(obj: Node) -> str:
    """Return a message if the object is linked from another file and cannot be changed; empty otherwise.

    Library overrides can be changed.
    """
    owner = owner_of(obj)
    override = owner.override_library
    if owner.is_editable and not (override and override.is_system_override):
        return ""
    source = owner.library or (override.reference.library if override and override.reference else None)
    where = f"the library '{source.name}'" if source else "a library"
    what = "object" if obj == owner else "bone"
    return (
        f"{what} '{model_name(obj)}' comes from {where}, and what is changed of it here is not saved: make it yours by "
        "Object > Library Override > Make, or Object > Relations > Make Local"
    )


def deformation_of(node: Node) -> str:
    """Return a message if an armature deforms the object, which then is no rigid body; empty otherwise."""
    if not isinstance(node, bpy.types.Object):
        return ""
    obj = node
    for modifier in obj.modifiers:
        is_on = modifier.show_viewport or modifier.show_render
        if modifier.type == "ARMATURE" and modifier.object and is_on:
            return _deformed(obj, modifier.object, f"remove its modifier '{modifier.name}'")
    if obj.parent and obj.parent.type == "ARMATURE" and obj.parent_type == "ARMATURE":
        return _deformed(obj, obj.parent, "unparent it")
    return ""


def _deformed(obj: bpy.types.Object, armature: bpy.types.Object, remedy: str) -> str:
    return (
        f"object '{obj.name}' is deformed by the armature '{armature.name}', and a link is rigid: tag the bones of the "
        f"armature in Pose Mode instead; or {remedy}"
    )


def changes_of_form(links: Iterable[Node]) -> dict[Node, list[str]]:
    """Return for each link messages about its shapes that change their form over time, one for each shape."""
    return {
        link: [
            f"object '{shape.name}' changes its form by {what}, and a link is rigid: it weighs, collides and is shown "
            f"in files as it is at the frame that is shown; {remedy}"
            for shape in shapes
            for what, remedy, _ in [found for found in form_changes(shape) if not found.armature][:1]
        ]
        for link, shapes in shapes_of(links).items()
    }


def conflict_with_keys(link: Node) -> str:
    """Return a message about what moves the link against the keys of a simulation; empty if nothing does."""
    name = model_name(link)
    constraints = active_constraints(link)
    if not isinstance(link, bpy.types.Object):  # a bake switches constraints of bones off
        if reasons := [*filter(None, map(obstacle_to_muting, constraints))]:
            return f"link '{name}': {reasons[0]}"
    elif constraints:
        return (
            f"link '{name}' has the constraint '{constraints[0].name}', which would fight the simulated motion: "
            "mute it or remove it"
        )
    if drivers := transform_drivers(link):
        return (
            f"link '{name}' has a driver on its {drivers[0].data_path}, which would fight the simulated motion: "
            "remove it"
        )
    if strips_on(link, TRANSFORMS):
        return f"link '{name}' plays strips of the nonlinear animation: mute their tracks"
    return ""
