"""Compiles kernels in a process of its own, so that the window does not freeze over it."""

import os
import sys
import time
from importlib import import_module
from pathlib import Path

from ..core import jit

ROOT = Path(__file__).parents[1]
ROOT_PACKAGE = __package__.removesuffix(".addon")
CHILD = Path(__file__).with_name("warming_child.py")


SOLVER, POSING = "solvers.warm_up", "kinematics.warm_up"
"""The modules of core that know what simulations and poses need."""

TRUST = 2.0
"""Seconds for which a machine is taken to be as fast as the one where kernels were timed, besides what is seen."""


class Pace:
    """How far kernels are compiled, by those that the cache has: evenly in time, though one of them takes half of it.

    Args:
        seconds: what each takes on some machine, in the order in which they are compiled.
        compiled: those that are there already.
        now: by a clock [s].
    """

    def __init__(self, seconds: dict[str, float], compiled: set[str], now: float):
        self._seconds = seconds
        self._begun = self._last = now
        self._at_first = self._done = self._sum(compiled)
        self._left = [name for name in seconds if name not in compiled]

    def _sum(self, names) -> float:
        return sum(self._seconds.get(name, 0.0) for name in names)

    def note(self, compiled: set[str], now: float) -> None:
        """What the cache has by now."""
        left = [name for name in self._seconds if name not in compiled]
        if left != self._left:
            self._left, self._last, self._done = left, now, self._sum(compiled)

    @property
    def counts(self) -> tuple[int, int]:
        """Of kernels: compiled, and all."""
        return len(self._seconds) - len(self._left), len(self._seconds)

    def progress(self, now: float) -> float:
        """From 0 to 1."""
        return self._reached(now) / self._sum(self._seconds)

    def seconds_left(self, now: float) -> float:
        return (self._sum(self._seconds) - self._reached(now)) / self._speed(now)

    def _reached(self, now: float) -> float:
        """In seconds of the list: what is done, and what is at work by its time, but never as more than done."""
        return self._done + min(self._current, self._speed(now) * (now - self._last))

    def _speed(self, now: float) -> float:
        """Seconds of the list in a second: as seen, or slower where what is at work is overdue."""
        done = self._done - self._at_first + TRUST
        seen = done / (self._last - self._begun + TRUST)
        return min(seen, (done + self._current) / (now - self._begun + TRUST))

    @property
    def _current(self) -> float:
        return self._seconds[self._left[0]] if self._left else 0.0


class Warming:
    """A child process that fills the cache. Should it fail, a simulation compiles for itself, and posing stays slow.

    What it has compiled stays, so that one that is cancelled is gone on with by the next.

    what: `SOLVER` or `POSING`.
    """

    def __init__(self, what: str = SOLVER):
        import subprocess  # takes a tenth of the time in which the add-on is enabled

        # The cache's folder is named after package, sources and Python version, so the child must share all three.
        command = [sys.executable, "-P", str(CHILD), ROOT_PACKAGE, str(ROOT), str(jit.cache_folder().parent), what]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        hidden = subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0
        self._child = subprocess.Popen(  # noqa: S603 - the command is made of our own paths
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, creationflags=hidden
        )
        seconds = getattr(import_module(f"..core.{what}", __package__), "SECONDS", {})
        self._begun = time.monotonic()
        self._pace = Pace(seconds, jit.compiled_kernels(), self._begun)

    @staticmethod
    def is_needed(what: str = SOLVER) -> bool:
        """Whether it would be compiled first, and there is a Python to do it beforehand."""
        if not jit.is_available() or not sys.executable:
            return False
        return not import_module(f"..core.{what}", __package__).is_warm()

    @property
    def is_done(self) -> bool:
        return self._child.poll() is not None

    @property
    def seconds(self) -> float:
        """Since it was begun."""
        return time.monotonic() - self._begun

    def look(self) -> tuple[Pace, float]:
        """How far it is, and at what time of the clock."""
        now = time.monotonic()
        self._pace.note(jit.compiled_kernels(), now)
        return self._pace, now

    def cancel(self) -> None:
        if not self.is_done:
            self._child.terminate()
            self._child.wait()


_of_posing: list[Warming] = []


def compile_posing() -> None:
    """Have what poses need compiled, once for this process; until that is done they are as right, and slower."""
    if not _of_posing and Warming.is_needed(POSING):
        _of_posing.append(Warming(POSING))
