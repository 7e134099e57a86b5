# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint forces: multipliers L that solve (G M^-1 G') L = -error, for redundant rows too.

M is never formed, since the articulated-body algorithm has factored its inverse. A row's unit force, propagated to the
root, acts on each dof with a force Y and accelerates it by Z = Y/D, so that G M^-1 G' = Y'Z. Redundant rows and
singular positions make this matrix singular. The proximal method adds a small multiple of 1 and iterates on the
residual. It converges to a solution if one exists.

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
from .constraint_rows import acceleration_errors, clear_seed, seed_row
from .constraints import ACTIVE_COUNT, ROW_COUNT

SOFT = 1e-8
"""Added to the diagonal of the scaled matrix, whose entries are 1. Larger values need more proximal iterations; smaller
ones lose digits in the factor of a singular matrix."""

NOTHING = 1e-24
"""Ratio of a diagonal entry to the largest one below which the entry is rounding error."""

MOST_PASSES = 6
"""Maximum number of proximal iterations. Each one gains about eight digits unless the rows contradict each other."""


@subroutine
def hold_constraints(model, work, constraints, scratch, q, qd, qdd, gravity):
    """Add the accelerations that constraint forces cause to `qdd`, shape (nv,). Multipliers and factors are kept.

    The three passes of `aba.py` have run without these forces. gravity: the vector that `acceleration_pass` took.
    """
    factor_constraints(model, work, constraints, scratch, scratch.signal, q)
    acceleration_errors(model, work, constraints, scratch.signal, q, qd, qdd, scratch.error)
    multipliers_for(constraints, scratch, scratch.error, scratch.multipliers)
    push_dofs(model, work, constraints, scratch, scratch.multipliers)
    acceleration_pass(model, work, gravity, qdd)


@subroutine
def factor_constraints(model, work, constraints, scratch, signal, q):
    """Write to `scratch` what `multipliers_for` needs, after `articulated_inertia_pass`."""
    for n in range(constraints.count[ACTIVE_COUNT]):
        c = constraints.active[n]
        for r in range(constraints.records[c].rows):
            pass_inward(model, work, constraints, scratch, signal, c, r, q)
    write_matrix(model, constraints, scratch)
    write_scale(constraints, scratch)
    factor(constraints, scratch)


@subroutine
def pass_inward(model, work, constraints, scratch, signal, c, r, q):
    """Write Y and Z of row r of constraint c: the force on each dof per unit of the row's force, and Y/D."""
    record, supports = constraints.records[c], constraints.supports
    for s in range(record.support, record.support_end):
        put_pair(scratch.force[supports[s].body], ZERO_PAIR)
    seed_row(model, work, constraints, scratch, signal, c, r, q)
    for s in range(record.support, record.support_end):
        i = supports[s].body
        at = supports[s].at + r * (model.bodies[i].v_end - model.bodies[i].v)
        propagate_force(model, work, i, scratch.force, scratch.tau, scratch.Y, scratch.Z, at)
    clear_seed(model, constraints, scratch, c)


@subroutine
def write_matrix(model, constraints, scratch):
    """Write the lower triangle of G M^-1 G' = Y'Z, over the dofs that two constraints share."""
    records, supports, active = constraints.records, constraints.supports, constraints.active
    last = constraints.count[ROW_COUNT] - 1
    for k in range(constraints.start[last] + last + 1 if last >= 0 else 0):
        scratch.matrix[k] = 0.0
    for n in range(constraints.count[ACTIVE_COUNT]):
        one = records[active[n]]
        for e in range(records[one.first_coupled].place, n + 1):
            other = records[active[e]]
            s, t = one.support, other.support
            while s < one.support_end and t < other.support_end:
                if supports[s].body > supports[t].body:
                    s += 1
                elif supports[s].body < supports[t].body:
                    t += 1
                else:
                    add_block(model, constraints, scratch, one, other, supports[s], supports[t])
                    s += 1
                    t += 1


@jitable
def add_block(model, constraints, scratch, one, other, mine, theirs):
    """Add the products of two constraints' rows over the dofs of one body."""
    dofs = model.bodies[mine.body].v_end - model.bodies[mine.body].v
    for r in range(one.rows):
        begin = constraints.start[one.row + r]
        for k in range(min(other.rows, one.row + r + 1 - other.row)):
            total = 0.0
            for j in range(dofs):
                total += scratch.Y[mine.at + r * dofs + j] * scratch.Z[theirs.at + k * dofs + j]
            scratch.matrix[begin + other.row + k] += total


@jitable
def write_scale(constraints, scratch):
    """Write scales that make the largest diagonal entry 1 for the rotations and for the translations of each weld.

    The rows of a weld share one scale for each three, since a small entry among them is the sign of a singular
    position. Rows whose diagonal entry is rounding error, as of translations across a ball joint, get the scale 0.
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
                scratch.scale[r] = 1.0 / math.sqrt(most) if most > NOTHING * largest else 0.0


@subroutine
def factor(constraints, scratch):
    """Write the Cholesky factor of the scaled matrix + SOFT, within its profile."""
    first, start, L, scaled = constraints.first, constraints.start, scratch.factor, scratch.scale
    for r in range(constraints.count[ROW_COUNT]):
        for c in range(first[r], r + 1):
            total = scratch.matrix[start[r] + c] * scaled[r] * scaled[c]
            for k in range(max(first[r], first[c]), c):
                total -= L[start[r] + k] * L[start[c] + k]
            if c < r:
                L[start[r] + c] = total / L[start[c] + c]
            else:
                L[start[r] + r] = math.sqrt(max(total, 0.0) + SOFT)


@subroutine
def multipliers_for(constraints, scratch, asked, multipliers):
    """Write the forces of the rows that cancel their errors `asked`, shape (rows,), to `multipliers`."""
    first, start, left = constraints.first, constraints.start, scratch.residual
    rows = constraints.count[ROW_COUNT]
    worst = 0.0
    for r in range(rows):
        multipliers[r] = 0.0
        left[r] = -asked[r] * scratch.scale[r]
        worst = max(worst, abs(left[r]))
    enough = 1e-14 * worst
    for _ in range(MOST_PASSES):
        solve(constraints, scratch.factor, left)
        for r in range(rows):
            multipliers[r] += left[r]
        for r in range(rows):
            left[r] = -asked[r] * scratch.scale[r]
        for r in range(rows):
            for c in range(first[r], r + 1):
                entry = scratch.matrix[start[r] + c] * scratch.scale[r] * scratch.scale[c]
                left[r] -= entry * multipliers[c]
                if c < r:
                    left[c] -= entry * multipliers[r]
        before = worst
        worst = 0.0
        for r in range(rows):
            worst = max(worst, abs(left[r]))
        if not enough < worst < 0.5 * before:
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
def push_dofs(model, work, constraints, scratch, multipliers):
    """Add the forces of the multipliers to u and u/D, so that the next `acceleration_pass` includes them."""
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        for s in range(record.support, record.support_end):
            body = model.bodies[constraints.supports[s].body]
            dofs = body.v_end - body.v
            for r in range(record.rows):
                force = multipliers[record.row + r]
                at = constraints.supports[s].at + r * dofs
                if body.kind == SCREWS:
                    for j in range(dofs):
                        dof = work.dofs[body.v + j]
                        dof.u_over_D += (scratch.Y[at + j] if dof.is_locked else scratch.Z[at + j]) * force
                else:
                    u = work.dofs[body.v].u
                    for j in range(dofs):
                        u[j] += scratch.Y[at + j] * force


@subroutine
def respond(model, work, constraints, scratch, multipliers, dv):
    """Write M^-1 G' L, shape (nv,), to `dv`: the velocity changes that impulses L of the rows cause."""
    clear_pushes(work)
    push_dofs(model, work, constraints, scratch, multipliers)
    acceleration_pass(model, work, ZERO, dv)


@subroutine
def velocity_change_of_locked_dofs(model, work, scratch, dv):
    """Write to `dv`, shape (nv,), the velocity changes when each locked dof jumps by its `prescribed_qdd`.

    `locking_force` becomes the impulse that this takes. These are the last two passes of hybrid dynamics (Featherstone
    (2008), section 9.2) without velocities, gravity and other forces.
    """
    clear_pushes(work)
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
def clear_pushes(work):
    """Set velocity-product accelerations and forces to zero, so that the next `acceleration_pass` starts from rest."""
    for j in range(work.dofs.shape[0]):
        put_pair(work.dofs[j].bias, ZERO_PAIR)
        put_pair(work.dofs[j].u, ZERO_PAIR)
        work.dofs[j].u_over_D = 0.0
