# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a model file names by uris. They are searched only in folders that the model file may reach."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from ..text import one_line

ENVIRONMENT = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH", "ROS_PACKAGE_PATH")
"""Environment variables with folders to search, which Gazebo, libsdformat and ROS use."""

NAMED_SCHEMES = ("model", "package")
"""Schemes of uris that begin with the name of a model or a package."""

ROOT_MARKS = ("model.config", "package.xml")
"""Files that mark a folder as the root of a model or a package."""

INNER_FOLDERS = ("urdf", "sdf", "robots")
"""Names of folders for model files. Their parent folder is such a root too, with meshes in another folder of it."""


MAX_URI = 2000
"""Largest length of a uri [characters]. Operating systems accept no longer paths."""


class ResourceError(Exception):
    """A uri that leads to no file, or to one that may not be opened. The message says what to do."""

    def __init__(self, message: str):
        super().__init__(one_line(message))


class BarredError(ResourceError):
    """A uri that leads to a file outside of the folders that may be reached."""


class Resources:
    """Search for the uris of a file: beside it, in the model or package that contains it, and in a search path.

    No file outside of these folders is opened, whatever the uri.

    Attributes:
        used: files and folders that were found, in order.
    """

    def __init__(self, path: Path, search: Iterable[str | Path] = ()):
        """Set up the search.

        Args:
            path: the file that is read first.
            search: folders to search before those of the environment.
        """
        from_environment = [
            folder for name in ENVIRONMENT for folder in os.environ.get(name, "").split(os.pathsep) if folder
        ]
        self.search = [_real(folder) for folder in (*search, *from_environment)]
        self.used: dict[Path, None] = {}
        folder = _real(path).parent
        marked = [above for above in (folder, *folder.parents) if _is_root(above, folder)]
        self.root = marked[0] if marked else folder
        self.packages = marked or [folder]

    @property
    def reach(self) -> tuple[str, ...]:
        """The folders that may be entered."""
        return tuple(map(str, (self.root, *self.search)))

    def find(self, uri: str, folder: Path) -> Path:
        """Return the file or folder that `uri` means in a file that lies in `folder`.

        Raises:
            BarredError: if it lies outside of the folders that may be reached.
            ResourceError: if there is none, if it is neither a file nor a folder, or if the uri is invalid.
        """
        barred = False
        for base, rest in self._places(uri, _real(folder)):
            if not os.path.exists(base / rest):  # Path.exists raises if a name is too long
                continue
            found = _real(base / rest)
            if not (found.is_dir() or found.is_file()):  # reading from a pipe may block, and a device may never end
                raise ResourceError(f"'{uri}' is a pipe or a device; name a regular file")
            if any(found.is_relative_to(root) for root in (base, self.root, *self.search)):
                self.used[found] = None
                return found
            barred = True
        if barred:
            raise BarredError(
                f"'{uri}' leads out of '{self.root}' and is not opened; name its folder (Search In, --path)"
            )
        raise ResourceError(f"'{uri}' is not found; put it there, or name a folder to search (Search In, --path)")

    def _places(self, uri: str, folder: Path) -> list[tuple[Path, str]]:
        """Return (folder that may not be left, path in it) for each place that `uri` may mean.

        The own folder of a package may be entered by its name from beside it.

        Raises:
            ResourceError: if the uri is invalid.
        """
        scheme, rest = _split(uri)
        if scheme in ("", "file"):
            near = [(self.root, str(folder / rest)), *((root, rest) for root in self.search)]
            if scheme and os.path.isabs(rest):
                return near[:1]
            beside = [(root.parent / rest, "") for root in self.packages] if _is_name(rest) else []
            return near + beside  # a bare name may mean a model beside this one, as with model://
        name, _, inside = rest.partition("/")
        if name in ("", ".", "..") or ":" in name:
            raise ResourceError(f"'{uri}' names no {scheme}; write {scheme}://NAME/...")
        holders = [*self.search, folder, self.root, *(root.parent for root in self.packages)]
        own = [(root, inside) for root in self.packages if root.name == name]
        return own + [(holder / name, inside) for holder in holders]


def project_of(path: Path) -> Path:
    """Return the root folder of a file: the nearest package or model around it, or else its own folder."""
    return Resources(path).root


def _is_root(above: Path, folder: Path) -> bool:
    """Return whether `above` is the root of the model or package of a file in `folder`."""
    if above == folder.parent and folder.name.lower() in INNER_FOLDERS:
        return True
    return any((above / mark).is_file() for mark in ROOT_MARKS)


def _split(uri: str) -> tuple[str, str]:
    """Return the scheme of a uri, or "", and a path with slashes.

    Raises:
        ResourceError: if the uri cannot mean a file of this machine.
    """
    scheme, separator, rest = uri.strip().partition("://")
    scheme, rest = (scheme.lower(), unquote(rest)) if separator else ("", scheme)
    rest = rest.replace("\\", "/")
    if scheme == "file":
        rest = rest.removeprefix("localhost") if rest.startswith("localhost/") else rest
        rest = rest[1:] if rest[2:3] == ":" else rest  # /C:/...
    if scheme not in ("", "file", *NAMED_SCHEMES) or rest.startswith("//"):  # on Windows, //NAME is another machine
        raise ResourceError(f"'{uri}' is not on this machine; get it first, and name its folder (Search In, --path)")
    if not (scheme or rest) or "\0" in rest or not _is_encodable(rest):
        raise ResourceError(f"'{uri}' is no uri; name a file")
    if len(rest) > MAX_URI:
        raise ResourceError(f"'{uri}' is too long; give it at most {MAX_URI} characters")
    return scheme, rest


def _is_name(path: str) -> bool:
    return path not in ("", ".", "..") and "/" not in path and ":" not in path


def _is_encodable(path: str) -> bool:
    try:
        return bool(os.fsencode(path)) or not path
    except UnicodeEncodeError:
        return False


def _real(path: str | Path) -> Path:
    """Return the path without symbolic links. `Path.resolve` raises an error if they form a loop."""
    return Path(os.path.realpath(path))


@dataclass(frozen=True)
class FilesBeside:
    """The files that the file at `path` may name."""

    resources: Resources
    path: Path

    def find(self, uri: str) -> Path:
        """Return the file or folder that a uri in this file means.

        Raises:
            ResourceError: as `Resources.find`.
        """
        return self.resources.find(uri, self.path.parent)

    def of(self, path: Path) -> FilesBeside:
        """Return the files that another file may name, which this one has included."""
        self.resources.used[path] = None
        return FilesBeside(self.resources, path)
