# SPDX-License-Identifier: GPL-3.0-or-later
"""Spanning trees."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limberjack.core.model import WORLD, Joint, Link, Model, ModelError
from limberjack.core.model.graph import connected_components
from support.models import random_graph


def joined(links, *joints):
    """A model of links named by letters, and joints ("type", parent, child), "-" before the type marking a loop."""
    made = [
        Joint(f"{parent}{child}{number}", type_.removeprefix("-"), parent, child, closes_loop=type_.startswith("-"))
        for number, (type_, parent, child) in enumerate(joints)
    ]
    return Model(links=[Link(name) for name in links], joints=made)


def walked(model):
    return [(branch.inner, branch.outer, branch.backward) for branch in model.tree().branches]


def depths(model):
    """How many joints lie between each link and the world at least, where none is a chart; by relaxation."""
    depth = {link.name: math.inf for link in model.links} | {WORLD: 0}
    for _ in model.links:
        for joint in model.joints:
            if not joint.closes_loop:
                depth[joint.child] = min(depth[joint.child], depth[joint.parent] + 1)
                depth[joint.parent] = min(depth[joint.parent], depth[joint.child] + 1)
    return depth


@settings(deadline=None)
@given(st.integers(0, 9), st.lists(st.tuples(st.integers(-1, 8), st.integers(0, 8), st.booleans()), max_size=20))
def test_trees_are_shallow_complete_and_the_same_each_time(seed, pairs):
    """Guards against a tree that leaves a link out, holds one twice, is out of order, or goes round about."""
    model = random_graph(seed, 9)
    names = [WORLD, *(link.name for link in model.links)]
    model.joints = [
        Joint(f"joint{i}", "revolute", names[p + 1], names[c + 1], closes_loop=marked)
        for i, (p, c, marked) in enumerate(pairs)
        if p != c
    ]
    tree = model.tree()
    assert tree == model.copy().tree()
    reached = {WORLD, *tree.roots}
    for branch in tree.branches:
        assert branch.inner in reached
        assert branch.outer not in reached
        reached.add(branch.outer)
    assert reached == set(names)
    used = [branch.joint.name for branch in tree.branches] + [joint.name for joint in tree.loops]
    assert sorted(used) == sorted(joint.name for joint in model.joints)
    for link, depth in depths(model).items():
        path = tree.path(link)
        hangs = link == WORLD or bool(path and path[0].inner == WORLD)
        assert hangs == math.isfinite(depth)
        if hangs:
            assert len(path) == depth


def test_the_shorter_way_carries():
    """Guards the choice of the joint that closes a ring: the one farthest from the world, not the last in the list."""
    ring = joined("ab", ("revolute", "a", "b"), ("revolute", WORLD, "b"), ("ball", WORLD, "a"))
    assert [joint.name for joint in ring.tree().loops] == ["ab0"]
    assert str(ring.loops()[0]) == "joint 'ab0' closes a loop with 'worlda2', 'worldb1'"


def test_a_marked_joint_never_carries():
    """Guards closes_loop: the long way round is taken, and what only marked joints hold floats."""
    ring = joined("ab", ("-revolute", WORLD, "b"), ("revolute", WORLD, "a"), ("revolute", "a", "b"))
    assert walked(ring) == [(WORLD, "a", False), ("a", "b", False)]
    assert [joint.name for joint in ring.tree().loops] == ["worldb0"]
    assert joined("a", ("-revolute", WORLD, "a")).tree().roots == ("a",)


def test_joints_lead_backward_where_nothing_else_leads():
    """Guards models whose joints point at the base; a ball, whose coordinates are the child's, is not walked so."""
    assert walked(joined("ab", ("revolute", "b", "a"), ("planar", "a", WORLD))) == [
        (WORLD, "a", True),
        ("a", "b", True),
    ]
    ball = joined("ab", ("revolute", WORLD, "a"), ("ball", "b", "a")).tree()
    assert ball.roots == ("b",)
    assert [joint.name for joint in ball.loops] == ["ba1"]


def test_pieces_float_at_the_link_that_no_joint_carries():
    """Guards the choice of what floats: the base of a piece, wherever it stands in the list; in a ring, the first."""
    assert joined("abc", ("revolute", "b", "a"), ("revolute", "c", "b")).tree().roots == ("c",)
    assert joined("abx", ("revolute", "a", "b"), ("revolute", "b", "a")).tree().roots == ("a", "x")


def test_a_free_joint_carries_only_what_nothing_else_does():
    """Guards a free joint beside a hinge, first in the list and nearer to the world: the hinge holds, so it carries."""
    model = joined("ab", ("free", WORLD, "b"), ("revolute", WORLD, "a"), ("revolute", "a", "b"))
    assert walked(model) == [(WORLD, "a", False), ("a", "b", False)]
    alone = joined("ab", ("free", WORLD, "b"), ("revolute", "a", "b"))
    assert walked(alone) == [(WORLD, "b", False), ("b", "a", True)]


def test_branches_come_depth_first_in_the_order_of_joints():
    """Guards the order of coordinates: a limb at a time."""
    model = joined("abcd", ("ball", WORLD, "a"), ("revolute", "a", "c"), ("revolute", "a", "b"), ("revolute", "c", "d"))
    assert [branch.outer for branch in model.tree().branches] == ["a", "c", "d", "b"]
    assert model.tree().links_from("c") == ["c", "d"]


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        (("ball", WORLD, "z"), "joint 'worldz0': there is no link 'z'; name a link of the model"),
        (("ball", "a", "a"), "joint 'aa0' joins 'a' with itself; name two links"),
    ],
)
def test_ends_that_cannot_be_are_named(joint, words):
    """Guards the message."""
    with pytest.raises(ModelError, match=words):
        joined("a", joint).tree()


@pytest.mark.parametrize("links", ["abc", "acb", "bac", "bca", "cab", "cba"])
def test_a_floating_piece_is_rooted_before_its_charts(links):
    """Guards against a needless loop: a ball is never walked backward, so the root is on its parent's side."""
    model = joined(links, ("ball", "a", "b"), ("revolute", "c", "b"))
    assert model.tree().roots == ("a",)
    assert model.loops() == []


def test_pieces_come_together_in_any_order_of_joints():
    """Guards `pieces` against sets that grow: chains of joins must not be cut again where they are shortened."""
    for seed in range(200):
        draw = random.Random(seed)
        names = [f"l{i}" for i in range(8)]
        ends = [draw.sample(names, 2) for _ in range(draw.randint(0, 9))]
        found = connected_components(names, [Joint(f"j{i}", "fixed", *pair) for i, pair in enumerate(ends)])
        together = {name: {name} for name in names}
        for _ in names:
            for a, b in ends:
                together[a] = together[b] = together[a] | together[b]
        assert found == {name: min(together[name]) for name in names}
