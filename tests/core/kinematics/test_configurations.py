# SPDX-License-Identifier: GPL-3.0-or-later
"""Random configurations, steps and differences, against limits, the exponential of 4 x 4 matrices, and each other."""

import numpy as np
import pytest

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import (
    difference,
    forward_kinematics,
    integrate,
    is_within_limits,
    random_configuration,
    tree_kinematics,
)
from limberjack.core.model import Axis, Joint, Link, Mimic, Model, StateError
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.spatial import quat_to_mat
from support.mechanisms import four_bar
from support.models import random_tree


def exponential(A, terms=40):
    """By its series, scaled and squared: other arithmetic than closed forms."""
    A = np.asarray(A) / 64.0
    total = part = np.eye(len(A))
    for n in range(1, terms):
        part = part @ A / n
        total = total + part
    for _ in range(6):
        total = total @ total
    return total


def skew(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def matrix(pose):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.array(quat_to_mat(tuple(pose[3:]))).reshape(3, 3), pose[:3]
    return X


@pytest.mark.parametrize("size", [1e-9, 1e-5, 1e-3, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_free_joint_goes_along_a_screw(size, seed):
    """Guards integrate and difference of free joints: X exp(V dt) by matrices, and back, small turns included."""
    rng = np.random.default_rng(seed)
    model = Model(links=[Link("body")])
    compiled = compile_model(model)
    q = random_configuration(compiled, rng)
    qd = rng.normal(size=6)
    qd *= size / np.linalg.norm(qd[3:])
    end = integrate(compiled, q, qd, 0.5)
    twist = np.zeros((4, 4))
    twist[:3, :3], twist[:3, 3] = skew(qd[3:]), qd[:3]
    assert matrix(end) == pytest.approx(matrix(q) @ exponential(0.5 * twist), abs=1e-12 * (1.0 + np.abs(qd).max()))
    assert difference(compiled, q, end) == pytest.approx(0.5 * qd, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_steps_and_differences_are_inverse(seed):
    """Guards all joint types at once: there by the difference, and the difference of a step."""
    compiled = compile_model(random_tree(seed, 30))
    rng = np.random.default_rng(seed)
    q0, q1 = random_configuration(compiled, rng), random_configuration(compiled, rng)
    there = integrate(compiled, q0, difference(compiled, q0, q1))
    X, _ = tree_kinematics(compiled, there)
    Y, _ = tree_kinematics(compiled, q1)
    assert X[:, :3] == pytest.approx(Y[:, :3], abs=1e-9)
    qd = rng.uniform(-1.0, 1.0, compiled.nv)
    assert difference(compiled, q0, integrate(compiled, q0, qd)) == pytest.approx(qd, abs=1e-9)


def test_steps_are_what_velocities_mean():
    """Guards conventions: links' twists are the rates of their poses along a step."""
    compiled = compile_model(random_tree(4, 20))
    rng = np.random.default_rng(4)
    q, qd = random_configuration(compiled, rng), rng.normal(size=compiled.nv)
    _, V = forward_kinematics(compiled, q, qd)
    ends = [forward_kinematics(compiled, integrate(compiled, q, qd, step))[0] for step in (-1e-6, 1e-6)]
    assert V[:, :3] == pytest.approx((ends[1] - ends[0])[:, :3] / 2e-6, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("joint_type", JOINT_TYPES)
def test_random_configurations_fill_the_limits(joint_type):
    """Guards spread: with limits, all of their room and no more; quaternions of length 1."""
    kind = JOINT_TYPES[joint_type]
    axes = [Axis(lower=-0.5, upper=1.5) for _ in (kind.axes or ([1] if kind.is_open else []))]
    joint = Joint("j", joint_type, "world", "a", axes=axes)
    compiled = compile_model(Model(links=[Link("a")], joints=[joint]))
    rng = np.random.default_rng(0)
    q = np.array([random_configuration(compiled, rng) for _ in range(300)])
    assert all(is_within_limits(compiled, one) for one in q)
    if kind.chart:
        assert np.linalg.norm(q[:, -4:], axis=1) == pytest.approx(1.0)
        assert np.abs(q[:, -4:].mean(axis=0)).max() < 0.12
    elif joint.nq:
        limited = [at for at, column in enumerate(joint.columns) if joint.kind.slot(column.axis).limited]
        for at in limited:
            assert -0.5 <= q[:, at].min() < -0.4
            assert 1.4 < q[:, at].max() <= 1.5


def test_loops_and_mimics_are_obeyed():
    """Guards random configurations of mechanisms: loops are closed, as kinematics asks, and not alike."""
    compiled = compile_model(four_bar(), split_loops=True)
    found = [random_configuration(compiled, seed) for seed in range(5)]
    for q in found:
        forward_kinematics(compiled, q)  # raises where a loop is open
    assert np.ptp(found, axis=0).max() > 0.1
    follower = Joint("b", "revolute", "one", "two", mimic=Mimic("a", multiplier=2.0))
    pair = Model(links=[Link("one"), Link("two")], joints=[Joint("a", "revolute", "world", "one"), follower])
    q = random_configuration(pair, 1)
    assert q[1] == pytest.approx(2.0 * q[0])


def test_a_seed_says_which():
    """Guards repeatability, and that without a seed each is another."""
    model = random_tree(2, 10)
    assert np.array_equal(random_configuration(model, 7), random_configuration(model, 7))
    assert not np.array_equal(random_configuration(model), random_configuration(model))
    with pytest.raises(StateError, match="q takes"):
        difference(model, np.zeros(1), None)
