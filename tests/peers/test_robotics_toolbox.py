# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of Peter Corke's Robotics Toolbox (MATLAB unit tests): Puma 560, PRPR, Panda.

Its friction is viscous and Coulomb friction of motors, seen through gears: G (B G qd + Tc sign(qd)). Here both belong
to joints, so the cases add it by hand. Its end effector's forces are those that the robot exerts on its surroundings.
"""

from math import pi, sqrt

import numpy as np
import pytest

import limberjack as lj
from support.peers import axis, differs, moments, rotation, rpy

DH = [
    (0, pi / 2, 26.45 * 0.0254),
    (0.4318, 0, 0),
    (0.0203, -pi / 2, 0.15005),
    (0, pi / 2, 0.4318),
    (0, -pi / 2, 0),
    (0, 0, 0),
]
"""Standard Denavit-Hartenberg parameters of the Puma 560: a [m], alpha, d [m]."""
MASSES = [0, 17.4, 4.8, 0.82, 0.34, 0.09]
CENTRES = [
    (0, 0, 0),
    (-0.3638, 0.006, 0.2275),
    (-0.0203, -0.0141, 0.070),
    (0, 0.019, 0),
    (0, 0, 0),
    (0, 0, 0.032),
]
MOMENTS = [
    (0, 0.35, 0),
    (0.13, 0.524, 0.539),
    (0.066, 0.086, 0.0125),
    (1.8e-3, 1.3e-3, 1.8e-3),
    (0.3e-3, 0.4e-3, 0.3e-3),
    (0.15e-3, 0.15e-3, 0.04e-3),
]
ROTORS = [200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6]
GEARS = np.array([-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686])
VISCOUS = np.array([1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6])
COULOMB = np.array([0.395, 0.126, 0.132, 11.2e-3, 9.26e-3, 3.96e-3])

NOMINAL = np.array([0, pi / 4, pi, 0, pi / 4, 0])
REST, ONES = np.zeros(6), np.ones(6)
SPEEDS = np.array([1, 2, 3, 1, 2, 3.0])


def friction(qd):
    """What its motors lose, where they turn forward."""
    return np.where(qd > 0, np.abs(GEARS) * (VISCOUS * np.abs(GEARS) * qd + COULOMB), 0.0)


@pytest.fixture(scope="module")
def puma():
    model, parent = lj.Model("puma"), "world"
    for i, (a, alpha, d) in enumerate(DH):
        link = lj.Link(f"b{i + 1}", mass=MASSES[i], com=CENTRES[i], inertia=moments(*MOMENTS[i]))
        turn = axis(armature=ROTORS[i] * GEARS[i] ** 2)
        lj.add_link(model, link, lj.Joint(f"j{i + 1}", "revolute", parent, link.name, axes=[turn]))
        lj.set_dh(model, f"j{i + 1}", a, alpha, d)
        parent = link.name
    return lj.compile_model(model)


@pytest.mark.parametrize(
    ("qd", "qdd", "tau"),
    [
        (REST, REST, [0, 31.6399, 6.0351, 0, 0.0283, 0]),
        (REST, ONES, [3.35311, 36.0025, 7.42596, 0.190043, 0.203441, 0.194133]),
        (ONES, ONES, [32.4952, 60.867, 17.7436, 1.45452, 1.29911, 0.713781]),
        (ONES, REST, [29.1421, 56.5044, 16.3528, 1.26448, 1.12392, 0.519648]),
    ],
    ids=["still", "accelerated", "moving and accelerated", "moving"],
)
def test_rne(puma, qd, qdd, tau):
    """Guards inverse dynamics with rotors behind gears."""
    assert differs(lj.inverse_dynamics(puma, NOMINAL, qd, qdd) + friction(qd), tau) < 1e-4


def test_rne_with_a_force_on_the_end_effector(puma):
    """Guards external wrenches: given in the end effector's axes there, in the world's and with the other sign here."""
    turn = rotation(lj.transform(puma, NOMINAL, "b6")[3:])
    wrench = np.concatenate([-(turn @ [1, 2, 3.0]), -(turn @ [1, 2, 3.0])])
    tau = lj.inverse_dynamics(puma, NOMINAL, REST, REST, wrenches={"b6": tuple(wrench)})
    assert differs(tau, [0.642756, 29.0866, 4.70321, 2.82843, -1.97175, 3]) < 1e-4


def test_inertia(puma):
    """Guards the joint-space inertia."""
    expected = [
        [3.6594, -0.4044, 0.1006, -0.0025, 0, 0],
        [-0.4044, 4.4137, 0.3509, 0, 0.0024, 0],
        [0.1006, 0.3509, 0.9378, 0, 0.0015, 0],
        [-0.0025, 0, 0, 0.1925, 0, 0],
        [0, 0.0024, 0.0015, 0, 0.1713, 0],
        [0, 0, 0, 0, 0, 0.1941],
    ]
    assert differs(lj.mass_matrix(puma, NOMINAL), expected) < 1e-4


def test_coriolis(puma):
    """Guards Coriolis and centrifugal forces: the product with the velocities, since the matrix is not unique."""
    matrix = np.array(
        [
            [-0.1735, -2.0494, -0.1178, -0.0002, -0.0045, 0.0001],
            [0.6274, 1.1572, 1.9287, -0.0015, -0.0003, 0],
            [-0.3608, -0.7734, -0.0018, -0.0009, -0.0064, 0],
            [0.0011, 0.0005, -0.0001, 0.0002, 0.0002, -0.0001],
            [-0.0002, 0.0028, 0.0046, -0.0002, 0, 0],
            [0.0001, 0, 0, 0, 0, 0],
        ]
    )
    assert differs(lj.velocity_forces(puma, NOMINAL, SPEEDS), matrix @ SPEEDS) < 5e-4


def test_itorque(puma):
    """Guards the torques of inertia alone."""
    expected = [3.15, 9.4805, 3.6189, 0.1901, 0.3519, 0.5823]
    assert differs(lj.mass_matrix(puma, NOMINAL) @ SPEEDS, expected) < 1e-4


def test_accel(puma):
    """Guards forward dynamics of a moving robot with torques; friction takes its part of the torques."""
    qd, tau = np.array([0.1, 0.2, 0.8, 0.2, 0.5, 1.0]), np.array([1, 3.2, 1.8, 0.1, 0.7, 4.6])
    expected = [-7.4102, -9.8432, -10.9694, -4.4314, -0.9881, 21.0228]
    assert differs(lj.forward_dynamics(puma, NOMINAL, qd, tau - friction(qd)), expected) < 1e-4


def test_inertia_x(puma):
    """Guards the inertia that the end effector has, by the Jacobian in world axes."""
    expected = [
        [17.2954, -2.7542, -9.6233, 0, 0.2795, 0],
        [-2.7542, 12.1909, 1.2459, -0.3254, -0.0703, -0.9652],
        [-9.6233, 1.2459, 13.3348, 0, 0.2767, 0],
        [0, -0.3254, 0, 0.1941, 0, 0.1941],
        [0.2795, -0.0703, 0.2767, 0, 0.1713, 0],
        [0, -0.9652, 0, 0.1941, 0, 0.5791],
    ]
    inverse = np.linalg.inv(lj.jacobian(puma, NOMINAL, "b6"))
    assert differs(inverse.T @ lj.mass_matrix(puma, NOMINAL) @ inverse, expected) < 1e-3


def test_yoshikawa(puma):
    """Guards manipulability, the root of det(J J^T)."""
    J = lj.jacobian(puma, NOMINAL, "b6")
    assert abs(sqrt(np.linalg.det(J @ J.T)) - 0.0786) < 1e-4


@pytest.fixture(scope="module")
def prpr():
    """Slides and hinges in turn, with angles of 4 and 2 rad at the slides."""
    model, parent = lj.Model("prpr"), "world"
    for i, (kind, a, theta) in enumerate(
        (("prismatic", 0, 4), ("revolute", 2, 0), ("prismatic", 0, 2), ("revolute", 0, 0))
    ):
        lj.add_link(model, lj.Link(f"b{i}"), lj.Joint(f"j{i}", kind, parent, f"b{i}"))
        lj.set_dh(model, f"j{i}", a, 0, 0, theta)
        parent = f"b{i}"
    return model


PRPR_Q = {"j0": 1, "j1": 2, "j2": 3, "j3": 4}


def test_jacob0_prpr(prpr):
    """Guards the Jacobian in world axes of slides and hinges in turn."""
    expected = [[0, 0.5588, 0, 0], [0, 1.9203, 0, 0], [1, 0, 1, 0], [0] * 4, [0] * 4, [0, 1, 0, 1]]
    assert differs(lj.jacobian(prpr, PRPR_Q, "b3"), expected) < 1e-4


def test_jacobe_prpr(prpr):
    """Guards the same in the end effector's axes."""
    turn = rotation(lj.transform(prpr, PRPR_Q, "b3")[3:])
    expected = [[0, -0.5588, 0, 0], [0, 1.9203, 0, 0], [1, 0, 1, 0]]
    assert differs(turn.T @ lj.jacobian(prpr, PRPR_Q, "b3")[:3], expected) < 1e-4


PANDA_DH = [
    (0, 0, 0.333),
    (0, -pi / 2, 0),
    (0, pi / 2, 0.316),
    (0.0825, pi / 2, 0),
    (-0.0825, -pi / 2, 0.384),
    (0, pi / 2, 0),
    (0.088, pi / 2, 0.107),
]
PANDA_Q = {f"j{i}": i + 1.0 for i in range(7)}
FLANGE_TO_HAND = 0.103
"""The distance of the hand with which the toolbox's numbers come out [m]; the robot's maker gives 0.1034."""


@pytest.fixture(scope="module")
def panda():
    model, parent = lj.Model("panda"), "world"
    for i, (a, alpha, d) in enumerate(PANDA_DH):
        lj.add_link(model, lj.Link(f"b{i}"), lj.Joint(f"j{i}", "revolute", parent, f"b{i}"))
        lj.set_dh(model, f"j{i}", a, alpha, d, 0, modified=True)
        parent = f"b{i}"
    model.frames.append(lj.Frame("hand", "b6", (0, 0, FLANGE_TO_HAND, *rpy(0, 0, -pi / 4))))
    return model


def test_fkine_panda(panda):
    """Guards forward kinematics by modified Denavit-Hartenberg parameters."""
    pose = lj.transform(panda, PANDA_Q, "hand")
    expected = [
        [-0.8583, 0.1178, 0.4994, 0.1372],
        [0.1980, 0.9739, 0.1106, 0.3246],
        [-0.4734, 0.1938, -0.8593, 0.4436],
    ]
    assert differs(np.c_[rotation(pose[3:]), pose[:3]], expected) < 1e-4


def test_jacobe_panda(panda):
    """Guards the Jacobian of a frame on the last link, in the frame's axes."""
    expected = [
        [0.3058, 0.1315, -0.2364, -0.0323, 0.0018, 0.2095, 0],
        [0.0954, 0.0303, -0.0721, 0.1494, -0.0258, 0.0144, 0],
        [-0.1469, 0.3385, 0.0506, 0.0847, 0, -0.0880, 0],
        [-0.4734, 0.8292, -0.0732, 0.8991, -0.2788, -0.0685, 0],
        [0.1938, 0.4271, 0.7224, 0.3461, -0.0191, 0.9976, 0],
        [-0.8593, -0.3605, 0.6876, -0.2679, -0.9602, 0, 1],
    ]
    turn = rotation(lj.transform(panda, PANDA_Q, "hand")[3:])
    J = lj.jacobian(panda, PANDA_Q, "hand")
    assert differs(np.r_[turn.T @ J[:3], turn.T @ J[3:]], expected) < 1e-4
