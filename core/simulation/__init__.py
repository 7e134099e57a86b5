# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation of a model, frame by frame: `Simulation` runs any `Solver`, and records the motion.

It uses `controls`, `solvers`, `records` and `diagnosis`. A new solver is one file there and its line in `SOLVERS`.
How a step is computed belongs to `solvers`.
"""

from ..controls.controls import Controls, Forces, FrameState, Tether
from ..controls.schedule import Schedule
from ..diagnosis.diagnosis import Diagnosis, Remedy
from ..records.recording import RECORDS
from ..records.report import Report
from ..solvers.protocol import Counters, Progress, Solver, State
from .saved_state import time_of
from .simulate import Worlds, simulate, simulate_worlds
from .simulation import ACCURACIES, SOLVERS, WITH_CONTACT, Simulation, SimulationError, Snapshot
from .warm_up import is_warm, may_touch, warm_up

__all__ = [
    "ACCURACIES",
    "RECORDS",
    "SOLVERS",
    "WITH_CONTACT",
    "Controls",
    "Counters",
    "Diagnosis",
    "Forces",
    "FrameState",
    "Progress",
    "Remedy",
    "Report",
    "Schedule",
    "Simulation",
    "SimulationError",
    "Snapshot",
    "Solver",
    "State",
    "Tether",
    "Worlds",
    "is_warm",
    "may_touch",
    "simulate",
    "simulate_worlds",
    "time_of",
    "warm_up",
]
