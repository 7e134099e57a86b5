"""Names under which files are written until they are whole: they tell whose they are, and so what a dead process left.

A name is .NAME.lj-HOST-PID, and may go on. Nothing else is ever taken for ours.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
from functools import cache
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
    return False


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
