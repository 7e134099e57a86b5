# SPDX-License-Identifier: GPL-3.0-or-later
"""A gripper on a gantry: it closes, lifts a bar, swings it to the side, and holds it by friction alone.

Two fingers press with the same force F on either side. At a friction of mu they hold a mass m that is lifted with the
acceleration a as long as 2 mu F >= m (g + a): nothing creeps, as stick is stick. The bar, 0.5 kg, needs 4.1 N at rest.
"""

from __future__ import annotations

from workshop import begin, box, collide, film, join, key, limit, link, rod, slip, weigh

FORCE, FRICTION, MASS = 12.0, 0.6, 0.5
RADIUS, LENGTH = 0.03, 0.1
LIFT, OVER = 0.25, 0.3
FINGER = (0.012, 0.05, 0.12)
OPEN = 0.045
"""From the middle to a finger's inner face when it is drawn."""


def build() -> None:
    begin("Gripper", last_frame=144, contact=True)
    table = box("table", (1.0, 0.5, 0.04), (0.15, 0.0, -0.02), "wood", collection="Stand")
    collide(table)
    bar = rod("bar", RADIUS, (0.0, -LENGTH / 2.0, RADIUS), (0.0, LENGTH / 2.0, RADIUS), "red")
    link(bar, material="abs")
    weigh(bar, MASS)
    slip(FRICTION, 0.0, bar)
    _gripper()
    film((0.75, -1.25, 0.55), (0.13, 0.0, 0.2), lens=45.0)


def _gripper() -> None:
    box("beam", (0.9, 0.03, 0.03), (0.15, 0.0, 0.62), "slate", collection="Stand", role="VISUAL")
    sledge = box("sledge", (0.08, 0.06, 0.04), (0.0, 0.0, 0.58), "teal")
    hand = box("hand", (0.16, 0.06, 0.03), (0.0, 0.0, 0.17), "steel")
    rod("column", 0.01, (0.0, 0.0, 0.17), (0.0, 0.0, 0.56), "steel", parent=hand, role="VISUAL")
    link(sledge, hand)
    _drive(join("over", "prismatic", None, sledge, (0.0, 0.0, 0.58), [(1.0, 0.0, 0.0)]), {72: 0.0, 108: OVER})
    _drive(join("lift", "prismatic", sledge, hand, (0.0, 0.0, 0.4), [(0.0, 0.0, 1.0)]), {24: 0.0, 60: LIFT})
    for side, sign in (("left", 1.0), ("right", -1.0)):
        x = sign * (OPEN + FINGER[0] / 2.0)
        finger = box(f"finger {side}", FINGER, (x, 0.0, 0.095), "brass")
        link(finger)
        slip(FRICTION, 0.0, finger)
        slide = join(f"close {side}", "prismatic", hand, finger, (x, 0.0, 0.15), [(-sign, 0.0, 0.0)], size=0.03)
        axis = slide.axes[0]
        axis.drive_mode, axis.drive_target, axis.damping = "force", FORCE, 20.0
        limit(axis, 0.0, OPEN)


def _drive(slide, targets: dict[int, float]) -> None:
    axis = slide.axes[0]
    axis.drive_mode, axis.drive_stiffness, axis.drive_damping = "position", 20000.0, 900.0
    key(axis, "drive_target", targets)
