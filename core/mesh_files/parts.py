# SPDX-License-Identifier: GPL-3.0-or-later
"""`MeshPart`, a sub-mesh, and the steps that all readers share: polygons to triangles, and placement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..spatial.arrays import det, dot, matmul
from ..spatial.polygons import cut_off_ears
from .errors import MeshFileError

MAX_TRIANGLES = 20_000_000
"""Largest number of triangles of one file. Their coordinates take about 1 GB."""


@dataclass(frozen=True, eq=False)
class MeshPart:
    """A sub-mesh.

    Attributes:
        names: names by which SDF's <submesh> may choose it.
        vertices: shape (n, 3) [m], Z up.
        triangles: shape (t, 3), vertex numbers, counter-clockwise seen from outside.
        polygons: of a file with polygons of more than three corners, before they were cut: the number of corners of
            each, shape (p,), and the vertex numbers around each in turn, shape (corners,).
    """

    names: tuple[str, ...]
    vertices: np.ndarray
    triangles: np.ndarray
    polygons: tuple[np.ndarray, np.ndarray] | None = None


def cut_polygons(counts: np.ndarray, numbers: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """Return the triangles of polygons, shape (t, 3): fans of convex polygons, and ears that are cut off others.

    Args:
        counts: shape (p,), corners of each polygon. Polygons with fewer than three are left out.
        numbers: shape (counts.sum(),), the vertex numbers around each polygon in turn.
        vertices: shape (n, 3).

    Raises:
        MeshFileError: if a number has no vertex, or if there are more than `MAX_TRIANGLES` triangles.
    """
    total = int(np.maximum(counts - 2, 0).sum())
    if total > MAX_TRIANGLES:
        raise MeshFileError(f"it has {total:,} triangles; at most {MAX_TRIANGLES:,} are read: reduce it")
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(vertices):
        wrong = numbers.min() if numbers.min() < 0 else numbers.max()
        raise MeshFileError(f"a face names vertex {wrong}, and there are {len(vertices):,}; export it again")
    starts = np.cumsum(counts) - counts
    triangles, owners = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int64)]
    for count in np.unique(counts[counts > 2]).tolist():
        rows = np.flatnonzero(counts == count)
        corners = numbers[starts[rows][:, None] + np.arange(count)]
        fans = np.stack([corners[:, [0, k, k + 1]] for k in range(1, count - 1)], axis=1)
        if count > 3:
            for row in np.flatnonzero(~_is_convex(vertices[corners])).tolist():
                fans[row] = _cut(vertices[corners[row]], corners[row])
        triangles.append(fans.reshape(-1, 3))
        owners.append(np.repeat(rows, count - 2))
    return np.vstack(triangles)[np.argsort(np.concatenate(owners), kind="stable")]


def separate_triangles(vertex_count: int) -> np.ndarray:
    """Return triangles that share no vertices, shape (t, 3), each with the next three vertices."""
    return cut_polygons(np.full(vertex_count // 3, 3), np.arange(vertex_count), np.zeros((vertex_count, 3)))


def _is_convex(corners: np.ndarray) -> np.ndarray:
    """Return whether each polygon turns one way at all of its corners, shape (p, k, 3) to (p,)."""
    sides = np.roll(corners, -1, axis=1) - corners
    turns = np.cross(sides, np.roll(sides, -1, axis=1))
    normal = turns.sum(axis=1, keepdims=True)
    return (dot(turns, normal) >= 0.0).all(axis=1)


def _cut(corners: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return the triangles of a polygon that is not convex.

    A rest without ears, as in a polygon that intersects itself, becomes a fan.
    """
    normal = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    dropped = int(np.abs(normal).argmax())  # the projection along this axis keeps the largest area
    u, v = (dropped + 1) % 3, (dropped + 2) % 3
    flat = corners[:, [u, v]] * (1.0 if normal[dropped] >= 0.0 else -1.0, 1.0)
    found, left = cut_off_ears([(x, y) for x, y in flat.tolist()])
    fan = [(left[0], left[k], left[k + 1]) for k in range(1, len(left) - 1)]
    return numbers[np.array([*found, *fan])]


def placed(part: MeshPart, matrix: np.ndarray) -> MeshPart:
    """Return the part moved by a matrix, shape (4, 4).

    If it mirrors, triangles are reversed, so that outside stays outside.
    """
    vertices = matmul(part.vertices, matrix[:3, :3].T) + matrix[:3, 3]
    is_mirrored = bool(det(matrix[:3, :3]) < 0.0)
    return MeshPart(part.names, vertices, part.triangles[:, ::-1] if is_mirrored else part.triangles)


def joined(parts: Iterable[MeshPart]) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices, shape (n, 3) [m], and the triangles, shape (t, 3), of all parts."""
    vertices, triangles, before = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], 0
    for part in parts:
        vertices.append(part.vertices)
        triangles.append(part.triangles + before)
        before += len(part.vertices)
    return np.vstack(vertices), np.vstack(triangles)
