# SPDX-License-Identifier: GPL-3.0-or-later
"""`SOLVERS`: all solvers by name. No other file names their classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..dynamics.constraints import ConstraintSet
from ..model.compiling.colliders import Colliders
from ..model.compiling.compiled import CompiledModel
from .hybrid_contact.solver import HybridContactSolver
from .integration.adaptive import Adaptive, ExplicitOnly, ImplicitOnly
from .protocol import Solver, State

Make = Callable[[CompiledModel, ConstraintSet, Colliders | None, State, str], Solver]
"""A function that makes a solver, or its class; see `SolverEntry.make`."""


@dataclass(frozen=True)
class SolverEntry:
    """A solver that simulations can use.

    Attributes:
        make: makes the solver from (compiled model, constraints, colliders, state, accuracy). Loops of the model are
            split. The constraints include prescribed motion. The colliders are None if no two solids may touch. The
            solver begins at the state, without inputs; `Solver.control` gives it inputs.
        has_contact: whether colliders collide.
    """

    make: Make
    has_contact: bool = False


def _make_default(
    compiled: CompiledModel, constraints: ConstraintSet, colliders: Colliders | None, state: State, accuracy: str
) -> Solver:
    """Return a solver that handles contact only where solids may touch, since contact costs time in each step."""
    if colliders is None:
        return Adaptive(compiled, constraints, None, state, accuracy)
    return HybridContactSolver(compiled, constraints, colliders, state, accuracy)


SOLVERS: dict[str, SolverEntry] = {
    "adaptive": SolverEntry(_make_default, has_contact=True),
    "explicit": SolverEntry(ExplicitOnly),
    "implicit": SolverEntry(ImplicitOnly),
}
"""Solvers by their names. The first one is the default."""

CONVEX_STEPS = HybridContactSolver.CONVEX_STEP
"""Length of the time steps of the default solver with many contacts [s], by accuracy."""


def solvers_with_contact() -> tuple[str, ...]:
    """Return the names of the solvers in which collision shapes collide."""
    return tuple(name for name, entry in SOLVERS.items() if entry.has_contact)
