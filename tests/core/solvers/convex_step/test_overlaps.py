# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that turn far in a convex step: their contacts are linear in a step, and the ends of limbs are not."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limberjack.core.geometry import Box, Capsule, Cylinder, Shape, Sphere
from limberjack.core.model import Joint, Link, Model
from limberjack.core.simulation.simulation import Simulation

RADIUS, HALF = 0.04, 0.06
"""Radius and half length of a capsule that is as large as a hand [m]."""

DEEPEST = {"draft": 2e-3, "good": 5e-4}
"""Deepest overlap [m]. Before steps were taken again, it was 7 mm for hands and 15 mm for balls at draft, and 1 mm for
balls at good."""


def floor():
    return Link("floor", collisions=[Shape("top", Box((4.0, 4.0, 1.0)), (0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0))])


def hand(height, tilt, spin, speed):
    """A capsule above the floor that turns about y and falls; lying along x but for its tilt [rad]."""
    across, along = 0.4 * (0.25 * RADIUS**2 + HALF**2 / 3.0), 0.4 * 0.5 * RADIUS**2
    link = Link("hand", mass=0.4, inertia=(across, 0.0, 0.0, across, 0.0, along))
    half = 0.5 * (0.5 * math.pi + tilt)
    link.pose = (0.0, 0.0, height, math.cos(half), 0.0, math.sin(half), 0.0)
    link.angular_velocity = (0.0, spin, 0.0)
    link.velocity = (0.0, 0.0, -speed)
    link.collisions = [Shape("palm", Capsule(RADIUS, 2.0 * HALF))]
    return link


def motion_of(model, accuracy, seconds, frames):
    simulation = Simulation(model, np.linspace(0.0, seconds, frames + 1), accuracy=accuracy, contact=True)
    simulation.prefer_time_stepping()
    return simulation.run(), simulation


def ends_of(motion, name):
    """The middles of both half-spheres of a hand, shape (frames, 2, 3) [m]."""
    X = motion.X_WL[:, motion.link_names.index(name)]
    along = HALF * Rotation.from_quat(np.roll(X[:, 3:], -1, axis=1)).apply((0.0, 0.0, 1.0))
    return np.stack([X[:, :3] - along, X[:, :3] + along], axis=1)


@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_hands_that_fall_on_one_end_do_not_sink_in_with_the_other(accuracy):
    """Guards hands that are struck: they turn by half a radian in a step, and the other end swings down."""
    rng = np.random.default_rng(11)
    for number in range(30):
        fallen = hand(rng.uniform(0.12, 0.3), rng.uniform(-0.6, 0.6), rng.uniform(-30.0, 30.0), 5.0)
        model = Model("hand", [floor(), fallen], [Joint("held", "fixed", "world", "floor")])
        motion, _ = motion_of(model, accuracy, 0.25, 30)
        assert RADIUS - ends_of(motion, "hand")[..., 2].min() < DEEPEST[accuracy], number


@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_a_struck_ball_does_not_enter_the_next_one(accuracy):
    """Guards contacts of which the velocities at the start of a step tell nothing: a ball at rest is struck and meets
    another one within the same step."""
    links = []
    for name, x, speed in (("first", 0.0, 12.0), ("second", 0.15, 0.0), ("third", 0.26, 0.0)):
        link = Link(name, mass=1.0, inertia=(1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3), pose=(x, 0, 0, 1.0, 0.0, 0.0, 0.0))
        link.velocity, link.collisions = (speed, 0.0, 0.0), [Shape("ball", Sphere(0.05))]
        links.append(link)
    model = Model("row", links, [], gravity=(0.0, 0.0, 0.0))
    motion, _ = motion_of(model, accuracy, 0.05, 50 if accuracy == "good" else 6)
    x = motion.X_WL[:, :, 0]
    assert (0.1 - np.diff(x, axis=1)).max() < DEEPEST[accuracy]


@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_wheels_that_roll_fast_take_no_more_steps(accuracy):
    """Guards cars: a wheel turns by more than half a radian in a step at draft, and its gap does not change."""
    wheel = Link("wheel", mass=1.0, inertia=(2e-3, 0.0, 0.0, 2e-3, 0.0, 2e-3))
    half = math.sqrt(0.5)
    wheel.pose, wheel.velocity = (-1.5, 0.0, 0.05, half, half, 0.0, 0.0), (4.0, 0.0, 0.0)
    wheel.angular_velocity = (0.0, 80.0, 0.0)
    wheel.collisions = [Shape("tread", Cylinder(0.05, 0.1))]
    model = Model("wheel", [floor(), wheel], [Joint("held", "fixed", "world", "floor")])
    motion, simulation = motion_of(model, accuracy, 0.5, 10)
    assert simulation.report.rejected == 0
    assert motion.X_WL[-1, motion.link_names.index("wheel"), 0] == pytest.approx(0.5, abs=1e-3)
