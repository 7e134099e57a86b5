# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances with room: a rope is slack until it is taut, and between two distances a mass flies freely."""

import math

import numpy as np
import pytest

from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.piecewise import follow

G = 9.81
SMALL = (0.02, 0.0, 0.0, 0.03, 0.0, 0.025)


def leashed(in_loop=False, gravity=(0.0, 0.0, -G), **axis):
    """A ball whose centre is kept at some distance from the world's origin, by a joint of the tree or of a loop."""
    model = Model(links=[Link("ball", 1.4, inertia=SMALL)], gravity=gravity)
    model.joints.append(Joint("rope", "distance", WORLD, "ball", axes=[Axis(**axis)], closes_loop=in_loop))
    if in_loop:
        model.joints.append(Joint("float", "free", WORLD, "ball"))
    return model


def thrown(model, at, speed=(0.0, 0.0, 0.0)):
    """As `initial` of a simulation; `speed` in the world's axes, in which the ball starts."""
    moves = "float" if len(model.joints) > 1 else "rope"
    return {"q": {moves: [*at, 1.0, 0.0, 0.0, 0.0]}, "qd": {moves: [*speed, 0.0, 0.0, 0.0]}}


@pytest.mark.parametrize("in_loop", [False, True])
def test_a_rope_catches_what_falls_and_swings_it(in_loop):
    """Guards ropes: free fall, the part of the speed along the rope gone at once, then a pendulum of its length."""
    length, aside = 1.0, 0.6
    start = thrown(model := leashed(in_loop, upper=length, stiffness=math.inf, restitution=0.0), (aside, 0.0, 0.0))
    caught = math.sqrt(2.0 * 0.8 / G)
    times = np.concatenate([np.linspace(0.0, caught, 10, endpoint=False), np.linspace(caught + 1e-9, 3.0, 100)])
    fallen = np.stack([np.full(10, aside), -0.5 * G * times[:10] ** 2], axis=1)
    angle = math.atan2(0.6, 0.8)  # from straight down
    swing = [angle, -G * caught * math.sin(angle) / length]
    swung = follow(times[10:], swing, "", lambda _, y: [y[1], -G / length * math.sin(y[0])], lambda _: [])
    expected = np.concatenate([fallen, length * np.stack([np.sin(swung[:, 0]), -np.cos(swung[:, 0])], axis=1)])
    run = Simulation(model, times, "exact", start)
    motion = run.run()
    places = motion.X_WL[:, 0, :3]
    assert places[:, [0, 2]] == pytest.approx(expected, abs=1e-6)
    assert np.abs(places[:, 1]).max() <= 1e-9
    lengths = np.linalg.norm(places, axis=1)
    assert lengths.max() <= length + 1e-9
    assert np.abs(lengths[10:] - length).max() <= 1e-9
    lost = 0.5 * 1.4 * (G * caught * math.cos(angle)) ** 2
    assert motion.dissipated[-1] == pytest.approx(lost, rel=1e-6)
    assert run.report.relative_drift < 1e-6
    assert run.report.impacts == 1


def between_circles(times, at, speed, inner, outer, e):
    """Places of a point that flies straight between two circles and leaves each with -e times its speed along it."""
    at, speed, now, found = np.array(at), np.array(speed), 0.0, []
    for time in times:
        while True:
            ahead, square = at @ speed, speed @ speed
            meets = [  # entering the inner circle, or leaving the outer one
                (-ahead + way * math.sqrt(root)) / square
                for radius, way in ((inner, -1.0), (outer, 1.0))
                if (root := ahead**2 - square * (at @ at - radius**2)) > 0.0
            ]
            soonest = min(meet for meet in meets if meet > 1e-9)
            if now + soonest > time:
                break
            at, now = at + soonest * speed, now + soonest
            normal = at / np.linalg.norm(at)
            speed = speed - (1.0 + e) * (normal @ speed) * normal
        found.append(at + (time - now) * speed)
    return np.array(found)


@pytest.mark.parametrize("in_loop", [False, True])
@pytest.mark.parametrize("e", [1.0, 0.9])
def test_a_mass_flies_between_a_nearest_and_a_farthest_distance(e, in_loop):
    """Guards both bounds in turn, with a speed across that no bound may touch: within 1e-6 m of straight lines."""
    inner, outer = 0.5, 1.1
    model = leashed(in_loop, (0.0, 0.0, 0.0), lower=inner, upper=outer, stiffness=math.inf, restitution=e)
    times = np.linspace(0.0, 5.0, 201)
    expected = between_circles(times, (0.8, 0.0), (-1.8, 0.7), inner, outer, e)
    run = Simulation(model, times, "exact", thrown(model, (0.8, 0.0, 0.0), (-1.8, 0.0, 0.7)))
    places = run.run().X_WL[:, 0, :3]
    assert run.report.impacts >= 8
    assert places[:, [0, 2]] == pytest.approx(expected, abs=1e-6)
    distances = np.linalg.norm(places, axis=1)
    assert distances.max() <= outer + 1e-9
    assert distances.min() >= inner - 1e-9
    assert run.report.relative_drift < 1e-6


@pytest.mark.parametrize("in_loop", [False, True])
def test_an_elastic_rope_pulls_only_when_taut(in_loop):
    """Guards compliant ropes: a bungee of finite stiffness and dissipation against SciPy's, within 1e-6 m."""
    length, stiffness, dissipation = 0.7, 300.0, 0.3
    model = leashed(in_loop, upper=length, stiffness=stiffness, dissipation=dissipation)
    times = np.linspace(0.0, 4.0, 161)

    def rates(_, y):
        stretch = np.hypot(*y[:2])
        over, way = stretch - length, y[:2] / stretch
        pull = stiffness * max(0.0, over) * max(0.0, 1.0 + dissipation * way @ y[2:])
        return [*y[2:], *(-pull / 1.4 * way - (0.0, G))]

    expected = follow(times, (0.3, -0.2, 0.5, 0.0), "", rates, lambda _: [], max_step=1e-3)
    assert (np.diff(np.sign(np.hypot(*expected[:, :2].T) - length)) > 0).sum() >= 2
    run = Simulation(model, times, "exact", thrown(model, (0.3, 0.0, -0.2), (0.5, 0.0, 0.0)))
    places = run.run().X_WL[:, 0, :3]
    assert places[:, [0, 2]] == pytest.approx(expected[:, :2], abs=1e-6)
    assert run.report.relative_drift < 1e-6


@pytest.mark.parametrize("in_loop", [False, True])
def test_a_bouncing_rope_never_adds_energy(in_loop):
    """Guards against gain: a ball on a rope of restitution 0.6, off its middle, only ever loses, within 1e-6."""
    model = leashed(in_loop, upper=1.0, stiffness=math.inf, restitution=0.6)
    for joint in model.joints:
        joint.X_CJ = (0.05, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0)
    run = Simulation(model, np.linspace(0.0, 4.0, 401), "exact", thrown(model, (0.5, 0.2, 0.1), (0.4, 0.9, 0.0)))
    motion = run.run()
    assert np.diff(motion.kinetic + motion.potential).max() <= 1e-6 * run.report.energy_scale
    assert run.report.relative_drift < 1e-6
    assert run.report.impacts >= 3
