# SPDX-License-Identifier: GPL-3.0-or-later
"""A digest of the animation that drives a simulation. It is the same at every frame of the scene."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

import bpy
import numpy as np

from ... import ids
from ...bridge.animation.animated import SCENE, animated_inputs, curves_moving, is_followed, targets_of
from ...nodes.animation import Animated, playing_strips
from ...nodes.naming import node_of
from .receipt import read_fingerprint

STRIP_PROPERTIES = (
    *("frame_start", "frame_end", "action_frame_start", "action_frame_end", "scale", "repeat", "blend_type"),
    *("blend_in", "blend_out", "extrapolation", "influence", "use_reverse", "mute"),
)
SIMPLE_TYPES = ("BOOLEAN", "INT", "FLOAT", "ENUM")
COMPONENT = re.compile(r"(.*?)(?:\.[xyzw]|\[\d+\])")
"""Pattern of a data path to a component of a vector; its group is the path of the vector."""


def digest_of_movers(scene: bpy.types.Scene) -> str:
    """Return a digest of the F-curves, drivers and strips of settings that simulations follow; empty if there are none.

    Of the properties that drivers read, it contains the keys, or the values of those without keys.
    """
    animated = {setting: curves for setting, curves in animated_inputs(scene).items() if is_followed(setting)}
    if not animated:
        return ""
    found = [f"{setting} {fingerprint_of_mover(curve)}" for setting, curves in animated.items() for curve in curves]
    owners = {scene if setting.owner == SCENE else node_of(scene, setting.owner) for setting in animated}
    found += [text for owner in owners for text in _strips(owner)]
    return sha256_of(*sorted(found))


def fingerprint_of_mover(curve: bpy.types.FCurve) -> str:
    """Return a text with everything that determines the value of an F-curve or a driver at a frame."""
    own = _fingerprint_of_keys(curve)
    if curve.driver is None:
        return own
    driver = curve.driver
    variables = [(variable.name, variable.type) for variable in driver.variables]
    read = [
        (_name_of(target.id), target.data_path, target.bone_target, target.transform_type, _text_of_target(target))
        for target in targets_of(curve)
    ]
    return f"{own} {driver.type} {driver.expression} {variables} {read}"


def _fingerprint_of_keys(curve: bpy.types.FCurve) -> str:
    """Return a text with everything that determines the value of a user's F-curve at a frame."""
    kinds = np.empty(len(curve.keyframe_points), dtype=np.int32)
    curve.keyframe_points.foreach_get("interpolation", kinds)
    modifiers = [
        [str(getattr(modifier, item.identifier)) for item in modifier.bl_rna.properties if item.type in SIMPLE_TYPES]
        for modifier in curve.modifiers
    ]
    return f"{read_fingerprint(curve).hex()} {kinds.tolist()} {modifiers}"


def _text_of_target(target: bpy.types.DriverTarget) -> str:
    """Return a text for what a driver reads.

    It has the keys of the property, or else its value, or else the transform of the object.
    """
    assert target.id is not None  # `targets_of` returns no others
    path, whole = target.data_path, COMPONENT.fullmatch(target.data_path)
    paths = {path, whole[1]} if whole else {path}
    keys = [_fingerprint_of_keys(curve) for curve in curves_moving(target.id) if not path or curve.data_path in paths]
    is_time = isinstance(target.id, bpy.types.Scene) and path.startswith("frame_")
    if keys or is_time or path.startswith(f"{ids.JOINT}.coordinates["):
        return str(sorted(keys))
    if not path:
        return str([*target.id.matrix_basis]) if isinstance(target.id, bpy.types.Object) else ""
    try:
        return str(target.id.path_resolve(target.data_path))
    except ValueError:  # the path does not exist
        return ""


def _strips(owner: Animated) -> Iterator[str]:
    for strip in playing_strips(owner):
        yield f"{_name_of(owner)} {[getattr(strip, name) for name in STRIP_PROPERTIES]}"


def _name_of(owner: Animated | None) -> str:
    """Return the name of a data-block; empty for a scene, since linked copies of it hold the same animation."""
    return "" if owner is None or isinstance(owner, bpy.types.Scene) else owner.name


def sha256_of(*texts: str) -> str:
    """Return one SHA-256 digest of several texts."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
