# SPDX-License-Identifier: GPL-3.0-or-later
"""`diagnose`: the causes of what is wrong with a simulation, for all who report them."""

from __future__ import annotations

from ..simulation.failure import SimulationError
from ..simulation.run_facts import RunFacts
from ..simulation.simulation import Simulation
from .diagnosis import Diagnosis
from .doctor import diagnoses_of


def diagnose(run: Simulation | SimulationError | RunFacts) -> list[Diagnosis]:
    """Return why a simulation failed or looks wrong, the most likely cause first; nothing for a healthy run.

    Args:
        run: the simulation, the error with which it failed, or the facts about it. Ask before it goes back to an
            earlier frame.
    """
    if isinstance(run, SimulationError):
        return run.diagnoses
    return diagnoses_of(run.facts() if isinstance(run, Simulation) else run)
