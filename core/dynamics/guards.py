# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of guards that are functions of the state: sliding friction, compliant stops, drives.

A guard that holds its coordinate (sticking friction, a rigid stop, a velocity limit) exerts a force that depends on all
others. The dynamics compute it: the dof is locked (`is_locked` in `DOF_WORK`), or a constraint row is active.

Source of the compliant stop: Hunt, Crossley, Coefficient of restitution interpreted as damping in vibroimpact (1975),
with exponent 1: force = stiffness * depth * (1 + dissipation * rate), and never a pull.
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from ..joints import BALL
from ..kinematics.inverse.limits import chart_measure
from ..model.compiling.compiled import ON_DOF, ON_MEASURE
from ..spatial import (
    ZERO,
    add,
    dot,
    quat_mul,
    quat_normalized,
    quat_of_rotvec,
    quat_to_mat,
    rotate_back,
    scale,
    sub,
    sym_outer,
)
from ..spatial.storage import get3, get4, put3
from .constraint_rows import measured_rate
from .forces import add_implicit_inertia, add_turn_springs, diagonal, pulls, turning_of_rotvec


@subroutine
def guard_forces(model, work, q, qd, h, tau):
    """Add the forces of guards and drives to `tau`, shape (nv,). Return (dissipated power, supplied power) [W].

    h: length of a linearly implicit step [s], or 0; see `joint_forces`.
    """
    lost, gained = 0.0, 0.0
    for k in range(model.guards.shape[0]):
        guard, watch = model.guards[k], work.watches[k]
        if watch.asleep:
            continue
        if watch.slide != 0:
            tau[guard.v] -= watch.slide * guard.friction
            lost += watch.slide * guard.friction * qd[guard.v]
        if watch.told:
            push_along(model, guard, q, watch.given, tau)
        if guard.kind == ON_DOF:
            gained += add_drive(guard, watch, work.dofs[guard.v], q, qd, h, tau)
        if watch.pressed != 0:
            lost += add_stop_force(model, work, guard, watch, q, qd, h, tau)
    for k in range(model.chart_drives.shape[0]):
        gained += add_chart_drive(model, work, model.chart_drives[k], q, qd, h, tau)
    return lost, gained


@jitable
def drive_force(guard, q, qd):
    """Return the force of a drive before it is clamped to the effort limit [N or N m].

    It is kp (target - q) + kd (target rate - qd) + a constant force.
    """
    asked = guard.drive_push + guard.drive_damping * (guard.drive_rate - qd[guard.v])
    return asked + guard.drive_stiffness * (guard.drive_target - q[guard.q])


@jitable
def add_drive(guard, watch, dof, q, qd, h, tau):
    """Add the clamped force of a drive to `tau`. Return its power [W]."""
    if guard.effort == 0.0 or watch.apart:  # switched off by a schedule, or a constraint of the convex step
        return 0.0
    if watch.told and guard.effort < math.inf:
        force = watch.driven
    elif watch.saturated != 0:
        force = watch.saturated * guard.effort
    else:
        force = drive_force(guard, q, qd) + h * guard.drive_stiffness * (guard.drive_rate - qd[guard.v])
        dof.armature += h * (guard.drive_damping + h * guard.drive_stiffness)
    tau[guard.v] += force
    return force * qd[guard.v]


@jitable
def add_chart_drive(model, work, drive, q, qd, h, tau):
    """Add the torque of a ball joint's drive to `tau`. Return its power [W]."""
    return dot(chart_drive_torque(model, work, drive, q, qd, h, tau), get3(qd, model.bodies[drive.body].v))


@jitable
def chart_drive_torque(model, work, drive, q, qd, h, tau):
    """Add the torque of a ball joint's drive to `tau`. Return it [N m], in child-side axes.

    Its stiffness acts on each component of the rotation vector, its damping on each one of the angular velocity.
    """
    body = model.bodies[drive.body]
    turning = get3(qd, body.v)
    damping = get3(drive.damping)
    slip = sub(turning, add(get3(drive.rate), turning_of_target(drive, body, q)))
    torque = add(get3(drive.push), pulls(damping, slip))
    put3(tau, add(get3(tau, body.v), torque), body.v)
    add_implicit_inertia(work.dofs[body.v], diagonal(damping, h))
    ahead = add(get3(drive.target), scale(get3(drive.target_rate), h))
    spring = add_turn_springs(work, body, q, qd, h, tau, get3(drive.stiffness), ahead)
    return add(torque, spring)


@jitable
def turning_of_target(drive, body, q):
    """Return the angular velocity of the target of a ball joint's drive [rad/s], in child-side axes."""
    e, rate = get3(drive.target), get3(drive.target_rate)
    if dot(rate, rate) == 0.0:
        return ZERO
    w, x, y, z = quat_of_rotvec(e)
    apart = quat_to_mat(quat_mul((w, -x, -y, -z), quat_normalized(get4(q, body.q))))
    return rotate_back(apart, turning_of_rotvec(e, rate))


@jitable
def watched_value(model, guard, q):
    """Return the coordinate or measure that a guard watches [rad or m]; 0 for a component of a chart's velocity."""
    if guard.kind == ON_DOF:
        return q[guard.q]
    if guard.kind == ON_MEASURE:
        return chart_measure(model, guard, q)[0]
    return 0.0


@jitable
def watched_rate(model, guard, q, qd):
    """Return the velocity that a guard watches [rad/s or m/s]."""
    if guard.kind != ON_MEASURE:
        return qd[guard.v]
    return measured_rate(model, guard, q, qd)


@subroutine
def push_along(model, guard, q, force, tau):
    """Add a force along the coordinate or measure that a guard watches to `tau` [N or N m]."""
    if guard.kind != ON_MEASURE:
        tau[guard.v] += force
        return
    body = model.bodies[guard.body]
    turn, slide = chart_measure(model, guard, q)[1]
    last = body.v_end - 3
    put3(tau, add(get3(tau, last), scale(turn, force)), last)
    if body.kind != BALL:
        put3(tau, add(get3(tau, body.v), scale(slide, force)), body.v)


@jitable
def bound_of(watch, side):
    """Return the lower stop for side -1, the upper one for side 1 [rad or m]."""
    return watch.lower if side < 0 else watch.upper


@subroutine
def add_stop_force(model, work, guard, watch, q, qd, h, tau):
    """Add the force of a compliant stop to `tau`, and its implicit inertia. Return its dissipated power [W]."""
    side = watch.pressed
    depth = side * (watched_value(model, guard, q) - bound_of(watch, side))
    rate = side * watched_rate(model, guard, q, qd)
    brake = max(0.0, 1.0 + guard.dissipation * rate)
    stiffness = guard.stiffness * brake
    damping = guard.stiffness * guard.dissipation * depth if brake > 0.0 else 0.0
    force = -side * stiffness * (depth + h * rate)
    implicit_inertia = h * (max(damping, 0.0) + h * stiffness)
    push_along(model, guard, q, force, tau)
    if guard.kind == ON_DOF:
        work.dofs[guard.v].armature += implicit_inertia
    else:
        body = model.bodies[guard.body]
        turn, slide = chart_measure(model, guard, q)[1]
        add_implicit_inertia(work.dofs[body.v_end - 3], sym_outer(turn, implicit_inertia))
        if body.kind != BALL:
            add_implicit_inertia(work.dofs[body.v], sym_outer(slide, implicit_inertia))
    return guard.stiffness * depth * rate * (brake - 1.0)


@subroutine
def stop_energy(model, work, q):
    """Return the elastic energy of compliant stops [J]."""
    energy = 0.0
    for k in range(model.guards.shape[0]):
        guard, watch = model.guards[k], work.watches[k]
        if watch.asleep or guard.kind not in (ON_DOF, ON_MEASURE) or not guard.stiffness < 1e300:
            continue
        value = watched_value(model, guard, q)
        depth = max(watch.lower - value, value - watch.upper)
        if depth > 0.0:
            energy += 0.5 * guard.stiffness * depth * depth
    return energy
