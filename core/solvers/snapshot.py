# SPDX-License-Identifier: GPL-3.0-or-later
"""What a simulation is at a frame, so that it can go back there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..dynamics.constraints import ConstraintSet
from ..model import Joint
from ..model.compiled import CompiledModel
from .contact_report import ContactReport, Touches
from .contact_setup import NO_POINTS, Impact, impacts_of
from .inputs import Inputs
from .protocol import Memory, Solver, State
from .recording import Recorder
from .schedule import ScheduledInputs
from .touching import Touching


@dataclass(frozen=True)
class Stage:
    """A motion from one time at which other joints act to the next.

    Attributes:
        compiled: the model as the solver reads it. schedule: what changes of its numbers. start: where it began.
        owners: the names of the links that its solids belong to. struck: the blows of the stages before.
        earlier: what the stages before say of what touched.
    """

    compiled: CompiledModel
    constraints: ConstraintSet
    schedule: ScheduledInputs
    start: State
    solver: Solver
    recorder: Recorder
    owners: tuple[str, ...] = ()
    struck: tuple[Impact, ...] = ()
    earlier: ContactReport | None = None

    def points(self) -> tuple[Sequence[str], np.ndarray]:
        """The owners, and a copy of the solver's POINT records at present; none for a solver that knows no contact."""
        return self.owners, self.solver.points.copy() if isinstance(self.solver, Touching) else NO_POINTS

    def impacts(self, zero: float) -> list[Impact]:
        """The blows so far, of the stages before too. zero: the time at which the solver counts from [s]."""
        own = impacts_of(self.owners, self.solver.impacts, zero) if isinstance(self.solver, Touching) else []
        return [*self.struck, *own]

    def touches(self, zero: float) -> Touches | None:
        """What touched in this stage; None where nothing may. zero: as in `impacts`."""
        if not isinstance(self.solver, Touching):
            return None
        times, ground = self.recorder.stage.times, self.solver.ground
        own = impacts_of(self.owners, self.solver.impacts, zero)
        return Touches(self.recorder.touches, self.owners, ground, times, own)

    def contact_report(self, zero: float) -> ContactReport | None:
        """Of this stage and those before; None where nothing may touch."""
        touches = self.touches(zero)
        if touches is None:
            return self.earlier
        report = replace(self.earlier) if self.earlier else ContactReport()
        report.take(touches, self.recorder.stage)
        return report


@dataclass(frozen=True)
class Tally:
    """What is summed up over frames and stages.

    Attributes:
        counts: of the stages before. flow: energy in and out up to the last frame; largest: between two frames [J].
    """

    counts: Mapping[str, Any]
    flow: float = 0.0
    largest: float = 0.0


@dataclass(frozen=True)
class Snapshot:
    """A simulation at a frame.

    Attributes:
        frames: that are done. ahead: the stages that are still to come, and when [s].
        gripping: joints that hold links where these were, and not as drawn. jumps: number of jumps of prescribed motion
            so far. inputs: what acted up to the frame.
        memory: of the stage's solver.
    """

    frames: int
    loop_error: float
    tally: Tally
    stage: Stage
    ahead: tuple[tuple[float, CompiledModel], ...]
    gripping: Mapping[str, Joint]
    jumps: int
    inputs: Inputs
    memory: Memory
