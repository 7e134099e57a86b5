# SPDX-License-Identifier: GPL-3.0-or-later
"""A process, `limberjack worker`, that runs commands one after the other, and its error messages if it dies."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..processes import spawning

PACKAGE = __name__.rpartition(".core.")[0]
LAUNCH: list[str] = [sys.executable, "-m", PACKAGE]
"""Command line that starts the program in a process of its own. Blender replaces it."""

PATIENCE = 120.0
"""Longest time in which a worker must start [s]. Over a network file system it can take long."""


_SIGNALS = {known.value: known.name for known in signal.Signals}


class WorkerDiedError(Exception):
    """The error if the process ended before it answered. Its message is the reason, if known."""


class TookTooLongError(WorkerDiedError):
    """The error if the process was ended because its command took longer than permitted."""


@dataclass(frozen=True)
class Answer:
    """The result of a command.

    Attributes:
        code: exit code.
        out: text on stdout.
        err: text on stderr.
        seconds: duration [s].
        memory: largest amount of memory that the process has used [bytes], or None if unknown.
    """

    code: int
    out: str
    err: str
    seconds: float
    memory: int | None


class Worker:
    """A worker process. It is started with its first command, and again after it has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def ask(self, folder: Path, command: Sequence[str], limit: float) -> Answer:
        """Run a command in a folder and return its result.

        Args:
            folder: working folder.
            command: arguments of `limberjack`.
            limit: longest time that it may take [s].

        Raises:
            TookTooLongError: if it took longer than `limit`. WorkerDiedError: if the process ended. The next call
                starts another process.
        """
        process = self._process or self._started()
        begun = time.monotonic()
        with _killed_after(process, limit):
            found = self._exchanged(process, json.dumps({"folder": str(folder), "command": list(command)}))
        if found is None:
            if time.monotonic() - begun >= limit:
                self.close()
                raise TookTooLongError(f"it took longer than {limit:g} s, the limit of a job")
            raise WorkerDiedError(f"its worker died: {self._last_words()}")
        return Answer(**found)

    def close(self) -> None:
        """End the process, also if it is running a command."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream:
                    with contextlib.suppress(OSError):  # raised if unsent data cannot be written
                        stream.close()

    def _started(self) -> subprocess.Popen[str]:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process runs
        self._process = process = spawning.start(
            [*LAUNCH, "worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C goes to the batch only, which then ends its workers
        )
        with _killed_after(process, PATIENCE):
            hello = self._exchanged(process, "")
        if hello is None:
            raise WorkerDiedError(f"no worker could be started: {self._last_words()}")
        return process

    @staticmethod
    def _exchanged(process: subprocess.Popen[str], line: str) -> dict | None:
        """Return the answer to a line, or None if the process has ended.

        Blender may print lines of its own before the first answer.
        """
        assert process.stdin is not None
        assert process.stdout is not None
        answer = ""
        with contextlib.suppress(OSError, ValueError):  # the pipe is broken, or `close` has closed it
            if line:
                process.stdin.write(f"{line}\n")
                process.stdin.flush()
            answer = next((said for said in process.stdout if said.startswith("{")), "")
        return json.loads(answer) if answer.endswith("\n") else None  # else the process ended within the line

    def _last_words(self) -> str:
        process = self._process
        if process is None:
            return "it was ended"
        process.kill()
        code = process.wait()
        self._log.seek(0)
        said = [line for line in self._log.read().decode(errors="replace").splitlines() if line.strip()]
        self.close()
        ended = f"ended by {_SIGNALS.get(-code, f'signal {-code}')}" if code < 0 else f"exit code {code}"
        return f"{ended}, its last words: {said[-1].strip()}" if said else ended


@contextlib.contextmanager
def _killed_after(process: subprocess.Popen[str], seconds: float) -> Iterator[None]:
    """End a process if the block takes longer than `seconds`."""
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
