# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface between `Simulation` and its solvers: states, progress, counters and the `Solver` protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol

import numpy as np

from ..controls.inputs import Inputs
from .observation import Observation

Memory = dict[str, np.ndarray]
"""All arrays that a solver needs to continue from a state bit for bit, including the state, by name."""


class Progress(IntEnum):
    """The result of `Solver.advance`."""

    REACHED = 0  # the state is at the requested time
    UNDERWAY = 1  # the state is not there yet: call again
    HOPELESS = 2  # no step is short enough; the state is that after the last accepted step


REACHED, UNDERWAY, HOPELESS = map(int, Progress)
"""The values of `Progress` as integers, which kernels return."""


class State(NamedTuple):
    """A state of a motion.

    Attributes:
        time: since the motion began [s].
        q: shape (nq,). qd: shape (nv,).
        dissipated: energy that dampers, friction and impacts have removed so far [J].
        supplied: energy that drives and controls have added so far [J].
    """

    time: float
    q: np.ndarray
    qd: np.ndarray
    dissipated: float = 0.0
    supplied: float = 0.0


@dataclass(frozen=True)
class Counters:
    """The work of a solver so far.

    Attributes:
        steps: number of accepted steps. implicit_steps: the implicit ones among them. rejected: number of failed
            attempts.
        evaluations: number of evaluations of all accelerations.
        iterations: of Newton's method, which closes loops and couplings after steps.
        events: number of instants at which a force began or ceased to act. impacts: the ones at which velocities
            jumped.
        unsettled: number of events after which the modes of set-valued forces or contacts are uncertain.
        is_crowded: whether the solver gives up because the time between events is nearly zero.
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
    """A solver, which integrates a motion. It is constructed from (system, state, accuracy)."""

    @property
    def state(self) -> State:
        """The present state, as a copy."""
        ...

    @property
    def counters(self) -> Counters: ...

    @property
    def flow(self) -> float:
        """The energy that has been added and removed so far, both counted as positive [J]; 0 if it is not counted."""
        ...

    def control(self, inputs: Inputs) -> None:
        """Replace the inputs from the present time on."""
        ...

    def advance(self, time: float) -> Progress:
        """Integrate up to `time` [s], or a part of the way if that takes long, so that a caller can stop."""
        ...

    def observe(self) -> Observation:
        """Return an observation of the present state. It does not change how the motion continues."""
        ...

    def snapshot(self) -> Memory:
        """Return the present state and all else that determines how the motion continues, as copies."""
        ...

    def validate_memory(self, arrays: Sequence[np.ndarray]) -> Memory:
        """Return the arrays of a file as a memory of this solver.

        Raises:
            StateError: if they cannot be one.
        """
        ...

    def restore(self, memory: Memory) -> None:
        """Continue from a memory of this solver, or of another solver of the same kind for the same model."""
        ...
