"""Jobs on this machine: a thread for each worker process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait

from . import work
from .work import Order, Outcome

PAUSE = 0.2
"""Seconds for threads to see that their workers were ended."""


def on_processes(orders: Sequence[Order], count: int) -> Iterator[Outcome]:
    """Do the orders in `count` processes, and give what comes of each as it ends. Closing it ends them all."""
    work.go_on()
    pool = ThreadPoolExecutor(max(1, min(count, len(orders))))
    futures = [pool.submit(work.do, order) for order in orders]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        running = [future for future in futures if not future.cancelled()]
        work.stop()
        while wait(running, timeout=PAUSE).not_done:  # of which one may have started a worker meanwhile
            work.stop()
        pool.shutdown()
