# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts on bodies that touch already: they travel from one to the next."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.geometry import Box, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.simulation import Simulation
from support.impacts import RADIUS, after_impacts, balls, row
from support.touching import LEVEL, NO_TURN, STILL, G, moved, scene, solid, velocity_of

TIMES = np.linspace(0.0, 0.4, 5)


def speeds_of(simulation, count: int) -> list[float]:
    return [velocity_of(simulation, f"b{i}")[0] for i in range(count)]


def struck(model, accuracy="good", **velocities):
    start = {f"free {name}": [*velocity, 0.0, 0.0, 0.0] for name, velocity in velocities.items()}
    simulation = Simulation(model, TIMES, accuracy, initial={"qd": start})
    simulation.run()
    return simulation


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
@pytest.mark.parametrize(
    ("masses", "restitution", "moving"),
    [
        ((1.0,) * 5, 1.0, 1),
        ((1.0,) * 5, 1.0, 2),
        ((1.0,) * 4, 0.9, 1),
        ((3.0, 1.0, 0.5), 1.0, 1),
        ((1.0, 2.0, 4.0, 8.0), 0.8, 1),
        ((1.0, 10.0, 1.0), 0.5, 1),
    ],
)
def test_an_impact_travels_along_a_row(masses, restitution, moving, accuracy):
    """Guards rounds of impacts: balls that touch end with the speeds of impacts one after the other."""
    count = len(masses)
    places = row(count)
    places[:moving] = [(x - 0.02, y, z) for x, y, z in places[:moving]]
    model = balls(places, masses, restitution)
    found = struck(model, accuracy, **{f"b{i}": (1.0, 0.0, 0.0) for i in range(moving)})
    right = after_impacts([1.0] * moving + [0.0] * (count - moving), masses, restitution)
    assert_allclose(speeds_of(found, count), right, atol=1e-6)


def test_the_order_of_links_does_not_matter():
    """Guards against impacts that follow the order of a file: a ball strikes two that touch, mirror-symmetrically.

    With equal masses and restitution 1 it comes back with a fifth of its speed.
    """
    height = math.sqrt(3.0) * RADIUS
    places = [(-height - 0.01, 0.0, 0.0), (0.0, RADIUS, 0.0), (0.0, -RADIUS, 0.0)]
    for order in itertools.permutations(range(3)):
        model = balls(places, (1.0,) * 3, 1.0, list(order))
        found = struck(model, b0=(1.0, 0.0, 0.0))
        one, other = velocity_of(found, "b1"), velocity_of(found, "b2")
        assert_allclose(velocity_of(found, "b0")[:3], (-0.2, 0.0, 0.0), atol=1e-7)
        assert_allclose(one[:3], (0.6, 0.6 / math.sqrt(3.0), 0.0), atol=1e-7)
        assert_allclose(one[:3], other[:3] * (1.0, -1.0, 1.0), atol=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_a_row_that_is_struck_from_both_ends(restitution):
    """Guards impacts that meet in the middle: the motion is mirror-symmetric, and elastic balls keep their energy."""
    places = row(5)
    places[0], places[4] = (places[0][0] - 0.01, 0.0, 0.0), (places[4][0] + 0.01, 0.0, 0.0)
    model = balls(places, (1.0,) * 5, restitution)
    found = struck(model, b0=(1.0, 0.0, 0.0), b4=(-1.0, 0.0, 0.0))
    speeds = np.array(speeds_of(found, 5))
    assert_allclose(speeds, -speeds[::-1], atol=1e-7)
    assert_allclose(found.trajectory.kinetic[-1], restitution * found.trajectory.kinetic[0], atol=1e-7)


def test_a_light_ball_on_a_heavy_one():
    """Guards stacked balls that touch: the light one leaves with (3 M - m) / (M + m) of the speed of both."""
    surface = Surface(friction=0.0, restitution=1.0)
    heavy, light = solid("heavy", Sphere(0.12), 0.6, surface), solid("light", Sphere(0.033), 0.06, surface)
    model = scene(surface, LEVEL, (heavy, (0, 0, 1.12, *NO_TURN)), (light, (0, 0, 1.273, *NO_TURN)))
    fall = math.sqrt(2.0 / G)
    found = moved(model, [0.0, fall + 0.01], "good", heavy=STILL, light=STILL)
    left = (3.0 * 0.6 - 0.06) / 0.66 * math.sqrt(2.0 * G) - 0.01 * G
    assert velocity_of(found, "light")[2] == pytest.approx(left, abs=1e-6)


def test_a_ball_bounces_off_a_box_that_lies():
    """Guards rounds with mixed restitution: a box without restitution on a floor throws a ball as a free one does.

    What the box takes, the floor stops at once, so it stays where it lies.
    """
    ball = solid("ball", Sphere(0.05), 1.0, Surface(friction=0.5, restitution=1.0))
    box = solid("box", Box((0.4, 0.4, 0.2)), 3.0, Surface(friction=0.5))
    model = scene(Surface(friction=0.5), LEVEL, (box, (0, 0, 0.1, *NO_TURN)), (ball, (0, 0, 0.3, *NO_TURN)))
    found = moved(model, [0.0, 0.15], "good", ball=STILL, box=STILL)
    fall = math.sqrt(2.0 * 0.05 / G)
    speed = (3.0 - 1.0) / (3.0 + 1.0) * G * fall
    assert velocity_of(found, "ball")[2] == pytest.approx(speed - G * (0.15 - fall), abs=1e-6)
    assert_allclose(velocity_of(found, "box"), 0.0, atol=1e-7)
