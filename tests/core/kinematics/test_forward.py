# SPDX-License-Identifier: GPL-3.0-or-later
"""Link poses, by plain matrix products and by known geometry."""

import math

import numpy as np
import pytest

from limberjack.core.kinematics import link_poses, make_work, place_links
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.spatial import IDENTITY, compose, inverse, norm, scale
from support.models import random_pose, random_state, random_tree, random_unit


def quat_of_rotation_vector(v):
    """The rotation by |v| radians about v."""
    angle = norm(v)
    return (math.cos(angle / 2), *scale(v, math.sin(angle / 2) / angle)) if angle else IDENTITY[3:]


def motion_of(joint, q):
    """X_J(q) from the definition of each column: a turn about, and a slide along, the joint's axis."""
    if joint.kind.chart:
        return (*((0.0,) * 3 if len(q) == 4 else q[:3]), *q[-4:])
    X = IDENTITY
    for column, value in zip(joint.columns, q, strict=True):
        axis = joint.direction(column.axis)
        step = scale(axis, column.slide_with(joint.pitch) * value)
        X = compose(X, (*step, *quat_of_rotation_vector(scale(axis, column.turn * value))))
    return X


@pytest.mark.parametrize("seed", range(4))
def test_poses_follow_the_definition(seed):
    """Guards X_WC = X_WP X_PJ X_J(q) X_CJ^-1 over every joint type, fixed links and the kernels' own frames."""
    model = random_tree(seed)
    compiled = compile_model(model)
    q, _ = random_state(compiled, seed)
    X_WL = np.zeros((len(model.links), 7))
    place_links(compiled.arrays, make_work(compiled.arrays), q, compiled.link_body, compiled.X_BL, X_WL)
    expected = {WORLD: IDENTITY}
    for joint in model.joints:
        span = compiled.spans.get(joint.name)
        own = q[span.q].tolist() if span else []
        X_WJ = compose(compose(expected[joint.parent], joint.X_PJ), motion_of(joint, own))
        expected[joint.child] = compose(X_WJ, inverse(joint.X_CJ))
    for link, pose in zip(model.links, X_WL, strict=True):
        wanted = np.array(expected[link.name])
        assert pose[:3] == pytest.approx(wanted[:3], abs=1e-12)
        assert abs(pose[3:] @ wanted[3:]) == pytest.approx(1.0, abs=1e-12)


def test_a_screw_climbs_by_its_pitch():
    """Guards the thread: metres per turn, right-handed."""
    joint = Joint("lead", "screw", WORLD, "nut", pitch=0.02)
    model = Model(links=[Link("nut")], joints=[joint])
    assert link_poses(model, {"lead": 3 * math.tau})["nut"][2] == pytest.approx(0.06)


def test_as_drawn_is_q_zero_even_where_home_is_not():
    """Guards that link_poses says where links were drawn, whatever limits do to home."""
    axis = Axis(lower=0.5, upper=1.0)
    model = Model(links=[Link("arm")], joints=[Joint("hinge", "revolute", WORLD, "arm", axes=[axis])])
    assert model.joints[0].home == (0.5,)
    assert link_poses(model)["arm"] == pytest.approx(IDENTITY)


def test_a_link_without_joints_stays_where_it_was_drawn():
    """Guards the implicit free joint: q = identity is the pose as drawn."""
    rng = np.random.default_rng(0)
    pose = random_pose(rng)
    held = Joint("weld", "fixed", "base", "top", X_PJ=random_pose(rng))
    model = Model(links=[Link("base", pose=pose), Link("top")], joints=[held])
    poses = link_poses(model)
    assert poses["base"] == pytest.approx(pose)
    assert poses["top"] == pytest.approx(compose(pose, held.X_PJ))


def test_axes_need_no_particular_direction():
    """Guards the alignment of columns: a turn about any axis leaves that axis alone."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        axis = random_unit(rng)
        joint = Joint("hinge", "continuous", WORLD, "arm", axes=[Axis(xyz=axis)])
        pose = link_poses(Model(links=[Link("arm")], joints=[joint]), {"hinge": 1.3})["arm"]
        assert pose[3:] == pytest.approx(quat_of_rotation_vector(scale(axis, 1.3)), abs=1e-12)
