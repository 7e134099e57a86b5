# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens regular files only. A pipe might keep silent, and a device might never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

NONBLOCK = getattr(os, "O_NONBLOCK", 0)
"""With it, opening a pipe does not wait for somebody to write to it. Windows has no such pipes."""


class NotRegularError(OSError):
    """The path leads to a folder, a pipe or a device."""


def open_regular(path: str | os.PathLike) -> BinaryIO:
    """Open a file to be read.

    What was opened is looked at, and not the path, which might lead elsewhere a moment later.

    Raises:
        NotRegularError: it is a folder, a pipe or a device.
        OSError: it cannot be opened.
    """
    if os.path.isdir(path):
        raise NotRegularError(errno.EISDIR, "this is a folder; name a file in it", os.fspath(path))
    file = os.fdopen(os.open(path, os.O_RDONLY | NONBLOCK | getattr(os, "O_BINARY", 0)), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        why = "this is a pipe or a device; save what comes out of it, and name that file"
        raise NotRegularError(errno.EINVAL, why, os.fspath(path))
    return file


def read_regular(path: str | os.PathLike, max_size: int | None = None) -> bytes:
    """Return the content of a file.

    max_size: largest content that is accepted [bytes]; a longer file is not read.

    Raises:
        NotRegularError, OSError: as `open_regular` does; also if the file is too large.
    """
    with open_regular(path) as file:
        if max_size is not None and os.fstat(file.fileno()).st_size > max_size:
            raise OSError(errno.EFBIG, f"this file has more than {max_size} bytes", os.fspath(path))
        return file.read()


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Return all of a text file. Raises as `open_regular` does, and UnicodeDecodeError."""
    return read_regular(path).decode(encoding)
