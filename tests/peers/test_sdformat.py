# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of sdformat's test suite: frames, axes, placement, nesting, automatic inertia, and URDF's frames.

Its tests of what URDF files say beside frames are in `test_sdformat_urdf.py`. The files are written anew, so that the
poses that the tests expect follow from them.
"""

from math import inf, pi

import numpy as np
import pytest

import limberjack as lj
from support.peers import at, compose, differs, pose_error, rotation, rpy

HALF = "1.5707963267948966"
"""A quarter turn, as files have it [rad]."""
Q = pi / 2


def read(folder, text, suffix="sdf", **options):
    path = folder / f"model.{suffix}"
    path.write_text(text)
    return lj.read(path, **options).model


def model_of(folder, inner, name="m"):
    return read(folder, f"<sdf version='1.9'><model name='{name}'>{inner}</model></sdf>")


def link(name, pose="0 0 0 0 0 0", relative_to=""):
    of = f" relative_to='{relative_to}'" if relative_to else ""
    return f"<link name='{name}'><pose{of}>{pose}</pose></link>"


def frame(name, pose, relative_to=""):
    of = f" relative_to='{relative_to}'" if relative_to else ""
    return f"<frame name='{name}'><pose{of}>{pose}</pose></frame>"


def joint(name, parent, child, inner="<axis><xyz>0 0 1</xyz></axis>", kind="revolute"):
    return f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{inner}</joint>"


def at_pose(x, y, z, roll=0.0, pitch=0.0, yaw=0.0):
    return at(x, y, z, rpy(roll, pitch, yaw))


def drawn(model, name):
    """The frame of a joint in the model, as drawn."""
    found = model.joint(name)
    return compose(model.link(found.child).pose, found.X_CJ)


LIMIT = "<lower>{}</lower><upper>{}</upper><velocity>{}</velocity><effort>{}</effort>"
NONE = [-inf, inf, inf, inf]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("", NONE),
        (LIMIT.format(-1.5, 1.5, 2.5, 5.5), [-1.5, 1.5, 2.5, 5.5]),
        (LIMIT.format("-inf", "inf", "inf", "inf"), NONE),
        (LIMIT.format("-inf", "inf", -1, -1), NONE),
    ],
    ids=["default", "finite", "infinite", "negative"],
)
def test_infinite_limits(limit, expected, tmp_path):
    """Guards limits of axes: what is not given, infinite, or a speed or an effort below 0, is no limit."""
    inner = f"<axis><xyz>1 0 0</xyz><limit>{limit}</limit></axis>"
    model = model_of(tmp_path, link("a") + link("b") + joint("j", "a", "b", inner))
    found = model.joint("j").axes[0]
    assert [found.lower, found.upper, found.velocity, found.effort] == expected


def test_mimic_of_a_link_with_two_parents(tmp_path):
    """Guards a mimic of a joint that moves the leader's own child: the second of two joints to it."""
    mimic = "<mimic joint='source'><multiplier>4</multiplier><offset>2</offset><reference>3</reference></mimic>"
    joints = joint("source", "link2", "link1") + joint(
        "follow", "link3", "link1", f"<axis><xyz>0 0 1</xyz>{mimic}</axis>"
    )
    text = f"<model name='m'>{link('link1')}{link('link2')}{link('link3')}{joints}</model>"
    found = read(tmp_path, f"<sdf version='1.11'>{text}</sdf>").joint("follow").mimic
    assert (found.leader, found.multiplier, found.offset, found.reference) == ("source", 4.0, 2.0, 3.0)


AXES = (
    link("L1")
    + link("L2", f"0 0 0 0 {HALF} 0")
    + link("L3", f"0 0 0 {HALF} 0 0")
    + joint("J1", "L1", "L2", "<axis><xyz expressed_in='L2'>0 0 -1</xyz></axis>")
    + joint("J2", "L2", "L3", "<axis><xyz expressed_in='__model__'>0 0 1</xyz></axis>")
)


@pytest.mark.parametrize(("name", "expected"), [("J1", (-1, 0, 0)), ("J2", (0, 0, 1))])
def test_xyz_expressed_in(name, expected, tmp_path):
    """Guards axes that are given in the frame of a link or of the model."""
    model = model_of(tmp_path, AXES)
    assert differs(rotation(drawn(model, name)[3:]) @ np.array(model.joint(name).axes[0].xyz), expected) < 1e-9


def test_xyz_normalization(tmp_path):
    """Guards axes of any length: they are brought to length 1."""
    single = "<axis><xyz>10 0 0</xyz></axis>"
    double = "<axis><xyz>-3 0 0</xyz></axis><axis2><xyz>0 0.1 0</xyz></axis2>"
    chain = joint("joint2", "a", "b", single) + joint("joint3", "b", "c", double, "universal")
    model = model_of(tmp_path, link("a") + link("b") + link("c") + chain)
    axes = [model.joint("joint2").axes[0], *model.joint("joint3").axes]
    assert differs([each.xyz for each in axes], [[1, 0, 0], [-1, 0, 0], [0, 1, 0]]) < 1e-9


def test_link_pose_relative_to(tmp_path):
    """Guards a link that is placed in another link's frame."""
    model = model_of(tmp_path, link("L1", f"1 0 0 0 {HALF} 0") + link("L3", "3 0 0 0 0 0", "L1"))
    assert pose_error(model.link("L3").pose, at_pose(1, 0, -3, 0, Q)) < 1e-9


def test_joint_pose_relative_to(tmp_path):
    """Guards joints placed in other frames, and a link that is placed in a joint's frame."""
    one = f"<pose relative_to='P1'>0 0 0 0 -{HALF} 0</pose><axis><xyz>0 0 1</xyz></axis>"
    two = f"<pose relative_to='P2'>2 0 0 0 {HALF} 0</pose><axis><xyz>0 0 1</xyz></axis>"
    links = link("P1", "1 0 0 0 0 0") + link("C1", "2 0 0 0 0 0")
    links += link("P2", "3 0 0 0 0 0") + link("C2", "4 0 0 0 0 0", "J2")
    model = model_of(tmp_path, links + joint("J1", "P1", "C1", one) + joint("J2", "P2", "C2", two))
    assert pose_error(drawn(model, "J1"), at_pose(1, 0, 0, 0, -Q)) < 1e-8
    assert pose_error(drawn(model, "J2"), at_pose(5, 0, 0, 0, Q)) < 1e-8
    assert pose_error(model.link("C2").pose, at_pose(5, 0, -4, 0, Q)) < 1e-8


NESTED_JOINTS = {
    "J1": ("M1::L1", "L1", "1 0 0 0 0 0", at_pose(0, 0, 9, 0, Q)),
    "J2": ("M1::L1", "L1", "0 1 0 0 0 0", at_pose(0, 1, 10, 0, Q)),
    "J3": ("L1", "M1::L2", "0 1 0 0 0 0", at_pose(1, 1, 1)),
    "J4": ("L1", "M1::L1", "1 0 0 0 0 0", at_pose(1, 0, 1)),
    "J5": ("L1", "M1::M2::L1", "0 0 1 0 0 0", at_pose(0, -1, 1, Q)),
    "J6": ("M1::L1", "L1", "0 0 1 0 0 0", at_pose(1, 0, 10, 0, Q)),
    "J7": ("L1", "M1::L1", "0 0 0 0 0 0", at_pose(0, 0, 1)),
}


@pytest.fixture(scope="module")
def nested_joints(tmp_path_factory):
    inner = f"<model name='M2'><pose>0 0 0 {HALF} 0 0</pose>{link('L1')}</model>"
    nested = f"<model name='M1'><pose>0 0 1 0 0 0</pose>{link('L1')}{link('L2', '1 0 0 0 0 0')}{inner}</model>"
    joints = "".join(
        joint(name, parent, child, f"<pose>{pose}</pose><axis><xyz>0 0 1</xyz></axis>")
        for name, (parent, child, pose, _) in NESTED_JOINTS.items()
    )
    return model_of(tmp_path_factory.mktemp("nested"), link("L1", f"0 0 10 0 {HALF} 0") + nested + joints)


@pytest.mark.parametrize("name", NESTED_JOINTS)
def test_joint_nested_parent_child(nested_joints, name):
    """Guards joints between links of nested models, by name and place."""
    parent, child, _, expected = NESTED_JOINTS[name]
    found = nested_joints.joint(name)
    assert (found.parent, found.child) == (parent, child)
    assert pose_error(drawn(nested_joints, name), expected) < 1e-6


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    chain = (
        frame("F0", "0 1 0 0 0 0")
        + frame("F1", "0 0 1 0 0 0", "L")
        + frame("F2", "0 0 1 0 0 0", "F1")
        + frame("F3", "0 0 1 0 0 0", "F2")
        + frame("F4", "0 0 0 0 0 0", "F3")
    )
    return model_of(tmp_path_factory.mktemp("frames"), link("L", "1 0 0 0 0 0") + chain)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("F0", (0, 1, 0)), ("F1", (1, 0, 1)), ("F2", (1, 0, 2)), ("F3", (1, 0, 3)), ("F4", (1, 0, 3))],
)
def test_model_frames_relative_to(frames, name, expected):
    """Guards frames that are placed in links and in each other."""
    assert differs(lj.transform(frames, None, name)[:3], expected) < 1e-9


REFERENCES = {
    "M2": ("2 0 0 0 0 0", "M1", at_pose(1, 0, -2, 0, Q)),
    "M3": ("0 0 0 0 0 0", "M1::F", at_pose(1, 1, -3, 0, Q)),
    "M4": ("4 0 1 0 0 0", "M1::L", at_pose(2, 0, -4, 0, Q)),
    "M5": ("2 0 0 0 0 0", "M4", at_pose(2, 0, -6, 0, Q)),
    "M6": (f"3 0 0 {HALF} 0 0", "M3", at_pose(1, 1, -6, Q, Q)),
    "M7": (f"0 -6 -1 0 0 -{HALF}", "G", at_pose(1, -6, -1, 0, 0, -Q)),
}


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    first = f"<model name='M1'><pose>1 0 0 0 {HALF} 0</pose>{link('L')}{frame('F', '3 1 0 0 0 0')}</model>"
    others = "".join(
        f"<model name='{name}'><pose relative_to='{of}'>{pose}</pose>{link('L')}</model>"
        for name, (pose, of, _) in REFERENCES.items()
    )
    inner = link("base") + frame("G", "1 0 0 0 0 0") + first + others
    return model_of(tmp_path_factory.mktemp("references"), inner)


@pytest.mark.parametrize("name", REFERENCES)
def test_nested_reference_pose_relative_to(references, name):
    """Guards models that are placed relative to other models, and to frames and links in them."""
    assert pose_error(references.link(f"{name}::L").pose, REFERENCES[name][2]) < 1e-6


def automatic(inertial, *names):
    cube = "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision>"
    return "".join(f"<link name='{name}'><inertial auto='true'>{inertial}</inertial>{cube}</link>" for name in names)


def read_automatic(folder, inner):
    return read(folder, f"<sdf version='1.11'><model name='m'>{inner}</model></sdf>").links


def test_inertial_auto(tmp_path):
    """Guards mass and inertia of a cube of 1 m by a density."""
    (found,) = read_automatic(tmp_path, automatic("<density>6</density>", "L"))
    assert differs([found.mass, *found.inertia], [6, 1, 0, 0, 1, 0, 1]) < 1e-9


def test_inertial_auto_explicit_mass(tmp_path):
    """Guards that a mass that is given scales the automatic inertia."""
    inner = automatic("<mass>6</mass>", "a", "b") + automatic("<mass>6</mass><density>2</density>", "c", "d")
    found = [[each.mass, *np.array(each.inertia)[[0, 3, 5]]] for each in read_automatic(tmp_path, inner)]
    assert differs(found, [[6, 1, 1, 1]] * 4) < 1e-9


PLACED = at_pose(0, 10, 0, Q)
KINDS = {"link": "L4", "frame": "F2", "joint": "J2"}
PARTS = (
    link("L3", "1 2 3 0.1 0.2 0.3")
    + link("L4", "-1 0.5 2 0 0.4 0.7")
    + frame("F2", "0.3 0.2 0.1 0.5 0 0.2", "L3")
    + joint("J2", "L3", "L4", "<pose>0.2 0 0.5 0.3 0 0</pose><axis><xyz>0 0 1</xyz></axis>")
)
SCREEN = frame("screen", "0 5 0 0 0 0")


def placed(kind, way):
    """A model that is placed by a part of it, in one of four ways, and the prefix of its names."""
    name, pose, of = KINDS[kind], f"0 10 0 {HALF} 0 0", ""
    if "relative" in way:
        pose, of = f"0 5 0 {HALF} 0 0", " relative_to='screen'"
    if way.startswith("model"):
        own = f"<model name='P' placement_frame='{name}'><pose{of}>{pose}</pose>{PARTS}</model>"
    else:
        own = f"<include><uri>parts</uri><name>P</name><pose{of}>{pose}</pose><placement_frame>{name}</placement_frame>"
        own += "</include>"
    if way.startswith("nested"):
        return f"{SCREEN}<model name='outer'>{SCREEN}{own}</model>", "outer::P"
    return f"{SCREEN}{own}", "P"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["model", "include", "nested include", "include relative", "model relative"])
def test_placement_frame(way, kind, tmp_path):
    """Guards placement by a link, a frame or a joint: that part is where the model's pose is, wherever it is within."""
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "model.sdf").write_text(f"<sdf version='1.9'><model name='parts'>{PARTS}</model></sdf>")
    (folder / "model.config").write_text("<model><name>parts</name><sdf version='1.9'>model.sdf</sdf></model>")
    inner, prefix = placed(kind, way)
    text = f"<sdf version='1.9'><world name='w'>{inner}</world></sdf>"
    model = read(tmp_path, text, search=[str(tmp_path)])
    name = f"{prefix}::{KINDS[kind]}"
    found = drawn(model, name) if kind == "joint" else lj.transform(model, None, name)
    assert pose_error(found, PLACED) < 1e-5


@pytest.fixture(scope="module")
def nested_with_frames(tmp_path_factory):
    """A model with frames that are turned, in another model, 10 m aside and turned by 90°."""
    axes = "<axis><xyz expressed_in='F2'>0 0 1</xyz></axis><axis2><xyz expressed_in='F2'>1 0 0</xyz></axis2>"
    inner = (
        frame("F1", f"0 0 0 {HALF} 0 0")
        + frame("F2", "0 0 0 0 0.7853981633974483 0", "F1")
        + link("L1")
        + link("L2", "1 0 0 0 0 0", "F1")
        + joint("J1", "L1", "L2", axes, "universal")
    )
    nested = f"<model name='M1'><pose>10 0 0 0 0 {HALF}</pose>{inner}</model>"
    return model_of(tmp_path_factory.mktemp("frames"), link("base") + nested, "parent")


OUTER = at_pose(10, 0, 0, 0, 0, Q)
F1 = compose(OUTER, at_pose(0, 0, 0, Q))
F2 = compose(F1, at_pose(0, 0, 0, 0, pi / 4))


def test_nested_model_with_frames_link(nested_with_frames):
    """Guards a link in a frame of a nested model."""
    assert pose_error(nested_with_frames.link("M1::L2").pose, compose(F1, at(1))) < 1e-5


@pytest.mark.parametrize(("number", "direction"), [(0, (0, 0, 1)), (1, (1, 0, 0))])
def test_nested_model_with_frames_axes(nested_with_frames, number, direction):
    """Guards axes that are given in a frame of a nested model."""
    model = nested_with_frames
    turned = rotation(drawn(model, "M1::J1")[3:]) @ np.array(model.joint("M1::J1").axes[number].xyz)
    assert differs(turned, rotation(F2[3:]) @ np.array(direction, float)) < 1e-5


INERTIAL = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
ROBOT = f"""<robot name='test_robot'><link name='world'/>
<joint name='jointw_1' type='fixed'><parent link='world'/><child link='link1'/></joint>
<link name='link1'>{INERTIAL}</link><joint name='joint1_2' type='continuous'><parent link='link1'/>
<child link='link2'/><origin xyz='0 0 0' rpy='0 0 {HALF}'/></joint><link name='link2'>{INERTIAL}</link>
<joint name='joint2_3' type='continuous'><parent link='link2'/><child link='link3'/><origin xyz='1 0 0'/></joint>
<link name='link3'>{INERTIAL}</link></robot>"""


def test_urdf_joint_transform(tmp_path):
    """Guards where a chain of joints with origins leads."""
    assert differs(read(tmp_path, ROBOT, "urdf").link("link3").pose[:3], [0, 1, 0]) < 1e-9


def test_urdf_default_axis(tmp_path):
    """Guards the axis that URDF takes where a joint gives none: x."""
    assert differs(read(tmp_path, ROBOT, "urdf").joint("joint2_3").axes[0].xyz, [1, 0, 0]) < 1e-9
