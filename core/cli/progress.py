# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of a command on a terminal: one line of stderr that is overwritten."""

from __future__ import annotations

import shutil
import sys

CLEAR_LINE = "\r\033[K"
"""Codes that clear the present line of a terminal."""


class ProgressLine:
    """A line on stderr that shows what a command is doing. Nothing is written if stderr is not a terminal.

    The line is cleared at the end of a `with` block.

    Attributes:
        is_shown: whether stderr is a terminal.
    """

    def __init__(self):
        self.is_shown = sys.stderr.isatty()
        self._shown = ""

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_error: object) -> None:
        self.clear()

    def show(self, text: str) -> None:
        """Show a text in place of the present one, without the part that does not fit into the terminal's width.

        A terminal could not clear a line that continues in the next one.
        """
        text = text[: shutil.get_terminal_size().columns - 1]
        if self.is_shown and text != self._shown:
            self._shown = text
            print(f"{CLEAR_LINE}{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clear the line, so that another text can be written in its place."""
        if self.is_shown and self._shown:
            self._shown = ""
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)
