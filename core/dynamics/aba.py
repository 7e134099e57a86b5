"""Forward dynamics by the articulated-body algorithm, O(n).

A joint of k columns needs no k x k matrix: taken last to first, each column deflates the articulated inertia by one
rank-1 term, exactly as if a massless body stood between them.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7, Table 7.1; gravity as in section 5.3.
"""

from __future__ import annotations

from ..jit import jitable, kernel
from ..joints import BALL, SCREWS
from ..kinematics.motion import move, rigid_inertia_of, screw_of
from ..kinematics.work import get3, get6, get9, get_articulated, get_pair, put3, put6, put_articulated, put_pair
from ..spatial import (
    ZERO,
    ZERO_ARTICULATED,
    ZERO_MAT,
    ZERO_PAIR,
    ZERO_SYM,
    add,
    articulated,
    articulated_add,
    articulated_deflate,
    articulated_from,
    articulated_mul,
    articulated_solve,
    force_cross,
    force_from,
    inertia_rotate,
    mat_sym,
    momentum,
    motion_at,
    pair_add,
    pair_scale,
    pair_sub,
    power,
    rotate,
    rotate_back,
    scale,
    sub,
    sym_inverse,
    sym_mul,
    sym_product,
    sym_sub,
    transpose,
)


@kernel
def articulated_body(model, work, q, qd, tau, qdd):
    """Write to `qdd`, shape (nv,), the accelerations that joint forces `tau`, shape (nv,), and gravity cause."""
    accelerations(model, work, q, qd, tau, qdd)


@jitable
def accelerations(model, work, q, qd, tau, qdd):
    outward(model, work, q, qd)
    inward(model, work, tau)
    accelerate(model, work, tau, qdd)


@jitable
def outward(model, work, q, qd):
    """Positions and velocities; each body's own inertia, and the force that its own motion asks for."""
    for i in range(1, model.bodies.shape[0]):
        R, velocity = move(model, work, i, q, qd)
        inertia = inertia_rotate(R, rigid_inertia_of(model.bodies[i]))
        own = work.bodies[i]
        put_articulated(own.articulated, articulated(inertia))
        put_pair(own.force, force_cross(velocity, momentum(inertia, velocity)))


@jitable
def inward(model, work, tau):
    """Articulated inertias, and the forces that hold them."""
    ground = work.bodies[0]
    put_articulated(ground.articulated, ZERO_ARTICULATED)
    put_pair(ground.force, ZERO_PAIR)
    for i in range(model.bodies.shape[0] - 1, 0, -1):
        body = model.bodies[i]
        own = work.bodies[i]
        A = get_articulated(own.articulated)
        f = get_pair(own.force)
        if body.kind == SCREWS:
            for j in range(body.v_end - 1, body.v - 1, -1):
                column = work.columns[j]
                S = screw_of(model.columns[j], get3(column.axis))
                U = articulated_mul(A, S)
                d = 1.0 / (power(S, U) + model.columns[j].armature)
                push = d * (tau[j] - power(S, f))
                put_pair(column.gain, pair_scale(U, d))
                column.push = push
                A = articulated_deflate(A, U, d)
                f = pair_add(f, pair_add(articulated_mul(A, get_pair(column.bias)), pair_scale(U, push)))
        elif body.kind == BALL:
            A, f = release_ball(own, work.columns[body.v], A, f, get3(tau, body.v))
        else:
            R = get9(own.rotation)
            f = rotate(R, get3(tau, body.v + 3)), rotate(R, get3(tau, body.v))
            A = ZERO_ARTICULATED
        parent = work.bodies[body.parent]
        arm = get3(own.arm)
        put_articulated(
            parent.articulated, articulated_add(get_articulated(parent.articulated), articulated_from(A, arm))
        )
        put_pair(parent.force, pair_add(get_pair(parent.force), force_from(f, arm)))


@jitable
def release_ball(own, column, A, f, tau):
    """What a ball joint passes inward: its J and H blocks vanish exactly, whatever rounding would leave in them."""
    J, H, M = A
    torque = rotate(get9(own.rotation), tau)
    excess = sub(torque, f[0])
    J_inverse = sym_inverse(J)
    G = mat_sym(transpose(H), J_inverse)
    M = sym_sub(M, sym_product(G, transpose(H)))
    put6(column.inverse, J_inverse)
    put3(column.excess, excess)
    linear_bias = sym_mul(M, get_pair(column.bias)[1])
    return (ZERO_SYM, ZERO_MAT, M), (torque, add(f[1], add(linear_bias, rotate(G, excess))))


@jitable
def accelerate(model, work, tau, qdd):
    """Outward: accelerations. The world is accelerated upward instead of every body being pulled down."""
    put_pair(work.bodies[0].acceleration, (ZERO, scale(get3(model.gravity), -1.0)))
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        own = work.bodies[i]
        v = body.v
        acceleration = motion_at(get_pair(work.bodies[body.parent].acceleration), get3(own.arm))
        if body.kind == SCREWS:
            for j in range(v, body.v_end):
                column = work.columns[j]
                acceleration = pair_add(acceleration, get_pair(column.bias))
                qdd[j] = column.push - power(acceleration, get_pair(column.gain))
                screw = screw_of(model.columns[j], get3(column.axis))
                acceleration = pair_add(acceleration, pair_scale(screw, qdd[j]))
        else:
            R = get9(own.rotation)
            A = get_articulated(own.articulated)
            column = work.columns[v]
            acceleration = pair_add(acceleration, get_pair(column.bias))
            if body.kind == BALL:
                excess = sub(get3(column.excess), rotate(A[1], acceleration[1]))
                angular = sym_mul(get6(column.inverse), excess)
                put3(qdd, rotate_back(R, sub(angular, acceleration[0])), v)
                acceleration = angular, acceleration[1]
            else:
                f = rotate(R, get3(tau, v + 3)), rotate(R, get3(tau, v))
                reached = articulated_solve(A, pair_sub(f, get_pair(own.force)))
                put3(qdd, rotate_back(R, sub(reached[1], acceleration[1])), v)
                put3(qdd, rotate_back(R, sub(reached[0], acceleration[0])), v + 3)
                acceleration = reached
        put_pair(own.acceleration, acceleration)
