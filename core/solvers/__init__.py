"""Time stepping: `Simulation` drives any `Solver`; a new one is a file and its line in `SOLVERS`."""

from .simulation import ACCURACIES, SOLVERS, Report, Simulation, SimulationError, Solver
from .warm_up import is_warm, warm_up

__all__ = [
    "ACCURACIES",
    "SOLVERS",
    "Report",
    "Simulation",
    "SimulationError",
    "Solver",
    "is_warm",
    "warm_up",
]
