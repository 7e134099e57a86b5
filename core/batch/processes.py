"""Jobs on this machine: a thread for each worker process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from . import work
from .work import Order, Outcome


def on_processes(orders: Sequence[Order], count: int) -> Iterator[Outcome]:
    """Do the orders in `count` processes, and give what comes of each as it ends. Closing it ends them all."""
    work.go_on()
    pool = ThreadPoolExecutor(max(1, min(count, len(orders))))
    try:
        for future in as_completed([pool.submit(work.do, order) for order in orders]):
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        work.stop()  # which lets the threads come to their end
        pool.shutdown()
