# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command tells while a simulation runs, and the time after which it ends the simulation."""

from __future__ import annotations

import argparse
import math
import time
from types import TracebackType
from typing import Self

from .progress import ProgressLine
from .result import say

INTERVAL = 5.0
"""Time between two lines of progress where stderr is not a terminal [s]."""
TOLD_AFTER = 1.0
"""Time that a simulation takes without a word [s]: most are done by then."""


class TimeLimitError(Exception):
    """The error of a simulation that takes longer than --time-limit. The text is one sentence for the user."""


class RunWatch:
    """The progress of a simulation on stderr, and its time limit. The line of progress is cleared with the block.

    On a terminal, the progress is one line that is overwritten. Elsewhere nothing is written unless --progress asks for
    it, and then a line every INTERVAL.
    """

    def __init__(self, total: int, arguments: argparse.Namespace):
        """Start the clock.

        Args:
            total: the number of frames.
            arguments: those that `add_watch_arguments` adds.
        """
        self._total, self._limit = total, math.inf if arguments.time_limit is None else arguments.time_limit
        self._line, self._is_asked = ProgressLine(), arguments.progress
        self._begun = self._said = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._line.clear()

    def note(self, done: int) -> None:
        """Show how many frames are done, and how much time the others will take.

        Raises:
            TimeLimitError: if the time is over.
        """
        now = time.monotonic()
        spent = now - self._begun
        if spent > self._limit and done < self._total:
            raise TimeLimitError(
                f"took longer than --time-limit {self._limit:g} s: {done} of {self._total} frames are done; allow more "
                "time, or a lower accuracy"
            )
        if not self._is_due(now):
            return
        self._said = now
        left = f", {_in_words(spent * (self._total / done - 1.0))} left" if done else ""
        text = f"frame {done} of {self._total}{left}"
        self._line.show(text) if self._line.is_shown else say(text)

    def _is_due(self, now: float) -> bool:
        if self._line.is_shown:
            return now - self._begun > TOLD_AFTER
        return self._is_asked and now - self._said >= INTERVAL


def _in_words(seconds: float) -> str:
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"


def add_watch_arguments(parser: argparse.ArgumentParser, number: argparse._ActionType) -> None:
    """Add --time-limit and --progress. number: what makes a number above 0 of a word."""
    parser.add_argument(
        "--time-limit",
        metavar="S",
        type=number,
        help="end the simulation if it takes longer than this, with exit code 3 and what is done by then",
    )
    parser.add_argument(
        "--progress",
        action="store_true",
        help=f"tell every {INTERVAL:g} s how far it is, also where stderr is not a terminal",
    )
