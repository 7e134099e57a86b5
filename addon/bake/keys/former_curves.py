# SPDX-License-Identifier: GPL-3.0-or-later
"""Give a baked channel its former values outside of the frames of the bake, modifiers included.

Blender applies a modifier to a whole F-curve. One that changes values gets two copies, which act before and after the
bake only. One that changes the time at which keys are read, as Cycles does, would read the keys of the bake. Its result
is sampled instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ...bridge.animation.motion_sources import is_muted
from .fcurves import CONSTANT, copy_curve, copy_modifier, copy_numbers

EARLIEST, LATEST = -1048574.0, 1048574.0
"""Blender's first and last frame: the ends of a modifier that acts at all frames before or after a bake."""

SAMPLED_MARGIN = 250
"""Number of frames before and after the scene's range for which curves are sampled, so that a shot may become longer
after the bake: the length of Blender's default scene.
"""


BY_VALUE = ("GENERATOR", "FNGENERATOR", "ENVELOPE", "NOISE", "LIMITS")
"""Types of modifiers that change the value at a frame and read no other frames; limits may change the frame, too."""


class Outside(NamedTuple):
    """The frames outside of a bake.

    Attributes:
        before, after: the last frame before the bake, and the first one after it.
        first, last: the first and the last frame of curves that are sampled.
    """

    before: float
    after: float
    first: int
    last: int

    @property
    def sampled(self) -> np.ndarray:
        """The frames at which curves are sampled, shape (F,)."""
        begin, end = min(self.first, int(self.before)), max(self.last, int(self.after))
        return np.concatenate([np.arange(begin, self.before + 1.0), np.arange(self.after, end + 1.0)])


def outside_of(scene: bpy.types.Scene, frames: np.ndarray) -> Outside:
    """Return what is outside of a bake.

    Args:
        frames: whole or fractional frames of the bake, shape (F,).
    """
    starts, ends = [scene.frame_start], [scene.frame_end]
    if scene.use_preview_range:
        starts.append(scene.frame_preview_start)
        ends.append(scene.frame_preview_end)
    before, after = math.ceil(frames[0]) - 1.0, math.floor(frames[-1]) + 1.0
    return Outside(before, after, min(starts) - SAMPLED_MARGIN, max(ends) + SAMPLED_MARGIN)


def hold_outside(bag, curve: bpy.types.FCurve, former: bpy.types.FCurve | None, value: float, outside: Outside) -> None:
    """Give an F-curve of a bake its former values outside of the bake.

    Args:
        bag: the channelbag of the curve.
        former: the F-curve without the bake; None if there is none.
        value: of the property without an F-curve.
    """
    points = curve.keyframe_points
    points[len(points) - 1].interpolation = CONSTANT
    if former is None or is_muted(former):
        for frame in (outside.before, outside.after):
            points.insert(frame, value).interpolation = CONSTANT
    elif _must_be_sampled(former, outside):
        _sample(curve, former, outside)
    else:
        _keep_keys(bag, curve, former, outside)
        for modifier in former.modifiers:
            for start, end in _ranges(modifier, outside):
                _restrict(copy_modifier(modifier, curve), modifier, start, end)
    curve.update()


def _keep_keys(bag, curve: bpy.types.FCurve, former: bpy.types.FCurve, outside: Outside) -> None:
    """Add the keys of the former F-curve that are outside of the bake, and keys at the ends of the bake."""
    points = curve.keyframe_points
    kept = bag.fcurves.new(f"former {curve.data_path}")
    copy_curve(former, kept)
    while kept.modifiers:  # the value of a new key would contain their effect
        kept.modifiers.remove(kept.modifiers[0])
    _divide(kept, outside)
    keys = {old.co.x: old for old in kept.keyframe_points if not outside.before < old.co.x < outside.after}
    for frame, old in keys.items():
        points.insert(frame, old.co.y)  # which may change the handles of its neighbours
    for point in points:
        if point.co.x in keys:
            copy_numbers(keys[point.co.x], point)
        if point.co.x == outside.before:
            point.interpolation = CONSTANT
    bag.fcurves.remove(kept)
    curve.extrapolation = former.extrapolation


def _divide(curve: bpy.types.FCurve, outside: Outside) -> None:
    """Insert keys that do not change the curve outside of the bake.

    Blender divides a segment exactly if its handles are free. It extrapolates a line from the last two keys, so a curve
    that ends within the bake gets two keys after it, and one that begins within the bake two before it.
    """
    first, last = curve.range()
    frames = [outside.before, outside.after]
    if curve.extrapolation == "LINEAR":
        frames = [outside.before - 1.0, *frames, outside.after + 1.0]
    added = [(frame, curve.evaluate(frame)) for frame in frames]
    for point in curve.keyframe_points:
        point.handle_left_type = point.handle_right_type = "FREE"
    for frame, value in added:
        made = curve.keyframe_points.insert(frame, value)
        made.handle_left_type = made.handle_right_type = "FREE"
        if not first < frame < last:
            made.interpolation = "LINEAR"


def _sample(curve: bpy.types.FCurve, former: bpy.types.FCurve, outside: Outside) -> None:
    """Add a key at every whole frame outside of the bake."""
    frames, points = outside.sampled, curve.keyframe_points
    count = len(points)
    values = [former.evaluate(frame) for frame in frames.tolist()]
    points.add(len(frames))
    coordinates = np.empty(2 * len(points), dtype=np.float32)
    points.foreach_get("co", coordinates)
    coordinates[2 * count :] = np.column_stack([frames, values]).ravel()
    points.foreach_set("co", coordinates)
    for point in points[count:]:
        point.interpolation = CONSTANT if point.co.x == outside.before else "LINEAR"
    curve.update()


def _must_be_sampled(curve: bpy.types.FCurve, outside: Outside) -> bool:
    """Return whether copies of the curve's modifiers cannot give its former values outside of the bake."""
    acting = [modifier for modifier in curve.modifiers if not modifier.mute]
    return any(_remaps_time(modifier) or _blends_within(modifier, outside) for modifier in acting)


def _remaps_time(modifier: bpy.types.FModifier) -> bool:
    """Return whether a modifier reads keys of other frames, as Cycles and Stepped Interpolation do."""
    if isinstance(modifier, bpy.types.FModifierLimits):
        return modifier.use_min_x or modifier.use_max_x
    return modifier.type not in BY_VALUE


def _blends_within(modifier: bpy.types.FModifier, outside: Outside) -> bool:
    """Return whether a modifier comes in or goes out both within the bake and outside of it."""
    if not modifier.use_restricted_range:
        return False
    start, end = modifier.frame_start, modifier.frame_end
    blends = ((start, start + modifier.blend_in), (end - modifier.blend_out, end))
    return any(
        begin < outside.after and finish > outside.before and not outside.before <= begin <= finish <= outside.after
        for begin, finish in blends
        if begin < finish
    )


def _ranges(modifier: bpy.types.FModifier, outside: Outside) -> Iterator[tuple[float, float]]:
    """Yield the ranges of frames outside of the bake in which a modifier acts."""
    start, end = EARLIEST, LATEST
    if modifier.use_restricted_range:
        start, end = modifier.frame_start, modifier.frame_end
    if start <= outside.before:
        yield start, min(end, outside.before)
    if end >= outside.after:
        yield max(start, outside.after), end


def _restrict(copy: bpy.types.FModifier, modifier: bpy.types.FModifier, start: float, end: float) -> None:
    """Let the copy of a modifier act in a range of frames only. It blends at the ends that it shares with the original.

    Args:
        start, end: the first and the last frame at which the copy acts.
    """
    has_range = modifier.use_restricted_range
    copy.use_restricted_range = True
    copy.frame_start, copy.frame_end = start, end
    copy.blend_in = modifier.blend_in if has_range and start == modifier.frame_start else 0.0
    copy.blend_out = modifier.blend_out if has_range and end == modifier.frame_end else 0.0
