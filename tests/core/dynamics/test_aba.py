# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics, judged by inverse dynamics, by conserved quantities and by itself undecorated."""

import numpy as np
import pytest

from limberjack.core.dynamics import articulated_body, newton_euler
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import make_work
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from support.models import MOVING_TYPES, chain, random_state, random_tree


def accelerations(compiled, q, qd, tau):
    qdd = np.zeros(compiled.nv)
    articulated_body(compiled.arrays, make_work(compiled.arrays), q, qd, tau, qdd)
    return qdd


def residual(model, seed):
    """Largest error of RNEA(ABA(tau)) against tau, relative to the largest joint force there is."""
    compiled = compile_model(model)
    q, qd = random_state(compiled, seed)
    tau = np.random.default_rng(seed).normal(size=compiled.nv)
    back, still = np.zeros(compiled.nv), np.zeros(compiled.nv)
    work = make_work(compiled.arrays)
    newton_euler(compiled.arrays, work, q, qd, accelerations(compiled, q, qd, tau), back)
    newton_euler(compiled.arrays, work, q, qd, np.zeros(compiled.nv), still)
    return np.abs(back - tau).max() / np.abs(still).max()


@pytest.mark.parametrize("seed", range(5))
def test_inverse_dynamics_gives_the_forces_back(seed):
    """Guards ABA over a tree in which every joint type occurs."""
    assert residual(random_tree(seed), seed) < 1e-10


@pytest.mark.parametrize("joint_type", MOVING_TYPES)
def test_every_joint_type_in_a_chain(joint_type):
    """Guards each type by itself, so that a wrong one has a name."""
    model, kind = random_tree(7, 12), JOINT_TYPES[joint_type]
    for joint in model.joints:
        axes = [Axis(xyz=axis) for axis in ((0.6, 0.0, 0.8), (0.0, 1.0, 0.0))]
        axes = axes if kind.is_open or (kind.axes and kind.slot(0).is_pointed) else []
        kept = Joint(joint.name, joint_type, joint.parent, joint.child, joint.X_PJ, joint.X_CJ, axes, pitch=0.2)
        model.joints[model.joints.index(joint)] = kept
    assert residual(model, 3) < 1e-10


def test_fifty_balls_stay_exact():
    """Guards the blocks that a ball frees: left to rounding, they spoil long ball chains (seen in Pinocchio)."""
    assert residual(chain(50, "ball"), 2) < 1e-11


def test_a_falling_body_falls():
    """Guards the free joint and gravity: g in body axes, whatever the orientation, and no rotation."""
    model = Model(links=[Link("stone", 2.0)])
    compiled = compile_model(model)
    q, _ = random_state(compiled, 4)
    qdd = accelerations(compiled, q, np.zeros(6), np.zeros(6))
    assert np.linalg.norm(qdd[:3]) == pytest.approx(9.81)
    assert qdd[3:] == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_torque_turns_an_armature():
    """Guards armature: it adds to the link's own inertia about the axis."""
    axis = Axis(armature=0.5)
    model = Model(links=[Link("wheel")], joints=[Joint("axle", "continuous", WORLD, "wheel", axes=[axis])])
    compiled = compile_model(model)
    assert accelerations(compiled, np.zeros(1), np.zeros(1), np.array([3.0])) == pytest.approx([2.0])


def test_a_torque_turns_the_armature_of_a_ball_joint():
    """Guards the armature of a ball joint: it adds to the inertia, also where the link has none."""
    ball, needle = Joint("socket", "ball", WORLD, "needle"), Link("needle", 1.0, inertia=(2.0, 0.0, 0.0, 1.0, 0.0, 0.0))
    for axis, armature in zip(ball.axes, (1.0, 2.0, 0.5), strict=False):
        axis.armature = armature
    compiled = compile_model(Model(links=[needle], joints=[ball]))
    q = np.array([1.0, 0.0, 0.0, 0.0])
    assert accelerations(compiled, q, np.zeros(3), np.array([3.0, 3.0, 3.0])) == pytest.approx([1.0, 1.0, 6.0])


def test_undecorated_and_compiled_agree():
    """Guards the promise that the same code runs without numba."""
    compiled = compile_model(random_tree(5))
    q, qd = random_state(compiled, 5)
    tau = np.random.default_rng(5).normal(size=compiled.nv)
    plain = np.zeros(compiled.nv)
    articulated_body.python(compiled.arrays, make_work(compiled.arrays), q, qd, tau, plain)
    assert plain == pytest.approx(accelerations(compiled, q, qd, tau), rel=1e-11, abs=1e-11)
