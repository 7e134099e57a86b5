# SPDX-License-Identifier: GPL-3.0-or-later
"""The convex hull of points, simplified if it would have too many corners.

The hull grows from a tetrahedron: the point that lies farthest outside becomes a corner, and faces to it replace the
faces that see it. So the first corners are the most important ones, and stopping early is a simplification of known
error: no point is left outside by more than the distance at which the algorithm stopped.

Source: Barber, Dobkin, Huhdanpaa, The quickhull algorithm for convex hulls, ACM Trans. Math. Software 22 (1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..spatial.arrays import dot, matmul, norm
from .quickhull import grow_hull

MAX_EXACT_CORNERS = 64
"""Number of corners from which on a hull may be simplified. Contact of a hull costs time in proportion to its corners.
"""
SIMPLIFIED_ERROR = 1e-3
"""Largest distance of points outside a simplified hull, as a fraction of its size."""
EXACT_ERROR = 1e-9
"""Largest distance of points outside an exact hull, as a fraction of its size. It allows for rounding."""
FLAT_THICKNESS = 1e-7
"""Thickness, as a fraction of the size, at or below which points count as flat, or as in line."""
COPLANAR_DISTANCE = 2e-6
"""Largest distance of triangles' corners from a plane, as a fraction of the size, at which the triangles form one face.

It is larger than the rounding error of single precision, in which files store corners.
"""

ROUNDING_ERROR = 1e-12
"""Largest distance of points outside the triangles of an exact hull, as a fraction of its size.

It is the rounding error of double precision with a margin, so that the volume of the hull is exact to about as much.
"""

MAX_COORDINATE = 1e9
"""Largest coordinate of a point [m]."""
MIN_POINT_DISTANCE = 1e-50
"""Distance at or below which two points are the same [m]. Fourth powers of larger distances are representable."""


class HullError(ValueError):
    """The error if points have no hull. Its message says what was found and what is allowed."""


@dataclass(frozen=True)
class Hull:
    """A convex polyhedron, or a polygon, a segment or a point if its points have no volume.

    Attributes:
        vertices: shape (n, 3) [m].
        faces: vertex numbers around each face, counter-clockwise seen from outside. A flat hull has two faces; a
            segment or a point has none.
        planes: outward unit normal and distance from the origin [m] of each face, shape (faces, 4).
        edges: pairs of vertices that are neighbours, shape (e, 2).
        error: largest distance of the given points outside the hull [m].
    """

    vertices: np.ndarray
    faces: tuple[tuple[int, ...], ...]
    planes: np.ndarray
    edges: np.ndarray
    error: float

    @cached_property
    def middle(self) -> np.ndarray:
        """The middle of the box around the hull, shape (3,) [m]."""
        return 0.5 * (self.vertices.min(axis=0) + self.vertices.max(axis=0))


def convex_hull(points: np.ndarray) -> Hull:
    """Return the convex hull of points, shape (n, 3) [m].

    It is exact up to `MAX_EXACT_CORNERS` corners. With more, it lies inside the exact hull, at a distance of at most
    `SIMPLIFIED_ERROR` times its size.

    Raises:
        HullError: if there are no points, or if one is not finite or has a coordinate beyond `MAX_COORDINATE`.
    """
    points, size = _checked_points(points)
    corners, spread, rest = _first_corners(points, max(FLAT_THICKNESS * size, MIN_POINT_DISTANCE))
    if len(corners) < 4:
        return _degenerate_hull(points, corners, spread, size, rest)
    triangles, planes, error = _hull_triangles(points, corners, EXACT_ERROR * size, SIMPLIFIED_ERROR * size)
    return _hull_of(points, triangles, planes, size, error)


def exact_hull_triangles(points: np.ndarray) -> np.ndarray:
    """Return the triangles of the convex hull of points, without simplification.

    Args:
        points: shape (n, 3) [m].

    Returns:
        Point numbers, shape (t, 3), counter-clockwise seen from outside.

    Raises:
        HullError: if there are no points, if one is not finite or has a coordinate beyond `MAX_COORDINATE`, if all of
            them lie in a plane, or if rounding leaves one outside.
    """
    points, size = _checked_points(points)
    corners, _, _ = _first_corners(points, max(FLAT_THICKNESS * size, MIN_POINT_DISTANCE))
    if len(corners) < 4:
        raise HullError("its vertices lie in a plane, so that their hull has no volume; give it thickness")
    triangles, _, error = _hull_triangles(points, corners, ROUNDING_ERROR * size, ROUNDING_ERROR * size)
    if error > EXACT_ERROR * size:
        raise HullError(f"its hull cannot be computed: a vertex is left {error:.3g} m outside; merge close vertices")
    return triangles


def _checked_points(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Return points as an array of shape (n, 3), and the longest side of the box around them [m].

    Raises:
        HullError: if there are no points, or if one is not finite or has a coordinate beyond `MAX_COORDINATE`.
    """
    points = np.asarray(points, float).reshape(-1, 3)
    if not len(points):
        raise HullError("it has no vertices; a hull takes one or more")
    wrong = np.flatnonzero(~(np.abs(points) <= MAX_COORDINATE).all(axis=1))
    if len(wrong):
        found = " ".join(f"{x:g}" for x in points[wrong[0]])
        raise HullError(f"vertex {wrong[0]} is {found}; coordinates are numbers up to {MAX_COORDINATE:g} m")
    return points, float((points.max(axis=0) - points.min(axis=0)).max())


def _first_corners(points: np.ndarray, least: float) -> tuple[list[int], np.ndarray, float]:
    """Return the numbers of up to four points in general position, the directions that they span, and a distance.

    The directions are orthonormal, shape (up to 3, 3). The distance is that of the farthest point from the space that
    they span [m]; it is 0 if they span all directions.
    """
    start = int(points[:, 0].argmin())
    corners, spanned = [start], np.zeros((0, 3))
    for _ in range(3):
        away = points - points[start]
        away = away - matmul(matmul(away, spanned.T), spanned)
        lengths = norm(away)
        farthest = int(lengths.argmax())
        if lengths[farthest] <= least:
            return corners, spanned, float(lengths[farthest])
        corners.append(farthest)
        along = away[farthest] / lengths[farthest]
        # A second time, since the remainder of a thin point set has few correct digits.
        along -= matmul(matmul(along, spanned.T), spanned)
        spanned = np.vstack([spanned, along / norm(along)])
    return corners, spanned, 0.0


def _degenerate_hull(points: np.ndarray, corners: list[int], spanned: np.ndarray, size: float, error: float) -> Hull:
    """Return the hull of points that have no volume."""
    if len(corners) < 3:
        ends = points[corners]
        if len(corners) == 2:
            along = matmul(points - points[corners[0]], spanned[0])
            ends = points[[int(along.argmin()), int(along.argmax())]]
        return Hull(ends, (), np.zeros((0, 4)), np.array([[0, 1]][: len(corners) - 1], int).reshape(-1, 2), error)
    flat = matmul(points - points[corners[0]], spanned[:2].T)
    around = _planar_hull(flat, EXACT_ERROR * size)
    normal = np.cross(spanned[0], spanned[1])
    count = len(around)
    distance = float(matmul(points[corners[0]], normal))
    faces = tuple(range(count)), tuple(range(count - 1, -1, -1))
    edges = np.array([[i, (i + 1) % count] for i in range(count)])
    planes = np.array([[*normal, distance], [*-normal, -distance]])
    return Hull(points[around], faces, planes, edges, error)


def _planar_hull(flat: np.ndarray, least: float) -> list[int]:
    """Return the corners of the hull of points in a plane, counter-clockwise.

    Source: Andrew's monotone chain (1979).
    """
    order = np.lexsort((flat[:, 1], flat[:, 0]))
    halves = []
    for row in (order, order[::-1]):
        chain: list[int] = []
        for i in row:
            while len(chain) > 1:
                a, b = flat[chain[-2]], flat[chain[-1]]
                u, v = b - a, flat[i] - a
                if u[0] * v[1] - u[1] * v[0] > least * norm(v):
                    break
                chain.pop()
            chain.append(int(i))
        halves.append(chain[:-1])
    return halves[0] + halves[1]


def _hull_triangles(
    points: np.ndarray, corners: list[int], exact_error: float, simplified_error: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the triangles of the hull, shape (t, 3), their planes, shape (t, 4), and its error [m].

    It grows from a tetrahedron, whose corners are given.

    Args:
        exact_error, simplified_error: tolerances for fewer corners than `MAX_EXACT_CORNERS`, and from there on [m].
    """
    middle = points[corners].mean(axis=0)
    a, b, c, d = corners
    sides = []
    for i, j, k in ((a, b, c), (a, c, d), (a, d, b), (b, d, c)):
        normal = np.cross(points[j] - points[i], points[k] - points[i])
        sides.append((i, j, k) if dot(normal, points[i] - middle) > 0.0 else (i, k, j))
    most = 2 * len(points) + 4  # a closed hull of n corners has 2 n - 4 triangles
    triangles, neighbours = np.zeros((most, 3), np.int64), np.zeros((most, 3), np.int64)
    planes, alive = np.zeros((most, 4)), np.zeros(most, np.int64)
    triangles[:4], alive[:4] = sides, 1
    for face, side in np.ndindex(4, 3):
        ends = {sides[face][side], sides[face][(side + 1) % 3]}
        (neighbours[face, side],) = (other for other in range(4) if other != face and ends <= {*sides[other]})
    work = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros((most, 3), np.int64)
    counts = np.array([4, 0, 4])
    error = grow_hull(
        np.ascontiguousarray(points),
        (triangles, neighbours, planes, alive),
        np.zeros(len(points), np.int64),
        np.zeros(len(points)),
        work,
        counts,
        exact_error,
        simplified_error,
        MAX_EXACT_CORNERS,
    )
    alive_faces = np.flatnonzero(alive[: counts[0]])
    return triangles[alive_faces], planes[alive_faces], error


def _hull_of(points: np.ndarray, triangles: np.ndarray, planes: np.ndarray, size: float, error: float) -> Hull:
    """Return the hull that triangles form. Triangles in one plane become one face."""
    used, renumbered = np.unique(triangles, return_inverse=True)
    triangles = renumbered.reshape(-1, 3)
    vertices = points[used]
    faces = _merge_coplanar(vertices, triangles, planes, COPLANAR_DISTANCE * size)
    edges = np.unique(np.sort(np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])), axis=0)
    return Hull(vertices, faces, np.array([_plane_of(vertices[list(face)]) for face in faces]), edges, error)


def _merge_coplanar(
    vertices: np.ndarray, triangles: np.ndarray, planes: np.ndarray, level: float
) -> tuple[tuple[int, ...], ...]:
    """Return the loops of vertices around connected triangles that lie in one plane.

    The planes of the largest triangles are used first.
    """
    beyond = {}
    for number, (i, j, k) in enumerate(triangles.tolist()):
        beyond[i, j] = beyond[j, k] = beyond[k, i] = number
    p = vertices[triangles]
    areas = norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]))
    corners = p.tolist()
    is_merged = np.zeros(len(triangles), bool)
    faces = []
    for seed in np.argsort(-areas, kind="stable").tolist():
        if is_merged[seed]:
            continue
        x, y, z, distance = planes[seed].tolist()
        group, stack = [], [seed]
        is_merged[seed] = True
        while stack:
            group.append(stack.pop())
            i, j, k = triangles[group[-1]].tolist()
            for edge in ((j, i), (k, j), (i, k)):
                other = beyond[edge]
                if is_merged[other]:
                    continue
                heights = (abs(a * x + b * y + c * z - distance) for a, b, c in corners[other])
                if max(heights) <= level and matmul(planes[other, :3], planes[seed, :3]) > 0.0:
                    is_merged[other] = True
                    stack.append(other)
        loop = _boundary_loop(triangles[group].tolist())
        faces += [loop] if loop else [tuple(triangles[number].tolist()) for number in group]
    return tuple(faces)


def _boundary_loop(triangles: list[list[int]]) -> tuple[int, ...]:
    """Return the vertices around connected triangles, or () if their outline is not one simple loop."""
    following: dict[int, int] = {}
    edges = {(a, b) for i, j, k in triangles for a, b in ((i, j), (j, k), (k, i))}
    for start, end in edges:
        if (end, start) not in edges:
            if start in following:
                return ()
            following[start] = end
    first = min(following)
    loop = [first]
    while following[loop[-1]] != first:
        loop.append(following[loop[-1]])
        if len(loop) > len(following):
            return ()
    return tuple(loop) if len(loop) == len(following) else ()


def _plane_of(corners: np.ndarray) -> np.ndarray:
    """Return the plane of a polygon, shape (4,): Newell's normal, and the largest distance of a corner along it [m]."""
    following = np.roll(corners, -1, axis=0)
    middle = corners.mean(axis=0)
    normal = np.cross(corners - middle, following - middle).sum(axis=0)
    normal /= norm(normal)
    return np.array([*normal, (matmul(corners, normal)).max()])
