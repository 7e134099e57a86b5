# SPDX-License-Identifier: GPL-3.0-or-later
"""Execution of one job: it runs the commands in a worker, writes the record, and leaves no unfinished files.

It runs on the machine that does the job.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
import shutil
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..files.partials import parse_partial
from ..version import VERSION
from .job import Job
from .records import DONE, FAILED, Record, describe_output, digests_of, read_record, write_record
from .worker import Answer, TookTooLongError, Worker, WorkerDiedError

FULL = tuple(os.strerror(code).lower() for code in (errno.ENOSPC, errno.EDQUOT))
"""Messages of the system if there is no room left, in lower case."""

_of_thread = threading.local()
_workers: set[Worker] = set()
_stopping = threading.Event()


@dataclass(frozen=True)
class Order:
    """A job and the way in which it is done.

    Attributes:
        job: the job.
        folder: folder that its paths are relative to.
        records: folder of its record; None if no record is written.
        limit: longest time that each of its commands may take [s].
        retries: how often it is begun again if its worker dies.
        run: identifier of the batch run that it belongs to.
        version: of the program that gave the order.
    """

    job: Job
    folder: Path
    records: Path | None
    limit: float
    retries: int
    run: str
    version: str = VERSION


@dataclass(frozen=True)
class Outcome:
    """The end of a job.

    Attributes:
        name: of the job.
        error: one sentence; empty if the job was done.
        seconds: duration of the job [s].
        is_full: whether there was no room left for its results.
    """

    name: str
    error: str
    seconds: float
    is_full: bool = False


class _JobError(Exception):
    """The error of a command of the job, with the command's last message."""


def do(order: Order) -> Outcome:
    """Do a job in this thread's worker and return its outcome. Errors of the job are not raised.

    A job that has a record of the same run is not done again: the machine that had its outcome was lost.
    """
    job, begun = order.job, time.monotonic()
    if order.records and (kept := read_record(order.records, job.name)) and kept.get("run") == order.run:
        return _outcome(kept)
    record: Record = {
        "name": job.name,
        "run": order.run,
        "status": FAILED,
        "error": "",
        "limberjack": VERSION,
        "fingerprint": job.fingerprint,
        "parameters": job.parameters,
        "commands": [["limberjack", *command] for command in job.commands],
        "inputs": {},
        "outputs": {},
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
        "worker": {"host": platform.node()},
    }
    try:
        _do_all(order, record)
        record["status"] = DONE
    except (_JobError, WorkerDiedError) as error:
        record["error"] = str(error)
    except OSError as error:
        record["error"] = f"{error.filename or order.folder}: {(error.strerror or str(error)).lower()}"
    if record["error"]:
        _remove(order)
    record["seconds"] = time.monotonic() - begun
    if not _stopping.is_set():
        record["error"] = _kept(order, record)
    return _outcome(record)


def _outcome(record: Record) -> Outcome:
    is_full = any(reason in record["error"].lower() for reason in FULL)
    return Outcome(record["name"], record["error"], record["seconds"], is_full)


def _do_all(order: Order, record: Record) -> None:
    if order.version != VERSION:
        raise _JobError(f"{platform.node()} has Limberjack {VERSION}, and {order.version} has given the order")
    answers: list[Answer] = []
    reports: list[dict] = []
    for command in order.job.commands:
        answers.append(_answer(order, command, record))
        reports = [json.loads(answer.out) for answer in answers if answer.out.startswith("{")]
        record |= {"reports": reports, "told": [line for answer in answers for line in answer.err.splitlines()]}
        record["memory"] = answers[-1].memory
        if answers[-1].code:
            raise _JobError(_reason(answers[-1]))
    read = [order.job.file, *(_within(order.folder, name) for report in reports for name in report.get("inputs", ()))]
    record["inputs"] = digests_of(order.folder, [*dict.fromkeys(read)])
    record["outputs"] = {name: describe_output(order.folder / name) for name in order.job.outputs}


def _within(folder: Path, name: str) -> str:
    """Return a path relative to the folder if possible, so that the folder can be moved with its content."""
    path = Path(os.path.normpath(folder / name))
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else name


def _answer(order: Order, command: tuple[str, ...], record: Record) -> Answer:
    """Return the worker's answer to a command.

    A worker that dies is started again, since the cause may not be the job, such as too little memory.
    """
    worker = _worker()
    for attempt in range(order.retries + 1):
        record["attempts"] = attempt + 1
        if _stopping.is_set():
            raise WorkerDiedError("it was ended")
        try:
            return worker.ask(order.folder, command, order.limit)
        except TookTooLongError:
            raise
        except WorkerDiedError:
            sweep(order.folder, order.job.outputs)
            if attempt == order.retries or _stopping.is_set():
                raise
        finally:
            record["worker"]["pid"] = worker.pid
    raise AssertionError("range() has one number at least")


def _reason(answer: Answer) -> str:
    words = "" if answer.out.startswith("{") else answer.out  # stderr has the messages of a JSON object, too
    said = [line for line in (words + answer.err).splitlines() if line.strip()]
    errors = [line for line in said if ": error" in line]
    reason = (errors or said[-1:] or [f"it ended with code {answer.code}, and said nothing"])[0].strip()
    return reason.removeprefix("limberjack: error: ")


def _kept(order: Order, record: Record) -> str:
    """Write the record, and return the job's error. A job whose record cannot be written counts as failed."""
    if order.records is None:
        return record["error"]
    try:
        write_record(order.records, record)
    except OSError as error:
        return record["error"] or f"its record cannot be written: {(error.strerror or str(error)).lower()}"
    return record["error"]


def _remove(order: Order) -> None:
    """Remove all outputs of a job that has failed, including those of earlier runs."""
    sweep(order.folder, order.job.outputs)
    for name in order.job.outputs:
        with contextlib.suppress(OSError):  # the job has failed anyway, as its record shows
            (order.folder / name).unlink(missing_ok=True)


def sweep(folder: Path, outputs: Iterable[str]) -> None:
    """Remove unfinished files of these outputs that processes of this machine left when they died.

    Their names are those of `core/files/partials.py`.
    """
    names: dict[Path, set[str]] = {}
    for output in outputs:
        path = folder / output
        names.setdefault(path.parent, set()).add(path.name.removeprefix("."))
    for place, wanted in names.items():
        for left in place.glob(".*"):
            partial = parse_partial(left.name)
            if partial is None or partial.name not in wanted or not partial.is_left:
                continue
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    left.unlink()


def _worker() -> Worker:
    if not hasattr(_of_thread, "worker"):
        _of_thread.worker = Worker()
        _workers.add(_of_thread.worker)
    return _of_thread.worker


def stop() -> None:
    """End all workers of this process, also those that are doing a job."""
    _stopping.set()
    for worker in tuple(_workers):
        worker.close()


def go_on() -> None:
    """Permit jobs again after `stop`."""
    for worker in _workers:
        worker.close()  # one may have been starting when all were ended
    _workers.clear()
    _stopping.clear()
