# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiff springs where things touch: steps are implicit there too, and loads are what the springs press with."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.geometry import Box, Plane, Shape, Sphere
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.touching import LEVEL, NO_TURN, G

STIFFNESS, DAMPING = 1e8, 1e5


def pendulum(shape, floor_height: float, reference: float = 0.0) -> Model:
    """A bob of 1 kg, 1 m below a hinge about y with a stiff spring, above a floor."""
    bob = Link("bob", 1.0, com=(0.0, 0.0, -1.0), inertia=(0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    bob.collisions = [Shape("shape", shape, (0.0, 0.0, -1.0, *NO_TURN))]
    floor = Link("floor", collisions=[Shape("top", Plane((0.0, 0.0, 1.0)))])
    spring = Axis((0.0, 1.0, 0.0), spring_stiffness=STIFFNESS, damping=DAMPING, spring_reference=reference)
    hinge = Joint("hinge", "revolute", WORLD, "bob", axes=[spring])
    held = Joint("held", "fixed", WORLD, "floor", X_PJ=(0.0, 0.0, floor_height, *NO_TURN))
    model = Model("pendulum", [floor, bob], [held, hinge])
    model.gravity = LEVEL
    return model


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_floor_that_is_never_reached_costs_no_more_steps(accuracy):
    """Guards implicit steps: explicit ones would be ten thousand."""
    model, frames = pendulum(Box((0.2, 0.2, 0.2)), -5.0), np.arange(13) / 24.0
    steps = {}
    for contact in (False, True):
        simulation = Simulation(model, frames, accuracy, contact=contact, initial={"q": {"hinge": [0.3]}})
        simulation.run()
        steps[contact] = simulation.report.steps
        assert_allclose(simulation.trajectory.q[-1], 0.0, atol=1e-6)
    assert steps[True] < 4 * steps[False]


def test_a_stiff_spring_presses_with_what_it_is_turned_by():
    """Guards loads beside stiffness: a ball at 30 degrees is pressed against the floor by its spring and weight."""
    angle, radius, turned = math.radians(30.0), 0.1, 2e-6
    model = pendulum(Sphere(radius), -math.cos(angle) - radius, angle - turned)
    simulation = Simulation(model, np.arange(13) / 24.0, initial={"q": {"hinge": [angle]}})
    simulation.run()
    (contact,) = simulation.contacts
    # torques about the hinge: the weight's, the spring's and the load's, at sin(30 degrees) from it
    lever = math.sin(angle)
    assert_allclose(abs(contact.force[2]), G + STIFFNESS * turned / lever, rtol=1e-3)
