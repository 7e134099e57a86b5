# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that what rests does not depend on the order in which a file lists its links."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.geometry import Box
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.simulation import Simulation
from support.touching import LEVEL, NO_TURN, G, pose_of, scene, solid

SIZE, COUNT = 0.2, 12
STEP = {"draft": 8e-3, "good": 1e-3, "exact": 2e-4}
ORDERS = {"upwards": range(COUNT), "downwards": range(COUNT)[::-1], "mixed": (5, 0, 8, 3, 11, 1, 9, 6, 2, 10, 4, 7)}


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_a_tower_stands_in_any_order(order, accuracy):
    """Guards against results that depend on the order of links: a tower of twelve boxes stands where it was built.

    It sinks in by what rigid contacts yield in convex steps: 4 g h^2 / 100 for each weight that each contact carries.
    """
    surface = Surface(friction=0.5)
    places = [(0.0, 0.0, SIZE * (i + 0.5), *NO_TURN) for i in range(COUNT)]
    boxes = [(solid(f"box{i}", Box((SIZE,) * 3), 1.0, surface), places[i]) for i in order]
    simulation = Simulation(scene(surface, LEVEL, *boxes), np.linspace(0.0, 2.0, 41), accuracy)
    simulation.run()
    right = [(0.0, 0.0, SIZE * (i + 0.5)) for i in range(COUNT)]
    found = [pose_of(simulation, f"box{i}")[:3] for i in range(COUNT)]
    sinks = COUNT * (COUNT + 1) / 2 * 0.04 * G * STEP[accuracy] ** 2
    assert_allclose(found, right, atol=2.0 * sinks)
    assert simulation.trajectory.kinetic[-1] < 1e-9
