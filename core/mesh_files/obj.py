# SPDX-License-Identifier: GPL-3.0-or-later
"""Wavefront OBJ: vertices, and polygons in objects and groups. Materials, normals and curves are ignored."""

from __future__ import annotations

import re

import numpy as np

from ..files.resources import FilesBeside
from .errors import MeshFileError
from .parts import MeshPart, cut_polygons

_CONTINUED = re.compile(rb"\\[ \t]*\r?\n")


def read_obj(data: bytes, _files: FilesBeside) -> list[MeshPart]:
    """Return the objects and groups of an OBJ file that have faces. If none has, return all vertices as one part.

    Raises:
        MeshFileError: if a face or a vertex is invalid.
    """
    coordinates: list[list[bytes]] = []
    faces: list[list[int]] = []
    begun: list[tuple[str, int]] = [("", 0)]
    for number, line in enumerate(_CONTINUED.sub(b" ", data).splitlines(), 1):
        match line.split():
            case [b"v", *values]:
                coordinates.append(values[:3])
            case [b"f", *values]:
                faces.append(_corners(values, len(coordinates), number))
            case [b"o" | b"g", *values]:
                begun.append((b" ".join(values).decode("utf-8", "replace"), len(faces)))
    vertices = _numbers(coordinates)
    ends = [start for _, start in begun[1:]] + [len(faces)]
    parts = []
    for (name, start), end in zip(begun, ends, strict=True):
        if end > start:
            counts = np.array([len(face) for face in faces[start:end]])
            numbers = np.array([corner for face in faces[start:end] for corner in face], np.int64)
            triangles = cut_polygons(counts, numbers, vertices)
            parts.append(_without_unused(name, vertices, triangles, counts, numbers))
    return parts or [MeshPart((), vertices, np.zeros((0, 3), np.int64))]


def _corners(values: list[bytes], count: int, line: int) -> list[int]:
    """Return the vertex numbers of a face, from 0. In the file they count from 1, or back from the last one."""
    try:
        given = [int(value.partition(b"/")[0]) for value in values]
    except ValueError as error:
        raise MeshFileError(f"line {line} names a corner that is no whole number; export it again") from error
    if 0 in given:
        raise MeshFileError(f"line {line} names vertex 0, and they count from 1; export it again")
    return [number - 1 if number > 0 else count + number for number in given]


def _numbers(coordinates: list[list[bytes]]) -> np.ndarray:
    try:
        return np.array([float(value) for row in coordinates for value in row]).reshape(len(coordinates), 3)
    except ValueError as error:
        raise MeshFileError("a vertex does not have three numbers; export it again") from error


def _without_unused(
    name: str, vertices: np.ndarray, triangles: np.ndarray, counts: np.ndarray, corners: np.ndarray
) -> MeshPart:
    """Return a part without vertices that it does not use. corners: vertex numbers around all polygons in turn."""
    used, numbers = np.unique(triangles, return_inverse=True)
    polygons = None
    if (counts > 3).any():
        is_face = np.repeat(counts > 2, counts)
        polygons = counts[counts > 2], np.searchsorted(used, corners[is_face])
    return MeshPart((name,) if name else (), vertices[used], numbers.reshape(-1, 3), polygons)
