# SPDX-License-Identifier: GPL-3.0-or-later
"""A check of the installation: a pendulum whose motion is known is simulated, timed, and compared."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .compilation import jit
from .compilation.kernel_cache import cache_folder, cache_size, is_writable, numba_version
from .model import WORLD, Axis, Joint, Link, Model
from .simulation import Simulation, is_warm
from .version import VERSION

GRAVITY = 9.81
"""Acceleration of gravity [m/s^2]."""
LENGTH = 1.0
"""Length of the pendulum [m]."""

START = 2.0
"""Initial angle from hanging, at rest [rad]. The motion from there is far from sinusoidal."""

PERIODS = 10
"""Number of periods that are simulated."""

MOST_OFF = 1e-6
"""Largest error of the angle [rad]. The error of a correct installation is far below it."""

MEGABYTE = 1e6
"""Number of bytes of a megabyte."""


@dataclass(frozen=True)
class SelfCheck:
    """The result of a check.

    Attributes:
        versions: of all programs involved, by name.
        off_by: largest error of the pendulum's angle [rad].
        pace: simulated time per time of computation [1].
        compiled_in: time that it took to compile the solver [s]; None if it was compiled before, or never is.
    """

    versions: Mapping[str, str]
    off_by: float
    pace: float
    compiled_in: float | None

    @property
    def is_right(self) -> bool:
        return self.off_by <= MOST_OFF

    @property
    def verdict(self) -> str:
        within = f"a pendulum of {PERIODS} swings is off by {self.off_by:.1e} rad, allowed are {MOST_OFF:g} rad"
        return f"The solver is right: {within}" if self.is_right else f"The solver is WRONG: {within}"

    @property
    def lines(self) -> list[str]:
        """All results, for users and for bug reports."""
        return [
            self.verdict,
            f"Speed: {self.pace:,.0f} seconds of the pendulum in a second, {self._compilation}",
            *kernel_lines(),
            ", ".join(f"{name} {version}" for name, version in self.versions.items()),
        ]

    @property
    def _compilation(self) -> str:
        if jit.way() is jit.Way.LIBRARY:
            return "compiled ahead of time"
        if not jit.is_compiled():
            return f"uncompiled: {jit.why_uncompiled() or 'numba cannot be imported'}"
        return "compiled before" if self.compiled_in is None else f"once compiled, which took {self.compiled_in:.0f} s"


def self_check(compiled_in: float | None = None, host: Mapping[str, str] | None = None) -> SelfCheck:
    """Simulate the pendulum and return the result. This takes a second or two.

    A solver that is not compiled yet is compiled by this.

    Args:
        compiled_in: time that it took to compile the solver beforehand [s].
        host: versions of the program that the package runs in, by name.

    Raises:
        SimulationError: if the simulation failed.
    """
    times, angles = quarters(PERIODS)
    Simulation(pendulum(), times[:2], "exact").run()  # the first call reads kernels from the cache
    begun = time.perf_counter()
    motion = Simulation(pendulum(), times, "exact").run()
    pace = times[-1] / (time.perf_counter() - begun)
    return SelfCheck(versions(host or {}), float(np.abs(motion.q[:, 0] - angles).max()), pace, compiled_in)


def pendulum() -> Model:
    """Return a model of a point mass that is let go at `START`."""
    bob = Link("bob", com=(0.0, 0.0, -LENGTH), inertia=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    hinge = Joint("hinge", "revolute", WORLD, "bob", axes=[Axis(xyz=(0.0, 1.0, 0.0))], home=(START,))
    return Model(links=[bob], joints=[hinge], gravity=(0.0, 0.0, -GRAVITY))


def quarters(periods: int) -> tuple[np.ndarray, np.ndarray]:
    """Return multiples of a quarter of the pendulum's period [s], and its angles [rad] then, in closed form.

    Both have shape (4 periods + 1,). The period is 2 pi sqrt(l / g) / M(1, cos(START / 2)), where M is the
    arithmetic-geometric mean: C. F. Gauss, as in S. Adlaj, An Eloquent Formula for the Perimeter of an Ellipse, Notices
    of the AMS 59 (2012), 1094.
    """
    period = 2.0 * math.pi * math.sqrt(LENGTH / GRAVITY) / _mean(1.0, math.cos(START / 2.0))
    count = np.arange(4 * periods + 1)
    return count * period / 4.0, START * np.array([1.0, 0.0, -1.0, 0.0])[count % 4]


def _mean(a: float, b: float) -> float:
    """Return the arithmetic-geometric mean. Each step doubles the number of correct digits."""
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2.0, math.sqrt(a * b)
    return a


def versions(host: Mapping[str, str]) -> dict[str, str]:
    """Return the versions of the package, of the program that it runs in, and of its dependencies."""
    numba = numba_version() or "none"
    system = f"{platform.system()} {platform.machine()}"
    return {
        "Limberjack": VERSION,
        **host,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba,
        "on": system,
    }


def kernel_lines() -> list[str]:
    """Return a line with the folder and the size of compiled kernels, or [] if kernels run as Python."""
    if library := jit.library():
        return [f"Kernels: {library.path}"]
    if not jit.is_compiled():
        return []
    if not is_writable():
        return [f"Cache: none, because {cache_folder().parent} cannot be used; each process compiles the solver anew"]
    state = "the solver is compiled" if is_warm() else "the solver is yet to be compiled"
    return [f"Cache: {cache_folder().parent}, {cache_size() / MEGABYTE:.0f} MB, {state}"]
