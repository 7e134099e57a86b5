# SPDX-License-Identifier: GPL-3.0-or-later
"""The work records that kernels fill: one for each body, each dof and each guard."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..jit import jitable
from ..model.compiled import Arrays
from ..slots import Bundled

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

WATCH = np.dtype(
    [
        ("asleep", np.int64),  # a guard that does nothing, since the motion is prescribed
        ("held", np.int64),  # velocity stays: at 0 if `slide` is, else at the largest
        ("slide", np.int64),  # the sign of the velocity against which friction acts
        ("touch", np.int64),  # -1 at the lower stop, 1 at the upper one, if held there
        ("pressed", np.int64),  # likewise, of a compliant stop that gives way
        ("saturated", np.int64),  # the sign of a drive's force where it is as large as its effort allows
        ("apart", np.int64),  # whether its drive is a constraint of the convex step, solved with the contacts
        ("told", np.int64),  # whether `given` and `driven` are the loads of the last convex step
        ("given", np.float64),  # the load of its stops, friction and speed limit in that step [N or N m]
        ("driven", np.float64),  # the load of its drive, if that has an effort limit
        ("load", np.float64),  # the force that holds it
        ("yields", np.float64),  # 1 / the inertia that it meets, when last held
        ("lower", np.float64),  # the stops; where a motion starts beyond them, they act from there on
        ("upper", np.float64),
        # while it is found out what holds
        ("candidate", np.int64),  # whether it might
        ("rested", np.int64),  # whether it was at rest, and not at its largest speed
        ("stubborn", np.int64),  # whether it holds since it could not be found out
        # in an impact
        ("struck", np.int64),  # the side of the stop, or of the largest speed, that takes an impulse; 0 for none
        ("speeding", np.int64),  # whether it is the largest speed
        ("rate", np.float64),  # the velocity that it comes with
        ("pace", np.float64),  # and leaves with
        ("gain", np.float64),  # the acceleration that forces gave it before, or would have if it had not been held
        ("impulse", np.float64),
        ("bounces", np.int64),  # since the last frame
    ],
    align=True,
)


class Work(Bundled, namedtuple("Work", "bodies dofs watches still")):
    """BODY_WORK, DOF_WORK and, for each guard, WATCH records; still: zero velocities or forces, shape (nv,)."""


def make_work(arrays: Arrays) -> Work:
    bodies = np.zeros(len(arrays.bodies), BODY_WORK).view(np.recarray)
    bodies.rotation[0] = np.eye(3).ravel()
    dofs = np.zeros(len(arrays.dofs), DOF_WORK).view(np.recarray)
    return Work(bodies, dofs, make_watches(arrays), np.zeros(len(dofs)))


def make_watches(arrays: Arrays) -> np.recarray:
    """Return WATCH records of guards that hold nothing."""
    watches = np.zeros(len(arrays.guards), WATCH).view(np.recarray)
    watches.lower, watches.upper = arrays.guards.lower, arrays.guards.upper
    return watches


@jitable
def largest(values):
    """Return the largest absolute value in `values`, shape (n,); infinity if one of them is NaN."""
    found = 0.0
    for i in range(values.shape[0]):
        size = abs(values[i])
        if not size <= found:
            found = size if size == size else math.inf
    return found
