# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that move: joints follow them without a jump, past singular poses, out of reach and back."""

import math

import numpy as np
import pytest

from limberjack.core.kinematics import Reacher, Target, compile_for_posing
from limberjack.core.kinematics.inverse.warm_up import warm_up
from support.arms import FORE, HAND, UPPER, hand_at, planar_chain, sector, two_links
from support.reaching import ROBOTS, link_matrices, pose_of
from support.shared import needs_corpus

EQUAL_HAND = (2.0, 0.0, 0.0)
"""Of an arm whose links are 1 m each."""


@pytest.fixture(autouse=True, scope="module")
def _compiled():
    """Thousands of poses take too long uncompiled."""
    warm_up()


def follow(model, targets, start):
    """(coordinates, shape (n, nq), what was told) along a path, each reached from the one before."""
    compiled = compile_for_posing(model)
    reacher, q = Reacher(compiled, targets[:1]), np.array(start, float)
    poses, told = [], []
    for target in targets:
        reacher.set_targets([target])
        told.append(reacher.reach(q))
        poses.append(q.copy())
    return np.array(poses), told


def places(points, link="fore", point=HAND):
    return [Target(link, place=tuple(at), point=point) for at in points]


def steps_of(poses) -> np.ndarray:
    """The largest change of a coordinate in each step."""
    return np.abs(np.diff(poses, axis=0)).max(axis=1)


def line(start, end, count) -> np.ndarray:
    return np.linspace(start, end, count + 1)


def least_gain(shoulder: float, elbow: float, upper: float, fore: float) -> float:
    """The hand's least speed for joint rates of length 1, from the Jacobian written by hand."""
    x, y, _ = hand_at(shoulder, elbow, upper, fore)
    tip = hand_at(0.0, shoulder + elbow, 0.0, fore)
    return float(np.linalg.svd(np.array([[-y, -tip[1]], [x, tip[0]]]))[1][-1])


def test_through_the_base():
    """An arm of equal links that folds as its hand passes over the shoulder goes on on the other side.

    At the shoulder the hand's direction is anything, and what moves least keeps it: no joint moves faster than where
    the path begins.
    """
    poses, told = follow(
        two_links(1.0, 1.0),
        places(line((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), 400), point=EQUAL_HAND),
        (-math.pi / 3, math.tau / 3),
    )
    assert all(each.is_reached for each in told)
    assert steps_of(poses).max() < 1.2 * (2.0 / 400)
    assert poses[-1] == pytest.approx([-math.tau / 3, 2.0 * math.tau / 3], abs=1e-3)


@pytest.mark.parametrize("beside", [0.05, 0.2])
def test_beside_the_base(beside):
    """Near a singular pose joints must be fast, and are no faster than the Jacobian there asks for."""
    step = 2.0 / 400
    start = math.acos((1.0 + beside**2 - 2.0) / 2.0)
    shoulder = math.atan2(beside, 1.0) - start / 2.0
    path = places(line((1.0, beside, 0.0), (-1.0, beside, 0.0), 400), point=EQUAL_HAND)
    poses, told = follow(two_links(1.0, 1.0), path, (shoulder, start))
    assert all(each.is_reached for each in told)
    gains = np.array([least_gain(*pose, 1.0, 1.0) for pose in poses])
    assert (steps_of(poses) < 1.1 * step / np.minimum(gains[1:], gains[:-1])).all()


def test_along_the_edge_of_reach():
    """The arm all but stretched, where its elbow can hardly be told, goes round without a jump."""
    turns = np.linspace(0.0, math.tau, 721)
    points = [((UPPER + FORE - 1e-6) * math.cos(turn), (UPPER + FORE - 1e-6) * math.sin(turn), 0.0) for turn in turns]
    poses, told = follow(two_links(), places(points), (0.0, 1e-3))
    assert all(each.is_reached for each in told)
    assert steps_of(poses[1:]).max() < 2.0 * (math.tau / 720)
    assert poses[-1] == pytest.approx(poses[0] + [math.tau, 0.0], abs=1e-3)


@needs_corpus
@pytest.mark.parametrize("seed", range(5))
def test_through_a_singular_wrist(seed):
    """A path that a robot takes with its wrist passing through zero is followed through that, and on the same side.

    Bound: twice the largest step that the joints make on the way by which the path was made.
    """
    robot, rng = ROBOTS["ur5"], np.random.default_rng(seed)
    compiled = compile_for_posing(robot.model())
    begin = np.array([0.3, -1.2, 1.4, -0.8, -0.5, 0.2]) + 0.1 * rng.normal(size=6)
    end = begin + 0.3 * rng.normal(size=6)
    wrist = list(compiled.spans).index("wrist_2_joint")
    end[wrist] = -begin[wrist]
    ways = line(begin, end, 200)
    assert np.abs(ways[100, wrist]) < 1e-12
    poses = [pose_of(link_matrices(compiled, compiled.q_by_joint(q))["tool0"]) for q in ways]
    found, told = follow(robot.model(), [Target("tool0", place=X[:3], turn=X[3:]) for X in poses], begin)
    assert all(each.is_reached for each in told)
    assert steps_of(found).max() < 2.0 * steps_of(ways).max()
    assert found[-1] == pytest.approx(end, abs=1e-6)


@pytest.mark.parametrize("elbow", [0.6, 2.0])
@pytest.mark.parametrize("angle", [-2.0, 0.4])
def test_out_of_reach_and_back(elbow, angle):
    """A hand that is led out of reach and back ends where it began, by an elbow that bends one way."""
    model = two_links()
    model.joint("elbow").axes[0].lower = 0.0
    near = np.array(hand_at(angle, elbow))
    path = line(near, 3.0 * near / np.linalg.norm(near), 150)
    poses, told = follow(model, places([*path, *path[::-1]]), (angle, elbow))
    assert max(each.distance for each in told) == pytest.approx(3.0 - UPPER - FORE, abs=1e-6)
    assert poses[-1] == pytest.approx([angle, elbow], abs=1e-3)
    assert steps_of(poses).max() < 0.3


def test_without_a_limit_the_elbow_may_come_back_bent_the_other_way():
    """Stretched, an elbow has no side: the hand is back where it began, and the arm one of the two that reach it."""
    near = np.array(hand_at(0.3, 1.2))
    path = line(near, 3.0 * near / np.linalg.norm(near), 150)
    poses, told = follow(two_links(), places([*path, *path[::-1]]), (0.3, 1.2))
    assert told[-1].is_reached
    assert abs(poses[-1, 1]) == pytest.approx(1.2, abs=1e-6)
    assert steps_of(poses).max() < 0.3


def test_past_limits_and_back():
    """A hand that is led out of the sector that limits leave it goes along its edge, and comes back to where it was."""
    turns = np.linspace(0.0, math.tau, 400)
    path = [(0.8 + 1.5 * math.sin(turn), 1.5 * math.cos(turn) - 1.5, 0.0) for turn in turns]
    poses, told = follow(sector(), places(path, "hand", (0.0, 0.0, 0.0)), (0.0, 0.8))
    assert poses[-1] == pytest.approx(poses[0], abs=1e-3)
    assert np.abs(poses[:, 0]).max() == pytest.approx(0.5, abs=1e-12)
    assert {name for each in told for name in each.at_limits} == {"hinge", "slide"}
    assert (poses[:, 1] > 0.4 - 1e-12).all()
    assert (poses[:, 1] < 1.2 + 1e-12).all()


def test_a_chain_follows_a_circle_smoothly():
    """A redundant arm has many ways, and takes ones beside each other: no joint moves by more than the hand asks for.

    Bound: four times the hand's step over a link's length.
    """
    turns = np.linspace(0.0, 2.0 * math.tau, 800)
    path = [(1.2 + 0.5 * math.cos(turn), 0.5 * math.sin(turn), 0.0) for turn in turns]
    model = planar_chain(5)
    poses, told = follow(model, places(path, "link4", (2.5, 0.0, 0.0)), (0.5, -0.4, -0.4, -0.4, -0.4))
    assert all(each.is_reached for each in told)
    step = math.dist(path[0], path[1])
    assert steps_of(poses[1:]).max() < 4.0 * step / 0.5
