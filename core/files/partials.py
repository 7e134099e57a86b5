# SPDX-License-Identifier: GPL-3.0-or-later
"""Names under which files are written until they are complete.

They tell which process writes a file, and so which files a dead process has left. A name is .NAME.lj-HOST-PID, and may
continue. Files with other names are never treated as unfinished.
"""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import stat
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

MOST_ADDED = 52
"""Largest number of characters that are added to a name, if a file that is being written is itself written in this way.
"""

_PATTERN = re.compile(r"\.(?P<name>.+?)\.lj-(?P<host>[0-9a-f]{8})-(?P<pid>[0-9]{1,9})(?:[.-].*)?")


class Partial(NamedTuple):
    """The parts of the name of an unfinished file or folder.

    Attributes:
        name: of the finished file, without a leading dot.
        host: digest of the name of the machine.
        pid: number of the process that writes it.
    """

    name: str
    host: str
    pid: int

    @property
    def is_left(self) -> bool:
        """Whether a process of this machine was writing it that has ended."""
        return self.host == _host() and self.pid != os.getpid() and _is_gone(self.pid)


def partial_name(name: str) -> str:
    """Return the name under which this process writes a file until it is complete."""
    return f".{name.removeprefix('.')}.lj-{_host()}-{os.getpid()}"


def parse_partial(name: str) -> Partial | None:
    """Return the parts of such a name, or None for any other name."""
    found = _PATTERN.fullmatch(name)
    return Partial(found["name"], found["host"], int(found["pid"])) if found else None


def move_into_place(finished: Mapping[Path, Path]) -> None:
    """Rename finished files to their final paths, in their order.

    Args:
        finished: the present path of each file, by its final path.

    Raises:
        OSError: if a file cannot be renamed. The error names its final path.
    """
    for target in finished:
        _require_replaceable(target)
    for target, partial in finished.items():
        try:
            os.replace(partial, target)
        except OSError as error:
            raise OSError(error.errno, error.strerror or str(error), str(target)) from error


def _require_replaceable(target: Path) -> None:
    """Check that a file does not belong to another user in a folder such as /tmp.

    It is called for all files before the first one is moved, so that none is replaced if one cannot be.

    Raises:
        PermissionError: if the file belongs to another user.
    """
    if sys.platform == "win32" or not os.path.lexists(target):
        return
    folder, user = os.stat(target.parent), os.geteuid()
    if folder.st_mode & stat.S_ISVTX and user not in (0, folder.st_uid, os.lstat(target).st_uid):
        reason = "belongs to another user, and nobody else can replace it in this folder; name another file"
        raise PermissionError(errno.EPERM, reason, str(target))


@cache
def _host() -> str:
    return hashlib.sha256(platform.node().encode(errors="replace")).hexdigest()[:8]


def _is_gone(pid: int) -> bool:
    if sys.platform == "win32":
        return not _runs_on_windows(pid)
    try:
        os.kill(pid, 0)  # signal 0 only checks that the process exists
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Return whether a process has ended and its parent has not fetched its exit code yet; False without /proc."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(") ")[2].startswith("Z")


def _runs_on_windows(pid: int) -> bool:
    import ctypes

    may_wait, still_runs = 0x00100000, 0x102
    kernel = ctypes.windll.kernel32  # pyright: ignore[reportAttributeAccessIssue] - exists on Windows only
    handle = kernel.OpenProcess(may_wait, False, pid)
    if not handle:
        return False
    try:
        return kernel.WaitForSingleObject(handle, 0) == still_runs
    finally:
        kernel.CloseHandle(handle)
