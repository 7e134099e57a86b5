# SPDX-License-Identifier: GPL-3.0-or-later
"""A record of each job: its commands, its inputs and outputs, and how it ended. Records determine what is up to date.

The process that does a job writes its record, in a file of its own. So no record is lost if a run is interrupted or a
scheduler is lost.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..files.partials import partial_name
from .job import Job

Record = dict[str, Any]
"""Plain data: `name`, `run` (of the batch), `status` ("done" or "failed"), `error`, `limberjack` (its version),
`fingerprint`, `parameters`, `commands`, `inputs` (SHA-256 by file), `outputs` (`sha256`, `size` [bytes] and `mtime_ns`
by file), `began` (UTC), `seconds` [s], `attempts`, `worker` (`host`, `pid`), `memory` [bytes], `reports` (of each
command, as JSON), `told` (lines of stderr).
"""

DONE, FAILED = "done", "failed"


def record_path(records: Path, name: str) -> Path:
    return records / f"{name}.json"


def write_record(records: Path, record: Record) -> None:
    """Write a record, completely or not at all.

    Raises:
        OSError: if it cannot be written.
    """
    write_whole(record_path(records, record["name"]), json.dumps(record, indent=1) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Write a text file, completely or not at all.

    Raises:
        OSError: if it cannot be written. The previous content then stays.
    """
    unfinished = path.with_name(partial_name(path.name))
    try:
        unfinished.write_text(text, encoding="utf-8")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_record(records: Path, name: str) -> Record | None:
    """Return the record of a job, or None if there is none or it cannot be read."""
    try:
        record = json.loads(record_path(records, name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and record.get("name") == name else None


def write_manifest(path: Path, records: Path, jobs: Iterable[Job]) -> None:
    """Write the records of a batch's jobs to one file, with one JSON object a line.

    Raises:
        OSError: if it cannot be written.
    """
    found = (read_record(records, job.name) for job in jobs)
    write_whole(path, "".join(json.dumps(record) + "\n" for record in found if record))


def why_stale(job: Job, record: Record | None, folder: Path) -> str:
    """Return why a job must be done, or "" if its record shows that its outputs exist and are up to date."""
    if record is None:
        return "not done yet"
    try:
        if record["status"] != DONE:
            return "failed before"
        if record["fingerprint"] != job.fingerprint:
            return "made in another way"
        for name, digest in record["inputs"].items():
            if digest_of(folder / name) != digest:
                return f"'{name}' has changed"
        for name in job.outputs:
            if not _is_as_written(folder / name, record["outputs"][name]):
                return f"'{name}' is missing or changed"
    except (KeyError, TypeError, ValueError, AttributeError):
        return "its record cannot be read"
    return ""


def describe_output(path: Path) -> dict:
    """Return digest, size and time of a file.

    Raises:
        OSError: if it does not exist.
    """
    found = path.stat()
    return {"sha256": _sha256(path), "size": found.st_size, "mtime_ns": found.st_mtime_ns}


def _is_as_written(path: Path, kept: dict) -> bool:
    try:
        found = path.stat()
        if (found.st_size, found.st_mtime_ns) == (kept["size"], kept["mtime_ns"]):
            return True
        return found.st_size == kept["size"] and _sha256(path) == kept["sha256"]
    except OSError:
        return False


def digests_of(folder: Path, names: Sequence[str]) -> dict[str, str | None]:
    """Return the SHA-256 of each file by name; None for a file that does not exist."""
    return {name: digest_of(folder / name) for name in names}


def digest_of(path: Path) -> str | None:
    """Return the SHA-256 of a file, or None if it does not exist. It is cached, since many jobs read the same file."""
    try:
        found = path.stat()
        return _digest_at(path, found.st_size, found.st_mtime_ns)
    except OSError:
        return None


@cache
def _digest_at(path: Path, size: int, mtime_ns: int) -> str:
    return _sha256(path)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
