# SPDX-License-Identifier: GPL-3.0-or-later
"""A Dutch drawbridge: a drive in the balance lifts the deck by two ropes, a ship sails through, and the deck comes
down again.

The deck, its hinge, the balance above it and the ropes make a parallelogram: as long as the ropes are tight, balance
and deck are turned by one angle. A concrete weight at the balance's back end makes up for nearly all of the deck's
weight, as in every such bridge, so that one man can open it. Two lanterns hang from the balance's tips and swing.

So the drive holds, at an angle a, the moments of all weights, the sum of m g (x cos a - z sin a), with each centre of
mass as it lies at rest, seen from the hinge of what it belongs to; and being a spring, it stands off its target by as
much as that asks for.
"""

from __future__ import annotations

import bpy
from workshop import ball, begin, box, collide, drive, film, join, key, limit, link, plate, rod, rope, tie

LAST_FRAME = 240
ROAD = 1.6
"""Height of the deck's hinge above the water."""
DECK = (6.0, 2.9, 0.14)
REACH, RISE, SIDE = 5.4, 4.8, 1.3
"""Of the ropes' ends from the hinges; of the balance above the road; of ropes and beams from the middle."""
TAIL = 2.6
"""From the balance's hinge back to the middle of the weight."""
WEIGHT = (0.9, 2.36, 0.36)
PIVOT = (0.0, 0.0, ROAD + RISE)
UPWARD = (0.0, -1.0, 0.0)
"""About which deck and balance rise."""
ROPE_STIFFNESS = 4e6
LANTERN_ROPE = 0.55

STIFFNESS, DAMPING = 9e5, 3e5
OPEN = 1.25
LIFTS = {1: 0.0, 10: 0.0, 88: OPEN, 138: OPEN, 228: 0.0}
SAILS = {1: (3.3, -6.0), 66: (3.3, -5.4), 200: (3.3, 13.0), 240: (3.3, 17.0)}
"""Frames of the balance's target, and of the ship's place."""


def build() -> None:
    begin("Drawbridge", LAST_FRAME, contact=True)
    _banks()
    _ship()
    deck, balance = _deck(), _balance()
    weight = box("counterweight", WEIGHT, (-TAIL, 0.0, PIVOT[2]), "slate")
    lanterns = {side: _lantern(side, y) for side, y in (("L", SIDE), ("R", -SIDE))}
    link(deck, balance, *lanterns.values(), material="wood")
    link(weight, material="concrete")
    hinge = join("deck_hinge", "revolute", None, deck, (0.0, 0.0, ROAD), [UPWARD], 0.5)
    limit(hinge.axes[0], 0.0, 1.5)
    pivot = join("balance_pivot", "revolute", None, balance, PIVOT, [UPWARD], 0.5)
    drive(pivot.axes[0], "position", 0.0, STIFFNESS, DAMPING)
    key(pivot.axes[0], "drive_target", LIFTS)
    join("weight_seat", "fixed", balance, weight, weight.location, size=0.2)
    for side, y in (("L", SIDE), ("R", -SIDE)):
        _tie(side, y, balance, deck)
        swing = join(f"lantern_hook.{side}", "ball", balance, lanterns[side], lanterns[side].location, size=0.15)
        for axis in swing.axes[:3]:
            axis.damping = 0.3
    film((10.5, -20.5, 7.2), (2.0, 0.0, 5.3), lens=34.0)


def _tie(side: str, y: float, balance: bpy.types.Object, deck: bpy.types.Object) -> None:
    """A rope that holds by its length, and one that is seen."""
    ends = [(REACH, y, height) for height in (ROAD + RISE, ROAD)]
    held = tie(f"rope.{side}", balance, deck, *ends)
    held.use_upper, held.upper, held.stiffness = True, RISE, ROPE_STIFFNESS
    eyes = [
        ball(f"{name}.{side}", 0.09, place, "black", parent=carrier)
        for name, place, carrier in zip(("beam_eye", "deck_eye"), ends, (balance, deck), strict=True)
    ]
    rope(f"seen_rope.{side}", 0.03, *eyes, "black")


def _deck() -> bpy.types.Object:
    """Planks with kerbs, hinged at the road's height."""
    length, width, thickness = DECK
    deck = box("deck", DECK, (length / 2.0, 0.0, ROAD - thickness / 2.0), "wood", origin=(0.0, 0.0, ROAD))
    for side, y in (("L", 1.0), ("R", -1.0)):
        at = (length / 2.0, y * (width / 2.0 - 0.09), ROAD + 0.07)
        box(f"kerb.{side}", (length, 0.14, 0.14), at, "paper", parent=deck)
    return deck


def _balance() -> bpy.types.Object:
    """Two beams on an axle, and what ties them together."""
    _, _, height = PIVOT
    balance = rod("balance", 0.11, (0.0, -2.0, height), (0.0, 2.0, height), "black")
    for side, y in (("L", SIDE), ("R", -SIDE)):
        front, back = REACH + 0.25, -TAIL - 0.45
        box(f"beam.{side}", (front - back, 0.2, 0.3), ((front + back) / 2.0, y, height), "paper", parent=balance)
    for number, x in enumerate((1.9, 3.7, REACH)):
        box(f"tie_beam.{number + 1}", (0.14, 2.0 * SIDE, 0.16), (x, 0.0, height), "red", parent=balance)
    return balance


def _lantern(side: str, y: float) -> bpy.types.Object:
    """It hangs from a beam's tip, outside."""
    outside = y + 0.22 * (1.0 if y > 0.0 else -1.0)
    hook = (REACH + 0.12, outside, PIVOT[2])
    x, _, z = hook
    bottom = z - LANTERN_ROPE
    lantern = rod(f"lantern.{side}", 0.02, hook, (x, outside, bottom), "black", origin=hook)
    rod(f"lantern_roof.{side}", 0.15, (x, outside, bottom), (x, outside, bottom - 0.06), "red", parent=lantern)
    rod(
        f"lantern_glass.{side}", 0.11, (x, outside, bottom - 0.06), (x, outside, bottom - 0.32), "ochre", parent=lantern
    )
    rod(f"lantern_foot.{side}", 0.13, (x, outside, bottom - 0.32), (x, outside, bottom - 0.36), "red", parent=lantern)
    return lantern


def _banks() -> None:
    box("water", (40.0, 60.0, 0.1), (3.0, 8.0, -0.05), "teal", collection="Stand")
    for name, x in (("near", -5.1), ("far", DECK[0] + 5.1)):
        quay = box(f"{name}_quay", (10.0, 9.0, ROAD - 0.2), (x, 0.0, (ROAD - 0.2) / 2.0), "steel", collection="Stand")
        road = box(f"{name}_road", (10.0, 2.9, 0.2), (x, 0.0, ROAD - 0.1), "wood", collection="Stand")
        collide(quay, road)
        for side, y in (("L", 1.0), ("R", -1.0)):
            box(f"{name}_grass.{side}", (10.0, 3.05, 0.14), (x, y * 2.975, ROAD - 0.13), "green", collection="Stand")
    for side, y in (("L", 1.75), ("R", -1.75)):
        box(f"portal.{side}", (0.34, 0.3, RISE), (0.0, y, ROAD + RISE / 2.0), "paper", collection="Stand")
        box(f"bearing.{side}", (0.4, 0.34, 0.3), (0.0, y, PIVOT[2]), "slate", collection="Stand")
    box("portal_beam", (0.3, 3.2, 0.3), (0.0, 0.0, PIVOT[2] - 0.75), "paper", collection="Stand")


def _ship() -> None:
    """It is no link: it sails by its keys alone."""
    side = [(0.0, 1.9), (0.5, 1.2), (0.72, 0.2), (0.66, -1.2), (0.5, -1.7)]
    outline = side + [(-x, y) for x, y in reversed(side[1:])]
    hull = plate("ship", [outline], 0.55, (0.0, 0.0, 0.0), "red", collection="Stand")
    box("cabin", (0.8, 1.0, 0.4), (0.0, -0.8, 0.72), "paper", parent=hull, collection="Stand")
    rod("mast", 0.05, (0.0, 0.35, 0.5), (0.0, 0.35, 4.6), "wood", parent=hull, collection="Stand")
    sail = [(-1.0, 0.28), (-1.05, -1.5), (-4.4, 0.28)]  # z downwards, y
    plate("sail", [sail], 0.04, (0.02, 0.0, 0.0), "ochre", along=(1.0, 0.0, 0.0), parent=hull, collection="Stand")
    for frame, (x, y) in SAILS.items():
        hull.location = (x, y, 0.0)
        hull.keyframe_insert("location", frame=frame)
