# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation of a model, frame by frame: `Simulation` runs any `Solver`, and records the motion.

It uses `controls`, `solvers` and `records`. How a step is computed belongs to `solvers`, and why a run failed to
`diagnosis`.
"""

from ..controls.controls import Controls, Forces, FrameState, Tether
from ..controls.schedule import Schedule
from ..records.recording import RECORDS
from ..records.report import Report
from ..solvers.protocol import ACCURACIES, Counters, Progress, Solver, State
from ..solvers.registry import SOLVERS, SolverEntry, solvers_with_contact
from .failure import SimulationError
from .saved_state import time_of
from .simulate import Worlds, simulate, simulate_worlds
from .simulation import Simulation
from .snapshot import Snapshot
from .warm_up import is_warm, may_touch, warm_up

__all__ = [
    "ACCURACIES",
    "RECORDS",
    "SOLVERS",
    "Controls",
    "Counters",
    "Forces",
    "FrameState",
    "Progress",
    "Report",
    "Schedule",
    "Simulation",
    "SimulationError",
    "Snapshot",
    "Solver",
    "SolverEntry",
    "State",
    "Tether",
    "Worlds",
    "is_warm",
    "may_touch",
    "simulate",
    "simulate_worlds",
    "solvers_with_contact",
    "time_of",
    "warm_up",
]
