# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse dynamics by the recursive Newton-Euler algorithm. Tests compare the articulated-body algorithm with it.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 5.3, table 5.1.
"""

from __future__ import annotations

from ..compilation.jit import jitable, kernel
from ..joints import BALL, SCREWS
from ..kinematics.motion import accelerate_body, rigid_inertia_of, screw_of, update_body
from ..spatial import (
    ZERO,
    ZERO_PAIR,
    add,
    force_cross,
    force_from,
    inertia_rotate,
    momentum,
    pair_add,
    power,
    rotate_back,
    scale,
)
from ..spatial.storage import get3, get9, get_pair, put3, put_pair
from .forces import armature_momentum, write_rotor_force
from .media import add_medium_forces


@kernel
def newton_euler(model, work, q, qd, qdd, tau):
    """Write the joint forces that cause accelerations `qdd`, shape (nv,), under gravity to `tau`, shape (nv,)."""
    inverse_dynamics_passes(model, work, q, qd, qdd, tau)


@jitable
def inverse_dynamics_passes(model, work, q, qd, qdd, tau):
    """Do what `newton_euler` does, for kernels: compute accelerations outward, then forces inward."""
    put_pair(work.bodies[0].acceleration, (ZERO, scale(get3(model.gravity), -1.0)))
    put_pair(work.bodies[0].force, ZERO_PAIR)
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        body_work = work.bodies[i]
        R, velocity = update_body(model, work, i, q, qd)
        if body.kind != SCREWS:
            write_rotor_force(model, work, body, qd)
        acceleration = accelerate_body(model, work, i, R, qdd)
        inertia = inertia_rotate(R, rigid_inertia_of(body))
        gyroscopic = force_cross(velocity, momentum(inertia, velocity))
        put_pair(body_work.force, pair_add(momentum(inertia, acceleration), gyroscopic))
    add_medium_forces(model, work)
    project_forces(model, work, qdd, tau)


@jitable
def project_forces(model, work, qdd, tau):
    """Sum the bodies' forces from the last body to the first, and project them on each dof."""
    for i in range(model.bodies.shape[0] - 1, 0, -1):
        body = model.bodies[i]
        body_work = work.bodies[i]
        force = get_pair(body_work.force)
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                dof = model.dofs[j]
                tau[j] = power(screw_of(dof, get3(work.dofs[j].axis)), force) + dof.armature * qdd[j]
        else:
            R, w = get9(body_work.rotation), body.v_end - 3
            bias = get_pair(work.dofs[body.v].rotor_force)
            put3(tau, add(rotate_back(R, force[0]), add(armature_momentum(model.dofs, w, qdd), bias[0])), w)
            if body.kind != BALL:
                rotor = add(armature_momentum(model.dofs, body.v, qdd), bias[1])
                put3(tau, add(rotate_back(R, force[1]), rotor), body.v)
        parent = work.bodies[body.parent]
        put_pair(parent.force, pair_add(get_pair(parent.force), force_from(force, get3(body_work.arm))))
