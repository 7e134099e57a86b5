"""What a solver is to `Simulation`, whatever it does inside."""

from __future__ import annotations

from enum import IntEnum
from typing import Protocol

import numpy as np

from .system import System


class Progress(IntEnum):
    """How far `Solver.advance` came."""

    REACHED = 0  # the time that was asked for
    UNDERWAY = 1  # not yet there: call again
    HOPELESS = 2  # no step is short enough; the state is that of the last good one


class Solver(Protocol):
    """What steps a motion on. Made from (system, q, qd, accuracy, time).

    Attributes:
        q: shape (nq,). qd: shape (nv,). The present state, updated in place.
        time: how far the motion has come, from 0 [s].
        dissipated, supplied: energy that dampers have taken away, and that controls have brought in [J].
        flow: energy that has gone in and out so far, all counted as positive [J].
        steps, implicit_steps, rejected: taken so far, those of them that were implicit, and those tried in vain.
        events, impacts: instants at which something began or ceased to act, and those at which velocities jumped.
        unsettled: events after which it is not certain what holds.
        is_crowded: whether it gives up since events follow each other with next to no time between them.
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
    def supplied(self) -> float: ...

    @property
    def flow(self) -> float: ...

    @property
    def steps(self) -> int: ...

    @property
    def implicit_steps(self) -> int: ...

    @property
    def rejected(self) -> int: ...

    @property
    def events(self) -> int: ...

    @property
    def impacts(self) -> int: ...

    @property
    def unsettled(self) -> int: ...

    @property
    def is_crowded(self) -> bool: ...

    def note(self, dissipated: float, supplied: float) -> None:
        """Add to the ledgers [J]."""
        ...

    def control(self, system: System) -> None:
        """Go on with another `System` of the same model: what acts on it has changed."""
        ...

    def advance(self, time: float) -> Progress:
        """Bring the state to `time` [s], or a part of the way where that takes long, so that a caller can stop."""
        ...
