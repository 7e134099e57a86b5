# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that things of very unequal masses and sizes rest on each other: none sinks in, and none is thrown off."""

import numpy as np
import pytest

from limberjack.core.geometry import Box, Plane, Shape
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation

TIMES = np.arange(25) / 24


def tower(*boxes: tuple[tuple[float, float, float], float]) -> Model:
    """Boxes of a size [m] and a mass [kg] on each other, the first one on a plane; they rest as drawn."""
    model, height = Model("tower"), 0.0
    for number, (size, mass) in enumerate(boxes):
        squares = [mass * side**2 / 12.0 for side in size]
        x, y, z = (sum(squares) - square for square in squares)
        link = Link(f"box{number}", mass, inertia=(x, 0.0, 0.0, y, 0.0, z))
        link.pose = (0.0, 0.0, height + 0.5 * size[2], 1.0, 0.0, 0.0, 0.0)
        link.collisions = [Shape("box", Box(size))]
        model.links.append(link)
        height += size[2]
    model.links.append(Link("ground", collisions=[Shape("plane", Plane())]))
    model.joints.append(Joint("fixed", "fixed", WORLD, "ground"))
    return model


def moved(model: Model, accuracy: str, convex: bool = False) -> np.ndarray:
    """Return the largest distance that each box moves within a second from its place of rest [m], shape (boxes,)."""
    run = Simulation(model, TIMES, accuracy)
    if convex:
        run.prefer_time_stepping()
    motion = run.run()
    boxes = [number for number, name in enumerate(motion.link_names) if name != "ground"]
    places = motion.X_WL[:, boxes, :3]
    return np.abs(places - places[0]).max(axis=(0, 2))


@pytest.mark.parametrize("masses", [(1e-4, 1e4), (1e-4, 1.0, 1e4), (1.0, 1e-4, 1e4)])
@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_heavy_box_rests_on_a_light_one(accuracy, masses):
    """Guards mass ratios of 1e8: nothing sinks in by more than 1 mm, or is thrown aside."""
    model = tower(*(((0.2, 0.2, 0.2), mass) for mass in masses))
    assert moved(model, accuracy).max() < 1e-3


@pytest.mark.parametrize("size", [1e-6, 1e-4, 1e3])
@pytest.mark.parametrize("convex", [False, True])
@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_a_tower_of_any_size_stands(accuracy, convex, size):
    """Guards sizes from 1 um to 1 km: of five boxes, the highest sinks by a fifth of a box at most."""
    model = tower(*[((size, size, size), 1000.0 * size**3)] * 5)
    assert moved(model, accuracy, convex).max() < 0.2 * size
