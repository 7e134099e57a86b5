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

NUDGE = 1e-5
"""Half of the time over which the gradient of a limited quantity is differenced [s].

A central difference is most accurate near the cube root of the rounding error, 5e-6 in double precision.
"""


@subroutine
def position_errors(model, work, constraints, signal, q, out):
    """Write the position error of each row [rad, m], after `move`."""
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.kind == WELD:
            R_one, p_one = target_frame(work, record, signal)
            R_other, p_other = frame_of(work, record.other, record.X_other)
            off = quat_of_mat(matmul(R_other, transpose(R_one)))
            put3(out, rotvec_of_quat(off), record.row)
            put3(out, sub(p_other, p_one), record.row + 3)
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
    """Write the velocity error of each row [rad/s, m/s], after `move`."""
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.kind == WELD:
            point = target_frame(work, record, signal)[1]
            own = seen_from(work.bodies[record.one].origin, get_pair(work.bodies[record.one].velocity), point)
            other = seen_from(work.bodies[record.other].origin, get_pair(work.bodies[record.other].velocity), point)
            put_pair(
                out[record.row : record.row + 6], pair_sub(pair_sub(other, own), target_twist(work, record, signal))
            )
        elif record.kind == EQUATION:
            out[record.row] = coupled(constraints, record, qd) - record.pace
            if record.signal >= 0:
                out[record.row] -= signal[record.signal, 1]
        else:
            out[record.row] = quantity_rate(model, record, q, qd) - record.pace


@subroutine
def acceleration_errors(model, work, constraints, signal, q, qd, qdd, out):
    """Write the acceleration error of each row [rad/s^2, m/s^2], after `acceleration_pass`."""
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.kind == WELD:
            point = target_frame(work, record, signal)[1]
            one = work.bodies[record.one]
            own = seen_from(one.origin, get_pair(one.acceleration), point)
            other = seen_from(work.bodies[record.other].origin, get_pair(work.bodies[record.other].acceleration), point)
            wanted = target_acceleration(work, record, signal)
            carried = motion_cross(
                seen_from(one.origin, get_pair(one.velocity), point), target_twist(work, record, signal)
            )
            put_pair(out[record.row : record.row + 6], pair_sub(pair_sub(other, own), pair_add(wanted, carried)))
        elif record.kind == EQUATION:
            out[record.row] = coupled(constraints, record, qdd)
            if record.signal >= 0:
                out[record.row] -= signal[record.signal, 2]
        else:
            out[record.row] = quantity_rate(model, record, q, qdd) + measured_drift(model, record, q, qd)


@subroutine
def target_rates(work, constraints, signal, out):
    """Write the prescribed rate of each row [rad/s, m/s]; 0 for rows without a signal."""
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.kind == WELD:
            put_pair(out[record.row : record.row + 6], target_twist(work, record, signal))
        else:
            out[record.row] = signal[record.signal, 1] if record.signal >= 0 else 0.0


@jitable
def seed_row(model, work, constraints, scratch, signal, c, r, q):
    """Apply a unit force of row r of constraint c to `scratch.tau`, or to the bias forces `scratch.force`.

    The bias forces of all bodies in its support are zero before.
    """
    record = constraints.records[c]
    if record.kind == WELD:
        point = target_frame(work, record, signal)[1]
        unit = (1.0 if r % 3 == 0 else 0.0, 1.0 if r % 3 == 1 else 0.0, 1.0 if r % 3 == 2 else 0.0)
        pull = (unit, ZERO) if r < 3 else (ZERO, unit)
        if record.one > 0:
            put_pair(scratch.force[record.one], force_from(pull, sub(point, get3(work.bodies[record.one].origin))))
        if record.other > 0:
            back = force_from(pull, sub(point, get3(work.bodies[record.other].origin)))
            put_pair(scratch.force[record.other], pair_sub(get_pair(scratch.force[record.other]), back))
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
def clear_seed(model, constraints, scratch, c):
    """Set to zero what `seed_row` wrote to `scratch.tau`."""
    record = constraints.records[c]
    if record.kind == EQUATION:
        for k in range(record.term, record.term_end):
            scratch.tau[constraints.terms[k].v] = 0.0
    elif record.kind == QUANTITY:
        for j in range(model.bodies[record.body].v, model.bodies[record.body].v_end):
            scratch.tau[j] = 0.0


@subroutine
def frame_of(work, body, X):
    """Return (rotation, origin) in the world of a frame that is fixed in a body."""
    own = work.bodies[body]
    R = get9(own.rotation)
    return matmul(R, quat_to_mat(get4(X, 3))), add(get3(own.origin), rotate(R, get3(X)))


@subroutine
def target_frame(work, record, signal):
    """Return the target of a weld's second frame: its first frame, moved by its signals if it has any."""
    R, p = frame_of(work, record.one, record.X_one)
    if record.signal < 0:
        return R, p
    s = record.signal
    quat = quat_normalized((signal[s + 3, 0], signal[s + 4, 0], signal[s + 5, 0], signal[s + 6, 0]))
    return matmul(R, quat_to_mat(quat)), add(p, rotate(R, (signal[s, 0], signal[s + 1, 0], signal[s + 2, 0])))


@subroutine
def target_twist(work, record, signal):
    """Return the twist of the target relative to the first body, in world axes, at the target."""
    if record.signal < 0:
        return ZERO_PAIR
    R, _ = frame_of(work, record.one, record.X_one)
    s = record.signal
    turn = turning(signal, s + 3)[0]
    return rotate(R, turn), rotate(R, (signal[s, 1], signal[s + 1, 1], signal[s + 2, 1]))


@subroutine
def target_acceleration(work, record, signal):
    """Return the rate of `target_twist`, as observed in the first body, at a point that is fixed there."""
    if record.signal < 0:
        return ZERO_PAIR
    R, _ = frame_of(work, record.one, record.X_one)
    s = record.signal
    w, dw = turning(signal, s + 3)
    v = (signal[s, 1], signal[s + 1, 1], signal[s + 2, 1])
    dv = (signal[s, 2], signal[s + 1, 2], signal[s + 2, 2])
    return rotate(R, dw), rotate(R, sub(dv, cross(w, v)))


@jitable
def turning(signal, s):
    """Return (angular velocity, its rate) of a frame whose quaternion u is signals s to s + 3, in outer axes.

    u need not be a unit quaternion: w = 2 vec(du u*) / |u|^2.
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
def seen_from(origin, motion, point):
    """Return a twist that is given at `origin`, at `point`."""
    return motion_at(motion, sub(point, get3(origin)))


@jitable
def coupled(constraints, record, rates):
    """Return the weighted sum of an equation's velocities or accelerations."""
    total = 0.0
    for k in range(record.term, record.term_end):
        total += constraints.terms[k].weight * rates[constraints.terms[k].v]
    return total


@subroutine
def quantity_rate(model, record, q, qd):
    """Return the gradient of a limited quantity times velocities or accelerations `qd`."""
    body = model.bodies[record.body]
    torque, force = chart_quantity(model, record, q)[1]
    rate = dot(torque, get3(qd, body.v_end - 3))
    if body.kind != BALL:
        rate += dot(force, get3(qd, body.v))
    return rate


@subroutine
def measured_drift(model, record, q, qd):
    """Return the second time derivative of a limited quantity for constant qd, by a central difference."""
    return (nudged_rate(model, record, q, qd, NUDGE) - nudged_rate(model, record, q, qd, -NUDGE)) / (2.0 * NUDGE)


@subroutine
def nudged_rate(model, record, q, qd, time):
    """Return the rate of a limited quantity at the pose that constant qd reaches after `time` [s]."""
    body = model.bodies[record.body]
    w = get3(qd, body.v_end - 3)
    turned = body.q
    p, v = ZERO, ZERO
    if body.kind != BALL:
        turned += 3
        v = get3(qd, body.v)
    quat = quat_normalized(get4(q, turned))
    if body.kind != BALL:
        p = add(get3(q, body.q), scale(rotate(quat_to_mat(quat), v), time))
    ahead = quat_mul(quat, quat_of_rotvec(scale(w, time)))
    torque, force = evaluate_quantity(record.code, p, ahead, get3(record.direction))[1]
    return dot(torque, w) + dot(force, v)
