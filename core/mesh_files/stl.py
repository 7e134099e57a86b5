# SPDX-License-Identifier: GPL-3.0-or-later
"""STL, binary and text: triangles that share no vertices. Lengths are in metres, as is usual in robotics."""

from __future__ import annotations

import re
import struct

import numpy as np

from ..files.resources import FilesBeside
from .errors import MeshFileError
from .parts import MeshPart, separate_triangles

HEADER = 84
"""Bytes before the first triangle of a binary file: 80 of any text, then the number of triangles."""

RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
"""A triangle of a binary file, 50 bytes."""

_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", re.IGNORECASE)
_SOLID = re.compile(rb"^\s*solid[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)


def read_stl(data: bytes, _files: FilesBeside) -> list[MeshPart]:
    """Return the sub-meshes of an STL file.

    Raises:
        MeshFileError: if the file is not a complete STL.
    """
    if len(data) >= HEADER:
        (count,) = struct.unpack_from("<I", data, HEADER - 4)
        if len(data) == HEADER + RECORD.itemsize * count or not data.lstrip().lower().startswith(b"solid"):
            return _binary(data, count)
    found = list(_SOLID.finditer(data))
    if not found:
        raise MeshFileError("it is no STL: it neither begins with 'solid' nor holds the triangles that it counts")
    ends = [*(solid.start() for solid in found[1:]), len(data)]
    return [_text(solid, data[solid.end() : end]) for solid, end in zip(found, ends, strict=True)]


def _binary(data: bytes, count: int) -> list[MeshPart]:
    if len(data) < HEADER + RECORD.itemsize * count:
        raise MeshFileError(
            f"it counts {count:,} triangles, which its {len(data):,} bytes cannot hold; export it again"
        )
    corners = np.frombuffer(data, RECORD, count, HEADER)["corners"]
    vertices = corners.astype(np.float64).reshape(-1, 3)
    return [MeshPart((), vertices, separate_triangles(len(vertices)))]


def _text(solid: re.Match[bytes], data: bytes) -> MeshPart:
    corners = _VERTEX.findall(data)
    try:
        vertices = np.array([float(number) for corner in corners for number in corner]).reshape(-1, 3)
    except ValueError as error:
        raise MeshFileError(f"a coordinate is no number ({error}); export it again") from error
    if len(vertices) % 3:
        raise MeshFileError(f"it has {len(vertices)} corners, no multiple of 3; export it again")
    name = solid[1].decode("utf-8", "replace").strip()
    return MeshPart((name,) if name else (), vertices, separate_triangles(len(vertices)))
