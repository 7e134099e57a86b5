# SPDX-License-Identifier: GPL-3.0-or-later
"""Compile kernels in a separate process if no library contains them, so that the window does not freeze."""

import time
from importlib import import_module

from ..core.compilation import jit
from ..core.compilation.kernel_cache import remove_older_kernels
from ..core.processes import helper

ROOT_PACKAGE = __package__.removesuffix(".addon")
EXTENSIONS = "bl_ext."


SOLVER = "simulation.warm_up"
"""The module of core that compiles the kernels of simulations."""

POSING = "kinematics.inverse.warm_up"
"""The module of core that compiles the kernels of posing."""


class KernelCompilation:
    """A child process that compiles kernels into the cache.

    If it fails, a simulation compiles by itself, and posing stays slow. Results of a cancelled process are kept, and
    the next one continues from there.

    Args:
        module: `SOLVER` or `POSING`.
    """

    def __init__(self, module: str = SOLVER):
        if ROOT_PACKAGE.startswith(EXTENSIONS):  # an extension has its own cache; checkouts share one
            remove_older_kernels()
        self._child = helper.start(module, "warm_up")
        self._begun = time.monotonic()

    @staticmethod
    def is_needed(module: str = SOLVER) -> bool:
        """Return whether kernels must be compiled first, and whether there is a Python to do it."""
        if jit.way() is not jit.Way.NUMBA or not helper.can_start():
            return False
        return not import_module(f"..core.{module}", __package__).is_warm()

    @property
    def is_done(self) -> bool:
        return self._child.poll() is not None

    @property
    def seconds(self) -> float:
        """The time since its start [s]."""
        return time.monotonic() - self._begun

    def cancel(self) -> None:
        helper.end(self._child)


_posing_compilation: list[KernelCompilation] = []


def compile_posing() -> None:
    """Compile the kernels for posing, once per process. Until they are ready, poses are correct but slower."""
    if not _posing_compilation and KernelCompilation.is_needed(POSING):
        _posing_compilation.append(KernelCompilation(POSING))
