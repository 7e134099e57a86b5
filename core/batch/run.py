# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch from its JOBS.toml to its manifest: only what is stale is done, and a failed job stops no other."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .checking import checks, make_places, require_room
from .cluster import Cluster
from .errors import BatchError
from .job import Job
from .jobs_file import JobsFile
from .options import Options
from .processes import Processes
from .records import read_record, why_stale, write_manifest
from .work import Order, Outcome, sweep


class Engine(Protocol):
    """What does orders, and gives what comes of each as it ends, in any order; closing it ends what is to be done."""

    def do(self, orders: Sequence[Order]) -> Iterator[Outcome]: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Ways:
    """How a batch is done.

    Attributes:
        workers: processes on this machine. scheduler: of a cluster; empty for none.
        part: K and N, for the Kth of N parts of the jobs alone. again: whether what is up to date is done as well.
        retries: how often a job is begun again whose worker has died.
    """

    workers: int = 1
    scheduler: str = ""
    part: tuple[int, int] = (1, 1)
    again: bool = False
    retries: int = 2

    def engine(self, folder: Path) -> Engine:
        """For jobs of a folder. Raises BatchError, LostClusterError."""
        return Cluster(self.scheduler, self.workers, folder) if self.scheduler else Processes(self.workers)


@dataclass
class Progress:
    """How far a batch is.

    Attributes:
        total: jobs to be done. fresh: jobs that were up to date. done: names. failed: errors by name.
        lost_manifest: why it could not be written; empty where nothing was in its way.
    """

    total: int
    fresh: int
    done: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    lost_manifest: str = ""

    @property
    def ended(self) -> int:
        return len(self.done) + len(self.failed)


class Batch:
    """The jobs of a JOBS.toml that are to be done, and doing them; close it in the end.

    Args:
        options: of the verbs that jobs use.

    Attributes:
        jobs: those of its part. stale: of those to be done, why, by name.
        progress: of what is done, while it is done.
    """

    def __init__(self, jobs_file: JobsFile, ways: Ways, options: Options):
        self.file, self.ways, self._options = jobs_file, ways, options
        number, parts = ways.part
        self.jobs = jobs_file.jobs[number - 1 :: parts]
        records, folder = jobs_file.records, jobs_file.folder
        reasons = ((job, why_stale(job, read_record(records, job.name), folder)) for job in self.jobs)
        self.stale = {job.name: reason or "asked for again" for job, reason in reasons if reason or ways.again}
        self.progress = Progress(len(self.stale), len(self.jobs) - len(self.stale))
        self._run = uuid.uuid4().hex
        self._engine: Engine | None = None

    @property
    def pending(self) -> list[Job]:
        return [job for job in self.jobs if job.name in self.stale]

    @property
    def has_motions(self) -> bool:
        """Whether there is anything to simulate."""
        return any(command[0] != "convert" for job in self.pending for command in job.commands)

    def require_doable(self) -> None:
        """Find out before the work what can be known. Raises BatchError, LostClusterError."""
        require_room(self.file, self.pending)
        orders = [self._order(job, records=None) for job in checks(self.pending, self._options)]
        for outcome in self._outcomes(orders):
            if outcome.error:
                raise BatchError(f"{self.file.path}: {outcome.error}")
        make_places(self.file, self.pending)

    def run(self) -> Iterator[Outcome]:
        """Do what is to be done; outcomes as they come. The manifest is written however it ends.

        Raises:
            BatchError: there is no room for results any more. LostClusterError: the scheduler is gone.
        """
        orders = [self._order(job, self.file.records) for job in self.pending]
        try:
            for outcome in self._outcomes(orders):
                if outcome.error:
                    self.progress.failed[outcome.name] = outcome.error
                else:
                    self.progress.done.append(outcome.name)
                yield outcome
                if outcome.is_full:
                    raise BatchError(f"{outcome.error}; make room, and run this again for the rest")
        finally:
            self.close()
            self._sweep()
            self._write_manifest()

    def close(self) -> None:
        """End the workers, which stay from the checks to the last job."""
        if self._engine:
            self._engine.close()
            self._engine = None

    def _sweep(self) -> None:
        """Of what has ended alone: a cluster may still be writing the rest."""
        ended = {*self.progress.done, *self.progress.failed}
        sweep(self.file.folder, (output for job in self.jobs if job.name in ended for output in job.outputs))

    def _write_manifest(self) -> None:
        if self.ways.part != (1, 1):
            return
        try:
            write_manifest(self.file.manifest, self.file.records, self.jobs)
        except OSError as error:
            self.progress.lost_manifest = (error.strerror or str(error)).lower()

    def _outcomes(self, orders: Sequence[Order]) -> Iterator[Outcome]:
        if not orders:
            return iter(())
        self._engine = self._engine or self.ways.engine(self.file.folder)
        return self._engine.do(orders)

    def _order(self, job: Job, records: Path | None) -> Order:
        return Order(job, self.file.folder, records, self.file.limit, self.ways.retries, self._run)
