# SPDX-License-Identifier: GPL-3.0-or-later
"""Impulses and forces of random contacts obey the full complementarity problem, as an independent judge has it."""

import numpy as np
import pytest

from limberjack.core.geometry import Box, Sphere
from limberjack.core.geometry.contact_properties import Surface
from support.contact_problem import Contact, acceleration_problem, carried, impact_problem
from support.touching import LEVEL, NO_TURN, moved, scene, solid

TIMES = [0.0, 1e-3]


def struck(rng):
    """A box that touches the floor along a face, with a velocity that may press, tip and twist it."""
    surface = Surface(friction=float(rng.uniform(0.1, 0.9)))
    size = tuple(rng.uniform(0.1, 0.3, 3))
    box = solid("box", Box(size), float(rng.uniform(0.5, 3.0)), surface), (0.0, 0.0, size[2] / 2.0, *NO_TURN)
    return scene(surface, LEVEL, box), rng.normal(size=6) * (1.0, 1.0, 1.0, 3.0, 3.0, 3.0)


@pytest.mark.parametrize("seed", range(12))
def test_impulses_of_random_blows(seed):
    """A box that touches the floor with four corners strikes it with any velocity: each corner obeys the cone."""
    rng = np.random.default_rng(seed)
    model, before = struck(rng)
    before[2] = -abs(before[2])
    found = moved(model, [0.0], box=before)
    compiled = found.compiled
    mu = model.links[0].collisions[0].surface.friction
    contacts = [Contact(i.first, i.second, i.point, i.normal, mu, 0.0) for i in found.impacts]
    assert contacts
    problem = impact_problem(compiled, found.trajectory.q[0], before, contacts)
    r = problem.stacked(np.array([impact.impulse for impact in found.impacts]))
    assert max(problem.residuals(r).values()) <= 1e-8
    np.testing.assert_allclose(found.trajectory.qd[0], problem.motion(r), atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_forces_of_a_sliding_box(seed):
    """It slides and turns on four corners: the forces that the engine tells obey friction along each corner's slip."""
    rng = np.random.default_rng(seed)
    surface = Surface(friction=float(rng.uniform(0.1, 0.4)))
    size = (0.3, 0.2, 0.05)
    box = solid("box", Box(size), 1.0, surface), (0.0, 0.0, size[2] / 2, *NO_TURN)
    found = moved(scene(surface, LEVEL, box), TIMES, box=(*rng.normal(size=2), 0.0, 0.0, 0.0, rng.normal()))
    compiled, q, qd = found.compiled, found.trajectory.q[-1], found.trajectory.qd[-1]
    told = found.contacts
    contacts = [Contact(c.first, c.second, c.point, c.normal, surface.friction, 0.0) for c in told]
    problem = acceleration_problem(compiled, q, qd, carried(compiled, q, contacts))
    residuals = problem.residuals(problem.stacked(np.array([c.force for c in told])))
    assert max(residuals.values()) <= 1e-6


def test_a_ball_on_a_ball():
    """Two balls, one on the other off-centre, fall on the floor with spin: both contacts are judged together."""
    surface = Surface(friction=0.3)
    low, high = solid("low", Sphere(0.2), 2.0, surface), solid("high", Sphere(0.1), 0.3, surface)
    model = scene(surface, LEVEL, (low, (0.0, 0.0, 0.2, *NO_TURN)), (high, (0.18, 0.0, 0.2 + 0.24, *NO_TURN)))
    start = {"low": (0.3, 0.1, -2.0, 1.0, 4.0, 2.0), "high": (-0.5, 0.2, -2.5, 3.0, -2.0, 1.0)}
    found = moved(model, [0.0], **start)
    contacts = [Contact(i.first, i.second, i.point, i.normal, 0.3, 0.0) for i in found.impacts]
    assert len(contacts) == 2
    problem = impact_problem(
        found.compiled, found.trajectory.q[0], np.concatenate([*map(np.array, start.values())]), contacts
    )
    r = problem.stacked(np.array([impact.impulse for impact in found.impacts]))
    assert max(problem.residuals(r).values()) <= 1e-8
    np.testing.assert_allclose(found.trajectory.qd[0], problem.motion(r), atol=1e-9)
