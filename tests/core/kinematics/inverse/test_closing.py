# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that obey loops, mimics and couplings, against trigonometry, and refusals of those that cannot."""

import math

import numpy as np
import pytest

from limberjack.core.kinematics import (
    closed_state,
    forward_kinematics,
    free_motions,
    joint_coordinates,
    link_jacobian,
    link_poses,
    mobility,
    tree_kinematics,
    tree_poses,
)
from limberjack.core.model import WORLD, Link, Mimic, Model, StateError
from limberjack.core.model.compiling.compile import compile_model
from support import planar
from support.linkages import apart, upright_four_bar
from support.mechanisms import Z, join


def four_bar(closing="rocker_pivot"):
    model = upright_four_bar()
    model.joint(closing).closes_loop = True
    return model


def angles(poses):
    """About z [rad], of the three links."""
    return [turn_of(poses[name]) for name in ("crank", "coupler", "rocker")]


def turn_of(pose):
    return math.remainder(2.0 * math.atan2(pose[6], pose[3]), math.tau)


def gripper():
    """Two fingers at the end of an arm; the second turns against the first."""
    model = Model(links=[Link("arm"), Link("left"), Link("right")])
    join(model, "shoulder", "revolute", WORLD, "arm", (0.0, 0.0, 0.0), Z)
    join(model, "first", "revolute", "arm", "left", (1.0, 0.1, 0.0), Z)
    second = join(model, "second", "revolute", "arm", "right", (1.0, -0.1, 0.0), Z)
    second.mimic = Mimic("first", multiplier=-1.0, offset=0.05)
    return model


@pytest.mark.parametrize("closing", ["crank_pin", "rocker_pin", "rocker_pivot"])
@pytest.mark.parametrize("theta", [0.0, 0.9, -0.6])
def test_a_loop_follows_its_crank(closing, theta):
    """Guards `link_poses` and `closed_state`: one joint given, all links stand where two circles meet."""
    model = four_bar(closing)
    assert angles(link_poses(model, {"crank_pivot": theta})) == pytest.approx(planar.turns(theta), abs=1e-9)
    rates = planar.slope(planar.turns, theta)
    for split in (False, True):
        compiled = compile_model(model, split_loops=split)
        q, qd = closed_state(compiled, {"crank_pivot": theta}, {"crank_pivot": 2.0})
        X_WL, V_WL = forward_kinematics(compiled, q, qd)
        assert angles(dict(zip(compiled.link_names, X_WL, strict=True))) == pytest.approx(planar.turns(theta), abs=1e-9)
        assert V_WL[:, 5] == pytest.approx(2.0 * rates, abs=1e-8)


def test_a_mimic_follows_its_leader():
    """Guards `link_poses` of grippers: the leader alone is given, an offset counts; the tree's walk stays as it was."""
    poses = link_poses(gripper(), {"shoulder": 0.3, "first": 0.2})
    assert [turn_of(poses[name]) for name in ("arm", "left", "right")] == pytest.approx([0.3, 0.5, 0.15])
    assert link_poses(gripper())["right"][6] == pytest.approx(math.sin(0.025))
    assert tree_poses(gripper(), {"first": 0.2})["right"][6] == pytest.approx(0.0)


def test_what_cannot_be_kept_is_refused():
    """Guards open answers: each refusal names the loop or coupling, how far it is off, and what to do."""
    with pytest.raises(StateError, match=r"'crank_pin' as given, loop joint 'rocker_pivot' is open: .* fewer joints"):
        link_poses(four_bar(), {"crank_pivot": 0.5, "crank_pin": 0.1})
    with pytest.raises(StateError, match=r"'second' as given, coupling 'second' is off by 0\.55 rad"):
        link_poses(gripper(), {"first": 0.2, "second": 0.4})
    with pytest.raises(StateError, match="joint 'crank_pin' cannot have the velocities given"):
        closed_state(compile_model(four_bar()), {}, {"crank_pivot": 1.0, "crank_pin": 1.0})
    tree = compile_model(four_bar(), split_loops=False)
    q, qd = closed_state(tree, {"crank_pivot": 0.5}, {"crank_pivot": 1.0})
    with pytest.raises(
        StateError, match=r"'rocker_pivot' is open: .* kinematics.closed_state\(compiled, {joint: value}"
    ):
        forward_kinematics(tree, q + 0.01)
    with pytest.raises(StateError, match=r"'rocker_pivot' opens at"):
        forward_kinematics(tree, q, 2.0 * qd + 0.1)
    with pytest.raises(StateError, match=r"coupling 'second' is left at 2 rad/s"):
        forward_kinematics(compile_model(gripper()), [0.0, 0.0, 0.05], [0.0, 1.0, 1.0])
    assert np.isfinite(tree_kinematics(tree, q + 0.01, qd)[0]).all()


def test_free_motions_are_how_poses_change():
    """Guards `free_motions`: its columns are finite differences of closed states, and J Z those of poses."""
    compiled, h = compile_model(four_bar(), split_loops=True), 1e-5
    q, _ = closed_state(compiled, {"crank_pivot": 0.5})
    ends = [closed_state(compiled, {"crank_pivot": 0.5 + step})[0] for step in (h, -h)]
    Z_crank = free_motions(compiled, q, leading=["crank_pivot"])
    assert Z_crank[:, 0] == pytest.approx((ends[0] - ends[1]) / (2.0 * h), abs=1e-5)
    free = free_motions(compiled, q)
    assert free.T @ free == pytest.approx(np.eye(1))
    places = [tree_kinematics(compiled, end)[0][2, :3] for end in ends]
    moved = link_jacobian(compiled, q, "rocker", leading=["crank_pivot"])
    assert moved[:3, 0] == pytest.approx((places[0] - places[1]) / (2.0 * h), abs=1e-5)
    with pytest.raises(StateError, match="have 2 velocities, and do not decide the 1 ways"):
        free_motions(compiled, q, leading=["crank_pivot", "rocker_pivot"])
    with pytest.raises(StateError, match=r"link 'rocker' is moved by joints that .* tie.*leading"):
        link_jacobian(compiled, q, "rocker")


def test_jacobians_of_what_is_not_tied_are_given():
    """Guards an arm whose gripper mimics: that of the arm is there, that of a finger is refused."""
    compiled = compile_model(gripper())
    q, _ = closed_state(compiled, {"shoulder": 0.3, "first": 0.2})
    assert link_jacobian(compiled, q, "arm", (1.0, 0.0, 0.0))[:, 0] == pytest.approx(
        [-math.sin(0.3), math.cos(0.3), 0.0, 0.0, 0.0, 1.0]
    )
    with pytest.raises(StateError, match="link 'right'"):
        link_jacobian(compiled, q, "right")


def test_coordinates_of_loop_joints_are_read_off_links():
    """Guards `joint_coordinates`: with split loops all coordinates return, and an open loop is among the gaps."""
    compiled = compile_model(four_bar(), split_loops=True)
    q, qd = closed_state(compiled, {"crank_pivot": 0.5}, {"crank_pivot": 1.0})
    X_WL, V_WL = forward_kinematics(compiled, q, qd)
    found = joint_coordinates(compiled, X_WL, V_WL)
    assert found.q == pytest.approx(q, abs=1e-9)
    assert found.qd == pytest.approx(qd, abs=1e-9)
    assert found.residual < 1e-9
    X_WL[2, 2] += 0.25
    for split in (False, True):
        off = joint_coordinates(compile_model(four_bar(), split_loops=split), X_WL).gaps
        assert off["rocker_pivot"].distance == pytest.approx(0.25)


def test_mobility_is_counted_where_loops_are_closed():
    """Guards `mobility` at a pose: the rest follows what is given, and what cannot be is refused."""
    assert mobility(four_bar(), {"crank_pivot": 0.7}).by_rank == 1
    with pytest.raises(StateError, match="is open"):
        mobility(four_bar(), {"crank_pivot": 0.7, "crank_pin": 0.3})


@pytest.mark.parametrize("split", [False, True])
def test_poses_of_all_joints_are_those_of_the_tree(split):
    """Guards that a closed state given whole is taken as it is, with the loop joint or without."""
    compiled = compile_model(four_bar(), split_loops=split)
    q, _ = closed_state(compiled, {"crank_pivot": 0.5})
    poses = link_poses(four_bar(), compiled.q_by_joint(q))
    assert apart(np.array([*poses.values()]), tree_kinematics(compiled, q)[0]) < 1e-9
