# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of Chrono's test suite (unit tests of a unilateral distance constraint and of SMC contact).

Its joint tests against ADAMS are in `test_chrono_joints.py`.
"""

from math import sqrt

import numpy as np
import pytest

import limberjack as lj
from support.peers import add_body, add_floor, at, axis, box_moments, moments, pose_error, solid, twist_at_end

G = 9.81


@pytest.fixture(scope="module")
def roped():
    """(frame after which the rope is taut, positions) of a mass that falls from beside a rope's hook."""
    model = lj.Model("rope", gravity=(0, 0, -10))
    lj.add_link(model, lj.Link("mass", mass=1, inertia=moments(0.1, 0.1, 0.1), pose=at(0.1, 0, 0.9)))
    model.joints.append(lj.Joint("rope", "distance", "world", "mass", axes=[axis(lower=0, upper=1.0)]))
    taut = sqrt(2 * (0.9 + sqrt(1 - 0.01)) / 10)
    start = {"rope": [0.1, 0, 0.9, 1, 0, 0, 0]}
    motion = lj.simulate(model, taut + 0.5, frame_rate=200, q=start, accuracy="exact")
    return int(taut * 200), motion.link("mass")[:, :3]


def test_distance_unilateral_falls(roped):
    """Guards that a slack rope does nothing."""
    frame, path = roped
    assert abs(path[frame, 2] - (0.9 - 0.5 * 10 * (frame / 200) ** 2)) < 1e-8


def test_distance_unilateral_holds(roped):
    """Guards that a taut rope without restitution keeps the mass on a sphere."""
    frame, path = roped
    assert np.abs(np.linalg.norm(path[frame + 2 :], axis=1) - 1).max() < 1e-8


def test_smc_sliding_gravity():
    """Guards how far a cube slides: v^2 / (2 mu g)."""
    model = lj.Model("sliding")
    add_floor(model, lj.Box((40, 3, 1)), friction=0.5)
    model.links[0].collisions[0].pose = at(0, 0, -0.5)
    cube = solid(lj.Box((0.5, 0.5, 0.5)), friction=0.5)
    add_body(model, "cube", at=at(0, 0, 0.25), mass=1, inertia=box_moments(1, 0.5, 0.5, 0.5), collisions=cube)
    motion = lj.simulate(model, 2, frame_rate=50, qd={"cube": [5, 0, 0, 0, 0, 0]})
    assert abs(motion.link("cube")[-1, 0] - 25 / (2 * 0.5 * G)) < 1e-6


def rolling(seconds=1.0, qd=(1, 0, 0, 0, 0, 0), **friction):
    """A ball of 0.5 m on a floor, with a moment of inertia of 0.1 kg m^2."""
    model = lj.Model("rolling")
    add_floor(model, friction=0.3, **friction)
    ball = solid(lj.Sphere(0.5), friction=0.3, **friction)
    add_body(model, "ball", at=at(0, 0, 0.5), mass=1, inertia=moments(0.1, 0.1, 0.1), collisions=ball)
    return model, lj.simulate(model, seconds, frame_rate=100, qd={"ball": list(qd)})


@pytest.fixture(scope="module")
def stuck():
    """Rolling friction of 0.2 m: more than friction at the surface can overcome, so the ball slides, and stops."""
    return rolling(rolling_friction=0.2)[1]


def test_smc_rolling_gravity_stops(stuck):
    """Guards that a ball with much rolling friction does not turn."""
    assert np.abs(stuck.qd[-1][3:]).max() < 1e-3


def test_smc_rolling_gravity_slides(stuck):
    """Guards how far it slides."""
    assert abs(stuck.link("ball")[-1, 0] - 1 / (2 * 0.3 * G)) < 1e-6


def test_smc_rolling_gravity_little():
    """Guards little rolling friction: the ball slides first, then rolls and slows down."""
    model, motion = rolling(rolling_friction=0.01)
    slowing, turning = 0.3 * G, (0.3 * G * 0.5 - 0.01 * G) / 0.1
    rolls_from = 1 / (slowing + turning * 0.5)
    expected = 1 - slowing * rolls_from - 0.01 * G / (0.5 * 1.4) * (1 - rolls_from)
    assert abs(twist_at_end(model, motion, "ball")[0] - expected) < 1e-6


def test_smc_spinning_gravity():
    """Guards spinning friction, a torque of its coefficient times the load."""
    _, motion = rolling(0.5, (0, 0, 0, 0, 0, 1), spinning_friction=0.01)
    assert abs(motion.qd[-1][5] - (1 - 0.01 * G * 0.5 / 0.1)) < 1e-8


@pytest.fixture(scope="module")
def stacked():
    """Five balls that fall in line onto a floor and onto each other, with restitution 0.3, until they lie still."""
    model, surface = lj.Model("stack"), {"friction": 0.3, "restitution": 0.3}
    add_floor(model, lj.Box((8, 8, 1)), **surface)
    model.links[0].collisions[0].pose = at(0, 0, -0.5)
    for number in range(5):
        ball = {"mass": 1, "inertia": moments(0.4, 0.4, 0.4), "collisions": solid(lj.Sphere(1), **surface)}
        add_body(model, f"ball{number}", at=at(0, 0, 5 + 2.5 * number), **ball)
    return lj.simulate(model, 8, frame_rate=10, record=["contacts"])


@pytest.mark.parametrize("number", range(5))
def test_smc_stacking(stacked, number):
    """Guards that the balls end as a stack in line with each other, one diameter apart, without having turned.

    Chrono's balls give way, and it asks for the place across and the turn to 1e-6. Rigid ones end at known heights.
    """
    expected = at(0, 0, 1 + 2 * number)
    assert pose_error(stacked.link(f"ball{number}")[-1], expected) < 1e-5


@pytest.mark.parametrize("number", range(5))
def test_smc_stacking_bears_what_is_above(stacked, number):
    """Guards the forces in a stack: below each ball, the weight of it and of all above."""
    lines = stacked.contacts.at(-1)
    below = "floor" if number == 0 else f"ball{number - 1}"
    held = [
        abs(force[2])
        for a, b, force in zip(lines.first, lines.second, lines.force, strict=True)
        if {a, b} == {below, f"ball{number}"}
    ]
    assert abs(sum(held) - (5 - number) * G) < 1e-4
