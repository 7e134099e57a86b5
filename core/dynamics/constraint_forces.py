# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint forces: multipliers L that solve (G M^-1 G') L = -error, also if rows of G are redundant.

M is never formed, since the articulated-body algorithm has factored its inverse. A unit multiplier of a row, propagated
inward to the root, exerts a force Y on each dof. Z = Y/D is the dof's acceleration while all bodies inboard of it are
held, and G M^-1 G' = Y'Z. Redundant rows and singular positions make this matrix singular. The proximal method adds mu
times the unit matrix and iterates on the residual. It converges to a solution if one exists.

Source: Rodriguez, Jain, Kreutz-Delgado, Spatial operator algebra for multibody system dynamics (1992), for Y and Z;
Carpentier, Budhiraja, Mansard, Proximal and sparse resolution of constrained dynamic equations (2021).
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from ..joints import SCREWS
from ..spatial import ZERO, ZERO_PAIR
from ..spatial.storage import put_pair
from .aba import acceleration_pass, propagate_force, u_over_D_of
from .constraint_rows import acceleration_errors, apply_unit_force, clear_unit_force
from .constraints import ACTIVE_COUNT, ROW_COUNT

PROXIMAL_MU = 1e-8
"""The number mu that is added to the diagonal of the scaled matrix, whose entries are 1.

Larger values need more proximal iterations; smaller ones lose digits in the factor of a singular matrix.
"""

NEGLIGIBLE_ENTRY = 1e-24
"""Ratio of a diagonal entry to the largest one below which the entry counts as rounding error.

An entry is a sum of squares, so its rounding error is about the square of that of double precision, 1e-32.
"""

MOST_PROXIMAL_ITERATIONS = 6
"""Maximum number of proximal iterations.

Each one multiplies the residual by about 1e-8 (see PROXIMAL_MU), unless the rows contradict each other.
"""


@subroutine
def add_constraint_accelerations(model, work, constraints, scratch, q, qd, qdd, gravity):
    """Add the accelerations that constraint forces cause to `qdd`, shape (nv,) [rad/s^2, m/s^2].

    The three passes of `aba.py` must have run without these forces. Multipliers and factors stay in `scratch`.

    Args:
        gravity: the vector that `acceleration_pass` took [m/s^2].
    """
    factor_constraints(model, work, constraints, scratch, scratch.signal, q)
    acceleration_errors(model, work, constraints, scratch.signal, q, qd, qdd, scratch.error)
    solve_multipliers(constraints, scratch, scratch.error, scratch.multipliers)
    add_multiplier_forces(model, work, constraints, scratch, scratch.multipliers)
    acceleration_pass(model, work, gravity, qdd)


@subroutine
def factor_constraints(model, work, constraints, scratch, signal, q):
    """Write Y, Z, G M^-1 G' and its factor to `scratch`. The last `articulated_inertia_pass` must be of this state."""
    for n in range(constraints.count[ACTIVE_COUNT]):
        c = constraints.active[n]
        for r in range(constraints.records[c].rows):
            propagate_row(model, work, constraints, scratch, signal, c, r, q)
    write_matrix(model, constraints, scratch)
    write_scale(constraints, scratch)
    factor(constraints, scratch)


@subroutine
def propagate_row(model, work, constraints, scratch, signal, c, r, q):
    """Write Y and Z of row r of constraint c: the force on each dof per unit of the row's multiplier, and Y/D."""
    record, supports = constraints.records[c], constraints.supports
    for s in range(record.support, record.support_end):
        put_pair(scratch.force[supports[s].body], ZERO_PAIR)
    apply_unit_force(model, work, constraints, scratch, signal, c, r, q)
    for s in range(record.support, record.support_end):
        i = supports[s].body
        at = supports[s].block + r * (model.bodies[i].v_end - model.bodies[i].v)
        propagate_force(model, work, i, scratch.force, scratch.tau, scratch.Y, scratch.Z, at)
    clear_unit_force(model, constraints, scratch, c)


@subroutine
def write_matrix(model, constraints, scratch):
    """Write the lower triangle of G M^-1 G' = Y'Z. Two constraints share the dofs of the bodies in both supports.

    Supports are in descending order, so the bodies in both are found by going through the two lists at once.
    """
    records, supports, active = constraints.records, constraints.supports, constraints.active
    last = constraints.count[ROW_COUNT] - 1
    for k in range(constraints.start[last] + last + 1 if last >= 0 else 0):
        scratch.matrix[k] = 0.0
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = records[active[n]]
        for m in range(records[record.first_coupled].active_index, n + 1):
            earlier = records[active[m]]
            i, k = record.support, earlier.support
            while i < record.support_end and k < earlier.support_end:
                if supports[i].body > supports[k].body:
                    i += 1
                elif supports[i].body < supports[k].body:
                    k += 1
                else:
                    add_block(model, constraints, scratch, record, earlier, supports[i], supports[k])
                    i += 1
                    k += 1


@jitable
def add_block(model, constraints, scratch, record, earlier, support, earlier_support):
    """Add the products of two constraints' rows over the dofs of one body."""
    dofs = model.bodies[support.body].v_end - model.bodies[support.body].v
    for r in range(record.rows):
        begin = constraints.start[record.row + r]
        for k in range(min(earlier.rows, record.row + r + 1 - earlier.row)):
            total = 0.0
            for j in range(dofs):
                total += scratch.Y[support.block + r * dofs + j] * scratch.Z[earlier_support.block + k * dofs + j]
            scratch.matrix[begin + earlier.row + k] += total


@jitable
def write_scale(constraints, scratch):
    """Write the scale of each row, such that diagonal entries of the scaled matrix are at most 1.

    The three rotation rows of a weld share one scale, and so do its three translation rows: a small entry among them
    shows a singular position, and must stay small. Rows whose diagonal entry is rounding error get the scale 0, such as
    translations of a weld in a direction in which no dof can move its bodies.
    """
    largest = 0.0
    for r in range(constraints.count[ROW_COUNT]):
        largest = max(largest, scratch.matrix[constraints.start[r] + r])
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        for first in range(record.row, record.row + record.rows, 3):
            end = min(first + 3, record.row + record.rows)
            most = 0.0
            for r in range(first, end):
                most = max(most, scratch.matrix[constraints.start[r] + r])
            for r in range(first, end):
                scratch.scale[r] = 1.0 / math.sqrt(most) if most > NEGLIGIBLE_ENTRY * largest else 0.0


@subroutine
def factor(constraints, scratch):
    """Write the Cholesky factor of the scaled matrix + PROXIMAL_MU. It has the same profile as the matrix."""
    first, start, L, scaled = constraints.first, constraints.start, scratch.factor, scratch.scale
    for r in range(constraints.count[ROW_COUNT]):
        for c in range(first[r], r + 1):
            total = scratch.matrix[start[r] + c] * scaled[r] * scaled[c]
            for k in range(max(first[r], first[c]), c):
                total -= L[start[r] + k] * L[start[c] + k]
            if c < r:
                L[start[r] + c] = total / L[start[c] + c]
            else:
                L[start[r] + r] = math.sqrt(max(total, 0.0) + PROXIMAL_MU)


@subroutine
def solve_multipliers(constraints, scratch, errors, multipliers):
    """Write the multipliers that cancel the `errors` of the rows to `multipliers`. Both have the shape (rows,)."""
    first, start, residual = constraints.first, constraints.start, scratch.residual
    rows = constraints.count[ROW_COUNT]
    largest_residual = 0.0
    for r in range(rows):
        multipliers[r] = 0.0
        residual[r] = -errors[r] * scratch.scale[r]
        largest_residual = max(largest_residual, abs(residual[r]))
    tolerance = 1e-14 * largest_residual
    for _ in range(MOST_PROXIMAL_ITERATIONS):
        solve(constraints, scratch.factor, residual)
        for r in range(rows):
            multipliers[r] += residual[r]
        for r in range(rows):
            residual[r] = -errors[r] * scratch.scale[r]
        for r in range(rows):
            for c in range(first[r], r + 1):
                entry = scratch.matrix[start[r] + c] * scratch.scale[r] * scratch.scale[c]
                residual[r] -= entry * multipliers[c]
                if c < r:
                    residual[c] -= entry * multipliers[r]
        previous = largest_residual
        largest_residual = 0.0
        for r in range(rows):
            largest_residual = max(largest_residual, abs(residual[r]))
        if not tolerance < largest_residual < 0.5 * previous:
            break
    for r in range(rows):
        multipliers[r] *= scratch.scale[r]


@subroutine
def solve(constraints, L, x):
    """Solve L L' x = b in place, with the profile factor L."""
    first, start, rows = constraints.first, constraints.start, constraints.count[ROW_COUNT]
    for r in range(rows):
        for k in range(first[r], r):
            x[r] -= L[start[r] + k] * x[k]
        x[r] /= L[start[r] + r]
    for r in range(rows - 1, -1, -1):
        x[r] /= L[start[r] + r]
        for k in range(first[r], r):
            x[k] -= L[start[r] + k] * x[r]


@subroutine
def add_multiplier_forces(model, work, constraints, scratch, multipliers):
    """Add G' L to u and u/D, so that the next `acceleration_pass` includes the constraint forces.

    Args:
        multipliers: L, shape (rows,).
    """
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        for s in range(record.support, record.support_end):
            body = model.bodies[constraints.supports[s].body]
            dofs = body.v_end - body.v
            for r in range(record.rows):
                force = multipliers[record.row + r]
                at = constraints.supports[s].block + r * dofs
                if body.kind == SCREWS:
                    for j in range(dofs):
                        dof_work = work.dofs[body.v + j]
                        dof_work.u_over_D += (scratch.Y[at + j] if dof_work.is_locked else scratch.Z[at + j]) * force
                else:
                    u = work.dofs[body.v].u
                    for j in range(dofs):
                        u[j] += scratch.Y[at + j] * force


@subroutine
def velocity_change_of_multipliers(model, work, constraints, scratch, multipliers, dv):
    """Write M^-1 G' L to `dv`, shape (nv,): the velocity changes for multipliers L that are impulses [N m s, N s]."""
    clear_forces(work)
    add_multiplier_forces(model, work, constraints, scratch, multipliers)
    acceleration_pass(model, work, ZERO, dv)


@subroutine
def velocity_change_of_locked_dofs(model, work, scratch, dv):
    """Write to `dv`, shape (nv,), the velocity changes if the velocity of each locked dof jumps by `prescribed_qdd`.

    The impulses that cause these jumps are written to `locking_force`. These are the last two passes of hybrid dynamics
    (RBDA, section 9.2) without velocities, gravity and other forces.
    """
    clear_forces(work)
    for i in range(model.bodies.shape[0]):
        put_pair(scratch.force[i], ZERO_PAIR)
    for i in range(model.bodies.shape[0] - 1, 0, -1):
        body = model.bodies[i]
        propagate_force(model, work, i, scratch.force, work.zeros, dv, scratch.dv, body.v)
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                work.dofs[j].u_over_D = u_over_D_of(work.dofs[j], work.dofs[j].D_inv, dv[j])
        else:
            for j in range(body.v, body.v_end):
                work.dofs[body.v].u[j - body.v] = dv[j]
    acceleration_pass(model, work, ZERO, dv)


@jitable
def clear_forces(work):
    """Set c, u and u/D of all dofs to zero, so that the next `acceleration_pass` includes no velocity and no force."""
    for j in range(work.dofs.shape[0]):
        put_pair(work.dofs[j].c, ZERO_PAIR)
        put_pair(work.dofs[j].u, ZERO_PAIR)
        work.dofs[j].u_over_D = 0.0
