# SPDX-License-Identifier: GPL-3.0-or-later
"""The animation of nodes and data-blocks: actions, F-curves, drivers and strips of the nonlinear animation.

A node that is part of an object has its F-curves in the object's action, below its prefix. All data paths that these
functions take are relative to the node.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import bpy

from . import Node, is_node, owner_of, prefix_of

Animated: TypeAlias = bpy.types.ID | Node
"""A data-block or a node: both may have F-curves."""


SAME_FRAME = 0.01
"""Distance between two frames below which a key is at a frame: Blender's own threshold for keys at one place."""


def animation_of(owner: Animated) -> bpy.types.AnimData | None:
    """Return the animation data in which the owner's F-curves are."""
    return _block_of(owner).animation_data


def create_animation(owner: Animated) -> bpy.types.AnimData:
    """Return the animation data in which the owner's F-curves are; they are created if there are none."""
    return animation_of(owner) or _block_of(owner).animation_data_create()


def action_of(owner: Animated) -> bpy.types.Action | None:
    """Return the action that the owner plays."""
    data = animation_of(owner)
    return data.action if data else None


def path_in(owner: Animated, curve: bpy.types.FCurve) -> str:
    """Return the data path of an F-curve or driver of the owner, relative to the owner."""
    return curve.data_path.removeprefix(_prefix(owner))


def fcurves_of(owner: Animated, paths: tuple[str, ...] = ("",)) -> Iterator[bpy.types.FCurve]:
    """Yield the F-curves of the owner in the action that it plays.

    Args:
        paths: beginnings of their data paths.
    """
    data = animation_of(owner)
    if data and data.action:
        full = _full(owner, paths)
        yield from (curve for curve in curves_in(data.action, data.action_slot) if curve.data_path.startswith(full))


def curves_in(action: bpy.types.Action | None, slot) -> Iterator[bpy.types.FCurve]:
    """Yield the F-curves in a slot of an action; none if there is no action or no slot."""
    for bag in channelbags(action, slot):
        yield from bag.fcurves


def channelbags(action: bpy.types.Action | None, slot) -> Iterator[bpy.types.ActionChannelbag]:
    """Yield the parts of an action that have the F-curves of a slot; none if there is no action or no slot."""
    if action is None or slot is None:
        return
    for layer in action.layers:
        for strip in layer.strips:
            if bag := strip.channelbag(slot):
                yield bag


def drivers_of(owner: Animated, paths: tuple[str, ...] = ("",)) -> list[bpy.types.FCurve]:
    """Return the drivers on data paths with these beginnings."""
    data = animation_of(owner)
    if data is None or not data.drivers:
        return []
    full = _full(owner, paths)
    return [driver for driver in data.drivers if driver.data_path.startswith(full)]


def all_curves_of(owner: Animated, paths: tuple[str, ...] = ("",)) -> Iterator[bpy.types.FCurve]:
    """Yield the F-curves of the owner's action, of its strips in effect, and its drivers."""
    yield from chain(fcurves_of(owner, paths), drivers_of(owner, paths), _curves_of_strips(owner, paths))


def _curves_of_strips(owner: Animated, paths: tuple[str, ...]) -> Iterator[bpy.types.FCurve]:
    for strip in playing_strips(owner):
        full = _full(owner, paths)
        yield from (curve for curve in curves_in(strip.action, strip.action_slot) if curve.data_path.startswith(full))


def is_property_animated(owner: Animated, paths: tuple[str, ...]) -> bool:
    """Return whether a driver, different keys or strips with different keys change a property.

    Args:
        paths: beginnings of the data paths of the properties.
    """
    return bool(drivers_of(owner, paths)) or has_changing_keys(owner, paths)


def has_changing_keys(owner: Animated, paths: tuple[str, ...]) -> bool:
    """Return whether different keys, or strips with different keys, change a property.

    Args:
        paths: beginnings of the data paths of the properties.
    """
    return any(
        len({round(point.co[1], 6) for point in curve.keyframe_points}) > 1
        for curve in chain(fcurves_of(owner, paths), _curves_of_strips(owner, paths))
    )


def playing_tracks(owner: Animated) -> list[bpy.types.NlaTrack]:
    """Return the tracks of the nonlinear animation that are in effect: not muted, and solo if any track is solo."""
    data = animation_of(owner)
    tracks = data.nla_tracks if data and data.use_nla else ()
    tracks = [track for track in tracks if track.is_solo] or tracks  # solo tracks silence all others
    return [track for track in tracks if not track.mute]


def playing_strips(owner: Animated) -> list[bpy.types.NlaStrip]:
    """Return the strips of the nonlinear animation whose tracks are in effect."""
    return [strip for track in playing_tracks(owner) for strip in track.strips]


def strips_on(node: Node, paths: tuple[str, ...]) -> list[bpy.types.NlaStrip]:
    """Return the strips in effect that have F-curves on data paths with these beginnings.

    Strips without an action, such as meta strips, are included, since their F-curves lie deeper.
    """
    strips = playing_strips(node)
    full = _full(node, paths) if strips else ()
    return [strip for strip in strips if _has_curves(strip, full)]


def tracks_on(node: Node, paths: tuple[str, ...]) -> list[bpy.types.NlaTrack]:
    """Return the tracks in effect that contain strips on these data paths, as `strips_on` finds them."""
    full = _full(node, paths)
    return [track for track in playing_tracks(node) if any(_has_curves(strip, full) for strip in track.strips)]


def _has_curves(strip: bpy.types.NlaStrip, paths: tuple[str, ...]) -> bool:
    curves = curves_in(strip.action, strip.action_slot)
    return strip.action is None or any(curve.data_path.startswith(paths) for curve in curves)


def insert_key(node: Node, path: str, frame: float, group: str = "") -> None:
    """Insert a key of the present value of a property.

    Args:
        group: name of the group of F-curves; empty for none.
    """
    owner_of(node).keyframe_insert(prefix_of(node) + path, frame=frame, group=group)


class PropertyAnimation(NamedTuple):
    """The driver and the keys of one property.

    Attributes:
        is_driven: whether it has a driver. has_keys: whether it has keys. is_keyed: whether one is at the frame.
    """

    is_driven: bool
    has_keys: bool
    is_keyed: bool


def animation_at(obj: bpy.types.Object, path: str, frame: float) -> PropertyAnimation:
    """Return the driver and the keys of a property of an object or its bones, without looking at all F-curves.

    Args:
        path: from the object. The property is a number, or a vector of three.
    """
    data = obj.animation_data
    if data is None:
        return PropertyAnimation(False, False, False)
    drivers = _found_in(data.drivers, path)
    curves = [curve for bag in channelbags(data.action, data.action_slot) for curve in _found_in(bag.fcurves, path)]
    at_frame = (abs(point.co.x - frame) < SAME_FRAME for curve in curves for point in curve.keyframe_points)
    return PropertyAnimation(bool(drivers), bool(curves), any(at_frame))


def _found_in(curves, path: str) -> list[bpy.types.FCurve]:
    """Return the F-curves of a property among those of a channelbag, or among drivers."""
    return [curve for index in range(3) if (curve := curves.find(path, index=index)) is not None]


def _block_of(owner: Animated) -> Any:
    """Return the data-block whose animation moves the owner. The stubs do not say which kinds have animation data."""
    return owner if isinstance(owner, bpy.types.ID) else owner_of(owner)


def _prefix(owner: Animated) -> str:
    return prefix_of(owner) if is_node(owner) else ""


def _full(owner: Animated, paths: tuple[str, ...]) -> tuple[str, ...]:
    prefix = _prefix(owner)
    return tuple(prefix + path for path in paths)
