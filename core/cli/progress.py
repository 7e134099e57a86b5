# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of a command: on a terminal one line of stderr that is overwritten, in a log a line at intervals."""

from __future__ import annotations

import math
import shutil
import sys
import time

from .result import say

CLEAR_LINE = "\r\033[K"
"""Codes that clear the present line of a terminal."""

INTERVAL = 5.0
"""Time between two lines of progress in a log [s]."""


class ProgressLine:
    """A line on stderr that shows what a command is doing.

    The line is cleared at the end of a `with` block.

    Attributes:
        is_shown: whether stderr is a terminal.
    """

    def __init__(self, interval: float = math.inf):
        """Show nothing yet.

        interval: time between two lines if stderr is not a terminal [s]; infinity for no line.
        """
        self.is_shown = sys.stderr.isatty()
        self._shown, self._interval, self._written = "", interval, time.monotonic()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_error: object) -> None:
        self.clear()

    def show(self, text: str) -> None:
        """Show a text in place of the present one, without the part that does not fit into the terminal's width.

        A terminal could not clear a line that continues in the next one. If stderr is not a terminal, the text is
        written as a line of its own, unless the last one was written less than an interval ago.
        """
        if not self.is_shown:
            now = time.monotonic()
            if now - self._written >= self._interval:
                self._written = now
                say(text)
            return
        text = text[: shutil.get_terminal_size().columns - 1]
        if text != self._shown:
            self._shown = text
            print(f"{CLEAR_LINE}{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clear the line, so that another text can be written in its place."""
        if self.is_shown and self._shown:
            self._shown = ""
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)


def progress_text(done: int, total: int, unit: str, seconds: float) -> str:
    """Return the progress in words: "3 of 12 jobs, 40 s left". seconds: the time that it has taken so far."""
    text = f"{done} of {total} {unit}"
    if not done:
        return text
    left = seconds * (total / done - 1.0)
    if left < 90.0:
        return f"{text}, {left:.0f} s left"
    return f"{text}, {left / 60.0:.0f} min left" if left < 5400.0 else f"{text}, {left / 3600.0:.1f} h left"
