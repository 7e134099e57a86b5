# SPDX-License-Identifier: GPL-3.0-or-later
"""Jacobians of the constraints of a convex step: which dofs move a constraint, and by which velocity.

constraints.py makes the constraints with these functions; the other files of this package read the Jacobians.
"""

from __future__ import annotations

from ...compilation.jit import jitable, subroutine
from ...kinematics.jacobians import motion_of_dof
from ...spatial import add, cross, dot, sub
from ...spatial.storage import get3
from .constraint_potentials import KEEPS_APART
from .problem import CONSTRAINT_COUNT, DOF_COUNT, JACOBIAN_COUNT

BLOCKED_SHARE = 1e-10
"""Share of `free_response` below which joints count as blocking a constraint: Jacobian entries of 1e-5 are rounding."""


@subroutine
def list_dofs(model, step, one, other):
    """List the dofs that move two bodies relative to each other, and return their number.

    The dofs of the other body come first, each branch from the leaf to the root. Dofs that carry both bodies move
    neither relative to the other. If the list is full, the number is still counted.
    """
    first, common = step.counts[DOF_COUNT], common_ancestor(model, one, other)
    total = first
    for start in (other, one):
        i = start
        while i != common:
            for j in range(model.bodies[i].v, model.bodies[i].v_end):
                if total < step.dofs.shape[0]:
                    step.dofs[total] = j
                total += 1
            i = model.bodies[i].parent
    return total - first


@jitable
def common_ancestor(model, one, other):
    """Return the last body that carries both bodies, or the world."""
    while one != other:
        if one > other:
            one = model.bodies[one].parent
        else:
            other = model.bodies[other].parent
    return one


@subroutine
def has_capacity(step, dofs, rows, constraints):
    """Return whether the arrays have room for so many more dofs, rows over these dofs, and constraints."""
    counts = step.counts
    return (
        counts[CONSTRAINT_COUNT] + constraints <= step.constraints.shape[0]
        and counts[DOF_COUNT] + dofs <= step.dofs.shape[0]
        and counts[JACOBIAN_COUNT] + dofs * rows <= step.jacobian.shape[0]
    )


@subroutine
def begin_constraint(step, kind, rows, first, count):
    """Add a constraint over `count` dofs that are listed from `first` on, and return its number.

    It exerts no impulse yet.
    """
    k = step.counts[CONSTRAINT_COUNT]
    constraint = step.constraints[k]
    constraint.kind, constraint.rows = kind, rows
    constraint.first_dof, constraint.dof_count = first, count
    constraint.jacobian_start = step.counts[JACOBIAN_COUNT]
    constraint.stiffness, constraint.dissipation, constraint.bound = 0.0, 0.0, 0.0
    constraint.coefficient, constraint.normal_constraint = 0.0, -1
    constraint.is_rigid, constraint.gap, constraint.restitution, constraint.role = 0, 0.0, 0.0, KEEPS_APART
    constraint.ends_impact, constraint.is_angular, constraint.is_drive = 0, 0, 0
    constraint.free_response, constraint.arrival_velocity = 0.0, 0.0
    constraint.contact, constraint.element, constraint.element_sign, constraint.multiplier = -1, -1, 1.0, -1
    for r in range(2):
        constraint.bias_impulse[r], constraint.bias_velocity[r], constraint.impulse[r] = 0.0, 0.0, 0.0
        constraint.velocity[r], constraint.velocity_change[r] = 0.0, 0.0
    step.counts[CONSTRAINT_COUNT] += 1
    step.counts[JACOBIAN_COUNT] += rows * count
    return k


@subroutine
def write_jacobian_row(model, work, step, k, row, one, other, position, direction, is_angular):
    """Write one row of a constraint's Jacobian: the velocity of the other body relative to the first one.

    Args:
        k, row: number of the constraint, and the row.
        one, other: the two bodies.
        position: point at which the velocity is taken, in the world [m].
        direction: unit vector along which, or about which, it is taken, in the world.
        is_angular: whether it is the angular velocity about `direction`.
    """
    constraint = step.constraints[k]
    common, at = common_ancestor(model, one, other), constraint.jacobian_start + row * constraint.dof_count
    for side in range(2):
        i = other if side == 0 else one
        sign = 1.0 if side == 0 else -1.0
        while i != common:
            arm = sub(position, get3(work.bodies[i].origin))
            for j in range(model.bodies[i].v, model.bodies[i].v_end):
                turn, slide = motion_of_dof(model, work, i, j)
                motion = turn if is_angular else add(slide, cross(turn, arm))
                step.jacobian[at] = sign * dot(direction, motion)
                constraint.free_response += dot(motion, motion) / (constraint.rows * step.coupled_mass_diagonal[j])
                at += 1
            i = model.bodies[i].parent


@subroutine
def set_bias_velocity(step, k, row, velocity):
    """Set the velocity of a row that does not come from dofs, so that the present velocity of the row is `velocity`."""
    constraint = step.constraints[k]
    constraint.bias_velocity[row] = velocity - constraint_velocity(step, constraint, row, step.v)


@jitable
def constraint_velocity(step, constraint, row, v):
    """Return the velocity that dof velocities v, shape (nv,), give to a row [m/s or rad/s]."""
    total, at = 0.0, constraint.jacobian_start + row * constraint.dof_count
    for n in range(constraint.dof_count):
        total += step.jacobian[at + n] * v[step.dofs[constraint.first_dof + n]]
    return total


@subroutine
def delassus_estimate(step, k):
    """Return an estimate of the velocity that a unit impulse gives to a constraint, the mean of its rows [1/kg or 1/(kg
    m^2)].

    It is the diagonal of the Delassus operator J A^-1 J', with the diagonal of A in place of A. It is 0 if joints block
    the direction, because then only rounding, or the single precision of a scene, is left of the Jacobian.
    """
    constraint, total = step.constraints[k], 0.0
    for r in range(constraint.rows):
        at = constraint.jacobian_start + r * constraint.dof_count
        for n in range(constraint.dof_count):
            entry = step.jacobian[at + n]
            total += entry * entry / step.coupled_mass_diagonal[step.dofs[constraint.first_dof + n]]
    response = total / constraint.rows
    return response if response > BLOCKED_SHARE * constraint.free_response else 0.0
