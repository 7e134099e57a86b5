# SPDX-License-Identifier: GPL-3.0-or-later
"""Show links at other poses than their own.

The own pose of each link is stored on it, and therefore in every undo step and file that is written meanwhile. So links
can be restored exactly after an undo, a crash or the loading of another file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import bpy

from ...core.spatial import Pose
from .. import bridge
from ..bridge.values.stored_json import are_numbers, known_fields, parse_stored
from ..nodes import Node, armature_bones, model_name, owner_of, parts_among
from ..nodes.muting import armature_of, bone_of, overriding_constraints
from ..props.settings import bones_with_settings, link_settings

SWITCHED_OFF = "switched_off"
"""Key of the constraints that a preview has switched off, by bone; see `_described`."""

CHANNELS = {"location": 3, "rotation_euler": 3, "rotation_quaternion": 4, "rotation_axis_angle": 4}
"""Channels by which a preview moves an object, with the number of values of each."""


def show(poses: Mapping[Node, Pose], unit: float) -> None:
    """Move links to poses in the world [m].

    Args:
        unit: length of a Blender unit [m].
    """
    new = [obj for obj in poses if not link_settings(obj).before_preview]
    for obj in new:
        settings = link_settings(obj)
        settings.before_preview = json.dumps({name: [*getattr(obj, name)] for name in CHANNELS})
    _switch_off_constraints(new)
    bridge.posing.present_poses.move_links(poses, unit)


def restore_own_poses(objects: Iterable[bpy.types.Object]) -> None:
    """Restore the own poses of those of the objects and their bones that a preview has moved."""
    objects = list(objects)
    for obj in _shown_nodes(objects):
        stored = parse_stored(link_settings(obj).before_preview)
        if not all(are_numbers(stored.get(name), count) for name, count in CHANNELS.items()):
            name = model_name(obj)
            print(f"limberjack: object '{name}': nobody can read where it was before a preview, so it stays here")
            continue
        for name in CHANNELS:
            setattr(obj, name, stored[name])
    keep_shown_poses(objects)


def keep_shown_poses(objects: Iterable[bpy.types.Object]) -> None:
    """Make the shown poses the own poses of those of the objects and their bones that a preview has moved."""
    for obj in _shown_nodes(objects):
        settings = link_settings(obj)
        _switch_on_constraints(obj, parse_stored(settings.before_preview).get(SWITCHED_OFF))
        settings.before_preview = ""


def _shown_nodes(objects: Iterable[bpy.types.Object]) -> list[Node]:
    """Return the objects and bones that a preview shows at other poses than their own."""
    nodes = (node for obj in objects for node in (obj, *bones_with_settings(obj)))
    return [*filter(bridge.animation.motion_sources.is_previewed, nodes)]


def _switch_off_constraints(links: Iterable[Node]) -> None:
    """Switch off the constraints that override poses of bones. Which these are is stored on a bone of each armature."""
    bones = parts_among(links)
    by_armature: dict[bpy.types.Object, list[bpy.types.Constraint]] = {}
    for constraint in overriding_constraints(bones):
        by_armature.setdefault(armature_of(constraint), []).append(constraint)
    for bone in bones:
        if constraints := by_armature.pop(owner_of(bone), None):
            settings = link_settings(bone)
            numbers: dict[Node, int] = {each: i for i, each in enumerate(armature_bones(owner_of(bone)))}
            switched_off = [_described(constraint, numbers) for constraint in constraints]
            settings.before_preview = json.dumps(json.loads(settings.before_preview) | {SWITCHED_OFF: switched_off})
            for constraint in constraints:
                constraint.mute = True


def _described(constraint: bpy.types.Constraint, numbers: Mapping[Node, int]) -> dict[str, object]:
    """Return what is stored about a constraint, by which it is found even if it or its bone was renamed meanwhile.

    Args:
        numbers: of the bones among those of the armature.
    """
    bone = bone_of(constraint)
    return {
        "bone": bone.name,
        "number": numbers[bone],
        "name": constraint.name,
        "type": constraint.type,
        "names": [each.name for each in bone.constraints],
    }


def _switch_on_constraints(node: Node, stored: object) -> None:
    """Switch on the constraints that are stored on a node, unless they were deleted meanwhile.

    What a file of others contains in their place is ignored. Renamed constraints are searched for last, so that none of
    them is taken for another one.
    """
    kinds = {"bone": str, "number": int, "name": str, "type": str}
    waiting = [entry for entry in (stored if isinstance(stored, list) else ()) if isinstance(entry, dict)]
    for is_renamed in (False, True):
        for entry in list(waiting):
            fields, names = known_fields(entry, kinds), entry.get("names")
            known_names = names if is_renamed and isinstance(names, list) else None
            constraint = _switched_off(owner_of(node), fields, known_names) if len(fields) == len(kinds) else None
            if constraint is not None:
                constraint.mute = False
                waiting.remove(entry)


def _switched_off(
    armature: bpy.types.Object, fields: dict[str, Any], known_names: list | None
) -> bpy.types.Constraint | None:
    """Return the constraint that was described; None if there is none that is switched off.

    Args:
        known_names: if the constraint was renamed: names of all constraints of its bone when it was described. Another
            name is a new one.
    """
    bones, number = armature_bones(armature), fields["number"]
    bone = next((bone for bone in bones if bone.name == fields["bone"]), None)
    if bone is None and 0 <= number < len(bones):  # the bone was renamed
        bone = bones[number]
    for constraint in bone.constraints if bone is not None else ():
        is_named = constraint.name == fields["name"] if known_names is None else constraint.name not in known_names
        if is_named and constraint.mute and constraint.type == fields["type"]:
            return constraint
    return None
