# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of joint springs and dampers, and the energy of the springs.

Ball and free joints have springs on the components of the rotation vector. Limited quantities, such as the length of a
rope, may have springs and dampers as well.
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from ..joints import BALL, SCREWS
from ..kinematics.limited_quantities import chart_quantity
from ..spatial import (
    ZERO,
    add,
    cos_sin,
    cross,
    dot,
    quat_mul,
    quat_normalized,
    quat_of_rotvec,
    quat_to_mat,
    rotate,
    rotate_back,
    rotvec_of_quat,
    scale,
    sub,
    sym_add,
    sym_outer,
    sym_rotate,
    transpose,
)
from ..spatial.storage import get3, get4, get6, put3, put6, put_pair


@subroutine
def joint_forces(model, work, q, qd, h, tau):
    """Write the forces of springs and dampers to `tau`, shape (nv,). Return the power that dampers dissipate [W].

    For h > 0, the forces are those at the end of a linearly implicit step of h seconds, with damping C and stiffness K:

        M qdd = F - C (qd + h qdd) - K (q + h (qd + h qdd))

    The terms with qdd are moved to the left side, which becomes (M + h C + h^2 K) qdd. So h C + h^2 K is written to
    `armature` and `joint_inertia` in `work.dofs`, and the dynamics treat it as inertia.
    """
    dissipated = 0.0
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        springs = 0.0
        for j in range(body.v, body.v_end):
            dof = model.dofs[j]
            tau[j] = -dof.damping * qd[j]
            dissipated += dof.damping * qd[j] * qd[j]
            springs += dof.spring_stiffness
            if body.kind == SCREWS:
                stretch = q[body.q + j - body.v] - dof.spring_reference
                tau[j] -= dof.spring_stiffness * (stretch + h * qd[j])
            work.dofs[j].armature = dof.armature + h * (dof.damping + h * dof.spring_stiffness)
        if body.kind != SCREWS:
            set_joint_inertia(model.dofs, work.dofs, body, h)
            if springs > 0.0:
                add_chart_springs(model, work, body, q, qd, h, tau)
    for m in range(model.quantity_springs.shape[0]):
        dissipated += add_quantity_spring(model, work, model.quantity_springs[m], q, qd, h, tau)
    return dissipated


@jitable
def set_joint_inertia(dofs, dof_works, body, h):
    """Set the joint inertia of a ball or free joint to its armatures and h C, with the damping C."""
    for first in range(body.v, body.v_end, 3):
        x = dofs[first].armature + h * dofs[first].damping
        y = dofs[first + 1].armature + h * dofs[first + 1].damping
        z = dofs[first + 2].armature + h * dofs[first + 2].damping
        put6(dof_works[first].joint_inertia, (x, 0.0, 0.0, y, 0.0, z))


@jitable
def set_armatures(model, work):
    """Set the inertia of each joint in `work.dofs` to its armatures, without implicit springs and dampers."""
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        for j in range(body.v, body.v_end):
            work.dofs[j].armature = model.dofs[j].armature
        if body.kind != SCREWS:
            set_joint_inertia(model.dofs, work.dofs, body, 0.0)


@jitable
def write_rotor_force(model, work, body, qd):
    """Write the bias force of the armatures of a ball or free joint to `rotor_force` in `work.dofs`, at the first dof.

    Armatures A are inertias against the joint's velocity (w, v), with the momentum (A_w w, A_v v). In the axes of the
    child, in which the joint's velocity is measured, a force (moment, force) changes it by

        A_w dw/dt + w x A_w w = moment,  A_v dv/dt + w x A_v v = force

    The bias forces are the cross products. v x A_v v is missing, since a free joint has the same A_v along all axes.

    Source: Goldstein, Poole and Safko, Classical Mechanics, 3rd edition (2002), sections 4.9 (rates in rotating axes)
    and 5.5 (Euler's equations).
    """
    w = get3(qd, body.v_end - 3)
    moment, force = cross(w, armature_momentum(model.dofs, body.v_end - 3, qd)), ZERO
    if body.kind != BALL:
        force = cross(w, armature_momentum(model.dofs, body.v, qd))
    put_pair(work.dofs[body.v].rotor_force, (moment, force))


@jitable
def armature_momentum(dofs, v, rates):
    """Return the products of the armatures of three dofs, from number `v` on, and their rates, shape (nv,)."""
    return dofs[v].armature * rates[v], dofs[v + 1].armature * rates[v + 1], dofs[v + 2].armature * rates[v + 2]


@jitable
def add_joint_inertia(dof, inertia):
    """Add a symmetric 3 x 3 matrix, as 6 numbers, to the joint inertia of a ball or free joint."""
    put6(dof.joint_inertia, sym_add(get6(dof.joint_inertia), inertia))


@jitable
def has_springs(model, body):
    """Return whether any dof of a body's joint has a spring."""
    total = 0.0
    for j in range(body.v, body.v_end):
        total += model.dofs[j].spring_stiffness
    return total != 0.0


@jitable
def references(model, v):
    """Return the spring references of three dofs from number `v` on [rad or m]."""
    dofs = model.dofs
    return dofs[v].spring_reference, dofs[v + 1].spring_reference, dofs[v + 2].spring_reference


@jitable
def stiffnesses(model, v):
    """Return the spring stiffnesses of three dofs from number `v` on [N m/rad or N/m]."""
    dofs = model.dofs
    return dofs[v].spring_stiffness, dofs[v + 1].spring_stiffness, dofs[v + 2].spring_stiffness


@jitable
def spring_forces(stiffness, stretch):
    """Return the forces of three springs, or of three dampers for damping and velocity [N m or N]."""
    return -stiffness[0] * stretch[0], -stiffness[1] * stretch[1], -stiffness[2] * stretch[2]


@subroutine
def linear_stretch(model, body, q):
    """Return the extension of the linear springs of a free joint [m], in parent-side axes."""
    return sub(get3(q, body.q), references(model, body.v))


@subroutine
def angular_stretch(body, q, reference):
    """Return the rotation vector [rad] from the orientation `reference` to that of a ball or free joint at q.

    reference: a rotation vector [rad]. Each component of the result is the stretch of a spring.
    """
    rest = quat_of_rotvec(reference)
    quat_index = body.q if body.kind == BALL else body.q + 3
    return rotvec_of_quat(quat_mul((rest[0], -rest[1], -rest[2], -rest[3]), quat_normalized(get4(q, quat_index))))


@subroutine
def add_chart_springs(model, work, body, q, qd, h, tau):
    """Add the forces of a ball or free joint's springs to `tau`, in child-side axes, and their implicit inertia."""
    angular_v = body.v_end - 3
    if body.kind != BALL:
        first = body.v
        stiffness = stiffnesses(model, first)
        R = quat_to_mat(quat_normalized(get4(q, body.q + 3)))
        end_stretch = add(linear_stretch(model, body, q), rotate(R, scale(get3(qd, first), h)))
        put3(tau, add(get3(tau, first), rotate_back(R, spring_forces(stiffness, end_stretch))), first)
        add_joint_inertia(work.dofs[first], sym_rotate(transpose(R), diagonal(stiffness, h * h)))
    add_angular_springs(work, body, q, qd, h, tau, stiffnesses(model, angular_v), references(model, angular_v))


@subroutine
def add_angular_springs(work, body, q, qd, h, tau, stiffness, reference):
    """Add the torques of springs on the rotation vector from `reference` to `tau`. Return them [N m], child-side axes.

    The rate of a rotation vector e is J(e) w, where w is the angular velocity in child-side axes. So a generalized
    force k on e is the joint torque J(e)' k. The implicit inertia leaves out the stiffness that comes from the change
    of J. That part is small as long as a stiff spring keeps e small.

    Source: Chirikjian, Stochastic Models, Information Theory, and Lie Groups, vol. 2 (2012), section 10.6.
    """
    v = body.v_end - 3
    e = angular_stretch(body, q, reference)
    J = inverse_right_jacobian(e)
    end_stretch = add(e, rotate(J, scale(get3(qd, v), h)))
    torque = rotate_back(J, spring_forces(stiffness, end_stretch))
    put3(tau, add(get3(tau, v), torque), v)
    add_joint_inertia(work.dofs[v], sym_rotate(transpose(J), diagonal(stiffness, h * h)))
    return torque


@jitable
def inverse_right_jacobian(e):
    """Return J(e) = 1 + [e]/2 + c [e]^2, the inverse of the right Jacobian of the exponential map, row by row.

    [e] is the cross-product matrix of e, and c is the result of `inverse_jacobian_coefficient`.
    """
    c = inverse_jacobian_coefficient(dot(e, e))
    half = scale(e, 0.5)
    squared = subtract_from_diagonal(sym_outer(e, c), c * dot(e, e))
    xx, xy, xz, yy, yz, zz = squared
    return (
        1.0 + xx,
        xy - half[2],
        xz + half[1],
        xy + half[2],
        1.0 + yy,
        yz - half[0],
        xz - half[1],
        yz + half[0],
        1.0 + zz,
    )


@jitable
def velocity_of_rotvec(e, rate):
    """Return the angular velocity [rad/s], in the rotated axes, of a rotation vector e [rad] with the rate `rate`.

    Source: Chirikjian, as above: the right Jacobian of the exponential map. `inverse_right_jacobian` is its inverse.
    """
    square = dot(e, e)
    if square < 1e-6:
        first, second = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        a = math.sqrt(square)
        cosine, sine = cos_sin(a)
        first, second = (1.0 - cosine) / square, (a - sine) / (a * square)
    across = cross(e, rate)
    return add(sub(rate, scale(across, first)), scale(cross(e, across), second))


@jitable
def subtract_from_diagonal(S, t):
    """Return the symmetric matrix S - t 1."""
    return S[0] - t, S[1], S[2], S[3] - t, S[4], S[5] - t


@jitable
def diagonal(numbers, times):
    """Return the symmetric matrix with `times` * numbers on its diagonal."""
    return times * numbers[0], 0.0, 0.0, times * numbers[1], 0.0, times * numbers[2]


@subroutine
def add_quantity_spring(model, work, spring, q, qd, h, tau):
    """Add the force of a spring and damper on a limited quantity to `tau`. Return the dissipated power [W]."""
    body = model.bodies[spring.body]
    value, gradient = chart_quantity(model, spring, q)
    torque, force = gradient
    angular_v = body.v_end - 3
    rate = dot(torque, get3(qd, angular_v))
    if body.kind != BALL:
        rate += dot(force, get3(qd, body.v))
    push = -spring.stiffness * (value - spring.reference + h * rate) - spring.damping * rate
    joint_inertia = h * (spring.damping + h * spring.stiffness)
    put3(tau, add(get3(tau, angular_v), scale(torque, push)), angular_v)
    add_joint_inertia(work.dofs[angular_v], sym_outer(torque, joint_inertia))
    if body.kind != BALL:
        put3(tau, add(get3(tau, body.v), scale(force, push)), body.v)
        add_joint_inertia(work.dofs[body.v], sym_outer(force, joint_inertia))
    return spring.damping * rate * rate


@jitable
def inverse_jacobian_coefficient(square):
    """Return c = 1/a^2 - (1 + cos a) / (2 a sin a), for a^2 = `square` [rad^2] and a up to pi."""
    if square < 1e-4:
        return (1.0 + square / 60.0) / 12.0
    half = 0.5 * math.sqrt(square)
    cosine, sine = cos_sin(half)
    return (1.0 - half * cosine / sine) / square


@subroutine
def spring_energy(model, q):
    """Return the elastic energy of joint springs [J]."""
    energy = 0.0
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                dof = model.dofs[j]
                stretch = q[body.q + j - body.v] - dof.spring_reference
                energy += 0.5 * dof.spring_stiffness * stretch * stretch
        elif has_springs(model, body):
            angular_v = body.v_end - 3
            if body.kind != BALL:
                linear = linear_stretch(model, body, q)
                energy -= 0.5 * dot(linear, spring_forces(stiffnesses(model, body.v), linear))
            angular = angular_stretch(body, q, references(model, angular_v))
            energy -= 0.5 * dot(angular, spring_forces(stiffnesses(model, angular_v), angular))
    for m in range(model.quantity_springs.shape[0]):
        spring = model.quantity_springs[m]
        stretch = chart_quantity(model, spring, q)[0] - spring.reference
        energy += 0.5 * spring.stiffness * stretch * stretch
    return energy
