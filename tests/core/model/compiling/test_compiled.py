# SPDX-License-Identifier: GPL-3.0-or-later
"""From links and joints to bodies."""

import numpy as np
import pytest

from limberjack.core.dynamics import (
    articulated_body,
    forward_dynamics,
    inverse_dynamics,
    joint_wrenches,
    mass_matrix,
    momentum,
)
from limberjack.core.kinematics import forward_kinematics, joint_coordinates, link_jacobian, make_work
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, ModelError, StateError
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.model.compiling.compiled import coordinate_names
from support.models import random_link, random_pose


def swung(links, welds):
    """Angular acceleration of links held together on one hinge."""
    hinge = Joint("hinge", "continuous", WORLD, links[0].name, axes=[Axis(xyz=(0.0, 0.6, 0.8))])
    compiled = compile_model(Model(links=links, joints=[hinge, *welds]))
    qdd = np.zeros(compiled.nv)
    articulated_body(compiled.arrays, make_work(compiled.arrays), np.array([0.4]), np.array([1.2]), np.zeros(1), qdd)
    return compiled, qdd


def test_welded_halves_swing_as_the_whole():
    """Guards the merging of fixed joints: a rod cut in two and welded moves as the rod, and costs one body."""
    whole = Link("rod", 2.0, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 2 / 3, 0.0, 2 / 3))
    halves = [Link(name, 1.0, (0.5, 0.0, 0.0), (0.0, 0.0, 0.0, 1 / 12, 0.0, 1 / 12)) for name in ("near", "far")]
    weld = Joint("weld", "fixed", "near", "far", X_PJ=(1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    _, expected = swung([whole], [])
    compiled, found = swung(halves, [weld])
    assert found == pytest.approx(expected, rel=1e-13)
    assert len(compiled.arrays.bodies) == 2
    assert compiled.link_names == ("near", "far")


def test_a_weld_may_be_cut_anywhere():
    """Guards merged inertia under rotation: where the weld's frames lie is of no consequence."""
    rng = np.random.default_rng(2)
    near, far = random_link(rng, "near"), random_link(rng, "far")
    X = random_pose(rng)
    simple = Joint("weld", "fixed", "near", "far", X_PJ=X)
    results = [swung([near, far], [simple])[1]]
    for _ in range(3):
        from limberjack.core.spatial import compose

        X_CJ = random_pose(rng)
        results.append(swung([near, far], [Joint("weld", "fixed", "near", "far", compose(X, X_CJ), X_CJ)])[1])
    assert np.ptp(results) < 1e-12 * abs(results[0][0])


def test_a_moving_link_without_mass_is_named():
    """Guards against NaN: the message says which link and joint, and what to do."""
    massless = Link("flag", 0.0, inertia=(0.0,) * 6)
    compiled = compile_model(Model(links=[massless], joints=[Joint("pole", "revolute", WORLD, "flag")]))
    with pytest.raises(ModelError, match=r"link 'flag'.*joint 'pole'.*mass"):
        compiled.require_simulable()


def test_a_massless_link_may_carry_one_with_mass():
    """Guards rigs that stack hinges on empty links: the outer mass is enough."""
    links = [Link("empty", 0.0, inertia=(0.0,) * 6), Link("bob")]
    joints = [
        Joint("a", "revolute", WORLD, "empty", axes=[Axis(xyz=(1.0, 0.0, 0.0))]),
        Joint("b", "revolute", "empty", "bob", axes=[Axis(xyz=(0.0, 1.0, 0.0))]),
    ]
    compile_model(Model(links=links, joints=joints)).require_simulable()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"elbow": 1.0}, "no joint 'elbow' moves; there are: hinge"),
        ({"hinge": [1.0, 2.0]}, "takes 1 finite number"),
        ({"hinge": float("nan")}, "takes 1 finite number"),
    ],
)
def test_a_wrong_initial_state_is_explained(values, words):
    """Guards --initial: what was found, what is allowed."""
    compiled = compile_model(Model(links=[Link("arm")], joints=[Joint("hinge", "revolute", WORLD, "arm")]))
    with pytest.raises(ModelError, match=words):
        compiled.q_from(values)


def test_an_armature_moves_what_has_no_mass():
    """Guards drives on massless links: the drive's own inertia decides how they move."""
    flag = Link("flag", 0.0, inertia=(0.0,) * 6)
    pole = Joint("pole", "revolute", WORLD, "flag", axes=[Axis(armature=2.0)])
    compiled = compile_model(Model(links=[flag], joints=[pole]))
    compiled.require_simulable()
    assert forward_dynamics(compiled, np.zeros(1), np.zeros(1), np.ones(1)) == pytest.approx([0.5])


def test_a_massless_tip_that_is_fixed_is_no_matter():
    """Guards models compiled without merging: what cannot move needs no mass."""
    links = [Link("arm"), Link("tip", 0.0, inertia=(0.0,) * 6)]
    joints = [Joint("hinge", "revolute", WORLD, "arm"), Joint("weld", "fixed", "arm", "tip")]
    compile_model(Model(links=links, joints=joints), merge_fixed=False).require_simulable()


@pytest.mark.parametrize("q", [np.zeros(0), np.zeros(3), np.zeros((2, 1))])
def test_arrays_of_the_wrong_length_are_refused(q):
    """Guards kernels, which would read past the end of the array."""
    arm = Joint("arm", "universal", WORLD, "arm", axes=[Axis(), Axis(xyz=(1.0, 0.0, 0.0))])
    compiled = compile_model(Model(links=[Link("arm")], joints=[arm]))
    good = np.zeros(2)
    for ask in (
        lambda: forward_kinematics(compiled, q),
        lambda: link_jacobian(compiled, q, "arm"),
        lambda: mass_matrix(compiled, q),
        lambda: forward_dynamics(compiled, good, q, good),
        lambda: inverse_dynamics(compiled, good, good, q),
        lambda: momentum(compiled, q, good),
        lambda: joint_wrenches(compiled, good, good, q),
        lambda: joint_coordinates(compiled, np.zeros((1, 7))),
        lambda: joint_coordinates(compiled, np.ones((2, 7))),
        lambda: joint_coordinates(compiled, np.full((1, 7), np.nan)),
    ):
        with pytest.raises(StateError, match=r"takes|0 0 0 0"):
            ask()


def test_floating_joints_do_not_share_a_name():
    """Guards implicit names against each other, not only against joints that the model has."""
    model = Model(links=[Link("a"), Link("_a"), Link("b")], joints=[Joint("a", "revolute", "_a", "b")])
    compiled = compile_model(model)
    assert len(compiled.spans) == 3
    assert compiled.nq == 7 + 7 + 1
    assert all(name for name, _ in coordinate_names(compiled))


def test_a_floating_joint_yields_its_name():
    """Guards the implicit joint's name where a joint bears the link's already."""
    model = Model(links=[Link("a"), Link("b")], joints=[Joint("a", "revolute", "a", "b")])
    assert list(compile_model(model).spans) == ["_a", "a"]


def test_coordinates_come_back_as_they_were():
    """Guards states that are handed on: a quaternion of length 1 but for rounding is not normalized once more."""
    compiled = compile_model(Model(links=[Link("ball")], joints=[Joint("loose", "free", WORLD, "ball")]))
    for quat in np.random.default_rng(0).normal(size=(200, 4)):
        q = compiled.q_from({"loose": [0.0, 0.0, 0.0, *quat]})
        assert np.linalg.norm(q[3:]) == pytest.approx(1.0, abs=1e-15)
        assert compiled.q_from(compiled.q_by_joint(q)).tobytes() == q.tobytes()
