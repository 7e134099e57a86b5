"""Time stepping: `Simulation` drives any `Solver`; a new one is a file and its line in `SOLVERS`."""

from .protocol import Progress, Solver
from .simulation import ACCURACIES, SOLVERS, Report, Simulation, SimulationError
from .warm_up import is_warm, warm_up

__all__ = [
    "ACCURACIES",
    "SOLVERS",
    "Progress",
    "Report",
    "Simulation",
    "SimulationError",
    "Solver",
    "is_warm",
    "warm_up",
]
