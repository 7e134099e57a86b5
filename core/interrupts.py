"""Ctrl-C: the process ends at once while there is nothing to lose, and is left to tidy up where there is.

Blender, as it starts and while it opens a file, calls Python from C++, which crashes over an exception or drops it. So
there is none then.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

INTERRUPTED = 130
"""The exit code, as of any command that the keyboard ends."""

STOPPED = "limberjack: stopped"

CALLED_BY_LLVM = {"_raw_object_cache_notify", "_raw_object_cache_getbuffer"}
"""llvmlite's functions that LLVM calls while numba compiles: if one raises, there is no kernel, which is an error."""

SOON = 0.05
"""Seconds after which Ctrl-C is tried again where an exception would have been dropped."""

_ends_at_once = True
_told_to = 2
"""A copy of stderr, which is Blender's own while it is kept quiet."""


def heed() -> None:
    """From now on, for this process; one that was started with Ctrl-C ignored goes on ignoring it."""
    global _told_to
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _told_to = os.dup(2)
        signal.signal(signal.SIGINT, _stop)
        sys.unraisablehook = _try_again


@contextmanager
def ending_at_once(begins: bool = True) -> Iterator[None]:
    """Meanwhile there is nothing to lose; or there is, with False."""
    global _ends_at_once
    before, _ends_at_once = _ends_at_once, begins
    try:
        yield
    finally:
        _ends_at_once = before


def _stop(_signal: int, frame: FrameType | None) -> None:
    if _ends_at_once:
        os.write(_told_to, f"{STOPPED}\n".encode())
        os._exit(INTERRUPTED)
    if _is_called_by_llvm(frame):
        _come_again()
        return
    raise KeyboardInterrupt


def _try_again(dropped: Any) -> None:
    """Python's hook for exceptions that nobody can catch: those of finalizers and of callbacks of weak references."""
    if issubclass(dropped.exc_type, KeyboardInterrupt):
        _come_again()
    else:
        sys.__unraisablehook__(dropped)


def _come_again() -> None:
    threading.Timer(SOON, signal.raise_signal, [signal.SIGINT]).start()


def _is_called_by_llvm(frame: FrameType | None) -> bool:
    while frame:
        if frame.f_code.co_name in CALLED_BY_LLVM:
            return True
        frame = frame.f_back
    return False
