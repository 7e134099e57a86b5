"""From links and joints to bodies."""

import numpy as np
import pytest

from limberjack.core.dynamics import articulated_body
from limberjack.core.kinematics import make_work
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, ModelError, compile_model
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


def test_a_floating_joint_yields_its_name():
    """Guards the implicit joint's name where a joint bears the link's already."""
    model = Model(links=[Link("a"), Link("b")], joints=[Joint("a", "revolute", "a", "b")])
    assert list(compile_model(model).spans) == ["_a", "a"]
