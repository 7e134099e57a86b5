# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of a library of kernels, and all checks before the library is opened.

Opening a library executes its code, so its content is compared with a digest in the table first. The table,
kernels.json, lies beside the library. It contains the sources of the library, and the arguments of each kernel with
their layout in memory. A digest of its own shows whether it was changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
from pathlib import Path
from typing import Any

from ..files.regular import read_regular
from .kernel_cache import CORE_FOLDER

TABLE = "kernels.json"
"""Name of the table's file."""

VERSION = 2
"""Version of the table's format and of how kernels are called."""

DIGEST = "table_sha256"
"""Name of the entry with the digest of all other entries."""

MAX_TABLE_SIZE = 4_000_000
"""Largest size of a table that is read [bytes], about a hundred times today's."""

MAX_LIBRARY_SIZE = 64_000_000
"""Largest size of a library that is read [bytes], about thirty times today's."""

LIBRARY_NAME = re.compile(r"(\.\./limberjack_kernels_[0-9a-f]{8}/)?kernels-\w+\.(so|dll|dylib)")
"""Pattern of the library's path, relative to its table: beside it, or in the folder that a wheel of kernels has for it.
"""

SOURCE_NAME = re.compile(r"(\w+/)*\w+\.py")
"""Pattern of the paths of kernel sources."""

SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}
MACHINES = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}


class MisfitError(Exception):
    """The error if a library cannot be used with these sources on this machine.

    The text is one sentence with the reason.
    """


def this_platform() -> str:
    """Return the name of this platform, as in Blender's manifests."""
    machine = platform.machine().lower()
    return f"{SYSTEMS.get(sys.platform, sys.platform)}-{MACHINES.get(machine, machine)}"


def sources_digest(files: list[str]) -> str:
    """Return a digest of files of core.

    Args:
        files: paths in core, with slashes.

    Raises:
        OSError: if a file cannot be read.
        ValueError: if a path may lead out of core.
    """
    digest = hashlib.sha256()
    for path in files:
        if not SOURCE_NAME.fullmatch(path):
            raise ValueError(f"'{path}' is no file of core")
        with open(os.path.join(CORE_FOLDER, path), "rb") as file:  # making a `Path` for each file would take longer
            digest.update(f"{path}\n".encode() + file.read())
    return digest.hexdigest()


def table_text(entries: dict[str, Any]) -> str:
    """Return the text of a table's file: the entries and their digest, which replaces an older one."""
    return json.dumps(entries | {DIGEST: _digest(entries)}, separators=(",", ":"))


def _digest(entries: dict[str, Any]) -> str:
    others = {name: value for name, value in entries.items() if name != DIGEST}
    return hashlib.sha256(json.dumps(others, separators=(",", ":"), sort_keys=True).encode()).hexdigest()


def read_table(folder: Path) -> dict[str, Any]:
    """Return the table of a folder, after checking that it is complete and fits these sources and this platform.

    Raises:
        MisfitError: if it cannot be read, was changed, or does not fit.
    """
    path = folder / TABLE
    try:
        table = json.loads(read_regular(path, MAX_TABLE_SIZE))
        version, made_for = table["version"], table["platform"]
        if (version, made_for) != (VERSION, this_platform()):
            raise MisfitError(
                f"{folder}: made for {made_for!r:.60}, version {version!r:.60}, and this is {this_platform()}, version "
                f"{VERSION}"
            )
        if table[DIGEST] != _digest(table):
            raise MisfitError(f"{path}: damaged, since it differs from its own digest")
        if sources_digest(table["sources"]) != table["sources_sha256"]:
            raise MisfitError(f"{folder}: made from other sources than these")
        if not LIBRARY_NAME.fullmatch(table["library"]):
            raise MisfitError(
                f"{path}: names '{table['library']}' as its library, which must lie beside it in a file kernels-…"
            )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise MisfitError(f"{path}: cannot be read ({_in_one_line(error)})") from error
    return table


def library_path(folder: Path, table: dict[str, Any]) -> Path:
    """Return the path of a table's library, without symbolic links, after checking its content.

    The library lies in the table's own folder, or in one beside it that a wheel has made for it (`LIBRARY_NAME`). A
    link to any other place is refused. Installers that link each file of a package place the table there, too.

    Raises:
        MisfitError: if it lies elsewhere, cannot be read, or has another content than the table states.
    """
    path = folder / table["library"]
    try:
        found, expected = path.resolve(strict=True), (folder / TABLE).resolve(strict=True).parent / table["library"]
        if found != expected.parent.resolve(strict=True) / expected.name:
            raise MisfitError(f"{path}: this link leads out of the package, to {found}")
        content = read_regular(found, MAX_LIBRARY_SIZE)
    except (OSError, RuntimeError) as error:  # RuntimeError: Python 3.11 and 3.12 raise it for a ring of links
        raise MisfitError(f"{path}: cannot be read ({_in_one_line(error)})") from error
    if hashlib.sha256(content).hexdigest() != table["library_sha256"]:
        raise MisfitError(f"{path}: damaged, or not the one that {TABLE} tells of")
    return found


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())
