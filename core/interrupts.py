# SPDX-License-Identifier: GPL-3.0-or-later
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
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from .answer import INTERRUPTED, STOPPED

CALLED_BY_LLVM = {"_raw_object_cache_notify", "_raw_object_cache_getbuffer"}
"""llvmlite's functions that LLVM calls while numba compiles: if one raises, there is no kernel, which is an error."""

SOON = 0.05
"""Time after which the handler checks whether a KeyboardInterrupt was handled, or was dropped by code in C [s]."""

_ends_at_once = True
_is_due = False
"""Whether a KeyboardInterrupt was raised and the block that it is to end still runs."""
_is_asked = False
"""Whether the next signal comes from the timer, which checks on that KeyboardInterrupt, and not from the keyboard."""
_told_to = 2
"""A copy of stderr, which is Blender's own while it is kept quiet."""

_answers_to = 1
"""Copy of stdout, which Blender's output does not reach while it is kept quiet."""
_answer = b""
"""Line for stdout if Ctrl-C ends the process at once."""
_is_ending = False


def heed(answer: str = "") -> None:
    """Handle Ctrl-C from now on; a process that was started with Ctrl-C ignored goes on ignoring it.

    Args:
        answer: a line for stdout if Ctrl-C ends the process at once; empty for none.
    """
    global _told_to, _answers_to, _answer
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _told_to = os.dup(2)
        if answer:
            _answers_to, _answer = os.dup(1), f"{answer}\n".encode()
        signal.signal(signal.SIGINT, _stop)
        sys.unraisablehook = _tell_dropped


@contextmanager
def ending_at_once(begins: bool = True) -> Iterator[None]:
    """Meanwhile there is nothing to lose; or there is, with False."""
    global _ends_at_once, _is_due
    before, _ends_at_once = _ends_at_once, begins
    try:
        yield
    finally:
        _ends_at_once = before
        if not begins:
            _is_due = False


def ending() -> None:
    """Let the process print its result and end, also if Ctrl-C comes now: stdout must not get a second answer.

    A second Ctrl-C ends the process at once, since nobody may be reading the result.
    """
    global _is_ending
    _is_ending = bool(_answer)


def _stop(_signal: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, and raise it again until it is handled: code in C may drop it, as NumPy's does."""
    global _is_due, _is_asked, _is_ending, _answer
    is_asked, _is_asked = _is_asked, False
    if is_asked and not _is_due:
        return
    if _is_ending:
        _is_ending, _answer = False, b""
        return
    if _ends_at_once:
        _write_answer()
        os.write(_told_to, f"{STOPPED}\n".encode())
        os._exit(INTERRUPTED)
    _is_due = True
    timer = threading.Timer(SOON, _ask)
    timer.daemon = True
    timer.start()
    if not _is_called_by_llvm(frame) and not (is_asked and _is_on_its_way()):
        raise KeyboardInterrupt


def _write_answer() -> None:
    with suppress(OSError):  # nobody reads it any more
        os.write(_answers_to, _answer)


def _ask() -> None:
    global _is_asked
    _is_asked = True
    signal.raise_signal(signal.SIGINT)


def _is_on_its_way() -> bool:
    """Return whether the interrupted code handles a KeyboardInterrupt at the moment, such as in a `finally` block."""
    error = sys.exc_info()[1]
    while error and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _tell_dropped(dropped: Any) -> None:
    """Python's hook for exceptions that nobody can catch: those of finalizers and of callbacks of weak references."""
    if not issubclass(dropped.exc_type, KeyboardInterrupt):  # which comes again
        sys.__unraisablehook__(dropped)


def _is_called_by_llvm(frame: FrameType | None) -> bool:
    while frame:
        if frame.f_code.co_name in CALLED_BY_LLVM:
            return True
        frame = frame.f_back
    return False
