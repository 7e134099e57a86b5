# SPDX-License-Identifier: GPL-3.0-or-later
"""The volume that a mesh from a file encloses, in spite of duplicate vertices, holes and wrong orientations.

Each assumption that is needed becomes a note, which the user sees.
"""

from __future__ import annotations

import numpy as np

from ..collision.hulls import HullError, convex_hull
from ..spatial.arrays import det
from .mesh_data import fan_triangles
from .shells import orient_outward

MERGE_DISTANCE = 1e-6
"""Fraction of a mesh's size within which vertices count as one. Formats repeat vertices where normals or textures
differ.
"""


def enclosing_surfaces(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the corners of closed surfaces that face outward, shape (t, 3, 3), and the notes.

    A mesh that is open, or divided by faces inside, is replaced by its convex hull.

    Args:
        vertices: shape (n, 3).
        triangles: vertex numbers, shape (m, 3).

    Raises:
        ValueError: if the mesh is flat.
    """
    vertices, triangles = _welded(vertices, triangles)
    counts = _faces_at_edges(triangles)
    if not len(triangles) or (counts == 1).any():
        return _hull_triangles(vertices), ("is open, so its convex hull was weighed",)
    if (counts % 2 == 1).any():
        return _hull_triangles(vertices), ("has faces inside that divide it, so its convex hull was weighed",)
    notes = []
    oriented = _consistently_oriented(triangles)
    if (oriented != triangles).any():
        notes.append("has normals that disagree, so it was weighed as if they were recalculated")
    outward = orient_outward(vertices, oriented)
    if outward.some_were_inside_out:
        notes.append("has a part that is inside out, which was weighed as if it were not")
    if outward.counts_twice:
        notes.append("has parts that overlap, and count twice where they do: unite them")
    return vertices[outward.triangles], tuple(notes)


def _welded(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mesh with vertices in one place merged, without the triangles that lose a side thereby."""
    used, numbers = np.unique(triangles, return_inverse=True)
    points = vertices[used]
    size = float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0
    cells = np.round(points / (MERGE_DISTANCE * size))
    _, first, places = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    triangles = places.ravel()[numbers.ravel()].reshape(-1, 3)
    a, b, c = triangles.T
    return points[first], triangles[(a != b) & (b != c) & (c != a)]


def _edge_codes(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a number for each side of each triangle, shape (3 t,), and whether the side ascends.

    A side ascends if it runs from the lower vertex number to the higher one.
    """
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    count = int(triangles.max(initial=0)) + 1
    return np.minimum(start, end) * count + np.maximum(start, end), start < end


def _faces_at_edges(triangles: np.ndarray) -> np.ndarray:
    return np.unique(_edge_codes(triangles)[0], return_counts=True)[1]


def _consistently_oriented(triangles: np.ndarray) -> np.ndarray:
    """Return the triangles with consistent orientation.

    Two triangles that share an edge of two faces then run along it in opposite directions.
    """
    codes, upward = _edge_codes(triangles)
    order = np.argsort(codes, kind="stable")
    codes, faces, upward = codes[order], order // 3, upward[order]
    first = np.flatnonzero(codes[1:] == codes[:-1])
    ends = np.searchsorted(codes, codes[first], "right") - np.searchsorted(codes, codes[first], "left")
    first = first[ends == 2]
    clashes = upward[first] == upward[first + 1]
    if not clashes.any():
        return triangles
    neighbours: list[list[tuple[int, bool]]] = [[] for _ in triangles]
    for a, b, clash in zip(faces[first].tolist(), faces[first + 1].tolist(), clashes.tolist(), strict=True):
        neighbours[a].append((b, clash))
        neighbours[b].append((a, clash))
    is_turned: list[bool | None] = [None] * len(triangles)
    for seed in range(len(triangles)):
        if is_turned[seed] is None:
            is_turned[seed] = False
            ahead = [seed]
            while ahead:
                face = ahead.pop()
                for other, clash in neighbours[face]:
                    if is_turned[other] is None:
                        is_turned[other] = is_turned[face] != clash
                        ahead.append(other)
    return np.where(np.array(is_turned, bool)[:, None], triangles[:, ::-1], triangles)


def _hull_triangles(vertices: np.ndarray) -> np.ndarray:
    try:
        hull = convex_hull(vertices)
    except HullError as error:
        raise ValueError(str(error)) from error
    triangles = hull.vertices[fan_triangles(hull.faces)]
    if not len(triangles) or not det(triangles - hull.middle).sum() > 0.0:
        raise ValueError("the mesh is flat")
    return triangles
