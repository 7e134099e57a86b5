# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains in place of joints that a format cannot say: they move as the joints did."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limberjack.core.check import check_model
from limberjack.core.dynamics import forward_dynamics
from limberjack.core.formats.substitutes import substituted
from limberjack.core.formats.urdf.tree import can_say
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import link_poses
from limberjack.core.model import WORLD, Axis, Coupling, Joint, Link, Mimic, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.spatial import quat_mul, quat_of_rotvec
from support.models import aimed, dump, matrix, place, random_link, random_pose, random_q, random_tree, random_unit

IN_SERIES = (*(name for name, kind in JOINT_TYPES.items() if kind.columns and not kind.urdf), "custom")
WITH_CHART = ("ball", "free")


def two_links(rng, joint_type, **given_of_joint) -> Model:
    """A link that hangs on the world and, by a joint of the type, another one on it."""
    model = Model(links=[random_link(rng, "inner"), random_link(rng, "outer")])
    axes = [Axis(xyz=random_unit(rng)) for _ in JOINT_TYPES[joint_type].axes or "abc"]
    axes = [] if joint_type in ("fixed", "free") else aimed(joint_type, axes)  # which have none
    if joint_type == "custom":
        screws = ((2.0, 0.0), (0.0, -0.5), (-1.0, 0.3))
        axes = [
            replace(axis, turn=turn, slide=slide, point=random_unit(rng))
            for axis, (turn, slide) in zip(axes, screws, strict=True)
        ]
    model.joints = [
        Joint("base", "revolute", WORLD, "inner", random_pose(rng), random_pose(rng), [Axis(xyz=random_unit(rng))]),
        Joint("j", joint_type, "inner", "outer", random_pose(rng), random_pose(rng), axes, 0.7, **given_of_joint),
    ]
    place(model)
    return model


def chain_values(joint: Joint, q: list[float]) -> list[float]:
    """What the joints of its chain stand at, by what a screw is: turned by so much, and slid by so much."""
    values = []
    for column, value in zip(joint.columns, q, strict=True):
        slide = column.slide_with(joint.pitch)
        values += [part * value for part in (slide, column.turn) if part]
    return values


def chain_of(model: Model) -> list[Joint]:
    return [joint for joint in model.joints if joint.name == "j" or joint.name.startswith("j_")]


def same(poses, others, names=("inner", "outer"), within=1e-9):
    for name in names:
        assert np.abs(matrix(poses[name]) - matrix(others[name])).max() < within


@settings(deadline=None)
@given(st.sampled_from(IN_SERIES), st.integers(0, 10_000), st.booleans())
def test_a_chain_moves_as_the_joint_did(joint_type, seed, locks):
    """Guards frames, directions, factors and locked axes of every type of several columns, by its own screws."""
    rng = np.random.default_rng(seed)
    model = two_links(rng, joint_type)
    joint = model.joint("j")
    if locks and len(joint.axes) > 1:
        held = rng.integers(len(joint.all_columns))
        joint.axes[held] = replace(joint.axes[held], locked="locked" in joint.kind.slot(held).fields)
        joint.home = tuple(rng.normal(size=len(joint.home)).tolist())
        place(model)
    before = dump(model)
    written, _ = substituted(model, can_say)
    assert dump(model) == before
    assert all(can_say(one) for one in written.joints)
    assert not [issue for issue in check_model(written) if issue.is_error]
    q = rng.normal(size=joint.nq).tolist()
    at = dict(zip([one.name for one in chain_of(written)], chain_values(joint, q), strict=True))
    same(link_poses(model, {"base": 0.4, "j": q}), link_poses(written, {"base": 0.4} | at))
    drawn = link_poses(written)
    same(drawn, {link.name: link.pose for link in written.links}, [link.name for link in written.links])


@settings(deadline=None)
@given(st.sampled_from(WITH_CHART), st.integers(0, 10_000), st.tuples(*[st.floats(-1.5, 1.5)] * 6))
def test_hinges_reach_what_a_quaternion_says(joint_type, seed, values):
    """Guards the order and frames of three hinges, and of slides before them: turns about x, then y, then z."""
    model = two_links(np.random.default_rng(seed), joint_type)
    slides, angles = (values[:3], values[3:]) if joint_type == "free" else ((), values[3:])
    quat = (1.0, 0.0, 0.0, 0.0)
    for angle, axis in zip(angles, np.eye(3), strict=True):
        quat = quat_mul(quat, quat_of_rotvec(tuple(angle * axis)))
    model.joint("j").home = (*slides, *quat)
    written, told = substituted(model, can_say)
    assert len(told) == 1
    assert "singular" in told[0]
    at = {joint.name: value for joint, value in zip(chain_of(written), (*slides, *angles), strict=True)}
    same(link_poses(model, {"j": [*slides, *quat]}), link_poses(written, at))
    assert [joint.home[0] for joint in chain_of(written)] == pytest.approx([*slides, *angles], abs=1e-9)


@pytest.mark.parametrize("direction", [(0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)])
def test_a_cone_and_a_twist_become_limits(direction):
    """The first two hinges lean by the cone's half angle, and the third twists about its axis, wherever that points."""
    model = two_links(np.random.default_rng(1), "ball")
    joint = model.joint("j")
    joint.axes[3] = Axis(xyz=direction, upper=0.5)
    joint.axes[4] = Axis(lower=-0.2, upper=0.3)
    written, _ = substituted(model, can_say)
    assert [(one.axes[0].lower, one.axes[0].upper) for one in chain_of(written)] == [(-0.5, 0.5)] * 2 + [(-0.2, 0.3)]
    turned = quat_of_rotvec(tuple((0.25 * np.array(direction)).tolist()))
    same(link_poses(model, {"j": turned}), link_poses(written, {"j_3": 0.25}))


def test_axes_keep_what_they_have():
    """Limits, losses, springs, motors and home of each axis go to the joint that it becomes."""
    axis = Axis(lower=-1.0, upper=2.0, damping=0.1, friction=0.2, effort=3.0, velocity=4.0, armature=0.5)
    axis = replace(axis, spring_stiffness=6.0, spring_reference=0.7, xyz=(1.0, 0.0, 0.0))
    model = two_links(np.random.default_rng(0), "universal")
    model.joint("j").axes, model.joint("j").home = [Axis(), axis], (0.0, 0.25)
    written, told = substituted(model, can_say)
    assert [one.name for one in chain_of(written)] == ["j_1", "j_2"]
    assert [one.type for one in chain_of(written)] == ["continuous", "revolute"]
    assert written.joint("j_2").axes == [axis]
    assert written.joint("j_2").home == (0.25,)
    assert told == ["joint 'j' (universal) is written as 'j_1' (continuous), 'j_2' (revolute)"]


def test_a_screw_is_a_slide_that_a_hinge_follows():
    """2 pi / pitch radians a metre; its limits in metres, and forces such that work stays the same."""
    model = two_links(np.random.default_rng(0), "screw")
    model.joint("j").axes = [Axis(lower=-math.tau, upper=math.pi, damping=2.0, effort=3.0, spring_stiffness=4.0)]
    written, _ = substituted(model, can_say)
    slide, hinge = chain_of(written)
    per_radian = 0.7 / math.tau
    assert (slide.type, hinge.type) == ("prismatic", "continuous")
    assert (slide.axes[0].lower, slide.axes[0].upper) == pytest.approx((-0.7, 0.35))
    assert slide.axes[0].damping * per_radian**2 == pytest.approx(2.0)
    assert slide.axes[0].effort * per_radian == pytest.approx(3.0)
    assert slide.axes[0].spring_stiffness * per_radian**2 == pytest.approx(4.0)
    assert (hinge.mimic.leader, hinge.mimic.multiplier) == ("j_1", pytest.approx(math.tau / 0.7))


def test_a_compliant_stop_does_the_same_work():
    """Guards stops on a coordinate of another size: k x (1 + d v) acts along 2 pi / pitch times as much a radian."""
    model = two_links(np.random.default_rng(0), "screw")
    model.joint("j").axes = [Axis(upper=0.0, stiffness=900.0, dissipation=0.4)]
    axis = chain_of(substituted(model, can_say)[0])[0].axes[0]
    per_radian, depth, rate = 0.7 / math.tau, 0.02, 1.5
    torque = 900.0 * depth * (1.0 + 0.4 * rate)
    force = axis.stiffness * depth * per_radian * (1.0 + axis.dissipation * rate * per_radian)
    assert force * per_radian == pytest.approx(torque)


@pytest.mark.parametrize("joint_type", ["universal", "cylindrical", "d6", "translation", "euler_zyx", "planar"])
def test_links_in_between_weigh_next_to_nothing(joint_type):
    """The accelerations of a chain are the joint's within a millionth."""
    rng = np.random.default_rng(3)
    model = two_links(rng, joint_type)
    written, _ = substituted(model, lambda joint: len(joint.columns) == 1)
    ours, theirs = compile_model(model), compile_model(written)
    q, qd, tau = (rng.normal(size=ours.nv) for _ in range(3))
    expected = forward_dynamics(ours, q, qd, tau)
    found = forward_dynamics(theirs, q, qd, tau)
    assert np.abs(found - expected).max() < 1e-6 * np.abs(expected).max()


def test_followers_follow_what_their_leaders_become():
    """A mimic of a screw follows its slide now, by what that measures; a gear between two axes keeps its ratio."""
    model = two_links(np.random.default_rng(0), "screw")
    model.links.append(Link("third"))
    model.joints.append(Joint("f", "universal", "outer", "third", mimic=Mimic("j", 3.0, 0.1, 0.2, axis=1)))
    model.couplings = [Coupling("gear", "gear", [("j", 0), ("f", 0)], ratio=2.0, offset=0.5)]
    written, _ = substituted(model, can_say)
    slide = 0.7 / math.tau
    mimic = written.joint("f_2").mimic
    assert (mimic.leader, mimic.leader_axis, mimic.axis) == ("j_1", 0, 0)
    assert mimic.multiplier * (slide * 1.3 - mimic.reference) + mimic.offset == pytest.approx(3.0 * (1.3 - 0.2) + 0.1)
    gear = written.couplings[0]
    assert gear.axes == [("j_1", 0), ("f_1", 0)]
    assert gear.ratio * slide * 1.3 + gear.offset == pytest.approx(2.0 * 1.3 + 0.5)


def test_equations_of_three_count_in_the_new_units():
    """Guards a differential with a screw, whose angle becomes a length: it becomes a sum with other weights."""
    model = two_links(np.random.default_rng(0), "screw")
    for name in ("third", "fourth"):
        model.links.append(Link(name))
        model.joints.append(Joint(f"j_{name}", "revolute", "outer", name))
    axes = [("j", 0), ("j_third", 0), ("j_fourth", 0)]
    model.couplings = [Coupling("bevels", "differential", axes, ratio=2.0, offset=0.5)]
    found = substituted(model, can_say)[0].couplings[0]
    assert found.axes == [("j_1", 0), ("j_third", 0), ("j_fourth", 0)]
    assert found.weights == pytest.approx([-3.0 / (0.7 / math.tau), 1.0, 2.0])
    assert found.offset == 0.5


def test_what_has_no_substitute_stays():
    """Ropes, cables, joints that close loops and joints that are off are left as they are, and nothing is told."""
    model = random_tree(0, len(JOINT_TYPES))
    kept = [joint for joint in model.joints if joint.type in ("distance", "cable")]
    model.joint(next(joint.name for joint in model.joints if joint.type == "ball")).enabled = False
    model.joints.append(Joint("loop", "universal", "link3", "link9", closes_loop=True))
    written, told = substituted(model, can_say)
    assert all(joint in written.joints for joint in (*kept, model.joints[-1]))
    assert not any("'loop'" in line or "ball" in line for line in told)


def test_a_whole_tree_stands_as_it_stood():
    """Guards names that clash and chains behind chains: every link of a tree of all types is where it was."""
    model = random_tree(5, 2 * len(JOINT_TYPES))
    model.joints[0].name = "joint9_1"
    written, _ = substituted(model, can_say)
    assert len({joint.name for joint in written.joints}) == len(written.joints)
    same(link_poses(model), link_poses(written), [link.name for link in model.links])
    assert random_q(written, 0)
