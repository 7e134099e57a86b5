# SPDX-License-Identifier: GPL-3.0-or-later
"""The terms of the equations of motion M(q) qdd + C(q, qd) + G(q) = tau, one function each."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..kinematics.batches import batched
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, Values
from .equations import inverse_dynamics


@batched
def gravity_forces(model: AnyModel, q: Values = None) -> np.ndarray:
    """Return G(q), shape (nv,): the joint forces that hold the model still against gravity [N m, N].

    Spring forces are not subtracted; `passive_forces` has them.

    Raises:
        StateError: if loops, couplings or limits make velocities depend on each other, so that the joint forces are not
            unique; use `inverse_dynamics` with motors.
    """
    compiled = compiled_of(model)
    return inverse_dynamics(compiled, q) - velocity_forces(compiled, q)


@batched
def velocity_forces(model: AnyModel, q: Values = None, qd: Values = None) -> np.ndarray:
    """Return C(q, qd), shape (nv,): the joint forces that keep the velocities constant, without gravity [N m, N].

    They balance centrifugal and Coriolis forces, and, for links with damping, the forces of drag and wind.

    Raises:
        StateError: as `gravity_forces`.
    """
    return inverse_dynamics(_weightless(compiled_of(model)), q, qd)


def _weightless(compiled: CompiledModel) -> CompiledModel:
    return dataclasses.replace(compiled, arrays=compiled.arrays._replace(gravity=np.zeros(3)))
