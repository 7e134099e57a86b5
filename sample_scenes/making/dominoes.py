# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of thirty wooden dominoes on a table, of which the first one is pushed by a finger.

The front runs at a steady speed once it has come some way: 1.84 sqrt(g h) where nothing rubs between the dominoes, by
a planar model of one degree of freedom (van Leeuwen, The domino effect, American Journal of Physics 78, 2010), in which
the fallen ones lean on the next; friction and dominoes that lose touch make it slower.
"""

from __future__ import annotations

from workshop import begin, box, collide, film, join, key, link, slip

HEIGHT, THICKNESS, WIDTH, GAP = 0.1, 0.01, 0.05, 0.03
COUNT = 30
COLORS = ("red", "ochre", "brass", "teal", "blue", "slate")
FRICTION = 0.15


def build() -> None:
    begin("Dominoes", last_frame=60, contact=True)
    pitch = THICKNESS + GAP
    length = COUNT * pitch
    table = box("table", (length + 0.5, 0.4, 0.04), (length / 2.0, 0.0, -0.02), "wood", collection="Stand")
    collide(table)
    slip(1.0, 0.0, table)
    row = []
    for number in range(COUNT):
        place = (number * pitch + THICKNESS / 2.0, 0.0, HEIGHT / 2.0)
        row.append(box(f"domino {number + 1}", (THICKNESS, WIDTH, HEIGHT), place, COLORS[number % len(COLORS)]))
    link(*row, material="wood")
    slip(FRICTION, 0.0, *row)
    _finger()
    film((0.95, -1.05, 0.62), (0.52, 0.0, 0.03), lens=42.0)


def _finger() -> None:
    """It slides forward, pushes the first domino near its top, and stops."""
    tip = box("finger", (0.04, 0.02, 0.02), (-0.05, 0.0, 0.085), "paper")
    link(tip, material="wood")
    slip(FRICTION, 0.0, tip)
    push = join("push", "prismatic", None, tip, (-0.05, 0.0, 0.085), [(1.0, 0.0, 0.0)], size=0.03)
    axis = push.axes[0]
    axis.drive_mode, axis.drive_stiffness, axis.drive_damping = "position", 400.0, 8.0
    key(axis, "drive_target", {1: 0.0, 4: 0.0, 10: 0.05})
