# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives: position, velocity and force, with their largest effort, and the largest speed of an axis."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation

G = 9.81
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SMALL = (0.02, 0.0, 0.0, 0.03, 0.0, 0.025)


def slider(mass=2.0, xyz=X, **axis):
    """A mass on a rail, across gravity if nothing else is said."""
    rail = Joint("rail", "prismatic", WORLD, "cart", axes=[Axis(xyz=xyz, **axis)])
    return Model(links=[Link("cart", mass)], joints=[rail])


def arm(mass, length, inertia, **axis):
    """A rod that reaches along x at 0, and up at a quarter turn."""
    rod = Link("rod", mass, (length / 2, 0.0, 0.0), (1e-4, 0.0, 0.0, inertia, 0.0, inertia))
    axes = [Axis(xyz=(0.0, -1.0, 0.0), **axis)]
    return Model(links=[rod], joints=[Joint("motor", "revolute", WORLD, "rod", axes=axes)])


@pytest.mark.parametrize("effort", [math.inf, 8.0, 5.5])
def test_a_servo_lifts_an_arm_with_the_effort_it_has(effort):
    """Guards position drives and their clamp on both sides: 4 s within 1e-6 rad of SciPy's, at exact."""
    mass, length, target, stiffness, damping = 1.0, 1.0, 1.2, 60.0, 3.0
    inertia = mass * length**2 / 12
    pull = {"drive_mode": "position", "drive_target": target, "drive_stiffness": stiffness, "drive_damping": damping}

    def rates(_, y):
        raw = stiffness * (target - y[0]) - damping * y[1]
        torque = min(max(raw, -effort), effort) - mass * G * length / 2 * math.cos(y[0])
        return [y[1], torque / (inertia + mass * length**2 / 4)]

    times = np.linspace(0.0, 4.0, 97)
    expected = solve_ivp(rates, (0.0, 4.0), (-1.0, 0.0), "DOP853", times, rtol=1e-12, atol=1e-12, max_step=0.01).y.T
    run = Simulation(arm(mass, length, inertia, effort=effort, **pull), times, "exact", {"q": {"motor": -1.0}})
    motion = run.run()
    assert motion.q[:, 0] == pytest.approx(expected[:, 0], abs=1e-6)
    assert run.report.relative_drift < 1e-5


@pytest.mark.parametrize("effort", [15.0, 25.0])
def test_a_motor_that_is_too_weak_stalls(effort):
    """Guards the clamp as a force: what weighs more than the effort sinks by g - E/m to its stop, what less rises."""
    mass, down, up = 2.0, -0.5, 0.6
    axis = {"lower": down, "upper": up, "stiffness": math.inf, "restitution": 0.0, "effort": effort}
    model = slider(mass, Z, drive_mode="position", drive_target=100.0, drive_stiffness=1e5, **axis)
    a = effort / mass - G
    bound = up if a > 0.0 else down
    times = np.linspace(0.0, 3.0, 61)
    run = Simulation(model, times, "exact")
    motion = run.run()
    moving = times < math.sqrt(2.0 * bound / a)
    assert 5 < moving.sum() < 60
    assert motion.q[moving, 0] == pytest.approx(0.5 * a * times[moving] ** 2, abs=1e-8)
    assert np.abs(motion.q[~moving, 0] - bound).max() <= 1e-9
    assert motion.supplied[-1] == pytest.approx(effort * bound, rel=1e-6)
    assert run.report.relative_drift < 1e-5


@pytest.mark.parametrize("effort", [math.inf, 3.0])
def test_a_velocity_drive_brings_a_mass_to_its_speed(effort):
    """Guards velocity drives: at most the effort at first, then a decay of D / m towards the target, in 1e-7 m."""
    mass, target, damping = 2.0, 1.5, 5.0
    rate = damping / mass
    times = np.linspace(0.0, 3.0, 73)
    short = max(target - effort / damping, 0.0)  # the speed at which the drive needs no more than its effort
    until = short * mass / effort
    forced, late = np.minimum(times, until), np.maximum(times - until, 0.0)
    decay = (target - short) * (1.0 - np.exp(-rate * late)) / rate
    pushed = 0.0 if math.isinf(effort) else 0.5 * effort / mass * forced**2
    model = slider(mass, drive_mode="velocity", drive_target=target, drive_damping=damping, effort=effort)
    run = Simulation(model, times, "exact")
    assert run.run().q[:, 0] == pytest.approx(pushed + target * late - decay, abs=1e-7)
    assert run.report.relative_drift < 1e-5


@pytest.mark.parametrize(("target", "force"), [(3.0, 3.0), (-3.0, -3.0), (10.0, 4.0), (-10.0, -4.0)])
def test_a_force_drive_pushes_as_told(target, force):
    """Guards force drives and their clamp: F t^2 / (2 m), and the work that they supply."""
    times = np.linspace(0.0, 2.0, 25)
    motion = Simulation(slider(drive_mode="force", drive_target=target, effort=4.0), times, "exact").run()
    assert motion.q[:, 0] == pytest.approx(0.25 * force * times**2, abs=1e-8)
    assert motion.supplied == pytest.approx(force * motion.q[:, 0], rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("accuracy", ["draft", "good"])
@pytest.mark.parametrize(("effort", "damping"), [(math.inf, 2.0 * math.sqrt(1e10 * 1e-3)), (0.5, 5e8)])
def test_a_hard_servo_on_a_light_link_is_stable(effort, damping, accuracy):
    """Guards stiffness of drives: 1e10 N/m on a gramme comes to its target, in few steps, with or without a clamp.

    With the clamp it needs damping enough to brake in time: from 3 m/s, at 20 /s, which takes 0.06 N.
    """
    mass, target = 1e-3, 0.2
    hard = {"drive_stiffness": 1e10, "drive_damping": damping}
    model = slider(mass, Z, drive_mode="position", drive_target=target, effort=effort, **hard)
    run = Simulation(model, np.linspace(0.0, 2.0, 49), accuracy)
    motion = run.run()
    assert motion.q[-1, 0] == pytest.approx(target, abs=1e-6)
    assert motion.q.max() <= target + 1e-3
    assert run.report.steps < 5000


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_an_axis_goes_no_faster_than_it_may(accuracy):
    """Guards velocity limits: from rest a = F/m, then exactly the largest speed, and the surplus is dissipated."""
    mass, force, fastest = 2.0, 6.0, 1.2
    until = fastest * mass / force
    times = np.linspace(0.0, 2.0, 49)
    model = slider(mass, drive_mode="force", drive_target=force, velocity=fastest)
    run = Simulation(model, times, accuracy)
    motion = run.run()
    early, late = np.minimum(times, until), np.maximum(times - until, 0.0)
    assert motion.q[:, 0] == pytest.approx(0.5 * force / mass * early**2 + fastest * late, abs=1e-7)
    assert motion.qd[times > until + 1e-6, 0] == pytest.approx(fastest, abs=1e-9)
    assert motion.dissipated == pytest.approx(force * fastest * late, abs=1e-6)
    assert run.report.relative_drift < 1e-5


def test_a_speed_limit_holds_only_what_pushes_on():
    """Guards the end of a velocity limit: a sprung mass is held at its speed till its spring turns, then swings on.

    From x0 it is x0 cos wt until its speed is V, then straight to 0, then V / w sin wt to the other side.
    """
    mass, stiffness, start, fastest = 1.0, 25.0, 0.5, 1.6
    w = math.sqrt(stiffness / mass)
    met = math.asin(fastest / (w * start)) / w
    through = met + start * math.cos(w * met) / fastest
    times = np.linspace(0.0, through + 0.99 * math.pi / 2.0 / w, 61)
    x = np.select(
        [times < met, times < through],
        [start * np.cos(w * times), fastest * (through - times)],
        -fastest / w * np.sin(w * (times - through)),
    )
    run = Simulation(slider(mass, spring_stiffness=stiffness, velocity=fastest), times, "exact", {"q": {"rail": start}})
    motion = run.run()
    assert motion.q[:, 0] == pytest.approx(x, abs=1e-7)
    assert np.abs(motion.qd).max() <= fastest + 1e-9
    lost = 0.5 * stiffness * start**2 - 0.5 * mass * fastest**2
    assert motion.dissipated[-1] == pytest.approx(lost, rel=1e-6)
    assert run.report.relative_drift < 1e-5


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_the_ledger_of_drives_and_losses_closes(accuracy):
    """Guards supplied and dissipated: an arm with all three drives, friction, stops and speed limits, within 1e-5."""
    axes = [
        Axis(Y, drive_mode="position", drive_target=0.8, drive_stiffness=40.0, drive_damping=2.0, effort=9.0),
        Axis(X, drive_mode="velocity", drive_target=-4.0, drive_damping=0.8, effort=1.5, friction=0.3, velocity=2.5),
        Axis(Y, drive_mode="force", drive_target=0.7, friction=0.2, lower=-0.9, upper=0.7),
    ]
    axes[2].stiffness, axes[2].dissipation = 500.0, 0.4
    axes[0].lower, axes[0].upper, axes[0].stiffness, axes[0].restitution = -0.5, 1.2, math.inf, 0.5
    model = Model(links=[Link(f"rod{i}", 0.6, (0.0, 0.0, -0.2), SMALL) for i in range(3)])
    for i, axis in enumerate(axes):
        place = (0.0, 0.0, -0.4 if i else 0.0, 1.0, 0.0, 0.0, 0.0)
        parent = f"rod{i - 1}" if i else WORLD
        model.joints.append(Joint(f"joint{i}", "revolute", parent, f"rod{i}", place, axes=[axis]))
    run = Simulation(model, np.linspace(0.0, 3.0, 145), accuracy, {"qd": {"joint0": 3.0, "joint1": 1.0}})
    motion = run.run()
    assert run.report.relative_drift <= 1e-5
    assert np.diff(motion.dissipated).min() >= -1e-9
    assert np.abs(motion.qd[:, 1]).max() <= 2.5 + 1e-9
    assert motion.q[:, 0].max() <= 1.2 + 1e-9
    assert run.report.events >= 3


@pytest.mark.parametrize("in_loop", [False, True])
def test_a_ball_drive_holds_a_turn_against_gravity(in_loop):
    """Guards drives of balls: the rest at which the pull of three stiffnesses on the rotation vector bears the weight.

    The reference makes the energy stationary: half k e_i^2 summed, e the rotation vector from the target, and m g z.
    """
    mass, com, stiffness, target = 1.5, np.array([0.3, -0.1, -0.2]), np.array([30.0, 45.0, 25.0]), (0.5, -0.3, 0.4)
    hold = {"drive_mode": "position", "drive_damping": 3.0}
    axes = [Axis(drive_stiffness=k, drive_target=t, **hold) for k, t in zip(stiffness, target, strict=True)]
    model = Model(links=[Link("head", mass, tuple(com.tolist()), SMALL)])
    model.joints.append(Joint("neck", "ball", WORLD, "head", axes=axes, closes_loop=in_loop))
    if in_loop:
        model.joints.append(Joint("float", "free", WORLD, "head"))
    turned = Rotation.from_rotvec(target)

    def energy(R):
        e = (turned.inv() * R).as_rotvec()
        return 0.5 * stiffness @ e**2 + mass * G * R.apply(com)[2]

    def torque(rotvec):
        R, h = Rotation.from_rotvec(rotvec), 1e-5
        nudges = [Rotation.from_rotvec(h * unit) for unit in np.eye(3)]
        return [(energy(R * nudge) - energy(R * nudge.inv())) / (2.0 * h) for nudge in nudges]

    expected = Rotation.from_rotvec(fsolve(torque, target, xtol=1e-12))
    assert (turned.inv() * expected).magnitude() > 0.05  # the weight is felt
    run = Simulation(model, np.linspace(0.0, 6.0, 25), "exact")
    w, *v = run.run().X_WL[-1, 0, 3:]
    assert (expected.inv() * Rotation.from_quat([*v, w])).magnitude() < 1e-6
    assert run.report.relative_drift < 1e-5
