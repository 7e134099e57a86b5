# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack batch`: many jobs from one JOBS.toml, on this machine or on a cluster."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import time
from pathlib import Path

from ..answer import SIMULATION_FAILED
from ..batch import Batch, BatchError, LostClusterError, Options, Outcome, Ways, read_jobs
from ..model.text import counted
from .framework import Verb, parser_of
from .progress import INTERVAL, ProgressLine, progress_text
from .result import CommandResult, UsageError, say
from .simulate import compile_once


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jobs", metavar="JOBS.toml", type=Path, help="files, sweeps and outputs; see docs/batches.md")
    parser.add_argument("--workers", metavar="N", type=_count, help="processes (default: one a core)")
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        default="",
        help="of a Dask cluster, or its scheduler file; 'local' for one of N workers here",
    )
    parser.add_argument(
        "--part", metavar="K/N", type=_part, default=(1, 1), help="the Kth of N parts of the jobs alone"
    )
    parser.add_argument(
        "--retries",
        metavar="N",
        type=_number,
        default=2,
        help="how often a job is begun again whose worker has died (default 2)",
    )
    parser.add_argument("--again", action="store_true", help="do what is up to date as well")
    parser.add_argument("--dry-run", action="store_true", help="list the jobs that would be done, and why, and end")
    parser.add_argument("--json", action="store_true", help="what came of it as one JSON object")


def _number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a whole number, 0 or above")
    return int(text)


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 to 10,000")
    return int(text)


def _part(text: str) -> tuple[int, int]:
    number, _, parts = text.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 0 < int(number) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text} is not K/N, such as 3/100 for the third of a hundred parts")
    return int(number), int(parts)


def _run(arguments: argparse.Namespace) -> CommandResult:
    options = Options(parser_of(arguments.verbs))
    workers = arguments.workers or os.cpu_count() or 1
    ways = Ways(workers, arguments.scheduler, arguments.part, arguments.again, arguments.retries)
    begun = time.monotonic()
    try:
        batch = Batch(read_jobs(arguments.jobs, options), ways, options)
        if arguments.dry_run:
            return _list(batch)
        with contextlib.closing(batch):
            batch.require_doable()
            if batch.has_motions and not ways.scheduler:
                compile_once(with_contact=True)  # once here, else each worker would compile
            failure = _done(batch)
    except BatchError as error:
        raise UsageError(str(error)) from error
    except LostClusterError as error:
        raise UsageError(f"{error}, before any job was done") from error
    return _ended(batch, failure, time.monotonic() - begun)


def _list(batch: Batch) -> CommandResult:
    jobs = [{"name": job.name, "why": batch.stale[job.name], "commands": job.commands} for job in batch.pending]
    lines = [
        f"{job.name}: limberjack {shlex.join(command)}    # {batch.stale[job.name]}"
        for job in batch.pending
        for command in job.commands
    ]
    fresh = batch.progress.fresh
    return CommandResult({"jobs": jobs, "fresh": fresh}, [*lines, f"{len(jobs)} to be done, {fresh} up to date"])


def _done(batch: Batch) -> str:
    """Do all jobs and report the progress. Return why the batch ended early, or ""."""
    bar = _Bar(batch)
    try:
        for outcome in batch.run():
            bar.show(outcome)
    except (BatchError, LostClusterError) as error:
        return str(error)
    finally:
        bar.close()
    return ""


def _ended(batch: Batch, failure: str, seconds: float) -> CommandResult:
    """Return the result of the batch.

    Args:
        failure: why it ended early; empty if it did not.
        seconds: duration [s].
    """
    progress = batch.progress
    left = progress.total - progress.ended
    if progress.lost_manifest:
        say(f"limberjack: error: {batch.file.manifest}: {progress.lost_manifest}")
    facts = {
        "jobs": len(batch.jobs),
        "done": len(progress.done),
        "fresh": progress.fresh,
        "failed": progress.failed,
        "left": left,
        "seconds": seconds,
        "manifest": str(batch.file.manifest),
    }
    parts = [f"{len(progress.done)} done", f"{len(progress.failed)} failed", f"{progress.fresh} were up to date"]
    line = f"{', '.join(parts)}{f', {left} left' if left else ''}, in {seconds:.3g} s; {batch.file.manifest}"
    result = CommandResult(facts, [line])
    if failure:
        result.error = failure + (f"; {left} jobs are left: run this again for them" if left else "")
        result.said = [f"limberjack: error: {result.error}"]
    elif progress.failed:  # stderr already has a line for each
        name, reason = next(iter(progress.failed.items()))
        result.error = f"{len(progress.failed)} of {counted(batch.jobs, 'job')} failed; the first: {name}: {reason}"
    if result.error:
        result.code = SIMULATION_FAILED
    return result


class _Bar:
    """Progress of a batch on stderr."""

    def __init__(self, batch: Batch):
        self._progress, self._line, self._begun = batch.progress, ProgressLine(INTERVAL), time.monotonic()
        self._write()

    def show(self, outcome: Outcome) -> None:
        if outcome.error:
            self._line.clear()
            say(f"{outcome.name}: failed: {outcome.error}")
        self._write()

    def _write(self) -> None:
        ended, total = self._progress.ended, self._progress.total
        if total:
            self._line.show(progress_text(ended, total, "jobs", time.monotonic() - self._begun))

    def close(self) -> None:
        self._line.clear()


BATCH = Verb("batch", "do many jobs: files, sweeps and outputs, on this machine or a cluster", _add_arguments, _run)
