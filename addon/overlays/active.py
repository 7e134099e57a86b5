"""The active joint over the 3D view: its axes, how far each may go, and where it stands."""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Vector

from ...core.model import ModelError
from .. import watch
from ..bridge.dials import Dial, JointView, view_joint
from ..props import is_joint
from . import labels
from .lines import Lines
from .shapes import glyph, limits, polyline, ring_radius
from .sizes import active_radius

THICKER = 1.6
"""Lines of the active joint, against those of all others."""

_made_for: tuple = ()
_lines: list[Lines] = []
_labels: list[tuple[Vector, str]] = []


def draw(context, look) -> None:
    global _made_for
    obj = context.active_object
    if not is_joint(obj) or not obj.visible_get():
        return
    radius = active_radius(obj, context.region, context.region_data)
    key = (watch.moves, obj.session_uid, radius)
    if key != _made_for:
        try:
            view = view_joint(obj, context.scene)
        except ModelError:
            forget()
        else:
            _lines[:] = _lines_of(view, radius, look)
            _labels[:] = _labels_of(view, radius, context.scene)
        _made_for = key
    for lines in _lines:
        lines.draw(look.width * THICKER)


def draw_labels(context) -> None:
    """The limits' numbers, after `draw`."""
    obj = context.active_object
    labels.draw(_labels if is_joint(obj) and obj.visible_get() else [], context)


def forget() -> None:
    global _made_for
    _made_for = ()
    _lines.clear()
    _labels.clear()


def _lines_of(view: JointView, radius: float, look) -> list[Lines]:
    marks = [_mark(dial, ring_radius(radius, number)) for number, dial in enumerate(view.dials)]
    return [
        Lines(glyph(view, radius), look.joint_color),
        Lines(limits(view, radius), look.limit_color),
        Lines(np.concatenate([np.zeros((0, 2, 3)), *marks]), (1.0, 1.0, 1.0, 0.9)),
    ]


def _labels_of(view: JointView, radius: float, scene: bpy.types.Scene) -> list[tuple[Vector, str]]:
    return [
        (dial.point(value, ring_radius(radius, number)), labels.reading(dial, value, scene))
        for number, dial in enumerate(view.dials)
        for value in (dial.lower, dial.upper)
        if math.isfinite(value)
    ]


def _mark(dial: Dial, radius: float) -> np.ndarray:
    """Where the coordinate is now."""
    if dial.kind == "slide":
        end = dial.point(dial.value, 0.0)
        return polyline([end - 0.1 * radius * dial.zero, end + 0.1 * radius * dial.zero])
    if dial.place is None:
        return np.zeros((0, 2, 3))
    risen = dial.origin + dial.direction * (dial.advance * dial.value)
    return polyline([risen, dial.point(dial.value, radius)])
