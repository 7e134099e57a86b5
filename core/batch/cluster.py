# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs on other machines: Dask's distributed scheduler hands them out, and each of its workers does them as here.

Nothing but orders and outcomes, some kilobytes each, goes through the scheduler: inputs, outputs and records lie in
folders that all machines see.
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
"""Dask's, of which each method may also give a coroutine by its types."""

LOCAL = "local"
"""In the place of an address: a cluster on this machine."""

PATIENCE = 20.0
"""Seconds to find the scheduler, and for the first worker to come."""

ABSENCE = 300.0
"""Seconds for another worker to come, where all are gone: a queue may start them again."""

GLANCE, LOOK = 0.05, 5.0
"""Seconds from one question to the next, whether a job has ended, and whether there still are workers."""


class LostClusterError(Exception):
    """The scheduler is gone, or all its workers are, and what had not been done with them."""


class Cluster:
    """A cluster that jobs go to. Close it in the end, which takes back what it has not begun.

    Args:
        address: the scheduler's, such as tcp://host:8786; a file that `dask scheduler --scheduler-file` has written; or
            `LOCAL`, for a cluster of `count` workers on this machine.
        folder: that its workers must see.

    Raises:
        BatchError: there is no scheduler, or its workers cannot do jobs of this folder.
        LostClusterError: the scheduler was lost as soon as found.
    """

    def __init__(self, address: str, count: int, folder: Path):
        if "." in PACKAGE:  # an extension of Blender's, by a name that workers do not know
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
        """What comes of each order, as it ends. Raises LostClusterError."""
        from distributed import as_completed

        with _loss_told(self._address):
            futures = self._client.map(do, orders, pure=False)
            names = {future.key: order.job.name for future, order in zip(futures, orders, strict=True)}
            ended = as_completed(futures)
            del futures  # Dask forgets what nobody holds; what it remembers, it does again where its worker dies
            while not ended.is_empty():
                yield from self._outcomes(ended, names)

    def close(self) -> None:
        self._open.close()

    def _outcomes(self, ended: as_completed, names: Mapping[Any, str]) -> Iterator[Outcome]:
        """Of those that have ended since, at least one, unless its outcome was lost with its worker."""
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
    """Let what Dask and its event loop log of lost connections reach nobody: it is told of by us, in a line."""
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
    """Turn all that Dask raises where a scheduler is gone into LostClusterError."""
    from distributed.client import ClosedClientError

    try:
        yield
    except (OSError, ClosedClientError, concurrent.futures.CancelledError, asyncio.CancelledError) as error:
        raise LostClusterError(f"--scheduler {address}: it is lost") from error


def _started(stack: contextlib.ExitStack, address: str, count: int) -> Client:
    """Dask asserts that its event loop runs after ten seconds, which a machine that stood still meanwhile missed."""
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
            processes=False,  # so nothing listens on a port; each thread starts a process of our own for its jobs
            memory_limit=0,  # what takes memory is that process
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
    """Raises BatchError where the workers there are cannot do what is asked, or there is none."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as error:
        raise BatchError(f"--scheduler: it has no worker, and none came in {PATIENCE:g} s; start some") from error
    for worker, found in client.run(_seen, str(folder), on_error="return").items():
        if isinstance(found, OSError):
            continue  # it is gone meanwhile
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
    """A job's error that is Dask's, in one line."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return f"{error.allowed_failures + 1} workers of Dask died of it, one after the other"
    reason = next(iter(str(error).splitlines()), "")
    return f"its worker cannot do it: {type(error).__name__}: {reason}"
