# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles kernels in a process of its own where no library brings them, so that the window does not freeze over it."""

import time
from importlib import import_module

from ..core import beside, jit
from ..core.kernel_cache import remove_older_kernels

ROOT_PACKAGE = __package__.removesuffix(".addon")
EXTENSIONS = "bl_ext."


SOLVER, POSING = "solvers.warm_up", "kinematics.warm_up"
"""The modules of core that know what simulations and poses need."""


class Warming:
    """A child process that fills the cache. Should it fail, a simulation compiles for itself, and posing stays slow.

    What it has compiled stays, so that one that is cancelled is gone on with by the next.

    what: `SOLVER` or `POSING`.
    """

    def __init__(self, what: str = SOLVER):
        if ROOT_PACKAGE.startswith(EXTENSIONS):  # whose cache is its own; the command line's is for all checkouts
            remove_older_kernels()
        self._child = beside.start(what, "warm_up")
        self._begun = time.monotonic()

    @staticmethod
    def is_needed(what: str = SOLVER) -> bool:
        """Whether it would be compiled first, and there is a Python to do it beforehand."""
        if jit.way() is not jit.Way.NUMBA or not beside.can_start():
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
        beside.end(self._child)


_of_posing: list[Warming] = []


def compile_posing() -> None:
    """Have what poses need compiled, once for this process; until that is done they are as right, and slower."""
    if not _of_posing and Warming.is_needed(POSING):
        _of_posing.append(Warming(POSING))
