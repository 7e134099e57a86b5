# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs on this machine: a thread for each worker process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait

from . import work
from .work import Order, Outcome

PAUSE = 0.2
"""Seconds for threads to see that their workers were ended."""


class Processes:
    """At most `count` of them, each started when there is something to do for it."""

    def __init__(self, count: int):
        work.go_on()
        self._pool = ThreadPoolExecutor(count)
        self._futures: list[Future[Outcome]] = []

    def do(self, orders: Sequence[Order]) -> Iterator[Outcome]:
        """What comes of each order, as it ends."""
        self._futures = [self._pool.submit(work.do, order) for order in orders]
        for future in as_completed(self._futures):
            yield future.result()

    def close(self) -> None:
        """End them all, whatever they are doing."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        running = [future for future in self._futures if not future.cancelled()]
        work.stop()
        while wait(running, timeout=PAUSE).not_done:  # of which one may have started a worker meanwhile
            work.stop()
        self._pool.shutdown()
