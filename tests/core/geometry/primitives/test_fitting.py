# SPDX-License-Identifier: GPL-3.0-or-later
"""A body is told as the primitive that it is, wherever and however it stands, and as none where it is none."""

import math

import numpy as np
import pytest

from limberjack.core.collision.hulls import convex_hull
from limberjack.core.geometry import Box, Capsule, Cylinder, Sphere
from limberjack.core.geometry.primitives.enclosing import enclosing_box, enclosing_sphere
from limberjack.core.geometry.primitives.fitting import fitting_shape, largest_gap, smallest_box, volume_of
from limberjack.core.spatial import quat_of_rotvec, quat_to_mat
from support.concave import box, triangles
from support.round_meshes import arc, blob, prism, shaft, sphere, turned

TURNS = {
    "upright": np.eye(3),
    "by 30 degrees": np.reshape(quat_to_mat(quat_of_rotvec((0.0, 0.0, math.pi / 6.0))), (3, 3)),
    "aslant": np.reshape(quat_to_mat(quat_of_rotvec((0.4, -0.8, 1.1))), (3, 3)),
}


def pill(radius, length, segments=32):
    """A cylinder with round ends, as a surface of revolution."""
    rings = segments // 2
    ends = [(radius, z) for z in (-length / 2.0, length / 2.0)]
    low = [(radius * math.cos(a), -length / 2.0 + radius * math.sin(a)) for a in np.linspace(-1.5, 0.0, rings)[:-1]]
    high = [(r, -z) for r, z in reversed(low)]
    vertices, faces = turned([*low, *ends, *high], segments)
    count = len(vertices)
    caps = [tuple(reversed(range(segments))), tuple(range(count - segments, count))]
    return triangles(vertices, [*faces, *caps])


def hull_of(vertices):
    hull = convex_hull(vertices)
    return triangles(hull.vertices, hull.faces)


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize(
    ("body", "found"),
    [
        (box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)), Box((1.0, 1.0, 1.0))),
        (box((-1.0, -0.5, -0.1), (1.0, 0.5, 0.1)), Box((2.0, 1.0, 0.2))),
        (triangles(*shaft(32, 0.5, 2.0)), Cylinder(0.5, 2.0)),
        (triangles(*shaft(32, 1.0, 0.1)), Cylinder(1.0, 0.1)),
        (triangles(*shaft(30, 1.0, math.sqrt(3.0))), Cylinder(1.0, math.sqrt(3.0))),  # all its axes are principal ones
        (triangles(*sphere(32, 16)), Sphere(1.0)),
        (pill(0.5, 2.0), Capsule(0.5, 2.0)),
    ],
    ids=["cube", "plate", "cylinder", "disk", "cylinder as wide as long", "sphere", "capsule"],
)
def test_what_it_was_made_as(body, found, turn):
    """Its kind, its size and its place, to what rounding leaves of its corners, in whatever axes they are told."""
    vertices, faces = body
    middle = np.array((1.0, -2.0, 3.0))
    fitted = fitting_shape(vertices @ turn.T + middle, faces)
    geometry, matrix = fitted.placed
    assert type(geometry) is type(found)
    assert sizes(geometry) == pytest.approx(sizes(found), rel=2e-3)
    assert matrix[:3, 3] == pytest.approx(middle, abs=1e-3)
    assert matrix[:3, :3] @ matrix[:3, :3].T == pytest.approx(np.eye(3), abs=1e-9)
    assert np.linalg.det(matrix[:3, :3]) == pytest.approx(1.0)
    own = (vertices @ turn.T) @ matrix[:3, :3]
    if isinstance(geometry, Box):
        assert np.ptp(own, axis=0) == pytest.approx(geometry.size)


def sizes(geometry):
    return sorted(geometry.size) if isinstance(geometry, Box) else list(vars(geometry).values())


def test_how_far_off_a_polygon_is():
    """A cylinder of n corners lies inside by the height of its arcs, and its volume is that of the polygon."""
    for corners in (16, 32, 64):
        fitted = fitting_shape(*triangles(*shaft(corners, 1.0, 2.0)))
        assert fitted.kind == "CYLINDER"
        assert fitted.error == pytest.approx((1.0 - math.cos(math.pi / corners)) / (2.0 * math.sqrt(2.0)))
        polygon = corners / 2.0 * math.sin(math.tau / corners)
        assert fitted.excess == pytest.approx(math.pi / polygon - 1.0)
    assert fitting_shape(*triangles(*shaft(12, 1.0, 2.0))) is None


def test_how_far_a_ball_reaches_beyond_a_cube():
    """Above the middle of each face, by the radius less half a side."""
    vertices, faces = box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
    assert largest_gap(enclosing_sphere(vertices), vertices, faces) == pytest.approx(math.sqrt(3.0) - 1.0)
    assert largest_gap(enclosing_box(vertices), vertices, faces) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    "body",
    [
        triangles(*shaft(3, 1.0, 2.0)),
        triangles(*shaft(6, 1.0, 60.0)),  # a rod whose surface is within 1 % of its length of a round one
        triangles(*shaft(32, 0.5, 2.0, taper=0.05)),
        hull_of(blob()[0]),
        hull_of(sphere()[0] * (1.0, 1.0, 1.1)),
    ],
    ids=["prism of three sides", "long prism of six", "tapering shaft", "blob", "egg"],
)
def test_what_is_none(body):
    assert fitting_shape(*body) is None


def test_bevels_leave_a_box_a_box():
    """Edges rounded by a hundredth of its size: an artist would say that it is a box; by a fifth, none would."""

    def rounded(radius):
        corners = [(x * (1.0 - radius), y * (1.0 - radius)) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        outline = [
            point
            for k, corner in enumerate(corners)
            for point in arc(4, k * math.pi / 2.0, (k + 1) * math.pi / 2.0, radius, corner)
        ]
        return triangles(*prism(outline, 2.0))

    assert fitting_shape(*rounded(0.02)).kind == "BOX"
    assert fitting_shape(*rounded(0.4)) is None


def test_volumes():
    """Of a capsule as the sum of its ball and its cylinder; the others by their formulas."""
    assert volume_of(Box((1.0, 2.0, 3.0))) == 6.0
    assert volume_of(Capsule(0.5, 2.0)) == pytest.approx(volume_of(Sphere(0.5)) + volume_of(Cylinder(0.5, 2.0)))
    assert volume_of(Sphere(2.0)) == pytest.approx(32.0 / 3.0 * math.pi)


def test_what_is_flat_has_no_volume():
    with pytest.raises(ValueError, match="encloses no volume"):
        fitting_shape(np.eye(3), np.array([[0, 1, 2], [2, 1, 0]]))


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_the_box_of_what_is_flat(turn):
    """It lies in the plane of a tilted sheet, as thick as that."""
    corners = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, 2.0, 0.0], [0.0, 2.0, 0.0]]) @ turn.T
    geometry, _ = smallest_box(corners, np.array([[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]]))
    assert sorted(geometry.size) == pytest.approx([0.0, 2.0, 3.0], abs=1e-12)
