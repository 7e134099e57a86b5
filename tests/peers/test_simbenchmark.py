# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of SimBenchmark (rolling test): a box that is pushed along a floor, with 25 balls on it.

Friction is 0.4 between floor and box and 0.8 between box and balls. SimBenchmark gives friction for pairs of materials,
and here the smaller of two surfaces counts.
"""

from math import sqrt

import numpy as np
import pytest

import limberjack as lj
from support.peers import add_body, add_floor, at, box_moments, differs, moments, solid, twist_at_end

FORCE, SECONDS = 150.0, 4.0
BOX_ACCELERATION = (FORCE - 0.4 * 35 * 9.81) / (10 + 25 * 2 / 7)
"""Friction with the floor bears the weight of all, and each ball that rolls adds 2/7 of its mass [m/s^2]."""

DIRECTIONS = {"y": (0.0, 1.0, 0.0), "xy": (0.5, sqrt(0.75), 0.0)}


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(
    ("accuracy", "tolerance"), [("draft", 2e-3), pytest.param("good", 1e-4, marks=pytest.mark.slow)]
)
def test_rolling(direction, accuracy, tolerance):
    """Guards rolling without slipping in convex steps: the box accelerates as computed, the balls at 2/7 of it."""
    model, along = lj.Model("rolling"), np.array(DIRECTIONS[direction])
    add_floor(model, friction=0.4)
    box = {"mass": 10, "inertia": box_moments(10, 20, 20, 1), "collisions": solid(lj.Box((20, 20, 1)), friction=0.8)}
    add_body(model, "box", at=at(0, 0, 0.5), force=tuple(FORCE * along), **box)
    for i in range(5):
        for j in range(5):
            ball = solid(lj.Sphere(0.5), friction=0.8)
            place = at(2 * i - 4, 2 * j - 4, 1.5)
            add_body(model, f"ball{i}{j}", at=place, mass=1, inertia=moments(0.1, 0.1, 0.1), collisions=ball)
    motion = lj.simulate(model, SECONDS, frame_rate=10, accuracy=accuracy)
    speed = BOX_ACCELERATION * SECONDS
    assert differs(twist_at_end(model, motion, "box")[:3], speed * along) < tolerance * speed
    assert differs(twist_at_end(model, motion, "ball03")[:3], 2 / 7 * speed * along) < tolerance * speed
