# SPDX-License-Identifier: GPL-3.0-or-later
"""SDF to Model, against numbers worked out by hand."""

import math
from pathlib import Path

import pytest

from limberjack.core import formats
from limberjack.core.geometry import Box
from limberjack.core.spatial import compose, quat_rotate

DATA = Path(__file__).parents[2] / "data"
TURN_Z_90 = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))


@pytest.fixture
def read_text(tmp_path):
    """Read SDF given as text."""

    def read(text):
        path = tmp_path / "model.sdf"
        path.write_text(text)
        return formats.read(path)

    return read


@pytest.fixture(scope="module")
def framed():
    return formats.read(DATA / "frames_1_9.sdf")


def near(values):
    return pytest.approx(values, abs=1e-12)


def world_frame(model, joint):
    return compose(model.link(joint.child).pose, joint.X_CJ)


def test_clean_file_gives_no_issue(framed):
    """A correct file with every way to pose things is read without a finding or a note."""
    assert framed.issues == []
    assert framed.notes == []


def test_poses_follow_frames(framed):
    """Model pose, explicit frame, relative_to, and a placement frame put each link where SDF says."""
    model = framed.model
    assert model.link("base").pose == near((1, 0, 10, *TURN_Z_90))
    assert model.link("arm").pose == near((-1, 0, 13, *TURN_Z_90))
    assert model.link("inner::tip").pose == near((1, 5, 10, *TURN_Z_90))


def test_joint_frames_on_both_sides(framed):
    """A joint posed in its child, whose parent is a frame of another link, is the same frame seen from both links."""
    joint = framed.model.joint("hinge")
    assert (joint.parent, joint.child) == ("base", "arm")
    assert world_frame(framed.model, joint) == near((-1, 0, 14, 0, 0, 0, 1))
    assert compose(framed.model.link("base").pose, joint.X_PJ) == near((-1, 0, 14, 0, 0, 0, 1))


def test_axis_expressed_in_another_frame(framed):
    """expressed_in turns the axis into the joint's frame: the model's y stays the world's y."""
    joint = framed.model.joint("hinge")
    assert quat_rotate(world_frame(framed.model, joint)[3:], joint.axes[0].xyz) == near((0, 1, 0))


def test_axis_numbers(framed):
    """Limits of 1e16 and a negative effort are none; dynamics come over as they are."""
    axis = framed.model.joint("hinge").axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (-math.inf, 2.0, math.inf, 3.0)
    assert (axis.damping, axis.friction, axis.spring_reference, axis.spring_stiffness) == (0.5, 0.25, 1.0, 7.0)


def test_inertia_turns_with_the_inertial(framed):
    """An inertial turned by 90 degrees about z swaps xx and yy in the link's axes."""
    link = framed.model.link("arm")
    assert (link.mass, link.com) == (2.0, (0.1, 0.2, 0.3))
    assert link.inertia == near((2, 0, 0, 1, 0, 2.5))
    assert framed.model.link("base").inertia == (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)


def test_shapes(framed):
    """A visual posed relative to the model is kept in its link; a colour may leave out alpha."""
    (visual,) = framed.model.link("arm").visuals
    assert visual.geometry == Box((1.0, 2.0, 3.0))
    assert visual.color == (1.0, 0.0, 0.0, 1.0)
    assert compose(framed.model.link("arm").pose, visual.pose) == near((0, 0, 10, 1, 0, 0, 0))


def test_old_axes_are_in_the_model_frame():
    """Up to SDF 1.4 an axis is in the model's axes, though its joint is turned."""
    model = formats.read(DATA / "axis_1_4.sdf").model
    joint = model.joint("j")
    assert joint.axes[0].xyz == near((0, -1, 0))
    assert quat_rotate(world_frame(model, joint)[3:], joint.axes[0].xyz) == near((1, 0, 0))
    assert (joint.axes[0].lower, joint.axes[0].upper) == (-math.inf, math.inf)


def test_use_parent_model_frame(read_text):
    """SDF 1.5's use_parent_model_frame does the same, and 1.5 without it means the joint's own frame."""
    body = (
        '<sdf version="1.5"><model name="m"><link name="a"/><link name="b"><pose>0 0 0 0 0 1.5707963267948966</pose>'
        '</link><joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>'
        "<use_parent_model_frame>{}</use_parent_model_frame></axis></joint></model></sdf>"
    )
    assert read_text(body.format("true")).model.joint("j").axes[0].xyz == near((0, -1, 0))
    assert read_text(body.format("0")).model.joint("j").axes[0].xyz == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("name", ["screw_1_9.sdf", "screw_1_10.sdf"])
def test_screw_pitch_in_both_spellings(name):
    """thread_pitch (rad/m, left-handed) and screw_thread_pitch (m/turn, right-handed) say the same centimetre."""
    assert formats.read(DATA / name).model.joint("j").pitch == pytest.approx(0.01)


def test_world():
    """A world's models are prefixed, its gravity read, its static links fixed, its own joints kept, mimics scoped."""
    reading = formats.read(DATA / "world_1_11.sdf")
    model = reading.model
    assert [link.name for link in model.links] == ["ground::link", "m::a", "m::b", "m::c"]
    assert model.gravity == (0.0, 0.0, -1.62)
    assert (model.joint("ground::link_static").type, model.joint("hang").parent) == ("fixed", "world")
    assert model.joint("hang").X_PJ == near((1, 2, 3, 1, 0, 0, 0))
    mimic = model.joint("m::follow").mimic
    assert (mimic.leader, mimic.multiplier, mimic.offset, mimic.reference) == ("m::lead", -3.0, 0.5, 0.25)
    assert [(issue.code, issue.line) for issue in reading.issues] == [("include-not-found", 31)]
    assert [extra.tag for extra in model.extras] == ["include"]


def test_gravity_and_velocity_decay(read_text):
    """A link's own switch of gravity, and its decay: the spec's defaults where a file says nothing, or half of it."""
    links = (
        '<link name="a"/><link name="b"><gravity>false</gravity><velocity_decay><linear>0.5</linear></velocity_decay>'
        '</link><link name="c"><gravity>1</gravity><velocity_decay><angular>2e-1</angular></velocity_decay></link>'
        '<link name="d"><velocity_decay/></link>'
    )
    reading = read_text(f'<sdf version="1.9"><model name="m">{links}</model></sdf>')
    found = [(link.gravity, link.linear_damping, link.angular_damping) for link in reading.model.links]
    assert found == [(True, 0.0, 0.0), (False, 0.5, 0.0), (True, 0.0, 0.2), (True, 0.0, 0.0)]
    assert (reading.issues, reading.notes) == ([], [])


def test_what_is_kept_is_told(read_text):
    """Sensors and the like are counted, and kept on their link as they were."""
    text = (
        '<sdf version="1.9"><model name="m"><link name="a"><sensor name="s"/>\n<sensor name="t"/></link></model></sdf>'
    )
    reading = read_text(text)
    assert reading.notes == ["kept as text, which an SDF export brings back: 2 <sensor>"]
    assert [extra.text for extra in reading.model.link("a").extras] == ['<sensor name="s"/>', '<sensor name="t"/>']


def test_link_and_joint_of_one_name_before_1_7(read_text):
    """In old files a joint may have a link's name: the frame is the link's, and the joint is renamed."""
    text = (
        '<sdf version="1.6"><model name="m"><link name="a"/>'
        '<link name="b"><pose relative_to="a">1 0 0 0 0 0</pose></link>'
        '<joint name="a" type="fixed"><parent>a</parent><child>b</child></joint></model></sdf>'
    )
    reading = read_text(text)
    assert [issue.severity for issue in reading.issues] == ["warning"]
    assert reading.model.joint("a_joint").X_PJ == near((1, 0, 0, 1, 0, 0, 0))
    assert [issue.code for issue in read_text(text.replace("1.6", "1.7")).issues] == ["repeated-name"]


def test_long_chains_need_no_recursion(read_text):
    """Five thousand links, each posed relative to the one before, are no problem."""
    links = "".join(f'<link name="l{i}"><pose relative_to="l{i - 1}">1 0 0 0 0 0</pose></link>' for i in range(1, 5000))
    reading = read_text(f'<sdf version="1.9"><model name="m"><link name="l0"/>{links}</model></sdf>')
    assert reading.issues == []
    assert reading.model.links[-1].pose == near((4999, 0, 0, 1, 0, 0, 0))


def test_axes_are_normalized_and_told(read_text):
    """An axis of length 2 is used with length 1 and brings a warning; a unit axis keeps its last bit."""
    text = (
        '<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/>\n<joint name="j" type="revolute">'
        "<parent>a</parent><child>b</child><axis><xyz>{}</xyz></axis></joint></model></sdf>"
    )
    reading = read_text(text.format("0 0 2"))
    assert reading.model.joint("j").axes[0].xyz == (0.0, 0.0, 1.0)
    assert [(issue.code, issue.severity, issue.line) for issue in reading.issues] == [("axis-not-unit", "warning", 2)]
    xyz = (0.6000000000000001, 0.0, 0.8)
    assert read_text(text.format(" ".join(map(repr, xyz)))).model.joint("j").axes[0].xyz == xyz


def test_an_empty_script_is_left_out(tmp_path):
    """Guards exports that Gazebo's check takes: a material's script without a word is not kept, one with words is."""
    shape = '<visual name="{}"><geometry><sphere><radius>1</radius></sphere></geometry><material>{}</material></visual>'
    empty, full = "<script><uri/><name></name></script>", "<script><uri>a.material</uri><name>A</name></script>"
    text = f'<sdf version="1.9"><model name="m"><link name="a">{shape.format("v", empty)}{shape.format("w", full)}'
    (tmp_path / "a.sdf").write_text(text + "</link></model></sdf>")
    empty_one, full_one = formats.read(tmp_path / "a.sdf").model.links[0].visuals
    assert [extra.tag for extra in empty_one.extras] == []
    assert [extra.tag for extra in full_one.extras] == ["script"]
