# SPDX-License-Identifier: GPL-3.0-or-later
"""The equations of motion: M(q) qdd + h(q, qd) = tau + J' W + G' L, with gravity in h.

G' L are the constraint forces of loops, mimics, couplings and equal limits. Functions named `tree_…` leave them out.
Drives, friction, stops and velocity limits act in simulations only.

`model` is a `Model` or a `CompiledModel`. q, qd, qdd and tau are arrays in the layout of the latter, of shapes (nq,)
and (nv,), or {joint: number or list}: joints that are left out are at home, at rest, and without force. A `Model` has
the layout of `compile_model(model)`. `wrenches` maps link names to external wrenches, shape (6,): the
force [N] first, then the torque [N m] about the link's origin, in world axes. Arrays of another length raise
`StateError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..compilation.jit import kernel
from ..kinematics import dependence_clauses, free_motions, require_satisfied, require_split, tree_jacobian
from ..kinematics.allowed_velocities import dofs_of
from ..kinematics.batches import batched
from ..kinematics.work import work_of
from ..model import StateError
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, Values, numbers_of
from ..model.text import quoted
from ..spatial.arrays import least_squares, matmul
from ..spatial.storage import get3
from .aba import articulated_body
from .constraint_forces import add_constraint_accelerations
from .constraints import constraints_of, make_scratch
from .crba import composite_body
from .forces import joint_forces
from .residual import solve_and_check
from .rnea import newton_euler
from .singular import ROUNDING_RESIDUAL, singularity_in_words

Wrenches = Mapping[str, Sequence[float] | np.ndarray]

BALANCED = 1e-6
"""Largest residual of inverse dynamics with motors, relative to the largest force [1].

It equals the error of states that `require_satisfied` accepts, from which such residuals follow.
"""


@batched
def mass_matrix(model: AnyModel, q: Values = None) -> np.ndarray:
    """Return M(q), shape (nv, nv) [kg, kg m, kg m^2], armatures included.

    Raises:
        StateError: if loops, couplings or limits make velocities depend on each other.
    """
    compiled = compiled_of(model)
    if found := dependence_clauses(compiled):
        raise StateError(
            f"{found[0]}, so that not all velocities are independent, as a mass matrix takes them: with Z = "
            "kinematics.free_motions(compiled, q), that of the mechanism is Z.T @ tree_mass_matrix(compiled, q) @ Z"
        )
    return tree_mass_matrix(compiled, q)


def tree_mass_matrix(model: AnyModel, q: Values = None) -> np.ndarray:
    """Return the mass matrix of the spanning tree, whose velocities are all independent.

    Without `split_loops`, the armatures of joints that close loops are left out. With it, links that these joints cut
    are represented by their parts. `free_motions` combines them again.
    """
    compiled = compiled_of(model)
    M = np.zeros((compiled.nv, compiled.nv))
    composite_body(compiled.arrays, work_of(compiled), compiled.positions(q), M)
    return M


@batched
def inverse_dynamics(
    model: AnyModel,
    q: Values = None,
    qd: Values = None,
    qdd: Values = None,
    wrenches: Wrenches | None = None,
    motors: Sequence[str] | None = None,
) -> np.ndarray:
    """Return all joint forces tau that cause the accelerations qdd, shape (nv,). They include `passive_forces`.

    If loops or couplings make velocities depend on each other, the forces are unique only with `motors`.

    Args:
        motors: names of the joints that exert forces; tau of all others is 0. If None, all joints do.

    Raises:
        ModelError: if `wrenches` names no link. StateError: if velocities depend on each other and `motors` is None; if
            the motors can cause the motion in no way or in several; or if the state violates the constraints of the
            model.
    """
    compiled = compiled_of(model)
    tied = dependence_clauses(compiled)
    if tied and motors is None:
        raise StateError(
            f"{tied[0]}, so that the joint forces of a motion are not unique: name as motors the joints that give "
            "them; or with Z = kinematics.free_motions(compiled, q), the forces along what can move are "
            "Z.T @ tree_inverse_dynamics(compiled, q, qd, qdd)"
        )
    if motors is None:
        return tree_inverse_dynamics(compiled, q, qd, qdd, wrenches)
    q, qd, qdd = compiled.positions(q), compiled.velocities(qd), compiled.velocities(qdd, "qdd")
    Z = free_motions(compiled, q)
    tree_tau = tree_inverse_dynamics(compiled, q, qd, qdd, wrenches)
    dofs, tau = dofs_of(compiled, motors), np.zeros(compiled.nv)
    forces, rank = least_squares(Z[dofs].T, matmul(Z.T, tree_tau), 1e-9)
    if rank < len(dofs):
        raise StateError(
            f"motors {quoted(motors)}: {len(dofs)} forces act on {rank} way(s) to move, and can be shared in many "
            "ways; name fewer"
        )
    tau[dofs] = forces
    largest = max(np.abs(tree_tau).max(initial=0.0), np.abs(tau).max(initial=0.0))
    if np.abs(matmul(Z.T, tau - tree_tau)).max(initial=0.0) > BALANCED * largest:
        raise StateError(
            f"motors {quoted(motors)} cannot make it move so: it can move in {Z.shape[1]} way(s), and they "
            f"act on {rank}; name more"
        )
    _require_consistent(compiled, qdd, forward_dynamics(compiled, q, qd, tau, wrenches))
    return tau


def _require_consistent(compiled: CompiledModel, qdd: np.ndarray, actual: np.ndarray) -> None:
    error = np.abs(actual - qdd)
    if not error.max(initial=0.0) <= BALANCED * (1.0 + np.abs(actual).max(initial=0.0)):
        dof = int(np.argmax(error))
        raise StateError(
            f"qdd breaks what the model holds to: with these motors link '{compiled.link_of_dof(dof)}' accelerates by "
            f"{actual[dof]:.6g}, found {qdd[dof]:.6g}; kinematics.free_motions(compiled, q) tells which ones go "
            "together"
        )


def tree_inverse_dynamics(
    model: AnyModel, q: Values = None, qd: Values = None, qdd: Values = None, wrenches: Wrenches | None = None
) -> np.ndarray:
    """Return M qdd + h - J' W of the spanning tree, for any state, loops open or closed.

    Raises:
        ModelError: if `wrenches` names no link.
    """
    compiled = compiled_of(model)
    tau = np.zeros(compiled.nv)
    newton_euler(
        compiled.arrays,
        work_of(compiled),
        compiled.positions(q),
        compiled.velocities(qd),
        compiled.velocities(qdd, "qdd"),
        tau,
    )
    return tau - _external_forces(compiled, q, wrenches) if wrenches else tau


@batched
def forward_dynamics(
    model: AnyModel, q: Values = None, qd: Values = None, tau: Values = None, wrenches: Wrenches | None = None
) -> np.ndarray:
    """Return the accelerations qdd under joint forces tau, which include those of springs and dampers.

    Loops, mimics, couplings and equal limits are respected.

    Raises:
        ModelError: if `wrenches` names no link. StateError: if `model` leaves its loops out; if the state violates
            the constraints of the model (`kinematics.closed_state` repairs it); or if the mass matrix is singular.
    """
    compiled = compiled_of(model)
    require_split(compiled, "forward_dynamics")
    positions, velocities = compiled.positions(q), compiled.velocities(qd)
    require_satisfied(compiled, positions, velocities)
    total = compiled.velocities(tau, "tau")
    if wrenches:
        total = total + _external_forces(compiled, positions, wrenches)
    arrays, work, qdd, spare = compiled.arrays, work_of(compiled), np.empty(compiled.nv), np.empty((2, compiled.nv))
    if not solve_and_check(arrays, work, positions, velocities, total, qdd, spare) < ROUNDING_RESIDUAL:
        raise StateError(singularity_in_words(compiled, positions))
    if dependence_clauses(compiled):
        articulated_body(arrays, work, positions, velocities, total, qdd)
        constraints = constraints_of(compiled)
        scratch = make_scratch(compiled, constraints)
        constrain_accelerations(arrays, work, constraints.arrays, scratch, positions, velocities, qdd)
    return qdd


@kernel
def constrain_accelerations(model, work, constraints, scratch, q, qd, qdd):
    """Add the accelerations that constraint forces cause to `qdd`, which has those of `articulated_body`."""
    add_constraint_accelerations(model, work, constraints, scratch, q, qd, qdd, get3(model.gravity))


def passive_forces(model: AnyModel, q: Values = None, qd: Values = None) -> np.ndarray:
    """Return the forces of springs and dampers, shape (nv,), also of joints that close loops.

    Each joint's force depends on its own q and qd only. Loops may be open.

    Raises:
        StateError: if `model` leaves its loops out.
    """
    compiled = compiled_of(model)
    require_split(compiled, "passive_forces")
    tau = np.zeros(compiled.nv)
    work = work_of(compiled)
    write_passive_forces(compiled.arrays, work, compiled.positions(q), compiled.velocities(qd), tau)
    return tau


@kernel
def write_passive_forces(model, work, q, qd, tau):
    """Write the forces of springs and dampers to `tau`, shape (nv,): `joint_forces` for calls from Python."""
    joint_forces(model, work, q, qd, 0.0, tau)


def _external_forces(compiled: CompiledModel, q: Values, wrenches: Wrenches | None) -> np.ndarray:
    tau = np.zeros(compiled.nv)
    for link, wrench in (wrenches or {}).items():
        numbers = numbers_of(wrench)
        if numbers.shape != (6,) or not np.isfinite(numbers).all():
            raise StateError(
                f"the wrench on link '{link}' takes a force and a torque, 6 finite numbers, found {wrench!r}"
            )
        tau += matmul(tree_jacobian(compiled, q, link).T, numbers)
    return tau
