# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that an SDF file includes: where they lie, and what the <include> says of them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from ...files.errors import UnreadableError
from ...files.resources import BarredError, FilesBeside, ResourceError
from ...files.xml import Element, Tally, count_in, parse_file

MAX_INCLUDES = 5_000
"""Models that one file may draw in: a file that includes another twice, which does so too, soon has no end."""

TOO_MANY = ("too-many-includes", "too-many-elements")
"""Codes of errors after which no further include is followed."""

CONFIG = "model.config"


class IncludeError(Exception):
    """An <include> that cannot be followed; `code` says why in a word."""

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class SdfFile:
    """A file that was read: its <sdf> element, where it lies, and the files that led to it, itself last."""

    root: Element
    files: FilesBeside
    trail: tuple[Path, ...] = ()


@dataclass
class Library:
    """Opens what is included, each file once; `roots` tells by a root element which file it is of."""

    roots: dict[Element, Path] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    _opened: dict[Path, Element] = field(default_factory=dict)
    _sizes: dict[Element, tuple[int, dict[str, int]]] = field(default_factory=dict)
    _count: int = 0

    def open(self, uri: str, by: SdfFile) -> SdfFile:
        """The file that a uri in `by` means. Raises IncludeError, ResourceError."""
        self._count += 1
        if self._count > MAX_INCLUDES:
            raise IncludeError("too-many-includes", f"more than {MAX_INCLUDES} models are included; include fewer")
        path = _model_file(_found(uri, by), uri)
        if path in by.trail:
            circle = " -> ".join(file.name for file in (*by.trail[by.trail.index(path) :], path))
            raise IncludeError("include-cycle", f"'{uri}' includes itself: {circle}; take one <include> out")
        if path not in self._opened:
            try:
                self._opened[path] = parse_file(path)
            except UnreadableError as error:
                where = f"{path}:{error.line}" if error.line else f"{path}"
                raise IncludeError("include-unreadable", f"'{uri}' cannot be read: {where}: {error.message}") from error
            self.roots[self._opened[path]] = path
        root = self._opened[path]
        if root.tag != "sdf":
            raise IncludeError("include-unreadable", f"'{uri}' is no SDF file, but <{root.tag}>; convert it first")
        if root not in self._sizes:
            self._sizes[root] = count_in(root)
        if too_much := self.tally.add(*self._sizes[root]):
            raise IncludeError("too-many-elements", f"with '{uri}', what is included has {too_much}")
        return SdfFile(root, by.files.of(path), (*by.trail, path))


def _found(uri: str, by: SdfFile) -> Path:
    """What a uri means to the file, or else to one that has led to it. Raises ResourceError."""
    try:
        return by.files.find(uri)
    except BarredError:
        raise
    except ResourceError:
        for outer in reversed(by.trail[:-1]):
            with contextlib.suppress(ResourceError):
                return by.files.resources.find(uri, outer.parent)
        raise


def _model_file(found: Path, uri: str) -> Path:
    """The file itself, or that of a model's folder: what model.config names for the newest version, or model.sdf."""
    if not found.is_dir():
        return found
    named = _named_in(found / CONFIG) or "model.sdf"
    path = found / named
    if path.resolve().parent != found or not path.is_file():
        raise ResourceError(f"'{uri}' is a folder without '{named}'; put the model there, or mend its {CONFIG}")
    return path


def _named_in(config: Path) -> str:
    if not config.is_file():
        return ""
    try:
        entries = [(_version_key(entry), entry.text) for entry in parse_file(config).all("sdf") if entry.text]
    except UnreadableError as error:
        raise IncludeError("include-unreadable", f"{config}: {error.message}") from error
    return max(entries, default=((), ""))[1]


def _version_key(entry: Element) -> tuple[int, ...]:
    parts = entry.attributes.get("version", "").split(".")
    return tuple(int(part) for part in parts if part.isdecimal())
