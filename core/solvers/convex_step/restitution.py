# SPDX-License-Identifier: GPL-3.0-or-later
"""Restitution in a convex step: velocities jump at its end where contacts and stops have closed.

steps.py calls `apply_restitution`. The first solution of a step keeps gaps from closing, so it is a plastic impact, and
only positions follow it. A second solution gives the velocities with which the next step begins: an impact in the
positions at the end of the step, of all contacts of an island at once. Restitution 1 keeps the energy, whatever the
length of the steps.

Source: Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988); Glocker, Energetic consistency
conditions for standard impacts, Multibody Syst. Dyn. 29 (2013), for the energy.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...contact.impacts import MAX_RESTITUTION_TRIES, reduced_share
from .constraint_jacobians import constraint_velocity
from .constraint_potentials import BOUNCES, BOUNDED, INACTIVE, KEEPS_APART
from .mass_matrix import multiply_mass
from .newton import find_island_velocities
from .persistence import initial_rate, record_impacts
from .problem import (
    ARRIVING,
    CONSTRAINT_COUNT,
    FIRST_CONSTRAINT,
    FIRST_TREE,
    ISLAND_COUNT,
    LOADED,
    TOUCHED,
    UNTOUCHED,
)
from .single_bodies import is_single_body

IMPACT_STIFFENING = 1e4
"""Factor on the stiffness of a constraint in an impact. Its compliance then takes a share of 1e-6 of the speed."""
ENERGY_TOLERANCE = 1e-4
"""Energy that an impact may add, as a share of the sum of its contacts' works; the velocities have errors of this size.
"""
CLOSED_GAP_SHARE = 0.5
"""Gap up to which a contact counts as closed, as a share of g h^2, the distance that gravity adds to a step."""
LASTING_SPEED = 2.0
"""Approach velocity up to which a closed contact bears a lasting load, in multiples of what gravity adds in a step."""
MAX_ARRIVAL_SHARE = 2.0
"""Upper bound of the share of the forces' impulse with which a body arrives.

A larger share would stand for speed that only the push of the body's neighbours in this step explains.
"""


@subroutine
def apply_restitution(model, step, v_position, now, h, settings, gravity, impacts):
    """Apply the impacts of a step to `v`, and record them.

    With Newton's law, an impulse p does the work p (v + v') / 2 on a contact whose bodies separate with the velocity v
    before and v' after it (negative if they approach). The role of a contact is one of

    - BOUNCES, if it has closed and approaches: v' = -e v, which takes the work p (1 - e) |v| / 2;
    - KEEPS_APART, if it has closed and does not bounce: v' is at least 0. If its bodies separate, and only its
      neighbours keep it closed, v' is at least -v, which does no work. It bounces in the next step, so that an impact
      travels through bodies that touch;
    - INACTIVE, if it is open. It bounces once it has closed.

    At the impact, the kinetic energy of a body has increased by the work of its forces along its way. So only the
    corresponding share of their impulse is added to its velocity. If the first solution has lifted the body higher than
    its speed would, restitution is reduced by that energy.

    `tree_states` are UNTOUCHED or TOUCHED before. `v0` becomes the velocity just before the impact of ARRIVING trees.

    Args:
        v_position: velocities by which positions advance in this step, shape (nv,).
        gravity: its size [m/s^2].

    Returns:
        The work of forces in this step that bodies do not have as kinetic energy at the impact [J]; negative if
        contacts have lifted bodies.
    """
    undelivered_work = 0.0
    if has_restitution(step):
        write_arrival_velocities(model, step, v_position, h, gravity)
        for s in range(step.counts[ISLAND_COUNT]):
            if assign_roles(step, s, h, settings, gravity):
                island_undelivered_work = prepare_impact(step, s, v_position)
                undelivered_work += island_undelivered_work
                solve_impact(step, s, settings, max(-island_undelivered_work, 0.0))
    record_impacts(step, now, h, gravity, impacts)
    return undelivered_work


@jitable
def has_restitution(step):
    """Return whether any rigid constraint with restitution acts in this step."""
    for k in range(step.counts[CONSTRAINT_COUNT]):
        constraint = step.constraints[k]
        if constraint.is_rigid and constraint.restitution > 0.0 and constraint.impulse[0] > 0.0:
            return True
    return False


@subroutine
def write_arrival_velocities(model, step, v_position, h, gravity):
    """Write to `v_arrival` the velocities with which bodies come to the end of the step, before they bounce.

    A loaded tree arrives with its velocity at the start, because its loads take up what forces add.
    """
    forest = step.forest
    for k in range(step.counts[CONSTRAINT_COUNT]):
        if bears_lasting_load(step, k, h, gravity):
            constraint = step.constraints[k]
            for n in range(constraint.dof_count):
                step.tree_states[forest.tree_of_dof[step.dofs[constraint.first_dof + n]]] = LOADED
    for i in range(1, model.bodies.shape[0]):
        if model.bodies[i].parent > 0:
            continue
        t = forest.tree_of_body[i]
        part = 1.0 if step.tree_states[t] == UNTOUCHED else 0.0
        if is_single_body(model, step, i) and step.tree_states[t] != LOADED:
            part = arrival_share(step, t, v_position)[0]
            step.tree_states[t] = TOUCHED
        elif step.tree_states[t] == TOUCHED:
            step.tree_states[t] = LOADED
        for n in range(forest.first_dof[t], forest.first_dof[t + 1]):
            j = forest.dofs[n]
            step.v_arrival[j] = step.v0[j] + part * (step.v_free[j] - step.v0[j])


@jitable
def bears_lasting_load(step, k, h, gravity):
    """Return whether constraint k acts throughout the step.

    That is so for a closed contact with friction that does not approach, a compliant one, and constraints of joints.
    """
    constraint = step.constraints[k]
    if constraint.kind == BOUNDED:
        return constraint.contact < 0
    if not constraint.impulse[0] > 0.0:
        return False
    if constraint.is_rigid == 0:
        return True
    has_friction = k + 1 < step.counts[CONSTRAINT_COUNT] and step.constraints[k + 1].normal_constraint == k
    return (
        has_friction
        and constraint.gap <= CLOSED_GAP_SHARE * gravity * h * h
        and initial_rate(step, constraint) >= -LASTING_SPEED * gravity * h
    )


@subroutine
def arrival_share(step, t, v_position):
    """Return the share s of the forces' impulse that a single body has received at its impact, and the part of the
    forces' work that is not in its kinetic energy then [J].

    v are the velocities at the start, f is the momentum that forces add in the step, and A is the mass matrix. The
    velocities v + s A^-1 f have s f'v + s^2 f'A^-1 f / 2 more kinetic energy than v, which is to be the work
    f'v_position of the forces. Of the two roots s, the one is taken for which f'(v + s A^-1 f) has the same sign as
    after free flight, where s is 1.
    """
    first, last = step.forest.first_dof[t], step.forest.first_dof[t + 1]
    change, momentum = step.work_vectors[0], step.work_vectors[1]
    for i in range(first, last):
        change[i] = step.v_free[step.forest.dofs[i]] - step.v0[step.forest.dofs[i]]
    multiply_mass(step, t, change, momentum)
    along, size, work = 0.0, 0.0, 0.0
    for i in range(first, last):
        j = step.forest.dofs[i]
        along += momentum[i] * step.v0[j]
        size += momentum[i] * change[i]
        work += momentum[i] * v_position[j]
    if not size > 0.0:
        return 1.0, 0.0
    squared = along * along + 2.0 * size * work  # of f'v at the arrival
    # A value of 0 or less means that neighbours have pushed the body farther than it would have flown.
    projection = math.sqrt(squared) if squared > 0.0 else 0.0
    part = ((projection if along + size >= 0.0 else -projection) - along) / size
    part = min(max(part, -MAX_ARRIVAL_SHARE), MAX_ARRIVAL_SHARE)
    return part, work - part * (along + 0.5 * part * size)


@subroutine
def assign_roles(step, s, h, settings, gravity):
    """Write the roles and arrival velocities of an island's rigid constraints in the impact.

    Return whether any of them bounces.
    """
    found, open_gap = False, max(CLOSED_GAP_SHARE * gravity * h * h, settings.rest_height)
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        constraint = step.constraints[step.sorted_constraints[n]]
        if constraint.is_rigid == 0:
            continue
        arrival = constraint.bias_velocity[0] + constraint_velocity(step, constraint, 0, step.v_arrival)
        constraint.arrival_velocity = arrival
        rebound, next_gap = -constraint.restitution * arrival, constraint.gap + h * constraint.velocity[0]
        bounces = rebound > gravity * h and rebound * rebound > 2.0 * gravity * settings.rest_height
        constraint.role = KEEPS_APART
        if constraint.impulse[0] > 0.0:
            if bounces:
                constraint.role, found = BOUNCES, True
        elif constraint.restitution > 0.0 and (bounces or next_gap > open_gap):
            constraint.role = INACTIVE
    return found


@subroutine
def prepare_impact(step, s, v_position):
    """Prepare the second solution of an island: arrival velocities of single bodies, and targets of the constraints.

    Return the work of forces that is not in the kinetic energy of these bodies [J].
    """
    undelivered_work = 0.0
    for k in range(step.islands[s, FIRST_TREE], step.islands[s + 1, FIRST_TREE]):
        t = step.graph.order[k]
        if step.tree_states[t] == TOUCHED:
            undelivered_work += arrival_share(step, t, v_position)[1]
            step.tree_states[t] = ARRIVING
            for n in range(step.forest.first_dof[t], step.forest.first_dof[t + 1]):
                j = step.forest.dofs[n]
                step.v0[j] = step.v_free[j] = step.v_arrival[j]
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        constraint = step.constraints[step.sorted_constraints[n]]
        if constraint.is_rigid == 0:
            continue
        if constraint.role == INACTIVE:
            constraint.stiffness, constraint.bias_impulse[0] = 0.0, 0.0
        elif constraint.role == BOUNCES:
            constraint.stiffness *= IMPACT_STIFFENING
            constraint.bias_impulse[0] = -constraint.stiffness * constraint.restitution * constraint.arrival_velocity
        else:
            if constraint.restitution > 0.0:
                constraint.stiffness *= IMPACT_STIFFENING
            constraint.bias_impulse[0] = -constraint.stiffness * max(constraint.arrival_velocity, 0.0)
    return undelivered_work


@subroutine
def solve_impact(step, s, settings, lift_energy):
    """Solve for an island's velocities after an impact, and reduce restitution while contacts would add energy.

    They do if friction does work on a bouncing body (as at events, contact/impacts.py), or if the first solution has
    lifted bodies. lift_energy: the energy of that [J].
    """
    share, factor = 1.0, 1.0
    for turn in range(MAX_RESTITUTION_TRIES):
        find_island_velocities(step, s, settings.momentum_residual, settings.friction_bound_change)
        work, scale = contact_work(step, s)
        if work + lift_energy <= ENERGY_TOLERANCE * scale:
            return
        if turn == 0 and work <= ENERGY_TOLERANCE * scale:
            factor = restitution_factor(returned_energy(step, s), lift_energy + work)
        else:
            factor = reduced_share(share)
        share *= factor
        for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
            constraint = step.constraints[step.sorted_constraints[n]]
            if constraint.role == BOUNCES:
                constraint.bias_impulse[0] *= factor


@jitable
def restitution_factor(returned, energy):
    """Return the factor on restitution at which the impacts of an island return less by an energy [J].

    The energy that they return grows with the square of restitution; `returned` is that for a factor of 1.
    """
    return math.sqrt(max(1.0 - energy / returned, 0.0)) if returned > 0.0 else 0.0


@subroutine
def returned_energy(step, s):
    """Return the energy that an island's bounces return beyond that of plastic impacts [J].

    Of the impulse (1 + e) p, that part is e p, and it acts at the mean velocity e |v| / 2 of the separation.
    """
    returned = 0.0
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        constraint = step.constraints[step.sorted_constraints[n]]
        if constraint.role == BOUNCES:
            rebound = constraint.bias_impulse[0] / constraint.stiffness
            returned += 0.5 * constraint.impulse[0] * constraint.restitution / (1.0 + constraint.restitution) * rebound
    return returned


@subroutine
def contact_work(step, s):
    """Return the work of an island's contact impulses, and the sum of the absolute values of its terms [J]."""
    work, scale, mean = 0.0, 0.0, step.v_mean
    for j in range(mean.shape[0]):
        mean[j] = 0.5 * (step.v0[j] + step.v[j])
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        constraint = step.constraints[step.sorted_constraints[n]]
        for r in range(constraint.rows if constraint.contact >= 0 else 0):
            velocity = constraint.bias_velocity[r] + constraint_velocity(step, constraint, r, mean)
            each = constraint.impulse[r] * velocity
            work += each
            scale += abs(each)
    return work, scale
