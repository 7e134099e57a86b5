# SPDX-License-Identifier: GPL-3.0-or-later
"""Guards what users ask of links' collisions: how far apart, which overlap, in any pose, and what check tells of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from limberjack.core.check import check_model
from limberjack.core.check.overlapping import overlapping
from limberjack.core.geometry import Box, Foreign, Mesh, Plane, Shape, Sphere
from limberjack.core.kinematics.proximity.distances import Proximity, distance, overlaps, pairs_nearer
from limberjack.core.model import WORLD, ContactPair, Joint, Link, Model, ModelError

UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def ball(name: str, x: float, radius: float = 0.5) -> Link:
    return Link(name, pose=(x, 0.0, 0.0, *UPRIGHT), collisions=[Shape("ball", Sphere(radius))])


def floating(*links: Link) -> Model:
    joints = [Joint(f"{link.name} free", "free", WORLD, link.name, X_PJ=link.pose) for link in links]
    return Model(links=list(links), joints=joints)


def arm() -> Model:
    """Two bars of 1 m along x on hinges about z, and a post beside."""
    bars = [Link(name, collisions=[Shape("bar", Box((1.0, 0.1, 0.1)), (0.5, 0.0, 0.0, *UPRIGHT))]) for name in "ab"]
    post = Link("post", pose=(1.0, 1.5, 0.0, *UPRIGHT), collisions=[Shape("post", Sphere(0.1))])
    joints = [
        Joint("shoulder", "revolute", WORLD, "a"),
        Joint("elbow", "revolute", "a", "b", X_PJ=(1.0, 0.0, 0.0, *UPRIGHT)),
        Joint("foot", "fixed", WORLD, "post", X_PJ=(1.0, 1.5, 0.0, *UPRIGHT)),
    ]
    return Model(links=[*bars, post], joints=joints)


def test_distance_of_links_follows_the_pose():
    """The bar's end is 0.5 m below the post's middle when the elbow is at a right angle, and 0.1 m of ball less."""
    found = distance(arm(), {"elbow": math.pi / 2.0}, "b", "post")
    assert found.gap == pytest.approx(0.4)
    assert found.normal == pytest.approx((0.0, 1.0, 0.0))
    assert found.point_a[1] == pytest.approx(1.0)
    assert found.point_b == pytest.approx((1.0, 1.4, 0.0))
    assert (found.a, found.b, found.shape_a, found.shape_b) == ("b", "post", "bar", "post")
    assert distance(arm(), np.array([0.0, math.pi / 2.0]), "post", "b").gap == pytest.approx(0.4)


def test_neighbours_do_not_meet_but_have_a_distance():
    assert overlaps(arm()) == []
    assert distance(arm(), None, "a", "b").gap == pytest.approx(0.0, abs=1e-12)
    asked = arm()
    asked.contact_pairs = [ContactPair("a", "b", True)]
    folded = overlaps(asked, {"elbow": 3.0})
    assert [(found.a, found.b) for found in folded] == [("a", "b")]
    assert folded[0].gap < -0.05


def test_pairs_nearer_than_a_limit_in_the_models_order():
    model = floating(ball("c", 0.0), ball("b", 1.2), ball("a", 2.2))
    assert [(each.a, each.b) for each in pairs_nearer(model, None, 0.21)] == [("c", "b"), ("b", "a")]
    assert [each.gap for each in pairs_nearer(model, None, 0.3)] == pytest.approx([0.2, 0.0], abs=1e-12)
    assert pairs_nearer(model, None, 0.0) == []


def test_the_static_world_is_a_mesh_as_drawn_and_what_moves_its_hull():
    """An open box stands still: a ball inside of it is as far from its wall as it is. One that moves is its hull."""
    corners = np.array(list(np.ndindex(2, 2, 2)), float) * 2.0 - 1.0
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4))  # the top is left out
    tray = Link("tray", collisions=[Shape("tray", Mesh(vertices=corners, faces=faces))])
    inside = ball("ball", 0.3, 0.2)
    free = Joint("free", "free", WORLD, "ball", X_PJ=inside.pose)
    still = Model(links=[tray, inside], joints=[Joint("held", "fixed", WORLD, "tray"), free])
    assert distance(still, None, "tray", "ball").gap == pytest.approx(0.5)
    moving = Proximity(Model(links=[tray, inside], joints=[Joint("loose", "free", WORLD, "tray"), free]))
    assert moving.distance("tray", "ball").gap == pytest.approx(-0.9)
    assert "convex hull of 8 corners" in dict(moving.colliders.notes)["tray"]


def test_contacts_of_a_box_on_the_ground():
    box = Link("box", pose=(0.3, 0.0, 0.5, *UPRIGHT), collisions=[Shape("box", Box((1.0, 1.0, 1.0)))])
    ground = Link("ground", collisions=[Shape("plane", Plane())])
    joints = [Joint("free", "free", WORLD, "box", X_PJ=box.pose), Joint("held", "fixed", WORLD, "ground")]
    found = Proximity(Model(links=[box, ground], joints=joints)).contacts(1e-3)
    assert len(found) == 4
    assert found.gap == pytest.approx(0.0, abs=1e-12)
    assert sorted(map(tuple, np.round(found.point[:, :2], 9).tolist())) == [
        (-0.2, -0.5), (-0.2, 0.5), (0.8, -0.5), (0.8, 0.5),
    ]  # fmt: skip


def test_who_asks_for_what_is_not_there_is_told():
    model = floating(ball("a", 0.0), Link("bare", collisions=[Shape("map", Foreign("sdf", "heightmap", ""))]))
    with pytest.raises(ModelError, match="no link 'x'"):
        distance(model, None, "a", "x")
    with pytest.raises(ModelError, match="link 'bare' has no collision that can touch"):
        distance(model, None, "a", "bare")


@pytest.mark.parametrize(("a", "b"), [("sheet", "ground"), ("ground", "sheet"), ("sheet", "shelf"), ("ground", "hill")])
def test_between_surfaces_that_are_not_convex_there_is_no_distance(a, b):
    """Guards against made-up numbers: neither half-spaces nor meshes as drawn have a point that is farthest."""
    corners, faces = np.array([(0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (0.0, 1.0, 1.0)]), ((0, 1, 2),)
    sheet, shelf = (
        Link(name, collisions=[Shape("mesh", Mesh(vertices=corners, faces=faces))]) for name in ("sheet", "shelf")
    )
    ground, hill = (Link(name, collisions=[Shape("plane", Plane())]) for name in ("ground", "hill"))
    still = [sheet, shelf, ground, hill]
    model = Model(links=still, joints=[Joint(link.name, "fixed", WORLD, link.name) for link in still])
    with pytest.raises(ModelError, match=f"'{a}' and '{b}' have no two collisions .* one of them must be convex"):
        distance(model, None, a, b)


def test_check_tells_what_overlaps_and_what_cannot_touch():
    """Guards the two findings: pairs by what overlaps, and shapes that touch nothing by `check_model`."""
    flat = Link("flat", collisions=[Shape("cone", Mesh("gone.stl")), Shape("map", Foreign("sdf", "voxels", ""))])
    model = floating(ball("a", 0.0), ball("b", 0.997), flat)
    told = [issue.format("f") for issue in overlapping(model)]
    assert any(
        "collision 'ball' overlaps collision 'ball' of link 'b' by 3 mm where they start" in line for line in told
    )
    assert len(told) == 1
    unusable = [issue.message for issue in check_model(model) if issue.code == "collision-shape"]
    assert ["gone.stl" in message for message in unusable] == [True, False]
    assert "voxels" in unusable[1]


def test_what_stands_on_a_floor_does_not_overlap_it():
    """A box drawn to stand exactly on a floor is no finding, whatever rounding makes of it."""
    box = Link("box", pose=(0.1, 0.0, 0.05, *UPRIGHT), collisions=[Shape("box", Box((0.1, 0.1, 0.1)))])
    ground = Link("ground", collisions=[Shape("plane", Plane())])
    joints = [Joint("free", "free", WORLD, "box", X_PJ=box.pose), Joint("held", "fixed", WORLD, "ground")]
    assert list(overlapping(Model(links=[box, ground], joints=joints))) == []
