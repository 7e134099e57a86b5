# SPDX-License-Identifier: GPL-3.0-or-later
"""A marble run: three glass marbles down chutes that lead to and fro, and into a tray.

A ball that rolls down a flat chute gains (5/7) g sin(slope): two sevenths of what it falls by go into its spin.
"""

from __future__ import annotations

import math

from workshop import ball, begin, box, collide, film, link, slip

RADIUS = 0.02
SLOPE = math.radians(8.0)
LENGTH, WIDTH, WALL = 0.8, 0.06, 0.025
COUNT = 3
TOP = 0.62
BEYOND = 0.06
"""How far a chute begins beyond the end of the one above it."""

DROP = 0.17
"""From one chute to the next."""


def build() -> None:
    begin("Marble Run", last_frame=144, contact=True)
    stand = []
    for number in range(3):
        stand += _chute(number)
    stand += _tray()
    collide(*stand)
    slip(0.5, 0.3, *stand)
    marbles = []
    for number, color in zip(range(COUNT), ("blue", "red", "green"), strict=True):
        along, above = 0.06 + number * 0.07, RADIUS + 1e-5
        marbles.append(ball(f"marble {number + 1}", RADIUS, _on(0, along, above), color))
    link(*marbles, material="glass")
    slip(0.5, 0.4, *marbles)
    film((0.35, -1.9, 0.75), (0.0, 0.0, 0.33), lens=46.0)


def _direction(number: int) -> float:
    return 1.0 if number % 2 == 0 else -1.0


def _on(number: int, along: float, above: float) -> tuple[float, float, float]:
    """A point of a chute: so far from its upper end, and above its floor."""
    sign = _direction(number)
    begins = -LENGTH / 2.0 - (BEYOND if number else 0.0)
    x = sign * (begins + along * math.cos(SLOPE) + above * math.sin(SLOPE))
    z = TOP - number * DROP - along * math.sin(SLOPE) + above * math.cos(SLOPE)
    return x, 0.0, z


def _chute(number: int) -> list:
    """A floor, two walls, and a wall across at the far end of the next one's beginning."""
    sign = _direction(number)
    up = (sign * math.sin(SLOPE), 0.0, math.cos(SLOPE))
    thick = 0.008
    x, _, z = _on(number, LENGTH / 2.0, -thick / 2.0)
    parts = [box(f"floor {number + 1}", (LENGTH, WIDTH, thick), (x, 0.0, z), "wood", along=up, collection="Stand")]
    for side, y in (("left", 1.0), ("right", -1.0)):
        x, _, z = _on(number, LENGTH / 2.0, WALL / 2.0 - thick)
        place = (x, y * (WIDTH + thick) / 2.0, z)
        parts.append(
            box(f"wall {number + 1} {side}", (LENGTH, thick, WALL), place, "ochre", along=up, collection="Stand")
        )
    if number:
        x, _, z = _on(number, 0.0, 0.05)
        size = (thick, WIDTH + 2.0 * thick, 0.14)
        parts.append(box(f"stop {number + 1}", size, (x - sign * thick / 2.0, 0.0, z), "ochre", collection="Stand"))
    return parts


def _tray() -> list:
    thick, size = 0.01, 0.26
    x, _, z = _on(2, LENGTH + size / 2.0 + 0.02, -0.06)
    parts = [box("tray", (size, size, thick), (x, 0.0, z), "teal", collection="Stand")]
    walls = ("back", 0, 1, 0.09), ("front", 0, -1, 0.09), ("far", 1, 0, 0.09), ("near", -1, 0, 0.03)
    for name, dx, dy, high in walls:
        length = (size, thick, high) if dx == 0 else (thick, size, high)
        place = (x + dx * size / 2.0, dy * size / 2.0, z + high / 2.0)
        parts.append(box(f"tray {name}", length, place, "teal", collection="Stand"))
    return parts
