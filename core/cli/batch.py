"""`limberjack batch`: many jobs from one JOBS.toml, on this machine or on a cluster."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import sys
import time
from pathlib import Path

from ..batch import Batch, BatchError, LostClusterError, Options, Outcome, Ways, read_jobs
from .framework import DONE, SIMULATION_FAILED, UsageError, Verb, parser_of, say
from .simulate import compile_once

INTERVAL = 5.0
"""Seconds between two lines of progress, where nobody watches them replace each other."""

CLEAR_LINE = "\r\033[K"


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


def _run(arguments: argparse.Namespace) -> int:
    options = Options(parser_of(arguments.verbs))
    workers = arguments.workers or os.cpu_count() or 1
    ways = Ways(workers, arguments.scheduler, arguments.part, arguments.again, arguments.retries)
    begun = time.monotonic()
    try:
        batch = Batch(read_jobs(arguments.jobs, options), ways, options)
        if arguments.dry_run:
            return _list(batch, arguments.json)
        with contextlib.closing(batch):
            batch.require_doable()
            if batch.has_motions and not ways.scheduler:
                compile_once(with_contact=True)  # here, or each worker would at once
            failure = _done(batch)
    except BatchError as error:
        raise UsageError(str(error)) from error
    except LostClusterError as error:
        raise UsageError(f"{error}, before any job was done") from error
    _tell(batch, failure, time.monotonic() - begun, arguments.json)
    return DONE if not (failure or batch.progress.failed) else SIMULATION_FAILED


def _list(batch: Batch, as_json: bool) -> int:
    if as_json:
        jobs = [{"name": job.name, "why": batch.stale[job.name], "commands": job.commands} for job in batch.pending]
        print(json.dumps({"jobs": jobs, "fresh": batch.progress.fresh}))
        return DONE
    for job in batch.pending:
        for command in job.commands:
            print(f"{job.name}: limberjack {shlex.join(command)}    # {batch.stale[job.name]}")
    print(f"{len(batch.pending)} to be done, {batch.progress.fresh} up to date")
    return DONE


def _done(batch: Batch) -> str:
    """Do everything, and tell of it. Returns why it ended early; empty where it did not."""
    bar = _Bar(batch)
    try:
        for outcome in batch.run():
            bar.show(outcome)
    except (BatchError, LostClusterError) as error:
        return str(error)
    finally:
        bar.close()
    return ""


def _tell(batch: Batch, failure: str, seconds: float, as_json: bool) -> None:
    progress = batch.progress
    left = progress.total - progress.ended
    if progress.lost_manifest:
        say(f"limberjack: error: {batch.file.manifest}: {progress.lost_manifest}")
    if failure:
        say(f"limberjack: error: {failure}" + (f"; {left} jobs are left: run this again for them" if left else ""))
    if as_json:
        about = {
            "jobs": len(batch.jobs),
            "done": len(progress.done),
            "fresh": progress.fresh,
            "failed": progress.failed,
        }
        about |= {"left": left, "error": failure or None, "seconds": seconds, "manifest": str(batch.file.manifest)}
        print(json.dumps(about))
        return
    parts = [f"{len(progress.done)} done", f"{len(progress.failed)} failed", f"{progress.fresh} were up to date"]
    print(f"{', '.join(parts)}{f', {left} left' if left else ''}, in {seconds:.3g} s; {batch.file.manifest}")


class _Bar:
    """Progress on stderr: one line that is written over, or a line now and then where it goes to a file."""

    def __init__(self, batch: Batch):
        self._progress = batch.progress
        self._is_watched = sys.stderr.isatty()
        self._begun = self._said = time.monotonic()
        self._write()

    def show(self, outcome: Outcome) -> None:
        if outcome.error:
            say(f"{CLEAR_LINE if self._is_watched else ''}{outcome.name}: failed: {outcome.error}")
        self._write()

    def _write(self) -> None:
        progress, now = self._progress, time.monotonic()
        if not progress.total or not (self._is_watched or now - self._said >= INTERVAL):
            return
        self._said, seconds = now, now - self._begun
        left = f", {seconds * (progress.total / progress.ended - 1.0):.0f} s left" if progress.ended else ""
        text = f"{progress.ended} of {progress.total} jobs{left}"
        print(f"{CLEAR_LINE}{text}", end="", file=sys.stderr, flush=True) if self._is_watched else say(text)

    def close(self) -> None:
        if self._is_watched:
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)


BATCH = Verb("batch", "do many jobs: files, sweeps and outputs, on this machine or a cluster", _add_arguments, _run)
