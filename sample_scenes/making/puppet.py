# SPDX-License-Identifier: GPL-3.0-or-later
"""What ragdoll.py makes: a puppet's links, shapes and joints. Metres, degrees, the world's axes; left is +x."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

Point = tuple[float, float, float]

COLORS = {
    "maple": (0.76, 0.48, 0.23),
    "walnut": (0.25, 0.11, 0.05),
    "red": (0.60, 0.06, 0.04),
    "ochre": (0.80, 0.36, 0.04),
    "cream": (0.88, 0.74, 0.52),
    "ink": (0.02, 0.015, 0.01),
}


@dataclass(frozen=True)
class Turned:
    """A shape from a lathe.

    Attributes:
        start, end: of its line. width, depth: the largest radius, across and along the line of sight.
        bluntness: 1 for round ends, less for blunt ones. taper: how much thicker the start is, negative for the end.
        origin: of the object; the start, where it is not given.
    """

    start: Point
    end: Point
    width: float
    depth: float
    color: str
    bluntness: float = 0.65
    taper: float = 0.0
    origin: Point | None = None


@dataclass(frozen=True)
class Hinge:
    """limits, start: of the angle about `axis` by which the child turns."""

    type: ClassVar[str] = "revolute"
    parent: str
    child: str
    place: Point
    axis: Point
    limits: tuple[float, float]
    damping: float
    start: float = 0.0


@dataclass(frozen=True)
class Ball:
    """`axis` leans by `cone` and twists by `twist` either way; start: a rotation vector."""

    type: ClassVar[str] = "ball"
    parent: str
    child: str
    place: Point
    axis: Point
    cone: float
    twist: float
    damping: float
    start: Point = (0.0, 0.0, 0.0)


LIFT = 0.26
"""How high the soles hang above the ground when the puppet hangs straight."""


def at(x: float, y: float, z: float) -> Point:
    """A place on the puppet; z from its soles."""
    return x, y, z + LIFT


def beyond(place: Point, direction: Point, length: float) -> Point:
    x, y, z = (a + length * b for a, b in zip(place, direction, strict=True))
    return x, y, z


def mirrored(place: Point) -> Point:
    x, y, z = place
    return -x, y, z


def leaning(degrees: float, up: float) -> Point:
    """A direction to the puppet's left of straight up (1) or down (-1)."""
    return math.sin(math.radians(degrees)), 0.0, up * math.cos(math.radians(degrees))


WAIST, RIBS, NECK = at(0.0, 0.0, 0.70), at(0.0, 0.0, 0.785), at(0.0, 0.0, 1.01)
HIP, KNEE, ANKLE = at(0.078, 0.0, 0.615), at(0.082, 0.0, 0.34), at(0.085, 0.0, 0.065)
SHOULDER = at(0.152, 0.0, 0.95)
RAISED, LOWERED = leaning(8.0, 1.0), leaning(-14.0, -1.0)
UPPER_ARM, FOREARM, PALM = 0.205, 0.185, 0.07
ELBOW_L = beyond(SHOULDER, RAISED, UPPER_ARM)
WRIST_L = beyond(ELBOW_L, RAISED, FOREARM)
GRIP = beyond(WRIST_L, RAISED, PALM)
SHOULDER_R = mirrored(SHOULDER)
ELBOW_R = beyond(SHOULDER_R, LOWERED, UPPER_ARM)
WRIST_R = beyond(ELBOW_R, LOWERED, FOREARM)
HOOK = beyond(GRIP, (0.0, 0.0, 1.0), 0.26)


def _arm(side: str, shoulder: Point, elbow: Point, wrist: Point, direction: Point) -> dict[str, Turned]:
    return {
        f"upper_arm.{side}": Turned(shoulder, elbow, 0.036, 0.036, "red", taper=0.2),
        f"forearm.{side}": Turned(elbow, wrist, 0.031, 0.031, "maple", taper=0.25),
        f"hand.{side}": Turned(wrist, beyond(wrist, direction, 0.125), 0.036, 0.022, "cream", 0.7, -0.1),
    }


def _leg(side: str, place: Callable[[Point], Point]) -> dict[str, Turned]:
    """place: puts a point of the left leg on its side."""
    x, y, z = ANKLE
    heel, toe = (x, y + 0.055, z - 0.03), (x + 0.012, y - 0.125, z - 0.034)
    return {
        f"thigh.{side}": Turned(place(HIP), place(KNEE), 0.055, 0.055, "ochre", taper=0.25),
        f"shin.{side}": Turned(place(KNEE), place(ANKLE), 0.042, 0.042, "cream", taper=0.3),
        f"foot.{side}": Turned(place(heel), place(toe), 0.043, 0.033, "walnut", 0.6, -0.12, origin=place(ANKLE)),
    }


def _same(place: Point) -> Point:
    return place


LINKS: dict[str, Turned] = {
    "handle": Turned(
        beyond(GRIP, (-1.0, 0.0, 0.0), 0.16),
        beyond(GRIP, (1.0, 0.0, 0.0), 0.16),
        0.013,
        0.013,
        "maple",
        bluntness=0.15,
        origin=GRIP,
    ),
    "pelvis": Turned(at(0.0, 0.0, 0.555), at(0.0, 0.0, 0.705), 0.118, 0.08, "ochre", 0.55, 0.05, WAIST),
    "abdomen": Turned(at(0.0, 0.0, 0.685), at(0.0, 0.0, 0.80), 0.082, 0.064, "cream", 0.7, 0.0, RIBS),
    "chest": Turned(at(0.0, 0.0, 0.775), at(0.0, 0.0, 1.01), 0.135, 0.085, "red", 0.5, -0.22, NECK),
    "head": Turned(at(0.0, -0.012, 1.035), at(0.0, -0.004, 1.235), 0.078, 0.085, "maple", 0.85, -0.12, NECK),
    **_arm("L", SHOULDER, ELBOW_L, WRIST_L, RAISED),
    **_arm("R", SHOULDER_R, ELBOW_R, WRIST_R, LOWERED),
    **_leg("L", _same),
    **_leg("R", mirrored),
}
"""Each by its own shape; an arm's or leg's origin is at its upper joint."""


def _ball_at(place: Point, radius: float, color: str = "walnut") -> Turned:
    x, y, z = place
    return Turned((x, y, z - radius), (x, y, z + radius), radius, radius, color, 1.0, origin=place)


def _thumb(wrist: Point, direction: Point, side: float) -> Turned:
    root = beyond(wrist, direction, 0.035)
    tip = beyond(beyond(root, direction, 0.05), (side, -0.35, 0.0), 0.05)
    return Turned(root, tip, 0.011, 0.011, "cream", 0.6)


TRIMMINGS: dict[str, tuple[str, Turned]] = {
    "neck_ball": ("chest", _ball_at(at(0.0, 0.0, 1.022), 0.034)),
    "hat": ("head", Turned(at(0.0, 0.004, 1.185), at(0.028, 0.03, 1.36), 0.076, 0.08, "red", 0.75, 0.85)),
    "bobble": ("head", _ball_at(at(0.029, 0.031, 1.365), 0.019, "ochre")),
    "nose": ("head", Turned(at(0.0, -0.08, 1.13), at(0.0, -0.132, 1.136), 0.014, 0.014, "red", 0.8)),
    "eye.L": ("head", _ball_at(at(0.03, -0.083, 1.158), 0.0105, "ink")),
    "eye.R": ("head", _ball_at(at(-0.03, -0.083, 1.158), 0.0105, "ink")),
    "mouth": ("head", Turned(at(-0.024, -0.083, 1.098), at(0.024, -0.083, 1.098), 0.0055, 0.0055, "ink", 0.6)),
    "button.1": ("chest", _ball_at(at(0.0, -0.083, 0.945), 0.012, "ochre")),
    "button.2": ("chest", _ball_at(at(0.0, -0.083, 0.895), 0.012, "ochre")),
    "button.3": ("chest", _ball_at(at(0.0, -0.074, 0.845), 0.012, "ochre")),
    "shoulder_ball.L": ("upper_arm.L", _ball_at(SHOULDER, 0.04)),
    "shoulder_ball.R": ("upper_arm.R", _ball_at(SHOULDER_R, 0.04)),
    "elbow_ball.L": ("forearm.L", _ball_at(ELBOW_L, 0.029)),
    "elbow_ball.R": ("forearm.R", _ball_at(ELBOW_R, 0.029)),
    "wrist_ball.L": ("hand.L", _ball_at(WRIST_L, 0.022)),
    "wrist_ball.R": ("hand.R", _ball_at(WRIST_R, 0.022)),
    "thumb.L": ("hand.L", _thumb(WRIST_L, RAISED, -1.0)),
    "thumb.R": ("hand.R", _thumb(WRIST_R, LOWERED, 1.0)),
    "hip_ball.L": ("thigh.L", _ball_at(HIP, 0.052)),
    "hip_ball.R": ("thigh.R", _ball_at(mirrored(HIP), 0.052)),
    "knee_ball.L": ("shin.L", _ball_at(KNEE, 0.038)),
    "knee_ball.R": ("shin.R", _ball_at(mirrored(KNEE), 0.038)),
    "ankle_ball.L": ("foot.L", _ball_at(ANKLE, 0.029)),
    "ankle_ball.R": ("foot.R", _ball_at(mirrored(ANKLE), 0.029)),
    "cord.L": ("handle", Turned(beyond(GRIP, (1.0, 0.0, 0.0), 0.14), HOOK, 0.004, 0.004, "cream", 0.1)),
    "cord.R": ("handle", Turned(beyond(GRIP, (-1.0, 0.0, 0.0), 0.14), HOOK, 0.004, 0.004, "cream", 0.1)),
    "hook": ("handle", _ball_at(HOOK, 0.017)),
}
"""What links carry besides, with its link."""

POST = 0.62
"""How far the post stands behind the puppet, out of its swing."""

STAND: dict[str, Turned] = {
    "base": Turned((GRIP[0], 0.24, 0.0), (GRIP[0], 0.24, 0.05), 0.5, 0.5, "walnut", 0.2),
    "post": Turned((GRIP[0], POST, 0.03), (GRIP[0], POST, HOOK[2] + 0.1), 0.035, 0.035, "maple", 0.15, 0.1),
    "boom": Turned(
        (GRIP[0], POST + 0.1, HOOK[2] + 0.035), (GRIP[0], -0.12, HOOK[2] + 0.035), 0.026, 0.026, "maple", 0.15, 0.1
    ),
    "brace": Turned((GRIP[0], POST, HOOK[2] - 0.27), (GRIP[0], POST - 0.3, HOOK[2] + 0.03), 0.02, 0.02, "maple", 0.15),
}
"""What only stands there."""

SIDE: Point = (1.0, 0.0, 0.0)
OTHER_SIDE: Point = (-1.0, 0.0, 0.0)
ELBOW, KNEES = (-5.0, 140.0), (-5.0, 135.0)

HINGES: dict[str, Hinge] = {
    "elbow.L": Hinge("forearm.L", "upper_arm.L", ELBOW_L, OTHER_SIDE, ELBOW, 0.06, 12.0),
    "elbow.R": Hinge("upper_arm.R", "forearm.R", ELBOW_R, OTHER_SIDE, ELBOW, 0.03, 55.0),
    "knee.L": Hinge("thigh.L", "shin.L", KNEE, SIDE, KNEES, 0.1, 25.0),
    "knee.R": Hinge("thigh.R", "shin.R", mirrored(KNEE), SIDE, KNEES, 0.1, 80.0),
}
"""From the hand that holds on, outward."""

UP: Point = (0.0, 0.0, 1.0)
DOWN: Point = (0.0, 0.0, -1.0)

BALLS: dict[str, Ball] = {
    "grip": Ball("handle", "hand.L", GRIP, RAISED, 80.0, 90.0, 0.06, (0.0, 8.0, 0.0)),
    "wrist.L": Ball("hand.L", "forearm.L", WRIST_L, RAISED, 50.0, 60.0, 0.03),
    "shoulder.L": Ball("upper_arm.L", "chest", SHOULDER, RAISED, 85.0, 60.0, 0.4, (0.0, 12.0, -10.0)),
    "neck": Ball("chest", "head", NECK, UP, 40.0, 60.0, 0.15, (0.0, 16.0, 20.0)),
    "shoulder.R": Ball("chest", "upper_arm.R", SHOULDER_R, LOWERED, 85.0, 60.0, 0.08, (0.0, 70.0, 0.0)),
    "wrist.R": Ball("forearm.R", "hand.R", WRIST_R, LOWERED, 50.0, 60.0, 0.01),
    "ribs": Ball("chest", "abdomen", RIBS, DOWN, 20.0, 25.0, 0.3, (0.0, -6.0, 0.0)),
    "waist": Ball("abdomen", "pelvis", WAIST, DOWN, 20.0, 25.0, 0.3, (0.0, -8.0, 0.0)),
    "hip.L": Ball("pelvis", "thigh.L", HIP, DOWN, 75.0, 40.0, 0.3, (-18.0, -22.0, 0.0)),
    "hip.R": Ball("pelvis", "thigh.R", mirrored(HIP), DOWN, 75.0, 40.0, 0.3, (-45.0, 30.0, 0.0)),
    "ankle.L": Ball("shin.L", "foot.L", ANKLE, DOWN, 40.0, 30.0, 0.015, (25.0, 0.0, 0.0)),
    "ankle.R": Ball("shin.R", "foot.R", mirrored(ANKLE), DOWN, 40.0, 30.0, 0.015, (30.0, 0.0, 0.0)),
}
