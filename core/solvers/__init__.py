# SPDX-License-Identifier: GPL-3.0-or-later
"""Time integration: `Simulation` runs any `Solver`. A new solver is one file and its line in `SOLVERS`."""

from .controls import Controls, Forces, Moment, Tether
from .diagnosis import Diagnosis, Remedy
from .protocol import Counters, Progress, Solver, State
from .recording import RECORDS
from .report import Report
from .saved_state import time_of
from .schedule import Schedule
from .simulate import Worlds, simulate, simulate_worlds
from .simulation import ACCURACIES, SOLVERS, TOUCHING, Simulation, SimulationError, Snapshot
from .warm_up import is_warm, may_touch, warm_up

__all__ = [
    "ACCURACIES",
    "RECORDS",
    "SOLVERS",
    "TOUCHING",
    "Controls",
    "Counters",
    "Diagnosis",
    "Forces",
    "Moment",
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
