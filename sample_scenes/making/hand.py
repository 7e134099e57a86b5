# SPDX-License-Identifier: GPL-3.0-or-later
"""A jointed wooden hand, as draughtsmen use: it counts on its fingers, waves, and pinches.

Each finger has one drive, at its knuckle; the two joints beyond it follow, as the cords of a real finger make them do.
The knuckles lie a little askew, so that fingers close towards each other. The thumb swings about two axes, and its end
follows the second. Position drives with keyed targets move all.

So the tip of a finger lies in a plane, where its turn at the knuckle says all: two phalanges on, at the sums of the
angles a, a + MIDDLE a and a + MIDDLE a + END a.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import bpy
from mathutils import Vector
from workshop import (
    Point,
    ball,
    bar,
    begin,
    box,
    collide,
    drive,
    film,
    follow,
    join,
    key,
    limit,
    link,
    plate,
    rod,
    start,
)

from limberjack.addon import ids

LAST_FRAME = 240
MIDDLE, END = 1.0, 0.65
"""How far the second and the third joint of a finger turn, for one of the first."""
PITCH = 0.021


@dataclass(frozen=True)
class Finger:
    """lean: of the finger as it stands straight, in degrees towards the thumb. lengths: of its phalanges [m]."""

    knuckle: Point
    lean: float
    lengths: tuple[float, float, float]
    radius: float

    @property
    def up(self) -> Vector:
        return Vector((math.sin(math.radians(self.lean)), 0.0, math.cos(math.radians(self.lean))))

    @property
    def axis(self) -> Vector:
        """About which it closes."""
        return Vector((self.up.z, 0.0, -self.up.x))

    @property
    def joints(self) -> list[Vector]:
        """Where its joints are and, last, its tip."""
        found = [Vector(self.knuckle)]
        for length in self.lengths:
            found.append(found[-1] + length * self.up)
        return found


FINGERS = {
    "index": Finger((0.034, 0.0, 0.098), 5.0, (0.046, 0.027, 0.022), 0.0095),
    "middle": Finger((0.0115, 0.0, 0.103), 1.5, (0.051, 0.031, 0.023), 0.0097),
    "ring": Finger((-0.0115, 0.0, 0.100), -2.5, (0.047, 0.029, 0.022), 0.0093),
    "little": Finger((-0.033, 0.0, 0.091), -7.0, (0.037, 0.022, 0.020), 0.0085),
}
"""From the thumb's side; heights above the wrist."""

THUMB = Finger((0.036, -0.006, 0.030), 46.0, (0.044, 0.034, 0.026), 0.0108)
THUMB_END = 0.7
"""How far the thumb's second and third joint turn, for its second axis."""
ACROSS, INWARD = (0.0, 0.0, -1.0), (0.0, -1.0, 0.0)
"""The thumb's two axes: it swings before the palm, and folds towards the fingers."""

STIFFNESS, DAMPING = 0.6, 0.016
OPEN, SHUT = 0.06, 1.28
WRIST = 0.11
"""Its height above the table."""

PINCH = {"index": 0.875, "thumb": (1.58, 0.072)}


def build() -> None:
    begin("Hand", LAST_FRAME, contact=True)
    palm = _palm()
    phalanges = {name: _finger(name, finger, palm) for name, finger in (FINGERS | {"thumb": THUMB}).items()}
    link(palm, *(phalanx for chain in phalanges.values() for phalanx in chain), material="hardwood")
    getattr(palm, ids.LINK).motion = "KINEMATIC"
    knuckles = {name: _hinge(name, FINGERS[name], palm, phalanges[name]) for name in FINGERS}
    thumb = _thumb(palm, phalanges["thumb"])
    for name, values in counting().items():
        key(knuckles[name].axes[0], "drive_target", values)
    for axis, values in zip(thumb.axes, thumb_counting(), strict=False):
        key(axis, "drive_target", values)
    _wave(palm)
    film((0.20, -0.92, 0.36), (0.012, 0.0, 0.162), lens=84.0, width=900, height=1200)


def _palm() -> bpy.types.Object:
    """A block with a round heel, on a ball."""
    palm = ball("palm", 0.02, (0.0, 0.0, WRIST), "brass")
    heel = [(0.036 * math.cos(t), 0.048 + 0.030 * math.sin(t)) for t in (math.pi * (1.0 + i / 16) for i in range(17))]
    outline = [*heel, (0.046, 0.092), (0.012, 0.098), (-0.012, 0.095), (-0.043, 0.085)]
    plate("palm_block", [outline], 0.024, (0.0, 0.012, WRIST), "wood", along=(0.0, -1.0, 0.0), parent=palm)
    rod("stem", 0.011, (0.0, 0.0, 0.02), (0.0, 0.0, WRIST - 0.012), "brass", collection="Stand")
    foot = rod("foot", 0.085, (0.0, 0.0, 0.0), (0.0, 0.0, 0.022), "slate", collection="Stand")
    table = box("table", (0.25, 0.24, 0.015), (0.0, 0.0, -0.0075), "wood", collection="Stand")
    collide(foot, table)
    return palm


def _finger(name: str, finger: Finger, palm: bpy.types.Object) -> list[bpy.types.Object]:
    """Its phalanges, each with a pin where it begins."""
    lift = Vector((0.0, 0.0, WRIST))
    places = [place + lift for place in finger.joints]
    chain = []
    for number in range(3):
        radius = finger.radius * (1.0 - 0.08 * number)
        begins, ends = places[number], places[number + 1]
        if number == 2:
            ends = ends - radius * finger.up
        gap = 0.35 * radius * finger.up
        phalanx = bar(f"{name}.{number + 1}", radius, begins + gap, ends - gap, "paper", origin=begins)
        across = 1.06 * radius * (finger.axis if name != "thumb" else Vector(INWARD))
        rod(f"{name}_pin.{number + 1}", 0.5 * radius, begins - across, begins + across, "teal", parent=phalanx)
        chain.append(phalanx)
    return chain


def _hinge(name: str, finger: Finger, palm: bpy.types.Object, chain: list[bpy.types.Object]) -> Any:
    """The driven joint of a finger, with the two that follow it."""
    knuckle = join(f"{name}_knuckle", "revolute", palm, chain[0], chain[0].location, [finger.axis], 0.02)
    limit(knuckle.axes[0], -0.3, 1.5)
    drive(knuckle.axes[0], "position", OPEN, STIFFNESS, DAMPING)
    start(knuckle, OPEN)
    for number, multiplier in ((1, MIDDLE), (2, END)):
        own = (chain[number - 1], chain[number], chain[number].location, [finger.axis], 0.015)
        follow(join(f"{name}_{'middle' if number == 1 else 'end'}", "revolute", *own), knuckle, multiplier)
    return knuckle


def _thumb(palm: bpy.types.Object, chain: list[bpy.types.Object]) -> Any:
    root = join("thumb_root", "universal", palm, chain[0], chain[0].location, [ACROSS, INWARD], 0.02)
    for axis, (lower, upper) in zip(root.axes, ((-0.3, 1.7), (-0.4, 1.0)), strict=False):
        limit(axis, lower, upper)
        drive(axis, "position", OPEN, STIFFNESS, DAMPING)
    start(root, OPEN, OPEN)
    for number in (1, 2):
        own = (chain[number - 1], chain[number], chain[number].location, [INWARD], 0.015)
        follower = join(f"thumb_{'middle' if number == 1 else 'end'}", "revolute", *own)
        follow(follower, root, THUMB_END)
        follower.mimic.leader_axis = 1
    return root


CLOSING = ("little", "ring", "middle", "index")
"""In this order they close; the other way round they open."""


def counting() -> dict[str, dict[int, float]]:
    """Of each finger, its targets by frame: it closes, opens and bows as two waves run through; the index pinches."""
    targets: dict[str, dict[int, float]] = {}
    for number, name in enumerate(CLOSING):
        shuts, opens = 10 + 8 * number, 90 - 9 * number
        keys = {1: OPEN, shuts: OPEN, shuts + 10: SHUT, opens: SHUT, opens + 8: OPEN}
        for first in (108 + 5 * number, 132 + 5 * number):
            keys |= {first: OPEN, first + 10: 0.75, first + 20: OPEN}
        targets[name] = keys
    targets["index"] |= {172: OPEN, 184: PINCH["index"], 194: PINCH["index"], 204: OPEN}
    return targets


def thumb_counting() -> list[dict[int, float]]:
    """Of the thumb's two axes: over the fist, away again, and to the index."""
    across, inward = PINCH["thumb"]
    return [
        {1: OPEN, 38: OPEN, 50: 1.2, 94: 1.2, 104: OPEN, 170: OPEN, 184: across, 194: across, 204: OPEN},
        {1: OPEN, 42: OPEN, 54: 0.7, 92: 0.7, 102: OPEN, 170: OPEN, 184: inward, 194: inward, 204: OPEN},
    ]


def _wave(palm: bpy.types.Object) -> None:
    """The hand bids farewell."""
    palm.rotation_mode = "XYZ"
    for frame, turn in {204: 0.0, 211: 0.35, 219: -0.35, 227: 0.3, 235: 0.0}.items():
        palm.rotation_euler.y = turn
        palm.keyframe_insert("rotation_euler", index=1, frame=frame)
