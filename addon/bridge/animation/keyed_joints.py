# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluate the keys of joint values at a frame.

F-curves are evaluated here, because Blender does not return values during renders and does not evaluate hidden Empties.
"""

from __future__ import annotations

import bpy

from ...nodes import Node, model_name
from ...nodes.animation import animation_of, path_in
from ...props.members import joints_in
from .motion_sources import value_curves

Numbers = dict[int, float]
"""Values by coordinate number, locked coordinates counted [rad or Blender units]."""


def keyed_numbers(scene: bpy.types.Scene, frame: float) -> dict[str, Numbers]:
    """Return the values at a frame of each joint whose values have keys, by name."""
    found: dict[str, Numbers] = {}
    for obj in joints_in(scene):
        if animation_of(obj) is not None and (numbers := keyed_numbers_of(obj, frame)):
            found[model_name(obj)] = numbers
    return found


def keyed_numbers_of(joint: Node, frame: float) -> Numbers:
    """Return the values of one joint at a frame; empty if it has no keys."""
    curves = value_curves(joint)
    return {int(path_in(joint, curve).partition("[")[2].partition("]")[0]): curve.evaluate(frame) for curve in curves}
