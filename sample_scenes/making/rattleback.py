# SPDX-License-Identifier: GPL-3.0-or-later
"""Two rattlebacks: stones with a long round bottom, whose weight lies a little askew to it.

Both are spun alike, one to the left and one to the right, by hinges that let go. The one that is spun the wrong way
begins to rattle, stops, and turns back; the other goes on. Nothing is lost: they only roll. Shape and weight are those
of Kane and Levinson, Realistic mathematical modeling of the rattleback, Int. J. Non-Linear Mechanics 17 (1982). A hinge
stands where its stone touches the floor, so that the stone is rolling already when the hinge lets go.
"""

from __future__ import annotations

import math

import bpy
from mathutils import Matrix, Vector
from workshop import ball, bar, begin, box, collide, drive, film, join, link, shape, slip

from limberjack.addon import ids
from limberjack.core.geometry import Ellipsoid

RADII = (0.2, 0.03, 0.02)
MASS, LOW = 1.0, 0.01
"""Its centre of mass is so far below the middle of the ellipsoid."""

INERTIA = (2e-4, -2e-5, 0.0, 1.6e-3, 0.0, 1.7e-3)
"""xx xy xz yy yz zz: the long way is no axis of the weight."""

LEAN = math.radians(0.5)
"""To the side and endwise, where it is let go."""

SPIN = 5.0
HAND = 1.0
"""Of the hinge, in N m for each rad/s that is lacking: up to speed in a hundredth of a second."""

FPS, HELD = 60, 13
"""The frame at which the hinges let go."""

STONES = {"wrong way": (-1.0, (0.0, -0.26), "red"), "right way": (1.0, (0.0, 0.26), "teal")}
"""Which way each is spun, seen from above; where it touches the floor; its color."""


def build() -> None:
    begin("Rattleback", last_frame=HELD + 6 * FPS, fps=FPS, contact=True)
    floor = box("floor", (0.9, 1.2, 0.04), (0.0, 0.0, -0.02), "paper", collection="Stand")
    collide(floor)
    slip(1.0, 0.0, floor)
    stones = {name: _stone(name, at, color) for name, (_, at, color) in STONES.items()}
    link(*stones.values())
    slip(1.0, 0.0, *stones.values())
    for name, (sign, at, _) in STONES.items():
        _weigh(stones[name])
        hinge = join(f"hand {name}", "revolute", None, stones[name], (*at, 0.0), [(0.0, 0.0, 1.0)], 0.1)
        drive(hinge.axes[0], "velocity", sign * SPIN, damping=HAND)
        hinge.use_released_at, hinge.released_at = True, HELD
    film((0.75, -0.95, 0.62), (0.0, -0.02, 0.0), lens=50.0, width=1200, height=800)


def _stone(name: str, at: tuple[float, float], color: str) -> bpy.types.Object:
    """An ellipsoid. The bar on it shows which way its weight is askew, more than it is."""
    stone = shape(name, Ellipsoid(RADII), (0.0, 0.0, 0.0), color)
    tips = (-0.13, -0.018, 0.016), (0.13, 0.018, 0.016)
    bar(f"weight {name}", 0.005, *tips, "brass", parent=stone, role="VISUAL")
    for number, tip in enumerate(tips):
        ball(f"weight {name} end {number + 1}", 0.011, tip, "brass", parent=stone, role="VISUAL")
    put(stone, at, LEAN)
    return stone


def put(stone: bpy.types.Object, at: tuple[float, float], lean: float) -> None:
    """Lean a stone to the side and endwise, so that it touches the floor at a point."""
    turn = Matrix.Rotation(lean, 3, "X") @ Matrix.Rotation(lean, 3, "Y")
    stone.matrix_world = Matrix.Translation(Vector((*at, 0.0)) - turn @ lowest(turn)) @ turn.to_4x4()
    bpy.context.view_layer.update()


def lowest(turn: Matrix) -> Vector:
    """The ellipsoid's lowest point, in its own axes, as it is turned."""
    up = turn.transposed() @ Vector((0.0, 0.0, 1.0))
    spread = Vector(radius**2 * way for radius, way in zip(RADII, up, strict=True))
    return -spread / math.sqrt(spread.dot(up))


def _weigh(stone: bpy.types.Object) -> None:
    settings = getattr(stone, ids.LINK)
    settings.mass_source, settings.mass, settings.com = "CUSTOM", MASS, (0.0, 0.0, -LOW)
    settings.inertia = INERTIA
