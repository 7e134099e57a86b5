# SPDX-License-Identifier: GPL-3.0-or-later
"""Show links at other poses than their own.

The own pose of each link is stored on it, and therefore in every undo step and file that is written meanwhile. So links
can be restored exactly after an undo, a crash or the loading of another file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import bpy

from ...core.spatial import Pose
from .. import bridge
from ..bridge.values.stored_json import are_numbers, parse_stored
from ..nodes import Node, model_name
from ..props.settings import bones_with_settings, link_settings

CHANNELS = {"location": 3, "rotation_euler": 3, "rotation_quaternion": 4, "rotation_axis_angle": 4}
"""Channels by which a preview moves an object, with the number of values of each."""


def show(poses: Mapping[Node, Pose], unit: float) -> None:
    """Move links to poses in the world [m].

    Args:
        unit: length of a Blender unit [m].
    """
    for obj in poses:
        _store_own_pose(obj)
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
        link_settings(obj).before_preview = ""


def _shown_nodes(objects: Iterable[bpy.types.Object]) -> list[Node]:
    """Return the objects and bones that a preview shows at other poses than their own."""
    nodes = (node for obj in objects for node in (obj, *bones_with_settings(obj)))
    return [*filter(bridge.animation.motion_sources.is_previewed, nodes)]


def _store_own_pose(obj: Node) -> None:
    settings = link_settings(obj)
    if not settings.before_preview:
        settings.before_preview = json.dumps({name: [*getattr(obj, name)] for name in CHANNELS})
