# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of trees against closed forms, and against what must be conserved."""

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from limberjack.core.kinematics import forward_kinematics
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Controls, Forces, Simulation
from support.benchmarks import load
from support.models import matrix

G = 9.81
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
benchmark = load("models")


def quarter_period(modulus):
    """K(k), the complete elliptic integral of the first kind, by Gauss's arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1.0 - modulus**2)
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2.0, math.sqrt(a * b)
    return math.pi / (a + b)


def momentum_of(model, X_WL, V_WL):
    """(linear [kg m/s], angular about the centre of mass [kg m^2/s]) in world axes, from the links' own motion."""
    mass, moment, linear, angular = 0.0, np.zeros(3), np.zeros(3), np.zeros(3)
    for link, pose, twist in zip(model.links, X_WL, V_WL, strict=True):
        R = matrix(tuple(pose))[:3, :3]
        at = pose[:3] + R @ link.com
        velocity = twist[:3] + np.cross(twist[3:], R @ link.com)
        xx, xy, xz, yy, yz, zz = link.inertia
        spin = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T @ twist[3:]
        mass, moment, linear = mass + link.mass, moment + link.mass * at, linear + link.mass * velocity
        angular = angular + spin + link.mass * np.cross(at, velocity)
    return np.concatenate([linear, angular - np.cross(moment / mass, linear)])


def momenta(run):
    """Of each frame, shape (frames, 6)."""
    motion, model = run.trajectory, run.compiled.model
    moved = (forward_kinematics(run.compiled, q, qd) for q, qd in zip(motion.q, motion.qd, strict=True))
    return np.array([momentum_of(model, X_WL, V_WL) for X_WL, V_WL in moved])


@pytest.mark.parametrize("amplitude", [0.1, 1.5, 2.5])
def test_a_physical_pendulum_takes_its_period(amplitude):
    """Guards inertia and arm of a heavy body on a hinge: ten periods of 4 K(sin(a/2)) sqrt(I/(m g d)), within 1e-8."""
    mass, arm, inertia = 2.0, 0.4, 0.3
    body = Link("body", mass, (0.0, 0.0, -arm), (0.1, 0.0, 0.0, inertia, 0.0, 0.2))
    model = Model(links=[body], joints=[Joint("hinge", "continuous", WORLD, "body", axes=[Axis(xyz=Y)])])
    slowness = math.sqrt((inertia + mass * arm**2) / (mass * G * arm))
    period = 4.0 * quarter_period(math.sin(amplitude / 2.0)) * slowness
    assert quarter_period(0.6) == pytest.approx(ellipk(0.36), rel=1e-14)
    run = Simulation(model, [0.0, 0.25 * period, 10.25 * period], "exact", {"q": {"hinge": amplitude}}).run()
    late = -run.q[1:, 0] / run.qd[1:, 0]  # how long it takes yet to hang straight down
    assert np.abs(late).max() < 1e-8 * 10.0 * period


def test_a_free_body_turns_as_euler_and_jacobi_say():
    """Guards the free chart over 100 turns of a body with three inertias: its rates, its energy and its momentum."""
    A, B, C = 1.0, 2.0, 2.5
    link = Link("body", 3.0, (0.0, 0.0, 0.0), (A, 0.0, 0.0, B, 0.0, C))
    a, c = 2.0, 3.0  # rates about the least and the greatest axis as it starts
    speed = c * math.sqrt((C - B) * (C - A) / (A * B))
    k2 = (B - A) * A * a**2 / ((C - B) * C * c**2)
    b = a * math.sqrt(A * (C - A) / (B * (C - B)))
    times = np.linspace(0.0, 100.0 * math.tau / math.hypot(a, c), 401)
    start = {"qd": {"body": [0.1, -0.04, 0.02, a, 0.0, c]}}
    run = Simulation(Model(links=[link], gravity=(0.0, 0.0, 0.0)), times, "exact", start)
    motion = run.run()
    sn, cn, dn, _ = ellipj(speed * times, k2)
    assert motion.qd[:, 3:] == pytest.approx(np.stack([a * cn, b * sn, c * dn], axis=1), abs=1e-6)
    assert run.report.relative_drift < 1e-8
    kept = momenta(run)
    assert np.abs(kept - kept[0]).max() < 1e-8 * np.linalg.norm(kept[0])


def bob_on(joint_type, length, mass, inertia):
    """A ball that hangs from the origin by a joint about x and y, or about all axes."""
    bob = Link("bob", mass, (0.0, 0.0, -length), (inertia, 0.0, 0.0, inertia, 0.0, inertia))
    return Model(links=[bob], joints=[Joint("hook", joint_type, WORLD, "bob", axes=[Axis(xyz=X), Axis(xyz=Y)])])


def places_of(motion, length):
    """Where the bob is, shape (frames, 3) [m]."""
    return np.array([(matrix(tuple(pose)) @ (0.0, 0.0, -length, 1.0))[:3] for pose in motion.X_WL[:, 0]])


@pytest.mark.parametrize(("joint_type", "inertia"), [("ball", 0.02), ("universal", 0.0)])
def test_a_conical_pendulum_goes_round_in_a_circle(joint_type, inertia):
    """Guards the ball chart and crossed hinges alike: at sqrt(g / (l cos a)) a bob keeps its height, at an even pace.

    A ball's inertia, being the same about every axis, takes no part in this where it turns along; a point has none.
    """
    length, mass, slope = 0.8, 1.5, 0.6
    pace = math.sqrt(G / (length * math.cos(slope)))
    half = (math.cos(slope / 2.0), 0.0, math.sin(slope / 2.0), 0.0)
    at, rate = {
        "ball": (half, (-pace * math.sin(slope), 0.0, pace * math.cos(slope))),
        "universal": ((0.0, slope), (-pace * math.tan(slope), 0.0)),
    }[joint_type]
    times = np.linspace(0.0, 3.0 * math.tau / pace, 61)
    start = {"q": {"hook": at}, "qd": {"hook": rate}}
    motion = Simulation(bob_on(joint_type, length, mass, inertia), times, "exact", start).run()
    radius, angle = length * math.sin(slope), math.pi + pace * times
    height = np.full_like(times, -length * math.cos(slope))
    expected = np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)
    assert places_of(motion, length) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(("joint_type", "inertia"), [("ball", 0.02), ("universal", 0.0)])
def test_a_spherical_pendulum_keeps_what_it_must(joint_type, inertia):
    """Guards both joints in wild motion: energy, and angular momentum about the vertical, stay to 1e-8 of themselves.

    Crossed hinges pass a torque on only along what hangs on them, and a point takes none.
    """
    at = {"ball": (math.cos(0.6), math.sin(0.6), 0.0, 0.0), "universal": (1.2, 0.0)}[joint_type]
    rate = {"ball": (0.7, 1.1, 0.4), "universal": (0.7, 1.1)}[joint_type]
    model, start = bob_on(joint_type, 0.8, 1.5, inertia), {"q": {"hook": at}, "qd": {"hook": rate}}
    run = Simulation(model, np.linspace(0.0, 10.0, 241), "exact", start)
    places, kept = places_of(run.run(), 0.8), momenta(run)
    upright = (kept[:, 3:] + np.cross(places, kept[:, :3]))[:, 2]
    assert np.ptp(places, axis=0).min() > 0.1
    assert abs(upright[0]) > 0.1
    assert np.ptp(upright) < 1e-8 * abs(upright[0])
    assert run.report.relative_drift < 1e-8


M_SPRUNG, K_SPRUNG, REST = 2.0, 50.0, 0.1
CRITICAL = 2.0 * math.sqrt(K_SPRUNG * M_SPRUNG)


@pytest.mark.parametrize("damping", [0.0, 0.15 * CRITICAL, CRITICAL, 3.0 * CRITICAL])
def test_a_damped_slider_follows_its_closed_form(damping):
    """Guards springs and dampers on both sides of critical damping, and on it: within 1e-8 m, from a push at rest."""
    axis = Axis(xyz=X, spring_stiffness=K_SPRUNG, spring_reference=REST, damping=damping)
    model = Model(links=[Link("cart", M_SPRUNG)], joints=[Joint("rail", "prismatic", WORLD, "cart", axes=[axis])])
    times, away, speed = np.linspace(0.0, 4.0, 97), 0.4, -1.0
    start = {"q": {"rail": REST + away}, "qd": {"rail": speed}}
    run = Simulation(model, times, "exact", start)
    rate, square = damping / (2.0 * M_SPRUNG), K_SPRUNG / M_SPRUNG - (damping / (2.0 * M_SPRUNG)) ** 2
    swing = np.sqrt(complex(square))  # imaginary beyond critical damping, where sines become hyperbolic ones
    sine = np.sin(swing * times) / swing if abs(square) > 1e-9 else times
    x = np.exp(-rate * times) * (away * np.cos(swing * times) + (speed + rate * away) * sine).real
    assert run.run().q[:, 0] == pytest.approx(REST + x, abs=1e-8)
    assert run.report.energy_drift < 1e-8


@pytest.mark.parametrize("pitch", [0.02, -0.5])
def test_a_nut_runs_down_its_thread(pitch):
    """Guards the screw: a nut on an upright thread of h metres a radian falls at m g h / (I + m h^2) rad/s^2."""
    mass, inertia = 3.0, 0.01
    nut = Link("nut", mass, (0.0, 0.0, 0.1), (0.02, 0.0, 0.0, 0.02, 0.0, inertia))
    model = Model(links=[nut], joints=[Joint("thread", "screw", WORLD, "nut", pitch=pitch)])
    h = pitch / math.tau
    times = np.linspace(0.0, 2.0, 25)
    motion = Simulation(model, times, "exact").run()
    turned = -0.5 * mass * G * h / (inertia + mass * h**2) * times**2
    assert motion.q[:, 0] == pytest.approx(turned, rel=1e-9, abs=1e-9)
    assert motion.X_WL[:, 0, 2] == pytest.approx(h * turned, rel=1e-9, abs=1e-9)


@pytest.mark.skipif(not benchmark.SHARED.is_dir(), reason=f"no {benchmark.SHARED} (LIMBERJACK_SHARED)")
@pytest.mark.parametrize("balls", [False, True], ids=["hinges", "hinges and balls"])
def test_a_floating_body_with_motors_keeps_its_momentum(balls):
    """Guards trees on a free base: motors leave momentum within 1e-9 of sum |m v r| over 10 s at exact."""
    model = benchmark.read_rows("humanoid36")
    model.gravity = (0.0, 0.0, 0.0)
    for i, joint in enumerate(model.joints):
        if balls and i % 3 == 1:
            joint = model.joints[i] = Joint(joint.name, "ball", joint.parent, joint.child, joint.X_PJ)
        for axis in joint.axes if joint.type != "free" else ():
            axis.damping = 0.3
    moved = [joint for joint in model.joints if joint.type != "free"]

    def motors(moment):
        return Forces(
            {joint.name: 2.0 * np.sin(np.arange(joint.nv) + k + 3 * moment.time) for k, joint in enumerate(moved)}
        )

    base = next(joint.name for joint in model.joints if joint.type == "free")
    start = {"qd": {base: [0.1, 0.2, -0.1, 0.3, -0.2, 0.4]}}
    run = Simulation(model, np.linspace(0.0, 10.0, 241), "exact", start, controls=Controls(forces=motors))
    motion = run.run()
    kept = momenta(run)
    mass = np.array([link.mass for link in model.links])
    speed = np.linalg.norm(np.gradient(motion.X_WL[:, :, :3], motion.times, axis=0), axis=2)
    arms = np.linalg.norm(motion.X_WL[:, :, :3] - motion.X_WL[:, :1, :3], axis=2)
    scale = (mass * speed * arms).sum(axis=1).max()
    assert np.ptp(motion.X_WL[:, :, :3], axis=0).max() > 0.2
    assert np.abs(kept - kept[0]).max() < 1e-9 * scale
    assert run.report.relative_drift < 1e-7
