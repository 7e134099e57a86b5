# SPDX-License-Identifier: GPL-3.0-or-later
"""The work records that kernels fill: one for each body, each dof and each set-valued force."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import jitable
from ..model.compiling.compiled import Arrays
from ..spatial.storage import renamed_fields

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
        ("bias", np.float64, 6),  # velocity-product acceleration c (RBDA, table 7.1)
        ("armature", np.float64),  # includes what a linearly implicit step adds for springs and dampers
        # The next three are those of RBDA, table 7.1; see `dynamics/aba.py`.
        ("U_over_D", np.float64, 6),  # U, if the dof is locked
        ("D_inv", np.float64),
        ("u_over_D", np.float64),  # u - D qdd, if the dof is locked
        ("is_locked", np.int64),  # whether qdd is prescribed and the force unknown
        ("prescribed_qdd", np.float64),  # of a locked dof; in an impact, the jump of its velocity
        ("locking_force", np.float64),  # that gives a locked dof its qdd; in an impact, an impulse
        # Of a ball or free joint, at its first dof; `implicit_inertia` of a free joint's rotation is at its fourth.
        ("implicit_inertia", np.float64, 6),  # what `armature` is to a single dof, in child-side axes
        ("ball_D_inv", np.float64, 6),  # of a ball joint, in world axes
        ("u", np.float64, 6),  # in world axes, moment first
    ],
    align=True,
)

FORCE_STATE = np.dtype(
    [
        ("is_disabled", np.int64),  # whether it has no effect, because the motion is prescribed
        ("is_locked", np.int64),  # whether its velocity is kept: at 0 if `motion_sign` is 0, else at the limit
        ("motion_sign", np.int64),  # sign of the velocity, or of one that begins; friction acts against it
        ("stop_side", np.int64),  # stop at which it is held: -1 lower, 1 upper, 0 none
        ("pressed", np.int64),  # compliant stop that is compressed, likewise
        ("saturated", np.int64),  # sign of the drive's force while it is at its effort limit, else 0
        ("is_step_constraint", np.int64),  # whether its drive is a constraint of the convex step
        ("has_step_loads", np.int64),  # whether `passive_load` and `drive_load` are those of the last convex step
        ("passive_load", np.float64),  # load of its stops, friction and velocity limit in that step [N or N m]
        ("drive_load", np.float64),  # load of its drive in that step, if it has an effort limit [N or N m]
        ("load", np.float64),  # force that keeps its velocity, when it was last held [N or N m]
        ("locked_response", np.float64),  # acceleration per unit of that force, when it was last held
        ("lower", np.float64),  # positions of the stops; a start beyond one moves it there
        ("upper", np.float64),
        # while `solvers/joint_events/modes.py` determines which forces lock their coordinates
        ("candidate", np.int64),  # whether it may hold
        ("rested", np.int64),  # whether it was at rest, and not at its velocity limit
        ("is_undecided", np.int64),  # whether it holds because its mode is undecided
        # in an impact, by `solvers/joint_events/impacts.py`
        ("impact_side", np.int64),  # side of the stop or velocity limit that takes an impulse; 0 for none
        ("speeding", np.int64),  # whether that is a velocity limit
        ("velocity_before", np.float64),  # velocity before the impact
        ("velocity_after", np.float64),  # velocity that is to follow it
        ("free_acceleration", np.float64),  # acceleration before it by all forces except the one that held it
        ("impulse", np.float64),  # [N s or N m s]
        ("bounce_count", np.int64),  # number of impacts at stops since the last frame
    ],
    align=True,
)
"""The state of a set-valued force: the modes of its stops, friction, velocity limit and drive, and their loads."""

SAVED_NAMES = {
    "is_disabled": "asleep",
    "is_locked": "held",
    "motion_sign": "slide",
    "stop_side": "touch",
    "is_step_constraint": "apart",
    "has_step_loads": "told",
    "passive_load": "given",
    "drive_load": "driven",
    "locked_response": "yields",
    "is_undecided": "stubborn",
    "impact_side": "struck",
    "velocity_before": "rate",
    "velocity_after": "pace",
    "free_acceleration": "gain",
    "bounce_count": "bounces",
}
"""Names under which saved states store fields of FORCE_STATE. A file that is read must have the same names."""

SAVED_FORCE_STATE = renamed_fields(FORCE_STATE, SAVED_NAMES)
"""FORCE_STATE with the field names of saved states. The memory layout is the same."""


class Work(KernelTuple, namedtuple("Work", "bodies dofs force_states zeros")):
    """The work arrays of kernels: BODY_WORK, DOF_WORK and FORCE_STATE records; zeros: zeros, shape (nv,)."""


def make_work(arrays: Arrays) -> Work:
    bodies = np.zeros(len(arrays.bodies), BODY_WORK).view(np.recarray)
    bodies.rotation[0] = np.eye(3).ravel()
    dofs = np.zeros(len(arrays.dofs), DOF_WORK).view(np.recarray)
    return Work(bodies, dofs, make_force_states(arrays), np.zeros(len(dofs)))


def make_force_states(arrays: Arrays) -> np.recarray:
    """Return FORCE_STATE records of set-valued forces that hold nothing."""
    force_states = np.zeros(len(arrays.set_valued_forces), FORCE_STATE).view(np.recarray)
    force_states.lower, force_states.upper = arrays.set_valued_forces.lower, arrays.set_valued_forces.upper
    return force_states


@jitable
def largest(values):
    """Return the largest absolute value in `values`, shape (n,); infinity if one of them is NaN."""
    found = 0.0
    for i in range(values.shape[0]):
        size = abs(values[i])
        if not size <= found:
            found = size if size == size else math.inf
    return found
