"""Where numba keeps what it has compiled: a folder for each version of the sources."""

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

from .kernel_sources import sources

CORE_FOLDER = Path(__file__).parent

_root: Path | None = None
_filled: set[str] = set()


def set_cache_root(folder: Path) -> None:
    """Keep compiled kernels below `folder` instead of the user's cache folder. Call it before the first kernel runs."""
    global _root
    _root = folder


def cache_folder() -> Path:
    """Where this version of the sources keeps its compiled kernels.

    numba does not notice edits in imported files, nor that a package answers to another name inside Blender, so both
    are part of the folder's name; and so are its version and the sources' place, by which it tells what it has.
    """
    return (_root or _user_cache_folder()) / _fingerprint()


def is_writable() -> bool:
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(cache_folder(), os.W_OK)


def has_kernels() -> bool:
    """Whether there are any, of this version or of others."""
    return bool(_all_caches())


def cache_size() -> int:
    """Of all versions' kernels [bytes]."""
    return sum(path.stat().st_size for folder in _all_caches() for path in folder.rglob("*") if path.is_file())


def clear_cache() -> None:
    """Remove all versions' kernels; what runs in this process stays. Raises OSError where one cannot be removed."""
    from shutil import rmtree  # slow to import, as the formats that it packs are

    _filled.clear()
    for folder in _all_caches():
        rmtree(folder)


def remove_older_kernels() -> None:
    """Of other versions of the sources, for this Python; another one, which shares the folder, keeps its own."""
    from shutil import rmtree

    mark = f".py{sys.version_info.major}{sys.version_info.minor}."
    for folder in _all_caches():
        kernels = list(folder.glob("*/*.nbi"))
        if folder != cache_folder() and kernels and all(mark in path.name for path in kernels):
            rmtree(folder, ignore_errors=True)  # on Windows, what another process reads stays until next time


def _all_caches() -> list[Path]:
    """Folders beside `cache_folder()`, and that, known by their names: what else lies there is not ours."""
    return [path for path in cache_folder().parent.glob("*") if re.fullmatch(r"[0-9a-f]{16}", path.name)]


@contextmanager
def filling(what: str) -> Iterator[None]:
    """All that `what` stands for is compiled meanwhile, in this process and into the cache."""
    _filled.add(what)
    yield
    with suppress(OSError):  # without a folder to write to, each process compiles for itself
        (cache_folder() / what).touch()


def is_filled(what: str) -> bool:
    """Whether all that `what` stands for need not be compiled any more."""
    if what not in _filled and (cache_folder() / what).exists():
        _filled.add(what)
    return what in _filled


@functools.cache
def _fingerprint() -> str:
    digest = hashlib.sha256(f"{__package__} {CORE_FOLDER} {sys.version_info[:2]} {numba_version()}".encode())
    for path, text in sources(CORE_FOLDER).items():
        digest.update(path.encode() + text)
    return digest.hexdigest()[:16]


def numba_version() -> str:
    """Empty where it is not installed."""
    from importlib.metadata import version  # slow to import, and enabling the add-on needs none of it

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
