# SPDX-License-Identifier: GPL-3.0-or-later
"""PLY, as text or binary in either byte order: the elements `vertex` and `face`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..files.resources import FilesBeside
from .errors import MeshFileError
from .parts import MeshPart, cut_polygons

MAX_HEADER = 2**20
"""Largest size of a header [bytes]. Real ones have some hundreds."""

TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}
"""NumPy's codes of the types that a header may name."""

ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">", "ascii": ""}
"""NumPy's byte order of each format that a header may name; empty for text."""

CORNERS = ("vertex_indices", "vertex_index")
"""Names of the list of a face's vertices."""


@dataclass
class _Element:
    """An element of the header.

    Attributes:
        count: its number of rows.
        properties: (name, type, type of the count or "" for a single number) of each property.
    """

    name: str
    count: int
    properties: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def has_lists(self) -> bool:
        return any(counted for _, _, counted in self.properties)


def read_ply(data: bytes, _files: FilesBeside) -> list[MeshPart]:
    """Return the mesh of a PLY file.

    Raises:
        MeshFileError: if the file is not a PLY with faces.
    """
    order, elements, body = _header(data)
    values = _TextValues(body) if order == "" else _BinaryValues(body, order)
    found = {element.name: values.read(element) for element in elements}
    vertices = found.get("vertex", {})
    if any(axis not in vertices for axis in "xyz"):
        raise MeshFileError("its vertices have no x, y and z; export it again")
    points = np.stack([np.asarray(vertices[axis], dtype=np.float64) for axis in "xyz"], axis=1)
    faces = next((found["face"][name] for name in CORNERS if name in found.get("face", {})), None)
    if faces is None:
        raise MeshFileError("it has no faces, but is a cloud of points; export it with faces")
    counts, numbers = faces
    return [MeshPart((), points, cut_polygons(counts, numbers.astype(np.int64), points))]


def _header(data: bytes) -> tuple[str, list[_Element], bytes]:
    """Return the byte order, the elements in their order, and the rest of the file.

    Raises:
        MeshFileError: if the header is invalid.
    """
    head, end, body = data[: MAX_HEADER + 16].partition(b"end_header")
    if not end or not head.startswith(b"ply"):
        raise MeshFileError("it is no PLY: it must begin with 'ply' and a header that ends with 'end_header'")
    body = data[len(head) + len(end) :]
    order, elements = None, list[_Element]()
    for line in head.decode("latin-1").splitlines():
        match line.split():
            case ["format", name, *_] if name in ORDERS:
                order = ORDERS[name]
            case ["element", name, count] if count.isdecimal():
                elements.append(_Element(name, int(count)))
            case ["property", "list", counted, kind, name] if elements and counted in TYPES and kind in TYPES:
                elements[-1].properties.append((name, TYPES[kind], TYPES[counted]))
            case ["property", kind, name] if elements and kind in TYPES:
                elements[-1].properties.append((name, TYPES[kind], ""))
            case [] | ["ply"] | ["comment" | "obj_info", *_]:
                pass
            case _:
                raise MeshFileError(f"its header has the line '{line[:80]}', which PLY does not know; export it again")
    if order is None:
        raise MeshFileError(f"its header names no format; allowed are {', '.join(ORDERS)}")
    for element in elements:  # a property takes a byte at least; as text, two
        if element.count * len(element.properties) > len(body) + 1:
            reason = f"it counts {element.count:,} of '{element.name}', more than its {len(data):,} bytes can hold"
            raise MeshFileError(f"{reason}; export it again")
    return order, elements, body.partition(b"\n")[2]


class _BinaryValues:
    """The values of binary elements, read one element after the other."""

    def __init__(self, data: bytes, order: str):
        self.data, self.order, self.at = data, order, 0

    def read(self, element: _Element) -> dict[str, Any]:
        """Return the numbers of each property; for a list, (counts, numbers of all lists in turn)."""
        lengths = self._first_lengths(element)
        fields = []
        for (name, kind, counted), length in zip(element.properties, lengths, strict=True):
            fields += [(f"count of {name}", self.order + counted)] if counted else []
            fields.append((name, self.order + kind, (length,) if counted else ()))
        record = np.dtype(fields)
        if self.at + element.count * record.itemsize <= len(self.data):  # if all lists have the first ones' lengths
            rows = np.frombuffer(self.data, record, element.count, self.at)
            alike = all(
                (rows[f"count of {name}"] == length).all()
                for (name, _, counted), length in zip(element.properties, lengths, strict=True)
                if counted
            )
            if alike:
                self.at += element.count * record.itemsize
                return {
                    name: (np.full(element.count, length), rows[name].ravel()) if counted else rows[name]
                    for (name, _, counted), length in zip(element.properties, lengths, strict=True)
                }
        if not element.has_lists:
            raise _cut_short(element)
        return self._read_rows(element)

    def _first_lengths(self, element: _Element) -> list[int]:
        """Return the length of each list in the first row; 0 for single numbers."""
        at, lengths = self.at, []
        for _, kind, counted in element.properties:
            length = 0
            if counted and element.count:
                (length,) = self._numbers(counted, 1, at, element).tolist()
                at += np.dtype(counted).itemsize
            lengths.append(max(length, 0))
            at += np.dtype(kind).itemsize * (length if counted else 1)
        return lengths

    def _read_rows(self, element: _Element) -> dict[str, Any]:
        found: dict[str, list[np.ndarray]] = {name: [] for name, _, _ in element.properties}
        for _ in range(element.count):
            for name, kind, counted in element.properties:
                length = 1
                if counted:
                    (length,) = self._take(counted, 1, element).tolist()
                found[name].append(self._take(kind, length, element))
        return {
            name: (np.array([len(row) for row in found[name]], np.int64), np.concatenate(found[name]))
            if counted
            else np.concatenate(found[name])
            for name, _, counted in element.properties
        }

    def _take(self, kind: str, count: int, element: _Element) -> np.ndarray:
        found = self._numbers(kind, count, self.at, element)
        self.at += found.nbytes
        return found

    def _numbers(self, kind: str, count: int, at: int, element: _Element) -> np.ndarray:
        if count < 0 or at + count * np.dtype(kind).itemsize > len(self.data):
            raise _cut_short(element)
        return np.frombuffer(self.data, self.order + kind, count, at)


class _TextValues:
    """The values of text elements, with one row in each line."""

    def __init__(self, data: bytes):
        self.lines: Iterator[list[bytes]] = (words for words in map(bytes.split, data.splitlines()) if words)

    def read(self, element: _Element) -> dict[str, Any]:
        """Return the numbers of each property, as `_BinaryValues.read`."""
        found: dict[str, list[float]] = {name: [] for name, _, _ in element.properties}
        counts: dict[str, list[int]] = {name: [] for name, _, _ in element.properties}
        try:
            for _ in range(element.count):
                words = iter(next(self.lines))
                for name, _, counted in element.properties:
                    length = int(next(words)) if counted else 1
                    counts[name].append(length)
                    found[name] += [float(next(words)) for _ in range(length)]
        except (StopIteration, ValueError) as error:
            raise _cut_short(element) from error
        return {
            name: (np.array(counts[name], np.int64), np.array(found[name])) if counted else np.array(found[name])
            for name, _, counted in element.properties
        }


def _cut_short(element: _Element) -> MeshFileError:
    return MeshFileError(f"it does not hold the {element.count:,} of '{element.name}' that it counts; export it again")
