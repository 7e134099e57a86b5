# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of SET_VALUED_FORCE records in modes in which they are functions of the state.

These are sliding friction, compressed compliant stops, and drives.

In the other modes, a force locks its coordinate: sticking friction, a rigid stop, a velocity limit. Its value then
depends on all other forces, and the dynamics compute it as a reaction. The dof is locked (`is_locked` in `DOF_WORK`),
or, for a component of a chart or a limited quantity, a constraint row is active.

Source of the compliant stop: Hunt, Crossley, Coefficient of restitution interpreted as damping in vibroimpact (1975),
with exponent 1: force = stiffness * depth * (1 + dissipation * rate), and never a pull.
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from ..joints import BALL
from ..kinematics.limited_quantities import chart_quantity
from ..model.compiling.compiled import ON_DOF, ON_QUANTITY
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
from .constraint_rows import quantity_rate
from .forces import add_angular_springs, add_joint_inertia, diagonal, spring_forces, velocity_of_rotvec


@subroutine
def add_set_valued_forces(model, work, q, qd, h, tau):
    """Add set-valued forces and drives to `tau`, shape (nv,). Return (dissipated power, supplied power) [W].

    h: length of a linearly implicit step [s], or 0; see `joint_forces`.
    """
    dissipated, supplied = 0.0, 0.0
    for k in range(model.set_valued_forces.shape[0]):
        force_law, force_state = model.set_valued_forces[k], work.force_states[k]
        if force_state.is_disabled:
            continue
        if force_state.motion_sign != 0:
            tau[force_law.v] -= force_state.motion_sign * force_law.friction
            dissipated += force_state.motion_sign * force_law.friction * qd[force_law.v]
        if force_state.has_step_loads:
            add_force_along(model, force_law, q, force_state.passive_load, tau)
        if force_law.kind == ON_DOF:
            supplied += add_drive(force_law, force_state, work.dofs[force_law.v], q, qd, h, tau)
        if force_state.pressed != 0:
            dissipated += add_stop_force(model, work, force_law, force_state, q, qd, h, tau)
    for k in range(model.chart_drives.shape[0]):
        supplied += add_chart_drive(model, work, model.chart_drives[k], q, qd, h, tau)
    return dissipated, supplied


@jitable
def drive_force(force_law, q, qd):
    """Return the force of a drive before it is clamped to the effort limit [N or N m].

    It is drive_stiffness (target - q) + drive_damping (target rate - qd) + a constant force.
    """
    force = force_law.drive_push + force_law.drive_damping * (force_law.drive_rate - qd[force_law.v])
    return force + force_law.drive_stiffness * (force_law.drive_target - q[force_law.q])


@jitable
def add_drive(force_law, force_state, dof_work, q, qd, h, tau):
    """Add the clamped force of a drive to `tau`. Return its power [W]."""
    if force_law.effort_limit == 0.0 or force_state.is_step_constraint:
        # A schedule has switched the drive off, or it is a constraint of the convex step.
        return 0.0
    if force_state.has_step_loads and force_law.effort_limit < math.inf:
        force = force_state.drive_load
    elif force_state.saturated != 0:
        force = force_state.saturated * force_law.effort_limit
    else:
        force = drive_force(force_law, q, qd) + h * force_law.drive_stiffness * (force_law.drive_rate - qd[force_law.v])
        dof_work.armature += h * (force_law.drive_damping + h * force_law.drive_stiffness)
    tau[force_law.v] += force
    return force * qd[force_law.v]


@jitable
def add_chart_drive(model, work, drive, q, qd, h, tau):
    """Add the torque of a ball joint's drive to `tau`. Return its power [W]."""
    return dot(chart_drive_torque(model, work, drive, q, qd, h, tau), get3(qd, model.bodies[drive.body].v))


@jitable
def chart_drive_torque(model, work, drive, q, qd, h, tau):
    """Add the torque of a ball joint's drive to `tau`. Return it [N m], in child-side axes.

    The stiffness acts on each component of the rotation vector, and the damping on each component of the angular
    velocity.
    """
    body = model.bodies[drive.body]
    angular_velocity = get3(qd, body.v)
    damping = get3(drive.damping)
    velocity_error = sub(angular_velocity, add(get3(drive.rate), target_angular_velocity(drive, body, q)))
    torque = add(get3(drive.push), spring_forces(damping, velocity_error))
    put3(tau, add(get3(tau, body.v), torque), body.v)
    add_joint_inertia(work.dofs[body.v], diagonal(damping, h))
    end_target = add(get3(drive.target), scale(get3(drive.target_rate), h))
    spring = add_angular_springs(work, body, q, qd, h, tau, get3(drive.stiffness), end_target)
    return add(torque, spring)


@jitable
def target_angular_velocity(drive, body, q):
    """Return the angular velocity of the target of a ball joint's drive [rad/s], in child-side axes."""
    e, rate = get3(drive.target), get3(drive.target_rate)
    if dot(rate, rate) == 0.0:
        return ZERO
    w, x, y, z = quat_of_rotvec(e)
    rotation = quat_to_mat(quat_mul((w, -x, -y, -z), quat_normalized(get4(q, body.q))))
    return rotate_back(rotation, velocity_of_rotvec(e, rate))


@jitable
def force_law_coordinate(model, force_law, q):
    """Return the coordinate or limited quantity on which a set-valued force acts [rad or m].

    The result is 0 for a component of a chart's velocity, which is not the rate of a coordinate.
    """
    if force_law.kind == ON_DOF:
        return q[force_law.q]
    if force_law.kind == ON_QUANTITY:
        return chart_quantity(model, force_law, q)[0]
    return 0.0


@jitable
def force_law_velocity(model, force_law, q, qd):
    """Return the velocity of the coordinate or limited quantity on which a set-valued force acts [rad/s or m/s]."""
    if force_law.kind != ON_QUANTITY:
        return qd[force_law.v]
    return quantity_rate(model, force_law, q, qd)


@subroutine
def add_force_along(model, force_law, q, force, tau):
    """Add to `tau` a force [N m or N] along the coordinate or limited quantity on which a set-valued force acts."""
    if force_law.kind != ON_QUANTITY:
        tau[force_law.v] += force
        return
    body = model.bodies[force_law.body]
    angular, linear = chart_quantity(model, force_law, q)[1]
    angular_v = body.v_end - 3
    put3(tau, add(get3(tau, angular_v), scale(angular, force)), angular_v)
    if body.kind != BALL:
        put3(tau, add(get3(tau, body.v), scale(linear, force)), body.v)


@jitable
def stop_position(force_state, side):
    """Return the position of the lower stop for side -1, of the upper stop for side 1 [rad or m]."""
    return force_state.lower if side < 0 else force_state.upper


@subroutine
def add_stop_force(model, work, force_law, force_state, q, qd, h, tau):
    """Add the force of a compliant stop to `tau`, and its implicit inertia to `work`. Return its dissipated power [W].

    The force is `stiffness` times depth at a contact rate of 0. Hunt and Crossley's factor depends on the rate.
    """
    side = force_state.pressed
    depth = side * (force_law_coordinate(model, force_law, q) - stop_position(force_state, side))
    rate = side * force_law_velocity(model, force_law, q, qd)
    factor = max(0.0, 1.0 + force_law.dissipation * rate)
    stiffness = force_law.stiffness * factor
    damping = force_law.stiffness * force_law.dissipation * depth if factor > 0.0 else 0.0
    force = -side * stiffness * (depth + h * rate)
    implicit_inertia = h * (max(damping, 0.0) + h * stiffness)
    add_force_along(model, force_law, q, force, tau)
    if force_law.kind == ON_DOF:
        work.dofs[force_law.v].armature += implicit_inertia
    else:
        body = model.bodies[force_law.body]
        angular, linear = chart_quantity(model, force_law, q)[1]
        add_joint_inertia(work.dofs[body.v_end - 3], sym_outer(angular, implicit_inertia))
        if body.kind != BALL:
            add_joint_inertia(work.dofs[body.v], sym_outer(linear, implicit_inertia))
    return force_law.stiffness * depth * rate * (factor - 1.0)


@subroutine
def stop_energy(model, work, q):
    """Return the elastic energy of compliant stops [J]."""
    energy = 0.0
    for k in range(model.set_valued_forces.shape[0]):
        force_law, force_state = model.set_valued_forces[k], work.force_states[k]
        # Rigid stops, whose stiffness is infinite, store no energy.
        if force_state.is_disabled or force_law.kind not in (ON_DOF, ON_QUANTITY) or not force_law.stiffness < 1e300:
            continue
        value = force_law_coordinate(model, force_law, q)
        depth = max(force_state.lower - value, value - force_state.upper)
        if depth > 0.0:
            energy += 0.5 * force_law.stiffness * depth * depth
    return energy
