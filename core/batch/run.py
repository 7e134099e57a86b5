"""A batch from its JOBS.toml to its manifest: only what is stale is done, and a failed job stops no other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from .checking import checks, require_room
from .cluster import on_dask
from .errors import BatchError
from .job import Job
from .jobs_file import JobsFile
from .options import Options
from .processes import on_processes
from .records import read_record, why_stale, write_manifest
from .work import Order, Outcome

Engine = Callable[[Sequence[Order]], Iterator[Outcome]]
"""Does orders, and gives what comes of each as it ends, in any order; closing it ends what is still to be done."""


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

    @property
    def engine(self) -> Engine:
        if self.scheduler:
            return partial(on_dask, address=self.scheduler, count=self.workers)
        return partial(on_processes, count=self.workers)


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
    """The jobs of a JOBS.toml that are to be done, and doing them.

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

    @property
    def pending(self) -> list[Job]:
        return [job for job in self.jobs if job.name in self.stale]

    def require_doable(self) -> None:
        """Find out before the work what can be known. Raises BatchError, LostSchedulerError."""
        require_room(self.file, self.pending)
        orders = [self._order(job, records=None) for job in checks(self.pending, self._options)]
        with closing(self._outcomes(orders)) as outcomes:
            for outcome in outcomes:
                if outcome.error:
                    raise BatchError(f"{self.file.path}: {outcome.error}")

    def run(self) -> Iterator[Outcome]:
        """Do what is to be done; outcomes as they come. The manifest is written however it ends.

        Raises:
            BatchError: there is no room for results any more. LostSchedulerError: the scheduler is gone.
        """
        orders = [self._order(job, self.file.records) for job in self.pending]
        try:
            with closing(self._outcomes(orders)) as outcomes:
                for outcome in outcomes:
                    if outcome.error:
                        self.progress.failed[outcome.name] = outcome.error
                    else:
                        self.progress.done.append(outcome.name)
                    yield outcome
                    if outcome.is_full:
                        raise BatchError(f"{outcome.error}; make room, and run this again for the rest")
        finally:
            self._write_manifest()

    def _write_manifest(self) -> None:
        if self.ways.part != (1, 1):
            return
        try:
            write_manifest(self.file.manifest, self.file.records, self.jobs)
        except OSError as error:
            self.progress.lost_manifest = (error.strerror or str(error)).lower()

    def _outcomes(self, orders: Sequence[Order]) -> Generator[Outcome]:
        if orders:
            yield from self.ways.engine(orders)

    def _order(self, job: Job, records: Path | None) -> Order:
        return Order(job, self.file.folder, records, self.file.limit, self.ways.retries)
