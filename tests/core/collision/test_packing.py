# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids as they are told: what is no size is refused in one line, and what is packed is what was told."""

import math
from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.collision.hulls import Hull, HullError, convex_hull
from limberjack.core.collision.packing import (
    SolidError,
    ball,
    box,
    capsule,
    cone,
    cylinder,
    ellipsoid,
    hulled,
    pack,
    plane,
)
from limberjack.core.collision.solids import BALL, BOX, ELLIPSOID, HULL, PLANE
from support.solids import cloud

MAKERS = {
    "ball": (lambda x: ball(x), "radius"),
    "capsule's radius": (lambda x: capsule(x, 1.0), "radius"),
    "capsule's length": (lambda x: capsule(1.0, x), "length"),
    "box": (lambda x: box((1.0, x, 1.0)), "size along y"),
    "cylinder's radius": (lambda x: cylinder(x, 1.0), "radius"),
    "cylinder's length": (lambda x: cylinder(1.0, x), "length"),
    "cone's radius": (lambda x: cone(x, 1.0), "radius"),
    "cone's length": (lambda x: cone(1.0, x), "length"),
    "ellipsoid": (lambda x: ellipsoid((1.0, 1.0, x)), "radius along z"),
}


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("size", [math.nan, math.inf, -math.inf, 0.0, -1.0, 1e-300, 1e300])
def test_what_is_no_size_is_refused(maker, size):
    """Guards the kernels from what they cannot count with; the message says what was found and what is allowed."""
    make, name = MAKERS[maker]
    if maker == "capsule's length" and size == 0.0:
        assert make(size) == ball(1.0)
        return
    with pytest.raises(SolidError) as refused:
        make(size)
    assert str(refused.value) == f"the {name} is {size:g} m; it must be from 1e-09 m to 1e+09 m"


def test_hulls_without_corners_are_refused():
    """Guards hulls, which are made by themselves."""
    nothing = Hull(np.zeros((0, 3)), (), np.zeros((0, 4)), np.zeros((0, 2), int), 0.0)
    with pytest.raises(SolidError, match=r"^the hull has no vertices; it needs one or more$"):
        hulled(nothing)
    with pytest.raises(HullError):
        hulled(convex_hull(np.zeros((0, 3))))


def test_ellipsoid_of_one_radius_is_a_ball():
    """Guards the kind that is quicker."""
    assert ellipsoid((2.0, 2.0, 2.0)) == ball(2.0)
    assert ellipsoid((2.0, 2.0, 1.0)).kind == ELLIPSOID


def test_records_say_what_was_told_with_half_spaces_first():
    """Guards each field of the records, and the order."""
    pose = (1.0, 2.0, 3.0, math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    told = replace(box((2.0, 4.0, 6.0)), pose=pose, body=3, owner=4, number=5, category_bits=6, collide_bits=7)
    records, _ = pack([ball(0.5), told, plane()])
    assert records.kind.tolist() == [PLANE, BALL, BOX]
    record = records[2]
    told = [int(record[name]) for name in ("body", "owner", "number", "category_bits", "collide_bits")]
    assert told == [3, 4, 5, 6, 7]
    assert record.half.tolist() == [1.0, 2.0, 3.0]
    assert record.origin.tolist() == [1.0, 2.0, 3.0]
    assert record.rotation == pytest.approx(np.array([0, -1, 0, 1, 0, 0, 0, 0, 1.0]), abs=1e-15)
    assert record.bounding_radius == pytest.approx(math.sqrt(14.0))
    assert records.bounding_radius[0] == math.inf


def test_bounding_radius_holds_all_of_a_solid():
    """Guards the ball about each solid, which tells what is far: it touches the farthest corner."""
    for solid, farthest in (
        (ball(2.0), 2.0),
        (capsule(1.0, 4.0), 3.0),
        (cylinder(3.0, 8.0), 5.0),
        (cone(3.0, 8.0), 5.0),
        (ellipsoid((1.0, 3.0, 2.0)), 3.0),
        (hulled(convex_hull(cloud(2))), np.linalg.norm(cloud(2) - convex_hull(cloud(2)).middle, axis=1).max()),
    ):
        assert solid.bounding_radius == pytest.approx(farthest)


def test_hulls_are_packed_once_and_keep_their_neighbours():
    """Guards the arrays of hulls: a shared one lies there once, and vertices know the neighbours in their hull."""
    first, second = convex_hull(cloud(1)), convex_hull(cloud(2))
    records, store = pack([hulled(first), hulled(second), hulled(first)])
    hulls = store.hulls
    assert records.kind.tolist() == [HULL] * 3
    assert len(hulls.vertices) == len(first.vertices) + len(second.vertices)
    assert records.first_vertex.tolist() == [0, len(first.vertices), 0]
    for record, hull in zip(records, (first, second, first), strict=True):
        start = record.first_vertex
        for i in range(record.vertex_count):
            told = hulls.neighbours[hulls.neighbours_from[start + i] : hulls.neighbours_from[start + i + 1]] - start
            assert set(told) == {int(b if a == i else a) for a, b in hull.edges if i in (a, b)}
        for k in range(record.face_count):
            face = record.first_face + k
            told = hulls.corners[hulls.corners_from[face] : hulls.corners_from[face + 1]] - start
            assert tuple(told) == hull.faces[k]
            corners = hulls.vertices[hulls.corners[hulls.corners_from[face] : hulls.corners_from[face + 1]]]
            assert corners @ hulls.planes[face, :3] == pytest.approx(hulls.planes[face, 3], abs=1e-12)
            assert (hulls.planes[face, :3] == hull.planes[k, :3]).all()
