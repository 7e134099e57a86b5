# SPDX-License-Identifier: GPL-3.0-or-later
"""Adapt stored poses and keys of a joint's values after the zero of a coordinate was moved."""

from __future__ import annotations

import bpy

from ... import ids
from ...nodes import Node
from ...props.settings import scene_settings
from ..animation.motion_sources import value_curves
from ..posing.named_poses import numbers_of, text_of
from ..values.joint_numbers import coordinate_number, unit_factor
from .axis_views import AxisView


def shift_stored_values(obj: Node, scene: bpy.types.Scene, axis: AxisView, joint, unit: float, by: float) -> None:
    """Change stored poses and keys of a coordinate so that they describe the same poses as before.

    Args:
        axis: view of the coordinate's axis. joint: the core `Joint`. unit: length of a Blender unit [m].
        by: displacement of the zero [rad or m].
    """
    assert axis.q_index is not None
    step = by / unit_factor(joint, axis.q_index, unit)
    for pose in scene_settings(scene).poses:
        for entry in pose.joints:
            numbers = numbers_of(entry.q)
            if entry.joint_node == obj and len(numbers) == joint.nq:
                numbers[axis.q_index] -= step
                entry.q = text_of(numbers)
    path = f"{ids.JOINT}.coordinates[{coordinate_number(joint, axis.q_index)}].q"
    for curve in value_curves(obj):
        if curve.data_path == path:
            for point in curve.keyframe_points:
                point.co.y -= step
                point.handle_left.y -= step
                point.handle_right.y -= step
            curve.update()
