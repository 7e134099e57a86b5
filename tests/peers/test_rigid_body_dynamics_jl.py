# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of RigidBodyDynamics.jl (test/test_double_pendulum.jl and its four-bar linkage).

Both mechanisms turn about the y axis and hang down: the double pendulum about +y, the four-bar about -y. Moments of
inertia there are about the joint, and here about the centre of mass.
"""

from math import cos, sin

import numpy as np
import pytest

import limberjack as lj
from support.peers import Y_AXIS, add_body, at, axis, differs, moments

C1, L1, C2 = -0.5, -1.0, -1.0
"""Heights of the first centre of mass, the second joint, and the second centre of mass below its joint [m]."""
I1, I2 = 0.333, 1.33
Q1, Q2, V1, V2 = 0.7, -1.3, 0.4, 2.1
G = 9.81


@pytest.fixture(scope="module")
def double_pendulum():
    model, hinge = lj.Model("double"), [axis(Y_AXIS)]
    add_body(model, "upper", "revolute", axes=hinge, mass=1, com=(0, 0, C1), inertia=moments(0, I1 - 0.25, 0))
    add_body(
        model,
        "lower",
        "revolute",
        "upper",
        at=at(0, 0, L1),
        axes=[axis(Y_AXIS)],
        mass=1,
        com=(0, 0, C2),
        inertia=moments(0, I2 - 1, 0),
    )
    return model


def mass_matrix():
    c = cos(Q2)
    return np.array([[I1 + I2 + 1 + 2 * L1 * C2 * c, I2 + L1 * C2 * c], [I2 + L1 * C2 * c, I2]])


def test_double_pendulum_mass_matrix(double_pendulum):
    """Guards the mass matrix against the closed form in the peer's test."""
    assert differs(lj.mass_matrix(double_pendulum, [Q1, Q2]), mass_matrix()) < 1e-12


def test_double_pendulum_inverse_dynamics(double_pendulum):
    """Guards inverse dynamics against M vd + C v + g of the peer's test."""
    s = sin(Q2)
    C = np.array([[-2 * L1 * C2 * s * V2, -L1 * C2 * s * V2], [L1 * C2 * s * V1, 0]])
    gravity = np.array(
        [-G * C1 * sin(Q1) - G * (L1 * sin(Q1) + C2 * sin(Q1 + Q2)), -G * C2 * sin(Q1 + Q2)],
    )
    vd = np.array([0.3, -0.8])
    expected = mass_matrix() @ vd + C @ [V1, V2] + gravity
    found = lj.inverse_dynamics(double_pendulum, np.array([Q1, Q2]), np.array([V1, V2]), vd)
    assert differs(found, expected) < 1e-12


@pytest.fixture(scope="module")
def four_bar_motion():
    """The four-bar linkage, released at the peer's coordinates, with 0.5 rad/s at the first joint."""
    model, down = lj.Model("four-bar", gravity=(0, 0, -9.81)), (0, -1, 0)
    bars = (
        ("k1", "world", 0.0, 0.5, 0.25, 0.333),
        ("k2", "k1", 0.5, 1.0, 0.6, 0.537),
        ("k3", "world", 1.1, 0.75, 0.375, 0.4),
    )
    for number, (name, parent, x, mass, com, inertia) in enumerate(bars, 1):
        link = lj.Link(name, mass=mass, com=(com, 0, 0), inertia=moments(0, inertia, 0))
        lj.add_link(model, link, lj.Joint(f"j{number}", "revolute", parent, name, X_PJ=at(x), axes=[axis(down)]))
    model.joints.append(
        lj.Joint("j4", "revolute", "k2", "k3", X_PJ=at(1.2), X_CJ=at(0.75), axes=[axis(down)], closes_loop=True)
    )
    start = {
        "q": {"j1": 1.6707963267948966, "j2": -1.4591054166649482, "j3": 1.5397303602625536},
        "qd": {"j1": 0.5},
    }
    run = lj.Simulation(model, np.arange(101) / 100, accuracy="exact", initial=start)
    return run.run()


def test_four_bar_keeps_its_energy(four_bar_motion):
    """Guards a closed loop that swings for a second."""
    energy = four_bar_motion.kinetic + four_bar_motion.potential
    assert np.abs(energy - energy[0]).max() < 1e-8


def test_four_bar_stays_closed(four_bar_motion):
    """Guards the gap in the joint that closes the loop."""
    assert four_bar_motion.loop_error.max() < 1e-8


def test_four_bar_starts_as_the_peer_does(four_bar_motion):
    """Guards the last angle, and the two velocities that follow from the first: the peer's have an error of 1e-3."""
    motion = four_bar_motion
    found = [motion.joint("j3")[0, 0], motion.joint_velocity("j2")[0, 0], motion.joint_velocity("j3")[0, 0]]
    assert differs(found, [1.53973, -0.47295, 0.341]) < 2e-3
