# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of constraint rows at the levels of position, velocity and acceleration, and the forces of the rows.

Twists, accelerations and wrenches of a weld are in world axes, at the target of its second frame. So each level is the
time derivative of the one before.
"""

from __future__ import annotations

from ..compilation.jit import jitable, subroutine
from ..joints import BALL, evaluate_quantity
from ..kinematics.limited_quantities import chart_quantity
from ..spatial import (
    ZERO,
    ZERO_PAIR,
    add,
    cross,
    dot,
    force_from,
    matmul,
    motion_at,
    motion_cross,
    pair_add,
    pair_sub,
    quat_mul,
    quat_normalized,
    quat_of_mat,
    quat_of_rotvec,
    quat_to_mat,
    rotate,
    rotvec_of_quat,
    scale,
    sub,
    transpose,
)
from ..spatial.storage import get3, get4, get9, get_pair, put3, put_pair
from .constraints import ACTIVE_COUNT, EQUATION, QUANTITY, WELD

HALF_INTERVAL = 1e-5
"""Half of the interval of the central difference in `bias_acceleration` [s].

Its error is smallest near the cube root of the rounding error, which is 5e-6 in double precision, for motion in which
the quantity changes by about 1 in a second.
"""


@subroutine
def position_errors(model, work, constraints, signal, q, out):
    """Write the position error of each active row [rad, m] to `out`, shape (rows,), after `update_body`.

    The error of a weld is the rotation vector and the displacement from the target to its second frame.
    """
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.kind == WELD:
            R_target, p_target = target_frame(work, record, signal)
            R, p = frame_of(work, record.body_b, record.X_b)
            rotation = quat_of_mat(matmul(R, transpose(R_target)))
            put3(out, rotvec_of_quat(rotation), record.row)
            put3(out, sub(p, p_target), record.row + 3)
        elif record.kind == EQUATION:
            total = 0.0
            for k in range(record.term, record.term_end):
                if constraints.terms[k].q >= 0:
                    total += constraints.terms[k].weight * q[constraints.terms[k].q]
            out[record.row] = total - record.constant
            if record.signal >= 0:
                out[record.row] -= signal[record.signal, 0]
        else:
            out[record.row] = chart_quantity(model, record, q)[0] - record.constant


@subroutine
def velocity_errors(model, work, constraints, signal, q, qd, out):
    """Write the velocity error of each active row [rad/s, m/s] to `out`. Velocities are in `work`, from `update_body`.

    In an impact, a row with a set-valued force has the target `impact_velocity`, which is 0 otherwise.
    """
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.kind == WELD:
            point = target_frame(work, record, signal)[1]
            a, b = work.bodies[record.body_a], work.bodies[record.body_b]
            V_a = motion_at_point(a.origin, get_pair(a.velocity), point)
            V_b = motion_at_point(b.origin, get_pair(b.velocity), point)
            put_pair(out[record.row : record.row + 6], pair_sub(pair_sub(V_b, V_a), target_twist(work, record, signal)))
        elif record.kind == EQUATION:
            out[record.row] = equation_rate(constraints, record, qd) - record.impact_velocity
            if record.signal >= 0:
                out[record.row] -= signal[record.signal, 1]
        else:
            out[record.row] = quantity_rate(model, record, q, qd) - record.impact_velocity


@subroutine
def acceleration_errors(model, work, constraints, signal, q, qd, qdd, out):
    """Write the acceleration error of each active row [rad/s^2, m/s^2] to `out`.

    Accelerations of bodies are in `work`, from `acceleration_pass`.
    """
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.kind == WELD:
            point = target_frame(work, record, signal)[1]
            a, b = work.bodies[record.body_a], work.bodies[record.body_b]
            A_a = motion_at_point(a.origin, get_pair(a.acceleration), point)
            A_b = motion_at_point(b.origin, get_pair(b.acceleration), point)
            V_a = motion_at_point(a.origin, get_pair(a.velocity), point)
            # The target moves in body a, so its acceleration in the world has the term V_a x (its twist in a).
            relative = target_acceleration(work, record, signal)
            transport = motion_cross(V_a, target_twist(work, record, signal))
            put_pair(out[record.row : record.row + 6], pair_sub(pair_sub(A_b, A_a), pair_add(relative, transport)))
        elif record.kind == EQUATION:
            out[record.row] = equation_rate(constraints, record, qdd)
            if record.signal >= 0:
                out[record.row] -= signal[record.signal, 2]
        else:
            out[record.row] = quantity_rate(model, record, q, qdd) + bias_acceleration(model, record, q, qd)


@subroutine
def target_rates(work, constraints, signal, out):
    """Write the prescribed velocity of each active row [rad/s, m/s] to `out`; 0 for rows without a signal."""
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.kind == WELD:
            put_pair(out[record.row : record.row + 6], target_twist(work, record, signal))
        else:
            out[record.row] = signal[record.signal, 1] if record.signal >= 0 else 0.0


@jitable
def apply_unit_force(model, work, constraints, scratch, signal, c, r, q):
    """Write the forces that row r of constraint c exerts per unit of its multiplier.

    A weld acts on bodies, through `scratch.force`. Equations and limited quantities act on dofs, through `scratch.tau`.
    Both arrays must be zero on the support of the constraint before.
    """
    record = constraints.records[c]
    if record.kind == WELD:
        point = target_frame(work, record, signal)[1]
        unit = (1.0 if r % 3 == 0 else 0.0, 1.0 if r % 3 == 1 else 0.0, 1.0 if r % 3 == 2 else 0.0)
        wrench = (unit, ZERO) if r < 3 else (ZERO, unit)
        # A bias force is minus the force on a body: the multiplier acts on body b, and its reaction on body a.
        if record.body_a > 0:
            reaction = force_from(wrench, sub(point, get3(work.bodies[record.body_a].origin)))
            put_pair(scratch.force[record.body_a], reaction)
        if record.body_b > 0:
            action = force_from(wrench, sub(point, get3(work.bodies[record.body_b].origin)))
            put_pair(scratch.force[record.body_b], pair_sub(get_pair(scratch.force[record.body_b]), action))
    elif record.kind == EQUATION:
        for k in range(record.term, record.term_end):
            scratch.tau[constraints.terms[k].v] += constraints.terms[k].weight
    else:
        body = model.bodies[record.body]
        torque, force = chart_quantity(model, record, q)[1]
        put3(scratch.tau, torque, body.v_end - 3)
        if body.kind != BALL:
            put3(scratch.tau, force, body.v)


@jitable
def clear_unit_force(model, constraints, scratch, c):
    """Set to zero what `apply_unit_force` wrote to `scratch.tau`."""
    record = constraints.records[c]
    if record.kind == EQUATION:
        for k in range(record.term, record.term_end):
            scratch.tau[constraints.terms[k].v] = 0.0
    elif record.kind == QUANTITY:
        for j in range(model.bodies[record.body].v, model.bodies[record.body].v_end):
            scratch.tau[j] = 0.0


@subroutine
def frame_of(work, body, X):
    """Return (rotation, origin [m]) in the world of a frame that is fixed in a body. X: its pose there, shape (7,)."""
    body_work = work.bodies[body]
    R = get9(body_work.rotation)
    return matmul(R, quat_to_mat(get4(X, 3))), add(get3(body_work.origin), rotate(R, get3(X)))


@subroutine
def target_frame(work, record, signal):
    """Return (rotation, origin [m]) in the world of the pose that a weld prescribes for its second frame.

    It is that of the first frame, displaced by the weld's signals if it has any.
    """
    R, p = frame_of(work, record.body_a, record.X_a)
    if record.signal < 0:
        return R, p
    s = record.signal
    quat = quat_normalized((signal[s + 3, 0], signal[s + 4, 0], signal[s + 5, 0], signal[s + 6, 0]))
    return matmul(R, quat_to_mat(quat)), add(p, rotate(R, (signal[s, 0], signal[s + 1, 0], signal[s + 2, 0])))


@subroutine
def target_twist(work, record, signal):
    """Return the twist of the target relative to body a, in world axes, at the target's origin [rad/s, m/s]."""
    if record.signal < 0:
        return ZERO_PAIR
    R, _ = frame_of(work, record.body_a, record.X_a)
    s = record.signal
    turn = quaternion_motion(signal, s + 3)[0]
    return rotate(R, turn), rotate(R, (signal[s, 1], signal[s + 1, 1], signal[s + 2, 1]))


@subroutine
def target_acceleration(work, record, signal):
    """Return the rate of `target_twist`, as observed in body a, at a point that is fixed there [rad/s^2, m/s^2]."""
    if record.signal < 0:
        return ZERO_PAIR
    R, _ = frame_of(work, record.body_a, record.X_a)
    s = record.signal
    w, dw = quaternion_motion(signal, s + 3)
    v = (signal[s, 1], signal[s + 1, 1], signal[s + 2, 1])
    dv = (signal[s, 2], signal[s + 1, 2], signal[s + 2, 2])
    return rotate(R, dw), rotate(R, sub(dv, cross(w, v)))


@jitable
def quaternion_motion(signal, s):
    """Return the angular velocity [rad/s] and angular acceleration [rad/s^2] of a frame whose quaternion is prescribed.

    The quaternion u is that of signals s to s + 3. It need not have length 1: w = 2 vec(du u*) / |u|^2, in the axes of
    the frame in which u is given.
    """
    u = (signal[s, 0], signal[s + 1, 0], signal[s + 2, 0], signal[s + 3, 0])
    du = (signal[s, 1], signal[s + 1, 1], signal[s + 2, 1], signal[s + 3, 1])
    ddu = (signal[s, 2], signal[s + 1, 2], signal[s + 2, 2], signal[s + 3, 2])
    star = (u[0], -u[1], -u[2], -u[3])
    square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]
    growth = 2.0 * (u[0] * du[0] + u[1] * du[1] + u[2] * du[2] + u[3] * du[3]) / square
    rate, second = quat_mul(du, star), quat_mul(ddu, star)
    w = scale((rate[1], rate[2], rate[3]), 2.0 / square)
    return w, sub(scale((second[1], second[2], second[3]), 2.0 / square), scale(w, growth))


@jitable
def motion_at_point(origin, motion, point):
    """Return a twist or spatial acceleration at `point` that is given at `origin`, both in the world [m]."""
    return motion_at(motion, sub(point, get3(origin)))


@jitable
def equation_rate(constraints, record, rates):
    """Return the weighted sum of an equation's velocities or accelerations."""
    total = 0.0
    for k in range(record.term, record.term_end):
        total += constraints.terms[k].weight * rates[constraints.terms[k].v]
    return total


@subroutine
def quantity_rate(model, record, q, qd):
    """Return the gradient of a limited quantity times `qd`: its rate for velocities, shape (nv,).

    For accelerations, it is the part of the second rate that is linear in them; `bias_acceleration` is the other part.
    """
    body = model.bodies[record.body]
    torque, force = chart_quantity(model, record, q)[1]
    rate = dot(torque, get3(qd, body.v_end - 3))
    if body.kind != BALL:
        rate += dot(force, get3(qd, body.v))
    return rate


@subroutine
def bias_acceleration(model, record, q, qd):
    """Return the bias acceleration of a limited quantity: its second time derivative for constant qd.

    It is a central difference, since the second derivatives of cone and twist angles have no short formula.
    """
    before = rate_after(model, record, q, qd, -HALF_INTERVAL)
    after = rate_after(model, record, q, qd, HALF_INTERVAL)
    return (after - before) / (2.0 * HALF_INTERVAL)


@subroutine
def rate_after(model, record, q, qd, time):
    """Return the rate of a limited quantity at the pose to which constant qd leads in `time` [s], which may be < 0."""
    torque, force = quantity_after(model, record, q, qd, time)[1]
    body = model.bodies[record.body]
    v = ZERO if body.kind == BALL else get3(qd, body.v)
    return dot(torque, get3(qd, body.v_end - 3)) + dot(force, v)


@subroutine
def quantity_after(model, record, q, qd, time):
    """Return (value, gradient) of a limited quantity at the pose to which constant qd leads in `time` [s]."""
    body = model.bodies[record.body]
    w = get3(qd, body.v_end - 3)
    quat_index = body.q
    p = ZERO
    if body.kind != BALL:
        quat_index += 3
    quat = quat_normalized(get4(q, quat_index))
    if body.kind != BALL:
        p = add(get3(q, body.q), scale(rotate(quat_to_mat(quat), get3(qd, body.v)), time))
    moved_quat = quat_mul(quat, quat_of_rotvec(scale(w, time)))
    return evaluate_quantity(record.code, p, moved_quat, get3(record.direction), record.centre)
