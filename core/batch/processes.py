# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs on this machine: one thread for each worker process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait

from . import work
from .work import Order, Outcome

PAUSE = 0.2
"""Time between two attempts to end workers, in which threads notice that their workers have ended [s]."""


class Processes:
    """At most `count` worker processes. Each is started when there is an order for it."""

    def __init__(self, count: int):
        work.go_on()
        self._pool = ThreadPoolExecutor(count)
        self._futures: list[Future[Outcome]] = []

    def do(self, orders: Sequence[Order]) -> Iterator[Outcome]:
        """Yield the outcome of each order, as the orders end."""
        self._futures = [self._pool.submit(work.do, order) for order in orders]
        for future in as_completed(self._futures):
            yield future.result()

    def close(self) -> None:
        """End all worker processes, also those that are doing a job."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        running = [future for future in self._futures if not future.cancelled()]
        work.stop()
        while wait(running, timeout=PAUSE).not_done:  # a thread may have started a worker meanwhile
            work.stop()
        self._pool.shutdown()
