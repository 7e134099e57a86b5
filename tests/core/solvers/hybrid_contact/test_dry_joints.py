# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of many joints with dry friction, which begin and cease to slip all the time, before they touch anything."""

import numpy as np
import pytest

from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.model import Joint, Link, Model
from limberjack.core.simulation.simulation import Simulation

COUNT, LENGTH = 16, 0.2
"""Links of a chain, and the length of each [m]."""

MOST_EVENTS = 300
"""Number of events that the budget of accuracy good pays for in this motion, with room. Without one, there are 600."""


def thrown_chain():
    """A chain of ball joints with dry friction, which is thrown upwards, above a floor, while its first link turns."""
    links, joints = [], []
    for number in range(COUNT):
        link = Link(f"link {number}", mass=1.0, inertia=(4e-3, 0.0, 0.0, 4e-3, 0.0, 1e-3))
        link.pose = (LENGTH * number, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        link.collisions = [Shape("ball", Sphere(0.05))]
        links.append(link)
        if number:
            ends = [(side * 0.5 * LENGTH, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0) for side in (1.0, -1.0)]
            joint = Joint(f"joint {number}", "ball", links[-2].name, link.name, X_PJ=ends[0], X_CJ=ends[1])
            for axis in joint.axes[:3]:
                axis.friction, axis.damping = 0.05, 0.02
            joints.append(joint)
    links[0].velocity, links[0].angular_velocity = (0.5, 0.0, 4.0), (3.0, 5.0, 2.0)
    floor = Link("floor", collisions=[Shape("top", Box((9.0, 9.0, 0.1)), (0.0, 0.0, -20.0, 1.0, 0.0, 0.0, 0.0))])
    return Model("chain", [*links, floor], [*joints, Joint("held", "fixed", "world", "floor")])


def test_events_of_many_dry_joints_are_not_all_located():
    """Guards ragdolls in flight: if joints begin and cease to slip more often than the budget of events allows, convex
    steps are taken, and the centre of mass still flies along its parabola."""
    seconds = 0.4
    simulation = Simulation(thrown_chain(), np.linspace(0.0, seconds, 11), accuracy="good", contact=True)
    motion = simulation.run()
    assert simulation.report.events < MOST_EVENTS
    height = motion.X_WL[:, [name != "floor" for name in motion.link_names], 2].mean(axis=1)
    rate = (height[1] - height[0]) / motion.times[1] + 0.5 * 9.81 * motion.times[1]
    expected = height[0] + rate * motion.times - 0.5 * 9.81 * motion.times**2
    assert height == pytest.approx(expected, abs=5e-4)
