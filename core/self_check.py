# SPDX-License-Identifier: GPL-3.0-or-later
"""Is this installation right? A pendulum whose motion is known is simulated, timed, and compared."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from . import jit
from .kernel_cache import cache_folder, cache_size, is_writable, numba_version
from .model import WORLD, Axis, Joint, Link, Model
from .solvers import Simulation, is_warm
from .version import VERSION

GRAVITY, LENGTH = 9.81, 1.0
"""[m/s^2], [m]"""

START = 2.0
"""Radians from hanging, at rest: far beyond where a pendulum swings in sines."""

PERIODS = 10

MOST_OFF = 1e-6
"""Radians that a right installation stays within, by far."""

MEGABYTE = 1e6


@dataclass(frozen=True)
class SelfCheck:
    """What a check has found.

    Attributes:
        versions: of all that takes part, by name.
        off_by: the largest error of the pendulum's angle [rad].
        pace: seconds simulated in a second.
        compiled_in: how long the solver took to be compiled [s]; None where it was compiled before, or never is.
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
        """All of it, for people and for reports of bugs."""
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
    """Simulate the pendulum, in a second or two; a solver that is not compiled yet is compiled by that.

    Args:
        compiled_in: how long it took to compile the solver beforehand [s].
        host: versions of what the package runs in, by name.

    Raises:
        SimulationError: the motion could not be followed.
    """
    times, angles = quarters(PERIODS)
    Simulation(pendulum(), times[:2], "exact").run()  # kernels are read from the cache when they are first called
    begun = time.perf_counter()
    motion = Simulation(pendulum(), times, "exact").run()
    pace = times[-1] / (time.perf_counter() - begun)
    return SelfCheck(versions(host or {}), float(np.abs(motion.q[:, 0] - angles).max()), pace, compiled_in)


def pendulum() -> Model:
    """A point mass that is let go at `START`."""
    bob = Link("bob", com=(0.0, 0.0, -LENGTH), inertia=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    hinge = Joint("hinge", "revolute", WORLD, "bob", axes=[Axis(xyz=(0.0, 1.0, 0.0))], home=(START,))
    return Model(links=[bob], joints=[hinge], gravity=(0.0, 0.0, -GRAVITY))


def quarters(periods: int) -> tuple[np.ndarray, np.ndarray]:
    """Quarters of the pendulum's period [s], and its angles [rad] then, shapes (4 periods + 1,): a closed form.

    The period is 2 pi sqrt(l / g) / M(1, cos(START / 2)), where M is the arithmetic-geometric mean: C. F. Gauss, as in
    S. Adlaj, An Eloquent Formula for the Perimeter of an Ellipse, Notices of the AMS 59 (2012), 1094.
    """
    period = 2.0 * math.pi * math.sqrt(LENGTH / GRAVITY) / _mean(1.0, math.cos(START / 2.0))
    count = np.arange(4 * periods + 1)
    return count * period / 4.0, START * np.array([1.0, 0.0, -1.0, 0.0])[count % 4]


def _mean(a: float, b: float) -> float:
    """The arithmetic-geometric mean, whose digits double with each step."""
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2.0, math.sqrt(a * b)
    return a


def versions(host: Mapping[str, str]) -> dict[str, str]:
    """Of the package, of what it runs in, and of what it needs."""
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
    """Return a line that says where compiled kernels lie and how much room they take; nothing if they run as Python."""
    if library := jit.library():
        return [f"Kernels: {library.path}"]
    if not jit.is_compiled():
        return []
    if not is_writable():
        return [f"Cache: none, because {cache_folder().parent} cannot be used; each process compiles the solver anew"]
    state = "the solver is compiled" if is_warm() else "the solver is yet to be compiled"
    return [f"Cache: {cache_folder().parent}, {cache_size() / MEGABYTE:.0f} MB, {state}"]
