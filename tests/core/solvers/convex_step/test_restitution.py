# SPDX-License-Identifier: GPL-3.0-or-later
"""Restitution in convex steps: energy of many balls that bounce at once, of single ones, and of gases that cool."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.geometry import Box, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Model
from limberjack.core.simulation import Simulation
from support.impacts import after_impacts, balls
from support.touching import LEVEL, NO_TURN, STILL, G, by_convex_steps, floor, pose_of, scene, solid, velocity_of

LOSS = {"draft": 0.01, "good": 1e-3, "exact": 2e-4}
"""Share of the energy that balls of restitution 1 may lose in a second: what bounces lower than a step's fall rests."""
GAIN = 1e-6
"""Share of the energy that they may gain."""
BOUNDS = {"draft": 1e-3, "good": 1e-6, "exact": 1e-6}
"""Share of the energy that the accounts may miss."""


def heap(count: int) -> Model:
    """Return balls of restitution 1 that start over a floor in a cube, all but in line (SimBenchmark, 666 elastic)."""
    surface, rng = Surface(friction=0.0, restitution=1.0), np.random.default_rng(42)
    bodies = []
    for n, place in enumerate(np.ndindex(count, count, count)):
        at = 0.21 * np.array(place) + (0.0, 0.0, 0.101) + rng.uniform(-1e-3, 1e-3, 3) * (1, 1, 0)
        bodies.append((solid(f"b{n}", Sphere(0.1), 10.0, surface), (*at, *NO_TURN)))
    return scene(surface, LEVEL, *bodies)


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_elastic_balls_keep_their_energy(accuracy):
    """Guards impacts of many bodies at once: without friction, restitution 1 keeps the energy, and no ball spins."""
    found = by_convex_steps(heap(3), np.linspace(0.0, 1.0, 51), accuracy)
    motion = found.trajectory
    energy = motion.kinetic + motion.potential
    assert len(found.impacts) > 100
    assert energy.min() > energy[0] * (1.0 - LOSS[accuracy])
    assert energy.max() < energy[0] * (1.0 + GAIN)
    assert_allclose(energy + motion.dissipated, energy[0], rtol=BOUNDS[accuracy])
    assert_allclose([velocity_of(found, f"b{i}")[3:] for i in range(27)], 0.0, atol=1e-9)


@pytest.mark.parametrize("restitution", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_ball_bounces_with_the_speed_of_its_impact(accuracy, restitution):
    """Guards the speed at the impact, within a step: the second height is e^2 of the first, whatever the step."""
    surface = Surface(friction=0.0, restitution=restitution)
    model = scene(surface, LEVEL, (solid("ball", Sphere(0.1), 1.0, surface), (0, 0, 1.1, *NO_TURN)))
    fall = math.sqrt(2.0 / G)
    found = by_convex_steps(model, [0.0, fall * (1.0 + restitution)], accuracy)
    energy = found.trajectory.kinetic[-1] + found.trajectory.potential[-1] - G * 0.1
    assert energy == pytest.approx(restitution**2 * G, rel=5e-4)


@pytest.mark.parametrize("restitution", [0.5, 0.9, 1.0])
def test_two_balls_between_walls(restitution):
    """Guards momentum and restitution in steps: they give the speeds after an impact of unequal balls."""
    model = balls([(0.0, 0.0, 0.0), (0.3, 0.0, 0.0)], (1.0, 2.0), restitution)
    found = by_convex_steps(model, np.linspace(0.0, 0.5, 11), b0=(1.0, 0, 0, 0, 0, 0), b1=STILL)
    right = after_impacts([1.0, 0.0], (1.0, 2.0), restitution)
    assert_allclose([velocity_of(found, f"b{i}")[0] for i in range(2)], right, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_thrown_ball_keeps_its_spin(accuracy):
    """Guards free flight: gravity acts at the centre of mass, so what spins as it falls spins on as it did."""
    ball = solid("ball", Sphere(0.1), 1.0, Surface())
    model = scene(Surface(), LEVEL, (ball, (0.0, 0.0, 5.0, *NO_TURN)))
    found = by_convex_steps(model, np.linspace(0.0, 0.4, 11), accuracy, ball=(2.0, 0.0, 1.0, 0.0, -0.8, 0.3))
    assert_allclose(velocity_of(found, "ball")[3:], (0.0, -0.8, 0.3), atol=1e-9)


@pytest.mark.parametrize("gap", [0.0, 0.01], ids=["whole", "apart"])
@pytest.mark.parametrize("restitution", [0.3, 0.6])
@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_tower_that_falls_by_a_centimetre_stands_and_sleeps(accuracy, restitution, gap):
    """Guards impacts that travel: they do not shake a tower of twelve boxes, which lies still within a second."""
    surface = Surface(friction=0.5, restitution=restitution)
    places = [(0.0, 0.0, 0.11 + i * (0.2 + gap), *NO_TURN) for i in range(12)]
    boxes = [(solid(f"box{i}", Box((0.2,) * 3), 1.0, surface), place) for i, place in enumerate(places)]
    found = by_convex_steps(scene(surface, LEVEL, *boxes), np.linspace(0.0, 1.5, 31), accuracy)
    assert found.trajectory.kinetic[20:].max() == 0.0
    right = [(0.0, 0.0, 0.1 + 0.2 * i) for i in range(12)]
    assert_allclose([pose_of(found, f"box{i}")[:3] for i in range(12)], right, atol=3e-3)


def gas(count: int, restitution: float, seed: int) -> tuple[Model, dict]:
    """Return balls without gravity in a cube whose walls keep their energy, and velocities of unit size by chance."""
    rng, side = np.random.default_rng(seed), 0.3 * count
    ball, wall = Surface(friction=0.0, restitution=restitution), Surface(friction=0.0, restitution=1.0)
    walls = floor(wall)
    walls.collisions = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal, place = np.zeros(3), np.full(3, 0.5 * side)
            normal[axis], place[axis] = sign, 0.0 if sign > 0.0 else side
            shape = Shape(f"wall {axis} {sign}", Plane(tuple(normal)), (*place, *NO_TURN), surface=wall)
            walls.collisions.append(shape)
    links, joints, speeds = [walls], [Joint("held", "fixed", WORLD, "floor")], {}
    for n in range(count**3):
        place = 0.3 * (np.array(np.unravel_index(n, (count,) * 3)) + 0.5)
        links.append(solid(f"b{n}", Sphere(0.1), 1.0, ball))
        joints.append(Joint(f"free b{n}", "free", WORLD, f"b{n}", X_PJ=(*place, *NO_TURN)))
        v = rng.normal(size=3)
        speeds[f"b{n}"] = (*(v / np.linalg.norm(v)), 0.0, 0.0, 0.0)
    model = Model("gas", links, joints)
    model.gravity = (0.0, 0.0, 0.0)
    return model, speeds


@pytest.mark.slow
def test_a_gas_cools_as_by_events():
    """Guards restitution between 0 and 1 on the average of many impacts: two methods lose energy alike."""
    ratios = []
    for seed in range(4):
        model, speeds = gas(4, 0.8, seed)
        found = by_convex_steps(model, np.linspace(0.0, 1.0, 11), "good", **speeds)
        start = {f"free {name}": list(velocity) for name, velocity in speeds.items()}
        right = Simulation(model, np.linspace(0.0, 1.0, 11), "draft", initial={"qd": start})
        right.run()
        ratios.append(found.trajectory.kinetic[-1] / right.trajectory.kinetic[-1])
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.06)


def test_a_sliding_box_brakes_while_others_bounce():
    """Guards friction in steps in which something bounces: beside a rain of balls a box slides as far as alone."""
    rough, slick = Surface(friction=0.5, restitution=0.5), Surface(friction=0.0, restitution=1.0)
    rain = [(solid(f"b{i}", Sphere(0.02), 0.1, slick), (0, 1.0 + 0.1 * i, 0.03 + 0.01 * i, *NO_TURN)) for i in range(8)]
    places = []
    for more in ([], rain):
        block = solid("block", Box((0.2, 0.2, 0.1)), 1.0, rough)
        model = scene(rough, LEVEL, (block, (0, 0, 0.05, *NO_TURN)), *more)
        found = by_convex_steps(model, np.linspace(0.0, 0.5, 11), block=(1.0, 0, 0, 0, 0, 0))
        places.append(pose_of(found, "block")[0])
    assert len(found.impacts) > 20
    assert places[0] == pytest.approx(1.0 / (2.0 * 0.5 * G), abs=1.5e-3)
    assert places[1] == pytest.approx(places[0], abs=1e-6)
