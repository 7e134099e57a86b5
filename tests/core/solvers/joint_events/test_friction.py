# SPDX-License-Identifier: GPL-3.0-or-later
"""Dry friction: it holds exactly while it can, and else brakes with a constant force."""

import math

import numpy as np
import pytest

from limberjack.core.model import WORLD, Axis, Coupling, Joint, Link, Mimic, Model
from limberjack.core.simulation import Simulation
from support.piecewise import DryFriction

G = 9.81
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
MASS, SLOPE = 2.0, 0.5


def block(grip):
    """A block on an incline, its coordinate growing downhill; `grip` is the coefficient of friction over tan SLOPE."""
    friction = grip * math.tan(SLOPE) * MASS * G * math.cos(SLOPE)
    axis = Axis(xyz=(math.cos(SLOPE), 0.0, -math.sin(SLOPE)), friction=friction)
    return Model(links=[Link("block", MASS)], joints=[Joint("slope", "prismatic", WORLD, "block", axes=[axis])])


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
@pytest.mark.parametrize("grip", [1.001, 2.0])
def test_a_block_that_friction_can_hold_stays(grip, accuracy):
    """Guards against creep: where tan SLOPE is less than the coefficient, it does not move by 1e-9 m in 60 s."""
    run = Simulation(block(grip), np.linspace(0.0, 60.0, 61), accuracy)
    motion = run.run()
    assert np.abs(motion.q).max() <= 1e-9
    assert np.abs(motion.qd).max() <= 1e-9
    assert motion.dissipated[-1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
@pytest.mark.parametrize("grip", [0.0, 0.5, 0.99])
def test_a_block_that_it_cannot_hold_slides(grip, accuracy):
    """Guards the force of sliding: from rest, the acceleration is g (sin - mu cos) within 1e-6 of itself."""
    run = Simulation(block(grip), [0.0, 0.3, 2.0], accuracy)
    motion = run.run()
    a = G * math.sin(SLOPE) * (1.0 - grip)
    assert motion.q[-1, 0] == pytest.approx(0.5 * a * 2.0**2, rel=1e-6)
    assert motion.qd[-1, 0] == pytest.approx(a * 2.0, rel=1e-6)
    work = grip * MASS * G * math.sin(SLOPE) * motion.q[:, 0]
    assert motion.dissipated == pytest.approx(work, rel=1e-6, abs=1e-9)
    assert run.report.relative_drift < 1e-6


@pytest.mark.parametrize(("grip", "comes_back"), [(1.5, False), (0.4, True)])
def test_a_block_pushed_uphill_stops_and_stays_or_comes_back(grip, comes_back):
    """Guards the turn of the force at rest: up with sin + mu cos, down with sin - mu cos or not at all, in 1e-7 m."""
    speed, pull = 3.0, G * math.sin(SLOPE)
    up, down = pull * (1.0 + grip), pull * (1.0 - grip) if comes_back else 0.0
    stop = speed / up
    times = np.linspace(0.0, 2.0, 49)
    run = Simulation(block(grip), times, "exact", {"qd": {"slope": -speed}})
    motion = run.run()
    rising, after = np.minimum(times, stop), np.maximum(times - stop, 0.0)
    assert motion.q[:, 0] == pytest.approx(-speed * rising + 0.5 * up * rising**2 + 0.5 * down * after**2, abs=1e-7)
    assert motion.qd[:, 0] == pytest.approx(-speed + up * rising + down * after, abs=1e-7)
    if not comes_back:
        resting = motion.q[times > stop, 0]
        assert np.ptp(resting) <= 1e-9
    assert run.report.events >= 1
    assert run.report.impacts == 0


def test_of_two_sliders_one_sticks_while_the_other_slides():
    """Guards which of several stick: a sprung cart on a sprung cart, against modes found by trying all, in 1e-6 m."""
    m1, m2, k1, k2, bounds = 1.5, 0.8, 40.0, 90.0, (4.0, 2.5)
    axes = [Axis(xyz=X, spring_stiffness=k, friction=bound) for k, bound in zip((k1, k2), bounds, strict=True)]
    model = Model(links=[Link("lower", m1), Link("upper", m2)], gravity=(0.0, 0.0, 0.0))
    model.joints.append(Joint("rail", "prismatic", WORLD, "lower", axes=axes[:1]))
    model.joints.append(Joint("deck", "prismatic", "lower", "upper", axes=axes[1:]))
    truth = DryFriction(
        lambda q: [[m1 + m2, m2], [m2, m2]],
        lambda q, qd: [-k1 * q[0], -k2 * q[1]],
        bounds,
    )
    times = np.linspace(0.0, 3.0, 121)
    expected = truth.motion(times, (0.08, 0.6), (0.0, 0.0))
    still = np.abs(expected[:, 2:]) < 1e-12
    assert (still[:, 0] & ~still[:, 1]).sum() > 5  # else this would test less than it says
    run = Simulation(model, times, "exact", {"q": {"rail": 0.08, "deck": 0.6}})
    motion = run.run()
    assert motion.q == pytest.approx(expected[:, :2], abs=1e-6)
    assert motion.qd == pytest.approx(expected[:, 2:], abs=1e-5)
    assert np.abs(motion.qd[-1]).max() <= 1e-9
    assert run.report.relative_drift < 1e-6


def test_a_double_pendulum_with_dry_hinges():
    """Guards friction where inertia couples hinges: sticking and sliding in turn, within 1e-6 rad of SciPy's."""
    m1, l1, m2, l2, bounds = 1.0, 1.0, 0.6, 0.7, (3.0, 0.5)
    A, B, C = m1 * l1**2 / 3 + m2 * l1**2, m2 * l2**2 / 3, m2 * l1 * l2 / 2

    def mass(q):
        c = C * math.cos(q[1])
        return [[A + B + 2.0 * c, B + c], [B + c, B]]

    def force(q, qd):
        s, low = C * math.sin(q[1]), m2 * G * l2 / 2 * math.sin(q[0] + q[1])
        upper = s * (2.0 * qd[0] * qd[1] + qd[1] ** 2) - (m1 / 2 + m2) * G * l1 * math.sin(q[0]) - low
        return [upper, -s * qd[0] ** 2 - low]

    links = [
        Link(name, m, (0.0, 0.0, -l / 2), (m * l**2 / 12, 0.0, 0.0, m * l**2 / 12, 0.0, 1e-4))
        for name, m, l in (("first", m1, l1), ("second", m2, l2))
    ]
    model = Model(links=links)
    model.joints.append(Joint("upper", "revolute", WORLD, "first", axes=[Axis(xyz=Y, friction=bounds[0])]))
    below = (0.0, 0.0, -l1, 1.0, 0.0, 0.0, 0.0)
    model.joints.append(Joint("lower", "revolute", "first", "second", below, axes=[Axis(xyz=Y, friction=bounds[1])]))
    times = np.linspace(0.0, 4.0, 121)
    expected = DryFriction(mass, force, bounds).motion(times, (1.6, -1.8), (0.0, 0.0))
    stuck = np.abs(expected[1:, 2:]) < 1e-12
    assert (stuck[:, 0] & ~stuck[:, 1]).sum() > 4
    assert (stuck[:, 1] & ~stuck[:, 0]).sum() > 4
    assert stuck[-1].all()
    run = Simulation(model, times, "exact", {"q": {"upper": 1.6, "lower": -1.8}})
    motion = run.run()
    assert motion.q == pytest.approx(expected[:, :2], abs=1e-6)
    assert np.ptp(motion.q[-3:], axis=0).max() <= 1e-9
    assert run.report.relative_drift < 1e-6


def test_each_component_of_a_balls_spin_dies_away_in_its_own_time():
    """Guards friction of balls: with one inertia all about, each component slows by F / I and stays at rest."""
    inertia, bounds, spin = 0.4, (0.5, 0.3, 0.8), np.array([2.0, -1.5, 1.0])
    ball = Link("ball", 1.0, inertia=(inertia, 0.0, 0.0, inertia, 0.0, inertia))
    axes = [Axis(friction=bound) for bound in bounds]
    model = Model(links=[ball], joints=[Joint("socket", "ball", WORLD, "ball", axes=axes)])
    times = np.linspace(0.0, 3.0, 73)
    run = Simulation(model, times, "exact", {"qd": {"socket": spin}})
    motion = run.run()
    left = np.maximum(np.abs(spin) - np.outer(times, bounds) / inertia, 0.0) * np.sign(spin)
    assert motion.qd == pytest.approx(left, abs=1e-6)
    assert np.abs(motion.qd[-1]).max() <= 1e-9
    assert motion.dissipated[-1] == pytest.approx(0.5 * inertia * spin @ spin, rel=1e-6)


def test_a_ball_that_spins_about_one_axis_turns_by_its_closed_form():
    """Guards a ball's pose under friction: it turns by w t - F t^2 / (2 I) about its axis, then rests."""
    inertia, bound, spin = 0.4, 0.5, 3.0
    ball = Link("ball", 1.0, inertia=(inertia, 0.0, 0.0, 2.0 * inertia, 0.0, 3.0 * inertia))
    axes = [Axis(friction=bound) for _ in range(3)]
    model = Model(links=[ball], joints=[Joint("socket", "ball", WORLD, "ball", axes=axes)])
    times = np.linspace(0.0, 4.0, 49)
    motion = Simulation(model, times, "exact", {"qd": {"socket": [spin, 0.0, 0.0]}}).run()
    spent = np.minimum(times, spin * inertia / bound)
    half = 0.5 * (spin * spent - 0.5 * bound / inertia * spent**2)
    wanted = np.stack([np.cos(half), np.sin(half), 0.0 * half, 0.0 * half], axis=1)
    signs = np.sign((motion.q * wanted).sum(axis=1, keepdims=True))
    assert motion.q * signs == pytest.approx(wanted, abs=1e-6)


WORM, WHEEL, RATIO = 0.02, 0.5, 0.1
"""Inertias [kg m^2], and radians of the wheel for one of the worm."""


def worm_gear(coupled, friction, load=0.0, motor=0.0, arm=0.0):
    """A worm with friction and a motor's torque, and a wheel with a constant load, or an arm to a mass of 1 kg."""
    worm = Link("worm", 1.0, inertia=(WORM, 0.0, 0.0, WORM, 0.0, WORM))
    wheel = Link("wheel", 1.0, (arm, 0.0, 0.0), (WHEEL, 0.0, 0.0, WHEEL, 0.0, WHEEL))
    model = Model(links=[worm, wheel])
    driven = Axis(xyz=X, friction=friction, drive_mode="force", drive_target=motor)
    model.joints.append(Joint("shaft", "continuous", WORLD, "worm", axes=[driven]))
    loaded = Axis(xyz=Y, drive_mode="force", drive_target=load)
    aside = (0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0)
    model.joints.append(Joint("hub", "continuous", WORLD, "wheel", aside, axes=[loaded]))
    if coupled == "gear":
        model.couplings.append(Coupling("teeth", "gear", [("shaft", 0), ("hub", 0)], RATIO))
    else:
        model.joints[1].mimic = Mimic("shaft", RATIO)
    return model


@pytest.mark.parametrize("coupled", ["gear", "mimic"])
def test_a_worm_gear_locks_itself(coupled):
    """Guards friction through couplings: a load of 0.9 of what friction holds turns nothing by 1e-9 rad in 5 s."""
    load = 0.5 * G
    run = Simulation(worm_gear(coupled, RATIO * load / 0.9, arm=0.5), np.linspace(0.0, 5.0, 26), "exact")
    assert np.abs(run.run().q).max() <= 1e-9


@pytest.mark.parametrize("coupled", ["gear", "mimic"])
@pytest.mark.parametrize(
    ("friction", "load", "motor", "force"),
    [(0.6, 5.0, 2.0, 2.0 + 0.5 - 0.6), (0.6, 5.0, -2.0, -2.0 + 0.5 + 0.6), (0.2, 5.0, 0.0, 0.5 - 0.2)],
    ids=["with the load", "against the load", "driven backwards"],
)
def test_a_worm_gear_turns_by_what_friction_leaves(coupled, friction, load, motor, force):
    """Guards friction through couplings: the worm feels J1 + r^2 J2, its motor, r times the load, less friction."""
    times = np.linspace(0.0, 2.0, 25)
    motion = Simulation(worm_gear(coupled, friction, load, motor), times, "exact").run()
    names = [name for name, _ in motion.q_names]
    turned = 0.5 * force / (WORM + RATIO**2 * WHEEL) * times**2
    assert motion.q[:, names.index("shaft")] == pytest.approx(turned, rel=1e-6, abs=1e-8)
    assert motion.q[:, names.index("hub")] == pytest.approx(RATIO * turned, rel=1e-6, abs=1e-8)
