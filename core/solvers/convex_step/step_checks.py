# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of a finished convex step, after which steps.py takes it again in shorter ones.

A step computes forces and masses for the poses in which it begins. If it is too long for a stiff spring or a whipping
limb, energy comes from nowhere. Constraints are linear in its velocities: where bodies turn far, angles may leave their
range and solids may overlap, although the constraints are satisfied.
"""

from __future__ import annotations

from ...collision.solids import BALL
from ...compilation.jit import jitable, subroutine
from ...contact.collision_state import (
    END_COUNT,
    HALF_SPACE_EXTENT,
    NEEDED_PAIRS,
    PAIR_COUNT,
    START_COUNT,
    list_contacts,
    thickness,
    update_solid_poses,
)
from ...contact.contact_features import combine_pair_surfaces
from ...dynamics.energy import energies_of
from ...dynamics.set_valued_forces import force_law_coordinate
from ...joints.limited_quantities import DISTANCE
from ...model.compiling.compiled import ON_DOF, ON_QUANTITY
from ...spatial import dot, norm, sub
from ...spatial.storage import get3
from ..system import DISSIPATED, SUPPLIED, parts_of
from .constraints import RIGID_STOP_STIFFNESS, SEPARATION_STEPS
from .sleeping import remove_sleeping_pairs

LEAST_TURN = 0.1
"""Rotation in a step from which on overlaps are looked for after it [rad]. The end of a limb comes nearer to a surface
by half the square of this times its distance from the joint, which the linear constraint of the contact leaves out.
"""
LEAST_DEFLECTION = 4.0
"""Displacement in a step by a change of velocity from which on overlaps are looked for after it, as a multiple of that
by gravity. A struck body may meet another one of which the velocities at the start of the step told nothing.
"""
LEAST_RETAKEN = 0.05
"""Step down to which one is taken again for angles that leave their range, for overlaps or for lost energy, as a share
of the base step.
"""
LEAST_FOR_ENERGY = 1e-6
"""The same for energy that comes from nowhere [s]."""
EASY_SHARE = 0.25
"""Error of the energy up to which the next step may be longer, as a share of that for which a step is taken again.

Where a motion is smooth, the error grows with the square of the length of a step.
"""
MOST_CREATED = 0.2
"""Sum of the energies that steps have created up to which the tolerance of a step stays as it is, as a multiple of that
tolerance.
"""
MOST_STRICT = 9.0
"""Largest factor by which a larger sum reduces the tolerance of a step. Steps then become about three times shorter."""
MOST_AT_ONCE = 0.5
"""Energy that the shortest step may create, as a share of what moved. If it creates more, the step has failed."""
ENERGY_ROUNDING = 1e-9
"""Share of the potential energy that counts as moved, so that its rounding error is small compared with what moved."""
LOSS_WEIGHT = 0.1
"""Weight of energy that a step loses without an account. The implicit steps damp stiff springs, which does no harm."""
LEAST_OVERLAP = 1.0
"""Least overlap for which a step is taken again, as a multiple of the distance g h^2 that gravity adds to a base step.
"""


# ---- energy


@subroutine
def energies_at(system, y):
    """Return the (kinetic, potential) energy of a state [J], and place the bodies there."""
    q, qd = parts_of(system, y)
    return energies_of(system.model, system.work, q, qd)


@subroutine
def created_energy(system, start, end, before, soft_energy, unbacked, settings):
    """Return the energies at the end of a step, the energy that the step created, and the energy that moved in it
    (after, created, moved) [J].

    The created energy is below 0 if the step lost energy without an account.

    What moved is the kinetic energy, the changes of all other terms, and the kinetic energy at the speed at which
    overlaps separate (see `target_rate`). The last one allows for the errors of what rests, such as the energy of the
    overlaps to which loads press rigid contacts, which shorter steps do not reduce.

    Args:
        start, end: states.
        before: the energies (kinetic, potential) of the first state, as from `energies_at` [J].
        soft_energy: the change of the energy of compliant contacts [J].
        unbacked: energy that compliant contacts and stops gave and did not have, as from `take_step` [J]. The account
            contains it as a dissipation below 0.
    """
    after = energies_at(system, end)
    supplied, dissipated = end[SUPPLIED] - start[SUPPLIED], end[DISSIPATED] - start[DISSIPATED]
    potential, mass = after[1] - before[1] + soft_energy, 0.0
    for i in range(1, system.model.bodies.shape[0]):
        mass += system.model.bodies[i].mass
    slow = SEPARATION_STEPS * settings.base_step * norm(get3(system.model.gravity))
    moved = max(before[0], after[0]) + abs(potential) + abs(supplied) + abs(dissipated) + 0.5 * mass * slow * slow
    moved += ENERGY_ROUNDING * abs(before[1])
    return after, after[0] - before[0] + potential + dissipated + unbacked - supplied, moved


@jitable
def energy_error(now, created, moved, settings):
    """Return the error of a step's energy, as a multiple of its tolerance, and the length down to which the step is
    taken again for it [s].

    Energy that was lost without an account is multiplied by LOSS_WEIGHT. The tolerance decreases with the sum of the
    energies that earlier steps have created, since small errors of one sign would add up.

    created, moved: as from `created_energy` [J].
    """
    if not created > 0.0:
        share = -LOSS_WEIGHT * created / moved if moved > 0.0 else 0.0
        return share / settings.energy_error, LEAST_RETAKEN * settings.base_step
    excess = (now.created + created) / max(now.most_moved, moved) / (MOST_CREATED * settings.energy_error)
    strictness = min(max(excess, 1.0) * max(excess, 1.0), MOST_STRICT)
    return created / moved / settings.energy_error * strictness, LEAST_FOR_ENERGY


@jitable
def fitting_length(h, error, shortest):
    """Return the length of the next step at which the error of its energy is within the tolerance [s]: h, 2 h, h / 2,
    h / 4 ...

    Lengths are halved and not fitted, so that rounding errors of a step do not change the length of the next one. It is
    not shorter than half of `shortest`, or than h if that is shorter.

    error, shortest: as from `energy_error`.
    """
    if error <= EASY_SHARE:
        return 2.0 * h
    length = h
    while length > shortest and error > 1.0:
        length, error = 0.5 * length, 0.25 * error
    return length


# ---- angles


@subroutine
def leaves_range(system, start, end, error):
    """Return whether an angle with a rigid stop is farther beyond its range at the end of a step than at its start.

    The constraint of such a stop is linear in velocities, and angles of cones and twists are not; and a limb may turn
    on in the impacts at the end of a step.

    Args:
        start, end: states. error: by how much the angle must be farther beyond [rad].
    """
    model, states = system.model, system.work.force_states
    before, after = parts_of(system, start)[0], parts_of(system, end)[0]
    for k in range(model.set_valued_forces.shape[0]):
        element, state = model.set_valued_forces[k], states[k]
        if state.is_disabled or element.stiffness < RIGID_STOP_STIFFNESS or not is_angle(model, element):
            continue
        beyond = excess(state, force_law_coordinate(model, element, after))
        if beyond > error and beyond > excess(state, force_law_coordinate(model, element, before)) + error:
            return True
    return False


@jitable
def is_angle(model, element):
    """Return whether the coordinate of a set-valued force is an angle of a joint, and neither a length nor a speed."""
    if element.kind == ON_QUANTITY:
        return element.code != DISTANCE
    return element.kind == ON_DOF and model.dofs[element.v].slide == 0.0


@jitable
def excess(state, value):
    """Return how far a value is beyond the range of its stops, below 0 within it [m or rad]."""
    return max(value - state.upper, state.lower - value)


# ---- overlaps


@subroutine
def overlaps_too_far(system, collisions, step, h, settings):
    """Return (whether the arrays were long enough, whether rigid solids have come to overlap too far in a step).

    Contacts at the end of the step, where bodies are placed, are compared with `collisions.starts`. Afterwards
    `collisions` has the pairs and the poses of the end. The step took h seconds.
    """
    gravity = norm(get3(system.model.gravity))
    if not may_overlap(system, collisions, h, gravity):
        return True, False
    update_solid_poses(system, collisions)
    count = collisions.kernels.find_pairs(
        collisions.solids, collisions.solid_poses, collisions.collision_filter, 0.0, collisions.tree, collisions.pairs
    )
    if count > collisions.pairs.shape[0]:
        collisions.counts[NEEDED_PAIRS] = count
        return False, False
    collisions.counts[PAIR_COUNT] = remove_sleeping_pairs(system.work, collisions, step, count)
    if not list_contacts(system, collisions, 0.0, collisions.ends, collisions.end_states, END_COUNT):
        return False, False
    least = LEAST_OVERLAP * gravity * settings.base_step * settings.base_step
    for k in range(collisions.counts[END_COUNT]):
        end = collisions.ends[k]
        bound = max(least, settings.overlap_share * thinner_of(collisions, end))
        has_grown = -end.gap > bound and -end.gap > overlap_at_start(collisions, end) + bound
        if has_grown and is_rigid_pair(system, collisions, end):
            return True, True
    return True, False


@subroutine
def may_overlap(system, collisions, h, gravity):
    """Return whether a solid has turned far in a step of h seconds, or was struck.

    `collisions.twists` are those of the start, and bodies have the velocities of the end. A ball around the origin of
    its body may turn as it likes.
    """
    for i in range(collisions.solids.shape[0]):
        solid = collisions.solids[i]
        if solid.body == 0:
            continue
        twist, body, o = collisions.twists[solid.body], system.work.bodies[solid.body], get3(solid.origin)
        w, w_end, spin = get3(twist, 3), get3(body.velocity), 0.0
        arm = norm(o) + min(solid.bounding_radius, HALF_SPACE_EXTENT)
        if not (solid.kind == BALL and dot(o, o) == 0.0):
            if h * max(norm(w), norm(w_end)) > LEAST_TURN:
                return True
            spin = norm(sub(w_end, w)) * arm
        if norm(sub(get3(body.velocity, 3), get3(twist))) + spin > LEAST_DEFLECTION * gravity * h:
            return True
    return False


@jitable
def thinner_of(collisions, contact):
    """Return the thickness of the thinner of two solids in contact [m]; that of the other one if one is a mesh."""
    first, second = thickness(collisions.solids[contact.first]), thickness(collisions.solids[contact.second])
    return min(first, second) if min(first, second) > 0.0 else max(first, second)


@jitable
def is_rigid_pair(system, collisions, contact):
    """Return whether neither surface of a contact is compliant."""
    point = system.touch.points[0]  # scratch, as for the constraints of contacts
    combine_pair_surfaces(point, collisions.surfaces[contact.first], collisions.surfaces[contact.second])
    return not point.is_soft


@subroutine
def overlap_at_start(collisions, contact):
    """Return the deepest overlap of the contact's pair as the step began [m]; 0 if there was none."""
    deepest = 0.0
    for k in range(collisions.counts[START_COUNT]):
        start = collisions.starts[k]
        if start.first == contact.first and start.second == contact.second:
            deepest = max(deepest, -start.gap)
    return deepest
