# SPDX-License-Identifier: GPL-3.0-or-later
"""A single-seater on a shaker rig: four posts heave it together, roll it and pitch it, while its driver steers.

Each wheel hangs on a spring and a damper, the front ones turn in uprights as the steering wheel says; a rack slides
along. The tyres are springs between wheels and posts, which are Kinematic links with keys. The driver's head
sits on a spring of its own.

Car and driver weigh the same on every wheel, so that the posts' common heave moves each quarter alike: a sprung mass m
on a spring and a damper k, c above a wheel's mass u on a tyre K, C. For posts at z, with s and w the heights of m and u
above where they rest: m s'' = k (w - s) + c (w' - s') and u w'' = K (z - w) + C (z' - w') - m s''. At rest each spring
carries what lies on it, by which the springs' rest lengths are chosen: the car is drawn at its ride height.
"""

from __future__ import annotations

import math
from typing import Any

import bpy
from mathutils import Vector
from workshop import (
    ball,
    bar,
    begin,
    box,
    coil,
    collide,
    drive,
    film,
    follow,
    join,
    key,
    link,
    plate,
    rod,
    shape,
    spring,
    weigh,
)

from limberjack.addon import ids
from limberjack.core.geometry import Ellipsoid

LAST_FRAME = 240
UP = (0.0, 0.0, 1.0)
GRAVITY = 9.81
WHEELBASE, TRACK = 2.6, 1.56
RADIUS, TYRE_WIDTH = 0.34, 0.24
POST = 0.55
"""Height of the posts' tops."""
HUB = POST + RADIUS
CORNERS = {
    "front.L": (WHEELBASE / 2.0, TRACK / 2.0),
    "front.R": (WHEELBASE / 2.0, -TRACK / 2.0),
    "rear.L": (-WHEELBASE / 2.0, TRACK / 2.0),
    "rear.R": (-WHEELBASE / 2.0, -TRACK / 2.0),
}

BODY, HEAD, STEERING_WHEEL, RACK, WHEEL, UPRIGHT = 640.0, 5.0, 3.0, 6.0, 22.0, 3.0
"""Masses [kg]; a front wheel's with its upright."""
BODY_INERTIA = (95.0, 0.0, 0.0, 620.0, 0.0, 660.0)
STEERING_AT = (0.44, 0.0, 0.36)
RACK_X = 1.12
BALANCED = -(STEERING_WHEEL * STEERING_AT[0] + RACK * RACK_X) / BODY
"""x of the body's centre of mass with which the whole car's is amidships."""
SPRUNG = (BODY + HEAD + STEERING_WHEEL + RACK) / 4.0

SPRING, DAMPER = 17e3, 950.0
TYRE, TYRE_DAMPER = 170e3, 250.0
GRIP, GRIP_DAMPER = 60e3, 900.0
"""Of the tyres across and along the car."""
NECK, NECK_DAMPER = 30.0, 0.7

CYCLE = 20
"""Frames of one heave."""
SWING = 0.045
"""From the middle to the highest [m]."""
HEAVES = {13: (1, 1, 1, 1), 103: (-1, 1, -1, 1), 173: (1, 1, -1, -1)}
"""By the first frame, which way the posts go, in the order of CORNERS."""
CYCLES = {13: 4, 103: 3, 173: 3}
COLUMN = (-0.88, 0.0, 0.475)
STEERING = {1: 0.0, 88: 0.0, 112: 2.6, 142: -2.6, 164: 0.0, 186: 1.8, 210: -1.8, 232: 0.0}
TO_WHEELS, TO_RACK = 1.0 / 6.0, 0.03
"""Turns of the front wheels, and metres of the rack, for a turn of the steering wheel."""


def build() -> None:
    begin("Car", LAST_FRAME, contact=True)
    chassis, head, steering, rack = _body(), _head(), _steering_wheel(), _rack()
    wheels = {name: _wheel(name, x, y) for name, (x, y) in CORNERS.items()}
    posts = {name: _post(name, x, y) for name, (x, y) in CORNERS.items()}
    link(chassis, head, steering, rack, *wheels.values(), *posts.values())
    _weigh(chassis)
    for obj, mass in ((head, HEAD), (steering, STEERING_WHEEL), (rack, RACK)):
        weigh(obj, mass)
    column = join("steering_column", "revolute", chassis, steering, steering.location, [COLUMN], 0.15)
    drive(column.axes[0], "position", 0.0, 400.0, 30.0)
    key(column.axes[0], "drive_target", STEERING)
    follow(join("rack_guide", "prismatic", chassis, rack, rack.location, [(0.0, 1.0, 0.0)], 0.1), column, TO_RACK)
    neck = join("neck", "ball", chassis, head, head.location, size=0.1)
    for axis in neck.axes[:3]:
        spring(axis, NECK, NECK_DAMPER)
    for number, name in enumerate(CORNERS):
        weigh(wheels[name], WHEEL)
        _hang(name, chassis, wheels[name], column)
        _stand(name, posts[name], wheels[name])
        getattr(posts[name], ids.LINK).motion = "KINEMATIC"
        getattr(posts[name], ids.LINK).collides = False  # pistons dip into the floor; tyres are springs
        _shake(posts[name], number)
    collide(box("floor", (5.2, 3.4, 0.08), (0.0, 0.0, -0.04), "steel", collection="Stand"))
    getattr(steering, ids.LINK).collides = False  # a ring, which would act as a disc
    film((3.6, -5.4, 2.35), (0.05, 0.0, 0.78), lens=50.0)


def _weigh(chassis: bpy.types.Object) -> None:
    """By hand: so is its centre of mass where the springs want it."""
    settings = getattr(chassis, ids.LINK)
    settings.mass_source, settings.mass = "CUSTOM", BODY
    settings.com, settings.inertia = (BALANCED, 0.0, 0.0), BODY_INERTIA


def _hang(name: str, chassis: bpy.types.Object, wheel: bpy.types.Object, column: Any) -> None:
    """A wheel's spring and damper; a front wheel turns in an upright, as the steering wheel has it."""
    x, y, z = wheel.location
    seat_at = (x, y - math.copysign(0.2, y), z)
    carried = wheel
    if name.startswith("front"):
        carried = rod(f"upright.{name}", 0.03, seat_at, wheel.location, "steel", origin=wheel.location)
        link(carried)
        weigh(wheel, WHEEL - UPRIGHT)
        weigh(carried, UPRIGHT)
        follow(join(f"kingpin.{name}", "revolute", carried, wheel, wheel.location, [UP], 0.15), column, TO_WHEELS)
    strut = join(f"strut.{name}", "prismatic", chassis, carried, wheel.location, [UP], 0.2)
    spring(strut.axes[0], SPRING, DAMPER, -SPRUNG * GRAVITY / SPRING)
    seat = ball(f"spring_seat.{name}", 0.045, seat_at, "steel", parent=carried)
    mount = ball(f"spring_mount.{name}", 0.05, (seat_at[0], seat_at[1], z + 0.46), "steel", parent=chassis)
    coil(f"spring.{name}", 0.055, 0.011, 7, mount, seat, "ochre")


def _stand(name: str, post: bpy.types.Object, wheel: bpy.types.Object) -> None:
    """The tyre: a spring every way, and none against turns."""
    tyre = join(f"tyre.{name}", "d6", post, wheel, wheel.location, size=0.1)
    tyre.closes_loop = True
    for axis in tyre.axes[:2]:
        spring(axis, GRIP, GRIP_DAMPER)
    spring(tyre.axes[2], TYRE, TYRE_DAMPER, (SPRUNG + WHEEL) * GRAVITY / TYRE)


def _shake(post: bpy.types.Object, number: int) -> None:
    """Keys on every frame; each bout begins and ends at rest, in the middle of a swing."""
    middle = post.location.z
    for first, ways in HEAVES.items():
        for step in range(CYCLES[first] * CYCLE + 1):
            post.location.z = middle + ways[number] * SWING * (1.0 - math.cos(math.tau * step / CYCLE))
            post.keyframe_insert("location", index=2, frame=first + step)


def _post(name: str, x: float, y: float) -> bpy.types.Object:
    top = (x, y, POST)
    post = rod(f"post.{name}", 0.24, (x, y, POST - 0.05), top, "slate", origin=top)
    rod(f"piston.{name}", 0.07, (x, y, POST - 0.5), (x, y, POST - 0.05), "paper", parent=post)
    rod(f"cylinder.{name}", 0.13, (x, y, 0.0), (x, y, 0.3), "slate", collection="Stand")
    return post


def _wheel(name: str, x: float, y: float) -> bpy.types.Object:
    """Tyre, rim and cap, about its middle."""

    def across(radius: float, inside: float, outside: float, color: str, **placed: Any) -> bpy.types.Object:
        out = math.copysign(1.0, y)
        return rod(names.pop(0), radius, (x, y + out * inside, HUB), (x, y + out * outside, HUB), color, **placed)

    names = [f"{part}.{name}" for part in ("wheel", "rim", "cap")]
    half = TYRE_WIDTH / 2.0
    wheel = across(RADIUS, -half, half, "black")
    across(0.22, -half - 0.008, half + 0.008, "paper", parent=wheel)
    across(0.05, half + 0.008, half + 0.05, "brass", parent=wheel)
    return wheel


BODY_AT = (0.0, 0.0, HUB + 0.20)


def _on_body(x: float, y: float, z: float) -> tuple[float, float, float]:
    return x, y, BODY_AT[2] + z


def _body() -> bpy.types.Object:
    """A cigar with a cockpit, its driver's trunk, and a cross beam above each axle that the springs push at."""
    body = shape("chassis", Ellipsoid((1.85, 0.37, 0.33)), BODY_AT, "red")
    shape("cockpit", Ellipsoid((0.52, 0.25, 0.2)), _on_body(0.16, 0.0, 0.22), "black", parent=body)
    shape("headrest", Ellipsoid((0.5, 0.16, 0.26)), _on_body(-0.5, 0.0, 0.25), "red", parent=body)
    shape("trunk", Ellipsoid((0.15, 0.2, 0.3)), _on_body(0.0, 0.0, 0.26), "blue", parent=body)
    shape("stripe", Ellipsoid((1.7, 0.1, 0.315)), _on_body(0.08, 0.0, 0.03), "paper", parent=body)
    for side, y in (("L", 0.19), ("R", -0.19)):
        bar(f"arm.{side}", 0.055, _on_body(0.02, y, 0.44), _on_body(0.40, 0.8 * y, 0.30), "blue", parent=body)
        bar(
            f"exhaust.{side}",
            0.045,
            _on_body(0.55, 1.95 * y, 0.02),
            _on_body(-1.6, 1.75 * y, 0.1),
            "steel",
            parent=body,
        )
    inside = TRACK / 2.0 - 0.2
    for end, x in (("front", WHEELBASE / 2.0), ("rear", -WHEELBASE / 2.0)):
        height = HUB + 0.46
        bar(f"{end}_beam", 0.04, (x, -inside, height), (x, inside, height), "steel", parent=body)
        rod(f"{end}_pillar", 0.07, (x, 0.0, HUB + 0.15), (x, 0.0, height), "steel", parent=body)
    return body


def _head() -> bpy.types.Object:
    neck = _on_body(0.0, 0.0, 0.54)
    middle = _on_body(0.0, 0.0, 0.70)
    head = ball("head", 0.13, middle, "paper", origin=neck)
    rod("throat", 0.05, neck, _on_body(0.0, 0.0, 0.62), "wood", parent=head)
    shape("helmet", Ellipsoid((0.145, 0.145, 0.11)), _on_body(0.0, 0.0, 0.755), "teal", parent=head)
    shape("goggles", Ellipsoid((0.05, 0.11, 0.035)), _on_body(0.105, 0.0, 0.70), "black", parent=head)
    return head


def _steering_wheel() -> bpy.types.Object:
    """A ring about the column."""
    axis = Vector(COLUMN).normalized()
    middle = Vector(_on_body(*STEERING_AT))
    hub = rod("steering_wheel", 0.03, middle - 0.02 * axis, middle + 0.02 * axis, "black", origin=middle)
    rings = [
        [(r * math.cos(t), r * math.sin(t)) for t in (math.tau * i / 32 for i in range(32))] for r in (0.16, 0.135)
    ]
    plate("steering_rim", rings, 0.026, middle - 0.013 * axis, "wood", along=axis, parent=hub)
    spoke = [(-0.15, -0.012), (0.15, -0.012), (0.15, 0.012), (-0.15, 0.012)]
    plate("steering_spoke", [spoke], 0.01, middle - 0.005 * axis, "steel", along=axis, parent=hub)
    return hub


def _rack() -> bpy.types.Object:
    reach = TRACK / 2.0 - 0.18
    return rod("rack", 0.022, (RACK_X, -reach, HUB), (RACK_X, reach, HUB), "brass", origin=(RACK_X, 0.0, HUB))
