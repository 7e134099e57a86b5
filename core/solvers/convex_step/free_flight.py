# SPDX-License-Identifier: GPL-3.0-or-later
"""How bodies move on through a step of a crowd by inertia alone, once forces and contacts have had their say.

What is held together does not run off along a tangent. A chain that whips turns by a good part of a radian in a step:
were its rates just kept meanwhile, they would hold more energy at the end of the step than at its start, until it flies
apart. So forces and contacts change velocities as a step begins, and add no more energy than they bring. Then a single
body turns on by its angular momentum, and articulations drift on by Heun's method of third order. A drift must keep
kinetic energy: where it does not, it is taken in more parts. The forces of loops and couplings do no work, and bend the
way of what they hold, so they act in the drift as well. What turns slowly keeps its rates, and so does what prescribed
motion holds, since that does work.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), section II.1, Table 1.1; on such a
splitting: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), section II.5.
"""

from __future__ import annotations

import math

from ...dynamics.aba import acceleration_pass, articulated_inertia_pass, forward_kinematics_pass
from ...dynamics.constraint_forces import hold_constraints
from ...dynamics.constraint_rows import position_errors
from ...dynamics.constraints import EQUATION, WELD
from ...dynamics.energy import kinetic_energy
from ...jit import jitable, subroutine
from ...joints import FREE, SCREWS
from ...kinematics.motion import integrate_positions, move_bodies, rigid_inertia_of
from ...kinematics.work import largest
from ...spatial import (
    ZERO,
    add,
    articulated,
    articulated_solve,
    cross,
    dot,
    force_cross,
    momentum,
    quat_to_mat,
    rotate,
    rotate_back,
    scale,
    sub,
)
from ...spatial.storage import copy, get3, get4, put3, put6
from ..system import normalize_quaternions, parts_of, rates_of_positions
from .constraint_potentials import HOLDS
from .problem import LAW_COUNT

FAST = 0.01
"""Radians in a step from which on an articulation drifts."""
AT_ONCE = 0.2
"""Radians that are first tried in one part."""
MOST_PARTS = 64
BARELY_KEPT = 0.01
"""Share of its kinetic energy by which a drift in so many parts may be off."""
RUBBED = -1
"""Entry of `crowd.roots` for an articulation that contacts with friction push."""
UNTIED, BOUND, LED = 0, 1, 2
"""Kinds of articulations: held by no constraint, by loops or couplings, or by constraints that do not let it drift."""
MOST_FACTORS, ENOUGH_FACTORS = 8, 2
"""Times that the factors of the constraints are renewed to close loops: Newton's method converges in a few. After the
latter number, a gap that `calls.close` accepts is one that the drawing leaves.
"""
WELL_CLOSED = 1e-10
"""Error of a loop that needs no further correction [rad or m]."""
NO_INERTIA = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@jitable
def is_loose(model, i):
    return model.bodies[i].kind == FREE and model.bodies[i].parent == 0


@jitable
def is_alone(model, crowd, i):
    """Whether a body is free and carries no other."""
    tree = crowd.forest.tree_of_body[i]
    return is_loose(model, i) and crowd.forest.first[tree + 1] - crowd.forest.first[tree] == 6


@jitable
def may_drift(model, crowd, i):
    """Return whether a body is one of an articulation that moves on by inertia and the forces of its loops alone."""
    return not is_alone(model, crowd, i) and crowd.tied[crowd.forest.tree_of_body[i]] != LED


@subroutine
def note_tied(system, crowd):
    """Note which articulations loops, couplings or prescribed motion hold, as BOUND or LED.

    All that is held is LED if any motion is prescribed, or if a constraint holds a body that turns on by its momentum.
    """
    constraints, forest = system.constraints, crowd.forest
    for t in range(crowd.tied.shape[0]):
        crowd.tied[t] = UNTIED
    how = LED if system.inputs.signals.shape[0] > 0 or holds_single_body(system, crowd) else BOUND
    for n in range(constraints.count[0]):
        record = constraints.records[constraints.active[n]]
        if record.kind == EQUATION:
            for k in range(record.term, record.term_end):
                crowd.tied[forest.tree_of_dof[constraints.terms[k].v]] = how
            continue
        for body in (record.one, record.other) if record.kind == WELD else (record.body, record.body):
            if forest.tree_of_body[body] >= 0:
                crowd.tied[forest.tree_of_body[body]] = how


@subroutine
def holds_single_body(system, crowd):
    """Return whether a constraint holds a free body that carries no other."""
    model, constraints = system.model, system.constraints
    for n in range(constraints.count[0]):
        record = constraints.records[constraints.active[n]]
        if record.kind == EQUATION:
            continue
        for body in (record.one, record.other) if record.kind == WELD else (record.body, record.body):
            if body > 0 and is_alone(model, crowd, body):
                return True
    return False


# ---- before the laws


@subroutine
def begin_drift(system, crowd, y, h, rates):
    """Write rates of `y` by inertia alone to `rates`, if articulations are to drift. Returns whether they are."""
    q, qd = parts_of(system, y)
    note_tied(system, crowd)
    drifting = h * turning(system, crowd, q, qd) > FAST
    if drifting:
        write_drift(system, y, rates)
    return drifting


@subroutine
def turning(system, crowd, q, qd):
    """How fast the fastest of the bodies turns that may drift [rad/s]; 0 where there is none."""
    model, work, most, placed = system.model, system.work, 0.0, False
    for i in range(1, model.bodies.shape[0]):
        if may_drift(model, crowd, i):
            if not placed:
                forward_kinematics_pass(model, work, q, qd)
                placed = True
            w = get3(work.bodies[i].velocity)
            most = max(most, dot(w, w))
    return math.sqrt(most)


@subroutine
def aim_by_inertia(system, crowd, h, drifting, rates):
    """Have `aim` hold, of what inertia does to velocities in h seconds, only what `move_on` does not see to.

    rates: `begin_drift`'s.
    """
    model, qdd = system.model, parts_of(system, rates)[1]
    for i in range(1, model.bodies.shape[0]):
        drifts = drifting and may_drift(model, crowd, i)
        if is_loose(model, i) and not drifts:
            aim_freely(model, crowd, i, h)
        if drifts:
            for j in range(model.bodies[i].v, model.bodies[i].v_end):
                crowd.aim[j] -= h * qdd[j]


@subroutine
def aim_freely(model, crowd, i, h):
    """Take what a free body aims at to the axes that it has as the step begins.

    Its coordinates are rates in its own axes, which turn on, so they change though nothing acts.
    """
    body = model.bodies[i]
    v = get3(crowd.start, body.v)
    w = get3(crowd.start, body.v + 3)
    turn, slide = ZERO, cross(w, v)
    if is_alone(model, crowd, i):
        inertia = rigid_inertia_of(body)
        turn, slide = articulated_solve(articulated(inertia), force_cross((w, v), momentum(inertia, (w, v))))
    put3(crowd.aim, add(get3(crowd.aim, body.v), scale(slide, h)), body.v)
    put3(crowd.aim, add(get3(crowd.aim, body.v + 3), scale(turn, h)), body.v + 3)


# ---- after them


@subroutine
def move_on(system, crowd, y, before, h, drifting, slack, stages):
    """Move by the strides that `y` has for velocities, and give it those that were found, as inertia leaves them.

    before: the state as the step began. slack: part by which the kinetic energy of a drift may be off. Returns whether
    it could be kept: where not, h is too long.
    """
    model, (q, qd) = system.model, parts_of(system, y)
    speed = turning(system, crowd, q, qd)
    drifting = drifting or h * speed > FAST
    kept = not drifting or drift(system, crowd, y, h, speed, slack, stages)
    there = stages[1]
    for j in range(qd.shape[0]):
        crowd.stride[j] = qd[j]
        qd[j] = crowd.v[j]
    integrate_positions(model, q, crowd.stride, h)
    note_rubbed(crowd)
    for i in range(1, model.bodies.shape[0]):
        drifts = drifting and may_drift(model, crowd, i)
        if drifts:  # what is yet to be added to its velocities comes after the drift
            take_positions(model, i, parts_of(system, there)[0], q)
            for j in range(model.bodies[i].v, model.bodies[i].v_end):
                qd[j] -= crowd.stride[j]
        if is_loose(model, i):
            turn_on(model, crowd, i, before, q, qd, h)
        if drifts:
            for j in range(model.bodies[i].v, model.bodies[i].v_end):
                qd[j] += parts_of(system, there)[1][j]
    return kept


@subroutine
def note_rubbed(crowd):
    """Write RUBBED to `crowd.roots` for articulations that contacts with friction push; others that fly have 0."""
    for k in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[k]
        for n in range(law.count if law.kind == HOLDS and law.contact >= 0 else 0):
            t = crowd.forest.tree_of_dof[crowd.dofs[law.first + n]]
            if crowd.roots[t] != 0:
                crowd.roots[t] = RUBBED


@jitable
def take_positions(model, i, source, q):
    body = model.bodies[i]
    count = body.v_end - body.v
    for k in range(body.q, body.q + (count if body.kind == SCREWS else count + 1)):
        q[k] = source[k]


@subroutine
def turn_on(model, crowd, i, before, q, qd, h):
    """Write a free body's velocities in the axes that it has at the end of a step; a single one keeps its momentum.

    Forces act along the whole way of its centre of mass, so they do not make it spin. But friction as it bounces acts
    where the step began, as seen from where the step ends: the spin makes up for that way, which keeps the angular
    momentum of all bodies. It does so as well where the centre has not moved by its stride, since the body turned.

    before, q: positions at the beginning and at the end of the step, which takes h seconds. `crowd.roots` tells
    which articulations are RUBBED.
    """
    body = model.bodies[i]
    R, R_now = quat_to_mat(get4(before, body.q + 3)), quat_to_mat(get4(q, body.q + 3))
    v = get3(qd, body.v)
    w = get3(qd, body.v + 3)
    if is_alone(model, crowd, i):
        inertia = rigid_inertia_of(body)
        spin, push = momentum(inertia, (w, v))
        centre = scale(inertia[1], 1.0 / inertia[0])
        stride = add(get3(crowd.stride, body.v), cross(get3(crowd.stride, body.v + 3), centre))
        there = add(get3(q, body.q), rotate(R_now, centre))
        way = sub(rotate_back(R, sub(there, get3(before, body.q))), centre)
        if crowd.roots[crowd.forest.tree_of_body[i]] != RUBBED:
            way = sub(way, scale(stride, h))
        spin = sub(spin, cross(add(centre, way), push))
        spin, push = rotate_back(R_now, rotate(R, spin)), rotate_back(R_now, rotate(R, push))
        spin = add(spin, cross(centre, push))
        w, v = articulated_solve(articulated(inertia), (spin, push))
    else:
        w, v = rotate_back(R_now, rotate(R, w)), rotate_back(R_now, rotate(R, v))
    put3(qd, v, body.v)
    put3(qd, w, body.v + 3)


# ---- the drift of articulations


@subroutine
def drift(system, crowd, y, h, speed, slack, stages):
    """Write where articulations come from `y` in h seconds to stages[1]; what may not drift stays where it is.

    speed: how fast the fastest body turns [rad/s]. Returns whether the kinetic energy has stayed.
    """
    end, first, later, between, begin = stages[1], stages[2], stages[3], stages[4], stages[5]
    copy(y, begin)
    for i in range(1, system.model.bodies.shape[0]):
        if not may_drift(system.model, crowd, i):
            for j in range(system.model.bodies[i].v, system.model.bodies[i].v_end):
                parts_of(system, begin)[1][j] = 0.0
    kinetic = energy_of_motion(system, begin)
    parts = min(1 + int(h * speed / AT_ONCE), MOST_PARTS)
    while True:
        copy(begin, end)
        for _ in range(parts):
            drift_on(system, end, h / parts, first, later, between)
        change = abs(energy_of_motion(system, end) - kinetic)
        if change <= slack * kinetic:
            return True
        if parts >= MOST_PARTS:
            return change <= max(slack, BARELY_KEPT) * kinetic  # what is not a number has not stayed
        parts *= 2


@subroutine
def drift_on(system, y, h, first, later, between):
    """A step of Heun's method, in place."""
    write_drift(system, y, first)
    add_rates(system, y, first, h / 3.0, between)
    write_drift(system, between, later)
    add_rates(system, y, later, h / 1.5, between)
    write_drift(system, between, later)
    for k in range(y.shape[0]):
        later[k] = 0.25 * first[k] + 0.75 * later[k]
    add_rates(system, y, later, h, y)


@subroutine
def write_drift(system, y, out):
    """Write the rates of a state by inertia alone: of what acts in joints, only armatures are left."""
    model, work = system.model, system.work
    for j in range(work.dofs.shape[0]):
        system.tau[j] = 0.0
        work.dofs[j].armature = model.dofs[j].armature
        put6(work.dofs[j].implicit_inertia, NO_INERTIA)
    q, qd = parts_of(system, y)
    rates_of_positions(model, q, qd, out)
    forward_kinematics_pass(model, work, q, qd)
    articulated_inertia_pass(model, work, system.tau)
    acceleration_pass(model, work, ZERO, parts_of(system, out)[1])
    if system.constraints.count[1] > 0 and system.inputs.signals.shape[0] == 0:
        hold_constraints(model, work, system.constraints, system.scratch, q, qd, parts_of(system, out)[1], ZERO)
    for k in range(q.shape[0] + qd.shape[0], y.shape[0]):
        out[k] = 0.0


@subroutine
def close_loops(calls, system, time, y, rates):
    """Close all loops and couplings at the end of a step. Returns whether they are closed.

    `calls.close` corrects the state with the factors that the last call of `calls.rates` has left. After a step in
    which links turned far, these factors may be too old for the correction to converge, so they are renewed.

    rates: room for the rates of y.
    """
    closed = calls.close(system, time, y)
    for turn in range(MOST_FACTORS if system.constraints.count[1] > 0 else 0):
        if closed and (turn >= ENOUGH_FACTORS or widest_gap(system, y) <= WELL_CLOSED):
            return True
        calls.rates(system, time, y, 0.0, rates)
        closed = calls.close(system, time, y)
    return closed


@subroutine
def widest_gap(system, y):
    """Return the largest error of all constraints [rad or m]; signals are read."""
    q, qd = parts_of(system, y)
    model, scratch = system.model, system.scratch
    move_bodies(model, system.work, q, system.work.still)
    position_errors(model, system.work, system.constraints, scratch.signal, q, scratch.error)
    widest = largest(scratch.error[: system.constraints.count[1]])
    move_bodies(model, system.work, q, qd)
    return widest


@subroutine
def add_rates(system, y, rates, h, out):
    for k in range(y.shape[0]):
        out[k] = y[k] + h * rates[k]
    normalize_quaternions(system.model, out)


@subroutine
def energy_of_motion(system, y):
    """Of the bodies, and of armatures [J]."""
    q, qd = parts_of(system, y)
    forward_kinematics_pass(system.model, system.work, q, qd)
    return kinetic_energy(system.model, system.work, qd)
