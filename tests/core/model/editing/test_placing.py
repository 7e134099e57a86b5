# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint frames, and the links that follow them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import tree_poses
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, ModelError
from limberjack.core.model.editing.placing import set_dh, set_frames
from support.models import dump, matrix, random_graph, random_pose, random_tree


def dh(q, a, alpha, d, theta):
    """The product of four matrices, Rz Tz Tx Rx."""
    c, s = math.cos(theta + q), math.sin(theta + q)
    ca, sa = math.cos(alpha), math.sin(alpha)
    turn = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, d], [0, 0, 0, 1]])
    return turn @ np.array([[1, 0, 0, a], [0, ca, -sa, 0], [0, sa, ca, 0], [0, 0, 0, 1]])


def craig(q, a, alpha, d, theta):
    """The product of four matrices, Rx Tx Rz Tz."""
    c, s = math.cos(theta + q), math.sin(theta + q)
    ca, sa = math.cos(alpha), math.sin(alpha)
    arm = np.array([[1, 0, 0, a], [0, ca, -sa, 0], [0, sa, ca, 0], [0, 0, 0, 1]])
    return arm @ np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, d], [0, 0, 0, 1]])


@pytest.mark.parametrize(("modified", "expected"), [(False, dh), (True, craig)])
@pytest.mark.parametrize("joint_type", ["revolute", "prismatic", "fixed", "cylindrical", "custom"])
def test_rows_of_a_table_place_the_child(modified, expected, joint_type):
    """Guards both Denavit-Hartenberg conventions, on joints that turn and joints that slide, whatever the axis was."""
    row = (0.3, 0.7, -0.2, 0.4)
    axes = [Axis(xyz=(0.6, 0.0, 0.8), point=(1.0, 2.0, 3.0))] * (joint_type != "fixed")
    model = Model(links=[Link("a"), Link("b")], joints=[Joint("j", joint_type, WORLD, "a", axes=axes)])
    model.joints.append(Joint("k", "fixed", "a", "b", X_PJ=(1.0, 0, 0, 1, 0, 0, 0)))
    set_dh(model, "j", *row, modified=modified)
    a, alpha, d, theta = row
    placed = matrix(model.link("a").pose)
    np.testing.assert_allclose(placed, expected(0.0, *row), atol=1e-14)
    np.testing.assert_allclose(matrix(model.link("b").pose), placed @ matrix((1.0, 0, 0, 1, 0, 0, 0)), atol=1e-14)
    for q in (-1.1, 0.5):
        slid, turned = {"prismatic": (q, 0.0), "fixed": (0.0, 0.0), "cylindrical": (q, 0.25)}.get(joint_type, (0.0, q))
        values = {"prismatic": q, "fixed": None, "cylindrical": [q, 0.25]}.get(joint_type, q)
        found = tree_poses(model, {} if values is None else {"j": values})["a"]
        np.testing.assert_allclose(matrix(found), expected(turned, a, alpha, d + slid, theta), atol=1e-14)


@pytest.mark.parametrize("joint_type", ["universal", "planar", "ball", "free", "d6", "euler_zyx"])
def test_a_row_is_of_one_axis(joint_type):
    """Guards joints that a table cannot describe, which stay as they are."""
    model = Model(links=[Link("a")], joints=[Joint("j", joint_type, WORLD, "a")])
    before = dump(model)
    with pytest.raises(ModelError, match=rf"joint 'j' \({joint_type}\) has more than the one axis.*replace_joint"):
        set_dh(model, "j", 0.0, 0.0, 1.0)
    assert dump(model) == before


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 30), st.integers(0, 25), st.sampled_from(["X_PJ", "X_CJ"]))
def test_only_what_a_joint_carries_moves_with_it(seed, number, side):
    """Guards poses after a change of frames: those that kinematics gives, and to the last bit where nothing changed."""
    model = random_graph(seed, 24, loops=2, floats=seed % 3 == 0)
    joint = model.joints[number % len(model.joints)]
    before, tree = model.copy(), model.tree()
    branch = next((branch for branch in tree.branches if branch.joint is joint), None)
    carried = tree.links_from(branch.outer) if branch else []
    set_frames(model, joint.name, **{side: random_pose(np.random.default_rng(seed))})
    for name, pose in tree_poses(model).items():
        if name in carried:
            np.testing.assert_allclose(matrix(model.link(name).pose), matrix(pose), atol=1e-10)
            X_BL = [
                np.linalg.solve(matrix(m.link(branch.outer).pose), matrix(m.link(name).pose)) for m in (model, before)
            ]
            np.testing.assert_allclose(*X_BL, atol=1e-10)
            assert model.link(name).pose != before.link(name).pose
        else:
            assert model.link(name).pose == before.link(name).pose


def test_frames_that_stay_move_nothing():
    """Guards the last bit: setting what is there already moves no link, by pose or by matrix."""
    model = random_tree(5)
    poses = {link.name: link.pose for link in model.links}
    for joint in model.joints:
        set_frames(model, joint.name, matrix(joint.X_PJ), joint.X_CJ)
        set_frames(model, joint.name)
    assert {link.name: link.pose for link in model.links} == poses


def test_matrices_and_poses_mean_the_same():
    """Guards the reading of 4 x 4 matrices, nested lists among them."""
    model = Model(links=[Link("a")], joints=[Joint("j", "revolute", WORLD, "a")])
    pose = random_pose(np.random.default_rng(7))
    set_frames(model, "j", X_PJ=matrix(pose).tolist())
    np.testing.assert_allclose(matrix(model.joint("j").X_PJ), matrix(pose), atol=1e-15)
    assert model.joint("j").X_CJ == (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.diag([1.0, 1.0, -1.0, 1.0]), r"no rotation \(determinant -1\)"),
        (np.diag([1.0, 1.00001, 1.0, 1.0]), "no rotation"),
        (np.eye(4) + np.eye(4, k=-3), r"the last row is \[1.0, 0.0, 0.0, 1.0\]; it must be 0 0 0 1"),
        (np.full((4, 4), math.nan), "finite numbers"),
        (np.eye(3), "a pose .* or a 4 x 4 matrix"),
        ((0, 0, 0, 1, 1, 0, 0), "has length 1.41421; it must be 1"),
        ("here", "found 'here'"),
    ],
)
def test_what_is_no_pose_is_refused(X, words):
    """Guards the messages, which name joint and side, and that a refused change is none."""
    model = Model(links=[Link("a")], joints=[Joint("j", "revolute", WORLD, "a")])
    before = dump(model)
    with pytest.raises(ModelError, match=f"joint 'j': X_CJ.*{words}"):
        set_frames(model, "j", (1.0, 0, 0, 1, 0, 0, 0), X)
    assert dump(model) == before


@pytest.mark.parametrize("place", [lambda m: set_dh(m, "j", 1.0, 0.0, 0.0), lambda m: set_frames(m, "j", np.eye(4))])
def test_nothing_changes_where_joints_do_not_fit(place):
    """Guards the axis and the frames of a joint in a model whose other joints name what is not there."""
    model = Model(links=[Link("a")], joints=[Joint("j", "revolute", WORLD, "a", axes=[Axis((1.0, 0.0, 0.0))])])
    model.joints.append(Joint("k", "fixed", "a", "nix"))
    before = dump(model)
    with pytest.raises(ModelError, match="joint 'k': there is no link 'nix'"):
        place(model)
    assert dump(model) == before


def test_types_are_all_asked():
    """Guards the random models used here: every type occurs in them, backward ones and locked axes as well."""
    models = [random_graph(seed) for seed in range(4)]
    assert {joint.type for model in models for joint in model.joints} == set(JOINT_TYPES)
    assert any(branch.backward and branch.joint.nv > 1 for model in models for branch in model.tree().branches)
    assert any(axis.locked for model in models for joint in model.joints for axis in joint.axes)
