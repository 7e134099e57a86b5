# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches of small jobs, in a folder of their own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from limberjack.core.batch import Batch, JobsFile, Options, Ways, read_jobs
from limberjack.core.cli import VERBS
from limberjack.core.cli.framework import parser_of

PENDULUM = Path(__file__).parents[2] / "sample_scenes" / "double_pendulum.sdf"
OPTIONS = Options(parser_of(VERBS))
PATIENCE = 120.0


def jobs_in(folder: Path, text: str, name: str = "jobs.toml") -> JobsFile:
    """The jobs of a JOBS.toml with such a text, beside arm.sdf, a double pendulum."""
    folder.mkdir(exist_ok=True)
    if not (folder / "arm.sdf").exists():
        shutil.copy(PENDULUM, folder / "arm.sdf")
    (folder / name).write_text(text, encoding="utf-8")
    return read_jobs(folder / name, OPTIONS)


def batch_of(jobs: JobsFile, **ways: object) -> Batch:
    return Batch(jobs, Ways(**ways), OPTIONS)


def errors_of(batch: Batch) -> dict[str, str]:
    """What came of each job, once all are done."""
    return {outcome.name: outcome.error for outcome in batch.run()}


def contents(folder: Path) -> dict[str, bytes]:
    """Of all files below a folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def records_of(jobs: JobsFile) -> dict[str, dict]:
    return {path.stem: json.loads(path.read_text()) for path in sorted(jobs.records.glob("*.json"))}


def limberjack(*argv: object, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "limberjack", *map(str, argv)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, **options)


def heed_the_keyboard() -> None:
    """For a new process: what a shell runs in the background ignores Ctrl-C, and so would all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def children_of(pid: int) -> list[int]:
    """Processes that it has started and that have not ended, by Linux's /proc."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, *_ = entry.read_text().rpartition(") ")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(parent) == pid and state != "Z":
            found.append(int(entry.parent.name))
    return found


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def wait_for(condition, what: str) -> object:
    """What a condition gives once it is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {PATIENCE:g} s in vain: {what}")
