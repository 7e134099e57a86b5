# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that an SDF file includes: the search for their files, and limits of their number."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from ...files.errors import UnreadableError
from ...files.resources import BarredError, FilesBeside, ResourceError
from ...files.xml import Element, Tally, count_in, parse_file
from ..xml.included import IncludeError, open_included, refuse_cycle

MAX_INCLUDES = 5_000
"""Largest number of models that one file may include.

The number grows exponentially if each file includes the next one twice.
"""

TOO_MANY = ("too-many-includes", "too-many-elements")
"""Codes of errors after which no further include is read."""

CONFIG = "model.config"
"""File of a model folder that names the SDF files in it."""


@dataclass(frozen=True)
class SdfFile:
    """A file that was read.

    Attributes:
        root: its <sdf> element. files: the files that it may name.
        trail: the files that led to it by includes, with itself at the end.
    """

    root: Element
    files: FilesBeside
    trail: tuple[Path, ...] = ()


@dataclass
class Library:
    """Opens included files, each once.

    Attributes:
        tally: counts of all elements that were included.
    """

    tally: Tally = field(default_factory=Tally)
    _opened: dict[Path, Element] = field(default_factory=dict)
    _sizes: dict[Element, tuple[int, dict[str, int]]] = field(default_factory=dict)
    _count: int = 0

    def open(self, uri: str, by: SdfFile) -> SdfFile:
        """Return the file that a uri in the file `by` means.

        Raises:
            IncludeError: if the file cannot be read, includes itself, or exceeds a limit.
            ResourceError: if the uri leads to no file, or to one that may not be opened.
        """
        self._count += 1
        if self._count > MAX_INCLUDES:
            raise IncludeError("too-many-includes", f"more than {MAX_INCLUDES} models are included; include fewer")
        path = _model_file(_found(uri, by), uri)
        refuse_cycle(path, uri, "include", by.trail)
        if path not in self._opened:
            self._opened[path] = open_included(path, uri)
        root = self._opened[path]
        if root.tag != "sdf":
            raise IncludeError("include-unreadable", f"'{uri}' is no SDF file, but <{root.tag}>; convert it first")
        if root not in self._sizes:
            self._sizes[root] = count_in(root)
        if too_much := self.tally.add(*self._sizes[root]):
            raise IncludeError("too-many-elements", f"with '{uri}', what is included has {too_much}")
        return SdfFile(root, by.files.of(path), (*by.trail, path))


def _found(uri: str, by: SdfFile) -> Path:
    """Return the path that a uri means in a file, or else in one of the files that led to it.

    Raises:
        ResourceError: as `FilesBeside.find`.
    """
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
    """Return the file itself, or the model file of a folder: that of the newest version in model.config, or model.sdf.

    Raises:
        ResourceError: if the folder has no such file. IncludeError: if model.config cannot be read.
    """
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
