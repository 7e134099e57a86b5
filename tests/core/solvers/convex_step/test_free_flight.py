# SPDX-License-Identifier: GPL-3.0-or-later
"""Free flight in convex steps: against conserved quantities and the event-driven solver."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.dynamics import momentum
from limberjack.core.geometry import Capsule, Plane, Shape
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.models import aimed
from support.touching import G

LENGTH, RADIUS = 0.1, 0.015


def rope(
    count: int, kind: str, gravity: float, damping: float = 0.0, aslant: float = 0.0, height: float = 50.0
) -> Model:
    """Rods along x that joints of a kind hold together, hinges turned by a right angle in turn, above a floor."""
    surface = Surface(friction=0.5)
    model = Model("rope", gravity=(0.0, 0.0, -gravity))
    model.links.append(Link("floor", collisions=[Shape("top", Plane((0.0, 0.0, 1.0)), surface=surface)]))
    model.joints.append(Joint("held", "fixed", WORLD, "floor"))
    half = 0.5 * math.radians(aslant)
    place = (0.0, 0.0, height, math.cos(half), 0.0, math.sin(half), 0.0)
    lying = (0.5 * LENGTH, 0.0, 0.0, math.cos(math.pi / 4.0), 0.0, math.sin(math.pi / 4.0), 0.0)
    for i in range(count):
        shape = Shape("rod", Capsule(RADIUS, 0.7 * LENGTH), lying, surface=surface)
        moments = (2e-5, 0.0, 0.0, 1.2e-4, 0.0, 1.2e-4)
        model.links.append(Link(f"rod{i}", 0.1, (0.5 * LENGTH, 0.0, 0.0), moments, collisions=[shape]))
        along = (0.0, 1.0, 0.0) if i % 2 else (0.0, 0.0, 1.0)
        axes = aimed(kind, [Axis(xyz=along, damping=damping) for _ in JOINT_TYPES[kind].axes])
        joint = Joint(f"j{i}", kind, f"rod{i - 1}", f"rod{i}", X_PJ=(LENGTH, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), axes=axes)
        model.joints.append(joint if i else Joint("j0", "free", WORLD, "rod0", X_PJ=place))
    return model


def whipped(model: Model, rate: float) -> dict:
    """Initial velocities that turn each joint by up to so much, and the whole faster than it moves along."""
    rng = np.random.default_rng(7)
    spans = {joint.name: 3 if joint.type == "ball" else 1 for joint in model.joints[2:]}
    moving = {name: list(rate * rng.uniform(-1.0, 1.0, count)) for name, count in spans.items()}
    return {"qd": {"j0": [0.3, -0.2, 0.1, 2.0, rate, -0.5 * rate], **moving}}


def by_convex_steps(model: Model, times, accuracy: str, initial: dict) -> Simulation:
    simulation = Simulation(model, times, accuracy, initial=initial)
    simulation.prefer_time_stepping()
    simulation.run()
    return simulation


@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_what_whips_freely_keeps_its_energy(kind):
    """Guards articulations that turn by a tenth of a radian and more in a step: nothing acts, so nothing is gained."""
    model = rope(16, kind, gravity=0.0)
    found = by_convex_steps(model, np.linspace(0.0, 1.0, 21), "draft", whipped(model, 8.0))
    assert np.abs(found.trajectory.qd).max() > 12.0
    assert_allclose(found.trajectory.kinetic, found.trajectory.kinetic[0], rtol=5e-3)
    assert_allclose(found.trajectory.dissipated, 0.0, atol=5e-3 * found.trajectory.kinetic[0])


@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_momenta_stay_where_nothing_acts(kind):
    """Guards the axes of the first rod, which turn on: momenta in the world's axes are those of the start."""
    model = rope(16, kind, gravity=0.0)
    found = by_convex_steps(model, np.linspace(0.0, 0.5, 11), "draft", whipped(model, 8.0))
    momenta = [momentum(model, found.trajectory.q[frame], found.trajectory.qd[frame]) for frame in range(11)]
    assert_allclose(momenta, np.tile(momenta[0], (11, 1)), atol=5e-3 * np.abs(momenta[0]).max())


def test_free_flight_is_of_the_third_order():
    """Guards the step against the solver by events, which has its own method: errors fall with the cube of the step."""
    model = rope(6, "revolute", gravity=0.0)
    start, times = whipped(model, 6.0), [0.0, 0.32]
    exact = Simulation(model, times, "exact", initial=start)
    exact.run()
    errors = []
    for accuracy in ("draft", "good"):
        found = by_convex_steps(model, times, accuracy, start)
        errors.append(np.abs(found.trajectory.qd[-1] - exact.trajectory.qd[-1]).max())
    assert errors[0] < 0.3
    assert errors[1] < errors[0] / 200.0


@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_a_chain_that_whips_on_a_floor_gains_no_energy(accuracy):
    """Guards impacts, which change all rates at once: they once gave a chain energy in each step until it flew off."""
    model = rope(
        60, "revolute", gravity=G, damping=0.002, aslant=15.0, height=0.4 + 60 * LENGTH * math.sin(math.radians(15.0))
    )
    found = by_convex_steps(model, np.linspace(0.0, 1.2, 61), accuracy, {})
    trajectory = found.trajectory
    energy = trajectory.kinetic + trajectory.potential
    balance = energy + trajectory.dissipated - trajectory.supplied
    assert_allclose(balance, energy[0], atol=(1e-2 if accuracy == "draft" else 2e-3) * energy[0])
    assert np.diff(energy).max() < 2e-3 * energy[0]
    assert energy[-1] < 0.3 * energy[0]
    assert trajectory.X_WL[-1, 1:, 2].min() > -0.2 * RADIUS
