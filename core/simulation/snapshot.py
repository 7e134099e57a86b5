# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a simulation at a frame, to which it can return, and the stage that the state belongs to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..controls.held_forces import HeldForces
from ..controls.inputs import Inputs
from ..controls.schedule import ScheduledInputs
from ..dynamics.constraints import ConstraintSet
from ..model import Joint
from ..model.compiling.compiled import CompiledModel
from ..records.breaking import Break
from ..records.contact_report import ContactReport, Touches
from ..records.named_contacts import Impact, impacts_of, reported_fields
from ..records.recording import Recorder
from ..solvers.protocol import Counters, Memory, Solver, State

COUNTS = ("steps", "implicit_steps", "rejected", "events", "impacts", "evaluations", "iterations")
"""Names of the counters that a `Report` has."""


@dataclass(frozen=True)
class Stage:
    """A part of a motion between two times at which joints change, or prescribed motion jumps or ends.

    Attributes:
        compiled: the model as the solver reads it. schedule: its numbers that change in time.
        start: the state at the beginning.
        owners: for each solid, the name of its link. earlier_impacts: the impacts of earlier stages.
        earlier: the contact report of earlier stages; None if nothing could touch in them.
    """

    compiled: CompiledModel
    constraints: ConstraintSet
    schedule: ScheduledInputs
    start: State
    solver: Solver
    recorder: Recorder
    owners: tuple[str, ...] = ()
    earlier_impacts: tuple[Impact, ...] = ()
    earlier: ContactReport | None = None

    def points(self) -> tuple[Sequence[str], np.ndarray]:
        """Return the owners, and REPORTED records of the solver's present contacts; none if it knows no contact."""
        return self.owners, reported_fields(self.solver.points)

    def impacts(self, zero: float, after: float = -math.inf) -> list[Impact]:
        """Return the impacts so far, with those of earlier stages.

        Args:
            zero: time from which the solver counts [s]. after: time after which impacts count [s].
        """
        earlier, own = self.earlier_impacts, self.solver.impacts
        if after > -math.inf:
            earlier, own = [each for each in earlier if each.time > after], own[own.time > after - zero]
        return [*earlier, *impacts_of(self.owners, own, zero)]

    def touches(self, zero: float) -> Touches | None:
        """Return the contacts of this stage, or None if nothing can touch. zero: as in `impacts`."""
        collisions = self.solver.collisions
        if collisions is None:
            return None
        own = impacts_of(self.owners, self.solver.impacts, zero)
        return Touches(self.recorder.touches, self.owners, collisions, self.recorder.stage.times, own)

    def contact_report(self, zero: float) -> ContactReport | None:
        """Return the report of this stage and the earlier ones, or None if nothing can touch. zero: as in `impacts`."""
        touches = self.touches(zero)
        if touches is None:
            return self.earlier
        report = replace(self.earlier) if self.earlier else ContactReport()
        report.add_stage(touches, self.recorder.stage)
        return report


@dataclass(frozen=True)
class Tally:
    """Sums over stages and frames.

    Attributes:
        counts: sums of the counters of earlier stages.
        flow: energy that has been added and removed in this stage, up to the last frame [J].
        largest: the largest such energy between two frames, of all stages [J].
    """

    counts: Mapping[str, Any]
    flow: float = 0.0
    largest: float = 0.0

    def total(self, counters: Counters) -> dict[str, Any]:
        """Return the sums of the counters of all stages, with those of this stage."""
        return {name: count + getattr(counters, name) for name, count in self.counts.items()}


class KeptChanges(NamedTuple):
    """The part of a snapshot that `JointChanges` has.

    Attributes:
        ahead: the later stages, each with its first time [s].
        gripping: joints that were enabled during the motion; their frames fit the poses of the links at that time.
        breaks: the joints that have broken so far.
    """

    ahead: tuple[tuple[float, CompiledModel], ...]
    gripping: Mapping[str, Joint]
    breaks: tuple[Break, ...]


@dataclass(frozen=True)
class Snapshot:
    """The state of a simulation at a frame.

    Attributes:
        frames: number of finished frames. joints: those that act from now on.
        jumps: number of jumps of prescribed motion so far. inputs: those up to the frame.
        memory: that of the stage's solver. forces: of the last call of the callback.
    """

    frames: int
    loop_error: float
    tally: Tally
    stage: Stage
    joints: KeptChanges
    jumps: int
    inputs: Inputs
    memory: Memory
    forces: HeldForces
