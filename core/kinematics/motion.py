# SPDX-License-Identifier: GPL-3.0-or-later
"""The outward recursion that all algorithms share: pose, velocity and acceleration of a body from its parent's."""

from __future__ import annotations

from ..compilation.jit import jitable, subroutine
from ..joints import FREE, SCREWS
from ..spatial import (
    ZERO,
    add,
    matmul,
    motion_at,
    motion_cross,
    pair_add,
    pair_scale,
    quat_mul,
    quat_normalized,
    quat_of_rotvec,
    quat_to_mat,
    rotate,
    scale,
    turn_z,
    z_axis,
)
from ..spatial.storage import get3, get4, get6, get9, get_pair, put3, put4, put9, put_pair


@jitable
def screw_of(dof, axis):
    """Return S of one dof: (angular, linear) motion per unit of its velocity. axis: in world axes."""
    return scale(axis, dof.turn), scale(axis, dof.slide)


@jitable
def rigid_inertia_of(body):
    """Return (mass, moment, inertia) of a body in its own axes, about its own origin."""
    return body.mass, get3(body.moment), get6(body.inertia)


@jitable
def aligned(R, dof):
    """Return R turned to the axes whose z is the dof's axis. The rotation is skipped if it is the identity."""
    if dof.parallel:
        return R
    return matmul(R, get9(dof.align))


@jitable
def chart_rate(R, qd, body):
    """Return S v of a ball or free joint as (angular, linear) in world axes. R: rotation of the body."""
    if body.kind == FREE:
        return rotate(R, get3(qd, body.v + 3)), rotate(R, get3(qd, body.v))
    return rotate(R, get3(qd, body.v)), ZERO


@jitable
def move(model, work, i, q, qd):
    """Compute the pose, velocity and velocity-product accelerations (`bias`) of body i. Return its rotation and
    velocity.

    All vectors are in world axes, velocities at the body's own origin. All dofs of one body act at that point, which is
    why slides come before turns.

    Source: Featherstone (2008), sections 4.4 and 5.3 (the recursion of the Newton-Euler algorithm).
    """
    body = model.bodies[i]
    parent = work.bodies[body.parent]
    R = get9(parent.rotation)
    arm = rotate(R, get3(body.offset))
    velocity = motion_at(get_pair(parent.velocity), arm)
    if body.kind == SCREWS:
        for j in range(body.v, body.v_end):
            dof = model.dofs[j]
            own = work.dofs[j]
            value = q[body.q + j - body.v]
            R = turn_z(aligned(R, dof), dof.turn * value)
            axis = z_axis(R)
            step = scale(axis, dof.slide * value)
            arm = add(arm, step)
            velocity = motion_at(velocity, step)
            rate = pair_scale(screw_of(dof, axis), qd[j])
            put3(own.axis, axis)
            put_pair(own.c, motion_cross(velocity, rate))
            velocity = pair_add(velocity, rate)
    else:
        R = aligned(R, model.dofs[body.v])
        turned = body.q
        if body.kind == FREE:
            step = rotate(R, get3(q, body.q))
            arm = add(arm, step)
            velocity = motion_at(velocity, step)
            turned += 3
        R = matmul(R, quat_to_mat(quat_normalized(get4(q, turned))))
        rate = chart_rate(R, qd, body)
        put_pair(work.dofs[body.v].c, motion_cross(velocity, rate))
        velocity = pair_add(velocity, rate)
    own = work.bodies[i]
    put9(own.rotation, R)
    put3(own.arm, arm)
    put3(own.origin, add(get3(parent.origin), arm))
    put_pair(own.velocity, velocity)
    return R, velocity


@subroutine
def move_bodies(model, work, q, qd):
    """Call `move` for all bodies, parents first."""
    for i in range(1, model.bodies.shape[0]):
        move(model, work, i, q, qd)


@jitable
def accelerate_body(model, work, i, R, qdd):
    """Compute and return the acceleration of body i from its parent's, after `move`. qdd: joint accelerations.

    It is the spatial acceleration at the body's own origin, in world axes: the rate of the velocity field at that point
    of space (RBDA, section 2.10).
    """
    body = model.bodies[i]
    own = work.bodies[i]
    acceleration = motion_at(get_pair(work.bodies[body.parent].acceleration), get3(own.arm))
    if body.kind == SCREWS:
        for j in range(body.v, body.v_end):
            dof = work.dofs[j]
            push = pair_scale(screw_of(model.dofs[j], get3(dof.axis)), qdd[j])
            acceleration = pair_add(acceleration, pair_add(get_pair(dof.c), push))
    else:
        acceleration = pair_add(acceleration, get_pair(work.dofs[body.v].c))
        acceleration = pair_add(acceleration, chart_rate(R, qdd, body))
    put_pair(own.acceleration, acceleration)
    return acceleration


@subroutine
def integrate_positions(model, q, dv, part):
    """Move positions q along velocities `dv` for `part` of a second, on the manifold of quaternions."""
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                q[body.q + j - body.v] += part * dv[j]
        else:
            turned = body.q
            if body.kind == FREE:
                turned += 3
                R = quat_to_mat(quat_normalized(get4(q, turned)))
                put3(q, add(get3(q, body.q), scale(rotate(R, get3(dv, body.v)), part)), body.q)
            turn = quat_of_rotvec(scale(get3(dv, body.v_end - 3), part))
            put4(q, quat_normalized(quat_mul(get4(q, turned), turn)), turned)
