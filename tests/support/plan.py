# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tests a Blender window runs, in which order, and how windows share them. Imports no bpy."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from .groups import group_of

Test = TypeVar("Test", bound=Callable)

WITHOUT_SOLVER = ("test_exchange", "test_handles", "test_panels", "test_rigging")
"""Files whose tests simulate nothing. They come first: without a library, the solver is compiled meanwhile."""

LAST = "test_removal"
"""The file that removes the extension. The window that runs it runs nothing afterwards."""


def walk(test: Test) -> Test:
    """Mark a test as the complete walk of a capability. Runs of every group include it."""
    test.is_walk = True
    return test


@dataclass(frozen=True)
class Plan:
    """The tests of one run.

    Attributes:
        words: parts of the names of the tests that are wanted; all are, if there is none. "-NAME" leaves one out.
        group: the group that is run beside the walks, or None for all groups.
        deadline: time after which only walks start [s since 1970].
    """

    words: Collection[str] = ()
    group: int | None = None
    deadline: float = float("inf")

    def includes(self, name: str, is_walk: bool) -> bool:
        """Whether the test `name`, such as "test_bake.test_undo_after_clear_bake", belongs to this run."""
        wanted = [word for word in self.words if not word.startswith("-")]
        if f"-{name}" in self.words or (wanted and not any(word in name for word in wanted)):
            return False
        return self.group is None or is_walk or group_of(name) == self.group

    def is_postponed(self, is_walk: bool) -> bool:
        """Whether a test that would start now is too late."""
        return not is_walk and time.time() > self.deadline


def order(name: str, is_walk: bool) -> tuple:
    """Return the sort key of a test: walks come first, since a budget leaves out what comes late."""
    file = name.split(".")[0]
    return file == LAST, not is_walk, file not in WITHOUT_SOLVER, name


class Claims:
    """Shares tests among windows: a window that claims a test before the others runs it."""

    def __init__(self, folder: Path):
        self._folder = folder

    def claim(self, name: str) -> bool:
        """Return whether this window is the first that claims the test. The file system makes this atomic."""
        self._folder.mkdir(exist_ok=True)
        try:
            (self._folder / name).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True
