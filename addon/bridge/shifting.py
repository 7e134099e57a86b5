# SPDX-License-Identifier: GPL-3.0-or-later
"""What is kept of a joint's values, poses and keys, counted from where its zero has been moved to."""

from __future__ import annotations

import bpy

from .. import ids
from .dials import Dial
from .joint_numbers import number_at, size_of
from .motion import value_curves
from .named_poses import numbers_of, text_of


def shift_kept(obj: bpy.types.Object, scene: bpy.types.Scene, dial: Dial, joint, unit: float, by: float) -> None:
    """Let poses and keys say the same places as before.

    Args:
        dial: of the coordinate. joint: as core has it. unit: metres in a Blender unit.
        by: how far the coordinate's zero was moved [rad or m].
    """
    assert dial.place is not None
    step = by / size_of(joint, dial.place, unit)
    for pose in getattr(scene, ids.SCENE).poses:
        for entry in pose.joints:
            numbers = numbers_of(entry.q)
            if entry.joint == obj and len(numbers) == joint.nq:
                numbers[dial.place] -= step
                entry.q = text_of(numbers)
    path = f"{ids.JOINT}.coordinates[{number_at(joint, dial.place)}].q"
    for curve in value_curves(obj):
        if curve.data_path == path:
            for point in curve.keyframe_points:
                point.co.y -= step
                point.handle_left.y -= step
                point.handle_right.y -= step
            curve.update()
