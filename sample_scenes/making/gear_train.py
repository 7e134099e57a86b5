# SPDX-License-Identifier: GPL-3.0-or-later
"""A clock's works: a wooden weight on a cord turns a drum, whose train of wheels ends in a flywheel with vanes.

Brass wheels of involute teeth, of one module, mesh as real ones do: wheel and pinion turn against each other by their
teeth, 48:12 and 36:12, so that the flywheel does twelve turns for one of the drum. A wheel of 24 teeth carries a hand.
The weight follows the drum by its radius. Nothing but the weight moves it; the air at the vanes, damping in the
flywheel's joint, brakes it.

All of it is one motion, the drum's angle a: J a'' = m g r - n^2 c a', where J is m r^2 and every wheel's moment of
inertia times the square of its turns per turn of the drum. So it runs up by 1 - exp(-t / T) with T = J / (n^2 c) to
m g r / (n^2 c), the speed at which it stays.
"""

from __future__ import annotations

import math

import bpy
from workshop import Point, ball, begin, box, collide, film, follow, join, link, plate, rod, rope

from limberjack.addon import ids

LAST_FRAME = 240
MODULE = 0.004
PRESSURE = math.radians(25.0)
ADDENDUM, DEDENDUM = 0.95, 1.2  # of the module
BACKLASH = 0.08  # likewise
THICKNESS = 0.008

GREAT, PINION, SECOND, FLY_PINION, HAND_WHEEL = 48, 12, 36, 12, 24
DRUM_RADIUS, DRUM_LENGTH = 0.075, 0.05
TURNS = 7  # of the cord on the drum
ARBOR_RADIUS = 0.005
FLYWHEEL, RIM = 0.082, 0.014
VANES = 6
VANE = (0.002, 0.026, 0.034)
NEEDLE = (0.009, 0.052)  # half its width, and of its length: in balance, as all wheels are
WEIGHT_RADIUS, WEIGHT_LENGTH = 0.036, 0.10
DAMPING = 3.3e-3  # N m s/rad, of the air at the vanes

BACK, FRONT = -0.012, -0.026  # y of the two layers of wheels, at their backs
HEIGHT = 0.60


def beside(centre: Point, teeth: int, angle: float) -> Point:
    """A centre so far away that wheels of so many teeth together mesh; angle: in degrees from x to z."""
    away = MODULE * teeth / 2.0
    return (
        centre[0] + away * math.cos(math.radians(angle)),
        0.0,
        centre[2] + away * math.sin(math.radians(angle)),
    )


TO_SECOND, TO_FLYWHEEL, TO_HAND = 58.0, 112.0, -24.0
DRUM_AT = (0.0, 0.0, HEIGHT)
SECOND_AT = beside(DRUM_AT, GREAT + PINION, TO_SECOND)
FLYWHEEL_AT = beside(SECOND_AT, SECOND + FLY_PINION, TO_FLYWHEEL)
HAND_AT = beside(DRUM_AT, GREAT + HAND_WHEEL, TO_HAND)
CORD_AT = (-DRUM_RADIUS, FRONT - THICKNESS - DRUM_LENGTH / 2.0, HEIGHT)
WEIGHT_AT = (CORD_AT[0], CORD_AT[1], HEIGHT - 0.11)
"""Of the weight's upper end."""


def build() -> None:
    begin("Gear Train", LAST_FRAME, contact=True)
    _stand()
    drum, second, flywheel, hand, weight = _drum(), _second(), _flywheel(), _hand(), _weight()
    link(drum, second, flywheel, hand, material="brass")
    link(weight, material="hardwood")
    for wheel in (drum, second, flywheel, hand):
        getattr(wheel, ids.LINK).collides = False  # the joints know how teeth mesh
    turning = {"drum": (drum, DRUM_AT), "second": (second, SECOND_AT), "flywheel": (flywheel, FLYWHEEL_AT)}
    joints = {
        name: join(f"{name}_arbor", "continuous", None, obj, at, [(0.0, -1.0, 0.0)], 0.03)
        for name, (obj, at) in (turning | {"hand": (hand, HAND_AT)}).items()
    }
    cord = join("cord", "prismatic", None, weight, WEIGHT_AT, [(0.0, 0.0, -1.0)], 0.03)
    follow(joints["second"], joints["drum"], -GREAT / PINION)
    follow(joints["flywheel"], joints["second"], -SECOND / FLY_PINION)
    follow(joints["hand"], joints["drum"], -GREAT / HAND_WHEEL)
    follow(cord, joints["drum"], DRUM_RADIUS)
    joints["flywheel"].axes[0].damping = DAMPING
    film((0.50, -1.75, 0.74), (0.02, 0.0, 0.478), lens=66.0, width=900, height=1200)


def involute(angle: float) -> float:
    return math.tan(angle) - angle


def toothed(teeth: int, phase: float) -> list[tuple[float, float]]:
    """The outline of a spur gear about the origin, with a tooth at the angle `phase`."""
    pitch = MODULE * teeth / 2.0
    base, tip, root = pitch * math.cos(PRESSURE), pitch + ADDENDUM * MODULE, pitch - DEDENDUM * MODULE
    half = (math.pi / 2.0 - BACKLASH / 2.0) / teeth + involute(PRESSURE)  # of a tooth, at the base circle
    foot = max(root, base)
    radii = [foot + (tip - foot) * part for part in (0.0, 0.3, 0.65, 1.0)]
    flank = [(r, half - involute(math.acos(min(base / r, 1.0)))) for r in radii]
    if root < base:
        flank.insert(0, (root, half))
    around = [(r, -turn) for r, turn in flank] + [(r, turn) for r, turn in reversed(flank)]
    return [
        (r * math.cos(turn + middle), r * math.sin(turn + middle))
        for middle in (phase + math.tau * number / teeth for number in range(teeth))
        for r, turn in around
    ]


def meshing(teeth: int, phase: float, others: int, towards: float) -> float:
    """The phase of a gear with `others` teeth that meshes with a gear of `teeth`, `towards` degrees from x to z."""
    towards = math.radians(towards)
    into_tooth = (towards - phase) * teeth / math.tau
    return towards + math.pi - (0.5 - into_tooth) * math.tau / others


def windows(count: int, inner: float, outer: float, spoke: float) -> list[list[tuple[float, float]]]:
    """Holes that leave spokes of an even width between an inner and an outer circle."""
    found = []
    for number in range(count):
        first, last = math.tau * number / count, math.tau * (number + 1) / count
        outline = []
        for radius, steps, back in ((inner, 5, False), (outer, 9, True)):
            narrow = math.asin(spoke / 2.0 / radius)
            turns = [first + narrow + (last - first - 2.0 * narrow) * step / (steps - 1) for step in range(steps)]
            outline += [(radius * math.cos(t), radius * math.sin(t)) for t in (reversed(turns) if back else turns)]
        found.append(outline)
    return found


def disc(radius: float, count: int = 64) -> list[tuple[float, float]]:
    turns = [math.tau * number / count for number in range(count)]
    return [(radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]


TOWARDS_US = (0.0, -1.0, 0.0)


def _disc(
    name: str, outlines: list, thickness: float, at: Point, y: float, color: str, carrier: bpy.types.Object
) -> None:
    """An upright plate about an axle, from y towards us."""
    plate(name, outlines, thickness, (at[0], y, at[2]), color, along=TOWARDS_US, parent=carrier)


def _wheel(
    name: str, teeth: int, phase: float, at: Point, y: float, carrier: bpy.types.Object, spokes: int = 0
) -> None:
    outlines = [toothed(teeth, phase)]
    if spokes:
        outlines += windows(spokes, 0.017, MODULE * teeth / 2.0 - 0.013, 0.009)
    _disc(name, outlines, THICKNESS, at, y, "brass", carrier)


def _arbor(name: str, at: Point, front: float) -> bpy.types.Object:
    return rod(name, ARBOR_RADIUS, (at[0], 0.0, at[2]), (at[0], front, at[2]), "steel", origin=at)


def _drum() -> bpy.types.Object:
    """With the great wheel behind, and the cord wound on it."""
    back = FRONT - THICKNESS
    drum = _arbor("drum", DRUM_AT, back - DRUM_LENGTH - 0.012)
    _wheel("great_wheel", GREAT, 0.0, DRUM_AT, FRONT, drum, spokes=6)
    _disc("barrel", [disc(DRUM_RADIUS - 0.002), disc(0.06)], DRUM_LENGTH, DRUM_AT, back, "wood", drum)
    spokes = [disc(0.06), *windows(3, 0.015, 0.05, 0.014)]
    _disc("barrel_front", spokes, 0.006, DRUM_AT, back - DRUM_LENGTH + 0.006, "red", drum)
    wound = [disc(DRUM_RADIUS + 0.002), disc(DRUM_RADIUS - 0.002)]
    for turn in range(TURNS):
        _disc(f"cord_turn.{turn + 1}", wound, 0.004, DRUM_AT, back - 0.006 - 0.005 * turn, "paper", drum)
    return drum


def _second() -> bpy.types.Object:
    second = _arbor("second", SECOND_AT, FRONT - THICKNESS - 0.008)
    _wheel("second_pinion", PINION, meshing(GREAT, 0.0, PINION, TO_SECOND), SECOND_AT, FRONT, second)
    _wheel("second_wheel", SECOND, 0.0, SECOND_AT, BACK, second, spokes=5)
    return second


def _flywheel() -> bpy.types.Object:
    """Wheel and vanes stand before all others."""
    front = FRONT - THICKNESS - 0.02
    flywheel = _arbor("flywheel", FLYWHEEL_AT, front - 0.022)
    _wheel("flywheel_pinion", FLY_PINION, meshing(SECOND, 0.0, FLY_PINION, TO_FLYWHEEL), FLYWHEEL_AT, BACK, flywheel)
    x, _, z = FLYWHEEL_AT
    outlines = [disc(FLYWHEEL), *windows(VANES, 0.016, FLYWHEEL - RIM, 0.007)]
    _disc("rim", outlines, 0.012, FLYWHEEL_AT, front, "teal", flywheel)
    for number in range(VANES):
        turn = math.tau * number / VANES
        out = (math.cos(turn), 0.0, math.sin(turn))
        away = FLYWHEEL - 0.004 + VANE[2] / 2.0
        at = (x + out[0] * away, front - 0.006, z + out[2] * away)
        box(f"vane.{number + 1}", VANE, at, "paper" if number else "red", along=out, parent=flywheel)
    return flywheel


def _hand() -> bpy.types.Object:
    hand = _arbor("hand", HAND_AT, FRONT - THICKNESS - 0.02)
    _wheel("hand_wheel", HAND_WHEEL, meshing(GREAT, 0.0, HAND_WHEEL, TO_HAND), HAND_AT, FRONT, hand, spokes=4)
    for name, color, end in (("needle", "red", 1.0), ("needle_tail", "paper", -1.0)):
        half = [(-end * NEEDLE[0], 0.0), (end * NEEDLE[0], 0.0), (0.0, end * NEEDLE[1])]
        _disc(name, [half], 0.004, HAND_AT, FRONT - THICKNESS - 0.014, color, hand)
    return hand


def _weight() -> bpy.types.Object:
    x, y, z = WEIGHT_AT
    neck = (x, y, z - 0.03)
    weight = rod("weight", WEIGHT_RADIUS, neck, (x, y, z - 0.03 - WEIGHT_LENGTH), "red", origin=WEIGHT_AT)
    rod("weight_cap", 0.022, (x, y, z - 0.012), neck, "brass", parent=weight)
    ball("weight_eye", 0.008, (x, y, z - 0.008), "brass", parent=weight)
    rope("weight_cord", 0.0022, CORD_AT, weight, "paper")
    return weight


def _stand() -> None:
    """A board with a round head on a foot."""
    middle, half, rise = 0.025, 0.185, 0.76
    head = [(middle + half * math.cos(math.pi * i / 24), rise + half * math.sin(math.pi * i / 24)) for i in range(25)]
    outline = [(middle - half, 0.04), (middle + half, 0.04), *head]
    plate("board", [outline], 0.02, (0.0, 0.02, 0.0), "slate", along=TOWARDS_US, collection="Stand")
    foot = box("foot", (0.48, 0.26, 0.04), (middle, -0.03, 0.02), "wood", collection="Stand")
    table = box("table", (0.62, 0.42, 0.03), (middle, -0.03, -0.015), "paper", collection="Stand")
    collide(foot, table)
