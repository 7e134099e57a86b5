# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs on other machines: Dask's distributed scheduler assigns them to workers, each of which does them as here.

Only orders and outcomes, some kilobytes each, pass through the scheduler: inputs, outputs and records are in folders
that all machines can access.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import importlib.util
import logging
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..version import VERSION
from . import work
from .errors import BatchError
from .work import Order, Outcome, do
from .worker import PACKAGE

if TYPE_CHECKING:
    from distributed import as_completed

Client = Future = Any
"""Dask's classes. By their types, each method may also return a coroutine."""

LOCAL = "local"
"""Word that stands for an address and means a cluster on this machine."""

PATIENCE = 20.0
"""Longest wait for the scheduler, and for its first worker [s]."""

ABSENCE = 300.0
"""Longest wait for another worker if all are gone [s]. A queue may start them again."""

GLANCE = 0.05
"""Time between two checks whether a job has ended [s]."""
LOOK = 5.0
"""Time between two checks whether there are still workers [s]."""


class LostClusterError(Exception):
    """The error if the scheduler or all its workers are lost, together with the jobs that were not done."""


class Cluster:
    """A cluster that does jobs. `close` must be called at the end; it withdraws the jobs that have not begun.

    Args:
        address: of the scheduler, such as tcp://host:8786; a file that `dask scheduler --scheduler-file` has written;
            or `LOCAL`, for a cluster on this machine.
        count: number of workers of a local cluster.
        folder: folder that the workers must be able to access.

    Raises:
        BatchError: if there is no scheduler, or if its workers cannot do jobs of this folder.
        LostClusterError: if the scheduler is lost immediately after it was found.
    """

    def __init__(self, address: str, count: int, folder: Path):
        if "." in PACKAGE:  # an extension of Blender has a name that workers do not know
            raise BatchError("--scheduler works outside Blender alone; inside, use --workers, or --part K/N")
        if importlib.util.find_spec("distributed") is None:
            raise BatchError("--scheduler needs Dask's distributed: install it with `pip install 'limberjack[batch]'`")
        self._address = address
        with contextlib.ExitStack() as stack:
            stack.enter_context(_silence())
            self._client: Client = _started(stack, address, count)
            with _loss_told(address):
                _require_workers(self._client, folder)
            self._open = stack.pop_all()

    def do(self, orders: Sequence[Order]) -> Iterator[Outcome]:
        """Yield the outcome of each order, as the orders end.

        Raises:
            LostClusterError: if the scheduler or all workers are lost.
        """
        from distributed import as_completed

        with _loss_told(self._address):
            futures = self._client.map(do, orders, pure=False)
            names = {future.key: order.job.name for future, order in zip(futures, orders, strict=True)}
            ended = as_completed(futures)
            del futures  # Dask forgets unreferenced futures; it repeats the others if a worker dies
            while not ended.is_empty():
                yield from self._outcomes(ended, names)

    def close(self) -> None:
        self._open.close()

    def _outcomes(self, ended: as_completed, names: Mapping[Any, str]) -> Iterator[Outcome]:
        """Yield the outcomes of the orders that have ended since the last call.

        There is at least one, unless its outcome was lost with its worker.
        """
        by_status: dict[str | None, list[Future]] = {}
        for future in self._next(ended):
            by_status.setdefault(future.status, []).append(future)
        if "cancelled" in by_status:
            raise LostClusterError(f"--scheduler {self._address}: it is lost")
        done, died = by_status.pop("finished", []), by_status.pop("error", [])
        for again in by_status.values():
            ended.update(again)
        yield from self._client.gather(done)
        for future in died:
            yield Outcome(names[future.key], _why(future.exception()), 0.0)

    def _next(self, ended: as_completed) -> list[Future]:
        seen = asked = time.monotonic()
        while not (found := ended.next_batch(block=False)):
            time.sleep(GLANCE)
            now = time.monotonic()
            if now - asked > LOOK:
                asked = now
                seen = now if self._client.nthreads() else seen
                if now - seen > ABSENCE:
                    reason = f"all its workers are gone, and none came in {ABSENCE:g} s"
                    raise LostClusterError(f"--scheduler {self._address}: {reason}")
        return found


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress the log messages of Dask and its event loop about lost connections. Errors report those in one line."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="distributed")
            yield
    finally:
        logging.disable(level)


@contextlib.contextmanager
def _loss_told(address: str) -> Iterator[None]:
    """Change all exceptions that Dask raises if a scheduler is lost to LostClusterError."""
    from distributed.client import ClosedClientError

    try:
        yield
    except (OSError, ClosedClientError, concurrent.futures.CancelledError, asyncio.CancelledError) as error:
        raise LostClusterError(f"--scheduler {address}: it is lost") from error


def _started(stack: contextlib.ExitStack, address: str, count: int) -> Client:
    """Return a client, after a second attempt if necessary.

    Dask asserts that its event loop has started within ten seconds, which fails if the machine was suspended meanwhile.
    """
    try:
        return _client(stack, address, count)
    except AssertionError:
        return _client(stack, address, count)


def _client(stack: contextlib.ExitStack, address: str, count: int) -> Client:
    from distributed import Client, LocalCluster

    if address == LOCAL:
        cluster = LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=False,  # so no port is opened; each thread starts a worker process for its jobs
            memory_limit=0,  # that process uses the memory
            dashboard_address=None,  # pyright: ignore[reportArgumentType] - its documentation allows it
            silence_logs=logging.CRITICAL,
        )
        work.go_on()
        client = stack.enter_context(Client(stack.enter_context(cluster)))
        stack.callback(work.stop)  # before the cluster waits for its threads
        return client
    where: dict[str, Any] = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
    try:
        return stack.enter_context(Client(**where, timeout=PATIENCE))
    except (OSError, ValueError) as error:
        raise BatchError(f"--scheduler {address}: no scheduler answers there") from error


def _require_workers(client: Client, folder: Path) -> None:
    """Check that there are workers that can do jobs of the folder.

    Raises:
        BatchError: if there is no worker, or if one has another version or cannot access the folder.
    """
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as error:
        raise BatchError(f"--scheduler: it has no worker, and none came in {PATIENCE:g} s; start some") from error
    for worker, found in client.run(_seen, str(folder), on_error="return").items():
        if isinstance(found, OSError):
            continue  # the worker has ended meanwhile
        if isinstance(found, Exception):
            raise BatchError(f"--scheduler: worker {worker} cannot load Limberjack; install {VERSION} there") from found
        version, sees_folder = found
        if version != VERSION:
            raise BatchError(f"--scheduler: worker {worker} has Limberjack {version}, and this is {VERSION}")
        if not sees_folder:
            raise BatchError(f"--scheduler: worker {worker} sees no folder {folder}; put the batch where all see it")


def _seen(folder: str) -> tuple[str, bool]:
    return VERSION, Path(folder).is_dir()


def _why(error: BaseException) -> str:
    """Return the error of a job that Dask raised, in one line."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return f"{error.allowed_failures + 1} workers of Dask died of it, one after the other"
    reason = next(iter(str(error).splitlines()), "")
    return f"its worker cannot do it: {type(error).__name__}: {reason}"
