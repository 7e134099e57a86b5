# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks before a batch starts: whether files can be read, settings made, and outputs written."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from .errors import BatchError
from .job import Job
from .jobs_file import JobsFile
from .options import Options


def require_room(jobs_file: JobsFile, jobs: Iterable[Job]) -> None:
    """Check that files can be written to the folders of outputs and records, or where those folders will be made.

    Raises:
        BatchError: if a folder cannot be written to, or if an output is a folder.
    """
    for place in places_of(jobs_file, jobs):
        there = next(above for above in (place, *place.parents) if os.path.lexists(above))
        with _told(jobs_file, place), tempfile.TemporaryFile(dir=there) as probe:
            probe.write(bytes(4096))
    for job in jobs:
        for output in job.outputs:
            if (jobs_file.folder / output).is_dir():
                raise BatchError(f"{jobs_file.path}: outputs: '{output}' of job '{job.name}' is a folder; name a file")


def make_places(jobs_file: JobsFile, jobs: Iterable[Job]) -> None:
    """Make the folders of outputs and records.

    Raises:
        BatchError: if a folder cannot be made.
    """
    for place in places_of(jobs_file, jobs):
        with _told(jobs_file, place):
            place.mkdir(parents=True, exist_ok=True)


def places_of(jobs_file: JobsFile, jobs: Iterable[Job]) -> list[Path]:
    """Return the folder of records and the folders of outputs, each once."""
    outputs = ((jobs_file.folder / output).parent for job in jobs for output in job.outputs)
    return list(dict.fromkeys([jobs_file.records, *outputs]))


@contextlib.contextmanager
def _told(jobs_file: JobsFile, place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        hint = "; make room first" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        why = f"'{place}' cannot be written to: {reason.lower()}{hint}"
        raise BatchError(f"{jobs_file.path}: outputs: {why}") from error


def checks(jobs: Sequence[Job], options: Options) -> Iterator[Job]:
    """Yield a job for each input file that reads it and makes the settings of all its jobs, without computing anything.

    For numbers, the least and the largest value of each property are tried.
    """
    by_file: dict[str, list[Job]] = {}
    for job in jobs:
        by_file.setdefault(job.file, []).append(job)
    for file, of_file in by_file.items():
        parsed = options.parse(of_file[0].commands[0])
        search = [f"--path={folder}" for folder in parsed.search]
        settings = _telling(text for job in of_file for text in options.parse(job.commands[0]).settings)
        changes = [f"--set={text}" for text in settings]
        yield Job(file, file, {}, (("check", file, *search, *changes),), ())


def _telling(settings: Iterable[str]) -> list[str]:
    """Return the settings to try: for each property all words, and the least and the largest of its numbers."""
    values: dict[str, dict[str, float]] = {}
    for text in settings:
        target, _, value = text.partition("=")
        values.setdefault(target, {}).setdefault(value, _number(value))
    return [f"{target}={value}" for target, found in values.items() for value in _extremes(found)]


def _extremes(found: Mapping[str, float]) -> list[str]:
    numbers = {text: number for text, number in found.items() if not math.isnan(number)}
    words = [text for text in found if text not in numbers]
    ends = [min(numbers, key=numbers.__getitem__), max(numbers, key=numbers.__getitem__)] if numbers else []
    return [*words, *dict.fromkeys(ends)]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
