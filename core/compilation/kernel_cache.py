# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder in which numba keeps compiled kernels. Each version of the sources has its own.

The folder is used only if no other user can have written to it (folder_trust.py). Otherwise each process compiles for
itself.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from ..files.folder_trust import make_private, why_untrusted
from .kernel_sources import sources

CORE_FOLDER = Path(__file__).parents[1]

_root: Path | None = None
_filled: set[str] = set()


def set_cache_root(folder: Path) -> None:
    """Keep compiled kernels below `folder` instead of the user's cache folder.

    It must be called before the first kernel runs.
    """
    global _root
    _root = folder


def cache_folder() -> Path:
    """Return the folder in which this version of the sources keeps its compiled kernels.

    numba notices neither edits of imported files nor that a package has another name inside Blender, so both are part
    of the folder's name; so are its version and the place of the sources, by which it identifies what it has.

    Symbolic links are resolved: the folder that is checked is then the one that is used, wherever a link leads later.
    """
    return Path(os.path.realpath((_root or _user_cache_folder()) / _fingerprint()))


def is_writable() -> bool:
    """Return whether kernels may be read from the folder and kept there. The folder is made if it is missing."""
    folder = cache_folder()
    if not _is_trusted(folder):
        return False
    try:
        make_private(folder)
    except OSError:
        return False
    # The second check is for a folder that another user has made meanwhile in a shared parent such as /tmp.
    return _is_trusted(folder) and os.access(folder, os.W_OK)


def _is_trusted(folder: Path) -> bool:
    """Return whether no other user can have written to the folder. If one can, log a warning once in this process."""
    reason = _why_untrusted(folder, os.path.isdir(folder))
    if reason:
        _tell(folder.parent, reason)
    return not reason


@functools.cache
def _why_untrusted(folder: Path, _exists: bool) -> str:
    return why_untrusted(folder)


@functools.cache
def _tell(folder: Path, reason: str) -> None:
    import logging  # takes milliseconds of Blender's start and is seldom needed

    logging.getLogger("limberjack").warning(
        "%s: no compiled kernels are read or kept here, because %s; let LIMBERJACK_CACHE name a folder that only you "
        "can write to",
        folder,
        reason,
    )


def has_kernels() -> bool:
    """Return whether there are any kernels, of this version or of others."""
    return bool(_all_caches())


def cache_size() -> int:
    """Return the size of all versions' kernels [bytes]."""
    return sum(path.stat().st_size for folder in _all_caches() for path in folder.rglob("*") if path.is_file())


def clear_cache() -> None:
    """Remove all versions' kernels. Kernels that run in this process stay.

    Raises:
        OSError: if a folder cannot be removed.
    """
    from shutil import rmtree  # slow to import, because of its archive formats

    _filled.clear()
    for folder in _all_caches():
        rmtree(folder)


def remove_older_kernels() -> None:
    """Remove kernels of other versions of the sources that belong to this version of Python.

    Another version of Python that shares the folder keeps its own.
    """
    from shutil import rmtree

    if not _is_trusted(cache_folder()):
        return
    mark = f".py{sys.version_info.major}{sys.version_info.minor}."
    for folder in _all_caches():
        kernels = list(folder.glob("*/*.nbi"))
        if folder != cache_folder() and kernels and all(mark in path.name for path in kernels):
            rmtree(folder, ignore_errors=True)  # on Windows, files that another process reads stay


def _all_caches() -> list[Path]:
    """Return `cache_folder()` and the folders of other versions beside it. Their names identify them."""
    return [path for path in cache_folder().parent.glob("*") if re.fullmatch(r"[0-9a-f]{16}", path.name)]


@contextmanager
def filling(what: str) -> Iterator[None]:
    """Record that the block compiles all kernels that `what` stands for, in this process and into the cache."""
    _filled.add(what)
    yield
    with suppress(OSError):  # without a folder to write to, each process compiles for itself
        if is_writable():
            (cache_folder() / what).touch()


def is_filled(what: str) -> bool:
    """Return whether all kernels that `what` stands for are compiled."""
    folder = cache_folder()
    if what not in _filled and os.path.exists(folder / what) and _is_trusted(folder):
        _filled.add(what)
    return what in _filled


@functools.cache
def _fingerprint() -> str:
    digest = hashlib.sha256(f"{__package__} {CORE_FOLDER} {sys.version_info[:2]} {numba_version()}".encode())
    for path, text in sources(CORE_FOLDER).items():
        digest.update(path.encode() + text)
    return digest.hexdigest()[:16]


def numba_version() -> str:
    """Return the version of numba, or "" if it is not installed."""
    from importlib.metadata import version  # slow to import, and not needed to enable the add-on

    return version("numba") if find_spec("numba") else ""


def _user_cache_folder() -> Path:
    if given := os.environ.get("LIMBERJACK_CACHE"):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "limberjack" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "limberjack"
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".cache") / "limberjack"
