# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of mesh files from unknown sources, before an importer of Blender reads them.

The files that they name (materials, images, buffers) pass the same check as those of the model's file, `Resources`. The
counts that they declare are compared with their size. An importer gets the file itself if it names no others, else a
copy that names only files that may be opened.
"""

from __future__ import annotations

import html
import json
import math
import os
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from ..files.resources import FilesBeside, ResourceError, Resources
from . import MeshFileError
from .checking import checked_status
from .images import is_image

MAX_BYTES = 2**31
"""Largest size of a mesh file [bytes]."""

MAX_LIBRARY = 64 * 2**20
"""Largest size of a material library [bytes]."""

MAX_HEAD = 2**20
"""Largest size of the header of a PLY file [bytes]."""

BLANK = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAA"
    "AABJRU5ErkJggg=="
)
"""A white image of one pixel, which replaces an image that was not found."""


class MeshSourceError(Exception):
    """A mesh file that importers must not read. The message says why and what to do."""


class MeshSource:
    """A mesh file that an importer may read.

    Attributes:
        path: the file itself, or a copy of it in the folder that was given.
        notes: lines about files that it names and that are not opened.
    """

    def __init__(self, path: Path, within: Sequence[str | Path], folder: Path):
        """Check a file.

        Args:
            within: folders that may contain the files that it names, besides its own and that of its package.
            folder: folder for a changed copy.

        Raises:
            MeshSourceError: if the file cannot be read, or if it may be harmful.
        """
        self.original, self.path, self.folder = path, path, folder
        self.notes: list[str] = []
        self._files = FilesBeside(Resources(path, within), path)
        try:
            size = checked_status(path, MAX_BYTES).st_size
        except MeshFileError as error:
            raise MeshSourceError(str(error)) from error
        if look := _LOOKS.get(path.suffix.lower()):
            try:
                look(self, size)
            except OSError as error:
                raise MeshSourceError(f"{(error.strerror or str(error)).lower()}; check the file") from error

    def _found(self, name: str, what: str) -> Path | None:
        """Return the file that a name in the mesh file means. If it may not be opened, add a note and return None."""
        try:
            found = self._files.find(name)
        except ResourceError as error:
            self.notes.append(f"its {what} {error}")
            return None
        if found.is_file():
            return found
        self.notes.append(f"its {what} '{name}' is a folder; name a file")
        return None

    def _image(self, name: str) -> Path | None:
        """Return the image that a name in the mesh file means.

        If it is not an image that may be opened, add a note and return None.
        """
        found = self._found(name, "image")
        if found is None or is_image(found):
            return found
        self.notes.append(f"its image '{name}' is no image, and is not opened; name a PNG or a JPEG, say")
        return None

    # ---- OBJ

    def look_at_obj(self, size: int) -> None:
        """Check an OBJ file and its material libraries.

        Blender reads those that it names, and one of its own name beside it.
        """
        beside = self.original.with_suffix(".mtl")
        data = self.original.read_bytes()
        if b"mtllib" not in data and not beside.exists():
            return
        data = _CONTINUED.sub(b" ", data)
        names = [name.decode("utf-8", "replace").strip().strip('"') for name in _MTLLIB.findall(data)]
        names += [beside.name] if beside.exists() else []
        libraries = []
        for number, name in enumerate(dict.fromkeys(names)):
            found = self._found(name, "material library")
            if found is not None and found.stat().st_size <= MAX_LIBRARY:
                (self.folder / f"{number}.mtl").write_bytes(self._library(found))
                libraries.append(f"mtllib {number}.mtl\n".encode())
        self.path = self.folder / self.original.name
        self.path.write_bytes(b"".join(libraries) + _MTLLIB.sub(b"", data))

    def _library(self, path: Path) -> bytes:
        """Return the content of a material library, in which images have absolute paths.

        Images that may not be opened are left out.
        """
        files = self._files.of(path)
        lines = []
        for line in _CONTINUED.sub(b" ", path.read_bytes()).splitlines():
            if _MAP.match(line) is None:
                lines.append(line)
                continue
            word, name = _map_of(line)
            self._files, kept = files, self._files
            found = self._image(name)
            self._files = kept
            if found is not None:
                lines.append(word + b" " + os.fsencode(found))
        return b"\n".join(lines) + b"\n"

    # ---- PLY

    def look_at_ply(self, size: int) -> None:
        """Check that a PLY file is large enough for the elements that its header declares."""
        with self.original.open("rb") as file:
            head, end, _ = file.read(MAX_HEAD).partition(b"end_header")
        if not end:
            raise MeshSourceError("it has no 'end_header'; export it again")
        is_text, room, least = b"format ascii" in head, size - len(head) - len(end), 0
        counts: list[tuple[str, int, int]] = []
        for line in head.decode("latin-1").splitlines():
            match line.split():
                case ["element", name, count]:
                    counts.append((name, _count(count), 0))
                case ["property", "list", kind, *_] if counts:
                    name, number, width = counts[-1]
                    counts[-1] = name, number, width + (2 if is_text else _PLY_BYTES.get(kind, 1))
                case ["property", kind, *_] if counts:
                    name, number, width = counts[-1]
                    counts[-1] = name, number, width + (2 if is_text else _PLY_BYTES.get(kind, 1))
        for name, number, width in counts:
            least += number * max(width, 1)
            if least > room + 1:
                raise _too_many(f"{number:,} of '{name}'", size)

    # ---- glTF

    def look_at_gltf(self, size: int) -> None:
        """Check a glTF file: the buffers and images that it names, and the counts of its accessors."""
        data = self.original.read_bytes()
        is_binary = data[:4] == b"glTF"
        text, rest = _glb_parts(data) if is_binary else (data, b"")
        try:
            said = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise MeshSourceError(f"Blender cannot read it: it is no glTF ({error})") from error
        if not isinstance(said, dict):
            raise MeshSourceError("Blender cannot read it: it is no glTF, but a list or a number")
        changed = False
        for kind, index, entry in _named_in(said):
            uri = entry["uri"]
            if uri.startswith("data:"):
                continue
            changed = True
            found = self._image(unquote(uri)) if kind == "images" else self._found(unquote(uri), "buffer")
            if found is None and kind != "images":
                raise MeshSourceError(f"{self.notes.pop()}, and it is nothing without its buffer {index}")
            entry["uri"] = BLANK if found is None else quote(found.as_posix())
        _require_counts(said, size)
        if changed:
            self.path = self.folder / self.original.name
            text = json.dumps(said).encode()
            self.path.write_bytes(_glb_of(text, rest) if is_binary else text)

    # ---- COLLADA

    def look_at_collada(self, size: int) -> None:
        """Check a COLLADA file: its encoding, the documents and images that it names, and the counts of its arrays."""
        data = self.original.read_bytes()
        if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:64]:
            raise MeshSourceError("it is not UTF-8; save it as that")
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            raise MeshSourceError("it has a document type definition, which may hide anything; remove it")
        if away := _AWAY.search(data):
            raise MeshSourceError(f"it names another document, '{away[1].decode('utf-8', 'replace')}'; export it whole")
        for match in _COUNT.findall(data):
            if _count(match.decode()) > size:
                raise _too_many(f"{_count(match.decode()):,} numbers", size)
        changed = _IMAGE.sub(lambda image: _INIT.sub(self._seen_image, image[0]), data)
        if changed != data:
            self.path = self.folder / self.original.name
            self.path.write_bytes(changed)

    def _seen_image(self, match: re.Match[bytes]) -> bytes:
        name = html.unescape(match[2].decode("utf-8", "replace")).strip()
        found = self._image(unquote(name)) if name else None
        return match[1] + (html.escape(quote(found.as_posix())).encode() if found else b"none.png") + match[3]


_CONTINUED = re.compile(rb"\\[ \t]*\r?\n")
_MTLLIB = re.compile(rb"^[ \t]*mtllib[ \t]+([^\r\n]*)", re.MULTILINE)
_MAP = re.compile(rb"^\s*(map_\w+|bump|disp|decal|refl|norm)\s+", re.IGNORECASE)
_OPTIONS = {b"-o": 3, b"-s": 3, b"-t": 3, b"-mm": 2}
"""Options of a map in a material library, each with the largest number of arguments. Other options have one."""

_PLY_BYTES = {
    **dict.fromkeys(("short", "ushort", "int16", "uint16"), 2),
    **dict.fromkeys(("int", "uint", "float", "int32", "uint32", "float32"), 4),
    **dict.fromkeys(("double", "float64"), 8),
}
_AWAY = re.compile(rb"""\burl\s*=\s*["']([^"'#]+)#""")
_COUNT = re.compile(rb"""\bcount\s*=\s*["']\s*([0-9]{1,30})""")
_IMAGE = re.compile(rb"<image\b.*?</image\s*>", re.DOTALL)
_INIT = re.compile(rb"(<(?:init_from|ref)\b[^>]*>)([^<]*)(</(?:init_from|ref)\s*>)")

_GLTF_BYTES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_GLTF_PARTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
COMPRESSED = 100
"""Largest size of an accessor without a view, as a multiple of the size of the file and its buffers.

Accessors that Draco has compressed have no view, and are larger than the file.
"""

ZEROS = 16 * 2**20
"""Size that is added to this limit [bytes], since accessors of zeros have no view either."""


def _map_of(line: bytes) -> tuple[bytes, str]:
    """Return the keyword and the image name of a line in a material library, without options, which are not used."""
    word, *parts = line.split()
    while parts and parts[0].lower().startswith(b"-") and len(parts) > 1:
        most = _OPTIONS.get(parts.pop(0).lower(), 1)
        taken = 0
        while taken < most and len(parts) > 1 and (most == 1 or _is_number(parts[0])):
            parts.pop(0)
            taken += 1
    return word, b" ".join(parts).decode("utf-8", "replace").strip('"')


def _is_number(word: bytes) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def _count(text: str) -> int:
    """Return a declared count; 0 for a negative one, and 10^20 for text that is not a number or too long."""
    return int(text) if text.isdecimal() and len(text) < 20 else 0 if text.startswith("-") else 10**20


def _too_many(what: str, size: int) -> MeshSourceError:
    return MeshSourceError(f"it says that it has {what}, which its {size:,} bytes cannot hold; export it again")


def _glb_parts(data: bytes) -> tuple[bytes, bytes]:
    """Return the JSON text of a binary glTF, and all bytes that follow it.

    Raises:
        MeshSourceError: if the file is not complete.
    """
    if len(data) < 20:
        raise MeshSourceError("Blender cannot read it: it ends in its header; export it again")
    (length,) = struct.unpack_from("<I", data, 12)
    if data[16:20] != b"JSON" or 20 + length > len(data):
        raise MeshSourceError("Blender cannot read it: it is cut short; export it again")
    return data[20 : 20 + length], data[20 + length :]


def _glb_of(text: bytes, rest: bytes) -> bytes:
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest))
    return head + struct.pack("<I4s", len(text), b"JSON") + text + rest


def _named_in(said: dict) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield (name of the list, index, entry) for each entry of a glTF document that names a file."""
    for kind, entries in said.items():
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict) and isinstance(entry.get("uri"), str):
                yield kind, index, entry


def _require_counts(said: dict, size: int) -> None:
    """Check that the accessors of a glTF document fit into its buffers.

    Raises:
        MeshSourceError: if one of them is too large.
    """
    views = said.get("bufferViews")
    for accessor in _entries(said, "accessors"):
        count: Any = accessor.get("count") if isinstance(accessor, dict) else None
        if not isinstance(count, int):
            continue
        kinds = accessor.get("componentType"), accessor.get("type")
        width = next((size for kind, size in _GLTF_BYTES.items() if kind == kinds[0]), 1)
        width *= next((parts for kind, parts in _GLTF_PARTS.items() if kind == kinds[1]), 1)
        index = accessor.get("bufferView")
        view = views[index] if isinstance(views, list) and isinstance(index, int) and 0 <= index < len(views) else None
        room: Any = view.get("byteLength", 0) if isinstance(view, dict) else COMPRESSED * _held(said, size) + ZEROS
        least = count * width if view is None else count * min(width, 4)
        if not isinstance(room, int) or least > min(room, COMPRESSED * _held(said, size) + ZEROS):
            raise _too_many(f"{count:,} entries in an accessor", size)


def _entries(said: dict, kind: str) -> list:
    found = said.get(kind)
    return found if isinstance(found, list) else []


def _held(said: dict, size: int) -> int:
    """Return the size of the file and of the existing buffers beside it [bytes]."""
    total = size
    for entry in _entries(said, "buffers"):
        uri = entry.get("uri") if isinstance(entry, dict) else None
        if isinstance(uri, str) and not uri.startswith("data:") and os.path.isfile(unquote(uri)):
            total += os.path.getsize(unquote(uri))
    return total


_LOOKS: dict[str, Callable[[MeshSource, int], None]] = {
    ".obj": MeshSource.look_at_obj,
    ".ply": MeshSource.look_at_ply,
    ".gltf": MeshSource.look_at_gltf,
    ".glb": MeshSource.look_at_gltf,
    ".dae": MeshSource.look_at_collada,
}
