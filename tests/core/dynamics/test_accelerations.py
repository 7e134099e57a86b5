# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations of links and frames, against second differences of poses and differences of Jacobians."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limberjack as lj
from support.mechanisms import four_bar
from support.models import random_pose, random_state, random_tree

STEP = 1e-4


def moved(compiled, q, qd, qdd, time):
    """Coordinates at a time near 0 on a path that has q, qd and qdd at 0."""
    return lj.integrate(compiled, q, time * qd + 0.5 * time**2 * qdd)


def second_differences(before, now, after):
    """Accelerations, shape (L, 6), from poses a small step apart, shape (L, 7): no velocity is needed."""
    turns = [Rotation.from_quat(np.roll(X[:, 3:], -1, axis=1)) for X in (before, now, after)]
    linear = before[:, :3] - 2.0 * now[:, :3] + after[:, :3]
    angular = sum((turns[i] * turns[1].inv()).as_rotvec() for i in (0, 2))
    return np.hstack([linear, angular]) / STEP**2


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_are_second_differences_of_poses(seed):
    """Guards every joint type in a tree with a floating base, fixed links and joints from child to parent."""
    compiled = lj.compile_model(random_tree(seed, 20))
    q, qd = random_state(compiled, seed)
    qdd = np.random.default_rng(seed).normal(size=compiled.nv)
    poses = [lj.forward_kinematics(compiled, moved(compiled, q, qd, qdd, time))[0] for time in (-STEP, 0.0, STEP)]
    found = lj.link_accelerations(compiled, q, qd, qdd)
    expected = second_differences(*poses)
    assert found == pytest.approx(expected, abs=1e-6 * (1.0 + np.abs(expected).max()))


def test_gravity_counts_only_by_what_it_does():
    """Guards the sign: what stands does not accelerate, and what falls freely has the acceleration of gravity."""
    model = lj.Model("stone", [lj.Link("stone", com=(0.1, 0.2, 0.3))])
    assert np.array_equal(lj.link_accelerations(model), np.zeros((1, 6)))
    found = lj.link_accelerations(model, qdd=lj.forward_dynamics(model))
    assert found[0] == pytest.approx([*model.gravity, 0.0, 0.0, 0.0])


def test_a_point_on_a_turntable_is_pulled_to_its_centre():
    """Guards classical accelerations against spatial ones, which would be 0: w^2 r."""
    model = lj.Model("turntable", [lj.Link("table"), lj.Link("cup")])
    model.joints = [
        lj.Joint("turn", "continuous", "world", "table"),
        lj.Joint("glue", "fixed", "table", "cup", X_PJ=(2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
    ]
    assert lj.link_accelerations(model, None, {"turn": 3.0})[1] == pytest.approx([-18.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    bias = lj.bias_acceleration(model, None, {"turn": 3.0}, "cup", (0.0, 1.0, 0.0))
    assert bias == pytest.approx([-18.0, -9.0, 0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("frame", ["grip", "link7", "world"])
def test_the_bias_is_the_rate_of_the_jacobian(seed, frame):
    """Guards dJ/dt qd of any frame and point, by Jacobians a small step apart, and the sum J qdd + dJ/dt qd."""
    model = random_tree(seed, 20)
    model.frames.append(lj.Frame("grip", model.links[-1].name, random_pose(np.random.default_rng(seed))))
    compiled = lj.compile_model(model)
    q, qd = random_state(compiled, seed)
    point = (0.3, -0.2, 0.5)
    ends = [lj.jacobian(compiled, lj.integrate(compiled, q, qd, sign * STEP), frame, point) for sign in (-1, 1)]
    expected = (ends[1] - ends[0]) @ qd / (2.0 * STEP)
    found = lj.bias_acceleration(compiled, q, qd, frame, point)
    assert found == pytest.approx(expected, abs=1e-6 * (1.0 + np.abs(expected).max()))
    qdd = np.random.default_rng(seed).normal(size=compiled.nv)
    sums = lj.jacobian(compiled, q, "link7") @ qdd + lj.bias_acceleration(compiled, q, qd, "link7")
    row = compiled.link_names.index("link7")
    assert sums == pytest.approx(lj.link_accelerations(compiled, q, qd, qdd)[row], abs=1e-9)


def test_a_loop_accelerates_as_its_closed_poses_do():
    """Guards mechanisms: qdd of forward dynamics, and the poses of a falling four-bar a small step apart."""
    compiled = lj.compile_model(four_bar())
    lead = next(iter(compiled.spans))
    q, qd = lj.closed_state(compiled, {lead: 0.3}, {lead: 1.5})
    qdd = lj.forward_dynamics(compiled, q, qd)
    span = compiled.spans[lead]
    angles = [0.3 + time * 1.5 + 0.5 * time**2 * qdd[span.v][0] for time in (-STEP, 0.0, STEP)]
    poses = [lj.forward_kinematics(compiled, lj.closed_state(compiled, {lead: angle})[0])[0] for angle in angles]
    found = lj.link_accelerations(compiled, q, qd, qdd)
    assert found == pytest.approx(second_differences(*poses), abs=1e-4)
    with pytest.raises(lj.StateError, match=r"loop joint .* is open"):
        lj.link_accelerations(compiled, q + 0.1, qd, qdd)


def test_wrong_arguments_are_named():
    """Guards the messages: which array, and which frame."""
    model = lj.Model("arm", [lj.Link("arm")], [lj.Joint("hinge", "revolute", "world", "arm")])
    with pytest.raises(lj.StateError, match=r"qdd takes 1 number\(s\), found shape \(2,\)"):
        lj.link_accelerations(model, qdd=[0.0, 0.0])
    with pytest.raises(lj.ModelError, match="there is no link or frame 'hand'"):
        lj.bias_acceleration(model, None, None, "hand")
