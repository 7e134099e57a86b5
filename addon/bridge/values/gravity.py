# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity in a scene whose Blender unit is not a metre.

Blender counts gravity in its units per second squared, and a new scene has 9.81. If the unit is a centimetre, that is
0.0981 m/s^2, and everything falls in slow motion.
"""

from __future__ import annotations

import bpy
from mathutils import Vector

from .numbers import length_in_words, shortest_all, unit_length

CODE = "gravity-by-unit"
"""Code of the problem that gravity differs from the Earth's because of the scene's unit only."""

EARTH = 9.81
"""Gravity of the Earth, as new scenes have it [m/s^2]."""

GRAVITY_TOLERANCE = 0.01
"""Relative difference up to which a number counts as 9.81: some users write 9.8 or 9.80665."""


def gravity_by_unit(scene: bpy.types.Scene) -> str:
    """Return a message if gravity is 9.81 in Blender units but not in metres; empty otherwise."""
    unit = unit_length(scene)
    if not scene.use_gravity or abs(unit - 1.0) <= GRAVITY_TOLERANCE:
        return ""
    number = Vector(shortest_all(scene.gravity)).length
    if abs(number - EARTH) > GRAVITY_TOLERANCE * EARTH:
        return ""
    return (
        f"gravity is {number * unit:.4g} m/s^2 and not {EARTH} m/s^2: Blender counts it in units, and a unit is "
        f"{length_in_words(scene, unit)} in this scene; press Earth's Gravity"
    )


def set_earth_gravity(scene: bpy.types.Scene) -> None:
    """Set the gravity of a scene to the Earth's. It keeps its direction, or points downward if it had none."""
    direction = Vector(shortest_all(scene.gravity))
    direction = direction.normalized() if direction.length else Vector((0.0, 0.0, -1.0))
    scene.use_gravity = True
    scene.gravity = direction * (EARTH / unit_length(scene))
