# SPDX-License-Identifier: GPL-3.0-or-later
"""The mass matrix by the composite-rigid-body algorithm.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.2, table 6.2.
"""

from __future__ import annotations

from ..compilation.jit import jitable, kernel
from ..kinematics.jacobian import motion_of_dof
from ..kinematics.motion import move, rigid_inertia_of
from ..spatial import force_from, inertia_rotate, momentum, power, rigid_add, rigid_from
from ..spatial.storage import get3, get_rigid, put_rigid


@kernel
def composite_body(model, work, q, M):
    """Write the mass matrix at q, armatures included, to `M`, shape (nv, nv)."""
    count = model.bodies.shape[0]
    for i in range(1, count):
        R, _ = move(model, work, i, q, work.zeros)
        put_rigid(work.bodies[i].articulated, inertia_rotate(R, rigid_inertia_of(model.bodies[i])))
    for i in range(count - 1, 0, -1):
        own = work.bodies[i]
        outer = work.bodies[model.bodies[i].parent].articulated
        put_rigid(outer, rigid_add(get_rigid(outer), rigid_from(get_rigid(own.articulated), get3(own.arm))))
    M[:, :] = 0.0
    for i in range(1, count):
        for j in range(model.bodies[i].v, model.bodies[i].v_end):
            fill_row(model, work, i, j, get_rigid(work.bodies[i].articulated), M)
            M[j, j] += model.dofs[j].armature


@jitable
def fill_row(model, work, i, j, inertia, M):
    """Write row j of M: the force that accelerates composite body i along dof j, projected on each dof below."""
    force = momentum(inertia, motion_of_dof(model, work, i, j))
    below = i
    while below > 0:
        for k in range(model.bodies[below].v, model.bodies[below].v_end):
            M[j, k] = power(motion_of_dof(model, work, below, k), force)
            M[k, j] = M[j, k]
        force = force_from(force, get3(work.bodies[below].arm))
        below = model.bodies[below].parent
