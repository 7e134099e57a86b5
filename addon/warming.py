"""Compiles kernels in a process of its own where no library brings them, so that the window does not freeze over it."""

import os
import sys
import time
from importlib import import_module
from pathlib import Path

from ..core import jit
from ..core.kernel_cache import cache_folder

ROOT = Path(__file__).parents[1]
ROOT_PACKAGE = __package__.removesuffix(".addon")
CHILD = Path(__file__).with_name("warming_child.py")


SOLVER, POSING = "solvers.warm_up", "kinematics.warm_up"
"""The modules of core that know what simulations and poses need."""


class Warming:
    """A child process that fills the cache. Should it fail, a simulation compiles for itself, and posing stays slow.

    What it has compiled stays, so that one that is cancelled is gone on with by the next.

    what: `SOLVER` or `POSING`.
    """

    def __init__(self, what: str = SOLVER):
        import subprocess  # takes a tenth of the time in which the add-on is enabled

        # The cache's folder is named after package, sources and Python version, so the child must share all three.
        command = [sys.executable, "-P", str(CHILD), ROOT_PACKAGE, str(ROOT), str(cache_folder().parent), what]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        hidden = subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0
        self._child = subprocess.Popen(  # noqa: S603 - the command is made of our own paths
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, creationflags=hidden
        )
        self._begun = time.monotonic()

    @staticmethod
    def is_needed(what: str = SOLVER) -> bool:
        """Whether it would be compiled first, and there is a Python to do it beforehand."""
        if jit.way() is not jit.Way.NUMBA or not sys.executable:
            return False
        return not import_module(f"..core.{what}", __package__).is_warm()

    @property
    def is_done(self) -> bool:
        return self._child.poll() is not None

    @property
    def seconds(self) -> float:
        """Since it was begun."""
        return time.monotonic() - self._begun

    def cancel(self) -> None:
        if not self.is_done:
            self._child.terminate()
            self._child.wait()


_of_posing: list[Warming] = []


def compile_posing() -> None:
    """Have what poses need compiled, once for this process; until that is done they are as right, and slower."""
    if not _of_posing and Warming.is_needed(POSING):
        _of_posing.append(Warming(POSING))
