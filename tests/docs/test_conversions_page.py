# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of conversions: each function against scipy's rotations, or poses a small step apart."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limberjack as lj

PAGE = Path(__file__).parents[2] / "docs" / "conversions.md"
STEP = 1e-5
COM = np.array([0.1, -0.2, 0.3])
DRAWN = (0.4, -0.5, 0.6, 0.5, -0.5, 0.5, 0.5)


@pytest.fixture(scope="module")
def page():
    """The names that the page's snippets define, one snippet after the other."""
    snippets = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    shared = {}
    for snippet in snippets:
        exec(compile(snippet, PAGE.name, "exec"), shared)
    return shared


def test_each_function_has_a_test():
    """Guards the promise of the page: a conversion that is added needs a test that calls it by name."""
    own = Path(__file__).read_text(encoding="utf-8")
    defined = re.findall(r"^def (\w+)", PAGE.read_text(encoding="utf-8"), re.M)
    assert len(defined) > 20
    assert [name for name in defined if f'"{name}"' not in own] == []


def place(t):
    """The position and orientation of a tumbling body at time t, in the world."""
    return np.array([math.sin(t), t * t - 1.0, 0.5 * t]), Rotation.from_rotvec([0.3 + t, 0.7 - 0.4 * t * t, 1.0 + t])


def rates(of, t=0.4):
    """The derivative of an array by time."""
    return (of(t + STEP) - of(t - STEP)) / (2.0 * STEP)


def spin(axes, t=0.4):
    """The angular velocity, from rotations a small step apart, in the body's axes or in the world's."""
    before, after = place(t - STEP)[1], place(t + STEP)[1]
    turn = before.inv() * after if axes == "body" else after * before.inv()
    return turn.as_rotvec() / (2.0 * STEP)


def pose(t=0.4):
    p, R = place(t)
    return np.array([*p, *np.roll(R.as_quat(), 1)])


@pytest.fixture(scope="module")
def body():
    return lj.Model("body", [lj.Link("body", pose=DRAWN, mass=1.0, com=tuple(COM))])


def theirs(program):
    """The coordinates and velocities that a program gives the tumbling body, by its own definitions."""
    p, R = place(0.4)
    xyzw = R.as_quat()
    velocity = rates(lambda t: place(t)[0])
    of_com = rates(lambda t: place(t)[0] + place(t)[1].apply(COM))
    return {
        "pinocchio": ([*p, *xyzw], [*R.inv().apply(velocity), *spin("body")]),
        "drake": ([xyzw[3], *xyzw[:3], *p], [*spin("world"), *velocity]),
        "mujoco": ([*p, xyzw[3], *xyzw[:3]], [*velocity, *spin("body")]),
        "newton": ([*p, *xyzw], [*of_com, *spin("world")]),
        "rbdl": ([*p, *xyzw], [*velocity, *spin("body")]),
    }[program]


@pytest.mark.parametrize("name", ["from_pinocchio", "from_drake", "from_mujoco", "from_newton", "from_rbdl"])
def test_a_free_joint_goes_on_as_it_did_in_the_other_program(page, body, name):
    """Guards order, axes and point of velocities: the pose is the other program's, now and a moment later."""
    q, qd = (np.array(part) for part in theirs(name.removeprefix("from_")))
    found, rate = page[name](DRAWN, q, qd, *([COM] if name == "from_newton" else []))
    assert same_pose(lj.transform(body, found, "body"), pose()) < 1e-12
    later = [lj.transform(body, lj.integrate(body, found, rate, sign * STEP), "body") for sign in (1, -1)]
    for sign, X in zip((1, -1), later, strict=True):
        assert same_pose(X, pose(0.4 + sign * STEP)) < 10.0 * STEP**2


def same_pose(X, Y):
    """The largest difference between two poses; q and -q are one rotation."""
    turn = Rotation.from_quat(np.roll(X[3:], -1)).inv() * Rotation.from_quat(np.roll(Y[3:], -1))
    return max(np.abs(np.subtract(X[:3], Y[:3])).max(), turn.magnitude())


@pytest.mark.parametrize("name", ["to_pinocchio", "to_drake", "to_mujoco", "to_newton"])
def test_poses_and_twists_become_the_other_programs_state(page, body, name):
    """Guards the ways back, from forward kinematics, by the definitions of each program."""
    q, qd = page["to_free"](DRAWN, pose(), rates(lambda t: place(t)[0]), spin("world"))
    (X_WL,), (V_WL,) = lj.forward_kinematics(body, q, qd)
    found, rate = page[name](X_WL, V_WL, *([COM] if name == "to_newton" else []))
    expected, expected_rate = theirs(name.removeprefix("to_"))
    at = slice(0, 4) if name == "to_drake" else slice(3, 7)
    if np.dot(found[at], expected[at]) < 0.0:
        found[at] *= -1.0
    assert found == pytest.approx(expected, abs=1e-12)
    assert rate == pytest.approx(expected_rate, abs=1e-8)


def test_matlab_has_the_quaternion_first(page, body):
    """Guards `from_matlab`, by the numbers of MATLAB's page on floating joints: pi/3 about y, then pi/3 about z."""
    q = page["from_matlab"](DRAWN, [0.75, 0.4330127018922193, 0.4330127018922193, -0.25, -1.1, 0.2, 0.3])
    R = Rotation.from_quat([0.4330127018922193, 0.4330127018922193, -0.25, 0.75])
    assert same_pose(lj.transform(body, q, "body"), (-1.1, 0.2, 0.3, *np.roll(R.as_quat(), 1))) < 1e-12


def test_quaternions(page):
    """Guards the places of w, and axes and angles."""
    R = Rotation.from_rotvec([0.3, -0.2, 0.9])
    w, x, y, z = page["w_first"](R.as_quat())
    assert (x, y, z, w) == tuple(R.as_quat())
    assert page["w_last"]([w, x, y, z]) == pytest.approx(R.as_quat(), abs=0.0)
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    found = page["from_axis_angle"](*axis, 1.2)
    assert np.roll(found, -1) == pytest.approx(Rotation.from_rotvec(1.2 * axis).as_quat(), abs=1e-15)
    expected = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
    assert page["matrix"][:3, :3] == pytest.approx(expected, abs=1e-15)


def test_pinocchios_other_joints(page):
    """Guards angles, and a planar joint's velocities, by a step in the parent's axes."""
    assert page["from_cosine_sine"](math.cos(2.5), math.sin(2.5)) == pytest.approx(2.5)
    velocity = np.array([0.3, -0.4, 0.5])  # in the child's axes
    q, qd = page["from_pinocchio_planar"]([1.0, 2.0, math.cos(2.5), math.sin(2.5)], velocity)
    assert q == pytest.approx([1.0, 2.0, 2.5])
    along = Rotation.from_euler("z", 2.5).apply([0.3, -0.4, 0.0])
    assert qd == pytest.approx([*along[:2], 0.5])
    model = lj.Model("slab", [lj.Link("slab")], [lj.Joint("j", "planar", "world", "slab")])
    _, ((*linear, wx, wy, wz),) = lj.forward_kinematics(model, q, qd)
    assert (*linear, wx, wy, wz) == pytest.approx((*along, 0.0, 0.0, 0.5), abs=1e-15)
    screw = lj.Joint("j", "screw", "world", "nut", pitch=page["pitch_per_turn"](0.05))
    nut = lj.Model("nut", [lj.Link("nut")], [screw])
    assert lj.transform(nut, {"j": 1.0}, "nut")[:3] == pytest.approx((0.0, 0.0, 0.05))


def test_twists_and_wrenches(page):
    """Guards order, axes and points: velocities of points by steps, and power, which no choice of point changes."""
    X, V = pose(), np.concatenate([rates(lambda t: place(t)[0]), spin("world")])
    R = place(0.4)[1]
    assert page["swap"](V) == pytest.approx([*V[3:], *V[:3]])
    assert page["twist_in_body_axes"](X, V) == pytest.approx([*R.inv().apply(V[:3]), *spin("body")], abs=1e-8)
    at_com = page["twist_at"](V, R.apply(COM))
    assert at_com[:3] == pytest.approx(rates(lambda t: place(t)[0] + place(t)[1].apply(COM)), abs=1e-8)
    fixed = R.inv().apply(-X[:3])  # the point of the body that passes the world's origin
    passing = rates(lambda t: place(t)[0] + place(t)[1].apply(fixed))
    assert page["twist_at_world_origin"](X, V) == pytest.approx([*passing, *spin("world")], abs=1e-8)
    W, arm = np.array([1.0, -2.0, 0.5, 0.3, 0.7, -0.1]), np.array([0.2, 0.5, -0.4])
    assert page["wrench_at"](W, arm) @ page["twist_at"](V, arm) == pytest.approx(W @ V)


def test_the_row_of_matlab_ignores_theta(page):
    """Guards set_dh without theta: at q, the link is where the matrices of the row with theta = q put it."""
    a, alpha, d, theta = (page[name] for name in ("a", "alpha", "d", "theta"))
    ca, sa, ct, st = math.cos(alpha), math.sin(alpha), math.cos(theta), math.sin(theta)
    row = [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, d], [0, 0, 0, 1]]
    found = lj.pose_to_matrix(lj.transform(page["arm"], {"shoulder": theta}, "upper"))
    assert found == pytest.approx(np.array(row), abs=1e-12)


def test_units(page):
    """Guards gains per degree: the torque at one degree is the same."""
    assert page["gain_per_radian"](400.0) * math.radians(1.0) == pytest.approx(400.0)


def test_unity_is_a_reflection(page):
    """Guards axes, rotations and limits: a point turns to the reflection of where it turns here."""
    M = np.array([page["to_unity"](axis) for axis in np.eye(3)]).T
    assert np.linalg.det(M) == pytest.approx(-1.0)
    R = place(0.4)[1]
    reflected = Rotation.from_quat(page["to_unity_quaternion"](np.roll(R.as_quat(), 1))).as_matrix()
    assert reflected == pytest.approx(M @ R.as_matrix() @ M.T, abs=1e-15)
    axis, point = np.array([0.6, 0.0, 0.8]), np.array([0.3, -0.4, 0.5])
    lower, upper = page["to_unity_limits"](-0.2, 1.1)
    for ours, there in ((-0.2, upper), (1.1, lower)):
        turned = Rotation.from_rotvec(math.radians(there) * page["to_unity"](axis)).apply(page["to_unity"](point))
        assert turned == pytest.approx(page["to_unity"](Rotation.from_rotvec(ours * axis).apply(point)), abs=1e-15)


def test_defaults_that_the_page_states():
    """Guards what the page says of Limberjack: names, limits, the pitch's unit, gravity."""
    joint = lj.Joint("j", "revolute", "world", "a")
    assert lj.WORLD == "world"
    assert joint.range_of(0) == (-math.inf, math.inf)
    assert lj.Model().gravity[2] < 0.0
