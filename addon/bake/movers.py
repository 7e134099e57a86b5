# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of a scene that hold at all its frames: of its model without what is animated, and of what animates that."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace

import bpy
import numpy as np

from ...core.model import Axis, Joint, Link, Model
from ...core.spatial import ZERO
from .. import ids
from ..bridge.animated import (
    FOLLOWED_ON_AXES,
    SCENE,
    STRENGTH,
    Input,
    animated_inputs,
    curves_moving,
    is_followed,
    targets_of,
)
from ..bridge.motion import playing_strips
from ..bridge.numbers import unit_length
from ..bridge.read import place_links
from ..props import axes_in_use, is_link
from ..props.naming import model_name, object_of
from .receipt import read_print

OF_STRIPS = (
    *("frame_start", "frame_end", "action_frame_start", "action_frame_end", "scale", "repeat", "blend_type"),
    *("blend_in", "blend_out", "extrapolation", "influence", "use_reverse", "mute"),
)
VECTORS = {"gravity": "gravity", "wind": f"{ids.SCENE}.wind"} | {
    name: f"{ids.LINK}.{name}" for name in ("force", "torque")
}
"""Where they lie."""

SIMPLE = ("BOOLEAN", "INT", "FLOAT", "ENUM")
COMPONENT = re.compile(r"(.*?)(?:\.[xyzw]|\[\d+\])")
"""A path to a component of a vector, and the vector's."""

AT_REST = {name: getattr(Axis(), name) for name in FOLLOWED_ON_AXES}


def digest_of_model(scene: bpy.types.Scene, model: Model) -> str:
    """Without the numbers that are animated, so that it is the same at every frame. model: as the scene is read."""
    curves = {known: moving for known, moving in animated_inputs(scene).items() if is_followed(known)}
    animated = set(curves)
    if not animated:
        return model.digest()
    driven = {known.owner for known in animated if known.axis >= 0 or known.field == STRENGTH}
    switched = {known.owner for known in animated if known.field == "enabled"}
    still = replace(
        model,
        links=[_at_rest(link, animated) for link in model.links],
        joints=[_joint_at_rest(joint, driven, switched) for joint in model.joints],
        **{known.field: ZERO for known in animated if known.owner == SCENE},
    )
    if switched:  # where it does not act, other links and joints come first
        still.links.sort(key=lambda link: link.name)
        still.joints.sort(key=lambda joint: joint.name)
        place_links(still, {model_name(obj): obj for obj in scene.objects if is_link(obj)}, unit_length(scene))
    numbers = [text for name in sorted(driven) for text in _still_numbers(object_of(scene, name), animated)]
    parts = [text for known in sorted(animated) for text in _still_parts(scene, known, curves[known])]
    return _sha(still.digest(), *numbers, *parts)


def _at_rest(link: Link, animated: set[Input]) -> Link:
    return replace(link, **{name: ZERO for name in ("force", "torque") if Input(link.name, name) in animated})


def _joint_at_rest(joint: Joint, driven: set[str], switched: set[str]) -> Joint:
    axes = [replace(axis, **AT_REST) for axis in joint.axes] if joint.name in driven else joint.axes
    return replace(joint, axes=axes, enabled=joint.enabled or joint.name in switched)


def _still_numbers(obj: bpy.types.Object, animated: set[Input]) -> Iterator[str]:
    """What of a joint's drives is not animated: some of it may be, and the model has the two as one."""
    settings = getattr(obj, ids.JOINT)
    if Input(model_name(obj), STRENGTH) not in animated:
        yield repr(settings.drive_strength)
    for number, axis in enumerate(axes_in_use(settings)):
        yield str(axis.use_effort)
        for name in sorted(FOLLOWED_ON_AXES):
            if Input(model_name(obj), name, number) not in animated:
                yield repr(getattr(axis, name))


def _still_parts(scene: bpy.types.Scene, known: Input, curves: list[bpy.types.FCurve]) -> Iterator[str]:
    """The components of a vector that nothing moves, while others are animated."""
    path = VECTORS.get(known.field)
    if path:
        owner = object_of(scene, known.owner) if known.owner != SCENE else scene
        moved = {curve.array_index for curve in curves if curve.data_path == path}
        yield repr([value for index, value in enumerate(owner.path_resolve(path)) if index not in moved])


def digest_of_movers(scene: bpy.types.Scene) -> str:
    """Of the curves, drivers and strips that move numbers which simulations follow; empty where there are none.

    Of what drivers read, the keys count, and what stands still.
    """
    animated = {known: curves for known, curves in animated_inputs(scene).items() if is_followed(known)}
    if not animated:
        return ""
    found = [f"{known} {_print(curve)}" for known, curves in animated.items() for curve in curves]
    owners = {scene if known.owner == SCENE else object_of(scene, known.owner) for known in animated}
    found += [text for owner in owners for text in _strips(owner)]
    return _sha(*sorted(found))


def _print(curve: bpy.types.FCurve) -> str:
    own = _print_of_keys(curve)
    if curve.driver is None:
        return own
    driver = curve.driver
    variables = [(variable.name, variable.type) for variable in driver.variables]
    read = [
        (target.id.name, target.data_path, target.bone_target, target.transform_type, _standing(target))
        for target in targets_of(curve)
    ]
    return f"{own} {driver.type} {driver.expression} {variables} {read}"


def _print_of_keys(curve: bpy.types.FCurve) -> str:
    """Of all that decides what a user's curve says at a frame."""
    kinds = np.empty(len(curve.keyframe_points), dtype=np.int32)
    curve.keyframe_points.foreach_get("interpolation", kinds)
    modifiers = [
        [str(getattr(modifier, item.identifier)) for item in modifier.bl_rna.properties if item.type in SIMPLE]
        for modifier in curve.modifiers
    ]
    return f"{read_print(curve).hex()} {kinds.tolist()} {modifiers}"


def _standing(target: bpy.types.DriverTarget) -> str:
    """What a driver reads: its keys, or else its value, or where the object stands that it looks at."""
    assert target.id is not None  # as `targets_of` has seen
    path, whole = target.data_path, COMPONENT.fullmatch(target.data_path)
    paths = {path, whole[1]} if whole else {path}
    keys = [_print_of_keys(curve) for curve in curves_moving(target.id) if not path or curve.data_path in paths]
    is_time = isinstance(target.id, bpy.types.Scene) and path.startswith("frame_")
    if keys or is_time or path.startswith(f"{ids.JOINT}.coordinates["):
        return str(sorted(keys))
    if not path:
        return str([*target.id.matrix_basis]) if isinstance(target.id, bpy.types.Object) else ""
    try:
        return str(target.id.path_resolve(target.data_path))
    except ValueError:  # it leads nowhere
        return ""


def _strips(owner: bpy.types.ID) -> Iterator[str]:
    for strip in playing_strips(owner):
        yield f"{owner.name} {[getattr(strip, name) for name in OF_STRIPS]}"


def _sha(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
