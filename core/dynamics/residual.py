# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of forward dynamics, measured by inverse dynamics."""

from __future__ import annotations

import numpy as np

from ..kinematics.work import Work, make_work
from ..model.compiling.compiled import Arrays
from .aba import articulated_body
from .rnea import newton_euler


def forward_residual(
    arrays: Arrays, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, work: Work | None = None
) -> np.ndarray:
    """Return |RNEA(ABA(tau)) - tau| relative to the largest of tau and the forces that hold gravity, shape (nv,).

    Both algorithms run on the spanning tree. Rounding alone gives about 1e-12. A much larger number, or NaN, means that
    the mass matrix is singular: some dof moves nothing that has inertia.

    work: from `make_work(arrays)`, to be overwritten; None for a new one.
    """
    work = make_work(arrays) if work is None else work
    qdd, back, holding = np.zeros_like(qd), np.zeros_like(qd), np.zeros_like(qd)
    articulated_body(arrays, work, q, qd, tau, qdd)
    newton_euler(arrays, work, q, qd, qdd, back)
    newton_euler(arrays, work, q, qd, np.zeros_like(qd), holding)
    scale = max(np.abs(holding).max(initial=0.0), np.abs(tau).max(initial=0.0), 1e-12)
    return np.abs(back - tau) / scale
