# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics whose error is measured by inverse dynamics."""

from __future__ import annotations

import math

import numpy as np

from ..compilation.jit import kernel
from ..kinematics.work import Work, make_work
from ..model.compiling.compiled import Arrays
from .aba import accelerations
from .forces import set_armatures
from .rnea import inverse_dynamics_passes

LEAST_FORCE = 1e-12
"""Lower bound of the force by which errors are divided [N m or N], so that a model on which no force acts gives no
division by zero."""


@kernel
def solve_and_check(model, work, q, qd, tau, qdd, spare):
    """Write to `qdd`, shape (nv,), the accelerations of `articulated_body`, and return their `forward_residual`.

    Args:
        q: shape (nq,). qd, tau: shape (nv,).
        spare: shape (2, nv), to be overwritten.

    Returns:
        The residual [1]; infinity if a number is not finite.
    """
    set_armatures(model, work)
    accelerations(model, work, q, qd, tau, qdd)
    back, holding = spare[0], spare[1]
    inverse_dynamics_passes(model, work, q, qd, qdd, back)
    inverse_dynamics_passes(model, work, q, qd, work.zeros, holding)
    size, error = LEAST_FORCE, 0.0
    for k in range(tau.shape[0]):
        size = max(size, abs(holding[k]), abs(tau[k]))
        difference = abs(back[k] - tau[k])
        if not difference <= error:
            error = difference
            if not error < math.inf:  # it is infinite or NaN
                return math.inf
    return error / size


def forward_residual(arrays: Arrays, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, work: Work | None = None) -> float:
    """Return the largest |RNEA(ABA(tau)) - tau| relative to the largest of tau and the forces that hold gravity.

    Both algorithms run on the spanning tree. Rounding alone gives about 1e-12. A much larger number means that the mass
    matrix is singular: some dof moves nothing that has inertia.

    work: from `make_work(arrays)`, to be overwritten; None for a new one.
    """
    work = make_work(arrays) if work is None else work
    return solve_and_check(arrays, work, q, qd, tau, np.zeros_like(qd), np.zeros((2, len(qd))))
