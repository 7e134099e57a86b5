# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions made from coordinates, against closed forms, and against simulations of the same coordinates."""

import math

import numpy as np
import pytest

import limberjack as lj
from support.mechanisms import four_bar
from support.models import random_state, random_tree

TIMES = np.linspace(0.0, 1.0, 101)


def pendulum():
    """A point mass of 2 kg at 0.5 m below a hinge about y."""
    model = lj.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    hinge = lj.Joint("hinge", "revolute", "world", "bob", axes=[lj.Axis((0.0, 1.0, 0.0))])
    lj.add_link(model, lj.Link("bob", mass=2.0, com=(0.0, 0.0, -0.5), inertia=(0.0,) * 6), hinge)
    return model


def test_a_pendulum_has_the_energies_of_its_angle():
    """Guards poses and energies by closed forms: m v^2 / 2 and -m g l cos q."""
    q, qd = 0.7 * np.sin(3.0 * TIMES), 2.1 * np.cos(3.0 * TIMES)
    motion = lj.Trajectory.of(pendulum(), TIMES, q[:, None], qd[:, None])
    assert motion.kinetic == pytest.approx(0.5 * 2.0 * (0.5 * qd) ** 2)
    assert motion.potential == pytest.approx(-2.0 * 9.81 * 0.5 * np.cos(q))
    assert np.isnan(motion.dissipated).all()
    assert np.isnan(motion.supplied).all()
    assert motion.link("bob")[:, 3] == pytest.approx(np.cos(q / 2))
    assert motion.joint("hinge")[:, 0] == pytest.approx(q, abs=0.0)
    by_differences = lj.Trajectory.of(pendulum(), TIMES, {"hinge": q})
    assert by_differences.joint_velocity("hinge")[1:-1, 0] == pytest.approx(qd[1:-1], abs=5e-3)


def test_coordinates_of_a_simulation_give_that_simulation(tmp_path):
    """Guards layout, names, energies and files, with a floating base, balls and slides: the same as was recorded."""
    model = random_tree(4, 12)
    compiled = lj.compile_model(model)
    q, qd = random_state(compiled, 4)
    run = lj.simulate(compiled, 0.2, q, qd)
    motion = lj.Trajectory.of(compiled, run.times, run.q, run.qd)
    for name in ("times", "q", "qd", "link_names", "q_names", "qd_names"):
        assert np.array_equal(getattr(motion, name), getattr(run, name)), name
    assert motion.X_WL == pytest.approx(run.X_WL, abs=1e-12)
    assert motion.kinetic == pytest.approx(run.kinetic, rel=1e-9)
    assert motion.potential == pytest.approx(run.potential, rel=1e-9)
    assert {name: tuple(map(tuple, columns)) for name, columns in run.joints.items()} == dict(motion.joints)
    assert motion.state(-1) == run.state(-1)
    motion.save(tmp_path / "plan.npz")
    assert np.array_equal(lj.read_trajectory(tmp_path / "plan.npz").q, motion.q)


def test_angular_velocities_come_from_quaternions():
    """Guards differences in time of a free joint: constant velocities in moving axes are found to rounding."""
    model = lj.Model("loose", [lj.Link("stone", pose=(1.0, 2.0, 3.0, 0.5, 0.5, -0.5, 0.5))])
    still = lj.compile_model(model).q_home
    velocity = [0.0, 0.0, 0.3, 0.0, 0.0, 1.5]  # a screw, so that a chord is along the arc
    q = np.array([2.0 * lj.integrate(model, still, velocity, t) for t in TIMES])
    q[:, :3] *= 0.5  # quaternions of length 2 are normalised
    motion = lj.Trajectory.of(model, TIMES, q)
    assert motion.qd == pytest.approx(np.tile(velocity, (len(TIMES), 1)), abs=1e-12)


def test_loops_must_be_closed_in_each_frame():
    """Guards mechanisms: closed states pass, and the frame that is open is named."""
    compiled = lj.compile_model(four_bar())
    lead = next(iter(compiled.spans))
    states = [lj.closed_state(compiled, {lead: angle}) for angle in (0.1, 0.2, 0.3)]
    motion = lj.Trajectory.of(compiled, [0.0, 0.5, 1.0], [q for q, _ in states])
    X_WL, _ = lj.forward_kinematics(compiled, states[1][0])
    assert np.array_equal(motion.X_WL[1], X_WL)
    q = [q for q, _ in states]
    q[1] = q[1] + 0.1
    with pytest.raises(lj.StateError, match=r"frame 1, at 0\.5 s: loop joint .*closed_state"):
        lj.Trajectory.of(compiled, [0.0, 0.5, 1.0], q)


@pytest.mark.parametrize(
    ("times", "q", "kind", "message"),
    [
        ([0.0, 0.0], [[0.0], [0.0]], ValueError, "times must be a list of at least one ascending"),
        ("now", [[0.0]], ValueError, "times must be a list"),
        ([0.0, 1.0], [0.0, 1.0], lj.StateError, r"q takes a row for each time, shape \(2, 1\), found shape \(2,\)"),
        ([0.0, 1.0], {"hip": [0.0, 1.0]}, lj.StateError, "no joint 'hip' moves; there are: hinge"),
        ([0.0, 1.0], {"hinge": [0.0]}, lj.StateError, r"joint 'hinge' takes a row for each time, shape \(2,\)"),
        ([0.0, 1.0], [[0.0], [math.nan]], lj.StateError, "q takes finite numbers, found others in frame 1"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(times, q, kind, message):
    """Guards the messages: what was found, and what is needed."""
    with pytest.raises(kind, match=message):
        lj.Trajectory.of(pendulum(), times, q)
