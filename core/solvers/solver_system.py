# SPDX-License-Identifier: GPL-3.0-or-later
"""The `System` of a solver, and the energy of a state, for which a `System` is made."""

from __future__ import annotations

from ..controls.inputs import Inputs
from ..dynamics.constraints import ConstraintSet
from ..model.compiling.compiled import CompiledModel
from .joint_events.tied_limits import drop_redundant_limits
from .protocol import State
from .system import System, make_system
from .system_observation import SystemObservation


def make_solver_system(compiled: CompiledModel, constraints: ConstraintSet, points: int = 0) -> System:
    """Return a system without inputs, in which no two limits hold the same motion.

    points: number of contact points for which there is room.
    """
    system = make_system(compiled, constraints, points)
    drop_redundant_limits(system.model.set_valued_forces, system.work.force_states, constraints.arrays)
    return system


def energy_of(compiled: CompiledModel, constraints: ConstraintSet, inputs: Inputs, state: State) -> float:
    """Return the kinetic and potential energy of a state under some inputs [J], without that of contacts."""
    system = make_solver_system(compiled, constraints)._replace(inputs=inputs)
    return sum(SystemObservation(compiled, constraints, system, state).energies())
