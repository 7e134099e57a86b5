# SPDX-License-Identifier: GPL-3.0-or-later
"""The simplest walker: a wheel without a rim that rolls down a slope on its eight spokes.

Each spoke's landing costs it a part of its speed, each step down the slope gives some back, and so it comes to a
steady pace: McGeer, Passive dynamic walking, International Journal of Robotics Research 9 (1990).
"""

from __future__ import annotations

import math

import bpy
from mathutils import Matrix
from workshop import begin, box, collide, film, link, plate, rod, slip

from limberjack.addon import ids

SPOKES, LENGTH, WIDTH = 8, 1.0, 0.5
SLOPE = math.radians(6.0)
MASS, INERTIA = 1.0, 0.2
LEAN = math.radians(1.0)
"""By which it is beyond its balance when it is let go."""

WAY = 16.0
"""Length of the slope [m]."""


def build() -> None:
    begin("Rimless Wheel", last_frame=240, contact=True)
    down = (math.cos(SLOPE), 0.0, -math.sin(SLOPE))
    up = (math.sin(SLOPE), 0.0, math.cos(SLOPE))
    middle = [WAY / 2.0 * a - 1.0 * a - 0.1 * b for a, b in zip(down, up, strict=True)]
    slope = box("slope", (WAY, 2.0, 0.2), middle, "paper", along=up, collection="Stand")
    collide(slope)
    slip(1.0, 0.0, slope)
    wheel = _wheel()
    stands = Matrix.Translation([LENGTH * a for a in (math.sin(LEAN), 0.0, math.cos(LEAN))])
    wheel.matrix_world = stands @ Matrix.Rotation(LEAN, 4, "Y") @ wheel.matrix_world
    bpy.context.view_layer.update()
    link(wheel)
    _weigh(wheel)
    slip(1.0, 0.0, wheel)
    getattr(bpy.context.scene, ids.SCENE).accuracy = "exact"  # or both feet of a pair would land one after the other
    film((5.0, -13.0, 2.4), (5.4, 0.0, -0.3), lens=42.0, width=1400, height=800)


def _wheel() -> bpy.types.Object:
    """A hub with eight pairs of spokes, which are only seen; a prism with its corners at their ends collides."""
    hub = rod("wheel", 0.09, (0.0, -WIDTH / 2.0 - 0.05, 0.0), (0.0, WIDTH / 2.0 + 0.05, 0.0), "brass")
    getattr(hub, ids.LINK).role = "VISUAL"
    for number in range(SPOKES):
        angle = math.tau * number / SPOKES
        end = (LENGTH * math.sin(angle), -LENGTH * math.cos(angle))
        for side, y in (("left", WIDTH / 2.0), ("right", -WIDTH / 2.0)):
            color = "red" if number == 0 else "steel"
            name = f"spoke {number + 1} {side}"
            tip = (0.985 * end[0], y, 0.985 * end[1])
            rod(name, 0.015, (0.0, y, 0.0), tip, color, parent=hub, role="VISUAL")
    angles = [math.tau * number / SPOKES for number in range(SPOKES)]
    corners = [(LENGTH * math.sin(angle), LENGTH * math.cos(angle)) for angle in angles]
    start = (0.0, -WIDTH / 2.0, 0.0)
    feet = plate("feet", [corners], WIDTH, start, "slate", along=(0.0, 1.0, 0.0), parent=hub, role="COLLISION")
    feet.display_type, feet.hide_render = "WIRE", True
    return hub


def _weigh(wheel: bpy.types.Object) -> None:
    settings = getattr(wheel, ids.LINK)
    settings.mass_source, settings.mass, settings.com = "CUSTOM", MASS, (0.0, 0.0, 0.0)
    settings.inertia = (INERTIA, 0.0, 0.0, INERTIA, 0.0, INERTIA)
