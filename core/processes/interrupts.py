# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C and SIGTERM: they end the process immediately if no data can be lost, and else raise KeyboardInterrupt.

While Blender starts and while it opens a file, it calls Python from C++, which crashes at an exception or drops it. So
no exception is raised then.
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

from ..answer import INTERRUPTED, STOPPED

CALLED_BY_LLVM = {"_raw_object_cache_notify", "_raw_object_cache_getbuffer"}
"""Functions of llvmlite that LLVM calls while numba compiles. If one raises an exception, the kernel is not compiled.
"""

SOON = 0.05
"""Time after which the handler checks whether a KeyboardInterrupt was handled, or was dropped by C code [s]."""

_ends_at_once = True
"""Whether Ctrl-C ends the process immediately."""
_is_due = False
"""Whether a KeyboardInterrupt was raised and the block that it must end is still running."""
_is_asked = False
"""Whether the next signal comes from the timer, which checks that KeyboardInterrupt, and not from the keyboard."""
_timer: threading.Timer | None = None
"""The timer that checks the last KeyboardInterrupt; None if none is under way."""
_told_to = 2
"""Copy of the file descriptor of stderr, which stays open while Blender is kept quiet."""

_answers_to = 1
"""Copy of the file descriptor of stdout, which Blender's output does not reach while it is kept quiet."""
_answer = b""
"""Line for stdout if Ctrl-C ends the process at once."""
_is_ending = False
"""Whether the next Ctrl-C is ignored, since the process is printing its result."""


def heed(answer: str = "") -> None:
    """Handle Ctrl-C and SIGTERM from now on. A process that was started with Ctrl-C ignored continues to ignore it.

    Args:
        answer: a line for stdout if the process ends immediately; empty for none.
    """
    global _told_to, _answers_to, _answer
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _told_to = os.dup(2)
        if answer:
            _answers_to, _answer = os.dup(1), f"{answer}\n".encode()
        signal.signal(signal.SIGINT, _stop)
        sys.unraisablehook = _tell_dropped
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:  # a cluster's scheduler sends it before it kills
            signal.signal(signal.SIGTERM, _stop)


@contextmanager
def ending_at_once(begins: bool = True) -> Iterator[None]:
    """Let Ctrl-C end the process immediately in the block, or raise KeyboardInterrupt if `begins` is False."""
    global _ends_at_once, _is_due
    before, _ends_at_once = _ends_at_once, begins
    try:
        yield
    finally:
        _ends_at_once = before
        if not begins:
            _is_due = False
            _end_timer()


def ending() -> None:
    """Let the process print its result and end, even if Ctrl-C comes now: stdout must not get a second answer.

    A second Ctrl-C ends the process immediately, since nobody may be reading the result.
    """
    global _is_ending
    _is_ending = bool(_answer)


def _stop(_signal: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, and raise it again until it is handled: C code may drop it, as NumPy's does."""
    global _is_due, _is_asked, _is_ending, _answer, _timer
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
    _timer = threading.Timer(SOON, _ask)
    _timer.daemon = True
    _timer.start()
    if not _is_called_by_llvm(frame) and not (is_asked and _is_on_its_way()):
        raise KeyboardInterrupt


def _write_answer() -> None:
    with suppress(OSError):  # stdout may be closed
        os.write(_answers_to, _answer)


def _end_timer() -> None:
    """Wait for the timer. If it came later, Python might be ending, and then its signal would kill the process."""
    global _timer
    ended, _timer = _timer, None
    if ended:
        ended.cancel()
        ended.join()


def _ask() -> None:
    global _is_asked
    if not _is_due:
        return
    _is_asked = True
    signal.raise_signal(signal.SIGINT)


def _is_on_its_way() -> bool:
    """Return whether the interrupted code is handling a KeyboardInterrupt, such as in a `finally` block."""
    error = sys.exc_info()[1]
    while error and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _tell_dropped(dropped: Any) -> None:
    """Report exceptions that cannot be caught, of finalizers and weak references. It is Python's hook for them."""
    if not issubclass(dropped.exc_type, KeyboardInterrupt):  # `_stop` raises it again
        sys.__unraisablehook__(dropped)


def _is_called_by_llvm(frame: FrameType | None) -> bool:
    while frame:
        if frame.f_code.co_name in CALLED_BY_LLVM:
            return True
        frame = frame.f_back
    return False
