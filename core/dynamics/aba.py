# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward dynamics by the articulated-body algorithm, in O(n) operations.

The names are those of the source: S is the motion of one dof, c its velocity-product acceleration, IA the
articulated-body inertia, pA the bias force, U = IA S, D = S'U + armature and u = tau - S'pA. A joint of k dofs needs no
k x k matrix. Its dofs are eliminated one at a time, the outermost first, as if there were a massless body between each
two. The term IA c is added to pA before the division by D, which shortens the dependency chain.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7, table 7.1; gravity as in section 5.3; locked
dofs, whose acceleration is prescribed, as in section 9.2 (hybrid dynamics).
"""

from __future__ import annotations

from ..compilation.jit import jitable, kernel, subroutine
from ..joints import BALL, SCREWS
from ..kinematics.motion import rigid_inertia_of, screw_of, update_body
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
from .forces import set_armatures, write_rotor_force
from .media import add_medium_forces


@kernel
def articulated_body(model, work, q, qd, tau, qdd):
    """Write to `qdd`, shape (nv,), the accelerations that joint forces `tau`, shape (nv,), and gravity cause."""
    set_armatures(model, work)
    accelerations(model, work, q, qd, tau, qdd)


@jitable
def accelerations(model, work, q, qd, tau, qdd):
    """Do what `articulated_body` does, with the joints' inertias in `work.dofs`, which include implicit forces."""
    forward_kinematics_pass(model, work, q, qd)
    add_medium_forces(model, work)
    articulated_inertia_pass(model, work, tau)
    acceleration_pass(model, work, get3(model.gravity), qdd)


@subroutine
def forward_kinematics_pass(model, work, q, qd):
    """Compute poses, velocities and velocity-product accelerations c, from the first body to the last.

    Initialize IA of each body to its rigid-body inertia, and pA to its velocity-product force v x* I v.
    """
    for i in range(1, model.bodies.shape[0]):
        R, velocity = update_body(model, work, i, q, qd)
        inertia = inertia_rotate(R, rigid_inertia_of(model.bodies[i]))
        body_work = work.bodies[i]
        if model.bodies[i].kind != SCREWS:
            write_rotor_force(model, work, model.bodies[i], qd)
        put_articulated(body_work.articulated, articulated(inertia))
        put_pair(body_work.force, force_cross(velocity, momentum(inertia, velocity)))


@subroutine
def articulated_inertia_pass(model, work, tau):
    """Compute IA and pA of bodies, from the last body to the first (RBDA, table 7.1, pass 2).

    U/D, 1/D and u/D of each dof are written to `work.dofs`, from which `acceleration_pass` reads them.
    """
    world = work.bodies[0]
    put_articulated(world.articulated, ZERO_ARTICULATED)
    put_pair(world.force, ZERO_PAIR)
    for i in range(model.bodies.shape[0] - 1, 0, -1):
        body, body_work = model.bodies[i], work.bodies[i]
        IA, pA = get_articulated(body_work.articulated), get_pair(body_work.force)
        if body.kind == SCREWS:
            for j in range(body.v_end - 1, body.v - 1, -1):
                dof_work = work.dofs[j]
                S = screw_of(model.dofs[j], get3(dof_work.axis))
                # Most dofs only turn. Half of the product suffices for them, which saves 8 % of the algorithm's time.
                U = articulated_mul(IA, S) if model.dofs[j].slide != 0.0 else articulated_turn(IA, S[0])
                D_inv = 1.0 / (power(S, U) + dof_work.armature)
                pA = pair_add(pA, articulated_mul(IA, get_pair(dof_work.c)))
                U_over_D = U
                if not dof_work.is_locked:
                    U_over_D = pair_scale(U, D_inv)
                    IA = articulated_deflate(IA, U, D_inv)
                u, pA = propagate_dof(dof_work, S, U_over_D, pA, tau[j])
                dof_work.D_inv = D_inv
                put_pair(dof_work.U_over_D, U_over_D)
                dof_work.u_over_D = u_over_D_of(dof_work, D_inv, u)
        elif body.kind == BALL:
            IA, pA = eliminate_ball(body_work, work.dofs[body.v], IA, pA, get3(tau, body.v))
        else:
            IA, pA = eliminate_free(body_work, work.dofs, body.v, IA, pA, (get3(tau, body.v + 3), get3(tau, body.v)))
        parent = work.bodies[body.parent]
        arm = get3(body_work.arm)
        put_articulated(
            parent.articulated, articulated_add(get_articulated(parent.articulated), articulated_from(IA, arm))
        )
        put_pair(parent.force, pair_add(get_pair(parent.force), force_from(pA, arm)))


@jitable
def propagate_dof(dof_work, S, U_over_D, pA, tau):
    """Return u, and the bias force on the inner side of a dof: pA + (U/D) u, or pA + U qdd if the dof is locked.

    For a locked dof, U_over_D is U.
    """
    u = tau - power(S, pA)
    return u, pair_add(pA, pair_scale(U_over_D, dof_work.prescribed_qdd if dof_work.is_locked else u))


@jitable
def u_over_D_of(dof_work, D_inv, u):
    """Return u/D, or for a locked dof u - D qdd, from which `acceleration_pass` computes the locking force."""
    return u - dof_work.prescribed_qdd / D_inv if dof_work.is_locked else D_inv * u


@jitable
def propagate_ball(IA, D_inv, pA, torque, has_inertia):
    """Return u and D^-1 u of a ball joint, and the bias force on its inner side, in world axes.

    Without armatures, implicit springs and dampers, the moment of that force is exactly the joint's torque. So the
    torque is returned, without the rounding errors of a computation.
    """
    u = sub(torque, pA[0])
    D_inv_u = sym_mul(D_inv, u)
    force = add(pA[1], rotate_back(IA[1], D_inv_u))
    return u, D_inv_u, (add(pA[0], sym_mul(IA[0], D_inv_u)) if has_inertia else torque, force)


@jitable
def propagate_force(model, work, i, force, tau, u, D_inv_u, at):
    """Propagate a bias force through the joint of body i and add the result to force[parent].

    The inertias are those of the last `articulated_inertia_pass`. u and D^-1 u of the joint's dofs are written to the
    arrays `u` and `D_inv_u`, from index `at` on. Those of a ball or free joint are in world axes, rotations first.

    Args:
        force: bias force of each body at its origin, moment first, in world axes, shape (bodies, 6) [N m, N].
        tau: joint forces, shape (nv,).
    """
    body, body_work = model.bodies[i], work.bodies[i]
    pA = get_pair(force[i])
    if body.kind == SCREWS:
        for j in range(body.v_end - 1, body.v - 1, -1):
            dof_work, k = work.dofs[j], at + j - body.v
            S = screw_of(model.dofs[j], get3(dof_work.axis))
            u[k], pA = propagate_dof(dof_work, S, get_pair(dof_work.U_over_D), pA, tau[j])
            D_inv_u[k] = 0.0 if dof_work.is_locked else dof_work.D_inv * u[k]
    else:
        R, IA, dof_work = get9(body_work.rotation), get_articulated(body_work.articulated), work.dofs[body.v]
        if body.kind == BALL:
            torque = rotate(R, get3(tau, body.v))
            moment, turn, pA = propagate_ball(IA, get6(dof_work.ball_D_inv), pA, torque, has_joint_inertia(dof_work))
            put3(u, moment, at)
            put3(D_inv_u, turn, at)
        else:
            joint_force = rotate(R, get3(tau, body.v + 3)), rotate(R, get3(tau, body.v))
            free_u = pair_sub(joint_force, pA)
            motion = articulated_solve(free_D(body_work, work.dofs, body.v, IA), free_u)
            has_inertia = has_joint_inertia(dof_work) or has_joint_inertia(work.dofs[body.v + 3])
            pA = pair_add(pA, articulated_mul(IA, motion)) if has_inertia else joint_force
            put_pair(u[at : at + 6], free_u)
            put_pair(D_inv_u[at : at + 6], motion)
    if body.parent > 0:
        inner = force[body.parent]
        put_pair(inner, pair_add(get_pair(inner), force_from(pA, get3(body_work.arm))))


@jitable
def has_joint_inertia(dof_work):
    """Return whether a ball or free joint has armatures, or springs or dampers for which a step adds inertia."""
    return dof_work.joint_inertia[0] + dof_work.joint_inertia[3] + dof_work.joint_inertia[5] > 0.0


@jitable
def eliminate_ball(body_work, dof_work, IA, pA, tau):
    """Return IA and pA on the inner side of a ball joint, and store D^-1 and u.

    Without armatures, implicit springs and dampers, the blocks J (rotation) and H (coupling) of the result are exactly
    zero. They are set to zero, since a computation would leave rounding errors.
    """
    J, H, M = IA
    R = get9(body_work.rotation)
    has_inertia = has_joint_inertia(dof_work)
    D_inv = sym_inverse(sym_add(J, sym_rotate(R, get6(dof_work.joint_inertia))) if has_inertia else J)
    put6(dof_work.ball_D_inv, D_inv)
    u, _, pA = propagate_ball(IA, D_inv, pA, rotate(R, sub(tau, get_pair(dof_work.rotor_force)[0])), has_inertia)
    put3(dof_work.u, u)
    M = sym_sub(M, sym_product(mat_sym(transpose(H), D_inv), transpose(H)))
    if has_inertia:
        K = mat_sym(sym_to_mat(J), D_inv)
        inner = sym_sub(J, sym_product(K, sym_to_mat(J))), mat_sub(H, matmul(K, H)), M
        return inner, pair_add(pA, articulated_mul(inner, get_pair(dof_work.c)))
    linear_c = sym_mul(M, get_pair(dof_work.c)[1])
    return (ZERO_SYM, ZERO_MAT, M), (pA[0], add(pA[1], linear_c))


@subroutine
def eliminate_free(body_work, dof_works, v, IA, pA, tau):
    """Return IA and pA on the inner side of a free joint, and store u.

    IA is zero there and pA is the joint's force, unless a linearly implicit step adds inertia for springs or dampers.
    """
    R = get9(body_work.rotation)
    moment, force = pair_sub(tau, get_pair(dof_works[v].rotor_force))
    joint_force = rotate(R, moment), rotate(R, force)
    u = pair_sub(joint_force, pA)
    put_pair(dof_works[v].u, u)
    if not (has_joint_inertia(dof_works[v]) or has_joint_inertia(dof_works[v + 3])):
        return ZERO_ARTICULATED, joint_force
    D = free_D(body_work, dof_works, v, IA)
    inner = articulated_parallel(IA, D)
    U_D_inv_u = articulated_mul(IA, articulated_solve(D, u))
    return inner, pair_add(pair_add(pA, articulated_mul(inner, get_pair(dof_works[v].c))), U_D_inv_u)


@subroutine
def free_D(body_work, dof_works, v, IA):
    """Return D of a free joint: IA plus the inertia that a linearly implicit step adds for its springs and dampers."""
    R = get9(body_work.rotation)
    linear = sym_rotate(R, get6(dof_works[v].joint_inertia))
    angular = sym_rotate(R, get6(dof_works[v + 3].joint_inertia))
    return articulated_add(IA, (angular, ZERO_MAT, linear))


@subroutine
def acceleration_pass(model, work, gravity, qdd):
    """Compute qdd and the accelerations of bodies, from the first body to the last.

    Gravity enters as an upward acceleration of the world, so it needs no force on each body.
    """
    put_pair(work.bodies[0].acceleration, (ZERO, scale(gravity, -1.0)))
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        body_work = work.bodies[i]
        v = body.v
        acceleration = motion_at(get_pair(work.bodies[body.parent].acceleration), get3(body_work.arm))
        if body.kind == SCREWS:
            for j in range(v, body.v_end):
                dof_work = work.dofs[j]
                qdd[j] = dof_work.u_over_D - power(acceleration, get_pair(dof_work.U_over_D))
                if dof_work.is_locked:
                    dof_work.locking_force = -qdd[j]
                    qdd[j] = dof_work.prescribed_qdd
                joint_part = pair_scale(screw_of(model.dofs[j], get3(dof_work.axis)), qdd[j])
                acceleration = pair_add(acceleration, pair_add(get_pair(dof_work.c), joint_part))
        else:
            acceleration = pair_add(acceleration, get_pair(work.dofs[v].c))
            acceleration = accelerate_chart(body, body_work, work.dofs, acceleration, qdd)
        put_pair(body_work.acceleration, acceleration)


@jitable
def accelerate_chart(body, body_work, dof_works, acceleration, qdd):
    """Write qdd of a ball or free joint. Return the body's acceleration.

    acceleration: that of the body for qdd = 0.
    """
    R = get9(body_work.rotation)
    IA = get_articulated(body_work.articulated)
    dof_work = dof_works[body.v]
    if body.kind == BALL:
        u = sub(get3(dof_work.u), rotate(IA[1], acceleration[1]))
        if has_joint_inertia(dof_work):
            angular = sym_mul(get6(dof_work.ball_D_inv), sub(u, sym_mul(IA[0], acceleration[0])))
            put3(qdd, rotate_back(R, angular), body.v)
            return add(acceleration[0], angular), acceleration[1]
        angular = sym_mul(get6(dof_work.ball_D_inv), u)
        put3(qdd, rotate_back(R, sub(angular, acceleration[0])), body.v)
        return angular, acceleration[1]
    u = pair_sub(get_pair(dof_work.u), articulated_mul(IA, acceleration))
    angular, linear = articulated_solve(free_D(body_work, dof_works, body.v, IA), u)
    put3(qdd, rotate_back(R, linear), body.v)
    put3(qdd, rotate_back(R, angular), body.v + 3)
    return pair_add(acceleration, (angular, linear))
