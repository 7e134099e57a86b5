# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts Blender windows that share tests, and follows their results."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from support.plan import Plan

TIME_LIMIT = 3000
"""Time that one Blender may take for all its tests [s]."""

POLL = 0.2
"""Time between two looks at the results of the windows [s]."""

LINES_OF_LOG = 25
"""Number of lines that a report cites from the end of a log."""

OWN_NETWORK = ("unshare", "--net")
"""Each X server gets its own network namespace. `xvfb-run -a` looks for a free display number in /tmp, which is private
to each window, so two windows choose the same number, and the abstract socket of that number exists once per namespace.
"""


class Window:
    """A Blender window with its log and its results.

    Attributes:
        name: tells its files apart from those of other windows.
        label: stands behind the names of its tests in reports, such as " (LIMBERJACK_KERNELS=numba)".
        tests: the names of all tests that it shares, or None before it has collected them.
        running: the name of the test that it has started and not finished, or "".
    """

    def __init__(self, name: str, folder: Path, label: str = ""):
        self.name, self.label = name, label
        self.log, self._results = folder / f"blender_{name}.log", folder / f"results_{name}.jsonl"
        self.tests: list[str] | None = None
        self.running = ""
        self._child: subprocess.Popen | None = None
        self._read, self._rest = 0, ""

    def start(self, command: list[str | Path], plan: Plan, claims: str, environment: str = "") -> None:
        """Start Blender.

        Args:
            command: runs Blender and the session in it.
            claims: name of the folder of claims; windows with the same one share tests.
            environment: variables that Blender gets besides, as the shell writes them.
        """
        order = json.dumps({"window": self.name, "claims": claims} | dataclasses.asdict(plan))
        self._results.touch()
        with self.log.open("w") as log:
            variables = os.environ | {"GUI_TIMEOUT": str(TIME_LIMIT), "GUI_ENV": environment}
            whole = [*OWN_NETWORK, *command, "--", order]
            self._child = subprocess.Popen(whole, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=variables)

    def entries(self) -> Iterator[dict]:
        """Yield the results that are new: of tests that have passed or failed, or are postponed."""
        with self._results.open() as stream:
            stream.seek(self._read)
            text = stream.read()
            self._read = stream.tell()
        *lines, self._rest = (self._rest + text).split("\n")
        for entry in map(json.loads, lines):
            if "tests" in entry:
                self.tests = entry["tests"]
            elif "started" in entry:
                self.running = entry["started"]
            else:
                self.running = ""
                yield entry | {"label": self.label}

    @property
    def is_alive(self) -> bool:
        return self._child is not None and self._child.poll() is None

    @property
    def code(self) -> int | None:
        """Exit code of Blender, None while it runs."""
        return self._child.poll() if self._child else None

    def end(self) -> None:
        if self._child and self.is_alive:
            self._child.terminate()
            self._child.wait()


def follow(windows: Iterable[Window], report: Callable[[dict], None]) -> None:
    """Report the results of windows that share tests until all windows have ended.

    A test whose window ended before it, and one that no window has run, are reported as failures.
    """
    windows = list(windows)
    done: set[str] = set()
    try:
        alive = True
        while alive:
            alive = any(window.is_alive for window in windows)
            for window in windows:
                for entry in window.entries():
                    done.add(entry["name"])
                    report(entry)
            time.sleep(POLL)
    finally:
        for window in windows:
            window.end()
    for window in windows:
        if window.code or window.tests is None:
            name = window.running or f"Blender {window.name} itself"
            done.add(name)
            text = f"Blender ended with code {window.code}; its last lines:\n{last_lines(window.log)}"
            report({"name": name, "seconds": 0.0, "failure": text, "label": window.label})
    shared = next((window.tests for window in windows if window.tests is not None), [])
    for name in (name for name in shared if name not in done):
        text = "not run, every Blender had ended"
        report({"name": name, "seconds": 0.0, "failure": text, "label": windows[0].label})


def last_lines(log: Path, count: int = LINES_OF_LOG) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-count:])
