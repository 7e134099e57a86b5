# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch from its JOBS.toml to its manifest. Only outdated jobs are done, and a failed job does not stop others."""

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
    """An object that does orders and yields their outcomes as they end, in any order.

    Closing it ends the remaining work.
    """

    def do(self, orders: Sequence[Order]) -> Iterator[Outcome]: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Ways:
    """The way in which a batch is done.

    Attributes:
        workers: number of processes on this machine.
        scheduler: address of a cluster's scheduler; empty for none.
        part: (K, N), for the Kth of N parts of the jobs only.
        again: whether jobs that are up to date are done as well.
        retries: how often a job is begun again if its worker dies.
    """

    workers: int = 1
    scheduler: str = ""
    part: tuple[int, int] = (1, 1)
    again: bool = False
    retries: int = 2

    def engine(self, folder: Path) -> Engine:
        """Return the engine for jobs of a folder.

        Raises:
            BatchError: if there is no scheduler, or if its workers cannot do the jobs.
            LostClusterError: if the scheduler is lost.
        """
        return Cluster(self.scheduler, self.workers, folder) if self.scheduler else Processes(self.workers)


@dataclass
class Progress:
    """The progress of a batch.

    Attributes:
        total: number of jobs to do.
        fresh: number of jobs that were up to date.
        done: names of the jobs that were done.
        failed: errors by name of the job.
        lost_manifest: why the manifest could not be written; empty if it could.
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
    """The jobs of a JOBS.toml that must be done, and their execution. `close` must be called at the end.

    Args:
        jobs_file: the expanded JOBS.toml.
        ways: the way in which the batch is done.
        options: of the verbs that jobs use.

    Attributes:
        jobs: the jobs of its part.
        stale: the reasons why jobs must be done, by name.
        progress: updated while `run` is running.
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
        """Whether any pending job simulates."""
        return any(command[0] != "convert" for job in self.pending for command in job.commands)

    def require_doable(self) -> None:
        """Check in advance what can be checked, and make the folders of outputs.

        Raises:
            BatchError: if a file cannot be read, a setting cannot be made, or a folder cannot be written to.
            LostClusterError: if the scheduler is lost.
        """
        require_room(self.file, self.pending)
        orders = [self._order(job, records=None) for job in checks(self.pending, self._options)]
        for outcome in self._outcomes(orders):
            if outcome.error:
                raise BatchError(f"{self.file.path}: {outcome.error}")
        make_places(self.file, self.pending)

    def run(self) -> Iterator[Outcome]:
        """Do the pending jobs and yield their outcomes. The manifest is written in any case, also after an error.

        Raises:
            BatchError: if there is no room left for results.
            LostClusterError: if the scheduler is lost.
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
        """End the workers, which run from the checks to the last job."""
        if self._engine:
            self._engine.close()
            self._engine = None

    def _sweep(self) -> None:
        """Remove unfinished files of the jobs that have ended. A cluster may still write those of the others."""
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
