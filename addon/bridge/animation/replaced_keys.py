# SPDX-License-Identifier: GPL-3.0-or-later
"""Find links with keys of their own that are to be simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...nodes import Node
from ...nodes.animation import action_of, fcurves_of, is_property_animated
from ...props.settings import link_settings
from .motion_sources import TRANSFORMS, is_bake, may_follow_own_keys

if TYPE_CHECKING:
    from ..scene.read import SceneReading

Frames = tuple[float, float]
"""First and last frame at which a link has keys."""


def links_losing_keys(start: str, reading: SceneReading) -> dict[str, Frames]:
    """Return the links whose keys a bake would replace without following them, by name.

    Args:
        start: as in `BakeSettings`; there are no such links if simulations start from the animation.
    """
    if start == "KEYS":
        return {}
    free = {name: obj for name, obj in reading.objects.items() if link_settings(obj).motion == "FREE"}
    return {
        name: frames
        for name, obj in free.items()
        if not may_follow_own_keys(obj) and (frames := frames_of_keys(obj)) is not None
    }


def frames_of_keys(obj: Node) -> Frames | None:
    """Return the first and last frame of the object's own keys that move it; None if there are none.

    Keys of a bake do not count.
    """
    if is_bake(action_of(obj)) or not is_property_animated(obj, TRANSFORMS):
        return None
    keyed = [curve.range() for curve in fcurves_of(obj, TRANSFORMS) if len(curve.keyframe_points) > 1]
    return (min(first for first, _ in keyed), max(last for _, last in keyed)) if keyed else None
