"""Jobs on other machines: Dask's distributed scheduler hands them out, and each of its workers does them as here.

Nothing but orders and outcomes, some kilobytes each, goes through the scheduler: inputs, outputs and records lie in
folders that all machines see.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..version import VERSION
from .errors import BatchError
from .work import Order, Outcome, do

if TYPE_CHECKING:
    from distributed import Client, Future

LOCAL = "local"
"""In the place of an address: a cluster on this machine."""

PATIENCE = 20.0
"""Seconds to find the scheduler, and for the first worker to come."""


class LostSchedulerError(Exception):
    """The scheduler is gone, and what it had not handed out with it."""


def on_dask(orders: Sequence[Order], address: str, count: int) -> Iterator[Outcome]:
    """Do the orders on a cluster, and give what comes of each as it ends. Closing it takes the rest back.

    Args:
        address: the scheduler's, such as tcp://host:8786; a file that `dask scheduler --scheduler-file` has written; or
            `LOCAL`, for a cluster of `count` workers on this machine.

    Raises:
        BatchError: there is no scheduler, or its workers cannot do these orders.
        LostSchedulerError: it was lost on the way.
    """
    if importlib.util.find_spec("distributed") is None:
        raise BatchError("--scheduler needs Dask's distributed: install it with `pip install 'limberjack[batch]'`")
    import distributed

    for name in ("distributed", "distributed.client", "distributed.core", "distributed.nanny", "distributed.scheduler"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # a lost worker or scheduler is told of by us, in a line
    with contextlib.ExitStack() as stack:
        client = _client(stack, address, count)
        _require_workers(client, orders[0].folder)
        futures = client.map(do, orders, key=[f"limberjack-{order.job.fingerprint}" for order in orders], pure=False)
        names = {future.key: order.job.name for future, order in zip(futures, orders, strict=True)}
        try:
            for future in distributed.as_completed(futures):
                yield _outcome(client, future, names[future.key])
        finally:
            with contextlib.suppress(Exception):  # of a client whose scheduler is gone
                client.cancel(futures)


def _client(stack: contextlib.ExitStack, address: str, count: int) -> Client:
    from distributed import Client, LocalCluster

    if address == LOCAL:
        cluster = LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            memory_limit=0,  # what takes memory is the process that each worker starts
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
        return stack.enter_context(Client(stack.enter_context(cluster)))
    where = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
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
    for worker, (version, sees_folder) in client.run(_seen, str(folder)).items():
        if version != VERSION:
            raise BatchError(f"--scheduler: worker {worker} has Limberjack {version}, and this is {VERSION}")
        if not sees_folder:
            raise BatchError(f"--scheduler: worker {worker} sees no folder {folder}; put the batch where all see it")


def _seen(folder: str) -> tuple[str, bool]:
    return VERSION, Path(folder).is_dir()


def _outcome(client: Client, future: Future, name: str) -> Outcome:
    """Raises LostSchedulerError."""
    if future.status == "finished":
        return future.result()
    if future.status == "error":
        return Outcome(name, f"its workers died: {future.exception()}", 0.0)
    raise LostSchedulerError(
        f"the scheduler at {client.scheduler.address if client.scheduler else 'its address'} is lost"
    )
