# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex hulls, against scipy's Qhull, Euler's formula, and what every hull must be."""

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from limberjack.core.collision.hulls import (
    MAX_EXACT_CORNERS,
    SIMPLIFIED_ERROR,
    Hull,
    HullError,
    convex_hull,
    exact_hull_triangles,
)
from support.cases import some

CUBE = np.array(list(np.ndindex(2, 2, 2)), float)


def volume(hull: Hull) -> float:
    """By the divergence theorem: a third of each face's area times its distance from the origin."""
    total = 0.0
    for face, plane in zip(hull.faces, hull.planes, strict=True):
        corners = hull.vertices[list(face)]
        doubled = np.cross(corners - corners[0], np.roll(corners, -1, axis=0) - corners[0]).sum(axis=0)
        total += plane[3] * (doubled @ plane[:3]) / 6.0
    return total


def most_outside(hull: Hull, points: np.ndarray) -> float:
    """How far the points stick out of the faces, a few points at a time."""
    parts = np.array_split(points, len(points) // 1000 + 1)
    return max(float((part @ hull.planes[:, :3].T - hull.planes[:, 3]).max()) for part in parts)


def require_whole(hull: Hull, points: np.ndarray, slack: float = 3e-6) -> None:
    """It is a closed convex polyhedron around the points."""
    size = float(np.ptp(points, axis=0).max())
    assert most_outside(hull, points) <= hull.error + slack * size
    assert np.abs(np.linalg.norm(hull.planes[:, :3], axis=1) - 1.0).max() < 1e-12
    sides = [side for face in hull.faces for side in zip(face, (*face[1:], face[0]), strict=True)]
    assert len(set(sides)) == len(sides)
    assert {(b, a) for a, b in sides} == set(sides), "each edge belongs to two faces, which pass it in opposite ways"
    edges = len(sides) // 2
    corners = len(set(np.array(sides).ravel()))
    assert corners - edges + len(hull.faces) == 2
    assert {tuple(sorted(side)) for side in sides} <= {tuple(sorted(edge)) for edge in hull.edges.tolist()}
    for face, plane in zip(hull.faces, hull.planes, strict=True):
        ring = hull.vertices[list(face)]
        normal = np.cross(ring - ring[0], np.roll(ring, -1, axis=0) - ring[0]).sum(axis=0)
        assert normal @ plane[:3] > 0.0, "counter-clockwise seen from outside"
        assert np.abs(ring @ plane[:3] - plane[3]).max() <= slack * size


@pytest.mark.parametrize("seed", range(40))
def test_hulls_of_clouds_are_those_of_qhull(seed):
    """Guards corners and volume of clouds of any form, size and place."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(rng.integers(4, 60), 3)) * rng.uniform(0.05, 1.0, 3) * 10.0 ** rng.uniform(-4, 3)
    points += rng.normal(size=3) * (seed % 3) * np.ptp(points)
    hull, theirs = convex_hull(points), ConvexHull(points)
    assert {tuple(p) for p in hull.vertices} == {tuple(p) for p in points[theirs.vertices]}
    assert volume(hull) == pytest.approx(theirs.volume, rel=1e-5)
    require_whole(hull, points)


def test_cube_with_points_all_over_it_has_eight_corners_and_six_faces():
    """Guards faces of many triangles: points on faces and edges, and in the middle, are no corners."""
    points = np.array(list(np.ndindex(9, 9, 9)), float) / 8.0
    for shuffle in range(5):
        hull = convex_hull(np.random.default_rng(shuffle).permutation(points))
        assert len(hull.faces) == 6
        assert {tuple(p) for p in hull.vertices[sorted({i for face in hull.faces for i in face})]} == {
            tuple(p) for p in CUBE
        }
        assert len(hull.vertices) == 8
        assert volume(hull) == pytest.approx(1.0, abs=1e-12)
        require_whole(hull, points)


@pytest.mark.parametrize("corners", [3, 16, 32, 64])
def test_wheel_is_a_prism(corners):
    """Guards faces with many corners: a wheel has two rings and as many sides, none simplified away."""
    angles = 2.0 * math.pi * np.arange(corners) / corners
    ring = np.column_stack([np.cos(angles), np.sin(angles), 0.0 * angles])
    points = np.vstack([ring, ring + np.array([0.0, 0.0, 0.3])])
    hull = convex_hull(points)
    require_whole(hull, points)
    expected = 0.3 * 0.5 * corners * math.sin(2.0 * math.pi / corners)
    if 2 * corners <= MAX_EXACT_CORNERS:
        assert len(hull.vertices) == 2 * corners
        assert len(hull.faces) == corners + 2
        assert volume(hull) == pytest.approx(expected, rel=1e-9)
    assert hull.error <= SIMPLIFIED_ERROR * 2.0
    assert volume(hull) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("count", some((10_000, 100_000), (10_000,)))
def test_sphere_of_many_points_is_simplified_within_what_is_told(count):
    """Guards the simplification: its error is what the points really stick out, and below a thousandth."""
    points = np.random.default_rng(0).normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    hull = convex_hull(points)
    require_whole(hull, points)
    size = float(np.ptp(points, axis=0).max())
    out = most_outside(hull, points)
    assert 0.0 < out <= hull.error * (1.0 + 1e-6) + 1e-9
    assert hull.error <= 1e-3 * size
    assert len(hull.vertices) < 2500


@pytest.mark.parametrize("turn", range(3))
def test_flat_clouds_have_two_faces(turn):
    """Guards sheets: the corners of a disc and a square, seen from both sides."""
    rng = np.random.default_rng(turn)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    square = np.array([(x, y, 0.0) for x in (-1, 0, 1) for y in (-1, 0, 1)]) @ R.T + rng.normal(size=3)
    hull = convex_hull(square)
    assert len(hull.vertices) == 4
    assert len(hull.faces) == 2
    assert len(hull.edges) == 4
    assert (hull.planes[0] == -hull.planes[1]).all()
    heights = square @ hull.planes[:, :3].T - hull.planes[:, 3]
    assert np.abs(heights).max() < 1e-12
    for face, plane in zip(hull.faces, hull.planes, strict=True):
        ring = hull.vertices[list(face)]
        normal = np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)
        assert np.linalg.norm(normal) == pytest.approx(8.0)
        assert normal @ plane[:3] > 0.0


def test_straight_clouds_have_two_ends():
    """Guards needles: the ends are found, in any order, and nothing else."""
    along = np.array([0.3, -0.7, 0.1, 1.3, -0.7, 1.3])
    points = along[:, None] * (1.0, 2.0, -1.0) + (5.0, 0.0, 1.0)
    hull = convex_hull(points)
    assert len(hull.faces) == 0
    assert hull.edges.tolist() == [[0, 1]]
    assert sorted(hull.vertices[:, 0].tolist()) == pytest.approx([4.3, 6.3])


def test_thin_clouds_are_flat_or_straight():
    """Guards what lies within rounding: a thickness that is none, and directions that are found in what is left."""
    rng = np.random.default_rng(9)
    for thickness in (1e-300, 1e-160, 1e-12, 1e-9, 1e-8, 1e-7, 2e-7, 1e-6):
        for seed in range(10):
            points = rng.normal(size=(20, 3)) * (thickness * (seed % 2), thickness, 1.0) @ _turn(seed)
            hull = convex_hull(points)
            assert np.isfinite(hull.vertices).all()
            assert np.isfinite(hull.planes).all()
            tops = [((points - hull.vertices.mean(axis=0)) @ d).max() for d in np.eye(3)]
            own = [((hull.vertices - hull.vertices.mean(axis=0)) @ d).max() for d in np.eye(3)]
            assert own == pytest.approx(tops, abs=1e-6)
            assert hull.error <= 1e-6


def _turn(seed: int) -> np.ndarray:
    return np.eye(3) if seed < 5 else np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]


def test_one_point_many_times_is_a_point():
    """Guards what has no size at all."""
    for count in (1, 2, 7):
        hull = convex_hull(np.tile([1.0, 2.0, 3.0], (count, 1)))
        assert hull.vertices.tolist() == [[1.0, 2.0, 3.0]]
        assert len(hull.faces) == len(hull.edges) == 0


def test_duplicates_change_nothing():
    """Guards meshes whose corners are there once for each face."""
    points = np.random.default_rng(4).normal(size=(30, 3))
    once, thrice = convex_hull(points), convex_hull(np.repeat(points, 3, axis=0))
    assert {tuple(p) for p in once.vertices} == {tuple(p) for p in thrice.vertices}
    assert volume(thrice) == pytest.approx(volume(once), rel=1e-12)


def test_single_precision_does_not_split_faces():
    """Guards meshes from files: a turned box whose corners were rounded to single precision keeps six faces."""
    for seed in range(20):
        R = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
        points = ((CUBE * (1.0, 2.0, 0.5)) @ R.T).astype(np.float32).astype(float)
        hull = convex_hull(points)
        assert len(hull.faces) == 6
        require_whole(hull, points)


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ([], "it has no vertices; a hull takes one or more"),
        ([(0.0, 0.0, 0.0), (1.0, math.nan, 0.0)], "vertex 1 is 1 nan 0; coordinates are numbers up to 1e.09 m"),
        ([(0.0, 1e300, 0.0)], "vertex 0 is 0 1e.300 0; coordinates are numbers up to 1e.09 m"),
        ([(0.0, 0.0, -math.inf)], "vertex 0 is 0 0 -inf; coordinates are numbers up to 1e.09 m"),
    ],
)
def test_what_has_no_hull_is_told(points, told):
    """Guards the messages: which vertex, what was found, what is allowed."""
    with pytest.raises(HullError, match=told):
        convex_hull(np.array(points))


@pytest.mark.parametrize("seed", range(12))
def test_parts_of_machines_have_closed_hulls(seed):
    """Guards meshes of CAD programs: single precision, rings in planes, each corner several times, turned anyhow.

    A closed surface of V corners has 3 V - 6 edges as triangles; all points lie inside of all planes, and the volume is
    another library's.
    """
    random = np.random.default_rng(seed)
    parts = []
    for _ in range(int(random.integers(2, 5))):
        count, radius, height = int(random.integers(5, 60)), random.uniform(0.01, 0.1), random.uniform(0.0, 0.2)
        angles = np.arange(count) * (2.0 * np.pi / count)
        ring = np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(count, height)], axis=1)
        parts += [ring + random.uniform(-0.05, 0.05, 3) * (1, 1, 0), ring * (1, 1, 0)]
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    points = np.repeat(np.vstack(parts) @ turn, 3, axis=0).astype(np.float32).astype(float)
    points = points[random.permutation(len(points))]
    hull = convex_hull(points)
    triangles = [(face[0], *face[k : k + 2]) for face in hull.faces for k in range(1, len(face) - 1)]
    assert len(triangles) == 2 * len(hull.vertices) - 4
    heights = points @ hull.planes[:, :3].T - hull.planes[:, 3]
    size = np.ptp(points, axis=0).max()
    assert heights.max() <= hull.error + 3e-6 * size
    volume = np.linalg.det(hull.vertices[np.array(triangles)] - hull.middle).sum() / 6.0
    assert volume == pytest.approx(ConvexHull(points).volume, rel=5e-3)


@pytest.mark.parametrize("kind", ["cloud", "ball", "grid", "wheel"])
@pytest.mark.parametrize("is_single", [False, True])
def test_exact_triangles_are_those_of_qhull(kind, is_single):
    """Guards weighing: the volume is Qhull's to rounding for many corners, and for many points in one plane."""
    random = np.random.default_rng(2)
    if kind == "cloud":
        points = random.normal(size=(3000, 3))
    elif kind == "ball":
        points = random.normal(size=(1000, 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
    elif kind == "grid":
        points = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 8)] * 3), axis=-1).reshape(-1, 3) * (0.3, 0.7, 0.1)
    else:
        angles = np.linspace(0.0, math.tau, 64, endpoint=False)
        points = np.array([(math.cos(a), math.sin(a), z) for a in angles for z in np.linspace(0.0, 3.0, 20)])
        points = points @ _turn(5).T
    points = np.float32(points).astype(float) if is_single else points
    triangles = exact_hull_triangles(points)
    corners = points[triangles] - points.mean(axis=0)
    assert np.linalg.det(corners).sum() / 6.0 == pytest.approx(ConvexHull(points).volume, rel=1e-12)
    sides = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert (np.unique(sides, axis=0, return_counts=True)[1] == 2).all()


def test_exact_triangles_of_flat_points_are_refused():
    with pytest.raises(HullError, match="lie in a plane"):
        exact_hull_triangles(np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0)]))
