# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of sdformat's tests of URDF: joints' parameters, mimics, Gazebo's extensions, reduction of fixed joints.

sdformat turns URDF into SDF and there joins links that fixed joints connect. Here these links stay apart, and the
compiled model joins them, so their mass properties are compared by the mass matrix about the first link.
"""

from math import pi

import numpy as np
import pytest

import limberjack as lj
from support.peers import differs

INERTIAL = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"


def read(folder, inner):
    path = folder / "robot.urdf"
    path.write_text(f"<robot name='robot'>{inner}</robot>")
    return lj.read(path)


def two_links(joint):
    return f"<link name='a'>{INERTIAL}</link><link name='b'>{INERTIAL}</link>{joint}"


ENDS = "<parent link='a'/><child link='b'/><axis xyz='0 1 0'/>"


@pytest.mark.parametrize("value", [0.0, 1.0], ids=["jointw0", "joint01"])
def test_joint_parameters(value, tmp_path):
    """Guards damping, friction, and greatest effort and speed of a joint: 0 is a number like any other."""
    inner = f"<dynamics damping='{value}' friction='{value}'/><limit effort='{value}' velocity='{value}'/>"
    joint = f"<joint name='j' type='continuous'>{ENDS}{inner}</joint>"
    found = read(tmp_path, two_links(joint)).model.joint("j").axes[0]
    assert [found.damping, found.friction, found.effort, found.velocity] == [value] * 4
    assert found.xyz == (0.0, 1.0, 0.0)


def test_mimic_of_rack_and_pinion(tmp_path):
    """Guards a rack that mimics a pinion: its multiplier, and 0 for what is not given."""
    pinion = f"<joint name='pinion' type='continuous'>{ENDS}</joint>"
    ends = "<parent link='a'/><child link='c'/><axis xyz='0 -1 0'/>"
    limit = "<limit lower='-1' upper='1' velocity='1000' effort='10000'/>"
    mimic = "<mimic joint='pinion' multiplier='0.105'/>"
    rack = f"<link name='c'>{INERTIAL}</link><joint name='rack' type='prismatic'>{ends}{limit}{mimic}</joint>"
    found = read(tmp_path, two_links(pinion) + rack).model.joint("rack").mimic
    assert (found.leader, found.multiplier, found.offset, found.reference) == ("pinion", 0.105, 0.0, 0.0)


def wheel(folder, tag, value):
    shape = "<collision><geometry><cylinder length='0.0206' radius='0.0352'/></geometry></collision>"
    extension = f"<gazebo reference='wheel'><{tag}>{value}</{tag}></gazebo>"
    return read(folder, f"<link name='wheel'>{shape}{INERTIAL}</link>{extension}")


def test_damping_factor(tmp_path):
    """Guards Gazebo's damping of a link, which is linear and angular."""
    (found,) = wheel(tmp_path, "dampingFactor", 25.2).model.links
    assert (found.linear_damping, found.angular_damping) == (25.2, 25.2)


@pytest.mark.parametrize(
    ("tag", "value", "name"), [("mu1", 8.9, "friction"), ("mu2", 12.5, "friction"), ("kp", 1000.2, "stiffness")]
)
def test_surface_of_a_link(tag, value, name, tmp_path):
    """Guards Gazebo's numbers of contact; one of both coefficients of friction alone is that of both directions."""
    (found,) = wheel(tmp_path, tag, value).model.links
    assert getattr(found.collisions[0].surface, name) == value


def test_damping_factor_that_is_no_number(tmp_path):
    """Guards that a word for a number is reported, where sdformat throws."""
    assert any("dampingFactor" in issue.message for issue in wheel(tmp_path, "dampingFactor", "foo").issues)


FIRST = "<mass value='100'/><inertia ixx='2' ixy='0' ixz='0' iyy='3' iyz='0' izz='4'/>"
SECOND = "<mass value='200'/><inertia ixx='5' ixy='0' ixz='0' iyy='6' iyz='0' izz='7'/>"
ALIGNED, APART = (300, 0.0, (7, 9, 11)), (300, 0.2, (7, 15, 17))
"""Mass [kg], place of the centre along x [m], and moments about it [kg m^2], of both links in one."""


def origin(text):
    xyz, angles = text.split(";")
    return f"<origin xyz='{xyz}' rpy='{angles}'/>"


@pytest.mark.parametrize(
    ("joint", "inertial", "expected"),
    [
        ("0 0 0;0 0 0", "0 0 0;0 0 0", ALIGNED),
        ("1 2 3;0 0 0", "-1 -2 -3;0 0 0", ALIGNED),
        ("0 0 0;0.1 0 0", "0 0 0;-0.1 0 0", ALIGNED),
        ("0 0 0;0 0 0", "0.3 0 0;0 0 0", APART),
        ("0.3 0 0;0 0 0", "0 0 0;0 0 0", APART),
        (f"0 0 0;0 0 {pi / 2}", f"0 -0.3 0;0 0 {-pi / 2}", APART),
    ],
    ids=["link1", "link1a", "link1b", "link1c", "link1d", "link1e"],
)
def test_fixed_joint_reduction_simple(joint, inertial, expected, tmp_path):
    """Guards mass, centre and inertia of two links that a fixed joint connects, by six ways to place the second."""
    first = f"<link name='a'><inertial>{FIRST}</inertial></link>"
    second = f"<link name='b'><inertial>{origin(inertial)}{SECOND}</inertial></link>"
    fixed = f"<joint name='j' type='fixed'>{origin(joint)}<parent link='a'/><child link='b'/></joint>"
    model = read(tmp_path, first + second + fixed).model
    mass, x, moments = expected
    turned = np.diag(moments) + mass * x * x * np.diag([0, 1, 1])
    coupled = mass * x * np.array([[0, 0, 0], [0, 0, -1], [0, 1, 0]])
    about_link = np.block([[mass * np.eye(3), coupled.T], [coupled, turned]])
    assert differs(lj.mass_matrix(model), about_link) < 1e-6
