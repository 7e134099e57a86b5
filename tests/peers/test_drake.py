# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of Drake's test suite: rolling, joint limits, springs, a ladder, propellers.

Drake's spatial vectors have the angular part first; forces here come first.
"""

from math import asin, cos, exp, pi, radians, sin, sqrt

import numpy as np
import pytest

import limberjack as lj
from support.peers import (
    UNIT,
    X_AXIS,
    Y_AXIS,
    add_body,
    at,
    axis,
    differs,
    moments,
    point_at,
    rpy,
    solid,
    twist_at_end,
    wrench_of,
)

G, INCLINE = 9.81, radians(15)


@pytest.fixture(scope="module")
def rolling():
    """(model, motion) of a ball that rolls down an incline for a second."""
    model, rough, tilt = lj.Model("incline"), {"friction": 0.5, "static_friction": 1.0}, rpy(0, INCLINE, 0)
    add_body(model, "ground", "fixed", at=at(quat=tilt), pose=at(quat=tilt), collisions=solid(lj.Plane(), **rough))
    start = at(0.05 * sin(INCLINE), 0, 0.05 * cos(INCLINE))
    inertia = moments(*[0.4 * 0.1 * 0.0025] * 3)
    add_body(model, "ball", at=start, mass=0.1, inertia=inertia, collisions=solid(lj.Sphere(0.05), **rough))
    return model, lj.simulate(model, 1, frame_rate=100, record=["contacts"])


def height_lost(motion):
    return motion.link("ball")[0, 2] - motion.link("ball")[-1, 2]


def test_inclined_plane_rolling_sphere_speed(rolling):
    """Guards the speed by energy: 2 g h / 1.4 for what rolls."""
    model, motion = rolling
    expected = sqrt(2 * G * height_lost(motion) / 1.4)
    assert abs(np.linalg.norm(twist_at_end(model, motion, "ball")[:3]) - expected) < 1e-8


def test_inclined_plane_rolling_sphere_distance(rolling):
    """Guards the distance, g sin t^2 / 2.8."""
    assert abs(height_lost(rolling[1]) / sin(INCLINE) - G * sin(INCLINE) / 1.4 / 2) < 1e-8


def test_inclined_plane_rolling_sphere_friction(rolling):
    """Guards the force of friction on what rolls, 2/7 of the weight along the incline."""
    force = rolling[1].contacts.at(50).force[-1]
    along = abs(force @ np.array([cos(INCLINE), 0, -sin(INCLINE)]))
    assert abs(along - 0.1 * G * sin(INCLINE) * 2 / 7) < 1e-8


LENGTH, MASS, WIDTH, TORQUE, TIP, WALL = 2.0, 7.0, 1.0, 20.0, 5e-3, 1.0
"""Of the ladder [m, kg, m, N m], its tip's radius and the wall's distance [m]."""


@pytest.fixture(scope="module", params=["weld", "stop", "stop in convex steps"])
def ladder(request):
    """(motion, force of the wall) of a ladder at rest: a pin with a torque, two halves, the tip at a wall.

    The halves are welded, or joined by a hinge at its stop.
    """
    middle = {} if request.param == "weld" else {"axes": [axis(Y_AXIS, lower=0.0)]}
    model = lj.Model("ladder", gravity=(0, 0, -10))
    wall = solid(lj.Box((0.3, 1, 3)), friction=0)
    add_body(model, "wall", "fixed", at=at(WALL + 0.15, 0, 1.5), pose=at(WALL + 0.15, 0, 1.5), collisions=wall)
    half = {"mass": MASS / 2, "com": (0, 0, 0.5), "inertia": moments(3.5 / 12, 3.5 / 12, 1e-9)}
    pushed = axis(Y_AXIS, drive_mode="force", drive_target=TORQUE)
    add_body(model, "lower", "revolute", axes=[pushed], **half)
    tip = solid(lj.Sphere(TIP), at(0, WIDTH / 4, 1), friction=0)
    add_body(
        model, "upper", "revolute" if middle else "fixed", "lower", at=at(0, 0, 1), collisions=tip, **half, **middle
    )
    start = {"to lower": asin(WALL / (LENGTH + LENGTH * TIP / (WALL - TIP)))}
    times, record = np.linspace(0.0, 1.0, 51), ["contacts", "wrenches"]
    run = lj.Simulation(model, times, "exact", initial={"q": start}, record=record)
    if request.param == "stop in convex steps":
        run.prefer_time_stepping()
    motion = run.run()
    height = point_at(motion.link("upper")[-1], (0, WIDTH / 4, 1))[2]
    centre = sin(motion.joint("to lower")[-1, 0])
    return motion, (centre * MASS * 10 + TORQUE) / height, height


def test_ladder_pin_force(ladder):
    """Guards the pin's force: the wall's, and the weight."""
    motion, push, _ = ladder
    assert differs(wrench_of(motion, "to lower")[:3], [push, 0, MASS * 10]) < 3e-6


def test_ladder_pin_torque(ladder):
    """Guards the pin's torque: the drive's about its axis, and what the tip's offset takes."""
    motion, push, _ = ladder
    assert differs(wrench_of(motion, "to lower")[3:], [0, TORQUE, -push * WIDTH / 4]) < 1e-6


def test_ladder_middle(ladder):
    """Guards the wrench in the weld between both halves."""
    motion, push, height = ladder
    upper = motion.link("upper")[-1]
    torque = -(MASS * 10 / 2) * (point_at(upper, (0, 0, 0.5))[0] - upper[0]) + push * (height - upper[2])
    expected = [push, 0, MASS * 10 / 2, 0, torque, -push * WIDTH / 4]
    assert differs(wrench_of(motion, "to upper"), expected) < 3e-6


def pushed_to_both_ends(joint, inertia, first, lower, upper, **link):
    """(q, q, qd, qd) of a joint that is pushed to one end for a second and to the other for another."""
    model = lj.Model("limits", gravity=link.pop("gravity", (0, 0, -9.81)))
    ends = axis(lower=lower, upper=upper, drive_mode="force", drive_target=first)
    add_body(model, "body", joint, axes=[ends], mass=1, inertia=inertia, **link)
    turned = {("to body", 0): {"drive_target": lambda t: first if t < 1 else -first}}
    controls = lj.Controls(schedule=lj.Schedule(axes=turned))
    motion = lj.simulate(model, 2, frame_rate=100, controls=controls)
    q, qd = motion.joint("to body"), motion.joint_velocity("to body")
    return [q[99, 0], q[-1, 0], qd[99, 0], qd[-1, 0]]


def test_joint_limits_prismatic():
    """Guards both ends of a slide under a constant force."""
    found = pushed_to_both_ends("prismatic", moments(0.015, 0.015, 0.015), -10.0, 0, 0.1, gravity=(0, 0, 0))
    assert differs(found, [0, 0.1, 0, 0]) < 1e-9


def test_joint_limits_revolute():
    """Guards both ends of a hinge with a rod."""
    across = (3e-4 + 0.09) / 12
    inertia = moments(0.5e-4, across, across)
    found = pushed_to_both_ends("revolute", inertia, 1.5, -pi / 5, pi / 3, com=(0.15, 0, 0))
    assert differs(found, [pi / 3, -pi / 5, 0, 0]) < 1e-9


def test_propeller():
    """Guards thrust and torque in a body's own axes: 2.3 times 3.2 N and 0.4 N m along the propeller."""
    model, push = lj.Model("propeller"), {"force": (0, -2.3 * 3.2, 0), "torque": (0, -2.3 * 0.4, 0)}
    place = at(1, 1, 1, rpy(0, 0, pi / 2))
    add_body(model, "body", at=place, mass=1, inertia=UNIT, force_turns_along=True, **push)
    motion = lj.simulate(model, 0.01, frame_rate=1000)
    assert differs(twist_at_end(model, motion, "body") / 0.01, [2.3 * 3.2, 0, -G, 2.3 * 0.4, 0, 0]) < 2e-3


def swing(damping):
    """The exact position of 2 kg on 10 N/m after 1.7 s, from 0.3 m at -1 m/s."""
    x, v, t = 0.3, -1.0, 1.7
    rate = sqrt(10 / 2)
    ratio = damping / (2 * sqrt(20))
    if ratio < 1 - 1e-9:
        damped = rate * sqrt(1 - ratio**2)
        return exp(-ratio * rate * t) * (x * cos(damped * t) + (v + ratio * rate * x) / damped * sin(damped * t))
    if ratio < 1 + 1e-9:
        return exp(-rate * t) * (x + (v + rate * x) * t)
    slow, fast = (-rate * (ratio - sign * sqrt(ratio**2 - 1)) for sign in (1, -1))
    return ((v - fast * x) * exp(slow * t) - (v - slow * x) * exp(fast * t)) / (slow - fast)


@pytest.mark.parametrize("damping", [0.5, 2 * sqrt(20), 30.0], ids=["under", "critical", "over"])
def test_mass_damper_spring(damping):
    """Guards a damped spring in its three regimes."""
    model = lj.Model("spring", gravity=(0, 0, 0))
    spring = axis(X_AXIS, spring_stiffness=10, damping=damping)
    add_body(model, "body", "prismatic", axes=[spring], mass=2, inertia=UNIT)
    start = {"q": {"to body": 0.3}, "qd": {"to body": -1.0}}
    motion = lj.simulate(model, 1.7, frame_rate=10, accuracy="exact", **start)
    assert abs(motion.joint("to body")[-1, 0] - swing(damping)) < 1e-9
