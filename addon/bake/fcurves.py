# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves, written whole: one action for a bake, with a slot for every object."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

import bpy
import numpy as np

from .. import ids
from .receipt import digest_of_prints, print_of, read_print

if TYPE_CHECKING:
    from ...core.reduction import Keys

LINEAR, BEZIER = 1, 2  # as Blender numbers its kinds of interpolation
FREE = 0  # as it numbers its kinds of handles
KINDS_OF_REDUCED = (("interpolation", BEZIER), ("handle_left_type", FREE), ("handle_right_type", FREE))


class BakeAction:
    """A new action that is marked as ours, and that nothing plays until `commit`."""

    def __init__(self, name: str):
        self.action = bpy.data.actions.new(name)
        self.action[ids.BAKE_MARK] = True
        self._strip = self.action.layers.new("Layer").strips.new(type="KEYFRAME")
        self._slots: dict[bpy.types.Object, bpy.types.ActionSlot] = {}
        self._prints: dict[int, bytes] = {}  # by the curve's address

    def curves(self, obj: bpy.types.Object, properties: Iterable[tuple[str, int]]) -> list[bpy.types.FCurve]:
        """New, empty curves for numbers of the object: the data path of each, and the index in it."""
        bag = self._bag(obj)
        return [bag.fcurves.new(path, index=index) for path, index in properties]

    def fill(self, curves: list[bpy.types.FCurve], frames: np.ndarray, values: np.ndarray) -> None:
        """A key on every frame needs no handles: straight lines between them never overshoot.

        frames: shape (F,). values: shape (F, number of curves).
        """
        kinds = np.full(len(frames), LINEAR, dtype=np.int32)
        for curve, column in zip(curves, values.T, strict=True):
            places = np.column_stack([frames, column]).astype(np.float32).ravel()
            points = _points(curve, places)
            points.foreach_set("interpolation", kinds)
            curve.update()
            self._prints[curve.as_pointer()] = print_of(curve, places)

    def fill_reduced(self, curves: list[bpy.types.FCurve], frames: np.ndarray, keys: Keys) -> None:
        """Bézier curves with handles a third of the way between keys: cubics in time. frames: of all samples."""
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
            self._prints[curve.as_pointer()] = read_print(curve)

    def carry(self, obj: bpy.types.Object, curves: Iterable[bpy.types.FCurve]) -> None:
        """Let the object play these curves of another action, too."""
        curves = list(curves)
        if curves:
            copy_curves(curves, self._bag(obj).fcurves)

    def _bag(self, obj: bpy.types.Object):
        if obj not in self._slots:
            self._slots[obj] = self.action.slots.new("OBJECT", obj.name)
        return self._strip.channelbag(self._slots[obj], ensure=True)

    def play(self, obj: bpy.types.Object) -> None:
        """Give the object this action in its own slot, or none where it has no curves in it."""
        if obj not in self._slots:
            if obj.animation_data:
                obj.animation_data.action = None
            return
        data = obj.animation_data_create()
        data.action = self.action
        data.action_slot = self._slots[obj]

    def clear(self, objects: Iterable[bpy.types.Object]) -> None:
        """Take the curves of these away again."""
        for obj in objects:
            if obj not in self._slots:
                continue
            for curve in self._bag(obj).fcurves:
                del self._prints[curve.as_pointer()]
            self._bag(obj).fcurves.clear()

    @property
    def digest(self) -> str:
        """Of all its own keys, as `digest_of_curves` finds it, without reading back what was written."""
        return digest_of_prints(self._prints.values())

    def discard(self) -> None:
        """Leave no trace."""
        with contextlib.suppress(ReferenceError):  # an undo has removed it
            bpy.data.actions.remove(self.action)

    @property
    def key_count(self) -> int:
        bags = (self._strip.channelbag(slot) for slot in self._slots.values())
        return sum(len(curve.keyframe_points) for bag in bags if bag for curve in bag.fcurves)


def _points(curve: bpy.types.FCurve, places: np.ndarray):
    """Keys in the place of those that the curve has. places: frame and value of each, shape (2 K,)."""
    points = curve.keyframe_points
    if len(points):
        points.clear()
    points.add(len(places) // 2)
    points.foreach_set("co", places)
    return points


def evaluated(curves: list[bpy.types.FCurve], frames: np.ndarray) -> np.ndarray:
    """What Blender makes of the curves at the frames, shape (F, number of curves)."""
    times = frames.tolist()
    return np.array([[curve.evaluate(time) for time in times] for curve in curves]).T


def copy_curves(sources: Iterable[bpy.types.FCurve], target) -> None:
    """Copy curves among those of a channelbag."""
    for source in sources:
        _copy(source, target.new(source.data_path, index=source.array_index))


def _copy(source: bpy.types.FCurve, target: bpy.types.FCurve) -> None:
    """Keys, handles and modifiers."""
    size = len(source.keyframe_points)
    target.keyframe_points.add(size)
    for old, new in zip(source.keyframe_points, target.keyframe_points, strict=True):
        _copy_numbers(old, new)
    for modifier in source.modifiers:
        copy = target.modifiers.new(modifier.type)
        _copy_numbers(modifier, copy)
        for point in getattr(modifier, "control_points", ()):  # of an envelope
            _copy_numbers(point, copy.control_points.add(point.frame))
    _copy_numbers(source, target)
    target.update()


def _copy_numbers(source: bpy.types.bpy_struct, target: bpy.types.bpy_struct) -> None:
    for prop in source.bl_rna.properties:
        if not prop.is_readonly and prop.type != "POINTER" and prop.identifier not in ("data_path", "array_index"):
            setattr(target, prop.identifier, getattr(source, prop.identifier))
