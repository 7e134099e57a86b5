# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor: it explains why a run failed or looks wrong, and which change helps.

Each file has rules for one subject, which read a `Case`: the facts about a run, and what follows from them.
It uses simulations, solvers and records, and changes neither a model nor a motion.
Importing this package registers the doctor, so that `SimulationError` and `Simulation.diagnose` name causes, though
`simulation` is a layer below. Whoever reports such an error imports it from here.
"""

from ..simulation.failure import SimulationError, register_doctor
from .asking import diagnose
from .diagnosis import Diagnosis, Remedy
from .doctor import diagnoses_of

register_doctor(diagnoses_of)

__all__ = ["Diagnosis", "Remedy", "SimulationError", "diagnose"]
