# SPDX-License-Identifier: GPL-3.0-or-later
"""Links shown elsewhere than they are.

Where each was is kept on it, and so in every undo step and every file that is written meanwhile: whatever ends a
preview, an undo, a crash, another file, the links can be put back exactly.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import bpy

from ...core.spatial import Pose
from .. import bridge, ids
from ..bridge.stored import are_numbers, parse_stored

CHANNELS = {"location": 3, "rotation_euler": 3, "rotation_quaternion": 4, "rotation_axis_angle": 4}
"""Channels by which a preview moves an object, and the number of values that each has."""


def show(poses: Mapping[bpy.types.Object, Pose], unit: float) -> None:
    """Move links to poses in the world [m]. unit: metres in a Blender unit."""
    for obj in poses:
        _remember(obj)
    bridge.live.put_links(poses, unit)


def put_back(objects: Iterable[bpy.types.Object]) -> None:
    """Put those of the objects that are shown elsewhere where they were."""
    shown = [*filter(bridge.motion.is_previewed, objects)]
    for obj in shown:
        kept = parse_stored(getattr(obj, ids.LINK).before_preview)
        if not all(are_numbers(kept.get(name), count) for name, count in CHANNELS.items()):
            print(f"limberjack: object '{obj.name}': nobody can read where it was before a preview, so it stays here")
            continue
        for name in CHANNELS:
            setattr(obj, name, kept[name])
    leave(shown)


def leave(objects: Iterable[bpy.types.Object]) -> None:
    """Let those of the objects that are shown elsewhere be there."""
    for obj in filter(bridge.motion.is_previewed, objects):
        getattr(obj, ids.LINK).before_preview = ""


def _remember(obj: bpy.types.Object) -> None:
    settings = getattr(obj, ids.LINK)
    if not settings.before_preview:
        settings.before_preview = json.dumps({name: [*getattr(obj, name)] for name in CHANNELS})
