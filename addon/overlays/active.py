# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the active joint over the 3D view: its axes, limits and present values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ...core.model import ModelError
from .. import bridge, watch
from ..nodes import Node, is_visible, model_name, uid_of
from ..nodes.chosen import active_node
from ..props import is_joint
from ..props.chosen import meant_active_node
from . import labels
from .joint_glyphs import glyph, limits, polyline, ring_radius
from .lines import Color, Lines
from .sizes import active_radius

THICKER = 1.6
"""Ratio between the line widths of the active joint and of other joints."""

COLORS = ("joint_color", "limit_color", "problem_color")


class Picture(NamedTuple):
    """The lines and labels of a joint in views of one size."""

    lines: Sequence[Lines] = ()
    labels: Sequence[tuple[Vector, str]] = ()


_cache_key: tuple = ()
_pictures: dict[float, Picture] = {}
"""The drawings, by the radius at which a view shows the joint."""


def draw(context, style) -> None:
    picture = _picture(context, style)
    for lines in picture.lines:
        lines.draw(style.width * THICKER)


def draw_labels(context, style) -> None:
    """Draw the numbers of the limits, in a view's handler for pixels."""
    labels.draw(_picture(context, style).labels, context)


def forget() -> None:
    global _cache_key
    _cache_key = ()
    _pictures.clear()


def _picture(context, style) -> Picture:
    """Return the drawing, made again if something has changed."""
    global _cache_key
    chosen, obj = active_node(context), meant_active_node(context)
    if chosen is None or not is_joint(obj) or not is_visible(chosen):
        return Picture()
    key = (watch.moves, uid_of(obj), *(tuple(getattr(style, name)) for name in COLORS))
    if key != _cache_key:
        _pictures.clear()
        _cache_key = key
    radius = active_radius(obj, context.region, context.region_data)
    if radius not in _pictures:
        _pictures[radius] = _picture_of(obj, context.scene, radius, style)
    return _pictures[radius]


def _picture_of(obj: Node, scene: bpy.types.Scene, radius: float, style) -> Picture:
    try:
        view = bridge.joints.axis_views.view_joint(obj, scene)
    except ModelError:
        return Picture()
    rig = bridge.rig.last_rig(scene)
    is_troubled = style.show_problems and rig is not None and model_name(obj) in rig.troubled
    color = style.problem_color if is_troubled else style.joint_color
    return Picture(_lines_of(view, radius, color, style.limit_color), _labels_of(view, radius, scene))


def _lines_of(view: bridge.joints.axis_views.JointView, radius: float, color: Color, limit_color: Color) -> list[Lines]:
    marks = [_mark(axis, ring_radius(radius, number)) for number, axis in enumerate(view.axes)]
    return [
        Lines(glyph(view, radius), color),
        Lines(limits(view, radius), limit_color),
        Lines(np.concatenate([np.zeros((0, 2, 3)), *marks]), (1.0, 1.0, 1.0, 0.9)),
    ]


def _labels_of(
    view: bridge.joints.axis_views.JointView, radius: float, scene: bpy.types.Scene
) -> list[tuple[Vector, str]]:
    return [
        (axis.point_at(value, ring_radius(radius, number)), labels.reading(axis, value, scene))
        for number, axis in enumerate(view.axes)
        for value in (axis.lower, axis.upper)
        if math.isfinite(value)
    ]


def _mark(axis: bridge.joints.axis_views.AxisView, radius: float) -> np.ndarray:
    """Return the segments that mark the present value, shape (n, 2, 3)."""
    if axis.kind == "slide":
        end = axis.point_at(axis.value, 0.0)
        return polyline([end - 0.1 * radius * axis.zero, end + 0.1 * radius * axis.zero])
    if axis.q_index is None:
        return np.zeros((0, 2, 3))
    risen = axis.origin + axis.direction * (axis.translation_rate * axis.value)
    return polyline([risen, axis.point_at(axis.value, radius)])
