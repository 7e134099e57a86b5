# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF 2.0, as .gltf with buffers beside it or inside, and as binary .glb. Its Y axis points up; here Z does.

Source: Khronos Group, glTF 2.0 Specification (2021), sections 3.5 (scenes), 3.6 (accessors), 3.7 (meshes), 4 (GLB).
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import numpy as np

from ..files.resources import FilesBeside, ResourceError
from ..spatial import quat_to_mat
from ..spatial.arrays import matmul
from .errors import MeshFileError
from .parts import MeshPart, cut_polygons, placed

COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
"""NumPy's codes of the component types."""

WIDTHS = {"SCALAR": 1, "VEC3": 3}
"""Components of the accessor types that geometry uses."""

POINTS_AND_LINES = (0, 1, 2, 3)
"""Modes of primitives without faces."""

TRIANGLES, STRIP, FAN = 4, 5, 6
"""Modes of primitives with faces."""

MAX_DEPTH = 200
"""Largest nesting depth of nodes."""

Z_UP = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
"""Matrix from the file's axes to those with Z up."""


def read_gltf(data: bytes, files: FilesBeside) -> list[MeshPart]:
    """Return the meshes of the default scene, one for each node that shows one.

    Raises:
        MeshFileError: if the file is not glTF, or if it breaks the specification.
    """
    text, chunk = _glb_chunks(data) if data[:4] == b"glTF" else (data, b"")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MeshFileError(f"it is no glTF: {error}; export it again") from error
    try:
        document = _Document(said, chunk, files)
        return [placed(part, matrix) for part, matrix in document.shown()]
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise MeshFileError(f"it does not follow the specification ({error!r}); export it again") from error


def _glb_chunks(data: bytes) -> tuple[bytes, bytes]:
    """Return the JSON text and the binary chunk of a GLB file.

    Raises:
        MeshFileError: if the file is not complete, or if it has no JSON.
    """
    chunks: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= len(data):
        length, kind = struct.unpack_from("<I4s", data, at)
        if at + 8 + length > len(data):
            raise MeshFileError("it is cut short; export it again")
        chunks.setdefault(kind, data[at + 8 : at + 8 + length])
        at += 8 + length
    if b"JSON" not in chunks:
        raise MeshFileError("it has no JSON chunk, as glTF 2.0 has; export it again as version 2")
    return chunks[b"JSON"], chunks.get(b"BIN\0", b"")


class _Document:
    """The parts of a glTF document that geometry needs.

    Buffers and meshes that were read are kept, by their numbers.
    """

    def __init__(self, said: dict[str, Any], chunk: bytes, files: FilesBeside):
        self.said, self.chunk, self.files = said, chunk, files
        self._buffers: dict[int, bytes] = {}
        self._meshes: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def shown(self) -> Iterator[tuple[MeshPart, np.ndarray]]:
        """Yield each mesh with the matrix that places it, shape (4, 4)."""
        nodes, scenes = self.said.get("nodes", []), self.said.get("scenes", [])
        if not scenes:
            roots = range(len(nodes))
            inner = {child for node in nodes for child in node.get("children", ())}
            roots = [number for number in roots if number not in inner]
        else:
            roots = scenes[self.said.get("scene", 0)].get("nodes", [])
        ahead = [(number, Z_UP, 0) for number in reversed(list(roots))]
        visits = 0
        while ahead:
            number, above, depth = ahead.pop()
            visits += 1
            if depth > MAX_DEPTH or visits > 100 * len(nodes) + 100:
                raise MeshFileError("its nodes contain each other; export it again")
            node = nodes[number]
            matrix = matmul(above, _matrix_of(node))
            if "mesh" in node:
                vertices, triangles = self._mesh(node["mesh"])
                names = (node.get("name"), self.said["meshes"][node["mesh"]].get("name"))
                yield MeshPart(tuple(name for name in names if isinstance(name, str)), vertices, triangles), matrix
            ahead += [(child, matrix, depth + 1) for child in reversed(node.get("children", []))]

    def _mesh(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        if number not in self._meshes:
            parts, before = [], 0
            for primitive in self.said["meshes"][number]["primitives"]:
                if primitive.get("mode", TRIANGLES) not in POINTS_AND_LINES:
                    vertices, triangles = self._primitive(primitive)
                    parts.append((vertices, triangles + before))
                    before += len(vertices)
            vertices = np.vstack([np.zeros((0, 3)), *(part for part, _ in parts)])
            self._meshes[number] = vertices, np.vstack([np.zeros((0, 3), np.int64), *(part for _, part in parts)])
        return self._meshes[number]

    def _primitive(self, primitive: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        packed = [name for name in primitive.get("extensions", {}) if "compression" in name]
        if packed:
            raise MeshFileError(f"it is compressed ({packed[0]}), which is not read; export it without compression")
        vertices = self._accessor(primitive["attributes"]["POSITION"], "VEC3").astype(np.float64)
        if "indices" in primitive:
            numbers = self._accessor(primitive["indices"], "SCALAR").ravel().astype(np.int64)
        else:
            numbers = np.arange(len(vertices))
        mode = primitive.get("mode", TRIANGLES)
        if mode == STRIP:
            corners = np.stack([numbers[:-2], numbers[1:-1], numbers[2:]], axis=1)
            corners[1::2] = corners[1::2, [1, 0, 2]]
        elif mode == FAN:
            corners = np.stack([np.full(max(len(numbers) - 2, 0), numbers[0]), numbers[1:-1], numbers[2:]], axis=1)
        elif mode == TRIANGLES:
            corners = numbers[: len(numbers) // 3 * 3].reshape(-1, 3)
        else:
            raise MeshFileError(f"a primitive has mode {mode}; allowed are 0 to 6: export it again")
        return vertices, cut_polygons(np.full(len(corners), 3), corners.ravel(), vertices)

    def _accessor(self, number: int, kind: str) -> np.ndarray:
        """Return an accessor's values, shape (count, width)."""
        accessor = self.said["accessors"][number]
        if accessor["type"] != kind:
            raise MeshFileError(f"accessor {number} is a {accessor['type']}, not a {kind}; export it again")
        dtype, width, count = np.dtype(COMPONENTS[accessor["componentType"]]), WIDTHS[kind], accessor["count"]
        if "bufferView" in accessor:
            values = self._view(accessor["bufferView"], accessor.get("byteOffset", 0), dtype, count, width)
        elif count * width <= 2**27:  # values that are not given sparsely are 0
            values = np.zeros((count, width), dtype)
        else:
            raise MeshFileError(f"accessor {number} counts {count:,} values and holds none; export it again")
        if sparse := accessor.get("sparse"):
            values = values.copy()
            at = sparse["indices"]
            index_type = np.dtype(COMPONENTS[at["componentType"]])
            rows = self._view(at["bufferView"], at.get("byteOffset", 0), index_type, sparse["count"], 1).ravel()
            given = sparse["values"]
            values[rows] = self._view(given["bufferView"], given.get("byteOffset", 0), dtype, sparse["count"], width)
        if accessor.get("normalized") and dtype.kind in "iu":
            return np.maximum(values / float(np.iinfo(dtype).max), -1.0)
        return values

    def _view(self, number: int, offset: int, dtype: np.dtype, count: int, width: int) -> np.ndarray:
        """Return `count` rows of `width` numbers from a view of a buffer."""
        view = self.said["bufferViews"][number]
        data = self._buffer(view["buffer"])
        begin, size = view.get("byteOffset", 0) + offset, width * dtype.itemsize
        stride = view.get("byteStride", 0) or size
        end = begin + max(count - 1, 0) * stride + size * (count > 0)
        if min(begin, count, offset) < 0 or end > len(data) or stride < size:
            raise MeshFileError(f"it names {count:,} values that its buffer of {len(data):,} bytes does not hold")
        return np.ndarray((count, width), dtype, data, begin, (stride, dtype.itemsize))

    def _buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            uri = self.said["buffers"][number].get("uri")
            self._buffers[number] = self.chunk if uri is None else self._named_buffer(uri)
        return self._buffers[number]

    def _named_buffer(self, uri: str) -> bytes:
        if uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2], validate=False)
            except (binascii.Error, ValueError) as error:
                raise MeshFileError(f"a buffer inside it cannot be decoded ({error}); export it again") from error
        try:
            return self.files.find(unquote(uri)).read_bytes()
        except (ResourceError, OSError) as error:
            raise MeshFileError(f"its buffer cannot be read: {error}") from error


def _matrix_of(node: dict[str, Any]) -> np.ndarray:
    """Return a node's matrix in its parent, shape (4, 4)."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    x, y, z, w = map(float, node.get("rotation", (0.0, 0.0, 0.0, 1.0)))
    matrix = np.eye(4)
    matrix[:3, :3] = np.reshape(quat_to_mat((w, x, y, z)), (3, 3)) * np.array(node.get("scale", (1.0, 1.0, 1.0)), float)
    matrix[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return matrix
