# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing falls through a thin floor, however far apart the times are that were asked for."""

import numpy as np
import pytest

from limberjack.core.geometry import Box, Mesh, Shape, Sphere
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation

SHEET = Mesh(vertices=np.array([(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], float), faces=((0, 1, 2, 3),))
FLOORS = {"sheet": (SHEET, 0.0), "plate of 1 mm": (Box((4.0, 4.0, 0.001)), 0.0005)}
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def ball_over(floor, speed):
    """A ball of 0.1 m that starts half a metre above a floor."""
    ground = Link("floor", collisions=[Shape("floor", floor)])
    ball = Link("ball", 1.0, inertia=(0.004, 0.0, 0.0, 0.004, 0.0, 0.004), collisions=[Shape("ball", Sphere(0.1))])
    free = Joint("free", "free", WORLD, "ball", home=(0.3, 0.2, 0.5, *UPRIGHT))
    model = Model(links=[ground, ball], joints=[Joint("held", "fixed", WORLD, "floor"), free])
    return model, {"qd": {"free": (0.0, 0.0, speed, 0.0, 0.0, 0.0)}}


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
@pytest.mark.parametrize("seconds", [1.0, 2.0])
@pytest.mark.parametrize("speed", [0.0, 3.0, -3.0])
@pytest.mark.parametrize("name", FLOORS)
def test_a_ball_lands(name, speed, seconds, accuracy):
    """It starts at rest, upward or downward: its velocity at the start of a step does not tell that it will land."""
    floor, top = FLOORS[name]
    model, start = ball_over(floor, speed)
    z = Simulation(model, [0.0, seconds], accuracy, start).run().X_WL[-1, -1, 2]
    assert z == pytest.approx(top + 0.1, abs=1e-4)
