# SPDX-License-Identifier: GPL-3.0-or-later
"""`RunFacts`: what a simulation knows about its run, for those who explain it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..controls.controls import Controls
from ..dynamics.constraints import ConstraintSet
from ..model.compiling.compiled import CompiledModel
from ..records.contact_report import Touches
from ..records.report import Report
from ..solvers.jumps import Jump
from ..solvers.protocol import Counters, Observation, State
from ..trajectory.trajectory import Trajectory


@dataclass(frozen=True)
class RunFacts:
    """The facts about a run at present. Read them before the simulation moves on, since `seen` moves with it.

    Attributes:
        start: the state at the start of the stage. seen: an observation of the present state.
        trajectory: the frames of the stage.
        accuracy: the requested accuracy.
        failed: whether the solver has given up.
        falls: the base link if the whole model falls freely from the first frame on, else "".
        times: of all frames [s], shape (F,). numbers: the numbers of these frames in messages, shape (F,).
        touches: the contacts of this stage; None if nothing can touch. contact: whether contact is switched on.
        jumps: the jumps of prescribed motion so far.
        meant_to_fall: names of links of machines that fall on purpose.
    """

    compiled: CompiledModel
    constraints: ConstraintSet
    controls: Controls
    start: State
    trajectory: Trajectory
    report: Report
    counters: Counters
    seen: Observation
    accuracy: str
    failed: bool
    falls: str = ""
    times: np.ndarray = field(default_factory=lambda: np.zeros(1))
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(1))
    touches: Touches | None = None
    contact: bool = False
    jumps: tuple[Jump, ...] = ()
    meant_to_fall: frozenset[str] = frozenset()

    @cached_property
    def rates(self) -> np.ndarray:
        """The present accelerations, shape (nv,)."""
        with np.errstate(all="ignore"):
            return self.seen.accelerations()

    @property
    def fastest_dof(self) -> int:
        """The velocity coordinate with the largest present acceleration."""
        sizes = np.where(np.isfinite(self.rates), np.abs(self.rates), math.inf)
        return int(np.argmax(sizes)) if len(sizes) else 0
