# SPDX-License-Identifier: GPL-3.0-or-later
"""The mass matrix of a convex step: one dense block for each kinematic tree, written once per step by steps.py.

It also shares the inertias of coupled dofs, from which the stiffness of rigid constraints follows.
"""

from __future__ import annotations

from ...compilation.jit import jitable, subroutine
from ...dynamics.constraints import ACTIVE_COUNT, EQUATION
from ...joints import SCREWS
from ...kinematics.jacobians import motion_of_dof
from ...kinematics.motion import rigid_inertia_of
from ...spatial import force_from, inertia_rotate, momentum, power, rigid_add, rigid_from
from ...spatial.storage import get3, get9, get_rigid, put_rigid

MAX_SWEEPS = 10
"""Upper bound of the passes over all couplings, forward and backward, that share inertias.

A chain, in any order of its couplings, rarely needs more. In a ring whose ratios contradict each other, inertias grow
in each pass.
"""


@subroutine
def write_mass_matrix(model, work, step):
    """Write the mass matrix of each tree to `mass_blocks`, with the implicit inertias of `work`; bodies are placed.

    Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.2, the composite-rigid-body algorithm.
    """
    count, forest, mass = model.bodies.shape[0], step.forest, step.mass_blocks
    for i in range(1, count):
        put_rigid(
            step.composite_inertias[i], inertia_rotate(get9(work.bodies[i].rotation), rigid_inertia_of(model.bodies[i]))
        )
    for i in range(count - 1, 0, -1):
        parent = model.bodies[i].parent
        if parent > 0:
            outer = step.composite_inertias[parent]
            carried = rigid_from(get_rigid(step.composite_inertias[i]), get3(work.bodies[i].arm))
            put_rigid(outer, rigid_add(get_rigid(outer), carried))
    for k in range(mass.shape[0]):
        mass[k] = 0.0
    for i in range(1, count):
        body = model.bodies[i]
        for j in range(body.v, body.v_end):
            write_mass_row(model, work, step, i, j)
            if body.kind == SCREWS:
                mass[mass_index(forest, j, j)] += work.dofs[j].armature
        if body.kind != SCREWS:
            for v in range(body.v, body.v_end, 3):
                add_joint_inertia(forest, mass, v, work.dofs[v].joint_inertia)
    for j in range(step.mass_diagonal.shape[0]):
        step.mass_diagonal[j] = step.coupled_mass_diagonal[j] = mass[mass_index(forest, j, j)]


@jitable
def mass_index(forest, i, j):
    """Return the index in `mass_blocks` of the entry (i, j) of the mass matrix; both dofs are of one tree."""
    tree = forest.tree_of_dof[i]
    size = forest.first_dof[tree + 1] - forest.first_dof[tree]
    return forest.mass_start[tree] + forest.local_dof[i] * size + forest.local_dof[j]


@jitable
def multiply_mass(step, tree, x, out):
    """Write the product of a tree's mass matrix and x to `out`, both of shape (nv,) in the order of forest.dofs."""
    first, last = step.forest.first_dof[tree], step.forest.first_dof[tree + 1]
    size, at = last - first, step.forest.mass_start[tree]
    into = out[first:last]
    for c in range(size):
        into[c] = 0.0
    for i in range(size):
        value, row = x[first + i], step.mass_blocks[at + i * size : at + (i + 1) * size]
        for c in range(size):
            into[c] += value * row[c]


@jitable
def add_joint_inertia(forest, mass, v, inertia):
    """Add a symmetric 3 x 3 inertia (xx xy xz yy yz zz) to the dofs from v on."""
    k = 0
    for i in range(3):
        for j in range(i, 3):
            mass[mass_index(forest, v + i, v + j)] += inertia[k]
            if i != j:
                mass[mass_index(forest, v + j, v + i)] += inertia[k]
            k += 1


@subroutine
def write_mass_row(model, work, step, i, j):
    """Write the row of dof j of body i, as `fill_row` of dynamics/crba.py does."""
    force = momentum(get_rigid(step.composite_inertias[i]), motion_of_dof(model, work, i, j))
    below = i
    while below > 0:
        for k in range(model.bodies[below].v, model.bodies[below].v_end):
            value = power(motion_of_dof(model, work, below, k), force)
            step.mass_blocks[mass_index(step.forest, j, k)] = value
            step.mass_blocks[mass_index(step.forest, k, j)] = value
        force = force_from(force, get3(work.bodies[below].arm))
        below = model.bodies[below].parent


@subroutine
def share_coupled_mass(constraints, step):
    """Raise `coupled_mass_diagonal` of each dof to the inertia of the heaviest dof that couplings tie to it, by their
    ratio.

    Only couplings of two terms count. The stiffness of a rigid constraint follows from the inertia that it moves: a
    stop on a light link that follows a heavy one holds both.
    """
    count = constraints.count[ACTIVE_COUNT]
    for sweep in range(MAX_SWEEPS):
        changed = False
        for n in range(count):
            record = constraints.records[constraints.active[n if sweep % 2 == 0 else count - 1 - n]]
            if record.kind != EQUATION or record.term_end - record.term != 2:
                continue
            one, other = constraints.terms[record.term], constraints.terms[record.term + 1]
            changed = raise_coupled_mass(step, one, other) or raise_coupled_mass(step, other, one) or changed
        if not changed:
            return


@jitable
def raise_coupled_mass(step, one, other):
    """Raise the inertia of TERM `one` to that of TERM `other`, reflected by their ratio. Return whether it grew."""
    if other.weight == 0.0:
        return False
    ratio = one.weight / other.weight
    reflected = ratio * ratio * step.coupled_mass_diagonal[other.v]
    if reflected <= step.coupled_mass_diagonal[one.v] * (1.0 + 1e-9):
        return False
    step.coupled_mass_diagonal[one.v] = reflected
    return True
