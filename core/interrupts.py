"""Ctrl-C: the process ends at once while there is nothing to lose, and is left to tidy up where there is.

Blender, as it starts and while it opens a file, calls Python from C++, which crashes over an exception or drops it. So
there is none then.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""The exit code, as of any command that the keyboard ends."""

STOPPED = "limberjack: stopped"

_ends_at_once = True
_told_to = 2
"""A copy of stderr, which is Blender's own while it is kept quiet."""


def heed() -> None:
    """From now on, for this process; one that was started with Ctrl-C ignored goes on ignoring it."""
    global _told_to
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _told_to = os.dup(2)
        signal.signal(signal.SIGINT, _stop)


@contextmanager
def ending_at_once(begins: bool = True) -> Iterator[None]:
    """Meanwhile there is nothing to lose; or there is, with False."""
    global _ends_at_once
    before, _ends_at_once = _ends_at_once, begins
    try:
        yield
    finally:
        _ends_at_once = before


def _stop(_signal: int, _frame: FrameType | None) -> None:
    if _ends_at_once:
        os.write(_told_to, f"{STOPPED}\n".encode())
        os._exit(INTERRUPTED)
    raise KeyboardInterrupt
