# SPDX-License-Identifier: GPL-3.0-or-later
"""Centre of mass, its Jacobian, and the momentum of a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..compilation.jit import kernel
from ..kinematics import dependence_clauses, free_motions, require_satisfied
from ..kinematics.motion import rigid_inertia_of, update_body
from ..kinematics.work import work_of
from ..model import ModelError, StateError
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, Values
from ..spatial import add, force_from, inertia_rotate, scale
from ..spatial import momentum as momentum_of
from ..spatial.arrays import matmul
from ..spatial.storage import get3


@kernel
def total_momentum(model, work, q, qd):
    """Return (mass, mass * com, (angular, linear) momentum) about the world's origin. The world has no mass here."""
    mass = 0.0
    moment = (0.0, 0.0, 0.0)
    angular = (0.0, 0.0, 0.0)
    linear = (0.0, 0.0, 0.0)
    for i in range(1, model.bodies.shape[0]):
        R, velocity = update_body(model, work, i, q, qd)
        inertia = inertia_rotate(R, rigid_inertia_of(model.bodies[i]))
        origin = get3(work.bodies[i].origin)
        body_momentum = force_from(momentum_of(inertia, velocity), origin)
        mass += inertia[0]
        moment = add(moment, add(inertia[1], scale(origin, inertia[0])))
        angular = add(angular, body_momentum[0])
        linear = add(linear, body_momentum[1])
    return mass, moment, (angular, linear)


def centre_of_mass(model: AnyModel, q: Values = None) -> np.ndarray:
    """Return the centre of mass of all bodies that can move, in world axes, shape (3,) [m].

    Raises:
        ModelError: if nothing that can move has mass. StateError: if q violates loops, mimics, couplings or equal
            limits.
    """
    compiled = compiled_of(model)
    mass, moment, _ = _totals(compiled, q, None)
    return np.array(moment) / _required_mass(compiled, mass)


def momentum(model: AnyModel, q: Values = None, qd: Values = None) -> np.ndarray:
    """Return (linear [kg m/s], angular [kg m^2/s] about the centre of mass) momentum in world axes, shape (6,).

    Raises:
        StateError: if q or qd violates loops, mimics, couplings or equal limits.
    """
    mass, moment, (angular, linear) = _totals(compiled_of(model), q, qd)
    if mass > 0.0:
        angular = np.array(angular) - np.cross(np.array(moment) / mass, linear)
    return np.array([*linear, *angular])


def _totals(compiled: CompiledModel, q: Values, qd: Values):
    positions, velocities = compiled.positions(q), compiled.velocities(qd)
    require_satisfied(compiled, positions, velocities)
    return total_momentum(compiled.arrays, work_of(compiled), positions, velocities)


def tree_com_jacobian(model: AnyModel, q: Values = None) -> np.ndarray:
    """Return the Jacobian of the centre of mass of the spanning tree, as `com_jacobian`, for any state."""
    compiled = compiled_of(model)
    positions, work = compiled.positions(q), work_of(compiled)
    J = np.zeros((3, compiled.nv))
    for dof, alone in enumerate(np.eye(compiled.nv)):
        mass, _, (_, linear) = total_momentum(compiled.arrays, work, positions, alone)
        J[:, dof] = np.array(linear) / _required_mass(compiled, mass)
    return J


def _required_mass(compiled: CompiledModel, mass: float) -> float:
    if not mass > 0.0:
        raise ModelError(
            f"model '{compiled.model.name}': nothing that can move has mass, so there is no centre of mass; give a "
            "link mass"
        )
    return mass


def com_jacobian(model: AnyModel, q: Values = None, leading: Sequence[str] | None = None) -> np.ndarray:
    """Return J with v = J qd, shape (3, nv): the velocity of the centre of mass of all that can move, in world axes.

    Args:
        leading: names of the joints that lead a mechanism; see `link_jacobian`.

    Raises:
        ModelError: if nothing that can move has mass. StateError: if q violates loops, mimics, couplings or equal
            limits; or if these make velocities depend on each other and `leading` is None.
    """
    compiled = compiled_of(model)
    require_satisfied(compiled, compiled.positions(q))
    if leading is not None:
        return matmul(tree_com_jacobian(compiled, q), free_motions(compiled, q, leading))
    if found := dependence_clauses(compiled):
        raise StateError(
            f"{found[0]}, so that not all velocities are independent, as the columns of a Jacobian are: name with "
            "leading=[joints] those whose velocities decide all others"
        )
    return tree_com_jacobian(compiled, q)
