# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangle meshes that collide as drawn: those of bodies that no force moves, such as floors, stairs and tubes.

A mesh consists of its faces, and of the edges that something can touch from outside. An edge between two faces in one
plane is left out. A closed mesh, whose faces are counter-clockwise seen from outside, has an inside. An open mesh can
be touched from both sides.

Faces are sorted along Morton's curve, and have a tree of boxes as in broad_phase.py.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from ..compilation.abi import KernelTuple
from ..spatial.arrays import norm
from .mesh_contacts import BORDER, LEAF_FACES, NO_EDGE

BITS = 21
"""Number of bits of each coordinate in a Morton code."""
FLAT = 1e-6
"""Sine of the angle between two faces up to which there is no edge between them."""


class MeshError(ValueError):
    """A mesh cannot be used: the message says what was found and what is allowed."""


class Meshes(KernelTuple, namedtuple("Meshes", "vertices neighbours_from neighbours faces normals beyond lower upper")):
    """All meshes, one after the other.

    Attributes:
        vertices: shape (n, 3) [m]. neighbours_from, neighbours: as in solids.Hulls.
        faces: shape (t, 3), vertices counter-clockwise seen from outside. normals: shape (t, 3).
        beyond: shape (t, 3): the face beyond the edge from corner k to the next; `BORDER` if there is none, `NO_EDGE`
            if nothing can touch the edge, or if the other face has it.
        lower, upper: boxes of the trees, shape (nodes, 3) [m].
    """


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """One mesh as arrays. The fields are those of Meshes; `is_closed` says whether it has an inside."""

    vertices: np.ndarray
    neighbours_from: np.ndarray
    neighbours: np.ndarray
    faces: np.ndarray
    normals: np.ndarray
    beyond: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    is_closed: bool

    @property
    def bounding_radius(self) -> float:
        """Radius of a ball around the origin that contains the mesh [m]."""
        return float(norm(self.vertices).max())


def triangle_mesh(vertices: np.ndarray, triangles: np.ndarray) -> TriangleMesh:
    """Prepare a mesh: merge vertices at equal positions, and remove triangles without area.

    Args:
        vertices: shape (n, 3) [m]. triangles: shape (t, 3), counter-clockwise seen from outside.

    Raises:
        MeshError: if a vertex is not finite, a triangle names a vertex that does not exist, or no triangle has an area.
    """
    vertices, triangles = np.asarray(vertices, float).reshape(-1, 3), np.asarray(triangles, np.int64).reshape(-1, 3)
    wrong = np.flatnonzero(~np.isfinite(vertices).all(axis=1))
    if len(wrong):
        raise MeshError(
            f"vertex {wrong[0]} is {' '.join(f'{x:g}' for x in vertices[wrong[0]])}; coordinates are finite"
        )
    if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(vertices):
        raise MeshError(f"a triangle names vertex {triangles.max()}, and there are {len(vertices)}")
    if not len(triangles):
        raise MeshError("it has no triangles; a mesh takes one or more that have an area")
    vertices, triangles = _merge_vertices(vertices, triangles)
    corners = _corners(vertices, triangles)
    normals = _cross(corners[1] - corners[0], corners[2] - corners[0])
    lengths = np.sqrt(_dot(normals, normals))
    longest2 = np.maximum.reduce([_dot(side, side) for side in (corners[k] - corners[k - 1] for k in range(3))])
    kept = np.flatnonzero(lengths > 1e-12 * longest2)
    if not len(kept):
        raise MeshError("no triangle has an area; a mesh takes one or more that have")
    order = kept[_morton_order((corners[0] + corners[1] + corners[2])[:, kept])]
    corners = [corner[:, order] for corner in corners]
    triangles, normals = triangles[order], normals[:, order] / lengths[order]
    beyond, is_closed, starts, neighbours = _edge_topology(len(vertices), triangles, corners, normals)
    lower, upper = _boxes(corners)
    return TriangleMesh(
        vertices, starts, neighbours, triangles, np.ascontiguousarray(normals.T), beyond, lower, upper, is_closed
    )


# Of a million triangles, coordinates lie by axes, shape (3, n): numpy is several times as quick with whole rows.


def _corners(vertices: np.ndarray, triangles: np.ndarray) -> list[np.ndarray]:
    """Return the first, second and third corners of all triangles, shape (3, t) each."""
    axes = np.ascontiguousarray(vertices.T)
    return [axes[:, triangles[:, k]] for k in range(3)]


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.stack([a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))])


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _morton_order(points: np.ndarray) -> np.ndarray:
    """Return the order of points, shape (3, n), along Morton's curve, which keeps neighbours near each other."""
    lower, upper = points.min(axis=1), points.max(axis=1)
    cells = (2**BITS - 1) / max(float((upper - lower).max()), 1e-300)
    code = np.zeros(points.shape[1], np.uint64)
    for axis in range(3):
        code |= _spread(((points[axis] - lower[axis]) * cells).astype(np.uint64)) << np.uint64(axis)
    return np.argsort(code, kind="stable")


def _spread(x: np.ndarray) -> np.ndarray:
    """Return 21 bits with two zeros between each two."""
    for shift, mask in (
        (32, 0x1F00000000FFFF),
        (16, 0x1F0000FF0000FF),
        (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3),
        (2, 0x1249249249249249),
    ):
        x = (x | x << np.uint64(shift)) & np.uint64(mask)
    return x


def _edge_topology(
    count: int, triangles: np.ndarray, corners: list[np.ndarray], normals: np.ndarray
) -> tuple[np.ndarray, bool, np.ndarray, np.ndarray]:
    """Return (Meshes.beyond, whether the mesh is closed, Meshes.neighbours_from, Meshes.neighbours) of `count`
    vertices.
    """
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    code = np.minimum(start, end) * count + np.maximum(start, end)
    # argsort is not stable: the order of equal codes depends on the processor. Below, the lower number comes first.
    order = np.argsort(code)
    code = code[order]
    is_new = np.concatenate([[True], code[1:] != code[:-1], [True]])
    first = np.flatnonzero(is_new[:-2] & ~is_new[1:-1] & is_new[2:])  # edges of just two faces
    opposite_sides = np.full(len(start), BORDER)
    opposite_sides[np.minimum(order[first], order[first + 1])] = np.maximum(order[first], order[first + 1])
    # The sides are in the order of their faces, so that data of neighbouring faces are read together.
    a = np.flatnonzero(opposite_sides != BORDER)
    b = opposite_sides[a]
    opposed = start[a] == end[b]
    face_a, face_b = a // 3, b // 3
    beyond = np.full(3 * len(triangles), BORDER)
    beyond[a], beyond[b] = face_b, NO_EDGE
    is_closed = 2 * len(a) == 3 * len(triangles) and bool(opposed.all())
    is_closed = is_closed and bool(_dot(corners[0], _cross(corners[1], corners[2])).sum() > 0.0)
    n, m = normals[:, face_a], normals[:, face_b]
    bend = _cross(n, m)
    flat = (_dot(bend, bend) <= FLAT * FLAT) & (_dot(n, m) * np.where(opposed, 1.0, -1.0) > 0.0)
    # At a concave edge of a closed mesh, only the faces can be in contact.
    if is_closed:
        third = (b - 3 * face_b + 2) % 3
        inward = np.choose(third, [corner[:, face_b] for corner in corners]) - corners[0][:, face_a]
        flat |= _dot(inward, n) > 0.0
    beyond[a[flat]] = NO_EDGE
    edges = code[is_new[:-1]]
    directed_edges = np.sort(np.concatenate([edges, edges % count * count + edges // count]))
    starts = np.concatenate([[0], np.cumsum(np.bincount(directed_edges // count, minlength=count))])
    return beyond.reshape(-1, 3), is_closed, starts, directed_edges % count


def _merge_vertices(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices with equal positions merged, and the triangles that name them."""
    order = np.lexsort(vertices.T)
    rows = vertices[order]
    is_new = np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)])
    place = np.empty(len(vertices), np.int64)
    place[order] = np.cumsum(is_new) - 1
    return rows[is_new], place[triangles]


def _boxes(corners: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the boxes of a tree of faces: node k has the children 2k + 1 and 2k + 2, a leaf `LEAF_FACES` faces."""
    count = corners[0].shape[1]
    leaves = 1
    while leaves * LEAF_FACES < count:
        leaves *= 2
    lower, upper = np.full((2 * leaves - 1, 3), np.inf), np.full((2 * leaves - 1, 3), -np.inf)
    starts = np.arange(0, count, LEAF_FACES)
    lower[leaves - 1 : leaves - 1 + len(starts)] = np.minimum.reduceat(np.minimum.reduce(corners), starts, axis=1).T
    upper[leaves - 1 : leaves - 1 + len(starts)] = np.maximum.reduceat(np.maximum.reduce(corners), starts, axis=1).T
    while leaves > 1:
        leaves //= 2
        rows, below = np.arange(leaves - 1, 2 * leaves - 1), np.arange(2 * leaves - 1, 4 * leaves - 1, 2)
        lower[rows] = np.minimum(lower[below], lower[below + 1])
        upper[rows] = np.maximum(upper[below], upper[below + 1])
    return lower, upper


def pack_meshes(meshes: list[TriangleMesh]) -> Meshes:
    """Return meshes one after the other. Numbers of vertices and faces are those among all of them."""
    vertices = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = np.cumsum([0, *(len(mesh.faces) for mesh in meshes)])
    neighbours = [mesh.neighbours + start for mesh, start in zip(meshes, vertices, strict=False)]
    before = np.cumsum([0, *(len(mesh.neighbours) for mesh in meshes)])
    starts = [mesh.neighbours_from[:-1] + start for mesh, start in zip(meshes, before, strict=False)]
    beyond = [
        np.where(mesh.beyond >= 0, mesh.beyond + start, mesh.beyond) for mesh, start in zip(meshes, faces, strict=False)
    ]
    return Meshes(
        _stacked([mesh.vertices for mesh in meshes]),
        np.concatenate([*starts, before[-1:]]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int64), *neighbours]).astype(np.int64),
        _stacked([mesh.faces + start for mesh, start in zip(meshes, vertices, strict=False)], np.int64),
        _stacked([mesh.normals for mesh in meshes]),
        _stacked(beyond, np.int64),
        _stacked([mesh.lower for mesh in meshes]),
        _stacked([mesh.upper for mesh in meshes]),
    )


def _stacked(parts: list[np.ndarray], dtype: type = float) -> np.ndarray:
    return np.ascontiguousarray(np.vstack([np.zeros((0, 3)), *parts]).astype(dtype))
