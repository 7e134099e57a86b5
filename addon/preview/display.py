# SPDX-License-Identifier: GPL-3.0-or-later
"""Show links at other poses than their own.

The own pose of each link is stored on it, and therefore in every undo step and file that is written meanwhile. So links
can be restored exactly after an undo, a crash or the loading of another file.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping

import bpy

from ...core.spatial import Pose
from .. import bridge
from ..bridge.values.stored_json import are_numbers, parse_stored
from ..nodes import Node, model_name, owner_of, parts_among
from ..nodes.muting import armature_of, overriding_constraints
from ..props.settings import bones_with_settings, link_settings

SWITCHED_OFF = "switched_off"
"""Key of the data paths of constraints that a preview has switched off."""

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
    by_armature: dict[bpy.types.Object, list[str]] = {}
    for constraint in overriding_constraints(bones):
        by_armature.setdefault(armature_of(constraint), []).append(constraint.path_from_id())
        constraint.mute = True
    for bone in bones:
        if paths := by_armature.pop(owner_of(bone), None):
            settings = link_settings(bone)
            settings.before_preview = json.dumps(json.loads(settings.before_preview) | {SWITCHED_OFF: paths})


def _switch_on_constraints(node: Node, paths: object) -> None:
    """Switch on the constraints with these data paths, as they are stored; what is no path is ignored."""
    for path in filter(lambda path: isinstance(path, str), paths if isinstance(paths, list) else ()):
        with contextlib.suppress(ValueError):  # the constraint was deleted meanwhile
            owner_of(node).path_resolve(path).mute = False
