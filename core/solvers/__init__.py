"""Time stepping: `Simulation` drives any `Solver`; a new one is a file and its line in `SOLVERS`."""

from .controls import Controls, Forces, Moment, Tether
from .diagnosis import Diagnosis, Remedy
from .protocol import Progress, Solver
from .recording import RECORDS
from .schedule import Schedule
from .simulation import ACCURACIES, SOLVERS, Report, Simulation, SimulationError
from .warm_up import is_warm, seconds_left, warm_up

__all__ = [
    "ACCURACIES",
    "RECORDS",
    "SOLVERS",
    "Controls",
    "Diagnosis",
    "Forces",
    "Moment",
    "Progress",
    "Remedy",
    "Report",
    "Schedule",
    "Simulation",
    "SimulationError",
    "Solver",
    "Tether",
    "is_warm",
    "seconds_left",
    "warm_up",
]
