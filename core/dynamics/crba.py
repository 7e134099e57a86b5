# SPDX-License-Identifier: GPL-3.0-or-later
"""The mass matrix by the composite-rigid-body algorithm.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.2, table 6.2.
"""

from __future__ import annotations

from ..compilation.jit import jitable, kernel
from ..kinematics.jacobians import motion_of_dof
from ..kinematics.motion import rigid_inertia_of, update_body
from ..spatial import force_from, inertia_rotate, momentum, power, rigid_add, rigid_from
from ..spatial.storage import get3, get_rigid, put_rigid


@kernel
def composite_body(model, work, q, M):
    """Write the mass matrix at q, armatures included, to `M`, shape (nv, nv)."""
    count = model.bodies.shape[0]
    for i in range(1, count):
        R, _ = update_body(model, work, i, q, work.zeros)
        put_rigid(work.bodies[i].articulated, inertia_rotate(R, rigid_inertia_of(model.bodies[i])))
    for i in range(count - 1, 0, -1):
        body_work = work.bodies[i]
        parent_inertia = work.bodies[model.bodies[i].parent].articulated
        put_rigid(
            parent_inertia,
            rigid_add(get_rigid(parent_inertia), rigid_from(get_rigid(body_work.articulated), get3(body_work.arm))),
        )
    M[:, :] = 0.0
    for i in range(1, count):
        for j in range(model.bodies[i].v, model.bodies[i].v_end):
            fill_row(model, work, i, j, get_rigid(work.bodies[i].articulated), M)
            M[j, j] += model.dofs[j].armature


@jitable
def fill_row(model, work, i, j, inertia, M):
    """Write row and column j of M. j: a dof of body i; inertia: the composite inertia of body i and its descendants.

    The force that accelerates the composite body by a unit acceleration of dof j is projected on each dof of the body
    and of its ancestors.
    """
    force = momentum(inertia, motion_of_dof(model, work, i, j))
    ancestor = i
    while ancestor > 0:
        for k in range(model.bodies[ancestor].v, model.bodies[ancestor].v_end):
            M[j, k] = power(motion_of_dof(model, work, ancestor, k), force)
            M[k, j] = M[j, k]
        force = force_from(force, get3(work.bodies[ancestor].arm))
        ancestor = model.bodies[ancestor].parent
