# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a model added, renamed, replaced and frozen."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import tree_poses
from limberjack.core.model import WORLD, Axis, Coupling, Gearbox, Joint, Link, Mimic, Model, ModelError, StateError
from limberjack.core.model.editing.editing import (
    add_coupling,
    add_joint,
    add_link,
    fix_base,
    freeze_joint,
    proposed_bases,
    rename_joint,
    rename_link,
    replace_joint,
)
from limberjack.core.model.editing.grafting import graft, remove_link
from limberjack.core.model.editing.placing import set_dh, set_frames
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import compose, inverse
from support.models import dump, matrix, random_graph, random_pose, random_q, random_tree

PUMA = [
    (0.0, math.pi / 2, 0.0),
    (0.4318, 0.0, 0.0),
    (0.0203, -math.pi / 2, 0.15005),
    (0.0, math.pi / 2, 0.4318),
    (0.0, -math.pi / 2, 0.0),
    (0.0, 0.0, 0.0),
]
"""Rows a, alpha, d. Source: Corke, Armstrong-Helouvry, A Search for Consensus among Model Parameters Reported for the
PUMA 560 Robot, Proc. IEEE ICRA (1994)."""


def puma():
    model = Model("puma560")
    for i, row in enumerate(PUMA, 1):
        add_link(
            model, Link(f"link{i}"), Joint(f"joint{i}", "revolute", f"link{i - 1}" if i > 1 else WORLD, f"link{i}")
        )
        set_dh(model, f"joint{i}", *row)
    return model


def dh(theta, a, alpha, d):
    c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def places(model):
    return {link.name: link.pose for link in model.links}


def assert_consistent(model):
    """Poses are those that the joints' frames give."""
    for name, pose in tree_poses(model).items():
        np.testing.assert_allclose(matrix(model.link(name).pose), matrix(pose), atol=1e-10)


def test_the_puma_stands_where_its_table_says():
    """Guards the road from a Denavit-Hartenberg table to link poses, against the product of six 4 x 4 matrices."""
    model = puma()
    rng = np.random.default_rng(560)
    for q in ([0.0] * 6, *rng.uniform(-math.pi, math.pi, (3, 6)).tolist()):
        found = tree_poses(model, {f"joint{i}": value for i, value in enumerate(q, 1)})
        X = np.eye(4)
        for i, (angle, (a, alpha, d)) in enumerate(zip(q, PUMA, strict=True), 1):
            X = X @ dh(angle, a, alpha, d)
            np.testing.assert_allclose(matrix(found[f"link{i}"]), X, rtol=0, atol=1e-12)
        if not any(q):
            assert_consistent(model)


def test_the_puma_with_a_slider_and_a_wrist_off_and_on():
    """Guards replace_joint, and a subtree cut off and grafted back: the table tells it, and nothing moves."""
    model = puma()
    drawn = places(model)
    replace_joint(model, "joint3", "prismatic")
    assert places(model) == drawn
    wrist = remove_link(model, "link4")
    assert [link.name for link in model.links] == ["link1", "link2", "link3"]
    assert places(model) == {name: drawn[name] for name in ("link1", "link2", "link3")}
    assert str(wrist) == (
        "link4: 3 links, 3 joints\n"
        "INDEX  LINK   JOINT   TYPE      PARENT     CHILDREN\n"
        "    1  link4  joint4  revolute  link3 (0)  link5 (2)\n"
        "    2  link5  joint5  revolute  link4 (1)  link6 (3)\n"
        "    3  link6  joint6  revolute  link5 (2)"
    )
    graft(model, wrist, "link3")
    assert str(model) == (
        "puma560: 6 links, 6 joints\n"
        "INDEX  LINK   JOINT   TYPE       PARENT     CHILDREN\n"
        "    1  link1  joint1  revolute   world (0)  link2 (2)\n"
        "    2  link2  joint2  revolute   link1 (1)  link3 (3)\n"
        "    3  link3  joint3  prismatic  link2 (2)  link4 (4)\n"
        "    4  link4  joint4  revolute   link3 (3)  link5 (5)\n"
        "    5  link5  joint5  revolute   link4 (4)  link6 (6)\n"
        "    6  link6  joint6  revolute   link5 (5)"
    )
    for name, pose in places(model).items():
        np.testing.assert_allclose(matrix(pose), matrix(drawn[name]), atol=1e-15)
    for seed in range(3):  # the three joints above the slider, and those of the wrist, turn as they did
        q = random_q(model, seed) | {"joint3": 0.0}
        for name, pose in tree_poses(puma(), q).items():
            np.testing.assert_allclose(matrix(tree_poses(model, q)[name]), matrix(pose), atol=1e-12)


def test_the_table_tells_of_loops_floats_and_backward_joints():
    """Guards what str(model) says of a model that is no plain tree."""
    model = Model("crank", [Link("base"), Link("arm"), Link("rod"), Link("nut")])
    model.joints = [Joint("foot", "ball", WORLD, "base"), Joint("shoulder", "universal", "arm", "base")]
    model.joints += [
        Joint("elbow", "revolute", "arm", "rod"),
        Joint("rope", "distance", "base", "rod", closes_loop=True),
    ]
    assert str(model) == (
        "crank: 4 links, 4 joints\n"
        "INDEX  LINK  JOINT     TYPE                 PARENT     CHILDREN\n"
        "    1  base  foot      ball                 world (0)  arm (2)\n"
        "    2  arm   shoulder  universal, backward  base (1)   rod (3)\n"
        "    3  rod   elbow     revolute             arm (2)\n"
        "    4  nut             floats               world (0)\n"
        "joint 'rope' closes a loop with 'shoulder', 'elbow'"
    )
    assert str(Model(links=[Link("a")])).startswith("model: 1 link, 0 joints\n")


def test_states_to_start_from():
    """Guards home: moving joints only, and no locked axes."""
    limited, half = Axis(lower=-1.0, upper=3.0), Axis(lower=0.5)
    model = Model(links=[Link(name) for name in "abcd"])
    model.joints = [
        Joint("weld", "fixed", WORLD, "a"),
        Joint("pair", "universal", "a", "b", axes=[limited, half], home=(2.0, 0.75)),
        Joint("lock", "universal", "b", "c", axes=[Axis(locked=True), limited], home=(0.2, 0.3)),
        Joint("ball", "ball", "c", "d"),
    ]
    assert model.home() == {"pair": (2.0, 0.75), "lock": (0.3,), "ball": (1.0, 0.0, 0.0, 0.0)}
    assert tree_poses(model, model.home()).keys() == {*"abcd"}


@pytest.mark.parametrize("seed", range(3))
def test_a_model_built_link_by_link_is_the_model(seed):
    """Guards placing by the new joint, whichever end the new link is: kinematics agrees, no other link moves."""
    whole = random_graph(seed)
    built = Model(whole.name, gravity=whole.gravity)
    for branch in whole.tree().branches:
        before = places(built)
        add_link(built, Link(branch.outer), branch.joint)
        assert {name: places(built)[name] for name in before} == before
    assert_consistent(built)
    q = random_q(whole, seed)
    for name, pose in tree_poses(whole, q).items():
        np.testing.assert_allclose(matrix(tree_poses(built, q)[name]), matrix(pose), atol=1e-10)


def test_a_link_without_a_joint_floats_where_it_is():
    """Guards add_link without a joint."""
    model, pose = Model(), random_pose(np.random.default_rng(0))
    add_link(model, Link("a", pose=pose))
    assert model.tree().roots == ("a",)
    assert model.link("a").pose == pose


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 20))
def test_a_joint_takes_hold_of_a_piece(seed):
    """Guards add_joint: a floating piece moves as a whole to where its first joint holds it, by whichever link."""
    model, other = random_graph(seed, 6, floats=True), random_tree(seed + 1, 5)
    graft(model, other, WORLD, prefix="held_")
    rng = np.random.default_rng(seed)
    before = model.copy()
    name = f"link{rng.integers(6)}"
    add_joint(model, Joint("grip", "planar", name, "held_link3", random_pose(rng), random_pose(rng)))
    assert_consistent(model)
    assert not model.tree().roots or any(joint.kind.chart for joint in model.joints)
    for link in other.links:
        assert model.link(f"held_{link.name}").pose == before.link(f"held_{link.name}").pose
    piece = [link.name for link in model.links if link.name.startswith("link")]
    if not model.tree().roots:
        moved = [matrix(model.link(n).pose) @ np.linalg.inv(matrix(before.link(n).pose)) for n in piece]
        for X in moved:
            np.testing.assert_allclose(X, moved[0], atol=1e-10)
        X_WJ = matrix(model.link(name).pose) @ matrix(model.joint("grip").X_PJ)
        X_WJ_held = matrix(model.link("held_link3").pose) @ matrix(model.joint("grip").X_CJ)
        np.testing.assert_allclose(X_WJ, X_WJ_held, atol=1e-10)


def test_a_joint_that_closes_a_loop_moves_nothing():
    """Guards add_joint between links that are held already."""
    model = puma()
    drawn = places(model)
    add_joint(model, Joint("rope", "distance", "link3", "link6", closes_loop=True))
    assert places(model) == drawn


def chain():
    """Links a, b, c at x = 0, 1, 2, each on a hinge."""
    model, step = Model(), (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    add_link(model, Link("a"), Joint("j1", "revolute", WORLD, "a"))
    add_link(model, Link("b"), Joint("j2", "revolute", "a", "b", step))
    add_link(model, Link("c"), Joint("j3", "revolute", "b", "c", step))
    return model


@pytest.mark.parametrize("floats", [False, True])
@pytest.mark.parametrize(("far", "is_marked"), [("a", False), ("c", True)])
def test_a_joint_drawn_open_tears_nothing_away(floats, far, is_marked):
    """Guards against a short cut that would take links over: it is the loop, marked where the tree chose another."""
    model = chain()
    near = WORLD
    if floats:
        del model.joints[0]
        near, far = "a", {"a": "b", "c": "c"}[far]
    before, drawn = model.tree(), places(model)
    add_joint(model, Joint("loop", "revolute", near, far, (5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)))
    assert places(model) == drawn
    assert [loop.name for loop in model.tree().loops] == ["loop"]
    assert model.tree().branches == before.branches
    assert model.joint("loop").closes_loop is is_marked
    assert_consistent(model)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 30), st.sampled_from(sorted(JOINT_TYPES)))
def test_a_joint_in_what_hangs_together_is_the_loop(seed, joint_type):
    """Guards add_joint of any type between any two links of a piece: no pose and no other joint is touched."""
    model = random_graph(seed, 12, loops=2, floats=seed % 2 == 0)
    rng = np.random.default_rng(seed)
    before, tree = model.copy(), model.tree()
    one, other = (f"link{i}" for i in rng.choice(12, 2, replace=False))
    if tree.root_of(one) != tree.root_of(other):
        return
    add_joint(model, Joint("new", joint_type, one, other, random_pose(rng), random_pose(rng)))
    assert [joint.name for joint in model.tree().loops] == [*(joint.name for joint in tree.loops), "new"]
    model.joints.pop()
    assert dump(model) == dump(before)


def test_frames_may_be_matrices():
    """Guards what add_link and add_joint take over: a matrix is a pose afterwards."""
    model, pose = Model(), random_pose(np.random.default_rng(1))
    add_link(model, Link("a"), Joint("j", "revolute", WORLD, "a", matrix(pose)))
    assert model.joint("j").X_PJ == pytest.approx(pose)
    assert model.link("a").pose == pytest.approx(pose)


def test_joints_take_arrays_and_tuples():
    """Guards a home from numpy, an empty one, and axes in a tuple."""
    joint = Joint("j", "universal", "a", "b", axes=(Axis(),), home=np.array([0.1, 0.2]))
    assert (joint.home, type(joint.home[0]), len(joint.axes)) == ((0.1, 0.2), float, 2)
    assert Joint("j", "revolute", "a", "b", home=np.array([])).home == (0.0,)
    for number in (1, 1.0, np.float32(1.0), np.int64(1), np.array(1.0)):
        home = Joint("j", "revolute", "a", "b", home=number).home
        assert (home, type(home[0])) == ((1.0,), float)
    axes = [Axis()]
    assert Joint("j", "universal", "a", "b", axes=axes).axes is not axes
    assert len(axes) == 1


def test_a_joint_that_cannot_be_settled_changes_nothing():
    """Guards verbs where a joint further out has no direction: neither joints nor poses change."""
    model = chain()
    model.joint("j3").axes[0].xyz = (0.0, 0.0, 0.0)
    before = dump(model)
    for change in (
        lambda: freeze_joint(model, "j2", 1.0),
        lambda: set_dh(model, "j2", 1.0, 1.0, 1.0),
        lambda: set_frames(model, "j2", random_pose(np.random.default_rng(0))),
    ):
        with pytest.raises(ModelError, match="joint 'j3': axis 1 is 0 0 0"):
            change()
        assert dump(model) == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: add_link(m, Link("link2")), "there is a link 'link2' already; choose another name"),
        (lambda m: add_link(m, Link("world")), "link 'world': this name is reserved"),
        (lambda m: add_link(m, Link("")), "link '': this name is reserved"),
        (lambda m: add_link(m, Link("x"), Joint("joint2", "ball", WORLD, "x")), "there is a joint 'joint2' already"),
        (lambda m: add_link(m, Link("x"), Joint("j", "ball", WORLD, "link1")), "one must be the new link 'x'"),
        (
            lambda m: add_link(m, Link("x"), Joint("j", "ball", "y", "x")),
            "there is no link 'y'; there are: world, link1",
        ),
        (lambda m: add_joint(m, Joint("j", "ball", "link1", "y")), "joint 'j': there is no link 'y'"),
        (lambda m: add_joint(m, Joint("j", "ball", "link1", "link1")), "joins 'link1' with itself"),
        (
            lambda m: add_joint(m, Joint("j", "ball", "link1", WORLD)),
            "joint 'j': the world cannot be a child; swap parent and child",
        ),
        (lambda m: add_link(m, Link("x"), Joint("j", "ball", "x", WORLD)), "cannot be a child; swap"),
        (
            lambda m: add_link(m, Link("x"), Joint("j", "ball", WORLD, "x", X_PJ=(1.0, 2.0, 3.0))),
            "joint 'j': X_PJ takes a pose",
        ),
        (
            lambda m: add_joint(m, Joint("j", "ball", "link1", "link3", X_CJ=(0, 0, math.nan, 1, 0, 0, 0))),
            "joint 'j': X_CJ takes finite numbers",
        ),
        (
            lambda m: add_joint(m, Joint("j", "revolute", "link1", "link3", home=(1.0, 2.0))),
            r"joint 'j' \(revolute\): home takes 1 finite number\(s\), found \(1.0, 2.0\)",
        ),
        (
            lambda m: add_link(m, Link("x"), Joint("j", "universal", WORLD, "x", home=(0.0, math.inf))),
            r"joint 'j' \(universal\): home takes 2 finite number\(s\), found \(0.0, inf\)",
        ),
        (
            lambda m: add_joint(m, Joint("j", "ball", "link1", "link3", home=(0.0,) * 4)),
            "home needs a quaternion w x y z",
        ),
        (
            lambda m: add_joint(m, Joint("j", "revolute", "link1", "link3", axes=[Axis((0.0, 0.0, 0.0))])),
            "axis 1 is 0 0 0; give it a direction",
        ),
        (
            lambda m: add_joint(m, Joint("j", "revolute", "link1", "link3", mimic=Mimic("none"))),
            "the mimic of joint 'j' names joint 'none'; there are: joint1",
        ),
        (
            lambda m: add_coupling(m, Coupling("c", "gear", [("joint1", 0), ("joint2", 1)])),
            r"coupling 'c' names axis 1 of joint 'joint2' \(revolute\), whose axes that have a coordinate are: 0",
        ),
        (lambda m: add_coupling(m, Coupling("c", "gear", [("joint1", 0), ("nix", 0)])), "names joint 'nix'"),
        (lambda m: add_coupling(m, Gearbox("g", "link1", "link3", "link2", 2.0, (0, 0, 1), (0, 0, 1))), None),
        (lambda m: add_coupling(m, Gearbox("g", "link1", "link4", "link2")), "gearbox 'g': link 'link4' does not turn"),
        (
            lambda m: add_coupling(m, Coupling("gear", "gear", [("joint1", 0)] * 2)),
            "there is a coupling 'gear' already",
        ),
        (lambda m: rename_link(m, "link1", "link2"), "there is a link 'link2' already"),
        (lambda m: rename_link(m, "nix", "x"), "there is no link 'nix'"),
        (lambda m: rename_link(m, "link1", "world"), "reserved"),
        (lambda m: rename_joint(m, "joint1", "joint2"), "there is a joint 'joint2' already"),
        (lambda m: rename_joint(m, "joint1", "world"), "reserved"),
        (lambda m: replace_joint(m, "joint1", "pivot"), "type 'pivot' is not known; allowed are fixed"),
        (
            lambda m: replace_joint(m, "joint4", "ball", X_PJ=None, low=1),
            "cannot set X_PJ, low .* allowed are name, axes, pitch",
        ),
        (lambda m: replace_joint(m, "joint4", "ball", home=(1.0,)), r"joint 'joint4' \(ball\): home takes 4 finite"),
        (lambda m: replace_joint(m, "joint4", "screw", home=(math.nan,)), r"home takes 1 finite .* found \(nan,\)"),
        (lambda m: replace_joint(m, "joint5", "ball"), r"coupling 'gear' names axis 0 of joint 'joint5' \(ball\)"),
        (lambda m: replace_joint(m, "joint1", "fixed"), "the mimic of joint 'joint2' names axis 0 of joint 'joint1'"),
        (lambda m: replace_joint(m, "joint2", "fixed"), "the mimic of joint 'joint2' names axis 0 of joint 'joint2'"),
        (lambda m: freeze_joint(m, "joint1"), "'joint1' cannot be frozen: the mimic of joint 'joint2' names it; take"),
        (lambda m: freeze_joint(m, "joint6"), "cannot be frozen: coupling 'gear' names it"),
        (
            lambda m: freeze_joint(m, "joint4", [1.0, 2.0]),
            r"joint 'joint4' takes 1 finite number\(s\), found \[1.0, 2.0\]",
        ),
        (lambda m: freeze_joint(m, "joint4", math.nan), "takes 1 finite number"),
        (lambda m: freeze_joint(m, "joint4", "far"), "takes 1 finite number"),
    ],
)
def test_what_cannot_be_is_explained_and_changes_nothing(change, words):
    """Guards the messages of all verbs, and that a model is as it was after them."""
    model = puma()
    model.joint("joint2").mimic = Mimic("joint1")
    model.couplings.append(Coupling("gear", "gear", [("joint5", 0), ("joint6", 0)]))
    before = dump(model)
    if words is None:
        change(model)
        assert [coupling.name for coupling in model.couplings] == ["gear", "g"]
        return
    with pytest.raises(ModelError, match=words):
        change(model)
    assert dump(model) == before


def linked():
    """A model in which everything that can name a joint or a link does."""
    model = puma()
    model.joint("joint4").mimic = Mimic("joint1", 2.0)
    model.couplings += [
        Coupling("sum", "differential", [("joint4", 0), ("joint5", 0), ("joint1", 0)], ratio=0.5),
        Gearbox("box", "link1", "link3", "link2", 2.0),
    ]
    return model


def test_names_change_wherever_they_stand():
    """Guards renaming: the dump is the one whose names were replaced as text, and another round brings it back."""
    model = linked()
    before = dump(model)
    for i in range(1, 7):
        rename_link(model, f"link{i}", f"body{i}")
        rename_joint(model, f"joint{i}", f"axle{i}")
    assert dump(model) == before.replace('"link', '"body').replace('"joint', '"axle').replace(
        '"axles"', '"joints"'
    ).replace('"bodys"', '"links"')
    assert len(model.equations()) == 3
    for i in range(1, 7):
        rename_link(model, f"body{i}", f"link{i}")
        rename_joint(model, f"axle{i}", f"joint{i}")
    rename_link(model, "link1", "link1")
    assert dump(model) == before


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 20), st.integers(0, 25), st.sampled_from(sorted(JOINT_TYPES)))
def test_another_type_leaves_links_in_place(seed, number, joint_type):
    """Guards replace_joint from any type to any, locked axes and backward joints too: as drawn nothing moves."""
    model = random_graph(seed, 24, loops=2)
    name = model.joints[number % len(model.joints)].name
    before = model.copy()
    new = replace_joint(model, name, joint_type)
    assert model.joint(name) is new
    assert [joint.name for joint in model.joints] == [joint.name for joint in before.joints]
    assert (new.parent, new.child, new.X_PJ) == (
        before.joint(name).parent,
        before.joint(name).child,
        before.joint(name).X_PJ,
    )
    assert places(model) == places(before)
    assert_consistent(model)


def test_a_link_that_another_joint_carries_now_stands_where_that_one_puts_it():
    """Guards poses where a loop was drawn open, and the joint that held a link is free now, which holds nothing."""
    model = Model(links=[Link("a"), Link("b", pose=(0, 0, 2.0, 1, 0, 0, 0))])
    model.joints = [Joint("one", "revolute", WORLD, "a"), Joint("two", "revolute", WORLD, "b", (0, 0, 2.0, 1, 0, 0, 0))]
    model.joints.append(Joint("three", "revolute", "a", "b", (0, 0, 1.0, 1, 0, 0, 0)))
    replace_joint(model, "two", "free")
    assert model.link("b").pose == pytest.approx((0, 0, 1.0, 1, 0, 0, 0))


def test_a_new_type_takes_over_directions_and_mimics():
    """Guards what is carried over: pointed axes, screws where the type is open, mimics both ways; nothing else."""
    model = linked()
    model.joint("joint4").axes[0] = Axis((0.6, 0.0, 0.8), damping=3.0, upper=1.0)
    new = replace_joint(model, "joint4", "universal")
    assert [axis.xyz for axis in new.axes] == [(0.6, 0.0, 0.8), (0.0, 0.0, 1.0)]
    assert (new.axes[0].damping, new.axes[0].upper, new.mimic) == (0.0, math.inf, Mimic("joint1", 2.0))
    assert len(model.equations()) == 3
    given_axes = [Axis((1.0, 0.0, 0.0), upper=2.0)]
    new = replace_joint(model, "joint4", "screw", axes=given_axes, pitch=0.01, home=(0.5,), mimic=None)
    assert (new.axes, new.pitch, new.home, new.mimic) == (given_axes, 0.01, (0.5,), None)
    poses = tree_poses(model, {"joint4": 1.3})
    replace_joint(model, "joint4", "custom")
    for name, pose in tree_poses(model, {"joint4": 1.3}).items():
        np.testing.assert_allclose(matrix(pose), matrix(poses[name]), atol=1e-12)


def test_a_gearbox_keeps_its_hinges():
    """Guards against a slider where a gearbox counts on a hinge."""
    model = linked()
    before = dump(model)
    with pytest.raises(ModelError, match="gearbox 'box': link 'link3' does not turn on one hinge"):
        replace_joint(model, "joint3", "prismatic")
    assert dump(model) == before


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 20), st.integers(0, 25), st.booleans())
def test_a_frozen_joint_stays_where_it_was_put(seed, number, at_home):
    """Guards freeze_joint on all types: the model moves as before with that joint held, and is drawn with it there."""
    model = random_graph(seed, 24)
    joint = model.joints[number % len(model.joints)]
    before = model.copy()
    q = random_q(model, seed)
    held = joint.q_home if at_home else q.pop(joint.name, ())
    values = q | ({joint.name: held} if joint.nq else {})
    freeze_joint(model, joint.name, None if at_home else held)
    assert model.joint(joint.name).nq == 0
    q.pop(joint.name, None)
    for found, expected in (
        (tree_poses(model, q), tree_poses(before, values)),
        (places(model), tree_poses(before, {joint.name: held} if joint.nq else {})),
    ):
        for name, pose in found.items():
            np.testing.assert_allclose(matrix(pose), matrix(expected[name]), atol=1e-9)
    carried = {
        name
        for branch in before.tree().branches
        if branch.joint.name == joint.name
        for name in before.tree().links_from(branch.outer)
    }
    for name, pose in places(model).items():
        assert name in carried or pose == before.link(name).pose


def test_a_chart_needs_a_quaternion_to_freeze_at():
    """Guards against a division by zero; the length of a quaternion is of no consequence."""
    model = Model(links=[Link("a")], joints=[Joint("j", "ball", WORLD, "a", X_CJ=(1.0, 0, 0, 1, 0, 0, 0))])
    with pytest.raises(StateError, match="joint 'j' needs a quaternion w x y z"):
        freeze_joint(model, "j", [0.0] * 4)
    freeze_joint(model, "j", [0.0, 0.0, 0.0, 2.0])
    assert model.link("a").pose[:3] == pytest.approx((1.0, 0.0, 0.0))
    assert compose(model.link("a").pose, inverse(model.link("a").pose)) == pytest.approx((0, 0, 0, 1, 0, 0, 0))


def robot() -> Model:
    """An arm on a base that nothing holds, drawn a metre up."""
    base = Link("base", 0.0, pose=(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    joint = Joint("shoulder", "revolute", "base", "arm", axes=[Axis(xyz=(0.0, 1.0, 0.0))])
    return Model("r", [base, Link("arm", pose=base.pose, com=(0.5, 0.0, 0.0))], [joint])


@pytest.mark.parametrize("link", [None, "base", "arm"])
def test_a_base_that_is_fixed_stays(link):
    """Guards robots whose files leave the base loose: it is held where it is drawn, and the arm swings from it."""
    model = robot()
    joint = fix_base(model, link)
    assert (joint.name, joint.type, joint.parent) == (f"{link or 'base'}_static", "fixed", "world")
    X_WL = Simulation(model, np.linspace(0.0, 0.3, 4)).run().X_WL[:, :, :3]
    held, other = [name == (link or "base") for name in ("base", "arm")].index(True), 0 if link == "arm" else 1
    assert np.abs(X_WL[:, held] - (0.0, 0.0, 1.0)).max() < 1e-12
    assert np.abs(X_WL[:, other] - (0.0, 0.0, 1.0)).max() < 1e-9  # both origins are on the axis
    assert model.tree().roots == ()


def test_what_cannot_be_fixed_is_told():
    """Guards the words: no such link, two that float, none that does."""
    model = robot()
    with pytest.raises(ModelError, match="no link 'foot'"):
        fix_base(model, "foot")
    add_link(model, Link("ball"))
    with pytest.raises(ModelError, match="these float: base, ball; name one"):
        fix_base(model)
    fix_base(model, "ball")
    fix_base(model)
    with pytest.raises(ModelError, match="the world holds all links"):
        fix_base(model)
    with pytest.raises(ModelError, match="link 'arm' does not float"):
        fix_base(model, "arm")


@pytest.mark.parametrize(
    ("name", "mass", "proposed"),
    [
        ("base", 1.0, True),
        ("arm1::Base_Link", 1.0, True),
        ("pedestal", 1.0, True),
        ("torso", 0.0, True),
        ("torso", 1.0, False),
        ("base_plate", 1.0, False),
    ],
)
def test_a_base_is_proposed_by_custom(name, mass, proposed):
    """Guards what imports hold by themselves: by the names that robots' files use, or for want of mass."""
    model = Model("r", [Link(name, mass), Link("arm")], [Joint("shoulder", "revolute", name, "arm")])
    assert proposed_bases(model) == ([name] if proposed else [])
    fix_base(model)
    assert proposed_bases(model) == []
