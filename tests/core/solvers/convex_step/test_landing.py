# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that land in convex steps: impulses of impacts and loads of what lies, against momenta and weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.geometry import Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.simulation import Simulation
from support.touching import LEVEL, NO_TURN, G, by_convex_steps, scene, solid

RADIUS, MASS = 1e-3, 0.01
"""Size of a bead: so small that convex steps in which it lands fast are taken again in shorter ones [m, kg]."""
HEIGHTS = 1.3 * (np.arange(12) + 1.0) / 12.0
"""Heights from which the beads fall [m]."""


def beads(heights):
    placed = [(0.1 * i, 0.0, RADIUS + height, *NO_TURN) for i, height in enumerate(heights)]
    return scene(
        Surface(), LEVEL, *((solid(f"b{i}", Sphere(RADIUS), MASS, Surface()), at) for i, at in enumerate(placed))
    )


@pytest.mark.parametrize(
    ("accuracy", "step", "error"), [("draft", 8e-3, 0.04), ("good", 1e-3, 0.012), ("exact", 2e-4, 0.012)]
)
def test_an_impact_takes_the_whole_momentum(accuracy, step, error):
    """Guards bodies that stop in two steps, of which the first takes a share by chance: each bead has one impact, when
    it meets the floor, and its impulse is m sqrt(2 g h)."""
    found = by_convex_steps(beads(HEIGHTS), np.linspace(0.0, 0.6, 61), accuracy)
    impacts = sorted(found.impacts, key=lambda impact: impact.second)
    fallen = sorted((f"b{i}", height) for i, height in enumerate(HEIGHTS))
    assert [impact.second for impact in impacts] == [name for name, _ in fallen]
    heights = np.array([height for _, height in fallen])
    assert_allclose([impact.time for impact in impacts], np.sqrt(2.0 * heights / G), atol=1.5 * step)
    assert_allclose([impact.impulse[2] for impact in impacts], MASS * np.sqrt(2.0 * G * heights), rtol=error)


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_what_lies_bears_its_weight_while_others_land(accuracy):
    """Guards loads in short steps: a bead at rest is pressed by its weight alone while steps are taken again because
    others land beside it."""
    lands = np.sqrt(2.0 * HEIGHTS / G)
    found = by_convex_steps(beads([0.0, *HEIGHTS]), np.linspace(0.0, 0.6, 601), accuracy, record=("contacts",))
    table = found.trajectory.contacts
    mine = (table.second == "b0") & (table.time > 0.1)
    assert np.count_nonzero(mine) == np.count_nonzero(found.trajectory.times > 0.1)
    assert lands[0] > 0.1
    assert_allclose(table.force[mine, 2], MASS * G, rtol=1e-6)


def test_impacts_go_on_from_a_snapshot():
    """Guards impacts that a frame divides: a motion that goes on from any frame has the same impulses, none twice."""
    times = np.linspace(0.0, 0.24, 241)
    simulation, kept = Simulation(beads(HEIGHTS[:2]), times, "good"), {}
    simulation.prefer_time_stepping()
    for frame in simulation:
        kept[frame] = simulation.snapshot()
    whole = [(impact.time, *impact.impulse) for impact in simulation.impacts]
    assert len(whole) == 2
    for time, *_ in whole:
        for frame in range(int(time * 1000.0) - 2, int(time * 1000.0) + 4):
            simulation.restore(kept[frame])
            simulation.run()
            assert [(impact.time, *impact.impulse) for impact in simulation.impacts] == whole, frame
