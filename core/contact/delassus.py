# SPDX-License-Identifier: GPL-3.0-or-later
"""How a mechanism answers to forces in its contacts: the matrix W of J M^-1 F, with joints, loops and held columns.

A row's force is a wrench on two bodies. Passed inward through the articulated bodies, each dof feels some part of it
and yields to it, and W is the products of both, as in dynamics/constraint_forces.py; what the model's own constraints
take of it is subtracted. Where friction slips, it goes with the normal force: the force of that row is not along the
direction in which its rate is taken, and W is not symmetric.

Source: as dynamics/constraint_forces.py; the constraints' part is a Schur complement.
"""

from __future__ import annotations

import math

from ..dynamics.aba import propagate_force
from ..dynamics.constraint_forces import multipliers_for, push_dofs
from ..jit import jitable, subroutine
from ..joints import SCREWS
from ..spatial import ZERO_PAIR, add, cross, dot, scale, sub
from ..spatial.storage import get3, get_pair, put3, put_pair
from .islands import end_rows
from .points import ACROSS, FREE, NORMAL, ROLL, ROWS, SLIPS, SPIN, STICKS

STILL = 1e-9
"""Slip [m/s or rad/s] below which its direction is that in which it began."""


@jitable
def tangents(n):
    """Two unit vectors across n and across each other."""
    a = cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0))
    a = scale(a, 1.0 / math.sqrt(dot(a, a)))
    return a, cross(n, a)


@subroutine
def add_rows(touch, p, everything):
    """Add the rows of a point: those of what holds in it, or all that may. Torques come after forces."""
    point = touch.points[p]
    n = get3(point.normal)
    a, b = tangents(n)
    point.row = touch.count[ROWS]
    if point.is_soft == 0:
        add_row(touch, p, NORMAL, n)
    if point.slide == STICKS or (everything and point.slide != FREE):
        add_row(touch, p, ACROSS, a)
        add_row(touch, p, ACROSS, b)
    if point.spin == STICKS or (everything and point.spin != FREE):
        add_row(touch, p, SPIN, n)
    if point.roll == STICKS or (everything and point.roll != FREE):
        add_row(touch, p, ROLL, a)
        add_row(touch, p, ROLL, b)


@jitable
def add_row(touch, p, kind, direction):
    row = touch.rows[touch.count[ROWS]]
    row.point, row.kind, row.load, row.known = p, kind, 0.0, 0.0
    put3(row.direction, direction)
    touch.count[ROWS] += 1


@jitable
def slip_direction(v, before, slip_speed):
    """Along which friction resists: a unit vector, shorter where its law is smoothed.

    Beyond a stop, where v has turned round within a step, it goes on as before, so that forces stay smooth.
    """
    speed = math.sqrt(dot(v, v))
    if slip_speed > 0.0:
        return scale(v, 1.0 / math.sqrt(speed * speed + slip_speed * slip_speed))
    if speed > STILL and dot(v, before) >= 0.0:
        return scale(v, 1.0 / speed)
    return before


@jitable
def spin_of(point):
    """The sign with which spinning friction resists."""
    spin = dot(get3(point.w), get3(point.normal))
    return (1.0 if spin > 0.0 else -1.0) if abs(spin) > STILL and spin * point.spin_slip >= 0.0 else point.spin_slip


@jitable
def rolling_of(point):
    w, n = get3(point.w), get3(point.normal)
    return slip_direction(sub(w, scale(n, dot(w, n))), get3(point.roll_slip), 0.0)


@jitable
def slip_wrench(point, load):
    """(torque, force) of the friction that slips under a load along the normal, on the other body."""
    n = get3(point.normal)
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if point.slide == SLIPS:
        force = scale(slip_direction(get3(point.v), get3(point.slip), point.slip_speed), -point.friction * load)
    if point.spin == SLIPS:
        torque = scale(n, -point.spinning * spin_of(point) * load)
    if point.roll == SLIPS:
        torque = add(torque, scale(rolling_of(point), -point.rolling * load))
    return torque, force


@jitable
def wrench_of(touch, r, slipping):
    """(torque, force) of a unit of a row's load, on the other body; with the friction that goes with a normal one."""
    row = touch.rows[r]
    direction = get3(row.direction)
    if row.kind in (SPIN, ROLL):
        return direction, (0.0, 0.0, 0.0)
    if row.kind == NORMAL and slipping:
        torque, force = slip_wrench(touch.points[row.point], 1.0)
        return torque, add(direction, force)
    return (0.0, 0.0, 0.0), direction


@jitable
def slips_along(point):
    return point.slide == SLIPS or point.spin == SLIPS or point.roll == SLIPS


@subroutine
def respond_to(system, point, torque, force, felt, yields):
    """Pass a wrench at a point inward: what dofs feel of it, and how they yield, shape (nv,)."""
    model, work, scratch = system.model, system.work, system.scratch
    for j in range(felt.shape[0]):
        felt[j], yields[j] = 0.0, 0.0
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
        propagate_force(model, work, i, scratch.force, work.still, felt, yields, model.bodies[i].v)
        one = model.bodies[i].parent if one == i else one
        other = model.bodies[i].parent if other == i else other


@jitable
def add_wrench(system, body, point, torque, force, sign):
    """Add a wrench on a body to its bias force, whose sign is opposite: a force that pushes the body is subtracted."""
    arm = sub(get3(point.place), get3(system.work.bodies[body].origin))
    turn, push = get_pair(system.scratch.force[body])
    turn = add(turn, scale(add(torque, cross(arm, force)), sign))
    put_pair(system.scratch.force[body], (turn, add(push, scale(force, sign))))


@subroutine
def write_matrix(system, slipping):
    """Write W of the present rows, for loads with or without the friction that slips with them."""
    touch = system.touch
    rows, half = touch.count[ROWS], touch.rows.shape[0]
    end_rows(touch)
    for r in range(rows):
        touch.rows[r].first_dof, touch.rows[r].last_dof = dofs_of(system, touch.points[touch.rows[r].point])
        point = touch.points[touch.rows[r].point]
        torque, force = wrench_of(touch, r, slipping)
        respond_to(system, point, torque, force, touch.felt[r], touch.yields[r])
        ask_constraints(system, touch.yields[r], touch.held[r])
        if rate_at(touch, r, slipping) != r:
            torque, force = wrench_of(touch, r, False)
            respond_to(system, point, torque, force, touch.felt[half + r], touch.yields[half + r])
            ask_constraints(system, touch.yields[half + r], touch.held[half + r])
        if system.constraints.count[1] > 0:
            multipliers_for(system.constraints, system.scratch, touch.held[r], touch.answers[r])
    for r in range(rows):
        at = rate_at(touch, r, slipping)
        for c in range(touch.rows[r].begin, touch.rows[r].end):
            total = 0.0
            row, column = touch.rows[r], touch.rows[c]
            for j in range(max(row.first_dof, column.first_dof), min(row.last_dof, column.last_dof)):
                total += touch.felt[at, j] * touch.yields[c, j]
            for k in range(system.constraints.count[1]):
                total += touch.held[at, k] * touch.answers[c, k]
            touch.matrix[0, r, c] = total


@jitable
def dofs_of(system, point):
    """(the first of all dofs that feel a force in a point, the one after the last)."""
    bodies, first, last = system.model.bodies, system.tau.shape[0], 0
    for start in (point.one.body, point.other.body):
        i = start
        while i > 0:
            first, last = min(first, bodies[i].v), max(last, bodies[i].v_end)
            i = bodies[i].parent
    return first, last


@jitable
def rate_at(touch, r, slipping):
    """Where in `felt` the direction stands in which a row's rate is taken."""
    along = slipping and touch.rows[r].kind == NORMAL and slips_along(touch.points[touch.rows[r].point])
    return touch.rows.shape[0] + r if along else r


@subroutine
def ask_constraints(system, yields, held):
    """Write to `held` what a force to which dofs yield so asks of the model's constraints: G M^-1 F."""
    scratch, constraints = system.scratch, system.constraints
    for n in range(constraints.count[0]):
        record = constraints.records[constraints.active[n]]
        for k in range(record.rows):
            total = 0.0
            for s in range(record.support, record.support_end):
                body = system.model.bodies[constraints.supports[s].body]
                dofs = body.v_end - body.v
                at = constraints.supports[s].at + k * dofs
                for j in range(dofs):
                    total += scratch.Y[at + j] * yields[body.v + j]
            held[record.row + k] = total


@subroutine
def push_rows(system):
    """Add the rows' loads to what pushes the dofs, and what constraints answer with to their multipliers.

    `acceleration_pass` is to follow.
    """
    model, work, touch, scratch = system.model, system.work, system.touch, system.scratch
    for k in range(system.constraints.count[1]):
        scratch.error[k] = 0.0
    for r in range(touch.count[ROWS]):
        push_dofs_by(model, work, touch.felt[r], touch.yields[r], touch.rows[r].load)
        for k in range(system.constraints.count[1]):
            scratch.error[k] += touch.answers[r, k] * touch.rows[r].load
    if system.constraints.count[1] > 0:
        push_dofs(model, work, system.constraints, scratch, scratch.error)
        for k in range(system.constraints.count[1]):
            scratch.multipliers[k] += scratch.error[k]


@jitable
def push_dofs_by(model, work, felt, yields, load):
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                dof = work.dofs[j]
                dof.u_over_D += (felt[j] if dof.is_locked else yields[j]) * load
        else:
            u = work.dofs[body.v].u
            for j in range(body.v, body.v_end):
                u[j - body.v] += felt[j] * load
