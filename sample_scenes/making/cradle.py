# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's cradle: five steel balls on two strings each, the first one raised.

A string keeps a ball from turning, so each ball and its strings are one link on a hinge. Between the balls are 0.1 mm,
so that they are struck one after the other: equal masses that bounce without loss swap their velocities, and the last
ball leaves as fast as the first one came, to swing as high as that was raised.
"""

from __future__ import annotations

import math

from workshop import ball, begin, box, film, join, link, rod, slip, start

RADIUS, LENGTH, GAP = 0.025, 0.16, 1e-4
SPREAD = 0.07
"""Between each ball's plane and the rails on either side."""

TOP = 0.24
RAISED = math.radians(40.0)
COUNT = 5


def build() -> None:
    begin("Newton's Cradle", last_frame=120, contact=True)
    pitch = 2.0 * RADIUS + GAP
    places = [(number - (COUNT - 1) / 2.0) * pitch for number in range(COUNT)]
    _stand(places)
    for number, x in enumerate(places):
        bob = ball(f"ball {number + 1}", RADIUS, (x, 0.0, TOP - LENGTH), "steel")
        for side, y in (("left", SPREAD), ("right", -SPREAD)):
            end = (x, 0.0, TOP - LENGTH + 0.9 * RADIUS)
            rod(f"string {number + 1} {side}", 0.0006, (x, y, TOP), end, "black", parent=bob, role="VISUAL")
        link(bob)
        slip(0.0, 1.0, bob)
        hinge = join(f"hinge {number + 1}", "revolute", None, bob, (x, 0.0, TOP), [(0.0, 1.0, 0.0)], size=0.02)
        if number == 0:
            start(hinge, RAISED)
    film((0.16, -0.72, 0.30), (0.0, 0.0, 0.13), lens=50.0)


def _stand(places: list[float]) -> None:
    half = places[-1] + 0.07
    box("foot", (2.0 * half + 0.04, 2.0 * SPREAD + 0.05, 0.012), (0.0, 0.0, 0.006), "wood", collection="Stand")
    for side, y in (("left", SPREAD), ("right", -SPREAD)):
        rod(f"rail {side}", 0.003, (-half, y, TOP), (half, y, TOP), "brass", collection="Stand")
        for end, x in (("back", -half), ("front", half)):
            rod(f"post {side} {end}", 0.003, (x, y, 0.012), (x, y, TOP), "brass", collection="Stand")
