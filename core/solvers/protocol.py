"""What a solver is to `Simulation`, whatever it does inside."""

from __future__ import annotations

from enum import IntEnum
from typing import Protocol

import numpy as np


class Progress(IntEnum):
    """How far `Solver.advance` came."""

    REACHED = 0  # the time that was asked for
    UNDERWAY = 1  # not yet there: call again
    HOPELESS = 2  # no step is short enough; the state is that of the last good one


class Solver(Protocol):
    """What steps a motion on. Made from (compiled, q, qd, accuracy).

    Attributes:
        q: shape (nq,). qd: shape (nv,). The present state, updated in place.
        time: how far the motion has come [s].
        dissipated: energy that dampers have taken away [J].
        steps, rejected: taken so far, and tried in vain.
    """

    @property
    def q(self) -> np.ndarray: ...

    @property
    def qd(self) -> np.ndarray: ...

    @property
    def time(self) -> float: ...

    @property
    def dissipated(self) -> float: ...

    @property
    def steps(self) -> int: ...

    @property
    def rejected(self) -> int: ...

    def advance(self, time: float) -> Progress:
        """Bring the state to `time` [s], or a part of the way where that takes long, so that a caller can stop."""
        ...

    def accelerations(self) -> np.ndarray:
        """At the present state, shape (nv,): where they are large, or not numbers, the cause of a failure is near."""
        ...
