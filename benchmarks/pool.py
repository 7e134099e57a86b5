# SPDX-License-Identifier: GPL-3.0-or-later
"""Worker processes that can be ended: what takes too long, or kills its process, costs no other figure than its own."""

from __future__ import annotations

import collections
import multiprocessing as mp
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

HANG, CRASH = "hang", "CRASH"


class Worker:
    """A process that works off one order after the other."""

    def __init__(self, do: Callable):
        self.do = do
        self.pipe, theirs = mp.Pipe()
        self.process = mp.Process(target=_serve, args=(do, theirs), daemon=True)
        self.process.start()
        self.order, self.begun = None, 0.0

    def start(self, order: Any) -> None:
        self.order, self.begun = order, time.perf_counter()
        self.pipe.send(order)

    def end(self) -> None:
        self.process.kill()
        self.process.join()


def _serve(do: Callable, pipe: Connection) -> None:
    while True:
        pipe.send(do(pipe.recv()))


def outcomes(do: Callable, orders: list, jobs: int, limit: float) -> Iterator[tuple[Any, Any, float]]:
    """(order, what `do` made of it, seconds) of each, as they come.

    HANG stands for what took longer than `limit` [s], CRASH where the process died.
    """
    waiting = collections.deque(orders)
    workers = [Worker(do) for _ in range(min(jobs, len(orders)))]
    for worker in workers:
        worker.start(waiting.popleft())
    while workers:
        wait([worker.pipe for worker in workers], timeout=1.0)
        for worker in list(workers):
            spent = time.perf_counter() - worker.begun
            try:
                if worker.pipe.poll():
                    yield worker.order, worker.pipe.recv(), spent
                elif spent > limit:
                    yield worker.order, HANG, spent
                    workers[workers.index(worker)] = worker = _instead_of(worker)
                else:
                    continue
            except EOFError:
                yield worker.order, CRASH, spent
                workers[workers.index(worker)] = worker = _instead_of(worker)
            if waiting:
                worker.start(waiting.popleft())
            else:
                worker.end()
                workers.remove(worker)


def _instead_of(worker: Worker) -> Worker:
    worker.end()
    return Worker(worker.do)
