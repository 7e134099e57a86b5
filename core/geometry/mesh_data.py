# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles of convex faces, and of a mesh that holds its data or names a file; heights of terrain."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from ..mesh_files import MeshFileError, read_heights, read_mesh, terrain
from ..mesh_files.parts import cut_polygons
from .shapes import Heightmap, Mesh


def fan_triangles(faces: Iterable[Sequence[int]]) -> np.ndarray:
    """Return the triangles of convex faces, shape (t, 3). Each face is divided from its first corner.

    Args:
        faces: vertex numbers of each face, counter-clockwise.
    """
    cut = [(face[0], face[k], face[k + 1]) for face in faces for k in range(1, len(face) - 1)]
    return np.array(cut, np.int64).reshape(-1, 3)


def mesh_triangles(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Return a mesh's vertices, shape (n, 3) [m], and triangles, shape (t, 3), after `scale`.

    Triangles are counter-clockwise seen from outside, also if the scale mirrors.

    Raises:
        MeshFileError: if the mesh names a file that does not exist or cannot be used, or a vertex that it does not
            have.
    """
    if mesh.vertices is not None:
        vertices = np.asarray(mesh.vertices, dtype=np.float64).reshape(-1, 3)
        counts = np.array([len(face) for face in mesh.faces], np.int64)
        numbers = np.array([corner for face in mesh.faces for corner in face], np.int64)
        triangles = cut_polygons(counts, numbers, vertices)
    elif mesh.path:
        vertices, triangles = read_mesh(mesh.path, mesh.within, mesh.submesh, is_centered=mesh.is_centered)
    else:
        raise MeshFileError("it was not found; put it there, or name a folder to search (Search In, --path)")
    is_mirrored = math.prod(mesh.scale) < 0.0
    return vertices * np.array(mesh.scale), triangles[:, ::-1] if is_mirrored else triangles


def heights_of(shape: Heightmap) -> np.ndarray:
    """Return the heights of a terrain before its size, shape (rows, columns), the greatest y first.

    Raises:
        MeshFileError: if the terrain names an image that does not exist or cannot be used.
    """
    if shape.heights:
        return np.array(shape.heights, dtype=np.float64)
    if not shape.path:
        raise MeshFileError("it was not found; put it there, or name a folder to search (Search In, --path)")
    return read_heights(shape.path)


def terrain_triangles(shape: Heightmap) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices, shape (n, 3) [m], and the triangles, shape (t, 3), of a terrain in the axes of its shape.

    Raises:
        MeshFileError: as `heights_of`.
    """
    vertices, triangles = terrain(heights_of(shape), shape.size, shape.rises)
    return vertices + np.array(shape.position), triangles
