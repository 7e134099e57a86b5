# SPDX-License-Identifier: GPL-3.0-or-later
"""Angles with rigid stops in convex steps: cones and twists are no linear functions of the velocities."""

import math

import numpy as np
import pytest

from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.model import Axis, Joint, Link, Model
from limberjack.core.model.screws import limited_quantities_at
from limberjack.core.simulation.simulation import Simulation

CONE, TWIST = math.radians(35.0), math.radians(20.0)

EXCESS = {"draft": 1.0, "good": 0.5, "exact": 0.25}
"""Largest excess of an angle beyond its range [degrees]. Before stops were stiffened and corrected, it was 5 to 20."""


def puppet(limb_mass, limb_spin=(0.0, 0.0, 0.0), speed=0.0):
    """A body of 50 kg on a light limb, which a ball joint with cone and twist joins to it, above a floor."""
    body = Link("body", mass=50.0, inertia=(2.0, 0.0, 0.0, 2.0, 0.0, 2.0), pose=(0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0))
    body.velocity = (0.0, 0.0, -speed)
    inertia = limb_mass * 0.01
    limb = Link("limb", mass=limb_mass, inertia=(inertia, 0.0, 0.0, inertia, 0.0, 0.2 * inertia), com=(0.05, 0.0, -0.1))
    limb.pose, limb.angular_velocity = (0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0), limb_spin
    limb.collisions = [Shape("toe", Sphere(0.03), (0.15, 0.04, -0.15, 1.0, 0.0, 0.0, 0.0))]
    floor = Link("floor", collisions=[Shape("top", Box((4.0, 4.0, 1.0)), (0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0))])
    ball = Joint("ankle", "ball", "body", "limb", X_PJ=(0.0, 0.0, -0.2, 1.0, 0.0, 0.0, 0.0))
    ball.axes[3] = Axis(xyz=(0.0, 0.0, -1.0), upper=CONE)
    ball.axes[4] = Axis(lower=-TWIST, upper=TWIST)
    return Model("puppet", [floor, body, limb], [Joint("held", "fixed", "world", "floor"), ball])


def largest_excess(model, accuracy, duration=0.5):
    """The largest excess of the cone and the twist beyond their ranges [degrees], at 1 ms intervals."""
    simulation = Simulation(
        model, np.linspace(0.0, duration, int(1000 * duration) + 1), accuracy=accuracy, contact=True
    )
    simulation.prefer_time_stepping()
    motion = simulation.run()
    joint = model.joints[1]
    worst = 0.0
    for quaternion in np.asarray(motion.joint("ankle")).reshape(len(motion), 4):
        values = [value for _, value, _ in limited_quantities_at(joint, (0.0, 0.0, 0.0, *quaternion))]
        worst = max(worst, values[0] - CONE, abs(values[1]) - TWIST)
    return math.degrees(worst)


@pytest.mark.parametrize("accuracy", ["draft", "good"])
@pytest.mark.parametrize("limb_mass", [1.0, 0.2])
def test_stops_hold_under_a_heavy_body(limb_mass, accuracy):
    """Guards ankles of ragdolls: a body that lands on the toes of a foot of a fiftieth of its mass, and of less."""
    assert largest_excess(puppet(limb_mass, speed=4.0), accuracy) < EXCESS[accuracy]


@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_a_limb_that_circles_on_its_cone_stays_in_it(accuracy):
    """Guards hands that swing about their cones: the angle grows with the square of the turn in a step."""
    model = puppet(1.0, limb_spin=(25.0, 40.0, 30.0))
    model.gravity = (0.0, 0.0, 0.0)
    model.links[1].pose = (0.0, 0.0, 2.5, 1.0, 0.0, 0.0, 0.0)
    model.links[2].pose = (0.0, 0.0, 2.3, 1.0, 0.0, 0.0, 0.0)
    assert largest_excess(model, accuracy, 0.2) < EXCESS[accuracy]
