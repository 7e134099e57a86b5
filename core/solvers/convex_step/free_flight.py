# SPDX-License-Identifier: GPL-3.0-or-later
"""Free flight: how bodies move through a convex step by inertia alone, before and after the impulses of constraints.

steps.py calls `begin_flight`, `separate_inertia`, `advance_positions` and `close_loops`. With constant rates, the links
of a whipping chain would move along their tangents and gain energy in each step. So single bodies turn by the midpoint
rule (single_bodies.py), and trees of several bodies move by Heun's method of third order, with the constraint forces of
loops and couplings. Slowly turning trees, and those with prescribed motion, keep their rates.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), section II.1, Table 1.1; on such a
splitting: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), section II.5.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...dynamics.aba import acceleration_pass, articulated_inertia_pass, forward_kinematics_pass
from ...dynamics.constraint_forces import add_constraint_accelerations
from ...dynamics.constraint_rows import position_errors
from ...dynamics.constraints import ACTIVE_COUNT, EQUATION, ROW_COUNT, WELD
from ...dynamics.energy import kinetic_energy
from ...dynamics.forces import set_armatures
from ...joints import SCREWS
from ...kinematics.motion import integrate_positions, rigid_inertia_of, update_bodies
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
    scale,
)
from ...spatial.storage import copy, get3, put3
from ..system import normalize_quaternions, parts_of, rates_of_positions
from .constraint_potentials import BOUNDED
from .problem import CONSTRAINT_COUNT, RUBBED, TOUCHED, UNTOUCHED
from .single_bodies import (
    MAX_SUBSTEPS,
    MIN_FLIGHT_ANGLE,
    SUBSTEP_ANGLE,
    choose_mean_velocities,
    is_floating,
    is_single_body,
    rotate_velocities,
)

MAX_ENERGY_ERROR = 0.01
"""Relative error of the kinetic energy that is accepted with so many substeps."""
UNCONSTRAINED, CONSTRAINED, EXCLUDED = 0, 1, 2
"""Entries of `flight_modes`. CONSTRAINED: loops or couplings act on the tree. EXCLUDED: model constraints keep it from
free flight, because they do work or act on a single body, whose flight is computed in another way."""
MAX_REFACTORIZATIONS = 8
"""Upper bound of the times that the constraints' factors are renewed to close loops; Newton's method needs a few."""
SUFFICIENT_REFACTORIZATIONS = 2
"""Number of these after which an error that `calls.project` accepts counts as a misfit of the model's own parts."""
CLOSED_ERROR = 1e-10
"""Error of a loop that needs no further correction [rad or m]."""


@jitable
def may_fly(model, step, i):
    """Return whether body i belongs to a tree that may move in free flight; single bodies are treated separately."""
    return not is_single_body(model, step, i) and step.flight_modes[step.forest.tree_of_body[i]] != EXCLUDED


@subroutine
def write_flight_modes(system, step):
    """Write `flight_modes`: which trees loops, couplings or prescribed motions act on.

    All of these are EXCLUDED if any motion is prescribed, or if a constraint acts on a single body.
    """
    constraints, forest = system.constraints, step.forest
    for t in range(step.flight_modes.shape[0]):
        step.flight_modes[t] = UNCONSTRAINED
    mode = EXCLUDED if system.inputs.signals.shape[0] > 0 or constrains_single_body(system, step) else CONSTRAINED
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.kind == EQUATION:
            for k in range(record.term, record.term_end):
                step.flight_modes[forest.tree_of_dof[constraints.terms[k].v]] = mode
            continue
        for body in (record.body_a, record.body_b) if record.kind == WELD else (record.body, record.body):
            if forest.tree_of_body[body] >= 0:
                step.flight_modes[forest.tree_of_body[body]] = mode


@subroutine
def constrains_single_body(system, step):
    """Return whether a loop or a chart constraint acts on a single floating body."""
    model, constraints = system.model, system.constraints
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        if record.kind == EQUATION:
            continue
        for body in (record.body_a, record.body_b) if record.kind == WELD else (record.body, record.body):
            if body > 0 and is_single_body(model, step, body):
                return True
    return False


# ---- before the constraints are solved


@subroutine
def begin_flight(system, step, y, h, rates):
    """Write the rates of `y` by inertia alone to `rates`, if trees turn fast enough for free flight.

    Return whether they do. h: length of the step [s].
    """
    q, qd = parts_of(system, y)
    write_flight_modes(system, step)
    is_flying = h * fastest_rotation(system, step, q, qd) > MIN_FLIGHT_ANGLE
    if is_flying:
        write_inertial_rates(system, y, rates)
    return is_flying


@subroutine
def fastest_rotation(system, step, q, qd):
    """Return the largest angular speed of the bodies that may fly [rad/s]; 0 if there are none."""
    model, work, fastest, placed = system.model, system.work, 0.0, False
    for i in range(1, model.bodies.shape[0]):
        if may_fly(model, step, i):
            if not placed:
                forward_kinematics_pass(model, work, q, qd)
                placed = True
            w = get3(work.bodies[i].velocity)
            fastest = max(fastest, dot(w, w))
    return math.sqrt(fastest)


@subroutine
def separate_inertia(system, step, h, is_flying, rates):
    """Move the changes by inertia in h seconds, which `advance_positions` takes care of, from `v_free` to `v_flight`.

    rates: those of `begin_flight`.
    """
    model, qdd = system.model, parts_of(system, rates)[1]
    copy(step.v_free, step.v_flight)
    for i in range(1, model.bodies.shape[0]):
        is_in_flight = is_flying and may_fly(model, step, i)
        if is_floating(model, i) and not is_in_flight:
            add_frame_rotation(model, step, i, h)
        if is_in_flight:
            for j in range(model.bodies[i].v, model.bodies[i].v_end):
                step.v_free[j] -= h * qdd[j]
    for j in range(step.v_flight.shape[0]):
        step.v_flight[j] -= step.v_free[j]


@subroutine
def add_frame_rotation(model, step, i, h):
    """Express `v_free` of a floating body in the axes that it has as the step begins.

    Its coordinates are velocities in body axes, which rotate, so they change even without forces.
    """
    body = model.bodies[i]
    v = get3(step.v0, body.v)
    w = get3(step.v0, body.v + 3)
    turn, slide = ZERO, cross(w, v)
    if is_single_body(model, step, i):
        inertia = rigid_inertia_of(body)
        turn, slide = articulated_solve(articulated(inertia), force_cross((w, v), momentum(inertia, (w, v))))
    put3(step.v_free, add(get3(step.v_free, body.v), scale(slide, h)), body.v)
    put3(step.v_free, add(get3(step.v_free, body.v + 3), scale(turn, h)), body.v + 3)


# ---- after they are solved


@subroutine
def choose_position_velocities(step, qd):
    """Write to qd, shape (nv,), the velocities by which positions advance, and to `tree_states` which trees are
    TOUCHED.

    Trees on which a unilateral constraint acts advance by the new velocities, so that no gap closes too far. Others
    advance by the mean of old and new ones, which is exact under constant forces.
    """
    forest, states = step.forest, step.tree_states
    for t in range(states.shape[0]):
        states[t] = UNTOUCHED
    for k in range(step.counts[CONSTRAINT_COUNT]):
        constraint = step.constraints[k]
        if constraint.kind != BOUNDED and constraint.impulse[0] > 0.0:
            for n in range(constraint.dof_count):
                states[forest.tree_of_dof[step.dofs[constraint.first_dof + n]]] = TOUCHED
    for t in range(states.shape[0]):
        for n in range(forest.first_dof[t], forest.first_dof[t + 1]):
            j = forest.dofs[n]
            qd[j] = 0.5 * (step.v0[j] + step.v[j]) if states[t] == UNTOUCHED else step.v[j]


@subroutine
def largest_velocity_change(model, step, qd):
    """Return the largest change of a dof's velocity in the step [m/s].

    A change is measured by the root of 2 T / m, with the kinetic energy T that the change alone has and the tree's mass
    m.
    """
    largest = 0.0
    for i in range(1, model.bodies.shape[0]):
        if model.bodies[i].parent > 0:
            continue
        t, mass = step.forest.tree_of_body[i], step.composite_inertias[i, 0]
        for n in range(step.forest.first_dof[t], step.forest.first_dof[t + 1] if mass > 0.0 else 0):
            j = step.forest.dofs[n]
            change = qd[j] - step.v0[j]
            largest = max(largest, change * change * step.mass_diagonal[j] / mass)
    return math.sqrt(largest)


@subroutine
def advance_positions(system, step, y, before, h, is_flying, energy_tolerance, stages):
    """Advance the positions of `y` by h seconds, and write the velocities at the end of the step.

    Args:
        y: the state; its velocities are those by which positions advance.
        before: the state as the step began.
        is_flying: what `begin_flight` returned.
        energy_tolerance: relative error of the kinetic energy that a flight may have.

    Returns:
        Whether the flight kept its kinetic energy. If not, h is too long.
    """
    model, (q, qd) = system.model, parts_of(system, y)
    rate = fastest_rotation(system, step, q, qd)
    is_flying = is_flying or h * rate > MIN_FLIGHT_ANGLE
    succeeded = not is_flying or fly(system, step, y, h, rate, energy_tolerance, stages)
    end = stages[1]
    for j in range(qd.shape[0]):
        step.v_position[j] = qd[j]
        qd[j] = step.v[j]
    for i in range(1, model.bodies.shape[0]):
        if is_single_body(model, step, i):
            choose_mean_velocities(model, step, i, h)
    integrate_positions(model, q, step.v_position, h)
    mark_friction(step)
    for i in range(1, model.bodies.shape[0]):
        is_in_flight = is_flying and may_fly(model, step, i)
        # The flight ends with velocities of its own, to which the change by impulses is added.
        if is_in_flight:
            copy_positions(model, i, parts_of(system, end)[0], q)
            for j in range(model.bodies[i].v, model.bodies[i].v_end):
                qd[j] -= step.v_position[j]
        if is_floating(model, i):
            rotate_velocities(model, step, i, before, q, qd)
        if is_in_flight:
            for j in range(model.bodies[i].v, model.bodies[i].v_end):
                qd[j] += parts_of(system, end)[1][j]
    return succeeded


@subroutine
def mark_friction(step):
    """Write RUBBED to `tree_states` of trees on which contacts with friction act."""
    for k in range(step.counts[CONSTRAINT_COUNT]):
        constraint = step.constraints[k]
        for n in range(constraint.dof_count if constraint.kind == BOUNDED and constraint.contact >= 0 else 0):
            t = step.forest.tree_of_dof[step.dofs[constraint.first_dof + n]]
            if step.tree_states[t] != UNTOUCHED:
                step.tree_states[t] = RUBBED


@jitable
def copy_positions(model, i, source, q):
    """Copy the coordinates of body i from another vector of positions, shape (nq,)."""
    body = model.bodies[i]
    count = body.v_end - body.v
    for k in range(body.q, body.q + (count if body.kind == SCREWS else count + 1)):
        q[k] = source[k]


# ---- free flight of trees


@subroutine
def fly(system, step, y, h, rate, energy_tolerance, stages):
    """Move trees from `y` in free flight for h seconds, and write the state to stages[1]; others stay at rest.

    Constraint forces do no work, so the kinetic energy must stay the same, up to `energy_tolerance`. If it does not,
    the flight is repeated with twice as many substeps. rate: the largest angular speed [rad/s]. Return whether it
    stayed the same.
    """
    end, begin = stages[1], stages[5]
    copy(y, begin)
    for i in range(1, system.model.bodies.shape[0]):
        if not may_fly(system.model, step, i):
            for j in range(system.model.bodies[i].v, system.model.bodies[i].v_end):
                parts_of(system, begin)[1][j] = 0.0
    kinetic = kinetic_energy_at(system, begin)
    substeps = min(1 + int(h * rate / SUBSTEP_ANGLE), MAX_SUBSTEPS)
    while True:
        copy(begin, end)
        for _ in range(substeps):
            heun_step(system, end, h / substeps, stages[2], stages[3], stages[4])
        change = abs(kinetic_energy_at(system, end) - kinetic)
        if change <= energy_tolerance * kinetic:
            return True
        if substeps >= MAX_SUBSTEPS:
            return change <= max(energy_tolerance, MAX_ENERGY_ERROR) * kinetic  # false if the energy is not a number
        substeps *= 2


@subroutine
def heun_step(system, y, h, first, last, between):
    """Take a step of Heun's method of third order in place. first, last, between: scratch, as y."""
    write_inertial_rates(system, y, first)
    add_rates(system, y, first, h / 3.0, between)
    write_inertial_rates(system, between, last)
    add_rates(system, y, last, h / 1.5, between)
    write_inertial_rates(system, between, last)
    for k in range(y.shape[0]):
        last[k] = 0.25 * first[k] + 0.75 * last[k]
    add_rates(system, y, last, h, y)


@subroutine
def write_inertial_rates(system, y, out):
    """Write the rates of a state by inertia alone, with armatures and constraint forces but no other forces."""
    model, work = system.model, system.work
    for j in range(work.dofs.shape[0]):
        system.tau[j] = 0.0
    set_armatures(model, work)
    q, qd = parts_of(system, y)
    rates_of_positions(model, q, qd, out)
    forward_kinematics_pass(model, work, q, qd)
    articulated_inertia_pass(model, work, system.tau)
    acceleration_pass(model, work, ZERO, parts_of(system, out)[1])
    if system.constraints.count[ROW_COUNT] > 0 and system.inputs.signals.shape[0] == 0:
        add_constraint_accelerations(
            model, work, system.constraints, system.scratch, q, qd, parts_of(system, out)[1], ZERO
        )
    for k in range(q.shape[0] + qd.shape[0], y.shape[0]):
        out[k] = 0.0


@subroutine
def close_loops(calls, system, time, y, rates):
    """Close all loops and couplings at the end of a step. Return whether they are closed.

    `calls.project` corrects the state with the factors that the last call of `calls.rates` left. After a step in which
    links turned far, these factors may be too old for the correction to converge, so they are renewed.

    rates: scratch, for the rates of y.
    """
    closed = calls.project(system, time, y)
    for turn in range(MAX_REFACTORIZATIONS if system.constraints.count[ROW_COUNT] > 0 else 0):
        if closed and (turn >= SUFFICIENT_REFACTORIZATIONS or largest_constraint_error(system, y) <= CLOSED_ERROR):
            return True
        calls.rates(system, time, y, 0.0, rates)
        closed = calls.project(system, time, y)
    return closed


@subroutine
def largest_constraint_error(system, y):
    """Return the largest position error of all model constraints [rad or m]; signals are read."""
    q, qd = parts_of(system, y)
    model, scratch = system.model, system.scratch
    update_bodies(model, system.work, q, system.work.zeros)
    position_errors(model, system.work, system.constraints, scratch.signal, q, scratch.error)
    widest = largest(scratch.error[: system.constraints.count[ROW_COUNT]])
    update_bodies(model, system.work, q, qd)
    return widest


@subroutine
def add_rates(system, y, rates, h, out):
    """Write y + h rates to `out`, with normalized quaternions."""
    for k in range(y.shape[0]):
        out[k] = y[k] + h * rates[k]
    normalize_quaternions(system.model, out)


@subroutine
def kinetic_energy_at(system, y):
    """Return the kinetic energy of bodies and armatures in the state y [J]."""
    q, qd = parts_of(system, y)
    forward_kinematics_pass(system.model, system.work, q, qd)
    return kinetic_energy(system.model, system.work, qd)
