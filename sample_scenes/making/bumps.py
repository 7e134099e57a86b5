# SPDX-License-Identifier: GPL-3.0-or-later
"""A buggy that drives over three bumps, each wheel on a pair of trailing arms.

The two arms of a wheel are parallel and equally long, so that what carries the wheel never turns against the body: a
loop of four bars for each wheel. A spring turns the lower arms. Wheels and bumps are rigid. So a wheel's middle, where
it rolls over a bump, goes along a circle about the bump's axis whose radius is the sum of both radii. Tyres are rounded
across, and touch at a point; the upper arms hold their wheels by balls. So no force is there twice.
"""

from __future__ import annotations

import math

import bpy
from workshop import ball, bar, begin, box, collide, drive, film, join, key, link, rod, shape, slip, spring, weigh

from limberjack.addon import ids
from limberjack.core.geometry import Ellipsoid

LAST_FRAME, FPS = 192, 24
GRAVITY = 9.81
ACROSS = (0.0, 1.0, 0.0)
RADIUS, HALF_WIDTH = 0.34, 0.15
WHEELBASE, TRACK = 2.3, 1.56
CORNERS = {
    "front.L": (WHEELBASE / 2.0, TRACK / 2.0),
    "front.R": (WHEELBASE / 2.0, -TRACK / 2.0),
    "rear.L": (-WHEELBASE / 2.0, TRACK / 2.0),
    "rear.R": (-WHEELBASE / 2.0, -TRACK / 2.0),
}

ROAD = (14.0, 3.0, 1.3)
ROAD_X = 4.4
BUMPS = {2.4: 0.04, 4.1: 0.06, 5.9: 0.08}
"""Where they are on the road, and how high."""

BUMP_RADIUS = 0.6
GRIP = 0.9

BODY, ARM, UPRIGHT, WHEEL = 600.0, 2.0, 3.0, 20.0
"""Masses [kg]."""
BODY_INERTIA = (90.0, 0.0, 0.0, 450.0, 0.0, 500.0)

REACH, RISE = 0.36, 0.09
"""Length of an arm; how far one is above and one below the wheel's middle."""
INSIDE = 0.2
"""From the wheel's middle to its arms."""

SPRING, DAMPER = 17e3, 1500.0
"""At the wheel [N/m, N s/m]."""
CARRIED = (BODY / 4.0 + ARM) * GRAVITY
"""By each spring: a quarter of the body, and half of two arms [N]."""
BALANCED = -4.0 * ARM * REACH / BODY
"""x of the body's centre of mass with which it stands level: the body bears the arms' other halves at their pivots."""

SPEED = 1.5
PACE = {1: 0.0, 12: 0.0, 48: SPEED / RADIUS}
"""Of the rear wheels [rad/s], keyed."""
MOTOR = 150.0
"""Torque of a rear wheel's drive for each rad/s that is lacking [N m]."""


def build() -> None:
    begin("Bumps", LAST_FRAME, FPS, contact=True)
    _road()
    body = _body()
    link(body)
    _weigh(body)
    wheels = [_corner(name, x, y, body) for name, (x, y) in CORNERS.items()]
    slip(GRIP, 0.0, *wheels)
    film((3.2, -10.5, 3.2), (3.2, 0.0, 0.0), lens=42.0, width=1400, height=800)


def _road() -> None:
    """A slab, and cylinders that lie in it."""
    road = box("road", ROAD, (ROAD_X, 0.0, -ROAD[2] / 2.0), "paper", collection="Stand")
    bumps = []
    for number, (x, height) in enumerate(BUMPS.items()):
        below, side = height - BUMP_RADIUS, ROAD[1] / 2.0 - 0.1
        ends = (x, -side, below), (x, side, below)
        bumps.append(rod(f"bump {number + 1}", BUMP_RADIUS, *ends, "ochre", collection="Stand"))
    collide(road, *bumps)
    slip(GRIP, 0.0, road, *bumps)


def _body() -> bpy.types.Object:
    """A cigar with its driver, and the beams in which the arms turn."""
    middle = RADIUS + 0.22
    body = shape("body", Ellipsoid((1.75, 0.37, 0.33)), (0.15, 0.0, middle), "teal", origin=(0.0, 0.0, RADIUS))
    shape("cockpit", Ellipsoid((0.52, 0.25, 0.2)), (0.16, 0.0, middle + 0.22), "black", parent=body)
    shape("trunk", Ellipsoid((0.15, 0.2, 0.3)), (0.0, 0.0, middle + 0.26), "red", parent=body)
    ball("head", 0.13, (0.0, 0.0, middle + 0.68), "paper", parent=body)
    shape("helmet", Ellipsoid((0.145, 0.145, 0.11)), (0.0, 0.0, middle + 0.735), "ochre", parent=body)
    inside = TRACK / 2.0 - INSIDE
    for end, x in (("front", WHEELBASE / 2.0 + REACH), ("rear", -WHEELBASE / 2.0 + REACH)):
        for level, z in (("lower", RADIUS - RISE), ("upper", RADIUS + RISE)):
            bar(f"{end} {level} beam", 0.04, (x, -inside, z), (x, inside, z), "steel", parent=body)
        rod(f"{end} pillar", 0.06, (x, 0.0, RADIUS - RISE), (x, 0.0, middle), "steel", parent=body)
    return body


def _weigh(body: bpy.types.Object) -> None:
    """By hand: its centre of mass is at the height of the wheels' middles."""
    settings = getattr(body, ids.LINK)
    settings.mass_source, settings.mass = "CUSTOM", BODY
    settings.com, settings.inertia = (BALANCED, 0.0, 0.0), BODY_INERTIA


def _corner(name: str, x: float, y: float, body: bpy.types.Object) -> bpy.types.Object:
    """A wheel, what carries it, and its two arms, of which the upper one closes the loop. Returns the wheel."""
    side = y - math.copysign(INSIDE, y)
    ends = {level: (x, side, RADIUS + rise) for level, rise in (("lower", -RISE), ("upper", RISE))}
    upright = bar(f"upright.{name}", 0.035, ends["lower"], ends["upper"], "slate")
    rod(f"axle.{name}", 0.03, (x, side, RADIUS), (x, y, RADIUS), "steel", parent=upright)
    wheel = _wheel(name, x, y)
    arms = {
        level: bar(f"{level} arm.{name}", 0.03, (x + REACH, side, z), (x, side, z), "red", origin=(x + REACH, side, z))
        for level, (_, _, z) in ends.items()
    }
    link(*arms.values(), upright, wheel)
    for obj, mass in ((arms["lower"], ARM), (arms["upper"], ARM), (upright, UPRIGHT), (wheel, WHEEL)):
        weigh(obj, mass)
    for level, arm in arms.items():
        join(f"{level} pivot.{name}", "revolute", body, arm, arm.location, [ACROSS], 0.12)
    join(f"lower knuckle.{name}", "revolute", arms["lower"], upright, ends["lower"], [ACROSS], 0.1)
    join(f"upper knuckle.{name}", "ball", arms["upper"], upright, ends["upper"], size=0.1).closes_loop = True
    pivot = getattr(bpy.data.objects[f"lower pivot.{name}"], ids.JOINT)
    stiffness = SPRING * REACH**2
    spring(pivot.axes[0], stiffness, DAMPER * REACH**2, -CARRIED * REACH / stiffness)
    axle = join(f"axle turn.{name}", "revolute", upright, wheel, wheel.location, [ACROSS], 0.15)
    if name.startswith("rear"):
        drive(axle.axes[0], "velocity", 0.0, damping=MOTOR)
        key(axle.axes[0], "drive_target", PACE)
    return wheel


def _wheel(name: str, x: float, y: float) -> bpy.types.Object:
    """A tyre; a rim, a cap and a spoke that show how it turns."""
    tyre = Ellipsoid((RADIUS, RADIUS, HALF_WIDTH))
    wheel = shape(f"wheel.{name}", tyre, (x, y, RADIUS), "black", along=ACROSS)
    for part, radius, wide, color in (("rim", 0.22, 0.125, "paper"), ("cap", 0.05, 0.16, "brass")):
        ends = (x, y - wide, RADIUS), (x, y + wide, RADIUS)
        rod(f"{part}.{name}", radius, *ends, color, parent=wheel, role="VISUAL")
    box(f"spoke.{name}", (0.05, 0.27, 0.4), (x, y, RADIUS), "slate", parent=wheel, role="VISUAL")
    return wheel
