# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface between `Simulation` and its solvers: states, counters, and the protocols `Observation` and `Solver`.

A solver may use any formulation, such as maximal coordinates. It is recorded and diagnosed by what these protocols say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ..contact.collision_state import CollisionState
from ..contact.points import IMPACT, POINT
from ..controls.inputs import Inputs
from ..kinematics.work import BODY_WORK

if TYPE_CHECKING:
    from .frames import FramesAhead  # which imports this file

ACCURACIES = ("draft", "good", "exact")
"""Names of the accuracies, from the lowest to the highest."""

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


class ContactMotion(NamedTuple):
    """The contacts at an instant, and the motion of the bodies that they belong to.

    Attributes:
        points: POINT records of the active contacts, with the loads that the solver computed last: those of the
            observed state after `Observation.accelerations`.
        bodies: BODY_WORK records of the compiled model's bodies, with their poses and velocities.
    """

    points: np.recarray
    bodies: np.recarray


NO_CONTACTS = ContactMotion(np.zeros(0, POINT).view(np.recarray), np.zeros(0, BODY_WORK).view(np.recarray))
"""The contacts of a solver that knows none."""


class Observation(Protocol):
    """A view of a motion at one instant, for recorders and the doctor. It does not change how the motion continues."""

    @property
    def state(self) -> State:
        """The state, in the coordinates of the compiled model, whatever coordinates the solver uses."""
        ...

    @property
    def inputs(self) -> Inputs:
        """The inputs that act at present."""
        ...

    @property
    def force_states(self) -> np.recarray:
        """FORCE_STATE records, one for each set-valued force of the compiled model."""
        ...

    def place(self, X_WL: np.ndarray) -> tuple[float, float]:
        """Write the poses of links to `X_WL`, shape (L, 7) [m], and return the result of `energies`."""
        ...

    def energies(self) -> tuple[float, float]:
        """Return (kinetic, potential) [J]. The latter includes the energy of compliant contacts."""
        ...

    def largest_gap(self) -> float:
        """Return the largest gap of loops [m] and of equations [rad or m]; 0 if the model has none."""
        ...

    def accelerations(self) -> np.ndarray:
        """Return qdd, shape (nv,)."""
        ...

    def efforts(self) -> np.ndarray:
        """Return the driving force on each dof, shape (nv,) [N m or N].

        It is the sum of the forces of drives, of the callback, and of prescribed motion.
        """
        ...

    def wrenches(self) -> dict[str, np.ndarray]:
        """Return the wrench that each joint exerts on the link that it carries, by name: see `Trajectory.wrenches`."""
        ...

    def contacts(self) -> ContactMotion:
        """Return the contacts; `NO_CONTACTS` if the solver knows none."""
        ...


class Solver(Protocol):
    """A solver, which integrates a motion. `SolverEntry.make` says what it is made from.

    What it answers about contact is in the second part of the class. `WithoutContact` gives these answers for a solver
    that knows none, and whose frames are recorded one by one.
    """

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

    writes_frames: bool
    """Whether `advance` takes frames ahead."""

    def advance(self, time: float, ahead: FramesAhead | None = None) -> Progress:
        """Integrate up to `time` [s], or a part of the way if that takes long, so that a caller can stop.

        ahead: frames to write on the way, only if the solver `writes_frames`. The motion then ends at the last of them,
        and `time` does not count.
        """
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

    # ---- contact

    @property
    def collisions(self) -> CollisionState | None:
        """The solids that may touch; None if none may."""
        ...

    @property
    def points(self) -> np.recarray:
        """POINT records of the present contacts."""
        ...

    @property
    def impacts(self) -> np.recarray:
        """IMPACT records of all impacts so far."""
        ...

    def part_overlaps(self, only_from_ground: bool = False) -> None:
        """Separate overlapping solids gently from the present time on.

        Args:
            only_from_ground: whether to do so only until nothing is deep in fixed half-spaces and open meshes; else
                until no two solids overlap.
        """
        ...

    def prefer_time_stepping(self, steps: int) -> None:
        """Take so many convex steps before events are located again, whatever events cost.

        It has no effect if nothing can touch.
        """
        ...


class WithoutContact:
    """The part of `Solver` about contact, of a solver whose solids do not touch, and which writes no frames."""

    writes_frames = False

    @property
    def collisions(self) -> CollisionState | None:
        return None

    @property
    def points(self) -> np.recarray:
        return NO_CONTACTS.points

    @property
    def impacts(self) -> np.recarray:
        return np.zeros(0, IMPACT).view(np.recarray)

    def part_overlaps(self, only_from_ground: bool = False) -> None:
        """Do nothing: solids pass through each other."""

    def prefer_time_stepping(self, steps: int) -> None:
        """Do nothing: there are no contact events."""
