# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluate the keys of joint values at a frame.

F-curves are evaluated here, because Blender does not return values during renders and does not evaluate hidden Empties.
"""

from __future__ import annotations

import bpy

from ...nodes import Node, model_name, owner_of, prefix_of
from ...nodes.animation import path_in
from ...props.members import joints_in
from .motion_sources import VALUES, all_value_curves, value_curves

Numbers = dict[int, float]
"""Values by coordinate number, locked coordinates counted [rad or Blender units]."""


def keyed_numbers(scene: bpy.types.Scene, frame: float) -> dict[str, Numbers]:
    """Return the values at a frame of each joint whose values have keys, by name.

    It is called at every frame, so the F-curves of an armature are searched once, and not once for each bone.
    """
    found: dict[str, Numbers] = {}
    curves: dict[bpy.types.Object, list[bpy.types.FCurve]] = {}
    for obj in joints_in(scene):
        owner = owner_of(obj)
        if owner not in curves:
            curves[owner] = all_value_curves(owner)
        if not curves[owner]:
            continue
        path = prefix_of(obj) + VALUES
        if own := [curve for curve in curves[owner] if curve.data_path.startswith(path)]:
            found[model_name(obj)] = _numbers_at(obj, own, frame)
    return found


def keyed_numbers_of(joint: Node, frame: float) -> Numbers:
    """Return the values of one joint at a frame; empty if it has no keys."""
    return _numbers_at(joint, value_curves(joint), frame)


def _numbers_at(joint: Node, curves: list[bpy.types.FCurve], frame: float) -> Numbers:
    return {int(path_in(joint, curve).partition("[")[2].partition("]")[0]): curve.evaluate(frame) for curve in curves}
