# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress and time limit of a simulation that a command runs."""

from __future__ import annotations

import argparse
import math
import time

from .progress import INTERVAL, ProgressLine, progress_text

QUIET_TIME = 1.0
"""Time after which progress is shown [s]. Most simulations take less."""


class TimeLimitError(Exception):
    """The error of a simulation that takes longer than --time-limit. The text is one sentence for the user."""


class RunWatch:
    """The progress of a simulation on stderr, and its time limit.

    A log gets lines of progress only with --progress. The line of a terminal is cleared at the end of a `with` block.
    """

    def __init__(self, total: int, arguments: argparse.Namespace):
        """Start the clock.

        Args:
            total: the number of frames.
            arguments: the parsed arguments, with those of `add_watch_arguments`.
        """
        self._total, self._limit = total, math.inf if arguments.time_limit is None else arguments.time_limit
        self._line, self._begun = ProgressLine(INTERVAL if arguments.progress else math.inf), time.monotonic()

    def __enter__(self) -> RunWatch:
        return self

    def __exit__(self, *_error: object) -> None:
        self._line.clear()

    def note(self, done: int) -> None:
        """Show how many frames are done, and how much time the others will take.

        Raises:
            TimeLimitError: if the time limit is exceeded and frames are missing.
        """
        seconds = time.monotonic() - self._begun
        if seconds > self._limit and done < self._total:
            raise TimeLimitError(
                f"took longer than --time-limit {self._limit:g} s: {done} of {self._total} frames are done; allow more "
                "time, or a lower accuracy"
            )
        if seconds > QUIET_TIME:
            self._line.show(progress_text(done, self._total, "frames", seconds))


def add_watch_arguments(parser: argparse.ArgumentParser, number: argparse._ActionType) -> None:
    """Add --time-limit and --progress.

    number: function that converts a word to a number above 0.
    """
    parser.add_argument(
        "--time-limit",
        metavar="S",
        type=number,
        help="end the simulation with exit code 3 if it takes longer than this; the finished frames are kept",
    )
    parser.add_argument(
        "--progress",
        action="store_true",
        help=f"show the progress every {INTERVAL:g} s even if stderr is not a terminal",
    )
