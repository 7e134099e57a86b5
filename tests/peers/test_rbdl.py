# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of RBDL's test suite (tests/DynamicsTests.cc, KinematicsTests.cc and others), which must come out here, too.

RBDL's gravity is (0, -9.81, 0), and its default inertia is one about the centre of mass, as here. Its joints carry a
frame of their own, which is the child link's frame here. Angular velocity comes first there, and last here.
"""

from math import cos, pi, sin

import numpy as np
import pytest

import limberjack as lj
from support.peers import UNIT, X_AXIS, Y_AXIS, at, axis, differs, moments, point_at, slide

X, Y, Z = axis(X_AXIS), axis(Y_AXIS), axis()


def chain(*bodies):
    """Bodies as (link, parent, joint type, axes, pose in the parent, centre of mass), of 1 kg and unit inertia."""
    model = lj.Model("rbdl", gravity=(0.0, -9.81, 0.0))
    for name, parent, kind, axes, pose, com in bodies:
        fields = {"axes": [each.copy() for each in axes]} if axes else {}
        link = lj.Link(name, mass=1.0, com=com, inertia=UNIT)
        lj.add_link(model, link, lj.Joint(f"to {name}", kind, parent, name, X_PJ=pose, **fields))
    return model


LOWER = ("b", "a", "revolute", [Z], at(1), (1, 0, 0))
UPPER = ("a", "world", "revolute", [Z], at(), (1, 0, 0))
FLOATING = [slide(X_AXIS), slide(Y_AXIS), slide((0, 0, 1)), Z, Y, X]
"""RBDL's floating base: three slides, then turns about z, y and x."""

TREE = chain(
    UPPER,
    ("b1", "a", "revolute", [Y], at(1), (0, 1, 0)),
    ("c1", "b1", "revolute", [X], at(0, 1), (0, 0, 1)),
    ("b2", "a", "revolute", [Y], at(-0.5), (0, 1, 0)),
    ("c2", "b2", "revolute", [X], at(0, -0.5), (0, 0, 1)),
)
TREE_QDD = [-1.60319066147860, -0.534396887159533, 4.10340466926070, 0.267198443579767, 5.30579766536965]
TRIPLE_QDD = [-6.03692307692308, 3.77307692307692, 1.50923076923077]


@pytest.mark.parametrize(
    ("model", "q", "qdd"),
    [
        pytest.param(chain(UPPER), None, [-4.905], id="SingleChain"),
        pytest.param(chain(UPPER, LOWER), None, [-5.886, 3.924], id="DoubleChain"),
        pytest.param(
            chain(UPPER, LOWER, ("c", "b", "revolute", [Z], at(1), (1, 0, 0))), None, TRIPLE_QDD, id="TripleChain"
        ),
        pytest.param(
            chain(UPPER, ("b", "a", "revolute", [Y], at(1), (0, 1, 0))), None, [-3.924, 0], id="DoubleChain3D"
        ),
        pytest.param(TREE, None, TREE_QDD, id="SimpleTree3D"),
        pytest.param(
            chain(("a", "world", "euler_zyx", None, at(), (0, 0.5, 0))),
            {"to a": [1, 0, 0]},
            [3.301932144386186, 0, 0],
            id="3DoFModel",
        ),
        pytest.param(
            chain(("a", "world", "custom", FLOATING, at(), (1, 0, 0)), ("b", "a", "revolute", [Z], at(2), (1, 0, 0))),
            {"to a": [0, 0, 0, 0.8, 0, 0]},
            [0, -9.81, 0, 0, 0, 0, 0],
            id="FloatingBaseDoubleImplicit",
        ),
    ],
)
def test_forward_dynamics(model, q, qdd):
    """Guards accelerations of chains and trees under gravity alone."""
    assert differs(lj.forward_dynamics(model, q), qdd) < 1e-9


def test_spatial_inertia_single_chain():
    """Guards a centre of mass off the axis, and unequal moments of inertia."""
    model = chain(("a", "world", "revolute", [Z], at(), (1.5, 1, 1)))
    model.links[0].inertia = moments(1, 2, 3)
    assert differs(lj.forward_dynamics(model), [-2.3544]) < 1e-9


def test_floating_base_double_implicit_with_a_torque():
    """Guards a torque on an inner joint of what floats: it accelerates the base, too."""
    base = ("a", "world", "custom", FLOATING, at(), (1, 0, 0))
    model = chain(base, ("b", "a", "revolute", [Z], at(2), (1, 0, 0)))
    assert differs(lj.forward_dynamics(model, tau=[0, 0, 0, 0, 0, 0, 1]), [0, -8.81, 0, -1, 0, 0, 2]) < 1e-9


FLOATER = chain(("a", "world", "custom", FLOATING, at(), (0, 1, 0)))
STATE = np.array([0.1, 1.1, 1.2, 1.3, 1.5, 1.7])
"""RBDL's fixture: coordinates and their rates are the same six numbers."""
POINT = (-1.9, -1.8, 0.0)


def rate(q, point):
    return lj.jacobian(FLOATER, {"to a": list(q)}, "a", point)[:3]


@pytest.mark.parametrize(
    ("point", "velocity"),
    [
        pytest.param(
            (1, 0, 0), [-3.888503432977729e-01, -3.171179347202455e-01, 1.093894197498446], id="PointVelocityCustom"
        ),
        pytest.param(POINT, [3.091226260907569e-01, 3.891012095550828, 4.100277995030419], id="PointAcceleration"),
    ],
)
def test_velocity_of_a_point(point, velocity):
    """Guards the Jacobian of a point of what turns about three axes and slides along three."""
    assert differs(rate(STATE, point) @ STATE, velocity) < 1e-9


def test_position_of_a_point():
    """Guards the order of the three slides and three turns."""
    found = point_at(lj.transform(FLOATER, {"to a": list(STATE)}, "a"), POINT)
    assert differs(found, [-6.357089363622626e-01, -6.831041744630977e-01, 2.968974805916970]) < 1e-9


def test_acceleration_of_a_point_without_qdd():
    """Guards the Jacobian's rate, as a central difference along the motion."""
    h = 1e-5
    change = (rate(STATE + h * STATE, POINT) - rate(STATE - h * STATE, POINT)) / (2 * h)
    assert differs(change @ STATE, [-5.302760158847160, 6.541369639625232, -4.795115077652286]) < 1e-8


@pytest.fixture(scope="module")
def rolling_log():
    """RBDL's screw joint slides in the parent's axes and turns: here a slide that a hinge mimics, 1 m for 1 rad."""
    model = lj.Model("log", gravity=(0, 0, 0))
    carrier = lj.Link("carrier", mass=1e-12, inertia=moments(1e-12, 1e-12, 1e-12))
    lj.add_link(model, carrier, lj.Joint("slide", "prismatic", "world", "carrier", axes=[axis(X_AXIS)]))
    turn = lj.Joint("turn", "revolute", "carrier", "roller", axes=[axis()], mimic=lj.Mimic("slide", 1.0))
    lj.add_link(model, lj.Link("roller", mass=1, inertia=UNIT), turn)
    return model


def test_screw_joint_position(rolling_log):
    """Guards where a point of the log is after it has rolled by 1 m."""
    pose = lj.transform(rolling_log, {"slide": 1.0, "turn": 1.0}, "roller")
    assert differs(point_at(pose, (1, 0, 3)), [1 + cos(1), sin(1), 3]) < 1e-9


def test_screw_joint_jacobian(rolling_log):
    """Guards the velocity of RBDL's point (1, 0, 3): that of the log's axis, and that of the turn, both at rate 1."""
    J = lj.jacobian(rolling_log, {"slide": 1.0, "turn": 1.0}, "roller", (1, 0, 3), leading=["slide"])
    assert differs(J[:3, 0], [1 - sin(1), cos(1), 0]) < 1e-9


@pytest.mark.parametrize(
    ("dof", "expected"), [(0, (1.1, 0, 0)), (1, (0, 2.2, 0)), (2, (0, 0, 3.3))], ids=["x", "y", "z"]
)
def test_angular_momentum_simple(dof, expected):
    """Guards the angular momentum about the centre of mass, for a turn about each principal axis."""
    model = lj.Model("one", gravity=(0, -9.81, 0))
    link = lj.Link("a", mass=0.5, com=(1, 0, 0), inertia=moments(1.1, 2.2, 3.3))
    lj.add_link(model, link, lj.Joint("j", "custom", "world", "a", axes=[X.copy(), Y.copy(), Z.copy()]))
    qd = [0.0, 0.0, 0.0]
    qd[dof] = 1.0
    assert differs(lj.momentum(model, None, {"j": qd})[3:], expected) < 1e-9


ARM = chain(
    UPPER,
    ("b", "a", "revolute", [Y], at(1), (0, 1, 0)),
    ("c", "b", "revolute", [Z], at(0, 1), (0, 0, 1)),
    ("d", "c", "revolute", [X], at(0, 0, -1), (1, 0, 0)),
)


@pytest.mark.parametrize(
    ("angle", "expected"),
    [
        pytest.param(pi / 2, [0, 1, 0], id="PositionBodyBRotated90Deg"),
        pytest.param(-pi / 4, [1 + 0.707106781186547, 1, -0.707106781186547], id="PositionBodyBRotatedNeg45"),
    ],
)
def test_position_in_a_chain(angle, expected):
    """Guards positions down a chain about three axes."""
    assert differs(lj.transform(ARM, {"to b": angle}, "d")[:3], expected) < 1e-9


def test_inverse_kinematics_simple():
    """Guards that a point is brought to a place within reach."""
    target = lj.Target("d", place=(1.3, 0, 0), point=(1, 0, 0))
    found = lj.inverse_kinematics(ARM, [target], q={"to a": 0.2, "to b": 0.1, "to c": 0.1})
    assert differs(point_at(lj.transform(ARM, found.q, "d"), (1, 0, 0)), [1.3, 0, 0]) < 1e-7


def test_inverse_kinematics_unreachable():
    """Guards that a point out of reach is approached as near as can be: the arm is stretched towards it."""
    turns = [Z, Y, X]
    model = chain(
        ("base", "world", "custom", turns, at(), (0.5, 0, 0)), ("child", "base", "custom", turns, at(1), (0, 0.5, 0))
    )
    target = lj.Target("child", place=(2.2, 0, 0), point=(1, 0, 0))
    found = lj.inverse_kinematics(model, [target], q={"to base": [0.2, 0.1, 0.1]})
    assert differs(point_at(lj.transform(model, found.q, "child"), (1, 0, 0)), [2, 0, 0]) < 1e-6
