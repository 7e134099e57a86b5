# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that open regular files only. Reading from a pipe may block, and a device may never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

NONBLOCK = getattr(os, "O_NONBLOCK", 0)
"""Flag with which opening a pipe does not wait for a writer. Windows has no such pipes."""


class NotRegularError(OSError):
    """A path of a folder, a pipe or a device."""


def open_regular(path: str | os.PathLike) -> BinaryIO:
    """Open a file for reading.

    The check examines the opened file and not the path, which may lead to another file a moment later.

    Raises:
        NotRegularError: if the path is that of a folder, a pipe or a device.
        OSError: if the file cannot be opened.
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
        NotRegularError: as `open_regular`.
        OSError: as `open_regular`, or if the file is larger than `max_size`.
    """
    with open_regular(path) as file:
        if max_size is not None and os.fstat(file.fileno()).st_size > max_size:
            raise OSError(errno.EFBIG, f"this file has more than {max_size} bytes", os.fspath(path))
        return file.read()


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the content of a text file.

    Raises:
        NotRegularError, OSError: as `open_regular`.
        UnicodeDecodeError: if the file has another encoding.
    """
    return read_regular(path).decode(encoding)
