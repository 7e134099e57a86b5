"""Time stepping: `Simulation` drives any `Solver`; a new one is a file and its line in `SOLVERS`."""

from .controls import Controls, Forces, Moment
from .diagnosis import Diagnosis
from .protocol import Progress, Solver
from .recording import RECORDS
from .simulation import ACCURACIES, SOLVERS, Report, Simulation, SimulationError
from .warm_up import is_warm, warm_up

__all__ = [
    "ACCURACIES",
    "RECORDS",
    "SOLVERS",
    "Controls",
    "Diagnosis",
    "Forces",
    "Moment",
    "Progress",
    "Report",
    "Simulation",
    "SimulationError",
    "Solver",
    "is_warm",
    "warm_up",
]
