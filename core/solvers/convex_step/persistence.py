# SPDX-License-Identifier: GPL-3.0-or-later
"""State that outlives a convex step: contact loads and friction springs for the next step, and loads for observers.

steps.py recalls and stores contacts, restitution.py records impacts, and hybrid_contact/solver.py reports loads once a
frame is reached.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...contact.collision_state import START_COUNT
from ...contact.delassus import tangents
from ...contact.points import POINTS
from ...model.compiling.compiled import ON_QUANTITY
from ...spatial import (
    ZERO,
    add,
    dot,
    norm,
    scale,
    sub,
)
from ...spatial.storage import get3, put3
from .constraint_jacobians import constraint_velocity
from .constraint_potentials import BOUNCES, BOUNDED
from .constraints import RELAXATION_STEPS, SEPARATION_STEPS
from .problem import (
    CONSTRAINT_COUNT,
    CONTACT_COUNT,
    DRIVE_LOAD,
    FRICTION_STRAIN,
    PASSIVE_LOAD,
    PREVIOUS_COUNT,
)
from .sleeping import SLEEPING_CONTACT

SLIP_SHARE = 1.0 - 1e-9
"""Share of its bound from which on friction counts as slipping. The remaining share, 1e-9, allows for rounding."""
CLOSING_SHARE = 1e-3
"""Overlap up to which a gap counts as closing in a step, as a share of the distance that it would close. What an event
has just closed overlaps by an error of location, 1e-9 m at most; what rolls along a bowl, by a few hundredths.
"""
TIME_ERROR = 1e-9
"""Error of the time at which a step ends [s], by rounding: far less than the shortest step for contacts."""


@subroutine
def recall_contact(step, contact, first):
    """Copy load and friction state of a contact from the same contact in the previous step, if there was one.

    Until the step is solved, `is_impact` means that an impact has closed the gap in the previous step.

    first: number of the first previous contact of its pair.
    """
    previous, count, k = step.previous_contacts, step.counts[PREVIOUS_COUNT], first
    contact.load, contact.is_slipping, contact.is_impact = 0.0, 0, 0
    put3(contact.slip_strain, ZERO)
    put3(contact.angular_strain, ZERO)
    while k < count and previous[k].first == contact.first and previous[k].second == contact.second:
        if previous[k].name == contact.name:
            n = get3(contact.normal)
            strain = get3(previous[k].slip_strain)
            contact.load, contact.is_slipping = previous[k].load, previous[k].is_slipping
            contact.is_impact = 1 if previous[k].is_impact and previous[k].gap > 0.0 else 0
            put3(contact.slip_strain, sub(strain, scale(n, dot(n, strain))))
            put3(contact.angular_strain, get3(previous[k].angular_strain))
            break
        k += 1


@subroutine
def spring_share(step, collisions, first, first_previous, h, base_step, gravity):
    """Return by which share of their overlaps the compliant contacts of a pair are compressed as a step begins.

    Contacts are found anew in each step. Where a corner has turned into a face, or the deepest point is on another
    face, the overlap is deeper than the last step foresaw, and a stiff spring would have energy that nothing gave it.
    So the springs of a pair keep their energy. The rest of an overlap separates as that of rigid solids does.

    first, first_previous: numbers of the pair's first contact in `collisions.starts` and in `previous_contacts`.
    gravity [m/s^2].
    """
    starts, previous, overlaps, compressions, deepest = collisions.starts, step.previous_contacts, 0.0, 0.0, 0.0
    one, other = starts[first].first, starts[first].second
    k = first
    while k < collisions.counts[START_COUNT] and starts[k].first == one and starts[k].second == other:
        overlap = max(-starts[k].gap, 0.0)
        overlaps, deepest = overlaps + overlap * overlap, max(deepest, overlap)
        k += 1
    k = first_previous
    while k < step.counts[PREVIOUS_COUNT] and previous[k].first == one and previous[k].second == other:
        compression = min(previous[k].spring_gap, 0.0)
        compressions, k = compressions + compression * compression, k + 1
    if compressions >= overlaps:
        return 1.0
    share = math.sqrt(compressions / overlaps)
    relaxed = (1.0 - share) * deepest
    rate = min(relaxed / (RELAXATION_STEPS * max(h, base_step)), SEPARATION_STEPS * gravity * base_step)
    return min(share + h * rate / deepest, 1.0)


@subroutine
def move_springs(step, h, v_position):
    """Move the springs of compliant contacts for h seconds at v_position, shape (nv,)."""
    for c in range(step.counts[CONTACT_COUNT]):
        contact = step.contacts[c]
        if contact.constraint >= 0:
            contact.spring_gap += h * constraint_velocity(step, step.constraints[contact.constraint], 0, v_position)


@subroutine
def store_contacts(step, h):
    """Write the loads that constraints exerted to the contacts, and keep these for the next step, of h seconds."""
    counts = step.counts
    for c in range(counts[CONTACT_COUNT]):
        contact = step.contacts[c]
        k = contact.constraint
        if k != SLEEPING_CONTACT:
            contact.load, contact.is_impact = 0.0, 0
            put3(contact.force, ZERO)
            put3(contact.torque, ZERO)
        if k >= 0:
            contact.load = step.constraints[k].impulse[0] / h
            k += 1
            while k < counts[CONSTRAINT_COUNT] and step.constraints[k].contact == c:
                store_friction(step, contact, step.constraints[k], h)
                k += 1
        step.previous_contacts[c] = step.contacts[c]
    counts[PREVIOUS_COUNT] = counts[CONTACT_COUNT]


@subroutine
def store_friction(step, contact, constraint, h):
    """Add the load of a friction constraint to its contact, and update the deflection of its spring.

    If friction sticks, the deflection grows by the tangential displacement of the step. If it slips, the deflection is
    set so that the impulse of the spring equals that of friction.
    """
    n = get3(contact.normal)
    a, b = tangents(n)
    x, y = constraint.impulse[0], constraint.impulse[1]
    # A constraint without stiffness acts in a direction that joints block.
    slips = math.sqrt(x * x + y * y) >= constraint.bound * SLIP_SHARE and constraint.stiffness > 0.0
    for r in range(constraint.rows):
        along = n if constraint.rows == 1 else (a if r == 0 else b)
        strain = get3(contact.angular_strain) if constraint.is_angular else get3(contact.slip_strain)
        before = dot(along, strain)
        after = before + h * constraint.velocity[r]
        if slips:
            after = -constraint.impulse[r] * RELAXATION_STEPS * h / constraint.stiffness
        strain = add(strain, scale(along, after - before))
        force = scale(along, constraint.impulse[r] / h)
        if constraint.is_angular:
            put3(contact.angular_strain, strain)
            put3(contact.torque, add(get3(contact.torque), force))
        else:
            put3(contact.slip_strain, strain)
            put3(contact.force, add(get3(contact.force), force))
            contact.is_slipping = 1 if slips else 0


@subroutine
def store_element_loads(system, step, h, gravity):
    """Write the loads of set-valued forces and the deflections of their friction springs to `element_loads`.

    Impulses of impacts are left out. Set-valued forces of sleeping trees keep their loads. gravity: the size [m/s^2].
    """
    model, loads = system.model, step.element_loads
    for k in range(loads.shape[0]):
        v = (
            model.bodies[model.set_valued_forces[k].body].v
            if model.set_valued_forces[k].kind == ON_QUANTITY
            else model.set_valued_forces[k].v
        )
        if not step.asleep[step.forest.tree_of_dof[v]]:
            loads[k, PASSIVE_LOAD], loads[k, DRIVE_LOAD] = 0.0, 0.0
    for n in range(step.counts[CONSTRAINT_COUNT]):
        constraint = step.constraints[n]
        if constraint.element >= 0 and not is_impact(step, constraint, h, gravity):
            column = DRIVE_LOAD if constraint.is_drive else PASSIVE_LOAD
            loads[constraint.element, column] += constraint.element_sign * constraint.impulse[0] / h
        if constraint.element >= 0 and constraint.kind == BOUNDED and not constraint.is_drive:
            slips = abs(constraint.impulse[0]) >= constraint.bound * SLIP_SHARE
            strain = loads[constraint.element, FRICTION_STRAIN] + h * constraint.velocity[0]
            if slips:
                strain = -constraint.impulse[0] * RELAXATION_STEPS * h / constraint.stiffness
            loads[constraint.element, FRICTION_STRAIN] = strain


@jitable
def is_impact(step, constraint, h, gravity):
    """Return whether a gap closed in this step, faster than twice the velocity that gravity adds in a step.

    An open gap may close in a step, so a body stops in two: in the first one it loses the velocity that would carry it
    beyond the contact, in the second one the rest. A gap that an event has just closed is not open either.
    """
    rate = initial_rate(step, constraint)
    is_closing = constraint.ends_impact == 1 or constraint.gap > CLOSING_SHARE * h * rate
    return constraint.kind != BOUNDED and is_closing and rate < -2.0 * gravity * h


@subroutine
def report_element_loads(system, step):
    """Write the loads of set-valued forces in the last step to FORCE_STATE records, for observations after it."""
    force_states = system.work.force_states
    for k in range(force_states.shape[0]):
        force_states[k].has_step_loads = 1
        force_states[k].passive_load, force_states[k].drive_load = (
            step.element_loads[k, PASSIVE_LOAD],
            step.element_loads[k, DRIVE_LOAD],
        )


@subroutine
def clear_reported_loads(system):
    """Discard the loads that `report_contacts` and `report_element_loads` have written."""
    system.touch.count[POINTS] = 0
    for k in range(system.work.force_states.shape[0]):
        system.work.force_states[k].has_step_loads = 0


@subroutine
def copy_persistent(source, target, contacts):
    """Copy the arrays that persist between steps from a ConvexStep to its Backup, or back. contacts: number of
    contacts.
    """
    for c in range(contacts):
        target.previous_contacts[c] = source.previous_contacts[c]
    for k in range(source.element_loads.shape[0]):
        for c in range(source.element_loads.shape[1]):
            target.element_loads[k, c] = source.element_loads[k, c]
    for t in range(source.asleep.shape[0]):
        target.asleep[t], target.still_time[t] = source.asleep[t], source.still_time[t]
    for j in range(source.sleep_forces.shape[0]):
        target.sleep_forces[j] = source.sleep_forces[j]


@subroutine
def report_contacts(system, collisions, step):
    """Write the loads of the last step to the points of `system.touch`, for observations after it."""
    touch, count = system.touch, 0
    for c in range(step.counts[PREVIOUS_COUNT]):
        contact, point = step.previous_contacts[c], touch.points[count]
        if contact.is_impact or not contact.load > 0.0:  # impacts are reported by `record_impacts`
            continue
        point.first, point.second, point.name = contact.first, contact.second, contact.name
        point.one.body, point.other.body = collisions.solids[contact.first].body, collisions.solids[contact.second].body
        point.has_step_loads, point.is_active, point.candidate, point.is_on_cone = 1, 1, 0, 0
        point.is_soft, point.stiffness = (1 if contact.stiffness > 0.0 else 0), contact.stiffness
        point.gap, point.rate, point.load = contact.gap, 0.0, contact.load
        point.rest_gap = contact.gap - contact.spring_gap if point.is_soft else 0.0
        put3(point.position, get3(contact.position))
        put3(point.normal, get3(contact.normal))
        put3(point.force, get3(contact.force))
        put3(point.torque, get3(contact.torque))
        for rates in (point.slip_velocity, point.angular_velocity, point.normal_rate, point.one_rate, point.other_rate):
            put3(rates, ZERO)
        count += 1
    touch.count[POINTS] = count


@jitable
def initial_rate(step, constraint):
    """Return the velocity of a constraint as the step begins [m/s or rad/s]."""
    return constraint.bias_velocity[0] + constraint_velocity(step, constraint, 0, step.v0)


@jitable
def is_half_full(impacts):
    """Return whether the list of impacts is to be made longer, since a step might fill it."""
    return 2 * impacts.count[0] > impacts.records.shape[0]


@subroutine
def record_impacts(step, now, h, gravity, impacts):
    """Add the impacts of this step to the list. If the list is full, they are counted but not recorded."""
    for k in range(step.counts[CONSTRAINT_COUNT]):
        constraint = step.constraints[k]
        if constraint.contact < 0 or constraint.kind == BOUNDED or not constraint.impulse[0] > 0.0:
            continue
        if constraint.role != BOUNCES and not is_impact(step, constraint, h, gravity):
            continue
        i, contact = impacts.count[0], step.contacts[constraint.contact]
        step.previous_contacts[constraint.contact].is_impact = 1
        is_rest = constraint.ends_impact == 1 and constraint.role != BOUNCES
        earlier = impact_begun(impacts, contact, now.time) if is_rest else -1
        now.impacts += 1 if earlier < 0 else 0
        impacts.count[0] += 1
        if i < impacts.records.shape[0]:
            impact = impacts.records[i]
            impact.time, impact.first, impact.second = now.time + h, contact.first, contact.second
            impact.rest_of = earlier
            put3(impact.point, get3(contact.position))
            put3(impact.normal, get3(contact.normal))
            put3(impact.impulse, add(scale(get3(contact.normal), constraint.impulse[0]), scale(get3(contact.force), h)))


@subroutine
def impact_begun(impacts, contact, time):
    """Return the number of the impact of a contact in the step that ended at a time [s], or -1 if it is not listed.

    Of the impacts of the same two solids, it is the one with the nearest point.
    """
    found, nearest, k = -1, math.inf, min(impacts.count[0], impacts.records.shape[0]) - 1
    while k >= 0 and impacts.records[k].time >= time - TIME_ERROR:
        impact = impacts.records[k]
        if impact.first == contact.first and impact.second == contact.second and impact.time <= time + TIME_ERROR:
            distance = norm(sub(get3(impact.point), get3(contact.position)))
            if distance < nearest and impact.rest_of < 0:
                found, nearest = k, distance
        k -= 1
    return found
