# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that are added at a point and along an axis of the world, between links that stay where they are."""

import math

import numpy as np
import pytest

import limberjack as lj
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import tree_poses
from support.models import dump, matrix, random_pose

POINT, AXIS = (0.3, -1.2, 0.7), (2.0, -1.0, 2.0)
DIRECTION = np.divide(AXIS, 3.0)


def two_links(seed=0):
    """Link a is fixed to the world, link b floats; both stand anywhere."""
    rng = np.random.default_rng(seed)
    model = lj.Model(links=[lj.Link(name, pose=random_pose(rng)) for name in "ab"])
    lj.fix_base(model, "a")
    return model


def moved(turn=0.0, slide=0.0, point=POINT, direction=DIRECTION):
    """A rotation [rad] about the line through a point of the world and a slide [m] along it, as a 4 x 4 matrix."""
    K = np.array([[0, -direction[2], direction[1]], [direction[2], 0, -direction[0]], [-direction[1], direction[0], 0]])
    X = np.eye(4)
    X[:3, :3] += math.sin(turn) * K + (1.0 - math.cos(turn)) * K @ K
    X[:3, 3] = point - X[:3, :3] @ point + slide * np.asarray(direction)
    return X


@pytest.mark.parametrize("joint_type", JOINT_TYPES)
def test_links_stay_where_they_are(joint_type):
    """Guards every type: the links have the same poses, bit for bit, and the frames coincide at the point."""
    axes = [lj.Axis(), lj.Axis((0.0, 1.0, 0.0))] if joint_type in ("universal", "revolute2") else []
    model = two_links()
    before = {link.name: link.pose for link in model.links}
    joint = lj.Joint("j", joint_type, "a", "b", axes=axes)
    lj.add_joint(model, joint, point=POINT, axis=AXIS)
    assert {link.name: link.pose for link in model.links} == before
    for link, X in (("a", joint.X_PJ), ("b", joint.X_CJ)):
        at = matrix(before[link]) @ matrix(X)
        np.testing.assert_allclose(at[:3, 3], POINT, atol=1e-14)
        np.testing.assert_allclose(at[:3, 2], DIRECTION, atol=1e-14)
    np.testing.assert_allclose(matrix(tree_poses(model)["b"]), matrix(before["b"]), atol=1e-14)


@pytest.mark.parametrize("as_xyz", [False, True])
@pytest.mark.parametrize(
    ("joint_type", "q", "expected"),
    [
        ("revolute", 0.8, moved(0.8)),
        ("prismatic", 0.8, moved(0.0, 0.8)),
        ("screw", 0.8, moved(0.8, 0.8 * 0.1 / math.tau)),
        ("cylindrical", (0.4, 0.8), moved(0.8, 0.4)),
    ],
)
def test_a_joint_moves_its_child_about_the_line(joint_type, q, expected, as_xyz):
    """Guards both ways to give the direction, `axis` and the Axis of the joint: Rodrigues' formula in the world."""
    model = two_links(1)
    axes = [lj.Axis(tuple(DIRECTION), damping=1.0)] if as_xyz else []
    joint = lj.Joint("j", joint_type, "a", "b", axes=axes, pitch=0.1)
    lj.add_joint(model, joint, np.array(POINT), None if as_xyz else list(AXIS))
    found = tree_poses(model, {"j": q})["b"]
    np.testing.assert_allclose(matrix(found), expected @ matrix(model.link("b").pose), atol=1e-14)


def test_a_loop_is_closed_as_drawn():
    """Guards a joint between links that are connected already: it closes the loop, and nothing moves."""
    model = two_links()
    lj.add_joint(model, lj.Joint("j", "revolute", "a", "b"), POINT, AXIS)
    lj.add_joint(model, lj.Joint("k", "revolute", lj.WORLD, "b"), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    (loop,) = model.tree().loops
    assert loop.name == "k"
    ends = [matrix(model.link("b").pose) @ matrix(loop.X_CJ), matrix(loop.X_PJ)]
    np.testing.assert_allclose(*ends, atol=1e-14)


def test_a_locked_axis_that_is_not_at_zero_moves_nothing():
    """Guards the pose of links behind a locked axis whose home is not 0."""
    model = two_links()
    before = {link.name: link.pose for link in model.links}
    axes = [lj.Axis(locked=True), lj.Axis((0.0, 1.0, 0.0))]
    lj.add_joint(model, lj.Joint("j", "universal", "a", "b", axes=axes, home=(0.4, 0.0)), POINT)
    assert {link.name: link.pose for link in model.links} == before
    np.testing.assert_allclose(matrix(tree_poses(model)["b"]), matrix(before["b"]), atol=1e-14)


def test_an_end_may_be_a_named_frame():
    """Guards points of the world where an end is a frame: the frame names its link, and its pose has no effect."""
    model, other = two_links(), two_links()
    model.frames = [lj.Frame("flange", "a", random_pose(np.random.default_rng(5)))]
    lj.add_joint(model, lj.Joint("j", "revolute", "flange", "b"), POINT, AXIS)
    lj.add_joint(other, lj.Joint("j", "revolute", "a", "b"), POINT, AXIS)
    assert model.joint("j") == other.joint("j")


@pytest.mark.parametrize(
    ("joint", "arguments", "message"),
    [
        ({}, {"axis": AXIS}, r"joint 'j' has an axis in the world, but no point on it; give point=\(x, y, z\), too"),
        ({}, {"point": (1.0, 2.0)}, r"joint 'j': point takes three finite numbers, found \(1\.0, 2\.0\)"),
        ({}, {"point": POINT, "axis": "z"}, "joint 'j': axis takes three finite numbers, found 'z'"),
        ({}, {"point": POINT, "axis": (0, 0, 0)}, "joint 'j': axis is 0 0 0; give it a direction"),
        ({}, {"point": (0.0, 0.0, math.nan)}, "joint 'j': point takes three finite numbers"),
        ({"X_PJ": random_pose(np.random.default_rng(0))}, {"point": POINT}, "joint 'j' has frames and a point; leave"),
        ({"axes": [lj.Axis((0, 1, 0))]}, {"point": POINT, "axis": AXIS}, r"joint 'j' has two directions, axis=\(2\.0"),
    ],
)
def test_what_is_not_clear_changes_nothing(joint, arguments, message):
    """Guards two answers to one question, and points that are none."""
    model = two_links()
    before = dump(model)
    with pytest.raises(lj.ModelError, match=message):
        lj.add_joint(model, lj.Joint("j", "revolute", "a", "b", **joint), **arguments)
    assert dump(model) == before
