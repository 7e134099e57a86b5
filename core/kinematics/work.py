# SPDX-License-Identifier: GPL-3.0-or-later
"""The work records that kernels fill: one for each body, each dof and each set-valued force."""

from __future__ import annotations

import math
import threading
from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import jitable
from ..model.compiling.compiled import Arrays, CompiledModel, cached
from ..model.compiling.force_states import make_force_states

BODY_WORK = np.dtype(
    [
        ("rotation", np.float64, 9),  # own axes in world axes, row by row
        ("origin", np.float64, 3),  # in the world [m]
        ("arm", np.float64, 3),  # from the parent's origin, in world axes [m]
        ("velocity", np.float64, 6),  # spatial, at the own origin, in world axes, angular first
        ("acceleration", np.float64, 6),  # likewise
        ("articulated", np.float64, 21),  # articulated-body inertia IA; in `crba.py`, the composite rigid inertia
        ("force", np.float64, 6),  # bias force pA at the own origin, moment first; in `rnea.py`, the joint's force f
    ],
    align=True,
)
DOF_WORK = np.dtype(
    [
        ("axis", np.float64, 3),  # unit vector in world axes
        ("c", np.float64, 6),  # velocity-product acceleration (RBDA, table 7.1), angular first
        ("armature", np.float64),  # includes what a linearly implicit step adds for springs and dampers
        # The next three are those of RBDA, table 7.1; see `dynamics/aba.py`.
        ("U_over_D", np.float64, 6),  # U, if the dof is locked
        ("D_inv", np.float64),
        ("u_over_D", np.float64),  # u - D qdd, if the dof is locked
        ("is_locked", np.int64),  # whether qdd is prescribed and the force unknown
        ("prescribed_qdd", np.float64),  # of a locked dof; in an impact, the jump of its velocity
        ("locking_force", np.float64),  # that gives a locked dof its qdd; in an impact, an impulse
        # Of a ball or free joint, at its first dof; `joint_inertia` of a free joint's rotation is at its fourth.
        ("joint_inertia", np.float64, 6),  # what `armature` is to a single dof, in child-side axes
        ("rotor_force", np.float64, 6),  # bias force of armatures, in child-side axes, moment first
        ("ball_D_inv", np.float64, 6),  # of a ball joint, in world axes
        ("u", np.float64, 6),  # in world axes, moment first
    ],
    align=True,
)


class Work(KernelTuple, namedtuple("Work", "bodies dofs force_states zeros")):
    """The work arrays of kernels: BODY_WORK, DOF_WORK and FORCE_STATE records; zeros: zeros, shape (nv,)."""


def make_work(arrays: Arrays) -> Work:
    bodies = np.zeros(len(arrays.bodies), BODY_WORK).view(np.recarray)
    bodies.rotation[0] = np.eye(3).ravel()
    dofs = np.zeros(len(arrays.dofs), DOF_WORK).view(np.recarray)
    return Work(bodies, dofs, make_force_states(arrays), np.zeros(len(dofs)))


def work_of(compiled: CompiledModel) -> Work:
    """Return the calling thread's work arrays for a compiled model.

    All functions that call `work_of` for the same model use the same arrays: results in them last until the next call.
    """
    works, thread = cached(compiled, _works_by_thread), threading.get_ident()
    if thread not in works:
        works[thread] = make_work(compiled.arrays)
    return works[thread]


def _works_by_thread(_compiled: CompiledModel) -> dict[int, Work]:
    return {}


@jitable
def largest(values):
    """Return the largest absolute value in `values`, shape (n,); infinity if one of them is NaN."""
    found = 0.0
    for i in range(values.shape[0]):
        size = abs(values[i])
        if not size <= found:
            found = size if size == size else math.inf
    return found
