# SPDX-License-Identifier: GPL-3.0-or-later
"""Subtrees cut off and grafted on, and models hung up elsewhere."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limberjack.core.kinematics import tree_poses
from limberjack.core.model import WORLD, Axis, Coupling, Frame, Gearbox, Joint, Light, Link, Mimic, Model, ModelError
from limberjack.core.model.editing.grafting import graft, re_root, remove_link
from limberjack.core.spatial import compose, inverse
from support.models import dump, matrix, random_graph, random_pose, random_q, random_tree


def assert_consistent(model):
    for name, pose in tree_poses(model).items():
        np.testing.assert_allclose(matrix(model.link(name).pose), matrix(pose), atol=1e-10)


def assert_same(one, other):
    """The same dump up to the order of links, joints and couplings, and up to rounding."""

    def compare(a, b, where):
        if isinstance(a, dict):
            assert a.keys() == b.keys(), where
            for key in a:
                compare(a[key], b[key], f"{where}.{key}")
        elif isinstance(a, list) and a and isinstance(a[0], dict) and "name" in a[0]:
            compare({item["name"]: item for item in a}, {item["name"]: item for item in b}, where)
        elif isinstance(a, list):
            assert len(a) == len(b), where
            for i, pair in enumerate(zip(a, b, strict=True)):
                compare(*pair, f"{where}[{i}]")
        else:
            assert a == (pytest.approx(b, abs=1e-10) if isinstance(b, float) else b), where

    compare(json.loads(dump(one)), json.loads(dump(other)), "model")


def coupled(model):
    """Mimics and couplings between neighbours of one column, wherever there are two."""
    single = [joint for joint in model.joints if len(joint.columns) == 1]
    for number, (leader, follower) in enumerate(pairwise(single)):
        if number % 2:
            follower.mimic = Mimic(leader.name, axis=follower.columns[0].axis, leader_axis=leader.columns[0].axis)
        else:
            ends = [(joint.name, joint.columns[0].axis) for joint in (leader, follower)]
            model.couplings.append(Coupling(f"gear{number}", "gear", ends))
    return model


def named_joints(model):
    return {term.joint for equation in model.equations() for term in equation.terms}


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 40), st.integers(0, 23), st.booleans())
def test_a_subtree_cut_off_and_grafted_back(seed, number, floats):
    """Guards both verbs on every type of joint: the same model again, and no other link touched, to the last bit."""
    model = random_graph(seed, 24, floats=floats)
    name = f"link{number}"
    before, tree = model.copy(), model.tree()
    path = tree.path(name)
    carrier = path[-1].inner if path else WORLD
    piece = remove_link(model, name)
    assert {link.name for link in piece.links} == set(tree.links_from(name))
    assert_consistent(piece)
    for link in model.links:
        assert link == before.link(link.name)
    X_WK = matrix(before.link(carrier).pose) if carrier != WORLD else np.eye(4)
    for link in piece.links:
        np.testing.assert_allclose(X_WK @ matrix(link.pose), matrix(before.link(link.name).pose), atol=1e-10)
    np.testing.assert_allclose(X_WK[:3, :3] @ piece.gravity, before.gravity, atol=1e-12)
    roots = piece.tree().roots
    kept = piece.copy()
    graft(model, piece, carrier)
    assert dump(piece) == dump(kept)
    for root in roots:  # what floated is fixed now
        fixed = model.joint(root)
        assert (fixed.type, fixed.parent, fixed.child) == ("fixed", carrier, root)
        model.joints.remove(fixed)
    kept_names = {joint.name for joint in model.joints}
    loops = {joint.name for joint in tree.loops}  # as of a ball that points from one floating piece to another
    before.joints = [joint for joint in before.joints if joint.name not in loops or joint.name in kept_names]
    assert_same(model, before)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 40), st.integers(0, 23))
def test_nothing_is_left_that_names_what_is_gone(seed, number):
    """Guards mimics, couplings and loops across a cut: each part stands alone, and keeps what is wholly its own."""
    model = coupled(random_graph(seed, 24, loops=4))
    before = model.copy()
    piece = remove_link(model, f"link{number}")
    gone = {link.name for link in piece.links}
    for part in (model, piece):
        assert named_joints(part) <= {joint.name for joint in part.joints}
        part.tree()
        own = {joint.name for joint in part.joints}
        whole = {e.name for e in before.equations() if {term.joint for term in e.terms} <= own}
        assert {equation.name for equation in part.equations()} == whole
    left = {joint.name for joint in before.joints} - {joint.name for part in (model, piece) for joint in part.joints}
    for name in left:
        joint = before.joint(name)
        assert len({joint.parent, joint.child} & gone) == 1
        assert joint in before.tree().loops


def test_a_second_joint_to_the_carrier_goes_along():
    """Guards the one kind of loop that loses no end: its other end is the subtree's world."""
    model = Model(
        links=[Link("a"), Link("b")],
        joints=[Joint("stand", "fixed", WORLD, "a", random_pose(np.random.default_rng(1)))],
    )
    model.joints += [Joint("hinge", "revolute", "a", "b"), Joint("rope", "distance", "b", "a", closes_loop=True)]
    model.couplings.append(Gearbox("box", "b", "b", "a"))
    piece = remove_link(model, "b")
    assert [(joint.name, joint.parent, joint.child) for joint in piece.joints] == [
        ("hinge", WORLD, "b"),
        ("rope", "b", WORLD),
    ]
    assert [joint.name for joint in model.joints] == ["stand"]
    assert (model.couplings, piece.couplings[0].reference) == ([], WORLD)
    graft(model, piece, "a")
    assert [(joint.parent, joint.child) for joint in model.joints[1:]] == [("a", "b"), ("b", "a")]
    assert model.couplings[0].reference == "a"


@pytest.mark.parametrize("verb", [remove_link, re_root])
def test_the_world_is_no_link(verb):
    """Guards the message."""
    with pytest.raises(ModelError, match="the world is no link"):
        verb(Model(links=[Link("a")]), WORLD)
    with pytest.raises(ModelError, match="there is no link 'b'; there are: a"):
        verb(Model(links=[Link("a")]), "b")


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 20), st.booleans())
def test_a_graft_hangs_as_its_own_world_does(seed, floats):
    """Guards graft with a prefix and a place: the copy moves in its frame as the original did in the world."""
    rng = np.random.default_rng(seed)
    model, subtree = random_graph(seed, 8), coupled(random_graph(seed + 100, 24, floats=floats, loops=2))
    kept, before = dump(subtree), model.copy()
    X_LS = random_pose(rng)
    graft(model, subtree, "link5", prefix="arm::", X_LS=matrix(X_LS) if seed % 2 else X_LS)
    assert dump(subtree) == kept
    for link in before.links:
        assert model.link(link.name) == link
    assert_consistent(model)
    assert not set(model.tree().roots)
    assert len(model.equations()) == len(subtree.equations())
    own, theirs = random_q(before, seed), random_q(subtree, seed)
    found = tree_poses(model, own | {f"arm::{name}": q for name, q in theirs.items()})
    X_WS = matrix(compose(found["link5"], X_LS))
    for name, pose in tree_poses(subtree, theirs).items():
        np.testing.assert_allclose(matrix(found[f"arm::{name}"]), X_WS @ matrix(pose), atol=1e-9)


def gripper():
    """A base that is bolted to the world, and two fingers on it, one of which follows the other and both a motor."""
    rng = np.random.default_rng(3)
    model = Model("gripper", links=[Link("palm"), Link("left"), Link("right")])
    model.joints = [
        Joint("bolt", "fixed", WORLD, "palm", random_pose(rng), random_pose(rng)),
        Joint("left", "revolute", "palm", "left", random_pose(rng)),
        Joint("right", "revolute", "right", "palm", random_pose(rng), random_pose(rng), mimic=Mimic("left", -1.0)),
    ]
    model.couplings = [Gearbox("mesh", "left", "right", "palm", 1.0, (0.6, 0.0, 0.8), (0.0, 1.0, 0.0))]
    for name, pose in tree_poses(model).items():
        model.link(name).pose = pose
    return model


@pytest.mark.parametrize("floats", [False, True])
def test_a_graft_without_its_base(floats):
    """Guards with_base=False, MATLAB's ReplaceBase: no palm, and fingers and gears as if it were still there."""
    subtree = gripper()
    if floats:  # by the link that no joint carries: the palm, once no finger points at it
        del subtree.joints[0]
        subtree.joints[1] = Joint("right", "revolute", "palm", "right", subtree.joints[1].X_CJ)
        subtree.link("right").pose = compose(subtree.link("palm").pose, subtree.joints[1].X_PJ)
    model, with_palm = (random_tree(1, 6) for _ in range(2))
    X_LS = random_pose(np.random.default_rng(4))
    graft(with_palm, subtree, "link3", X_LS=X_LS)
    graft(model, subtree, "link3", with_base=False, X_LS=X_LS)
    assert [link.name for link in model.links[6:]] == ["left", "right"]
    assert [(joint.parent, joint.child) for joint in model.joints[6:]] == [
        ("link3", "left"),
        ("link3", "right") if floats else ("right", "link3"),
    ]
    assert_consistent(model)
    q = random_q(model, 0)
    expected = tree_poses(with_palm, q)
    for name, pose in tree_poses(model, q).items():
        np.testing.assert_allclose(matrix(pose), matrix(expected[name]), atol=1e-10)
    weights = [{t.joint: t.weight for t in m.couplings[0].equation(m.joints).terms} for m in (model, with_palm)]
    assert weights[0] == weights[1]
    assert model.couplings[0].reference == "link3"


@pytest.mark.parametrize("floats", [False, True])
def test_a_base_is_all_that_is_fixed_to_it(floats):
    """Guards bases of several links, one fixed to the next, forward, backward or by locked axes: all of them go."""
    rng = np.random.default_rng(8)
    subtree = Model(links=[Link(name) for name in ("b1", "b2", "b3", "arm", "tool")])
    subtree.joints = [
        Joint("stand", "fixed", WORLD, "b1", random_pose(rng), random_pose(rng)),
        Joint("weld", "fixed", "b2", "b1", random_pose(rng), random_pose(rng)),
        Joint("lock", "revolute", "b2", "b3", random_pose(rng), axes=[Axis(locked=True)], home=(0.4,)),
        Joint("hinge", "revolute", "b3", "arm", random_pose(rng)),
        Joint("grip", "fixed", "arm", "tool", random_pose(rng)),
    ]
    if floats:
        del subtree.joints[0]
    for name, pose in tree_poses(subtree).items():
        subtree.link(name).pose = pose
    model, with_base = (random_tree(1, 3) for _ in range(2))
    X_LS = random_pose(rng)
    graft(with_base, subtree, "link2", X_LS=X_LS)
    graft(model, subtree, "link2", with_base=False, X_LS=X_LS)
    assert [link.name for link in model.links[3:]] == ["arm", "tool"]
    assert [(joint.name, joint.parent) for joint in model.joints[3:]] == [("hinge", "link2"), ("grip", "arm")]
    assert_consistent(model)
    q = random_q(model, 0)
    expected = tree_poses(with_base, q)
    for name, pose in tree_poses(model, q).items():
        np.testing.assert_allclose(matrix(pose), matrix(expected[name]), atol=1e-10)


def test_references_find_the_target():
    """Guards mimics and couplings of a graft: its own joints first, then the target's, else an error and no change."""
    model = Model(links=[Link("a")], joints=[Joint("drive", "revolute", WORLD, "a")])
    subtree = Model(links=[Link("b")], joints=[Joint("spin", "revolute", WORLD, "b", mimic=Mimic("drive"))])
    graft(model, subtree, "a", prefix="x_")
    assert model.joint("x_spin").mimic.leader == "drive"
    graft(model, model, "a", prefix="y_")
    assert model.joint("y_x_spin").mimic.leader == "y_drive"
    before = dump(model)
    subtree.joints[0].mimic.leader = "engine"
    with pytest.raises(ModelError, match="the mimic of joint 'spin' names 'engine', which would be nowhere"):
        graft(model, subtree, "a")
    subtree.joints[0].mimic = None
    subtree.couplings.append(Gearbox("box", "b", "c", "d"))
    with pytest.raises(ModelError, match="coupling 'box' names 'c', 'd', which would be nowhere"):
        graft(model, subtree, "a")
    lost = Model(
        links=[Link("b"), Link("c")], joints=[Joint("drive", "fixed", WORLD, "b"), Joint("j", "revolute", "b", "c")]
    )
    lost.joints[1].mimic = Mimic("drive")
    with pytest.raises(ModelError, match="names 'drive', which would be nowhere"):
        graft(model, lost, "a", with_base=False)
    assert dump(model) == before


def test_names_that_clash_are_all_told():
    """Guards the message, which lists links, joints and couplings, and that nothing is changed."""
    model = gripper()
    before = dump(model)
    with pytest.raises(
        ModelError, match=r"links 'palm', 'left', 'right'; joints 'bolt', .*; couplings 'mesh'; give a prefix"
    ):
        graft(model, gripper(), "palm")
    with pytest.raises(ModelError, match="there is no link 'thumb'"):
        graft(model, gripper(), "thumb", prefix="x")
    with pytest.raises(ModelError, match="the subtree's place in link 'palm' takes a pose"):
        graft(model, gripper(), "palm", prefix="x", X_LS=(0, 0, 0))
    assert dump(model) == before


def test_what_floats_gets_a_name_of_its_own():
    """Guards the joint that fixes a floating graft: the link's name, or underscored where that is taken."""
    model = Model(links=[Link("a")], joints=[Joint("p_b", "revolute", WORLD, "a")])
    pose = random_pose(np.random.default_rng(0))
    graft(model, Model(links=[Link("b", pose=pose)]), "a", prefix="p_")
    assert [(joint.name, joint.type, joint.X_PJ) for joint in model.joints[1:]] == [("p__b", "fixed", pose)]
    assert model.link("p_b").pose == pose


def inverted(joint, q):
    """Coordinates of the inverse motion of a chart, by matrices."""
    if joint.kind.chart is None:
        return q
    X = np.linalg.inv(matrix((0.0, 0.0, 0.0, *q) if len(q) == 4 else q))
    w, x, y, z = q[-4:]
    return [*X[:3, 3], w, -x, -y, -z][-len(q) :]


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 60), st.integers(0, 23), st.booleans())
def test_another_base_moves_no_link_against_another(seed, number, floats):
    """Guards re_root on every type: drawn as before, and at any coordinates the links stand to each other as before.

    The new base stands where it stood with all joints at zero between it and the old one, held as that was.
    """
    model = random_graph(seed, 24, floats=floats)
    name = f"link{number}"
    before = model.copy()
    path = before.tree().path(name)
    held = before.tree().path("link0") if not floats else []
    re_root(model, name)
    assert [link.pose for link in model.links] == [link.pose for link in before.links]
    assert_consistent(model)
    if not path or len(path) == len(held):
        assert dump(model) == dump(before)
        return
    assert [branch.inner for branch in model.tree().path(name)] == [WORLD]
    assert not model.tree().roots
    q = random_q(before, seed)
    turned = {}
    for joint in before.joints:
        if joint.nq:
            is_turned = joint.child == model.joint(joint.name).parent
            turned[joint.name] = inverted(joint, q[joint.name]) if is_turned else q[joint.name]
    found, expected = tree_poses(model, turned), tree_poses(before, q)
    for link in model.links:
        X_BL = [np.linalg.solve(matrix(poses[name]), matrix(poses[link.name])) for poses in (found, expected)]
        np.testing.assert_allclose(*X_BL, atol=1e-9)
    at_zero = tree_poses(before, {branch.joint.name: q[branch.joint.name] for branch in held if branch.joint.nq})
    np.testing.assert_allclose(matrix(found[name]), matrix(at_zero[name]), atol=1e-9)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 60), st.integers(0, 23))
def test_there_and_back(seed, number):
    """Guards re_root's second half: at the old base again, the model is what it was.

    Only joints that pointed at the old base point away from it then; so they stay on a second round.
    """
    model = coupled(random_graph(seed, 24, loops=3))
    path = model.tree().path(f"link{number}")
    base, forward = path[0].outer, not any(branch.backward for branch in path)
    loops = [joint.name for joint in model.tree().loops]
    for is_first in (True, False):
        before = model.copy()
        re_root(model, f"link{number}")
        assert [joint.name for joint in model.tree().loops] == loops
        re_root(model, base)
        for joint in before.joints:  # loops are marked where the tree would have chosen others
            joint.closes_loop = model.joint(joint.name).closes_loop
            assert joint.closes_loop <= (joint.name in loops)
        if forward or not is_first:
            assert_same(model, before)


def test_a_floating_piece_gets_a_free_joint_to_its_new_base():
    """Guards the explicit joint: its name is that of the implicit one, and it holds the base where it is drawn."""
    model = Model(links=[Link("a", pose=random_pose(np.random.default_rng(0))), Link("b")])
    model.joints = [Joint("b", "prismatic", "a", "b", home=(0.5,), axes=[Axis((0.6, 0.0, 0.8), damping=2.0)])]
    model.link("b").pose = model.link("a").pose
    re_root(model, "b")
    slide, free = model.joints
    assert (slide.parent, slide.child, slide.axes[0].xyz, slide.home) == ("b", "a", (-0.6, 0.0, -0.8), (0.5,))
    assert slide.axes[0].damping == 2.0
    assert (free.name, free.type, free.parent, free.child) == ("_b", "free", WORLD, "b")
    assert free.X_PJ == pytest.approx(model.link("b").pose)


def test_a_ball_turned_round_rests_where_it_did():
    """Guards a ball's home, springs, drives and twist limits: at the same pose of the links they say the same."""
    axes = [Axis(spring_reference=0.1 * i, drive_target=0.2) for i in range(3)] + [Axis((0, 1, 0), upper=1.0), Axis()]
    axes[4].lower, axes[4].upper = -0.2, 0.7
    home = (math.cos(0.3), 0.0, math.sin(0.3), 0.0)
    model = Model(links=[Link("a"), Link("b")])
    model.joints = [Joint("stand", "fixed", WORLD, "a"), Joint("ball", "ball", "a", "b", axes=axes, home=home)]
    before = model.copy()
    re_root(model, "b")
    ball = model.joint("ball")
    X_AB = [compose(inverse(poses["a"]), poses["b"]) for poses in (tree_poses(m, m.home()) for m in (model, before))]
    assert X_AB[0] == pytest.approx(X_AB[1])
    assert [axis.spring_reference for axis in ball.axes[:3]] == [0.0, -0.1, -0.2]
    assert [axis.drive_target for axis in ball.axes[:3]] == [-0.2] * 3
    assert (ball.axes[3].upper, ball.axes[4].lower, ball.axes[4].upper) == (1.0, -0.7, 0.2)


def test_all_that_holds_the_old_base_lets_go():
    """Guards bases that stand on several joints: all of them hold the new one, and loops stay the loops they were."""
    model = Model(links=[Link("a"), Link("b"), Link("c")])
    model.joints = [
        Joint("left", "revolute", WORLD, "a"),
        Joint("right", "revolute", "a", WORLD),
        Joint("up", "revolute", "a", "b"),
        Joint("on", "revolute", "b", "c"),
        Joint("bar", "ball", "b", WORLD),
    ]
    before = model.copy()
    re_root(model, "c")
    assert [(joint.parent, joint.child) for joint in model.joints[:2]] == [(WORLD, "c"), ("c", WORLD)]
    assert [(joint.parent, joint.child) for joint in model.joints[2:]] == [("b", "a"), ("c", "b"), ("b", WORLD)]
    assert [joint.name for joint in model.tree().loops] == [joint.name for joint in before.tree().loops]


def test_a_gearbox_on_the_stand_is_told():
    """Guards against a gearbox that would lose its hinge, and that nothing is changed."""
    model = Model(
        links=[Link("a"), Link("b")], joints=[Joint("j", "revolute", WORLD, "a"), Joint("k", "revolute", WORLD, "b")]
    )
    model.links.append(Link("c"))
    model.joints.append(Joint("l", "revolute", "a", "c"))
    model.couplings.append(Gearbox("box", "a", "b", WORLD))
    before = dump(model)
    with pytest.raises(ModelError, match="link 'c' cannot become the base: coupling 'box' counts on joint 'j'"):
        re_root(model, "c")
    assert dump(model) == before


def test_frames_and_lights_go_with_their_links():
    """Guards what stands on links: cut off, grafted on elsewhere under a prefix, it is where its link is."""
    model = Model(
        links=[Link("base"), Link("tip", pose=(1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))],
        joints=[Joint("hinge", "revolute", "base", "tip", X_PJ=(1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))],
        frames=[Frame("tool", "tip", (0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0)), Frame("stand", "base")],
        lights=[Light("lamp", link="tip")],
    )
    piece = remove_link(model, "tip")
    assert [frame.name for frame in model.frames] == ["stand"]
    assert [frame.name for frame in piece.frames] == ["tool"]
    assert not model.lights
    graft(model, piece, "base", prefix="new_")
    assert [(frame.name, frame.link) for frame in model.frames] == [("stand", "base"), ("new_tool", "new_tip")]
    assert [(light.name, light.link) for light in model.lights] == [("new_lamp", "new_tip")]
