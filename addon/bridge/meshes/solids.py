# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the closed, outward-oriented surfaces of meshes, and report the assumptions that were necessary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bmesh
import numpy as np
from mathutils.bvhtree import BVHTree

from ....core.geometry.shells import orient_outward, shell_numbers
from ....core.geometry.triangle_intersections import triangles_intersect
from ....core.spatial.arrays import det
from .meshes import MeshData, convex_hull, rebuilt

MOST_TRIANGLES = 200_000
"""Largest number of triangles of a mesh that is searched for overlapping parts. So many take about a second."""

OVERLAP_TOLERANCE = 1e-5
"""Depth, relative to a mesh's size, up to which parts may overlap without a note; single precision causes a hundredth
of it.
"""


@dataclass(frozen=True)
class Solid:
    """Closed surfaces of a mesh.

    Attributes:
        triangles: corner points in the mesh's own axes, shape (n, 3, 3).
        notes: assumptions, with {} in place of the object's name.
    """

    triangles: np.ndarray
    notes: tuple[str, ...] = ()


def solid_of(data: MeshData) -> Solid:
    """Return the mesh's own surface, or that of its convex hull if the mesh is open or divided."""
    if _is_open(data):
        return Solid(_hull(data), ("the mesh '{}' is open, so its convex hull was weighed",))
    if _is_divided(data):
        return Solid(_hull(data), ("the mesh '{}' has faces inside that divide it, so its convex hull was weighed",))
    notes = []
    triangles, points = data.triangles, data.vertices
    if mixed := _vertices_of_mixed_normals(data):
        notes.append("the normals of '{}' disagree, so they were weighed as if recalculated")
        corners = _rebuilt(data, lambda mesh: _recalculate(mesh, mixed))
        points, triangles = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
        triangles = triangles.reshape(-1, 3)
    outward = orient_outward(points, triangles)
    if outward.some_were_inside_out:
        notes.append("a part of the mesh '{}' is inside out, and was weighed as if it were not")
    if len(triangles) > MOST_TRIANGLES:
        notes.append("the mesh '{}' is too large to look for parts of it that overlap, which would count twice")
    elif outward.counts_twice or crosses_itself(points, triangles):
        notes.append("parts of the mesh '{}' overlap, and count twice where they do: unite them")
    return Solid(points[outward.triangles], tuple(notes))


def _hull(data: MeshData) -> np.ndarray:
    triangles = _rebuilt(data, convex_hull)
    is_inside_out = det(triangles - data.vertices.mean(axis=0)).sum() < 0.0
    return triangles[:, ::-1] if is_inside_out else triangles


def crosses_itself(points: np.ndarray, triangles: np.ndarray) -> bool:
    """Return whether faces of a mesh intersect, except those that share a vertex."""
    middle, size = points.mean(axis=0), float(np.ptp(points, axis=0).max())
    points = (points - middle) / (size or 1.0)
    tree = BVHTree.FromPolygons(points.tolist(), triangles.tolist(), all_triangles=True)
    pairs = np.array([pair for pair in tree.overlap(tree) if pair[0] < pair[1]], dtype=np.int64).reshape(-1, 2)
    one, other = triangles[pairs[:, 0]], triangles[pairs[:, 1]]
    are_neighbours = (one[:, :, None] == other[:, None, :]).any(axis=(1, 2))
    one, other = points[one[~are_neighbours]], points[other[~are_neighbours]]
    return bool(triangles_intersect(one, other, OVERLAP_TOLERANCE).any())


def _is_open(data: MeshData) -> bool:
    faces_at_edge = np.bincount(data.corner_edges)
    return not len(faces_at_edge) or bool((faces_at_edge == 1).any())


def _is_divided(data: MeshData) -> bool:
    """Return whether an odd number of faces meet at an edge, as at a wall inside of the mesh."""
    return bool((np.bincount(data.corner_edges) % 2 == 1).any())


def _vertices_of_mixed_normals(data: MeshData) -> set[int]:
    """Return the vertices of surfaces in which two faces traverse an edge in the same direction."""
    following = np.roll(data.corners, -1)
    ends = np.append(data.starts[1:], len(data.corners)) - 1
    following[ends] = data.corners[data.starts]
    directed = data.corners.astype(np.int64) * len(data.vertices) + following
    edges, runs = np.unique(directed, return_counts=True)
    if len(edges) == len(directed):
        return set()
    at_fault = edges[runs > 1] // len(data.vertices)
    shells = shell_numbers(data.triangles, len(data.vertices))
    is_mixed = np.isin(shells, shells[np.isin(data.triangles, at_fault).any(axis=1)])
    return set(np.unique(data.triangles[is_mixed]).tolist())


def _recalculate(mesh: bmesh.types.BMesh, vertices: set[int]) -> None:
    """Orient the faces between these vertices outward."""
    mesh.verts.index_update()
    faces = [face for face in mesh.faces if face.verts[0].index in vertices]
    bmesh.ops.recalc_face_normals(mesh, faces=faces)


def _rebuilt(data: MeshData, change: Callable[[bmesh.types.BMesh], object]) -> np.ndarray:
    """Return the triangles, shape (n, 3, 3), after `change` was applied to the mesh as a BMesh."""
    with rebuilt(data, change) as mesh:
        loops = [[loop.vert.co[:] for loop in triangle] for triangle in mesh.calc_loop_triangles()]
        return np.array(loops, dtype=np.float64).reshape(-1, 3, 3)
