# SPDX-License-Identifier: GPL-3.0-or-later
"""Flight of single bodies in convex steps: against conserved quantities and a top's closed form."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.dynamics import momentum
from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import quat_to_mat
from support.touching import LEVEL, NO_TURN, scene, solid


def flown(link: Link, velocities: list[float], times, accuracy: str):
    """The trajectory of a link without weight, by convex steps: it could collide, but the floor is far below it."""
    link.collisions = [Shape("ball", Sphere(0.01))]
    model = scene(Surface(), (0.0, 0.0, 0.0), (link, (0.0, 0.0, 50.0, *NO_TURN)))
    simulation = Simulation(model, times, accuracy, initial={"qd": {f"free {link.name}": velocities}})
    simulation.prefer_time_stepping()
    return simulation.run()


@pytest.mark.parametrize("accuracy", ["draft", "good"])
@pytest.mark.parametrize("com", [(0.0, 0.0, 0.0), (0.05, -0.02, 0.03)])
@pytest.mark.parametrize("inertia", [(1e-3, 2e-4, 0.0, 3.5e-3, 1e-4, 4.1e-3), (4e-6, 0.0, 0.0, 1.1e-3, 0.0, 1.1e-3)])
def test_a_body_that_tumbles_keeps_its_energy_and_momenta(inertia, com, accuracy):
    """Guards a thrown brick and a thin rod: at *draft* they turn by half a radian in a step, and a brick that turned by
    its velocity as the step begins gained a third of its energy each tenth of a second.
    """
    link = Link("thrown", 1.0, com, inertia)
    found = flown(link, [0.5, 0.0, 0.2, 30.0, 100.0, 10.0], np.linspace(0.0, 1.0, 25), accuracy)
    alone = Model("thrown", [link], [Joint("free", "free", WORLD, "thrown")])
    momenta = [momentum(alone, q, qd) for q, qd in zip(found.q, found.qd, strict=True)]
    assert_allclose(found.kinetic, found.kinetic[0], rtol=1e-9)
    assert_allclose(found.dissipated, 0.0, atol=1e-9 * found.kinetic[0])
    assert_allclose(momenta, np.tile(momenta[0], (25, 1)), atol=1e-9 * np.abs(momenta[0]).max())


@pytest.mark.parametrize(("accuracy", "error"), [("draft", 3e-3), ("good", 1e-4)])
def test_the_axis_of_a_top_without_weight_turns_about_its_angular_momentum(accuracy, error):
    """Guards attitudes: with moments of inertia A, A and C, the axis turns about L at the rate |L| / A."""
    across, along, w, time = 3e-3, 1e-3, np.array([2.0, 0.0, 20.0]), 0.5
    link = Link("top", 1.0, (0.0, 0.0, 0.0), (across, 0.0, 0.0, across, 0.0, along))
    found = flown(link, [0.0, 0.0, 0.0, *w], np.linspace(0.0, time, 13), accuracy)
    L, z = np.array([across, across, along]) * w, np.array([0.0, 0.0, 1.0])
    n, angle = L / np.linalg.norm(L), time * np.linalg.norm(L) / across
    turned = z * math.cos(angle) + np.cross(n, z) * math.sin(angle) + n * (n @ z) * (1.0 - math.cos(angle))
    assert_allclose(quat_to_mat(found.q[-1, 3:])[2::3], turned, atol=error)


@pytest.mark.parametrize(("accuracy", "share"), [("draft", 2e-2), ("good", 5e-3)])
@pytest.mark.parametrize("stiffness", [1e4, 1e8, math.inf])
def test_a_brick_that_is_thrown_spinning_gains_no_energy(stiffness, accuracy, share):
    """Guards flight, edges that strike and faces that land, on rigid and on soft floors. Nor is any energy dissipated
    that was not there before.
    """
    surface = Surface(friction=0.3, stiffness=stiffness, dissipation=0.0 if math.isinf(stiffness) else 1.0)
    model = scene(surface, LEVEL, (solid("brick", Box((0.2, 0.1, 0.05)), 1.0, surface), (0.0, 0.0, 0.3, *NO_TURN)))
    initial = {"qd": {"free brick": [0.5, 0.0, 0.0, 30.0, 100.0, 0.1]}}
    simulation = Simulation(model, np.linspace(0.0, 2.0, 49), accuracy, initial=initial)
    simulation.prefer_time_stepping()
    found = simulation.run()
    total = found.kinetic + found.potential + found.dissipated - found.supplied
    assert found.kinetic[-1] < 0.1 * found.kinetic[0]
    assert (total - total[0]).max() < share * found.kinetic[0]
    assert (np.maximum.accumulate(found.dissipated) - found.dissipated).max() < share * found.kinetic[0]
