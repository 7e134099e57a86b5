# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that does commands one after the other: `limberjack worker`, and what is to be known where it dies."""

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

from .. import children

PACKAGE = __name__.rpartition(".core.")[0]
LAUNCH: list[str] = [sys.executable, "-m", PACKAGE]
"""What starts the command in a process of its own; Blender puts itself here."""

PATIENCE = 120.0
"""Seconds for a worker to start; over a network's file system it can take many."""


_SIGNALS = {known.value: known.name for known in signal.Signals}


class WorkerDiedError(Exception):
    """The process ended before it had answered: why, as far as can be told."""


class TookTooLongError(WorkerDiedError):
    """The process was ended, since its command took longer than it may."""


@dataclass(frozen=True)
class Answer:
    """What came of a command.

    Attributes:
        code: exit code. out, err: what it said. seconds: that it took. memory: the most that the process has had
            [bytes].
    """

    code: int
    out: str
    err: str
    seconds: float
    memory: int | None


class Worker:
    """Started when it is first asked something, and again where it has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def ask(self, folder: Path, command: Sequence[str], limit: float) -> Answer:
        """Do a command in a folder, in at most so many seconds.

        Raises:
            TookTooLongError, WorkerDiedError: it came to no end; the next question starts another process.
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
        """End the process, whatever it is doing."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream:
                    with contextlib.suppress(OSError):  # of what it was still to be told
                        stream.close()

    def _started(self) -> subprocess.Popen[str]:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._process = process = children.start(
            [*LAUNCH, "worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            encoding="utf-8",
            start_new_session=True,  # the keyboard's Ctrl-C is for the batch, which then ends its workers
        )
        with _killed_after(process, PATIENCE):
            hello = self._exchanged(process, "")
        if hello is None:
            raise WorkerDiedError(f"no worker could be started: {self._last_words()}")
        return process

    @staticmethod
    def _exchanged(process: subprocess.Popen[str], line: str) -> dict | None:
        """The answer to a line; None where the process has ended. Blender may print of its own before the first."""
        assert process.stdin is not None
        assert process.stdout is not None
        answer = ""
        with contextlib.suppress(OSError, ValueError):  # of a pipe that is broken, or that `close` has closed
            if line:
                process.stdin.write(f"{line}\n")
                process.stdin.flush()
            answer = next((said for said in process.stdout if said.startswith("{")), "")
        return json.loads(answer) if answer.endswith("\n") else None  # else it has ended in mid-line

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
    """End a process that takes longer than so many seconds."""
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
