"""The equations of motion of a compiled model: M(q) qdd + h(q, qd) = tau + J' W, with gravity in h.

Arrays have shape (nq,) for q and (nv,) for qd, qdd and tau. `wrenches` maps link names to forces from outside, shape
(6,): the force [N] first, then the torque [N m] about the link's origin, in world axes. Arrays of another length raise
`StateError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..jit import kernel
from ..kinematics import link_jacobian, make_work
from ..model.compiled import CompiledModel
from .aba import articulated_body
from .crba import composite_body
from .forces import joint_forces
from .rnea import newton_euler

Wrenches = Mapping[str, Sequence[float] | np.ndarray]


def mass_matrix(compiled: CompiledModel, q: np.ndarray) -> np.ndarray:
    """M(q), shape (nv, nv) [kg, kg m, kg m^2], armatures included."""
    M = np.zeros((compiled.nv, compiled.nv))
    composite_body(compiled.arrays, make_work(compiled.arrays), compiled.positions(q), M)
    return M


def inverse_dynamics(
    compiled: CompiledModel, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, wrenches: Wrenches | None = None
) -> np.ndarray:
    """All joint forces tau that make the model move so; springs and dampers give `passive_forces` of them.

    Raises:
        ModelError: `wrenches` names no link.
    """
    tau = np.zeros(compiled.nv)
    newton_euler(
        compiled.arrays,
        make_work(compiled.arrays),
        compiled.positions(q),
        compiled.velocities(qd),
        compiled.velocities(qdd, "qdd"),
        tau,
    )
    return tau - _outside(compiled, q, wrenches)


def forward_dynamics(
    compiled: CompiledModel, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, wrenches: Wrenches | None = None
) -> np.ndarray:
    """The accelerations qdd under all joint forces tau, those of springs and dampers included.

    Raises:
        ModelError: `wrenches` names no link.
    """
    qdd = np.zeros(compiled.nv)
    total = compiled.velocities(tau, "tau") + _outside(compiled, q, wrenches)
    articulated_body(
        compiled.arrays, make_work(compiled.arrays), compiled.positions(q), compiled.velocities(qd), total, qdd
    )
    return qdd


def passive_forces(compiled: CompiledModel, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """What springs, dampers and force laws add to tau by themselves."""
    tau = np.zeros(compiled.nv)
    work = make_work(compiled.arrays)
    write_passive_forces(compiled.arrays, work, compiled.positions(q), compiled.velocities(qd), tau)
    return tau


@kernel
def write_passive_forces(model, work, q, qd, tau):
    """`joint_forces`, for a caller outside kernels."""
    joint_forces(model, work, q, qd, 0.0, tau)


def _outside(compiled: CompiledModel, q: np.ndarray, wrenches: Wrenches | None) -> np.ndarray:
    tau = np.zeros(compiled.nv)
    for link, wrench in (wrenches or {}).items():
        tau += link_jacobian(compiled, q, link).T @ np.asarray(wrench, dtype=np.float64)
    return tau
