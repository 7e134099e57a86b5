# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion subspace of a joint in a model, against differences of poses."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limberjack as lj
from limberjack.core.joints import JOINT_TYPES
from support.conformance import random_chain
from support.mechanisms import four_bar
from support.models import random_state

STEP = 1e-6


def relative(compiled, q, joint):
    """The pose of the child-side frame in the parent-side one, position and rotation."""
    ends = [
        lj.compose_poses(lj.transform(compiled, q, link) if link != "world" else lj.compose_poses(), X)
        for link, X in ((joint.parent, joint.X_PJ), (joint.child, joint.X_CJ))
    ]
    X = lj.compose_poses(lj.inverse_pose(ends[0]), ends[1])
    return np.array(X[:3]), Rotation.from_quat(np.roll(X[3:], -1))


@pytest.mark.parametrize("kind", [name for name in JOINT_TYPES if name != "fixed"])
def test_the_subspace_is_the_motion_of_the_child_in_its_own_axes(kind):
    """Guards S of each type: poses a small step of one velocity coordinate apart."""
    model = random_chain(np.random.default_rng(5), kind, 3)
    compiled = lj.compile_model(model)
    q, _ = random_state(compiled, 5)
    for joint in (joint for joint in model.joints if joint.nv):
        S, span = lj.motion_subspace(compiled, q, joint.name), compiled.spans[joint.name]
        assert S.shape == (6, joint.nv)
        for place in range(joint.nv):
            alone = np.zeros(compiled.nv)
            alone[span.v_at(place)] = 1.0
            (p0, R0), (p1, R1) = (
                relative(compiled, lj.integrate(compiled, q, alone, sign * STEP), joint) for sign in (-1, 1)
            )
            _, R = relative(compiled, q, joint)
            moved = [*(R.inv().apply(p1 - p0)), *((R0.inv() * R1).as_rotvec())]
            assert S[:, place] == pytest.approx(np.array(moved) / (2.0 * STEP), abs=1e-8)


def test_joints_without_coordinates_have_no_columns():
    """Guards fixed joints, and the messages for joints that are not there."""
    model = lj.Model("arm", [lj.Link("arm")], [lj.Joint("glue", "fixed", "world", "arm")])
    assert lj.motion_subspace(model, None, "glue").shape == (6, 0)
    with pytest.raises(lj.ModelError, match="there is no joint 'hinge'"):
        lj.motion_subspace(model, None, "hinge")


def test_a_joint_that_closes_a_loop_needs_its_coordinates():
    """Guards models that are compiled as their tree alone, which have no coordinates for it."""
    compiled = lj.compile_model(four_bar())
    last = list(compiled.spans)[-1]
    assert lj.motion_subspace(compiled, None, last).shape == (6, 1)
    with pytest.raises(lj.StateError, match="closes a loop and has no coordinates here"):
        lj.motion_subspace(lj.compile_model(four_bar(), split_loops=False), None, last)
