# SPDX-License-Identifier: GPL-3.0-or-later
"""The outward recursion that all algorithms share: motion of a body from that of its parent."""

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
    """Return R times the rotation to axes whose z axis is that of the dof. It is skipped if it is the identity."""
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
def update_body(model, work, i, q, qd):
    """Compute the pose and velocity of body i and the velocity-product accelerations of its dofs.

    Return (rotation, spatial velocity) of the body. The results are also written to `work`, which must have those of
    the body's parent. All vectors are in world axes, and spatial vectors are at the body's own origin. All dofs of a
    body act at that point. So translations must come before rotations in a body's joint.

    Args:
        q: shape (nq,). qd: shape (nv,).

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
            dof_work = work.dofs[j]
            value = q[body.q + j - body.v]
            R = turn_z(aligned(R, dof), dof.turn * value)
            axis = z_axis(R)
            translation = scale(axis, dof.slide * value)
            arm = add(arm, translation)
            velocity = motion_at(velocity, translation)
            joint_velocity = pair_scale(screw_of(dof, axis), qd[j])
            put3(dof_work.axis, axis)
            put_pair(dof_work.c, motion_cross(velocity, joint_velocity))
            velocity = pair_add(velocity, joint_velocity)
    else:
        R = aligned(R, model.dofs[body.v])
        quat_index = body.q
        if body.kind == FREE:
            translation = rotate(R, get3(q, body.q))
            arm = add(arm, translation)
            velocity = motion_at(velocity, translation)
            quat_index += 3
        R = matmul(R, quat_to_mat(quat_normalized(get4(q, quat_index))))
        joint_velocity = chart_rate(R, qd, body)
        put_pair(work.dofs[body.v].c, motion_cross(velocity, joint_velocity))
        velocity = pair_add(velocity, joint_velocity)
    body_work = work.bodies[i]
    put9(body_work.rotation, R)
    put3(body_work.arm, arm)
    put3(body_work.origin, add(get3(parent.origin), arm))
    put_pair(body_work.velocity, velocity)
    return R, velocity


@subroutine
def update_bodies(model, work, q, qd):
    """Compute poses, velocities and velocity-product accelerations of all bodies, parents first."""
    for i in range(1, model.bodies.shape[0]):
        update_body(model, work, i, q, qd)


@jitable
def accelerate_body(model, work, i, R, qdd):
    """Compute the spatial acceleration of body i from that of its parent. Return it, and write it to `work`.

    `update_body` must have run for this body. The acceleration is at the body's own origin, in world axes: the rate of
    the velocity field at a fixed point of space (RBDA, section 2.10).

    Args:
        R: rotation of the body.
        qdd: joint accelerations, shape (nv,).
    """
    body = model.bodies[i]
    body_work = work.bodies[i]
    acceleration = motion_at(get_pair(work.bodies[body.parent].acceleration), get3(body_work.arm))
    if body.kind == SCREWS:
        for j in range(body.v, body.v_end):
            dof_work = work.dofs[j]
            joint_part = pair_scale(screw_of(model.dofs[j], get3(dof_work.axis)), qdd[j])
            acceleration = pair_add(acceleration, pair_add(get_pair(dof_work.c), joint_part))
    else:
        acceleration = pair_add(acceleration, get_pair(work.dofs[body.v].c))
        acceleration = pair_add(acceleration, chart_rate(R, qdd, body))
    put_pair(body_work.acceleration, acceleration)
    return acceleration


@subroutine
def integrate_positions(model, q, dv, part):
    """Add to q, shape (nq,), a displacement with velocities `dv`, shape (nv,), for `part` seconds.

    The rotation of a ball or free joint is that of constant angular velocity. Quaternions are normalized.
    """
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                q[body.q + j - body.v] += part * dv[j]
        else:
            quat_index = body.q
            if body.kind == FREE:
                quat_index += 3
                R = quat_to_mat(quat_normalized(get4(q, quat_index)))
                put3(q, add(get3(q, body.q), scale(rotate(R, get3(dv, body.v)), part)), body.q)
            turn = quat_of_rotvec(scale(get3(dv, body.v_end - 3), part))
            put4(q, quat_normalized(quat_mul(get4(q, quat_index), turn)), quat_index)
