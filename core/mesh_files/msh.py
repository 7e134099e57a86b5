# SPDX-License-Identifier: GPL-3.0-or-later
"""MSH, the binary format of MuJoCo: vertices, normals, texture coordinates and triangles of one mesh, in metres."""

from __future__ import annotations

import struct

import numpy as np

from ..files.resources import FilesBeside
from .errors import MeshFileError
from .parts import MeshPart, cut_polygons

HEADER = struct.Struct("<4i")
"""The numbers of vertices, normals, texture coordinates and triangles, 16 bytes."""

VERTEX_BYTES = 12
"""Size of the coordinates of a vertex or a normal, three float32 [bytes]."""

TEXCOORD_BYTES = 8
"""Size of a texture coordinate, two float32 [bytes]."""

TRIANGLE_BYTES = 12
"""Size of a triangle, three int32 [bytes]."""


def read_msh(data: bytes, _files: FilesBeside) -> list[MeshPart]:
    """Return the mesh of an MSH file. It has no triangles if the file has none; MuJoCo then takes the convex hull.

    Raises:
        MeshFileError: if the file is not a complete MSH.
    """
    if len(data) < HEADER.size:
        raise MeshFileError(f"it is no MSH: its {len(data)} bytes are fewer than a header has; export it again")
    vertices, normals, texcoords, triangles = HEADER.unpack_from(data)
    if min(vertices, triangles) < 0 or normals not in (0, vertices) or texcoords not in (0, vertices):
        found = (
            f"{vertices:,} vertices, {normals:,} normals, {texcoords:,} texture coordinates, {triangles:,} triangles"
        )
        raise MeshFileError(f"it is no MSH: its header counts {found}; export it again")
    size = HEADER.size + VERTEX_BYTES * (vertices + normals) + TEXCOORD_BYTES * texcoords + TRIANGLE_BYTES * triangles
    if len(data) != size:
        raise MeshFileError(f"it counts data of {size:,} bytes, but has {len(data):,}; export it again")
    points = np.frombuffer(data, "<f4", 3 * vertices, HEADER.size).astype(np.float64).reshape(-1, 3)
    numbers = np.frombuffer(data, "<i4", 3 * triangles, size - TRIANGLE_BYTES * triangles).astype(np.int64)
    return [MeshPart((), points, cut_polygons(np.full(triangles, 3), numbers, points))]
