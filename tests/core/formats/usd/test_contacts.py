# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision filters of USD: filtered pairs, groups, joints and articulations."""

from itertools import combinations

import pytest

import limberjack as lj
from limberjack.core.model import ContactPair, Model
from support.usd import SOLID, body, codes_of, joint, model_of, prim

pytest.importorskip("pxr", reason="usd-core is not installed")

FILTER = "PhysicsFilteredPairsAPI"


def solid(name: str, content: str = "", apis: tuple[str, ...] = (), **place: object) -> str:
    """A body with a cube."""
    cube = prim("Cube", "shape", "double size = 1", ["PhysicsCollisionAPI"])
    return body(name, f"{SOLID}{content}\n{cube}", apis, **place)


def filtered(*paths: str) -> str:
    return f"rel physics:filteredPairs = [{', '.join(f'<{path}>' for path in paths)}]"


def pairs_of(text: str) -> set[tuple[str, str]]:
    """Names of links that are kept apart."""
    return {tuple(sorted((pair.a, pair.b))) for pair in model_of(text).contact_pairs if not pair.meets}


def test_filtered_bodies():
    """A pair is kept apart from either side, and once."""
    text = solid("a", filtered("/b", "/c"), (FILTER,)) + solid("b", filtered("/a"), (FILTER,)) + solid("c")
    assert pairs_of(text) == {("a", "b"), ("a", "c")}
    assert len(model_of(text).contact_pairs) == 2


def test_filtered_colliders():
    """A collider stands for its body; if the body has others, a warning says that they are kept apart too."""
    text = solid("a", filtered("/b/shape"), (FILTER,)) + solid("b")
    assert pairs_of(text) == {("a", "b")}
    assert codes_of(text) == []
    two = solid("b", prim("Cube", "other", "", ["PhysicsCollisionAPI"]))
    assert codes_of(solid("a", filtered("/b/shape"), (FILTER,)) + two) == ["approximated"]


def test_filtered_prims_above_bodies():
    """A prim above bodies stands for all of them, and a body for itself."""
    robot = prim("Xform", "robot", solid("a") + solid("b") + solid("ab"))
    assert pairs_of(robot + solid("c", filtered("/robot"), (FILTER,))) == {("a", "c"), ("b", "c"), ("ab", "c")}
    assert pairs_of(prim("Xform", "a", solid("x")) + solid("ab", filtered("/a"), (FILTER,))) == {("ab", "x")}


def test_filters_of_one_static_collider_leave_the_others_alone():
    """A body that is kept apart from a wall still stands on the floor."""
    floor, wall = (prim("Cube", name, "double size = 1", ["PhysicsCollisionAPI"]) for name in ("floor", "wall"))
    model = model_of(floor + wall + solid("a", filtered("/wall"), (FILTER,), at=(0, 0, 5)))
    assert [link.name for link in model.links] == ["a", "surroundings", "wall"]
    assert model.contact_pairs == [ContactPair("a", "wall", meets=False)]


def test_targets_that_are_not_there():
    """A filter of a missing prim keeps nothing apart, and is told."""
    text = solid("a", filtered("/gone"), (FILTER,)) + prim("Plane", "floor", "", ["PhysicsCollisionAPI"])
    assert pairs_of(text) == set()
    assert codes_of(text) == ["unknown-body"]


def test_joined_bodies():
    """Bodies of a joint collide if it says so, and not if they are filtered as well."""
    meets = "bool physics:collisionEnabled = true"
    hinge = joint("Revolute", "j", meets, ("/a", "/b"))
    assert model_of(solid("a") + solid("b") + hinge).contact_pairs == [ContactPair("a", "b", meets=True)]
    assert model_of(solid("a") + solid("b") + joint("Revolute", "j", "", ("/a", "/b"))).contact_pairs == []
    both = solid("a", filtered("/b"), (FILTER,)) + solid("b") + hinge
    assert model_of(both).contact_pairs == [ContactPair("a", "b", meets=False)]
    twice = hinge + joint("Spherical", "k", meets, ("/b", "/a"))
    assert len(model_of(solid("a") + solid("b") + twice).contact_pairs) == 1


def group(name: str, members: str, filters: tuple[str, ...] = (), content: str = "") -> str:
    """A collision group. members: paths of what is in it."""
    lines = f"rel collection:colliders:includes = [{members}]\n"
    lines += f"rel physics:filteredGroups = [{', '.join(f'</{each}>' for each in filters)}]\n"
    return prim("PhysicsCollisionGroup", name, lines + content, ["CollectionAPI:colliders"])


def meeting(model: Model) -> set[str]:
    """Pairs of links whose collisions meet by their layers."""
    shapes = {link.name: link.collisions[0] for link in model.links}
    return {a + b for a, b in combinations(sorted(shapes), 2) if shapes[a].may_meet(shapes[b])}


FOUR = "".join(solid(name) for name in "abcd")


def groups(*texts: str) -> set[str]:
    return meeting(model_of(FOUR + "".join(texts)))


ALL = {"ab", "ac", "ad", "bc", "bd", "cd"}


def test_groups():
    """Colliders of two groups that are filtered do not meet; those of none meet all."""
    assert groups(group("g", "</a>, </b>", ("h",)), group("h", "</c>")) == ALL - {"ac", "bc"}
    assert groups(group("g", "</a>, </b>", ("g",))) == ALL - {"ab"}
    assert groups(group("g", "</a>, </b>")) == ALL


def test_colliders_in_several_groups():
    """One filtered pair of groups keeps two colliders apart, though others of theirs may meet."""
    assert groups(group("g", "</a>", ("h",)), group("i", "</a>, </c>"), group("h", "</b>, </c>")) == ALL - {"ab", "ac"}


def test_inverted_groups():
    """An inverted group meets only the groups that it names; colliders of no group it meets as well."""
    texts = (
        group("g", "</a>", ("h",), "bool physics:invertFilteredGroups = true"),
        group("h", "</b>"),
        group("i", "</c>"),
    )
    assert groups(*texts) == ALL - {"ac"}


def test_merged_groups():
    """Groups of one merge name are one group."""
    merged = 'string physics:mergeGroup = "m"'
    texts = group("g", "</a>", ("i",), merged), group("h", "</b>", (), merged), group("i", "</c>")
    assert groups(*texts) == ALL - {"ac", "bc"}


def test_groups_are_those_of_pxr():
    """pxr's own table of groups is the same, for random filters."""
    import random

    from pxr import Sdf, Usd, UsdPhysics

    from support.usd import stage

    chance = random.Random(7)
    for _ in range(5):
        texts = []
        for name in "ghij":
            filters = tuple(each for each in "ghij" if chance.random() < 0.3)
            inverts = "bool physics:invertFilteredGroups = true" if chance.random() < 0.3 else ""
            merges = 'string physics:mergeGroup = "m"' if chance.random() < 0.3 else ""
            texts.append(group(name, f"</{'abcd'['ghij'.index(name)]}>", filters, f"{inverts}\n{merges}"))
        layer = Sdf.Layer.CreateAnonymous(".usda")
        layer.ImportFromString(stage(FOUR + "".join(texts)))
        table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(Usd.Stage.Open(layer))
        wanted = {
            a + b
            for a, b in combinations("abcd", 2)
            if table.IsCollisionEnabled(f"/{'ghij'['abcd'.index(a)]}", f"/{'ghij'['abcd'.index(b)]}")
        }
        assert groups(*texts) == wanted


def test_more_combinations_than_layers_are_told():
    """Nothing is kept apart then."""
    many = "".join(solid(f"b{number}") + group(f"g{number}", f"</b{number}>", ("g0",)) for number in range(40))
    assert "left-out" in codes_of(many)


@pytest.mark.parametrize("name", ["physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled"])
def test_articulations_that_do_not_hit_themselves(name):
    """The root switches collisions between the bodies of its articulation off, and with others not."""
    chain = "".join(joint("Revolute", f"j{n}", "", (f"/r/{a}", f"/r/{b}")) for n, (a, b) in enumerate(("ab", "bc")))
    root = prim(
        "Xform",
        "r",
        f"bool {name} = false\n" + solid("a") + solid("b") + solid("c") + chain,
        ["PhysicsArticulationRootAPI"],
    )
    model = model_of(root + solid("d"))
    assert {link.name: link.self_collide for link in model.links} == {"a": False, "b": False, "c": False, "d": True}


def test_a_body_falls_onto_the_surroundings():
    """Colliders without a body hold what falls on them."""
    floor = prim("Plane", "floor", "", ["PhysicsCollisionAPI"])
    trajectory = lj.simulate(model_of(solid("a", at=(0, 0, 0.6)) + floor), 1.0)
    assert trajectory.link("a")[-1][2] == pytest.approx(0.5, abs=1e-3)
