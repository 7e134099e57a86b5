"""Forces that joints exert by themselves, and the energy that they store and take away."""

from __future__ import annotations

import math

from ..jit import jitable
from ..joints import BALL, SCREWS
from ..kinematics.work import get3, get4, put3
from ..spatial import (
    ZERO,
    add,
    cross,
    dot,
    quat_mul,
    quat_normalized,
    quat_of_rotvec,
    quat_to_mat,
    rotate_back,
    rotvec_of_quat,
    scale,
    sub,
)


@jitable
def joint_forces(model, q, qd, tau):
    """Write to `tau`, shape (nv,), the forces of springs and dampers. Returns the power that dampers take away [W]."""
    lost = 0.0
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        for j in range(body.v, body.v_end):
            column = model.columns[j]
            tau[j] = -column.damping * qd[j]
            lost += column.damping * qd[j] * qd[j]
            if body.kind == SCREWS:
                tau[j] -= column.spring_stiffness * (q[body.q + j - body.v] - column.spring_reference)
        if body.kind != SCREWS and has_springs(model, body):
            add_chart_springs(model, body, q, tau)
    return lost


@jitable
def has_springs(model, body):
    total = 0.0
    for j in range(body.v, body.v_end):
        total += model.columns[j].spring_stiffness
    return total != 0.0


@jitable
def chart_stretch(model, body, q):
    """Of a chart's springs: where the linear ones stand apart [m], in parent-side axes, and the angular ones [rad].

    The latter is the rotation vector from the springs' rest to q, in which each component has its own spring.
    """
    turned = body.q
    first = body.v
    linear = ZERO
    if body.kind != BALL:
        linear = sub(get3(q, body.q), references(model, first))
        turned += 3
        first += 3
    rest = quat_of_rotvec(references(model, first))
    error = quat_mul((rest[0], -rest[1], -rest[2], -rest[3]), quat_normalized(get4(q, turned)))
    return linear, rotvec_of_quat(error)


@jitable
def references(model, first):
    columns = model.columns
    return columns[first].spring_reference, columns[first + 1].spring_reference, columns[first + 2].spring_reference


@jitable
def pulls(model, first, stretch):
    """Three springs' forces."""
    columns = model.columns
    return (
        -columns[first].spring_stiffness * stretch[0],
        -columns[first + 1].spring_stiffness * stretch[1],
        -columns[first + 2].spring_stiffness * stretch[2],
    )


@jitable
def add_chart_springs(model, body, q, tau):
    """Add to `tau` the forces of a ball's or a free joint's springs, in child-side axes.

    A rotation vector e grows at the rate J(e) w, with w the angular velocity in child-side axes, so a torque k along it
    is J(e)' k to the joint: k - e x k / 2 + c e x (e x k).

    Source: Chirikjian, Stochastic Models, Information Theory, and Lie Groups, vol. 2 (2012), section 10.6.
    """
    linear, e = chart_stretch(model, body, q)
    first = body.v
    turned = body.q
    if body.kind != BALL:
        turned += 3
        R = quat_to_mat(quat_normalized(get4(q, turned)))
        put3(tau, add(get3(tau, first), rotate_back(R, pulls(model, first, linear))), first)
        first += 3
    k = pulls(model, first, e)
    sideways = cross(e, k)
    torque = add(sub(k, scale(sideways, 0.5)), scale(cross(e, sideways), curvature(dot(e, e))))
    put3(tau, add(get3(tau, first), torque), first)


@jitable
def curvature(square):
    """1 / a^2 - (1 + cos a) / (2 a sin a), for a^2 = `square` up to half a turn."""
    if square < 1e-4:
        return (1.0 + square / 60.0) / 12.0
    a = math.sqrt(square)
    return (1.0 - 0.5 * a / math.tan(0.5 * a)) / square


@jitable
def spring_energy(model, q):
    """Energy stored in joint springs [J]."""
    energy = 0.0
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                column = model.columns[j]
                stretch = q[body.q + j - body.v] - column.spring_reference
                energy += 0.5 * column.spring_stiffness * stretch * stretch
        elif has_springs(model, body):
            linear, angular = chart_stretch(model, body, q)
            if body.kind != BALL:
                energy -= 0.5 * dot(linear, pulls(model, body.v, linear))
            energy -= 0.5 * dot(angular, pulls(model, body.v_end - 3, angular))
    return energy
