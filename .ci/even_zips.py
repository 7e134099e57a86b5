# SPDX-License-Identifier: GPL-3.0-or-later
"""Zip files whose bytes follow from their content alone: not from the day, the machine, its umask or its folders."""

from __future__ import annotations

import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

FILE_MODE = 0o100644
"""Kind and permissions of every file in a zip: a regular one, that its owner may write and everyone may read."""

UNIX = 3
"""Number of the system that a zip says it was made on; others store no permissions."""


def write_zip(path: Path, contents: Mapping[str, bytes], seconds: int) -> None:
    """Write a zip with files in the given order.

    Args:
        contents: bytes of each file, by its name in the zip.
        seconds: the time that all files get [s, since 1970].
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as stream:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, UNIX, FILE_MODE << 16
            stream.writestr(entry, content, compresslevel=9)


def even_out(path: Path, seconds: int) -> None:
    """Write a zip again, with its files in the order of their names. Entries of folders are left out.

    In a wheel, the files that describe it come last, as its specification recommends.
    """
    with zipfile.ZipFile(path) as given:
        names = sorted(given.namelist(), key=lambda name: (".dist-info/" in name, name))
        contents = {name: given.read(name) for name in names if not name.endswith("/")}
    write_zip(path, contents, seconds)
