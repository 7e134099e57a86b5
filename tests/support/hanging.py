# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains of links with ball joints between two points, for tests of loops."""

from __future__ import annotations

import math

from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.spatial import compose, inverse

SPAN = 3.0


def chain(count: int, slack: float, on_posts: bool = False) -> Model:
    """Links with ball joints at their ends, in an arc below two points `SPAN` apart, longer than that by `slack` m."""
    length = (SPAN + slack) / count
    low, high = 1e-9, math.pi
    for _ in range(100):  # half of the arc's angle, from the chord of a polygon with equal sides
        half = 0.5 * (low + high)
        chord = length * math.sin(half) / math.sin(half / count)
        low, high = (half, high) if chord > SPAN else (low, half)
    half = low if slack else 0.0
    model, x, z = Model("chain"), -0.5 * SPAN, 0.0
    for number in range(count):
        tilt = half * (1.0 - (2.0 * number + 1.0) / count)  # of the link about y, downward at first
        pose = (x, 0.0, z, math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt), 0.0)
        inertia = (1e-4, 0.0, 0.0, 2e-4, 0.0, 2e-4)
        model.links.append(Link(f"link{number}", 0.05, (0.5 * length, 0.0, 0.0), inertia, pose))
        x, z = x + length * math.cos(tilt), z - length * math.sin(tilt)
    ends = [WORLD, WORLD]
    if on_posts:
        for side, place in enumerate((-SPAN, SPAN)):
            X_WP = (0.5 * place, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
            ends[side] = f"post{side}"
            model.links.append(Link(ends[side], pose=X_WP))
            model.joints.append(Joint(f"stand{side}", "fixed", WORLD, ends[side], X_WP))
    poses = {WORLD: (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)} | {link.name: link.pose for link in model.links}
    before = ends[0]
    for number in range(count):
        X_PJ = compose(inverse(poses[before]), poses[f"link{number}"])
        model.joints.append(Joint(f"ball{number}", "ball", before, f"link{number}", X_PJ))
        before = f"link{number}"
    X_LE = (length, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    X_PJ = compose(inverse(poses[ends[1]]), compose(poses[before], X_LE))
    model.joints.append(Joint("last", "ball", ends[1], before, X_PJ, X_LE))
    return model
