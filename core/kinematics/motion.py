# SPDX-License-Identifier: GPL-3.0-or-later
"""The outward step that all algorithms share: place a body, and its velocity, after its parent's."""

from __future__ import annotations

from ..jit import jitable, subroutine
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
    """The motion that a unit of a dof's rate makes, its axis given in world axes."""
    return scale(axis, dof.turn), scale(axis, dof.slide)


@jitable
def rigid_inertia_of(body):
    """In the body's own axes, about its own origin."""
    return body.mass, get3(body.moment), get6(body.inertia)


@jitable
def aligned(R, dof):
    """The axes that R takes to, turned to the dof's own. Along a chain of balls they are often the same already."""
    if dof.parallel:
        return R
    return matmul(R, get9(dof.align))


@jitable
def chart_rate(R, qd, body):
    """A ball's or a free joint's own motion in world axes; R: the body's axes after it."""
    if body.kind == FREE:
        return rotate(R, get3(qd, body.v + 3)), rotate(R, get3(qd, body.v))
    return rotate(R, get3(qd, body.v)), ZERO


@jitable
def move(model, work, i, q, qd):
    """Place body i, its velocity and its dofs; leave in `bias` what its acceleration owes to velocities alone.

    Everything is in world axes; velocities are taken at the body's own origin. The dofs of one joint all act at
    that point, which is why its slides come before its turns. Returns the body's rotation and velocity.

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
            put_pair(own.bias, motion_cross(velocity, rate))
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
        put_pair(work.dofs[body.v].bias, motion_cross(velocity, rate))
        velocity = pair_add(velocity, rate)
    own = work.bodies[i]
    put9(own.rotation, R)
    put3(own.arm, arm)
    put3(own.origin, add(get3(parent.origin), arm))
    put_pair(own.velocity, velocity)
    return R, velocity


@subroutine
def move_bodies(model, work, q, qd):
    """`move` all bodies, parents first."""
    for i in range(1, model.bodies.shape[0]):
        move(model, work, i, q, qd)


@jitable
def accelerate_body(model, work, i, R, qdd):
    """Leave in `acceleration` that of body i, after its parent's, `move` and the joint accelerations `qdd`; return it.

    It is the spatial acceleration at the body's own origin, in world axes: the rate at which the velocity field changes
    at that point of space.
    """
    body = model.bodies[i]
    own = work.bodies[i]
    acceleration = motion_at(get_pair(work.bodies[body.parent].acceleration), get3(own.arm))
    if body.kind == SCREWS:
        for j in range(body.v, body.v_end):
            dof = work.dofs[j]
            push = pair_scale(screw_of(model.dofs[j], get3(dof.axis)), qdd[j])
            acceleration = pair_add(acceleration, pair_add(get_pair(dof.bias), push))
    else:
        acceleration = pair_add(acceleration, get_pair(work.dofs[body.v].bias))
        acceleration = pair_add(acceleration, chart_rate(R, qdd, body))
    put_pair(own.acceleration, acceleration)
    return acceleration


@subroutine
def integrate_positions(model, q, dv, part):
    """Move positions along velocities `dv` for `part` of a second."""
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
