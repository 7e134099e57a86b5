# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of a joint's glyph: rings for rotations, rails for slides, helices for screws, and balls and cones."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from mathutils import Quaternion, Vector

from ...core.joints import BALL, FREE
from .. import bridge

STEP = math.radians(7.5)
"""Angle between two points of an arc [rad]. Whole circles, of which a model has many, use twice this angle."""
TURNS_OF_A_THREAD = 2.0


def polyline(points: Iterable[Vector]) -> np.ndarray:
    """Return segments, shape (n, 2, 3), through the points."""
    array = np.array([point[:] for point in points], dtype=np.float64).reshape(-1, 3)
    return np.stack([array[:-1], array[1:]], axis=1) if len(array) > 1 else np.zeros((0, 2, 3))


def glyph(view: bridge.joints.axis_views.JointView, radius: float) -> np.ndarray:
    """Return the lines of a joint without its limits, in world axes, shape (n, 2, 3)."""
    kind = view.joint.kind
    parts = [part for number, axis in enumerate(view.axes) for part in _axis_lines(axis, ring_radius(radius, number))]
    origin, turn = Vector(view.X_WJ[:3]), Quaternion(view.X_WJ[3:])
    axes = [turn @ Vector(row) for row in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    if kind.code == BALL:
        parts += [_circle(origin, axis, 0.4 * radius) for axis in axes]
    elif kind.code == FREE:
        parts += [polyline([origin - 0.4 * radius * axis, origin + 0.4 * radius * axis]) for axis in axes]
    elif not view.axes:
        parts += [_square(origin, axes[i], axes[i - 1], 0.25 * radius) for i in range(3)]
    return np.concatenate(parts) if parts else np.zeros((0, 2, 3))


def ball(radius: float) -> np.ndarray:
    """Return three rings about the origin, shape (n, 2, 3)."""
    axes = (Vector((1.0, 0.0, 0.0)), Vector((0.0, 1.0, 0.0)), Vector((0.0, 0.0, 1.0)))
    return np.concatenate([_circle(Vector(), axis, radius) for axis in axes])


def limits(view: bridge.joints.axis_views.JointView, radius: float) -> np.ndarray:
    """Return the lines of a joint's limits in world axes, shape (n, 2, 3)."""
    parts = [part for number, axis in enumerate(view.axes) for part in _range(axis, ring_radius(radius, number))]
    return np.concatenate(parts) if parts else np.zeros((0, 2, 3))


def ring_radius(radius: float, number: int) -> float:
    """Return the radius of the ring of axis `number`; each ring is a little smaller than the one before."""
    return radius * 0.85**number


def _axis_lines(axis: bridge.joints.axis_views.AxisView, radius: float) -> list[np.ndarray]:
    if axis.kind == "slide":
        if axis.q_index is None:
            start, end = (np.array([axis.point_at(value, 0.0)[:]]) for value in (0.0, axis.value))
            return [dashed(start, end)]
        ends = [axis.origin - axis.direction * radius, axis.origin + axis.direction * radius]
        return [polyline(ends), *(_square(end, axis.zero, axis.at_quarter_turn, 0.12 * radius) for end in ends)]
    if axis.kind == "cone" or axis.q_index is None:
        return []
    ends = [axis.origin - axis.direction * (0.6 * radius), axis.origin + axis.direction * (1.2 * radius)]
    if axis.translation_rate:
        helix = [axis.point_at(value, 0.4 * radius) for value in _values(0.0, TURNS_OF_A_THREAD * math.tau)]
        return [polyline(ends), polyline(helix)]
    return [polyline(ends), _circle(axis.origin, axis.direction, 0.5 * radius)]


def _range(axis: bridge.joints.axis_views.AxisView, radius: float) -> list[np.ndarray]:
    lower, upper = axis.lower, axis.upper
    if axis.kind == "slide":
        ends = [axis.point_at(value, 0.0) for value in (lower, upper) if math.isfinite(value)]
        ticks = [_tick(end, axis, 0.15 * radius) for end in ends]
        return [*ticks, polyline(ends)] if len(ends) == 2 else ticks
    if axis.kind == "cone":
        return _cone(axis, radius) if math.isfinite(upper) and upper < math.pi else []
    if not (math.isfinite(lower) or math.isfinite(upper)):
        return []
    first = max(lower, upper - math.tau / axis.rate) if math.isfinite(upper) else lower
    last = min(upper, lower + math.tau / axis.rate) if math.isfinite(lower) else upper
    arc = [axis.point_at(value, radius) for value in _values(first * axis.rate, last * axis.rate, axis.rate)]
    spokes = [
        polyline([axis.origin + axis.direction * (axis.translation_rate * value), axis.point_at(value, radius)])
        for value in (lower, upper)
        if math.isfinite(value)
    ]
    return [polyline(arc), *spokes]


def _values(first: float, last: float, size: float = 1.0) -> np.ndarray:
    """Return coordinates between two angles, dense enough for a round arc."""
    count = max(2, math.ceil(abs(last - first) / STEP) + 1)
    return np.linspace(first, last, count) / size


def _circle(origin: Vector, axis: Vector, radius: float) -> np.ndarray:
    across = axis.orthogonal().normalized() * radius
    return polyline(origin + Quaternion(axis, angle) @ across for angle in _values(0.0, math.tau, 1.0)[::2])


def _square(origin: Vector, one: Vector, other: Vector, half: float) -> np.ndarray:
    corners = [(1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1)]
    return polyline(origin + half * (a * one + b * other) for a, b in corners)


def _cone(axis: bridge.joints.axis_views.AxisView, radius: float) -> list[np.ndarray]:
    height, reach = radius * math.cos(axis.upper), radius * math.sin(axis.upper)
    rim = _circle(axis.origin + axis.direction * height, axis.direction, reach)
    sides = [polyline([axis.origin, Vector(rim[i, 0])]) for i in range(0, len(rim), len(rim) // 8)]
    return [rim, *sides]


def _tick(end: Vector, axis: bridge.joints.axis_views.AxisView, half: float) -> np.ndarray:
    return polyline([end - half * axis.zero, end + half * axis.zero])


def dashed(starts: np.ndarray, ends: np.ndarray, pieces: int = 12) -> np.ndarray:
    """Return the dashes of lines, shape (n * pieces, 2, 3), from their ends, shape (n, 3)."""
    at = np.linspace(0.0, 1.0, 2 * pieces + 1)[:-1].reshape(1, pieces, 2, 1)
    return (starts[:, None, None] * (1.0 - at) + ends[:, None, None] * at).reshape(-1, 2, 3)
