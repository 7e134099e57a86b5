# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes and moments of prisms and turned shapes as they are drawn: of rings with 32 corners. By the shoelace formula
and that of a pyramid's frustum.
"""

from __future__ import annotations

import math
from itertools import pairwise

CORNERS = 32


def polygon(outline) -> tuple[float, float]:
    """Area and polar moment of area about the origin, both positive."""
    area = moment = 0.0
    for (x, y), (u, v) in pairwise([*outline, outline[0]]):
        cross = x * v - u * y
        area += cross / 2.0
        moment += cross * (x * x + x * u + u * u + y * y + y * v + v * v) / 12.0
    return abs(area), abs(moment)


def perforated(outlines) -> tuple[float, float]:
    """As `polygon`, of an outline without its holes."""
    (area, moment), *holes = map(polygon, outlines)
    return area - sum(hole[0] for hole in holes), moment - sum(hole[1] for hole in holes)


def ring(radius: float) -> list[tuple[float, float]]:
    turns = [math.tau * number / CORNERS for number in range(CORNERS)]
    return [(radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]


def cylinder(radius: float, length: float) -> float:
    return polygon(ring(radius))[0] * length


def sphere(radius: float, length: float = 0.0) -> float:
    """Volume of a ball of 16 bands, or of a capsule with so long a straight part."""
    bands = CORNERS // 2
    turns = [math.pi * number / bands for number in range(bands + 1)]
    levels = [(polygon(ring(radius * math.sin(turn)))[0], radius * (1.0 - math.cos(turn))) for turn in turns]
    caps = sum((v - u) * (a + b + math.sqrt(a * b)) / 3.0 for (a, u), (b, v) in pairwise(levels))
    return caps + cylinder(radius, length)
