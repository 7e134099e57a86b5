# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics by the articulated-body algorithm, O(n).

A joint of k columns needs no k x k matrix: taken last to first, each column deflates the articulated inertia by one
rank-1 term, exactly as if a massless body stood between them. What its bias asks for is taken before that, so it need
not wait for the division; `push` holds it, and `gain` meets the acceleration that comes from the inner side alone.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7, Table 7.1; gravity as in section 5.3.
"""

from __future__ import annotations

from ..jit import jitable, kernel, subroutine
from ..joints import BALL, SCREWS
from ..kinematics.motion import move, rigid_inertia_of, screw_of
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
    articulated_parallel,
    articulated_solve,
    articulated_turn,
    force_cross,
    force_from,
    inertia_rotate,
    mat_sub,
    mat_sym,
    matmul,
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
    sym_add,
    sym_inverse,
    sym_mul,
    sym_product,
    sym_rotate,
    sym_sub,
    sym_to_mat,
    transpose,
)
from ..spatial.storage import get3, get6, get9, get_articulated, get_pair, put3, put6, put_articulated, put_pair
from .media import add_medium_forces


@kernel
def articulated_body(model, work, q, qd, tau, qdd):
    """Write to `qdd`, shape (nv,), the accelerations that joint forces `tau`, shape (nv,), and gravity cause."""
    for j in range(model.columns.shape[0]):
        work.columns[j].armature = model.columns[j].armature
    accelerations(model, work, q, qd, tau, qdd)


@jitable
def accelerations(model, work, q, qd, tau, qdd):
    outward(model, work, q, qd)
    add_medium_forces(model, work)
    inward(model, work, tau)
    accelerate(model, work, get3(model.gravity), qdd)


@subroutine
def outward(model, work, q, qd):
    """Positions and velocities; each body's own inertia, and the force that its own motion asks for."""
    for i in range(1, model.bodies.shape[0]):
        R, velocity = move(model, work, i, q, qd)
        inertia = inertia_rotate(R, rigid_inertia_of(model.bodies[i]))
        own = work.bodies[i]
        put_articulated(own.articulated, articulated(inertia))
        put_pair(own.force, force_cross(velocity, momentum(inertia, velocity)))


@subroutine
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
                # Most columns only turn, which spares half the product: 8 % of all the time.
                U = articulated_mul(A, S) if model.columns[j].slide != 0.0 else articulated_turn(A, S[0])
                d = 1.0 / (power(S, U) + column.armature)
                f = pair_add(f, articulated_mul(A, get_pair(column.bias)))
                gain = U
                if not column.held:  # else as a weld: what it carries is carried on
                    gain = pair_scale(U, d)
                    A = articulated_deflate(A, U, d)
                felt, f = pass_column(column, S, gain, f, tau[j])
                column.d = d
                put_pair(column.gain, gain)
                column.push = push_of(column, d, felt)
        elif body.kind == BALL:
            A, f = release_ball(own, work.columns[body.v], A, f, get3(tau, body.v))
        else:
            A, f = release_free(own, work.columns, body.v, A, f, (get3(tau, body.v + 3), get3(tau, body.v)))
        parent = work.bodies[body.parent]
        arm = get3(own.arm)
        put_articulated(
            parent.articulated, articulated_add(get_articulated(parent.articulated), articulated_from(A, arm))
        )
        put_pair(parent.force, pair_add(get_pair(parent.force), force_from(f, arm)))


@jitable
def pass_column(column, S, gain, f, tau):
    """(the force that a column feels, the one that it passes inward). A held one passes on what its jump asks for."""
    felt = tau - power(S, f)
    return felt, pair_add(f, pair_scale(gain, column.asked if column.held else felt))


@jitable
def push_of(column, d, felt):
    """What `accelerate` takes for a column's own part in its acceleration; of a held one, for the force that holds."""
    return felt - column.asked / d if column.held else d * felt


@jitable
def pass_ball(A, inverse, f, torque, is_held):
    """(what a ball joint feels, how it yields, the force that it passes inward), in world axes.

    One that nothing holds passes on just the torque that acts in it, whatever rounding would make of that.
    """
    felt = sub(torque, f[0])
    yields = sym_mul(inverse, felt)
    passed = add(f[1], rotate_back(A[1], yields))
    return felt, yields, (add(f[0], sym_mul(A[0], yields)) if is_held else torque, passed)


@jitable
def pass_body(model, work, i, force, tau, felt, yields, at):
    """Pass force[i] through the joint of body i, as `inward` has left it, and add it to force[parent].

    What the joint's dofs feel of it and of joint forces `tau`, shape (nv,), is written to `felt` and how they yield to
    `yields`, from `at` on; those of charts in world axes, turns first. force: shape (bodies, 6).
    """
    body, own = model.bodies[i], work.bodies[i]
    f = get_pair(force[i])
    if body.kind == SCREWS:
        for j in range(body.v_end - 1, body.v - 1, -1):
            column, k = work.columns[j], at + j - body.v
            S = screw_of(model.columns[j], get3(column.axis))
            felt[k], f = pass_column(column, S, get_pair(column.gain), f, tau[j])
            yields[k] = 0.0 if column.held else column.d * felt[k]
    else:
        R, A, column = get9(own.rotation), get_articulated(own.articulated), work.columns[body.v]
        if body.kind == BALL:
            torque = rotate(R, get3(tau, body.v))
            turns, turned, f = pass_ball(A, get6(column.inverse), f, torque, has_implicit_inertia(column))
            put3(felt, turns, at)
            put3(yields, turned, at)
        else:
            own_force = rotate(R, get3(tau, body.v + 3)), rotate(R, get3(tau, body.v))
            excess = pair_sub(own_force, f)
            moved = articulated_solve(inertia_with_implicit(own, work.columns, body.v, A), excess)
            is_held = has_implicit_inertia(column) or has_implicit_inertia(work.columns[body.v + 3])
            f = pair_add(f, articulated_mul(A, moved)) if is_held else own_force
            put_pair(felt[at : at + 6], excess)
            put_pair(yields[at : at + 6], moved)
    if body.parent > 0:
        inner = force[body.parent]
        put_pair(inner, pair_add(get_pair(inner), force_from(f, get3(own.arm))))


@jitable
def has_implicit_inertia(column):
    """Whether a linearly implicit step holds the chart by springs or dampers."""
    return column.implicit_inertia[0] + column.implicit_inertia[3] + column.implicit_inertia[5] > 0.0


@jitable
def release_ball(own, column, A, f, tau):
    """What a ball joint passes inward: its J and H blocks vanish exactly, whatever rounding would leave in them."""
    J, H, M = A
    R = get9(own.rotation)
    is_held = has_implicit_inertia(column)
    inverse = sym_inverse(sym_add(J, sym_rotate(R, get6(column.implicit_inertia))) if is_held else J)
    put6(column.inverse, inverse)
    excess, _, f = pass_ball(A, inverse, f, rotate(R, tau), is_held)
    put3(column.excess, excess)
    M = sym_sub(M, sym_product(mat_sym(transpose(H), inverse), transpose(H)))
    if is_held:
        K = mat_sym(sym_to_mat(J), inverse)
        left = sym_sub(J, sym_product(K, sym_to_mat(J))), mat_sub(H, matmul(K, H)), M
        return left, pair_add(f, articulated_mul(left, get_pair(column.bias)))
    linear_bias = sym_mul(M, get_pair(column.bias)[1])
    return (ZERO_SYM, ZERO_MAT, M), (f[0], add(f[1], linear_bias))


@subroutine
def release_free(own, columns, v, A, f, tau):
    """What a free joint passes inward: its own forces, and what a linearly implicit step holds by springs."""
    R = get9(own.rotation)
    force = rotate(R, tau[0]), rotate(R, tau[1])
    put_pair(columns[v].excess, pair_sub(force, f))
    if not (has_implicit_inertia(columns[v]) or has_implicit_inertia(columns[v + 3])):
        return ZERO_ARTICULATED, force
    held = inertia_with_implicit(own, columns, v, A)
    left = articulated_parallel(A, held)
    reached = articulated_mul(A, articulated_solve(held, pair_sub(force, f)))
    return left, pair_add(pair_add(f, articulated_mul(left, get_pair(columns[v].bias))), reached)


@subroutine
def inertia_with_implicit(own, columns, v, A):
    """A free joint's articulated inertia with what holds it in a linearly implicit step."""
    R = get9(own.rotation)
    linear = sym_rotate(R, get6(columns[v].implicit_inertia))
    angular = sym_rotate(R, get6(columns[v + 3].implicit_inertia))
    return articulated_add(A, (angular, ZERO_MAT, linear))


@subroutine
def accelerate(model, work, gravity, qdd):
    """Outward: accelerations. The world is accelerated upward instead of every body being pulled down."""
    put_pair(work.bodies[0].acceleration, (ZERO, scale(gravity, -1.0)))
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        own = work.bodies[i]
        v = body.v
        acceleration = motion_at(get_pair(work.bodies[body.parent].acceleration), get3(own.arm))
        if body.kind == SCREWS:
            for j in range(v, body.v_end):
                column = work.columns[j]
                qdd[j] = column.push - power(acceleration, get_pair(column.gain))
                if column.held:
                    column.load = -qdd[j]
                    qdd[j] = column.asked
                joint_part = pair_scale(screw_of(model.columns[j], get3(column.axis)), qdd[j])
                acceleration = pair_add(acceleration, pair_add(get_pair(column.bias), joint_part))
        else:
            acceleration = pair_add(acceleration, get_pair(work.columns[v].bias))
            acceleration = accelerate_chart(body, own, work.columns, acceleration, qdd)
        put_pair(own.acceleration, acceleration)


@jitable
def accelerate_chart(body, own, columns, acceleration, qdd):
    """Write a chart's own accelerations and return the body's, given the one that it would have without them."""
    R = get9(own.rotation)
    A = get_articulated(own.articulated)
    column = columns[body.v]
    if body.kind == BALL:
        excess = sub(get3(column.excess), rotate(A[1], acceleration[1]))
        if has_implicit_inertia(column):
            turn = sym_mul(get6(column.inverse), sub(excess, sym_mul(A[0], acceleration[0])))
            put3(qdd, rotate_back(R, turn), body.v)
            return add(acceleration[0], turn), acceleration[1]
        angular = sym_mul(get6(column.inverse), excess)
        put3(qdd, rotate_back(R, sub(angular, acceleration[0])), body.v)
        return angular, acceleration[1]
    held = inertia_with_implicit(own, columns, body.v, A)
    excess = pair_sub(get_pair(column.excess), articulated_mul(A, acceleration))
    turn, slide = articulated_solve(held, excess)
    put3(qdd, rotate_back(R, slide), body.v)
    put3(qdd, rotate_back(R, turn), body.v + 3)
    return pair_add(acceleration, (turn, slide))
