# SPDX-License-Identifier: GPL-3.0-or-later
"""What a solver is to `Simulation`, whatever it does inside: a state goes in, and moves on; inputs act on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol

import numpy as np

from .inputs import Inputs
from .observation import Observation

Memory = dict[str, np.ndarray]
"""All that a solver needs to go on from a state bit for bit, the state included."""


class Progress(IntEnum):
    """How far `Solver.advance` came."""

    REACHED = 0  # the time that was asked for
    UNDERWAY = 1  # not yet there: call again
    HOPELESS = 2  # no step is short enough; the state is that of the last good one


REACHED, UNDERWAY, HOPELESS = map(int, Progress)
"""The same, as kernels return them."""


class State(NamedTuple):
    """Where a motion has come to.

    Attributes:
        time: since it began [s].
        q: shape (nq,). qd: shape (nv,).
        dissipated, supplied: energy that dampers have taken away, and that controls have brought in [J].
    """

    time: float
    q: np.ndarray
    qd: np.ndarray
    dissipated: float = 0.0
    supplied: float = 0.0


@dataclass(frozen=True)
class Counters:
    """What a solver has done so far.

    Attributes:
        steps, implicit_steps, rejected: taken, those of them that were implicit, and those tried in vain.
        evaluations: of all accelerations. iterations: of Newton's method, to close loops and couplings after steps.
        events, impacts: instants at which something began or ceased to act, and those at which velocities jumped.
        unsettled: events after which it is not certain what holds.
        is_crowded: whether it gives up since events follow each other with next to no time between them.
    """

    steps: int = 0
    implicit_steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    iterations: int = 0
    events: int = 0
    impacts: int = 0
    unsettled: int = 0
    is_crowded: bool = False


class Solver(Protocol):
    """What steps a motion on. Made from (system, state, accuracy)."""

    @property
    def state(self) -> State:
        """At present; a copy."""
        ...

    @property
    def counters(self) -> Counters: ...

    @property
    def flow(self) -> float:
        """Energy that has gone in and out so far, all counted as positive [J]; 0 where that is not counted."""
        ...

    def control(self, inputs: Inputs) -> None:
        """Let something else act from now on."""
        ...

    def advance(self, time: float) -> Progress:
        """Bring the state to `time` [s], or a part of the way where that takes long, so that a caller can stop."""
        ...

    def observe(self) -> Observation:
        """What there is to see at the present state; it changes nothing of how the motion goes on."""
        ...

    def snapshot(self) -> Memory:
        """The present state, and all besides that decides how it goes on; a copy."""
        ...

    def accept(self, arrays: Sequence[np.ndarray]) -> Memory:
        """Return the arrays of a file as a memory of this solver's. Raises StateError if they cannot be one."""
        ...

    def restore(self, memory: Memory) -> None:
        """Go on from there. It is this solver's, or that of another one of the same kind for the same model."""
        ...
