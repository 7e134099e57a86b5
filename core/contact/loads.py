# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact loads at one instant, for given contact states, and the accelerations that they cause.

core/solvers/system.py calls `apply_contact_loads` in each evaluation of the rates. An active rigid point keeps the
second derivative of its gap at 0, and one that sticks keeps the derivative of its slip at 0 as well. Friction that
slips is proportional to the normal load. So the loads solve the linear equations W load = rhs. A compliant point exerts
a force by its depth: Hunt and Crossley's law with an exponent of 1.

Source: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 5, for the equations.
"""

from __future__ import annotations

from ..compilation.jit import jitable, subroutine
from ..dynamics.aba import acceleration_pass
from ..dynamics.constraint_forces import add_multiplier_forces, solve_multipliers
from ..dynamics.constraints import ROW_COUNT
from ..spatial import add, cross, dot, rotate, scale, sub
from ..spatial.storage import get3, get9, put3
from .complementarity import load_warm_start
from .contact_kinematics import update_kinematics, velocity_at
from .delassus import (
    add_rows,
    apply_dof_forces,
    apply_loads,
    propagate_wrench,
    slip_wrench,
    write_constraint_rates,
    write_delassus,
)
from .islands import group_points
from .minimum_norm_loads import factor_delassus, solve_loads
from .points import NORMAL, POINTS, ROWS, SPIN, TANGENT, WARM_STARTED


@subroutine
def apply_contact_loads(system, qdd):
    """Solve for the loads of all points, and correct the accelerations qdd, shape (nv,), for them.

    The poses, velocities, articulated inertias and accelerations of the bodies must be those without contact loads.
    Return the powers that friction and compliant points dissipate, and that belts supply [W].
    """
    touch, work, gravity = system.touch, system.work, get3(system.model.gravity)
    group_points(system)
    has_soft_loads = False
    for i in range(touch.count[POINTS]):
        p = touch.order[i]
        if touch.points[p].has_step_loads:
            point = touch.points[p]
            force = add(get3(point.force), scale(get3(point.normal), point.load))
            apply_wrench(system, point, get3(point.torque), force)
            has_soft_loads = True
            continue
        update_kinematics(work, touch.points[p])
        clear_loads(touch.points[p])
        if touch.points[p].is_active:
            add_rows(touch, p, False)
            has_soft_loads = apply_soft_load(system, touch.points[p]) or has_soft_loads
    if has_soft_loads:
        acceleration_pass(system.model, work, gravity, qdd)
    if touch.count[ROWS] > 0:
        write_delassus(system, True)
        factor_delassus(touch)
        write_point_accelerations(system)
        if touch.count[WARM_STARTED]:
            load_warm_start(touch)
        for r in range(touch.count[ROWS]):
            touch.rows[r].rhs = -touch.rows[r].free_rate
            for c in range(touch.rows[r].begin, touch.rows[r].end):
                touch.rows[r].rhs -= touch.matrix[0, r, c] * touch.rows[c].initial_load
        solve_loads(touch)
        for r in range(touch.count[ROWS]):
            touch.rows[r].load += touch.rows[r].initial_load
        apply_loads(system)
        acceleration_pass(system.model, work, gravity, qdd)
    return store_loads(system)


@jitable
def clear_loads(point):
    """Set the loads of a point to 0."""
    point.load = 0.0
    put3(point.force, (0.0, 0.0, 0.0))
    put3(point.torque, (0.0, 0.0, 0.0))


@subroutine
def apply_soft_load(system, point):
    """Apply the load of a compliant point. Return whether there is one."""
    if point.is_soft == 0 or spring_gap(point) >= 0.0:
        return False
    point.load = max(0.0, -point.stiffness * spring_gap(point) * (1.0 - point.dissipation * point.rate))
    torque, force = slip_wrench(point, point.load)
    apply_wrench(system, point, torque, add(force, scale(get3(point.normal), point.load)))
    return True


@subroutine
def apply_wrench(system, point, torque, force):
    """Apply a wrench on the other body to the dofs. The line after the last row of `touch` is scratch."""
    touch, scratch = system.touch, system.scratch
    last = touch.rows.shape[0] - 1
    propagate_wrench(system, point, torque, force, touch.dof_forces[last], touch.dof_responses[last])
    apply_dof_forces(system.model, system.work, touch.dof_forces[last], touch.dof_responses[last], 1.0)
    if system.constraints.count[ROW_COUNT] > 0:
        write_constraint_rates(system, touch.dof_responses[last], touch.constraint_rates[last])
        solve_multipliers(system.constraints, scratch, touch.constraint_rates[last], touch.constraint_multipliers[last])
        add_multiplier_forces(
            system.model, system.work, system.constraints, scratch, touch.constraint_multipliers[last]
        )
        for k in range(system.constraints.count[ROW_COUNT]):
            scratch.multipliers[k] += touch.constraint_multipliers[last, k]


@subroutine
def write_point_accelerations(system):
    """Write the derivatives of the points' rates at the present accelerations, and those of rows to `free_rate`."""
    touch, work = system.touch, system.work
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        n = get3(point.normal)
        one, other = work.bodies[point.one.body], work.bodies[point.other.body]
        position = get3(point.position)
        acceleration = sub(
            acceleration_along(other, position, get3(point.other_rate)),
            acceleration_along(one, position, get3(point.one_rate)),
        )
        relative_velocity = sub(velocity_at(other, position), velocity_at(one, position))
        point.gap_acceleration = dot(n, acceleration) + dot(get3(point.normal_rate), relative_velocity)
        acceleration = add(acceleration, sub(belt_acceleration(other, point.other), belt_acceleration(one, point.one)))
        put3(point.slip_acceleration, sub(acceleration, scale(n, dot(n, acceleration))))
        put3(point.angular_acceleration, sub(get3(other.acceleration), get3(one.acceleration)))
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point, direction = touch.points[row.point], get3(row.direction)
        if row.kind == NORMAL:
            row.free_rate = point.gap_acceleration
        elif row.kind == TANGENT:
            row.free_rate = dot(direction, get3(point.slip_acceleration))
        else:
            row.free_rate = dot(direction, get3(point.angular_acceleration))
            spin = dot(get3(point.angular_velocity), get3(point.normal))
            if row.kind == SPIN:
                row.free_rate += dot(get3(point.normal_rate), get3(point.angular_velocity))
            else:  # the direction rotates with the normal
                row.free_rate -= dot(direction, get3(point.normal_rate)) * spin


@jitable
def acceleration_along(body, position, rate):
    """Return the rate of change of a body's velocity at a place that moves through space at `rate` [m/s^2]."""
    arm = sub(position, get3(body.origin))
    spun = cross(get3(body.velocity), rate)
    return add(add(get3(body.acceleration, 3), cross(get3(body.acceleration), arm)), spun)


@jitable
def belt_acceleration(body, feature):
    """Return the rate of change of a belt's velocity by the rotation of its body [m/s^2]."""
    return cross(get3(body.velocity), rotate(get9(body.rotation), get3(feature.belt)))


@subroutine
def store_loads(system):
    """Write the rows' loads and the accelerations under them to the points.

    Return the powers that are dissipated and that belts supply [W].
    """
    touch, lost, gained = system.touch, 0.0, 0.0
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point = touch.points[row.point]
        if row.kind == NORMAL:
            point.load = row.load
            torque, force = slip_wrench(point, row.load)
            put3(point.force, add(get3(point.force), force))
            put3(point.torque, add(get3(point.torque), torque))
        elif row.kind == TANGENT:
            put3(point.force, add(get3(point.force), scale(get3(row.direction), row.load)))
        else:
            put3(point.torque, add(get3(point.torque), scale(get3(row.direction), row.load)))
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        if point.is_soft and point.load > 0.0 and not point.has_step_loads:
            torque, force = slip_wrench(point, point.load)
            put3(point.force, add(get3(point.force), force))
            put3(point.torque, add(get3(point.torque), torque))
        if point.is_soft and spring_gap(point) < 0.0 and point.is_active:
            lost -= (point.load + point.stiffness * spring_gap(point)) * point.rate
        force, position = get3(point.force), get3(point.position)
        one, other = system.work.bodies[point.one.body], system.work.bodies[point.other.body]
        relative_velocity = sub(velocity_at(other, position), velocity_at(one, position))
        lost -= dot(force, get3(point.slip_velocity)) + dot(get3(point.torque), get3(point.angular_velocity))
        gained += dot(force, sub(relative_velocity, get3(point.slip_velocity)))
    write_point_accelerations(system)
    return lost, gained


@subroutine
def soft_contact_energy(touch):
    """Return the elastic energy of compliant points [J]."""
    energy = 0.0
    for p in range(touch.count[POINTS]):
        if touch.points[p].is_soft and touch.points[p].is_active:
            energy += spring_energy(touch.points[p])
    return energy


@jitable
def spring_energy(point):
    """Return the elastic energy of a compliant point [J]."""
    compression = min(spring_gap(point), 0.0)
    return 0.5 * point.stiffness * compression * compression


@jitable
def spring_gap(point):
    """Return the gap of a compliant point beyond that at which it is relaxed, negative if it is compressed [m]."""
    return point.gap - point.rest_gap
