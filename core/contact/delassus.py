# SPDX-License-Identifier: GPL-3.0-or-later
"""The Delassus matrix W = J M^-1 F of the contact rows, with the model's joints, loops and locked dofs.

M is the mass matrix, F maps row loads to dof forces, and J maps dof velocities to row rates. The inward pass of the
articulated-body algorithm gives the force on each dof and its response for a unit of each load. W is the sum of their
products, minus what the model's constraints take up (a Schur complement). If friction slips, its force is proportional
to the normal load, so that F differs from J', and W is not symmetric.

Source: as dynamics/constraint_forces.py.
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from ..dynamics.aba import propagate_force
from ..dynamics.constraint_forces import add_multiplier_forces, solve_multipliers
from ..dynamics.constraints import ACTIVE_COUNT, ROW_COUNT
from ..joints import SCREWS
from ..spatial import ZERO_PAIR, add, cross, dot, scale, sub
from ..spatial.storage import get3, get_pair, put3, put_pair
from .islands import set_row_ranges
from .points import FRICTIONLESS, NORMAL, ROLL, ROWS, SLIPS, SPIN, STICKS, TANGENT

MIN_SLIP_SPEED = 1e-9
"""Slip below which friction keeps the direction in which the slip began [m/s or rad/s]."""


@jitable
def tangents(n):
    """Return two unit vectors that are perpendicular to the unit vector n and to each other."""
    a = cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0))
    a = scale(a, 1.0 / math.sqrt(dot(a, a)))
    return a, cross(n, a)


@subroutine
def add_rows(touch, p, includes_slipping):
    """Add the rows of point p: normal, sliding, spinning, rolling.

    includes_slipping: whether to add the rows of friction that slips too, as impacts need.
    """
    point = touch.points[p]
    n = get3(point.normal)
    a, b = tangents(n)
    point.row = touch.count[ROWS]
    if point.is_soft == 0:
        add_row(touch, p, NORMAL, n)
    if point.slide == STICKS or (includes_slipping and point.slide != FRICTIONLESS):
        add_row(touch, p, TANGENT, a)
        add_row(touch, p, TANGENT, b)
    if point.spin == STICKS or (includes_slipping and point.spin != FRICTIONLESS):
        add_row(touch, p, SPIN, n)
    if point.roll == STICKS or (includes_slipping and point.roll != FRICTIONLESS):
        add_row(touch, p, ROLL, a)
        add_row(touch, p, ROLL, b)


@jitable
def add_row(touch, p, kind, direction):
    """Add a row of a kind along a direction, without load."""
    row = touch.rows[touch.count[ROWS]]
    row.point, row.kind, row.load, row.initial_load = p, kind, 0.0, 0.0
    put3(row.direction, direction)
    touch.count[ROWS] += 1


@jitable
def slip_direction(v, before, slip_speed):
    """Return the direction of slip against which friction acts: a unit vector, shorter if friction is smoothed.

    If v has reversed within a step, the direction stays as before, so that forces are smooth within the step.
    """
    speed = math.sqrt(dot(v, v))
    if slip_speed > 0.0:
        return scale(v, 1.0 / math.sqrt(speed * speed + slip_speed * slip_speed))
    if speed > MIN_SLIP_SPEED and dot(v, before) >= 0.0:
        return scale(v, 1.0 / speed)
    return before


@jitable
def spin_direction(point):
    """Return the sign of the relative spin against which spinning friction acts."""
    spin = dot(get3(point.angular_velocity), get3(point.normal))
    return (
        (1.0 if spin > 0.0 else -1.0)
        if abs(spin) > MIN_SLIP_SPEED and spin * point.spin_slip >= 0.0
        else point.spin_slip
    )


@jitable
def rolling_direction(point):
    """Return the direction of the relative rolling velocity, in the world."""
    w, n = get3(point.angular_velocity), get3(point.normal)
    return slip_direction(sub(w, scale(n, dot(w, n))), get3(point.roll_slip), 0.0)


@jitable
def slip_wrench(point, load):
    """Return (torque, force) on the other body of the friction that slips under a normal load."""
    n = get3(point.normal)
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if point.slide == SLIPS:
        force = scale(
            slip_direction(get3(point.slip_velocity), get3(point.slip), point.slip_speed), -point.friction * load
        )
    if point.spin == SLIPS:
        torque = scale(n, -point.spinning * spin_direction(point) * load)
    if point.roll == SLIPS:
        torque = add(torque, scale(rolling_direction(point), -point.rolling * load))
    return torque, force


@jitable
def row_wrench(touch, r, slipping):
    """Return (torque, force) on the other body of a unit of a row's load.

    slipping: whether a normal row includes the friction that slips with it.
    """
    row = touch.rows[r]
    direction = get3(row.direction)
    if row.kind in (SPIN, ROLL):
        return direction, (0.0, 0.0, 0.0)
    if row.kind == NORMAL and slipping:
        torque, force = slip_wrench(touch.points[row.point], 1.0)
        return torque, add(direction, force)
    return (0.0, 0.0, 0.0), direction


@jitable
def is_slipping(point):
    """Return whether any friction of a point slips."""
    return point.slide == SLIPS or point.spin == SLIPS or point.roll == SLIPS


@subroutine
def propagate_wrench(system, point, torque, force, forces, responses):
    """Propagate a wrench at a point inward, and write the force on each dof and its response, shape (nv,) each.

    The response is the force divided by the articulated inertia, D^-1 u in RBDA, table 7.1.
    """
    model, work, scratch = system.model, system.work, system.scratch
    for j in range(forces.shape[0]):
        forces[j], responses[j] = 0.0, 0.0
    one, other = point.one.body, point.other.body
    for start in (one, other):
        i = start
        put_pair(scratch.force[i], ZERO_PAIR)
        while i > 0:
            i = model.bodies[i].parent
            put_pair(scratch.force[i], ZERO_PAIR)
    add_wrench(system, one, point, torque, force, 1.0)
    add_wrench(system, other, point, torque, force, -1.0)
    while one > 0 or other > 0:  # inward along both branches, which may join
        i = max(one, other)
        propagate_force(model, work, i, scratch.force, work.zeros, forces, responses, model.bodies[i].v)
        one = model.bodies[i].parent if one == i else one
        other = model.bodies[i].parent if other == i else other


@jitable
def add_wrench(system, body, point, torque, force, sign):
    """Add a wrench on a body to its bias force, with the opposite sign, since bias forces oppose the motion."""
    arm = sub(get3(point.position), get3(system.work.bodies[body].origin))
    turn, push = get_pair(system.scratch.force[body])
    turn = add(turn, scale(add(torque, cross(arm, force)), sign))
    put_pair(system.scratch.force[body], (turn, add(push, scale(force, sign))))


@subroutine
def write_delassus(system, slipping):
    """Write W of the present rows. slipping: whether normal loads include the friction that slips with them."""
    touch, is_symmetric = system.touch, True
    rows, half = touch.count[ROWS], touch.rows.shape[0]
    set_row_ranges(touch)
    for r in range(rows):
        touch.rows[r].first_dof, touch.rows[r].last_dof = dofs_of(system, touch.points[touch.rows[r].point])
        point = touch.points[touch.rows[r].point]
        torque, force = row_wrench(touch, r, slipping)
        propagate_wrench(system, point, torque, force, touch.dof_forces[r], touch.dof_responses[r])
        write_constraint_rates(system, touch.dof_responses[r], touch.constraint_rates[r])
        if rate_row_of(touch, r, slipping) != r:
            is_symmetric = False
            torque, force = row_wrench(touch, r, False)
            propagate_wrench(system, point, torque, force, touch.dof_forces[half + r], touch.dof_responses[half + r])
            write_constraint_rates(system, touch.dof_responses[half + r], touch.constraint_rates[half + r])
        if system.constraints.count[ROW_COUNT] > 0:
            solve_multipliers(
                system.constraints, system.scratch, touch.constraint_rates[r], touch.constraint_multipliers[r]
            )
    for r in range(rows):
        at = rate_row_of(touch, r, slipping)
        for c in range(touch.rows[r].begin, r + 1 if is_symmetric else touch.rows[r].end):
            total = 0.0
            row, column = touch.rows[r], touch.rows[c]
            for j in range(max(row.first_dof, column.first_dof), min(row.last_dof, column.last_dof)):
                total += touch.dof_forces[at, j] * touch.dof_responses[c, j]
            for k in range(system.constraints.count[ROW_COUNT]):
                total += touch.constraint_rates[at, k] * touch.constraint_multipliers[c, k]
            touch.matrix[0, r, c] = total
            if is_symmetric:
                touch.matrix[0, c, r] = total


@jitable
def dofs_of(system, point):
    """Return the range of dofs that a force in a point acts on: (first, one after the last)."""
    bodies, first, last = system.model.bodies, system.tau.shape[0], 0
    for start in (point.one.body, point.other.body):
        i = start
        while i > 0:
            first, last = min(first, bodies[i].v), max(last, bodies[i].v_end)
            i = bodies[i].parent
    return first, last


@jitable
def rate_row_of(touch, r, slipping):
    """Return the line of `dof_forces` with the direction in which a row's rate is measured."""
    along = slipping and touch.rows[r].kind == NORMAL and is_slipping(touch.points[touch.rows[r].point])
    return touch.rows.shape[0] + r if along else r


@subroutine
def write_constraint_rates(system, responses, rates):
    """Write the rates G M^-1 F that a force with these dof responses causes in the model's constraints."""
    scratch, constraints = system.scratch, system.constraints
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        for k in range(record.rows):
            total = 0.0
            for s in range(record.support, record.support_end):
                body = system.model.bodies[constraints.supports[s].body]
                dofs = body.v_end - body.v
                at = constraints.supports[s].block + k * dofs
                for j in range(dofs):
                    total += scratch.Y[at + j] * responses[body.v + j]
            rates[record.row + k] = total


@subroutine
def apply_loads(system):
    """Apply the rows' loads to the dofs, and the constraints' response to their multipliers.

    Call `acceleration_pass` afterwards.
    """
    model, work, touch, scratch = system.model, system.work, system.touch, system.scratch
    for k in range(system.constraints.count[ROW_COUNT]):
        scratch.error[k] = 0.0
    for r in range(touch.count[ROWS]):
        apply_dof_forces(model, work, touch.dof_forces[r], touch.dof_responses[r], touch.rows[r].load)
        for k in range(system.constraints.count[ROW_COUNT]):
            scratch.error[k] += touch.constraint_multipliers[r, k] * touch.rows[r].load
    if system.constraints.count[ROW_COUNT] > 0:
        add_multiplier_forces(model, work, system.constraints, scratch, scratch.error)
        for k in range(system.constraints.count[ROW_COUNT]):
            scratch.multipliers[k] += scratch.error[k]


@jitable
def apply_dof_forces(model, work, forces, responses, load):
    """Apply a load to the dofs, given the force and the response of each dof to a unit of it."""
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                dof = work.dofs[j]
                dof.u_over_D += (forces[j] if dof.is_locked else responses[j]) * load
        else:
            u = work.dofs[body.v].u
            for j in range(body.v, body.v_end):
                u[j - body.v] += forces[j] * load
