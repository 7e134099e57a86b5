# SPDX-License-Identifier: GPL-3.0-or-later
"""Write whole F-curves: one action for a bake, with a slot for every object.

Bones have their F-curves in the slot of their armature.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ... import ids
from ...nodes import Node, owner_of, prefix_of
from ...nodes.animation import animation_of, create_animation
from ...nodes.muting import GROUP
from ..receipts.receipt import digest_of_fingerprints, fingerprint_of, read_fingerprint

if TYPE_CHECKING:
    from ....core.trajectory.reduction import Keys

TRANSFORM_CHANNELS = (("location", 3), ("rotation_euler", 3), ("rotation_quaternion", 4), ("rotation_axis_angle", 4))
"""Data path and number of values of each channel of an object's location and rotation."""
LINEAR, BEZIER = 1, 2  # Blender's numbers of interpolation modes
CONSTANT = "CONSTANT"  # Blender's name of the interpolation that holds a value up to the next key
FREE = 0  # Blender's number of a handle type
KINDS_OF_REDUCED = (("interpolation", BEZIER), ("handle_left_type", FREE), ("handle_right_type", FREE))


class BakeAction:
    """A new action that is marked as a bake. No object plays it until `play` is called."""

    def __init__(self, name: str):
        self.action = bpy.data.actions.new(name)
        self.action[ids.BAKE_MARK] = True
        self._strip = self.action.layers.new("Layer").strips.new(type="KEYFRAME")
        self._slots: dict[bpy.types.Object, bpy.types.ActionSlot] = {}
        self._fingerprints: dict[int, bytes] = {}  # by the curve's address

    def curves(self, obj: Node, properties: Iterable[tuple[str, int]]) -> list[bpy.types.FCurve]:
        """Return new, empty F-curves for properties of the object, or of a bone, in a group of its name.

        Args:
            properties: data path and array index of each.
        """
        bag, prefix = self.channelbag(owner_of(obj)), prefix_of(obj)
        curves = [bag.fcurves.new(prefix + path, index=index) for path, index in properties]
        if prefix:
            group = bag.groups.get(obj.name) or bag.groups.new(obj.name)
            for curve in curves:
                curve.group = group
        return curves

    def fill(self, curves: list[bpy.types.FCurve], frames: np.ndarray, values: np.ndarray) -> None:
        """Write a key at every frame, with linear interpolation, which needs no handles and does not overshoot.

        Args:
            frames: shape (F,). values: shape (F, number of curves).
        """
        kinds = np.full(len(frames), LINEAR, dtype=np.int32)
        for curve, column in zip(curves, values.T, strict=True):
            coordinates = np.column_stack([frames, column]).astype(np.float32).ravel()
            points = _points(curve, coordinates)
            points.foreach_set("interpolation", kinds)
            curve.update()
            self._fingerprints[curve.as_pointer()] = fingerprint_of(curve, coordinates)

    def fill_reduced(self, curves: list[bpy.types.FCurve], frames: np.ndarray, keys: Keys) -> None:
        """Write Bézier curves with handles a third of the way between keys, which makes them cubics in time.

        Args:
            frames: of all samples, shape (F,).
        """
        at = frames[keys.at].astype(np.float64)
        gaps = np.diff(at) / 3.0 if len(at) > 1 else np.ones(1)
        before, after = (at - np.append(gaps[:1], gaps)[: len(at)], at + np.append(gaps, gaps[-1:])[: len(at)])
        kinds = {name: np.full(len(at), kind, np.int32) for name, kind in KINDS_OF_REDUCED}
        for number, curve in enumerate(curves):
            points = _points(curve, np.column_stack([at, keys.values[:, number]]).astype(np.float32).ravel())
            for name, times, values in (("handle_left", before, keys.left), ("handle_right", after, keys.right)):
                points.foreach_set(name, np.column_stack([times, values[:, number]]).astype(np.float32).ravel())
            for name, numbers in kinds.items():
                points.foreach_set(name, numbers)
            curve.update()
            self._fingerprints[curve.as_pointer()] = read_fingerprint(curve)

    def fill_switch(self, owner: bpy.types.Object, path: str, keys: Sequence[tuple[float, int]]) -> None:
        """Write a new F-curve that switches a constraint of one of the object's bones.

        Args:
            path: data path of the switch. keys: frame and value of each, in order.
        """
        bag = self.channelbag(owner)
        curve = bag.fcurves.new(path)
        curve.group = bag.groups.get(GROUP) or bag.groups.new(GROUP)
        for point in _points(curve, np.array(keys, dtype=np.float32).ravel()):
            point.interpolation = CONSTANT
        curve.update()
        self._fingerprints[curve.as_pointer()] = read_fingerprint(curve)

    def curves_of(self, node: Node) -> list[bpy.types.FCurve]:
        """Return the F-curves of a node in this action."""
        prefix = prefix_of(node)
        return [curve for curve in self.channelbag(owner_of(node)).fcurves if curve.data_path.startswith(prefix)]

    def remember(self, curve: bpy.types.FCurve) -> None:
        """Take over the keys of an F-curve of this action that was changed by others, for `digest`."""
        self._fingerprints[curve.as_pointer()] = read_fingerprint(curve)

    def copy_user_curves(self, owner: bpy.types.Object, curves: Iterable[bpy.types.FCurve]) -> None:
        """Copy F-curves of another action to the object's slot."""
        curves = list(curves)
        if curves:
            copy_curves(curves, self.channelbag(owner))

    def channelbag(self, owner: bpy.types.Object):
        """Return the part of the action that has the F-curves of an object."""
        if owner not in self._slots:
            self._slots[owner] = self.action.slots.new("OBJECT", owner.name)
        return self._strip.channelbag(self._slots[owner], ensure=True)

    def play(self, obj: Node) -> None:
        """Assign this action with the object's slot, or no action if it has no curves for the object."""
        owner = owner_of(obj)
        if owner not in self._slots:
            if data := animation_of(obj):
                data.action = None
            return
        data = create_animation(obj)
        data.action = self.action
        data.action_slot = self._slots[owner]

    def clear(self) -> None:
        """Remove all F-curves."""
        self._fingerprints.clear()
        for owner in self._slots:
            self.channelbag(owner).fcurves.clear()

    @property
    def digest(self) -> str:
        """The digest of its own keys, as of `digest_of_curves`, without reading the written keys."""
        return digest_of_fingerprints(self._fingerprints.values())

    def discard(self) -> None:
        """Remove the action."""
        with contextlib.suppress(ReferenceError):  # an undo has removed the action
            bpy.data.actions.remove(self.action)

    @property
    def key_count(self) -> int:
        bags = (self._strip.channelbag(slot) for slot in self._slots.values())
        return sum(len(curve.keyframe_points) for bag in bags if bag for curve in bag.fcurves)


def _points(curve: bpy.types.FCurve, coordinates: np.ndarray):
    """Replace the keys of the curve, and return them.

    Args:
        coordinates: frame and value of each key, shape (2 K,).
    """
    points = curve.keyframe_points
    if len(points):
        points.clear()
    points.add(len(coordinates) // 2)
    points.foreach_set("co", coordinates)
    return points


def evaluate_curves(curves: list[bpy.types.FCurve], frames: np.ndarray) -> np.ndarray:
    """Return the values of the curves at frames as Blender evaluates them, shape (F, number of curves)."""
    times = frames.tolist()
    return np.array([[curve.evaluate(time) for time in times] for curve in curves]).T


def copy_curves(sources: Iterable[bpy.types.FCurve], bag) -> None:
    """Copy F-curves to a channelbag, in groups of the same names."""
    for source in sources:
        copy = bag.fcurves.new(source.data_path, index=source.array_index)
        copy_curve(source, copy)
        if source.group:
            copy.group = bag.groups.get(source.group.name) or bag.groups.new(source.group.name)
            copy.group.mute = source.group.mute


def copy_curve(source: bpy.types.FCurve, target: bpy.types.FCurve) -> None:
    """Copy keys, handles and modifiers to an F-curve that has none."""
    size = len(source.keyframe_points)
    target.keyframe_points.add(size)
    for old, new in zip(source.keyframe_points, target.keyframe_points, strict=True):
        copy_numbers(old, new)
    for modifier in source.modifiers:
        copy_modifier(modifier, target)
    copy_numbers(source, target)
    target.update()


def copy_modifier(source: bpy.types.FModifier, target: bpy.types.FCurve) -> bpy.types.FModifier:
    """Add a copy of a modifier to an F-curve, and return it."""
    copy = target.modifiers.new(source.type)
    copy_numbers(source, copy)
    if isinstance(source, bpy.types.FModifierEnvelope) and isinstance(copy, bpy.types.FModifierEnvelope):
        _copy_control_points(source, copy)
    return copy


def _copy_control_points(source: bpy.types.FModifierEnvelope, target: bpy.types.FModifierEnvelope) -> None:
    """Copy the control points of an envelope.

    All are written at once: if one is written alone, Blender reads it as if it were a modifier, and may crash.
    """
    for point in source.control_points:
        target.control_points.add(point.frame)
    for name in ("min", "max"):
        target.control_points.foreach_set(name, [getattr(point, name) for point in source.control_points])


def copy_numbers(source: bpy.types.bpy_struct, target: bpy.types.bpy_struct) -> None:
    """Copy all properties that can be set, apart from pointers and from what an F-curve animates."""
    for prop in source.bl_rna.properties:
        if not prop.is_readonly and prop.type != "POINTER" and prop.identifier not in ("data_path", "array_index"):
            setattr(target, prop.identifier, getattr(source, prop.identifier))
