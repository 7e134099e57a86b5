# SPDX-License-Identifier: GPL-3.0-or-later
"""The check that every file passes before it is opened."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .errors import MeshFileError


def checked_status(path: str | Path, most: int) -> os.stat_result:
    """Return the status of a regular file. Reading from a pipe could block, and a device might never end.

    Args:
        most: the largest size that is allowed [bytes].

    Raises:
        MeshFileError: if there is no such file, if it is not a regular file, or if it is too large.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        raise MeshFileError("it cannot be read; check the file") from error
    if not stat.S_ISREG(found.st_mode):
        raise MeshFileError("it is a folder, a pipe or a device; name a file")
    if found.st_size > most:
        raise MeshFileError(f"it has more than {most >> 20} MB; reduce it")
    return found
