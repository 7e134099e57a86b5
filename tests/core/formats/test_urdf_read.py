# SPDX-License-Identifier: GPL-3.0-or-later
"""URDF to Model, against numbers worked out by hand."""

import math
from pathlib import Path

import numpy as np
import pytest

from limberjack.core import formats
from limberjack.core.geometry import Capsule, Material, Mesh
from limberjack.core.kinematics import link_poses
from limberjack.core.model import Frame
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import quat_of_rpy
from support.models import matrix

DATA = Path(__file__).parents[2] / "data"
TURN_Z_90 = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))


@pytest.fixture(scope="module")
def tree():
    return formats.read(DATA / "tree.urdf")


def near(values):
    return pytest.approx(values, abs=1e-12)


def test_world_link_is_the_world(tree):
    """A link named `world` is not listed, and its joint's parent is the world."""
    assert [link.name for link in tree.model.links] == ["base", "slide", "spin"]
    assert tree.model.joint("fix").parent == "world"


def test_poses_follow_the_tree(tree):
    """Origins compose from the root outward."""
    assert tree.model.link("base").pose == near((0, 0, 1, *TURN_Z_90))
    assert tree.model.link("spin").pose == near((0, 1, 1, *TURN_Z_90))


def test_defaults(tree):
    """No axis means x; limits left out of <limit> mean 0 for a slider and nothing for a continuous joint."""
    slider, spinner = tree.model.joint("slider").axes[0], tree.model.joint("spinner").axes[0]
    assert slider.xyz == (1.0, 0.0, 0.0)
    assert (slider.lower, slider.upper, slider.effort, slider.velocity) == (0.0, 0.0, 5.0, 6.0)
    assert (spinner.lower, spinner.upper, spinner.damping, spinner.friction) == (-math.inf, math.inf, 0.1, 0.2)


def test_mimic(tree):
    """A mimic is kept on its follower."""
    mimic = tree.model.joint("spinner").mimic
    assert (mimic.leader, mimic.multiplier, mimic.offset) == ("slider", -2.0, 0.5)


def test_inertial_and_visual(tree):
    """A turned inertial turns the tensor; a mesh keeps its address; a material is found by name."""
    base = tree.model.link("base")
    assert base.inertia == near((2, 0, 0, 1, 0, 2.5))
    assert base.visuals[0].geometry.uri == "package://r/base.stl"
    assert isinstance(base.visuals[0].geometry, Mesh)
    assert base.visuals[0].color == (1.0, 0.0, 0.0, 1.0)


def test_findings(tree):
    """Massless links and a long axis are warnings, a mesh that is nowhere is a note; nothing more."""
    assert [issue.code for issue in tree.issues] == ["massless", "massless", "axis-not-unit"]
    assert [issue.line for issue in tree.issues] == [16, 17, 29]
    assert len(tree.notes) == 1


def test_revolute_without_limit_is_unlimited(tmp_path):
    """Without the required <limit> the joint is free, as in Drake and MuJoCo, with a warning."""
    path = tmp_path / "r.urdf"
    path.write_text((DATA / "tree.urdf").read_text().replace('<limit effort="5" velocity="6"/>', ""))
    reading = formats.read(path)
    assert reading.model.joint("slider").axes[0].upper == math.inf
    assert "no-limit" in [issue.code for issue in reading.issues]


# ---- what URDF says besides

LINKS = '<link name="a"/><link name="b"/><link name="c"/>'
ENDS = '<parent link="a"/><child link="b"/><origin xyz="1 2 3"/>'
REST = '<joint name="rest" type="fixed"><parent link="b"/><child link="c"/><origin xyz="0 0 1"/></joint>'


def read_text(tmp_path, text: str, **robot) -> formats.Reading:
    path = tmp_path / "in.urdf"
    attributes = "".join(f' {name}="{value}"' for name, value in robot.items())
    path.write_text(f'<robot name="r"{attributes}>\n{text}\n</robot>\n')
    return formats.read(path)


def joint_of(tmp_path, joint: str):
    reading = read_text(tmp_path, f"{LINKS}{joint}{REST}")
    assert reading.ok, reading.issues
    return reading.model.joint("j"), reading.model


@pytest.mark.parametrize("normal", [(1.0, 0.0, 0.0), (0.0, 0.6, 0.8), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)])
def test_a_planar_joint_moves_in_the_plane_of_its_normal(tmp_path, normal):
    """Links stand where origins say; slides keep to the plane through there, and turns are about its normal."""
    axis = " ".join(map(str, normal))
    joint, model = joint_of(tmp_path, f'<joint name="j" type="planar">{ENDS}<axis xyz="{axis}"/></joint>')
    assert joint.type == "planar"
    assert model.link("b").pose == near((1, 2, 3, 1, 0, 0, 0))
    assert model.link("c").pose == near((1, 2, 4, 1, 0, 0, 0))
    moved = link_poses(model, {"j": [0.3, -0.7, 0.5]})["b"]
    away = np.subtract(moved[:3], (1, 2, 3))
    assert away @ np.array(normal) == near(0.0)
    assert np.linalg.norm(away) == near(math.hypot(0.3, 0.7))
    assert moved[3:] == near((math.cos(0.25), *(math.sin(0.25) * np.array(normal))))


def test_planar_damping_is_one_number_or_three(tmp_path):
    """Drake writes three."""
    joint, _ = joint_of(tmp_path, f'<joint name="j" type="planar">{ENDS}<dynamics damping="0.1 0.2 0.3"/></joint>')
    assert [axis.damping for axis in joint.axes] == [0.1, 0.2, 0.3]
    joint, _ = joint_of(tmp_path, f'<joint name="j" type="planar">{ENDS}<dynamics damping="0.1"/></joint>')
    assert [axis.damping for axis in joint.axes] == [0.1, 0.1, 0.1]


def test_drakes_joints(tmp_path):
    """A screw's pitch is in metres a turn; a cross turns about x and then y; a ball is damped about all axes."""
    screw, _ = joint_of(
        tmp_path,
        f'<drake:joint name="j" type="screw">{ENDS}<axis xyz="0 1 0"/><drake:screw_thread_pitch value="0.04"/>'
        '<dynamics damping="0.1"/></drake:joint>',
    )
    assert (screw.type, screw.pitch, screw.axes[0].xyz, screw.axes[0].damping) == ("screw", 0.04, (0.0, 1.0, 0.0), 0.1)
    cross, _ = joint_of(tmp_path, f'<drake:joint name="j" type="universal">{ENDS}</drake:joint>')
    assert [axis.xyz for axis in cross.axes] == [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    for kind in ('drake:joint name="j" type="ball"', 'joint name="j" type="spherical"'):
        ball, _ = joint_of(tmp_path, f'<{kind}>{ENDS}<dynamics damping="0.1"/></{kind.split()[0]}>')
        assert ball.type == "ball"
        assert [axis.damping for axis in ball.axes] == [0.1, 0.1, 0.1, 0.0, 0.0]


@pytest.mark.parametrize("kind", ["spherical", "floating"])
def test_a_joint_that_turns_every_way_needs_no_axis(tmp_path, kind):
    """Guards <axis xyz="0 0 0"> on a ball or a floating joint: it means nothing, and no finding blames it."""
    reading = read_text(tmp_path, f'{LINKS}<joint name="j" type="{kind}">{ENDS}<axis xyz="0 0 0"/></joint>{REST}')
    assert [issue for issue in reading.issues if "axis" in issue.message] == []
    assert [issue for issue in reading.issues if issue.is_error] == []
    planar = read_text(tmp_path, f'{LINKS}<joint name="j" type="planar">{ENDS}<axis xyz="0 0 0"/></joint>{REST}')
    assert [issue.code for issue in planar.issues if issue.is_error] == ["zero-axis"]


def test_drakes_types_are_drakes(tmp_path):
    """A ball as a plain joint is an error that says where it may stand, and one that moves on a curve is not taken."""
    reading = read_text(tmp_path, f'{LINKS}<joint name="j" type="ball">{ENDS}</joint>{REST}')
    assert [issue.code for issue in reading.issues if issue.is_error] == ["unknown-joint-type"]
    assert "<drake:joint>" in next(issue.message for issue in reading.issues if issue.is_error)
    reading = read_text(tmp_path, f'{LINKS}<drake:joint name="j" type="curvilinear">{ENDS}</drake:joint>{REST}')
    assert [issue.code for issue in reading.issues if issue.is_error] == ["joint-type-not-supported"]


def test_bug_14_a_continuous_joint_has_no_limits(tmp_path):
    """Limits on a continuous joint mean nothing; 1e16 on another one means none."""
    text = f'{ENDS}<limit lower="0" upper="0" effort="1e16" velocity="2"/>'
    joint, _ = joint_of(tmp_path, f'<joint name="j" type="continuous">{text}</joint>')
    assert joint.axes[0].is_unlimited
    assert (joint.axes[0].effort, joint.axes[0].velocity) == (math.inf, 2.0)
    text = f'{ENDS}<limit lower="-1e16" upper="1" effort="1" velocity="2"/>'
    joint, _ = joint_of(tmp_path, f'<joint name="j" type="revolute">{text}</joint>')
    assert (joint.axes[0].lower, joint.axes[0].upper) == (-math.inf, 1.0)


def test_bug_19_a_chain_of_mimics(tmp_path):
    """A follower may be followed, and may stand before what it follows."""
    mimics = {"one": '<mimic joint="two" multiplier="-2" offset="1"/>', "two": '<mimic joint="three"/>', "three": ""}
    links, joints = "", ""
    for number, (name, mimic) in enumerate(mimics.items()):
        links += f'<link name="l{number}"/>'
        ends = f'<parent link="l{number}"/><child link="l{number + 1}"/>'
        joints += f'<joint name="{name}" type="continuous">{ends}{mimic}</joint>'
    reading = read_text(tmp_path, f'{links}<link name="l3"/>{joints}')
    assert reading.ok
    assert [joint.mimic and joint.mimic.leader for joint in reading.model.joints] == ["two", "three", None]
    assert (reading.model.joint("one").mimic.multiplier, reading.model.joint("one").mimic.offset) == (-2.0, 1.0)


def test_bug_21_links_behind_fixed_joints_stay(tmp_path):
    """Nothing is merged: each link of the file is one of the model."""
    joint, model = joint_of(tmp_path, f'<joint name="j" type="fixed">{ENDS}</joint>')
    assert [link.name for link in model.links] == ["a", "b", "c"]
    assert (joint.type, model.joint("rest").type) == ("fixed", "fixed")


def test_bug_23_spellings_of_hand_written_files(tmp_path):
    """A mass, a parent and a child as text are read, with a warning; a link without an inertial has no mass."""
    text = (
        '<link name="a"><inertial><mass>0.17</mass><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
        '<link name="b"/><joint name="j" type="continuous"><parent>a</parent><child>b</child></joint>'
    )
    reading = read_text(tmp_path, text)
    assert reading.ok
    assert (reading.model.link("a").mass, reading.model.link("b").mass) == (0.17, 0.0)
    assert sorted(issue.code for issue in reading.issues) == ["massless", *["stray-text"] * 3]


def test_bug_26_a_turned_inertial(tmp_path):
    """Off-diagonal entries are read, and the tensor is turned with its frame: R I R'."""
    inertial = (
        '<inertial><origin xyz="1 2 3" rpy="0.3 -0.4 0.5"/><mass value="2"/>'
        '<inertia ixx="3" ixy="0.1" ixz="0.2" iyy="4" iyz="0.3" izz="5"/></inertial>'
    )
    link = read_text(tmp_path, f'<link name="a">{inertial}</link>').model.links[0]
    R = matrix((0, 0, 0, *quat_of_rpy(0.3, -0.4, 0.5)))[:3, :3]
    expected = R @ np.array([[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]) @ R.T
    assert link.inertia == near(expected[np.triu_indices(3)])
    assert link.com == (1.0, 2.0, 3.0)


def test_urdf_1_1(tmp_path):
    """An origin by quaternion, of any length; a capsule, whose length is that of its straight part."""
    visual = (
        '<visual><origin xyz="1 0 0" quat_xyzw="0 0 2 2"/><geometry><capsule radius="0.1" length="0.5"/></geometry>'
        "</visual>"
    )
    reading = read_text(tmp_path, f'<link name="a">{visual}</link>', version="1.1")
    shape = reading.model.links[0].visuals[0]
    assert shape.pose == near((1, 0, 0, *TURN_Z_90))
    assert shape.geometry == Capsule(0.1, 0.5)
    assert [extra.text for extra in reading.model.extras] == ['<robot version="1.1"/>']


def test_materials(tmp_path):
    """A colour and an image are taken over, by name too; a name that is nowhere is no material."""
    shapes = "".join(
        f'<visual name="{name}"><geometry><sphere radius="1"/></geometry>{material}</visual>'
        for name, material in {
            "own": '<material name="x"><color rgba="1 0 0 1"/><texture filename="package://m/a.png"/></material>',
            "named": '<material name="x"/>',
            "none": '<material name="y"/>',
        }.items()
    )
    own, named, none = read_text(tmp_path, f'<link name="a">{shapes}</link>').model.links[0].visuals
    assert own.material == named.material == Material((1.0, 0.0, 0.0, 1.0), texture="package://m/a.png")
    assert none.material is None


def test_meshes_are_found_or_noted(tmp_path):
    """A mesh beside the file has its path; one that is nowhere keeps its uri, with a note for each uri, no warning."""
    (tmp_path / "here.stl").write_text("")
    shapes = "".join(
        f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>'
        for uri in ("here.stl", "package://none/gone.stl", "package://none/gone.stl")
    )
    reading = read_text(tmp_path, f'<link name="a">{shapes}</link>')
    here, gone, _ = (shape.geometry for shape in reading.model.links[0].visuals)
    assert (here.uri, here.path) == ("here.stl", str(tmp_path / "here.stl"))
    assert (gone.uri, gone.path) == ("package://none/gone.stl", "")
    assert len(reading.notes) == 1
    assert "package://none/gone.stl" in reading.notes[0]
    assert {issue.code for issue in reading.issues} == {"massless"}


def test_what_means_nothing_here_is_kept(tmp_path):
    """Elements are kept on their owner, with what they stand in; nothing is said to be left aside."""
    text = (
        '<link name="a"><contact><stiffness value="1"/></contact><collision><geometry><box size="1 1 1"/></geometry>'
        "<drake:proximity_properties><drake:rigid_hydroelastic/></drake:proximity_properties></collision></link>"
        "<link name='b'/>"
        '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><safety_controller k_velocity="1"/>'
        '<limit lower="0" upper="1" effort="2" velocity="3" acceleration="4" jerk="5"/>'
        '<calibration rising="0"/></joint>'
        '<transmission name="t"/><ros2_control name="c" type="system"/><gazebo><static>true</static></gazebo>'
    )
    reading = read_text(tmp_path, text)
    model = reading.model
    assert reading.notes == []
    assert [extra.tag for extra in model.link("a").extras] == ["contact"]
    assert [extra.tag for extra in model.link("a").collisions[0].extras] == ["drake:rigid_hydroelastic"]
    assert [(extra.tag, extra.text) for extra in model.joint("j").extras] == [
        ("safety_controller", '<safety_controller k_velocity="1"/>'),
        ("calibration", '<calibration rising="0"/>'),
        ("limit", '<limit acceleration="4" jerk="5"/>'),
    ]
    assert [extra.tag for extra in model.extras] == ["transmission", "ros2_control", "gazebo"]


def test_what_gazebo_is_told(tmp_path):
    """Springs, gravity and damping are taken over and not kept; the rest is kept on what it refers to."""
    text = (
        f'{LINKS}<joint name="j" type="continuous">{ENDS}</joint>{REST}'
        '<gazebo reference="j"><springStiffness>2</springStiffness><springReference>0.5</springReference>'
        "<stopKd>1</stopKd></gazebo>"
        '<gazebo reference="b"><turnGravityOff>true</turnGravityOff></gazebo>'
        '<gazebo reference="c"><gravity>0</gravity><dampingFactor>0.1</dampingFactor><mu1>1</mu1></gazebo>'
        '<gazebo reference="nobody"><mu1>1</mu1></gazebo>'
    )
    model = read_text(tmp_path, text).model
    assert (model.joint("j").axes[0].spring_stiffness, model.joint("j").axes[0].spring_reference) == (2.0, 0.5)
    assert [extra.text for extra in model.joint("j").extras] == ['<gazebo reference="j"><stopKd>1</stopKd></gazebo>']
    assert (model.link("b").gravity, model.link("b").extras) == (False, ())
    assert (model.link("c").gravity, model.link("c").linear_damping, model.link("c").angular_damping) == (
        False,
        0.1,
        0.1,
    )
    assert [extra.text for extra in model.link("c").extras] == ['<gazebo reference="c"><mu1>1</mu1></gazebo>']
    assert [extra.tag for extra in model.extras] == ["gazebo"]


def test_drakes_frames(tmp_path):
    """A named frame on a link is one of the model."""
    model = read_text(tmp_path, '<link name="a"/><frame name="f" link="a" xyz="1 2 3" rpy="0 0 0"/>').model
    assert model.frames == [Frame("f", "a", (1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0))]


@pytest.mark.parametrize("value", ["$(optenv IMU 0 0 1)", "$(find m)"])
def test_what_xacro_has_yet_to_expand(tmp_path, value):
    """One error for each value, with its line, that says how to expand it."""
    joint = f'<joint name="j" type="fixed">\n<parent link="a"/><child link="b"/><origin xyz="{value}"/></joint>'
    errors = [issue for issue in read_text(tmp_path, f"{LINKS}{joint}{REST}").issues if issue.is_error]
    assert [(issue.code, issue.line) for issue in errors] == [("not-expanded", 3)]
    assert value in errors[0].message
    assert "xacro FILE" in errors[0].message


@pytest.mark.parametrize("effort", ["0", "12"])
def test_a_velocity_of_0_is_one_that_is_not_given(tmp_path, effort):
    """Guards robots whose files give 0 where they know no largest speed: they swing, are told, and keep their 0."""
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hinge"'
        ' type="continuous"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>'
        f'<limit effort="{effort}" velocity="0"/></joint><joint name="held" type="fixed"><parent link="world"/>'
        '<child link="base"/></joint><link name="world"/></robot>'
    )
    reading = formats.read(tmp_path / "arm.urdf")
    assert [issue.code for issue in reading.issues if issue.severity == "note"] == ["velocity-not-given"]
    motion = Simulation(reading.model, np.array([0.0, 0.1])).run()
    assert motion.qd[-1, 0] == pytest.approx(9.81 * 0.5 / 1.25 * 0.1, rel=1e-2)
    assert formats.write(reading.model, tmp_path / "out.urdf") == []
    assert 'velocity="0"' in (tmp_path / "out.urdf").read_text()
