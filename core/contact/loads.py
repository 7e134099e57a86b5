# SPDX-License-Identifier: GPL-3.0-or-later
"""The loads of all points that hold, at one instant, and what they do to accelerations.

A rigid point keeps its gap's second rate at 0, one that sticks keeps the rate of its slip at 0 as well; friction that
slips follows the normal load. So loads solve linear equations, W load = what is asked. A soft point pushes by its
depth: Hunt and Crossley's law with an exponent of 1.

Source: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 5, for the equations.
"""

from __future__ import annotations

from ..dynamics.aba import acceleration_pass
from ..dynamics.constraint_forces import multipliers_for, push_dofs
from ..jit import jitable, subroutine
from ..spatial import add, cross, dot, rotate, scale, sub
from ..spatial.storage import get3, get9, put3
from .complementarity import take_known
from .contact_kinematics import place_point, velocity_at
from .delassus import (
    add_rows,
    ask_constraints,
    push_dofs_by,
    push_rows,
    respond_to,
    slip_wrench,
    write_matrix,
)
from .islands import begin_rows
from .minimum_norm_loads import factor_rows, solve_rows
from .points import ACROSS, BASED, NORMAL, POINTS, ROWS, SPIN


@subroutine
def hold_points(system, qdd):
    """Correct accelerations, shape (nv,), for what all points exert, and leave their loads.

    Bodies must be placed, moved, factored and accelerated without them. Returns the powers that are lost and that belts
    bring in [W].
    """
    touch, work, gravity = system.touch, system.work, get3(system.model.gravity)
    begin_rows(system)
    soft = False
    for i in range(touch.count[POINTS]):
        p = touch.order[i]
        if touch.points[p].given:
            point = touch.points[p]
            push = add(get3(point.force), scale(get3(point.normal), point.load))
            push_by_wrench(system, point, get3(point.torque), push)
            soft = True
            continue
        place_point(work, touch.points[p])
        clear_loads(touch.points[p])
        if touch.points[p].holds:
            add_rows(touch, p, False)
            soft = push_softly(system, touch.points[p]) or soft
    if soft:
        acceleration_pass(system.model, work, gravity, qdd)
    if touch.count[ROWS] > 0:
        write_matrix(system, True)
        factor_rows(touch)
        write_gains(system)
        if touch.count[BASED]:
            take_known(touch)
        for r in range(touch.count[ROWS]):
            touch.rows[r].asked = -touch.rows[r].before
            for c in range(touch.rows[r].begin, touch.rows[r].end):
                touch.rows[r].asked -= touch.matrix[0, r, c] * touch.rows[c].known
        solve_rows(touch)
        for r in range(touch.count[ROWS]):
            touch.rows[r].load += touch.rows[r].known
        push_rows(system)
        acceleration_pass(system.model, work, gravity, qdd)
    return tell_loads(system)


@jitable
def clear_loads(point):
    point.load = 0.0
    put3(point.force, (0.0, 0.0, 0.0))
    put3(point.torque, (0.0, 0.0, 0.0))


@subroutine
def push_softly(system, point):
    """Let a soft point push by its depth. Returns whether it does."""
    if point.is_soft == 0 or point.gap >= 0.0:
        return False
    point.load = max(0.0, -point.stiffness * point.gap * (1.0 - point.dissipation * point.rate))
    torque, force = slip_wrench(point, point.load)
    push_by_wrench(system, point, torque, add(force, scale(get3(point.normal), point.load)))
    return True


@subroutine
def push_by_wrench(system, point, torque, force):
    """Add a wrench on the other body to what pushes dofs. The room after the last row is used for it."""
    touch, scratch = system.touch, system.scratch
    last = touch.rows.shape[0] - 1
    respond_to(system, point, torque, force, touch.felt[last], touch.yields[last])
    push_dofs_by(system.model, system.work, touch.felt[last], touch.yields[last], 1.0)
    if system.constraints.count[1] > 0:
        ask_constraints(system, touch.yields[last], touch.held[last])
        multipliers_for(system.constraints, scratch, touch.held[last], touch.answers[last])
        push_dofs(system.model, system.work, system.constraints, scratch, touch.answers[last])
        for k in range(system.constraints.count[1]):
            scratch.multipliers[k] += touch.answers[last, k]


@subroutine
def write_gains(system):
    """Write how points' rates change with the bodies' present accelerations, to the points and to `before` of rows."""
    touch, work = system.touch, system.work
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        n = get3(point.normal)
        one, other = work.bodies[point.one.body], work.bodies[point.other.body]
        place = get3(point.place)
        pull = sub(
            acceleration_along(other, place, get3(point.other_rate)),
            acceleration_along(one, place, get3(point.one_rate)),
        )
        own = sub(velocity_at(other, place), velocity_at(one, place))
        point.gain = dot(n, pull) + dot(get3(point.normal_rate), own)
        pull = add(pull, sub(belt_gain(other, point.other), belt_gain(one, point.one)))
        put3(point.pull, sub(pull, scale(n, dot(n, pull))))
        put3(point.turn, sub(get3(other.acceleration), get3(one.acceleration)))
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point, direction = touch.points[row.point], get3(row.direction)
        if row.kind == NORMAL:
            row.before = point.gain
        elif row.kind == ACROSS:
            row.before = dot(direction, get3(point.pull))
        else:
            row.before = dot(direction, get3(point.turn))
            spin = dot(get3(point.w), get3(point.normal))
            if row.kind == SPIN:
                row.before += dot(get3(point.normal_rate), get3(point.w))
            else:  # the direction turns with the normal
                row.before -= dot(direction, get3(point.normal_rate)) * spin


@jitable
def acceleration_along(body, place, rate):
    """How the velocity of a body's material changes at a place that moves through space at a rate [m/s^2]."""
    arm = sub(place, get3(body.origin))
    spun = cross(get3(body.velocity), rate)
    return add(add(get3(body.acceleration, 3), cross(get3(body.acceleration), arm)), spun)


@jitable
def belt_gain(body, piece):
    return cross(get3(body.velocity), rotate(get9(body.rotation), get3(piece.belt)))


@subroutine
def tell_loads(system):
    """Write loads from the rows to the points, and how rates change now. Returns the powers lost and brought in."""
    touch, lost, gained = system.touch, 0.0, 0.0
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point = touch.points[row.point]
        if row.kind == NORMAL:
            point.load = row.load
            torque, force = slip_wrench(point, row.load)
            put3(point.force, add(get3(point.force), force))
            put3(point.torque, add(get3(point.torque), torque))
        elif row.kind == ACROSS:
            put3(point.force, add(get3(point.force), scale(get3(row.direction), row.load)))
        else:
            put3(point.torque, add(get3(point.torque), scale(get3(row.direction), row.load)))
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        if point.is_soft and point.load > 0.0 and not point.given:
            torque, force = slip_wrench(point, point.load)
            put3(point.force, add(get3(point.force), force))
            put3(point.torque, add(get3(point.torque), torque))
        if point.is_soft and point.gap < 0.0 and point.holds:
            lost -= (point.load + point.stiffness * point.gap) * point.rate
        force, place = get3(point.force), get3(point.place)
        one, other = system.work.bodies[point.one.body], system.work.bodies[point.other.body]
        own = sub(velocity_at(other, place), velocity_at(one, place))
        lost -= dot(force, get3(point.v)) + dot(get3(point.torque), get3(point.w))
        gained += dot(force, sub(own, get3(point.v)))
    write_gains(system)
    return lost, gained


@subroutine
def soft_energy(touch):
    """Return the energy that is stored in soft points [J]."""
    energy = 0.0
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        if point.is_soft and point.holds and point.gap < 0.0:
            energy += 0.5 * point.stiffness * point.gap * point.gap
    return energy
