# SPDX-License-Identifier: GPL-3.0-or-later
"""The bridge on the page about contact: a beam of glued planks, which breaks under a ball."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "sample_scenes" / "making"))

from workshop import ball, begin, box, collide, film, join, link

PLANKS = 9
LENGTH, GAP, WIDTH, THICKNESS = 0.3, 0.02, 0.6, 0.04
HEIGHT = 1.5
STRENGTH = 600.0
"""Largest torque that the glue between two planks carries [N m]. The weight of the bridge takes a quarter of it."""


def build() -> None:
    begin("Bridge", last_frame=48, contact=True)
    pitch = LENGTH + GAP
    ends = [-0.5 * PLANKS * pitch, 0.5 * PLANKS * pitch]
    posts = [
        box(f"post {side}", (0.2, WIDTH, HEIGHT), (x + shift, 0.0, 0.5 * HEIGHT), "slate", collection="Stand")
        for side, x, shift in (("left", ends[0], -0.1), ("right", ends[1], 0.1))
    ]
    ground = box("ground", (4.4, 2.0, 0.1), (0.0, 0.0, -0.05), "paper", collection="Stand")
    collide(*posts, ground)
    planks = [
        box(f"plank {number + 1}", (LENGTH, WIDTH, THICKNESS), (ends[0] + (number + 0.5) * pitch, 0.0, HEIGHT), "wood")
        for number in range(PLANKS)
    ]
    weight = ball("weight", 0.12, (0.35, 0.0, HEIGHT + 1.0), "red")
    link(*planks, material="wood")
    link(weight, material="steel")
    for number, (before, after) in enumerate(zip([None, *planks], [*planks, None], strict=True)):
        carried, holder = (after, before) if after is not None else (before, None)
        kind, axes = ("revolute", [(0.0, 1.0, 0.0)]) if number in (0, PLANKS) else ("fixed", [])
        joint = join(f"glue {number}", kind, holder, carried, (ends[0] + number * pitch, 0.0, HEIGHT), axes)
        joint.use_break_torque, joint.break_torque = kind == "fixed", STRENGTH
    film((2.6, -4.6, 2.4), (0.0, 0.0, 0.9), lens=42.0)
