# SPDX-License-Identifier: GPL-3.0-or-later
"""Names under which files are written until they are whole: they tell whose they are, and so what a dead process left.

A name is .NAME.lj-HOST-PID, and may go on. Nothing else is ever taken for ours.
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
"""Characters by which a name grows, where one that is being written is written in this way again."""

_PATTERN = re.compile(r"\.(?P<name>.+?)\.lj-(?P<host>[0-9a-f]{8})-(?P<pid>[0-9]{1,9})(?:[.-].*)?")


class Partial(NamedTuple):
    """What the name of an unfinished file or folder tells. name: of the file that it was to become, without a dot."""

    name: str
    host: str
    pid: int

    @property
    def is_left(self) -> bool:
        """Whether a process of this machine was writing it that is no more."""
        return self.host == _host() and self.pid != os.getpid() and _is_gone(self.pid)


def partial_name(name: str) -> str:
    """Under which this process writes a file until it is whole."""
    return f".{name.removeprefix('.')}.lj-{_host()}-{os.getpid()}"


def parse_partial(name: str) -> Partial | None:
    """What such a name tells; None for any other."""
    found = _PATTERN.fullmatch(name)
    return Partial(found["name"], found["host"], int(found["pid"])) if found else None


def move_into_place(finished: Mapping[Path, Path]) -> None:
    """Give finished files their names, in their order.

    finished: what each file is called so far, by the path that it gets.

    Raises:
        OSError: a file cannot get its name. The error names the path that it would get.
    """
    for target in finished:
        _require_replaceable(target)
    for target, partial in finished.items():
        try:
            os.replace(partial, target)
        except OSError as error:
            raise OSError(error.errno, error.strerror or str(error), str(target)) from error


def _require_replaceable(target: Path) -> None:
    """Raise PermissionError if a file belongs to another user in a folder such as /tmp.

    It is called for all files before the first one is moved, so that none is replaced if one cannot be.
    """
    if sys.platform == "win32" or not os.path.lexists(target):
        return
    folder, user = os.stat(target.parent), os.geteuid()
    if folder.st_mode & stat.S_ISVTX and user not in (0, folder.st_uid, os.lstat(target).st_uid):
        told = "belongs to another user, and nobody else can replace it in this folder; name another file"
        raise PermissionError(errno.EPERM, told, str(target))


@cache
def _host() -> str:
    return hashlib.sha256(platform.node().encode(errors="replace")).hexdigest()[:8]


def _is_gone(pid: int) -> bool:
    if sys.platform == "win32":
        return not _runs_on_windows(pid)
    try:
        os.kill(pid, 0)  # asks, and does nothing
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Return whether a process has ended and its parent has not asked for its exit code yet; False without /proc."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(") ")[2].startswith("Z")


def _runs_on_windows(pid: int) -> bool:
    import ctypes

    may_wait, still_runs = 0x00100000, 0x102
    kernel = ctypes.windll.kernel32  # pyright: ignore[reportAttributeAccessIssue] - of Windows alone
    handle = kernel.OpenProcess(may_wait, False, pid)
    if not handle:
        return False
    try:
        return kernel.WaitForSingleObject(handle, 0) == still_runs
    finally:
        kernel.CloseHandle(handle)
