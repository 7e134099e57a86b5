# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh of few flat faces is recognized as the primitive that it was made as, with the size that was typed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from limberjack.core.geometry import Box, Capsule, Cone, Cylinder, Sphere
from limberjack.core.geometry.primitives.recognition import recognized_shape
from limberjack.core.spatial import quat_of_rotvec, quat_to_mat
from support.concave import triangles

MIDDLE = np.array((1.0, -2.0, 3.0))
GOLDEN = (1.0 + math.sqrt(5.0)) / 2.0


def turned(x, y, z):
    return np.reshape(quat_to_mat(quat_of_rotvec((x, y, z))), (3, 3))


turns = st.builds(turned, *[st.floats(-3.0, 3.0)] * 3)
sizes = st.floats(0.01, 100.0)


def ring(segments, radius, z):
    angles = np.arange(segments) * math.tau / segments
    return [(radius * math.cos(angle), radius * math.sin(angle), z) for angle in angles]


def uv_sphere(segments, rings, radius=1.0):
    """As Blender makes it: its poles, and circles of latitude between them."""
    levels = [math.pi * k / rings for k in range(1, rings)]
    middle = [point for a in levels for point in ring(segments, radius * math.sin(a), radius * math.cos(a))]
    return np.array([(0.0, 0.0, radius), *middle, (0.0, 0.0, -radius)])


def prism(segments, radius, length):
    return np.array(ring(segments, radius, -length / 2.0) + ring(segments, radius, length / 2.0))


def pyramid(segments, radius, length):
    return np.array([*ring(segments, radius, -length / 2.0), (0.0, 0.0, length / 2.0)])


def pill(segments, radius, length):
    upper = uv_sphere(segments, segments // 2, radius)
    upper = upper[upper[:, 2] >= -1e-9 * radius] + (0.0, 0.0, length / 2.0)
    return np.vstack([upper, upper * (1.0, 1.0, -1.0)])


def cuboid(x, y, z):
    return np.array([(i * x, j * y, k * z) for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)])


def icosphere(subdivisions):
    """Unit vectors; one subdivision is an icosahedron, as Blender counts."""
    points = np.array([(0.0, i, j * GOLDEN) for i in (-1.0, 1.0) for j in (-1.0, 1.0)])
    points = np.vstack([np.roll(points, shift, axis=1) for shift in range(3)])
    points /= np.linalg.norm(points, axis=1)[:, None]
    for _ in range(subdivisions - 1):
        faces = hull(points)[1]
        pairs = np.unique(np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0)
        middles = points[pairs].sum(axis=1)
        points = np.vstack([points, middles / np.linalg.norm(middles, axis=1)[:, None]])
    return points


def truncated_icosahedron():
    """The ball of pentagons and hexagons: its corners divide the edges of an icosahedron in three, on one sphere."""
    vertices, faces = hull(icosphere(1))
    pairs = [(a, b) for face in faces for a, b in zip(face, np.roll(face, -1), strict=True)]
    return np.array([(2.0 * vertices[a] + vertices[b]) / 3.0 for a, b in pairs])


def hull(points):
    """Vertices and triangles of the convex hull with all its corners; the one in core is simplified for contact."""
    found = ConvexHull(points)
    corners = found.points[found.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    is_outward = (normals * found.equations[:, :3]).sum(axis=1) > 0.0
    faces = np.where(is_outward[:, None], found.simplices, found.simplices[:, ::-1])
    used, numbers = np.unique(faces, return_inverse=True)
    return found.points[used], numbers.reshape(-1, 3)


def recognized(points, turn=None):
    """In single precision, as Blender stores meshes."""
    points = np.asarray(points if turn is None else points @ turn.T, np.float32).astype(float)
    return recognized_shape(*hull(points))


def lengths(geometry):
    return sorted(geometry.size) if isinstance(geometry, Box) else list(vars(geometry).values())


MADE = st.one_of(
    st.builds(lambda n, m, r: (uv_sphere(n, m, r), Sphere(r)), st.integers(16, 40), st.integers(8, 24), sizes),
    st.builds(lambda n, r, h: (prism(n, r, r * h), Cylinder(r, r * h)), st.integers(12, 48), sizes, st.floats(0.1, 20)),
    st.builds(lambda n, r, h: (pyramid(n, r, r * h), Cone(r, r * h)), st.integers(12, 48), sizes, st.floats(0.3, 10)),
    st.builds(
        lambda n, r, h: (pill(n, r, r * h), Capsule(r, r * h)),
        st.integers(4, 10).map(lambda n: 4 * n),
        sizes,
        st.floats(0.1, 10),
    ),
    st.builds(
        lambda x, y, z: (cuboid(x, x * y, x * z), Box((x, x * y, x * z))),
        sizes,
        st.floats(0.1, 10.0),
        st.floats(0.1, 10.0),
    ),
)


@settings(max_examples=150, deadline=None)
@given(made=MADE, turn=turns)
def test_it_has_the_size_that_was_typed(made, turn):
    """Guards kind and size: the radius is that of the corners, not that of the faces between them."""
    points, expected = made
    found = recognized(points, turn)
    assert found is not None, f"{expected} of {len(points)} corners is not recognized"
    geometry, matrix = found.placed
    assert type(geometry) is type(expected)
    assert found.kind == type(expected).__name__.upper()
    assert lengths(geometry) == pytest.approx(lengths(expected), rel=1e-4)
    own = (points @ turn.T - matrix[:3, 3]) @ matrix[:3, :3]
    if isinstance(expected, Cylinder | Cone):
        side = np.hypot(own[:, 0], own[:, 1]).max()
        assert side == pytest.approx(expected.radius, rel=1e-4)
        assert np.ptp(own[:, 2]) == pytest.approx(expected.length, rel=1e-4)


@pytest.mark.parametrize(
    ("points", "turn", "expected"),
    [
        # Covariances of a box that is almost a cube do not tell its axes in single precision.
        (0.984375 * cuboid(1.0, 0.99999, 1.0), turned(0.0, 0.0, 1.625), (0.98436516, 0.984375, 0.984375)),
        (cuboid(1.0, 1.0, 1.0), turned(5e-5, -3e-5, 8e-5), (1.0, 1.0, 1.0)),
        (prism(24, 1.0, 0.05), turned(5e-4, -4e-4, 6e-4), (1.0, 0.05)),
    ],
)
def test_axes_that_are_almost_its_own(points, turn, expected):
    """Guards against a size that axes a little beside a thing's own make larger, within the tolerance of corners."""
    assert lengths(recognized(points, turn).placed[0]) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("subdivisions", [2, 3, 4])
def test_icospheres(subdivisions):
    """Guards ico spheres, also of two subdivisions, whose faces cut off 6.6 % of the radius."""
    found = recognized(3.0 * icosphere(subdivisions) + MIDDLE)
    assert found.placed[0].radius == pytest.approx(3.0, rel=1e-6)
    assert found.placed[1][:3, 3] == pytest.approx(MIDDLE, abs=1e-5)


def test_a_cone_points_to_its_tip():
    """Guards the direction of a cone that stands on its tip: its z axis points down."""
    geometry, matrix = recognized(pyramid(32, 0.5, 2.0) * (1.0, -1.0, -1.0) + MIDDLE).placed
    assert geometry == Cone(pytest.approx(0.5), pytest.approx(2.0))
    assert matrix[:3, 2] == pytest.approx((0.0, 0.0, -1.0))
    assert matrix[:3, 3] == pytest.approx(MIDDLE)
    assert np.linalg.det(matrix[:3, :3]) == pytest.approx(1.0)


def test_vertices_in_the_middle_of_a_flat_end():
    """Guards cylinders whose ends are fans of triangles around a vertex, which lies on no side."""
    points = prism(16, 1.0, 2.0)
    low, high = range(16), range(16, 32)
    sides = [(i, (i + 1) % 16, 16 + (i + 1) % 16, 16 + i) for i in low]
    caps = [((i + 1) % 16, i, 32) for i in low] + [(i, 16 + (i - 15) % 16, 33) for i in high]
    points = np.vstack([points, [(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)]])
    assert recognized_shape(*triangles(points, [*sides, *caps])).placed[0] == Cylinder(
        pytest.approx(1.0), pytest.approx(2.0)
    )


CORNER_CUT_OFF = [(0.5, 0.5, 0.3), (0.5, 0.3, 0.5), (0.3, 0.5, 0.5)]
BALL = uv_sphere(32, 16)
LOPSIDED = {
    "half a ball": BALL[BALL[:, 2] > -1e-9],
    "ball with a tip": np.vstack([BALL, [(0.0, 0.0, 1.05)]]),
    "ball, 1 % longer": BALL * (1.0, 1.0, 1.01),
    "icosahedron": icosphere(1),
    "ball of pentagons and hexagons": truncated_icosahedron(),
    "cube with a corner cut off": np.vstack([cuboid(1, 1, 1)[:-1], CORNER_CUT_OFF]),
    "oval cylinder, 1 % wider": prism(32, 1.0, 2.0) * (1.01, 1.0, 1.0),
    "sheared cylinder": prism(32, 1.0, 2.0) @ np.array(((1, 0, 0), (0, 1, 0), (0.02, 0, 1.0))),
    "prism of eight sides": prism(8, 1.0, 2.0),
    "pyramid of eight sides": pyramid(8, 1.0, 2.0),
    "cone cut off": np.array(ring(32, 1.0, 0.0) + ring(32, 0.3, 2.0)),
    "cone with its tip aside": np.vstack([pyramid(32, 1.0, 2.0)[:-1], [(0.05, 0.0, 1.0)]]),
    "cylinder with a third of its sides missing": np.delete(prism(12, 1.0, 2.0), [0, 1, 2, 12, 13, 14], axis=0),
}


@pytest.mark.parametrize("points", LOPSIDED.values(), ids=LOPSIDED)
def test_what_is_none(points):
    """Guards meshes that somebody has modelled as something else: nothing may change what they collide as."""
    assert recognized(points) is None


def test_what_is_flat():
    """Guards meshes without volume, which no solid stands for."""
    sheet = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, 2.0, 0.0], [0.0, 2.0, 0.0]])
    assert recognized_shape(sheet, np.array([[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]])) is None
