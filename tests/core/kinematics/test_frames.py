# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses and Jacobians of frames, against finite differences, definitions, and matrices multiplied by hand."""

import math

import numpy as np
import pytest

from limberjack.core.dynamics import centre_of_mass, com_jacobian
from limberjack.core.kinematics import (
    closed_state,
    forward_kinematics,
    integrate,
    jacobian,
    link_jacobian,
    random_configuration,
    transform,
)
from limberjack.core.model import WORLD, Axis, Frame, Joint, Link, Mimic, Model, ModelError, StateError
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.spatial import compose, inverse, quat_rotate
from support.mechanisms import four_bar
from support.models import random_pose, random_tree

STEP = 1e-6


def framed(seed=3):
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 20)
    model.frames.append(Frame("grip", model.links[-1].name, random_pose(rng)))
    model.frames.append(Frame("camera", "world", random_pose(rng)))
    return model


@pytest.mark.parametrize("seed", range(3))
def test_transforms_compose_and_are_the_links_poses(seed):
    """Guards X_BA: of a link in the world it is forward kinematics' row, and through a third frame nothing changes."""
    model = framed(seed)
    compiled = compile_model(model)
    q = random_configuration(compiled, seed)
    X_WL, _ = forward_kinematics(compiled, q)
    for name, pose in zip(compiled.link_names, X_WL, strict=True):
        assert transform(compiled, q, name) == pytest.approx(pose)
    there = transform(compiled, q, "grip", "camera")
    tip = compose(tuple(X_WL[-1]), model.frame("grip").pose)
    assert there == pytest.approx(compose(inverse(model.frame("camera").pose), tip))
    through = compose(transform(compiled, q, "link3", "camera"), transform(compiled, q, "grip", "link3"))
    assert np.abs(np.subtract(there[:3], through[:3])).max() < 1e-12
    assert abs(abs(np.dot(there[3:], through[3:])) - 1.0) < 1e-12


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("frame", ["grip", "link7", "world"])
def test_jacobians_are_finite_differences(seed, frame):
    """Guards the geometric Jacobian of any frame: poses a small step apart tell how fast it moves and turns."""
    compiled = compile_model(framed(seed))
    q, point = random_configuration(compiled, seed), (0.3, -0.2, 0.5)
    J = jacobian(compiled, q, frame, point)

    def place_and_axes(q):
        X = transform(compiled, q, frame)
        axes = np.array([quat_rotate(X[3:], axis) for axis in np.eye(3)]).T
        return np.array(X[:3]) + axes @ point, axes

    for dof, alone in enumerate(np.eye(compiled.nv)):
        (before, R0), (after, R1) = (place_and_axes(integrate(compiled, q, alone, sign * STEP)) for sign in (-1, 1))
        spin = (R1 - R0) / (2.0 * STEP) @ (0.5 * (R0 + R1)).T
        found = [*((after - before) / (2.0 * STEP)), spin[2, 1], spin[0, 2], spin[1, 0]]
        assert J[:, dof] == pytest.approx(found, abs=2e-8)


@pytest.mark.parametrize("seed", range(3))
def test_the_centre_of_mass_moves_by_its_jacobian(seed):
    """Guards com_jacobian: the centre of mass a small step apart."""
    compiled = compile_model(random_tree(seed, 20))
    q = random_configuration(compiled, seed)
    J = com_jacobian(compiled, q)
    for dof, alone in enumerate(np.eye(compiled.nv)):
        ends = [centre_of_mass(compiled, integrate(compiled, q, alone, sign * STEP)) for sign in (-1, 1)]
        assert J[:, dof] == pytest.approx((ends[1] - ends[0]) / (2.0 * STEP), abs=1e-8)


def test_a_loop_has_the_jacobian_of_what_can_move():
    """Guards the answer where velocities are tied, and what it says to call: finite differences along the mechanism."""
    compiled = compile_model(four_bar(), split_loops=True)
    lead = next(iter(compiled.spans))
    q, _ = closed_state(compiled, {lead: 0.1})
    with pytest.raises(StateError, match=r"closes a loop.*leading"):
        com_jacobian(compiled, q)
    v = com_jacobian(compiled, q, leading=[lead])
    ends = [centre_of_mass(compiled, closed_state(compiled, {lead: 0.1 + step})[0]) for step in (-1e-5, 1e-5)]
    assert v[:, 0] == pytest.approx((ends[1] - ends[0]) / 2e-5, abs=1e-6)


def test_a_rolling_log_moves_by_the_joint_that_leads():
    """Guards Jacobians with ties: a point of a log that slides 1 m for each radian it turns, from RBDL's tests."""
    light = {"mass": 1.0, "inertia": (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)}
    model = Model("log", [Link("slider", **light), Link("roller", **light)])
    model.joints = [
        Joint("slide", "prismatic", WORLD, "slider", axes=[Axis((1, 0, 0))], mimic=Mimic("turn")),
        Joint("turn", "revolute", "slider", "roller", axes=[Axis((0, 0, 1))]),
    ]
    q = {"slide": 1.0, "turn": 1.0}
    J = jacobian(model, q, "roller", (1.0, 0.0, 3.0), leading=["turn"])
    assert J[:, 0] == pytest.approx([1.0 - math.sin(1.0), math.cos(1.0), 0.0, 0.0, 0.0, 1.0])
    assert jacobian(model, q, WORLD, leading=["turn"]).tolist() == np.zeros((6, 1)).tolist()
    with pytest.raises(StateError, match=r"tie.*leading"):
        jacobian(model, q, "roller")


def test_models_and_names_do_as_compiled_ones_and_arrays():
    """Guards the public way in: the same numbers from a Model and values by name."""
    model = random_tree(1, 12)
    compiled = compile_model(model, split_loops=True)
    q = random_configuration(compiled, 0)
    named = compiled.q_by_joint(q)
    assert np.array_equal(link_jacobian(model, named, "link5"), link_jacobian(compiled, q, "link5"))
    assert transform(model, named, "link5") == transform(compiled, q, "link5")
    with pytest.raises(ModelError, match="there is no link or frame 'grip'"):
        jacobian(model, named, "grip")
