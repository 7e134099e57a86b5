# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that are replaced by a `Joint`."""

import numpy as np
import pytest

import limberjack as lj
from limberjack.core.kinematics import tree_poses
from support.models import dump, matrix, place, random_pose


def chain():
    """Three links on hinges with random frames; the last joint follows the one before."""
    rng = np.random.default_rng(3)
    model = lj.Model(links=[lj.Link(name) for name in "abc"])
    for number, (parent, child) in enumerate(((lj.WORLD, "a"), ("a", "b"), ("b", "c"))):
        frames = (random_pose(rng), random_pose(rng))
        model.joints.append(lj.Joint(f"j{number}", "revolute", parent, child, *frames, home=0.2))
    model.joint("j2").mimic = lj.Mimic("j1", 2.0)
    place(model)
    return model


def poses(model):
    return {link.name: link.pose for link in model.links}


def test_a_joint_brings_all_its_properties():
    """Guards a replacement as in MATLAB, by a joint that was made for itself: limits, home and name are its own."""
    model = chain()
    before, old = poses(model), model.joint("j1")
    axis = lj.Axis((0.0, 0.6, 0.8), lower=-0.5, upper=0.5, damping=3.0)
    given = lj.Joint("slide", "prismatic", "a", "b", axes=[axis], home=0.1)
    made = lj.replace_joint(model, "j1", given)
    assert poses(model) == before
    assert [joint.name for joint in model.joints] == ["j0", "slide", "j2"]
    assert made is model.joint("slide")
    assert made == lj.Joint("slide", "prismatic", "a", "b", old.X_PJ, old.X_CJ, axes=[axis], home=0.1)
    assert model.joint("j2").mimic == lj.Mimic("slide", 2.0)
    assert given.X_PJ == lj.Joint("x", "fixed", "a", "b").X_PJ  # the given joint is copied


def test_frames_of_the_joint_move_its_links():
    """Guards a joint with frames: the link, and all that it carries, go where the product of poses says."""
    model = chain()
    c_in_b = np.linalg.inv(matrix(model.link("b").pose)) @ matrix(model.link("c").pose)
    X = random_pose(np.random.default_rng(7))
    made = lj.replace_joint(model, "j1", lj.Joint("j1", "prismatic", "a", "b", X_CJ=matrix(X)))
    assert made.X_CJ == pytest.approx(X)
    b = matrix(model.link("a").pose) @ np.linalg.inv(matrix(X))
    np.testing.assert_allclose(matrix(model.link("b").pose), b, atol=1e-14)
    np.testing.assert_allclose(matrix(model.link("c").pose), b @ c_in_b, atol=1e-14)
    np.testing.assert_allclose(matrix(tree_poses(model)["c"]), b @ c_in_b, atol=1e-14)


def test_an_end_may_be_a_named_frame():
    """Guards ends as `add_joint` has them: the frame is the joint's own."""
    model = chain()
    model.frames = [lj.Frame("flange", "a", random_pose(np.random.default_rng(5)))]
    made = lj.replace_joint(model, "j1", lj.Joint("j1", "revolute", "flange", "b"))
    assert (made.parent, made.child) == ("a", "b")
    assert made.X_PJ == model.frame("flange").pose
    at = matrix(model.link("a").pose) @ matrix(made.X_PJ)
    np.testing.assert_allclose(matrix(model.link("b").pose), at, atol=1e-14)


@pytest.mark.parametrize(
    ("joint", "properties", "message"),
    [
        (
            lj.Joint("j1", "ball", "b", "a"),
            {},
            "joint 'j1' has the parent 'a' and the child 'b', and the Joint for its",
        ),
        (lj.Joint("j1", "ball", "a", "d"), {}, "joint 'j1': there is no link 'd'"),
        (lj.Joint("j0", "ball", "a", "b"), {}, "there is a joint 'j0' already"),
        (lj.Joint("j1", "fixed", "a", "b"), {}, "mimic of joint 'j2'"),
        (lj.Joint("j1", "ball", "a", "b", home=(1.0, 2.0)), {}, r"joint 'j1' \(ball\): home takes 4 finite"),
        (
            lj.Joint("j1", "revolute", "a", "b"),
            {"home": 1.0},
            "joint 'j1': cannot set home along with a Joint; set it in",
        ),
    ],
)
def test_what_does_not_fit_changes_nothing(joint, properties, message):
    """Guards joints between other links, and mimics that would lose their leader."""
    model = chain()
    before = dump(model)
    with pytest.raises(lj.ModelError, match=message):
        lj.replace_joint(model, "j1", joint, **properties)
    assert dump(model) == before
