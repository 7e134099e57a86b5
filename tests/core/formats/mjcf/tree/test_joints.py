# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints: alone, with ref, and several in one body, against products of screws."""

import math

import numpy as np
import pytest

from limberjack.core.spatial import IDENTITY, compose, quat_of_rotvec
from support.mjcf_texts import MASS, body, errors_of, issues_of, model_of, poses_of, reading_of

RADIAN = '<compiler angle="radian"/>'


def screw(kind, axis, point, by):
    """The motion by a hinge or slide, as a pose in the body's frame."""
    axis, point = np.array(axis) / np.linalg.norm(axis), np.array(point)
    if kind == "slide":
        return (*(axis * by), 1.0, 0.0, 0.0, 0.0)
    turn = (0.0, 0.0, 0.0, *quat_of_rotvec(tuple(axis * by)))
    moved = np.array(compose(turn, (*(-point), 1.0, 0.0, 0.0, 0.0))[:3]) + point
    return (*moved, *turn[3:])


def require_pose(found, expected):
    assert found[:3] == pytest.approx(expected[:3], abs=1e-12)
    assert abs(np.dot(found[3:], expected[3:])) == pytest.approx(1.0, abs=1e-12)


def as_text(joints):
    return "".join(
        f'<joint name="j{number}" type="{kind}" axis="{" ".join(map(str, axis))}" pos="{" ".join(map(str, point))}"'
        f' ref="{ref}"/>'
        for number, (kind, axis, point, ref) in enumerate(joints)
    )


DRAWN = (0.3, -0.2, 0.5, *quat_of_rotvec((0.2, 0.5, -0.3)))
PLACE = f'pos="0.3 -0.2 0.5" quat="{" ".join(map(repr, DRAWN[3:]))}"'
STACKS = {
    "hinge": [("hinge", (0, 0, 2), (0, 0, 0), 0.0)],
    "hinge with ref": [("hinge", (0, 1, 1), (0.1, 0.2, 0.3), 0.7)],
    "slide with ref": [("slide", (0, 1, 1), (0.1, 0.2, 0.3), -0.4)],
    "at one point": [("hinge", (1, 0, 0), (0, 0, 1), 0.0), ("hinge", (0, 1, 0), (0, 0, 1), 0.0)],
    "at different points": [
        ("hinge", (1, 0, 0), (0, 0, 1), 0.0),
        ("hinge", (0, 1, 0), (0.5, 0, 0), 0.0),
        ("hinge", (0, 0, 1), (0, 0.25, 0), 0.0),
    ],
    "with refs": [
        ("hinge", (1, 0.5, 0), (0, 0, 1), 0.6),
        ("hinge", (0, 1, 0), (0.5, 0, 0), -0.8),
        ("hinge", (0, 0, 1), (0, 0.25, 0), 0.3),
    ],
    "slides after hinges": [
        ("hinge", (0, 0, 1), (1, 0, 0), 0.4),
        ("slide", (1, 0, 0), (0, 0, 0), 0.2),
        ("hinge", (0, 1, 0), (0, 0, 2), -0.3),
        ("slide", (0, 1, 1), (0, 0, 0), -0.1),
    ],
    "six": [
        *(("slide", axis, (0, 0, 0), 0.1) for axis in np.eye(3).tolist()),
        *(("hinge", axis, (0.2, 0, 0), 0.5) for axis in np.eye(3).tolist()),
    ],
}


@pytest.mark.parametrize("name", STACKS)
@pytest.mark.parametrize("seed", range(3))
def test_the_pose_is_the_product_of_screws(name, seed):
    """At q the body is at D S1(q1 - ref1) ... Sn(qn - refn), with its lines in the body as drawn."""
    joints = STACKS[name]
    model = model_of(body(as_text(joints), PLACE), RADIAN)
    (joint,) = model.joints
    q = np.random.default_rng(seed).uniform(-1.0, 1.0, len(joints))
    expected = DRAWN
    for (kind, axis, point, ref), value in zip(joints, q, strict=True):
        expected = compose(expected, screw(kind, axis, point, value - ref))
    require_pose(poses_of(model, {joint.name: q})["b"], expected)


@pytest.mark.parametrize("name", STACKS)
def test_home_is_as_drawn(name):
    """Coordinates start at their refs, where the body is as drawn."""
    model = model_of(body(as_text(STACKS[name]), PLACE), RADIAN)
    (joint,) = model.joints
    assert joint.home == pytest.approx([ref for *_, ref in STACKS[name]])
    require_pose(poses_of(model, {})["b"], DRAWN)


def test_refs_are_in_the_files_unit():
    """ref of a hinge is in degrees as its range is; that of a slide is in metres."""
    model = model_of(body('<joint name="j" ref="90" range="-90 180"/>'))
    joint = model.joint("j")
    assert joint.home == pytest.approx((math.pi / 2.0,))
    assert (joint.axes[0].lower, joint.axes[0].upper) == pytest.approx((-math.pi / 2.0, math.pi))
    slide = model_of(body('<joint name="j" type="slide" ref="0.5" range="-1 1"/>')).joint("j")
    assert (slide.home, slide.axes[0].lower) == ((0.5,), -1.0)


def test_a_ball_after_slides():
    """The ball is a joint of its own behind a link without mass, about its point of the body."""
    joints = """<joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
    <joint name="ball" type="ball" pos="0 0 0.5"/>"""
    model = model_of(body(joints, PLACE))
    assert [joint.type for joint in model.joints] == ["custom", "ball"]
    assert model.link("b_1").mass == 0.0
    turn = quat_of_rotvec((0.3, -0.4, 0.9))
    moved = compose(DRAWN, (0.2, 0.7, 0.0, 1.0, 0.0, 0.0, 0.0))
    about = compose(compose((0, 0, 0.5, 1, 0, 0, 0), (0, 0, 0, *turn)), (0, 0, -0.5, 1, 0, 0, 0))
    q = {model.joints[0].name: (0.2, 0.7), "ball": turn}
    require_pose(poses_of(model, q)["b"], compose(moved, about))


@pytest.mark.parametrize("joint", ["<freejoint/>", '<joint type="free"/>'])
def test_free_bodies(joint):
    """A body with a free joint floats, from where it is drawn."""
    model = model_of(body(joint, PLACE))
    assert model.joints == []
    assert model.link("b").pose == pytest.approx(DRAWN)


def test_free_joints_are_alone_and_in_the_world():
    """Others are errors, as in MuJoCo."""
    assert errors_of(body('<freejoint/><joint name="j"/>')) == ["free-joint"]
    assert errors_of(f"<body>{MASS}{body('<freejoint/>')}</body>") == ["free-joint"]


def test_a_body_in_a_free_body():
    """A hinge in a floating body is in its parent's frame."""
    inner = f'<body name="c" pos="1 0 0">{MASS}<joint name="j" axis="0 1 0"/></body>'
    model = model_of(f'<body name="b" {PLACE}>{MASS}<freejoint/>{inner}</body>')
    expected = compose(compose(DRAWN, (1, 0, 0, 1, 0, 0, 0)), screw("hinge", (0, 1, 0), (0, 0, 0), 0.5))
    require_pose(poses_of(model, {"j": 0.5})["c"], expected)


VALUES = """<joint name="j" type="{}" damping="1 2" armature="0.3" frictionloss="0.4" stiffness="5" springref="{}"
range="-2 1" actuatorfrcrange="-7 7"/>"""


@pytest.mark.parametrize(("kind", "unit"), [("hinge", math.pi / 180.0), ("slide", 1.0)])
def test_values(kind, unit):
    """Each value is where our axes have it; angles are in the file's unit, damping and stiffness per radian."""
    axis = model_of(body(VALUES.format(kind, 0.5))).joint("j").axes[0]
    assert (axis.damping, axis.armature, axis.friction, axis.spring_stiffness) == (1.0, 0.3, 0.4, 5.0)
    assert (axis.lower, axis.upper) == pytest.approx((-2.0 * unit, unit))
    assert axis.spring_reference == pytest.approx(0.5 * unit)
    assert axis.effort == 7.0


def test_values_in_a_stack():
    """Guards that each axis of a stack has the values of its own joint."""
    model = model_of(body('<joint damping="1"/><joint damping="2" range="-1 1" axis="0 1 0"/>'), RADIAN)
    first, second = model.joints[0].axes
    assert (first.damping, second.damping) == (1.0, 2.0)
    assert (first.upper, second.upper) == (math.inf, 1.0)


def test_an_effort_that_is_not_the_same_both_ways():
    """The larger one counts, and a note tells."""
    reading = reading_of(
        "<mujoco><worldbody>" + body('<joint name="j" actuatorfrcrange="-1 3"/>') + "</worldbody></mujoco>"
    )
    assert reading.model.joint("j").axes[0].effort == 3.0
    assert any("here its limit is 3 both ways" in note for note in reading.notes)


def test_a_ball_has_values_on_all_axes():
    """Damping, friction and armature of a ball joint are the same about all its axes; its range is an angle from 0."""
    joint = model_of(body('<joint name="j" type="ball" damping="2" armature="3" range="0 90"/>')).joint("j")
    assert [(axis.damping, axis.armature) for axis in joint.axes[:3]] == [(2.0, 3.0)] * 3
    assert joint.axes[3].upper == pytest.approx(math.pi / 2.0)


def test_classes_reach_free_joints():
    """A <freejoint> takes no values of a class, but a free <joint> does, so that something resists its motion."""
    classes = '<default><joint damping="1"/></default>'
    assert issues_of(body("<freejoint/>"), classes) == []
    assert model_of(body("<freejoint/>"), classes).joints == []
    (joint,) = model_of(body('<joint type="free"/>'), classes).joints
    assert [axis.damping for axis in joint.axes] == [1.0, 1.0]


def test_a_free_joint_that_resists_begins_where_its_body_is_drawn():
    """Guards the pose of a free joint with a friction, as drawn and at a key named home."""
    joint = '<joint type="free" frictionloss="0.5"/>'
    assert poses_of(model_of(body(joint, PLACE)), {})["b"] == pytest.approx(DRAWN)
    key = '<keyframe><key name="home" qpos="1 2 3 0 1 0 0"/></keyframe>'
    model = model_of(body(joint, PLACE), key)
    home = {joint.name: joint.home for joint in model.joints}
    assert poses_of(model, home)["b"] == pytest.approx((1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("joint", "code"),
    [
        ('<joint axis="0 0 0"/>', "zero-axis"),
        ('<joint type="screw"/>', "bad-value"),
        ('<joint damping="much"/>', "bad-number"),
        ('<joint range="1"/>', "bad-number"),
        ('<joint name="j"/><joint name="j" axis="0 1 0"/>', "repeated-name"),
    ],
)
def test_wrong_joints(joint, code):
    """Guards refusals: each text gives exactly one error."""
    assert errors_of(body(joint)) == [code]


def test_no_turn_is_left():
    """Guards joints of a body as drawn at the origin: nothing is moved by rounding."""
    assert model_of(body('<joint name="j"/>')).link("b").pose == IDENTITY
