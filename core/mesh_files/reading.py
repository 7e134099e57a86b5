# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files, read by their suffix, within limits. Files that were read are kept in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..files.resources import FilesBeside, Resources
from .checking import checked_status
from .collada import read_collada
from .errors import MeshFileError
from .gltf import read_gltf
from .msh import read_msh
from .obj import read_obj
from .parts import MeshPart, joined
from .ply import read_ply
from .stl import read_stl

READERS: dict[str, Callable[[bytes, FilesBeside], list[MeshPart]]] = {
    ".dae": read_collada,
    ".glb": read_gltf,
    ".gltf": read_gltf,
    ".msh": read_msh,
    ".obj": read_obj,
    ".ply": read_ply,
    ".stl": read_stl,
}
"""The reader of each format, by the suffix of its files."""

MAX_BYTES = 2**30
"""Largest size of a mesh file [bytes]."""

KEPT = 64
"""Number of files that are kept in memory after they were read. A robot has some dozens of meshes."""


def read_mesh(
    path: str | Path, within: Sequence[str] = (), submesh: str = "", *, is_centered: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices of a mesh file, shape (n, 3) [m], Z up, and its triangles, shape (t, 3).

    Args:
        within: folders that may hold files which the mesh file names, besides its own folder.
        submesh: the name of the only part to return; empty for the whole file.
        is_centered: move the centre of the mesh's bounding box to the origin.

    Raises:
        MeshFileError: if the file cannot be read, has no faces, or has no such part.
    """
    parts = read_parts(path, within)
    if submesh:
        names = dict.fromkeys(name for part in parts for name in part.names)
        parts = tuple(part for part in parts if submesh in part.names)
        if not parts:
            there = ", ".join(f"'{name}'" for name in list(names)[:20]) or "parts without names only"
            raise MeshFileError(f"it has no sub-mesh '{submesh}'; it has {there}")
    vertices, triangles = joined(parts)
    if not len(triangles):
        raise MeshFileError("it has no faces; export it again, with the mesh")
    if is_centered:
        used = vertices[np.unique(triangles)]
        vertices = vertices - 0.5 * (used.min(axis=0) + used.max(axis=0))
    return vertices, triangles


def read_parts(path: str | Path, within: Sequence[str] = ()) -> tuple[MeshPart, ...]:
    """Return the sub-meshes of a file, in metres, Z up.

    Raises:
        MeshFileError: if the file cannot be read.
    """
    found = checked_status(path, MAX_BYTES)
    return _read(os.path.realpath(path), tuple(map(str, within)), found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=KEPT)
def _read(path: str, within: tuple[str, ...], _changed: int, _size: int) -> tuple[MeshPart, ...]:
    suffix = Path(path).suffix
    read = READERS.get(suffix.lower())
    if read is None:
        raise MeshFileError(f"'{suffix}' files are not read; convert it to {', '.join(READERS)}")
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise MeshFileError(f"{(error.strerror or str(error)).lower()}; check the file") from error
    parts = tuple(read(data, FilesBeside(Resources(Path(path), within), Path(path))))
    for part in parts:
        part.vertices.setflags(write=False)
        part.triangles.setflags(write=False)
        if not np.isfinite(part.vertices).all():
            raise MeshFileError("a coordinate is no finite number; export it again")
    return parts
