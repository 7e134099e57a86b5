# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of a crowd's step, and what the next one must know: loads, the springs of what sticks, blows."""

from __future__ import annotations

import math

from ...contact.delassus import tangents
from ...contact.points import POINTS
from ...jit import jitable, kernel, subroutine
from ...model.compiled import ON_MEASURE
from ...spatial import (
    ZERO,
    add,
    dot,
    scale,
    sub,
)
from ...spatial.storage import get3, put3
from .constraint_jacobians import row_velocity
from .constraint_potentials import BOUNCES, HOLDS
from .constraints import SLOWLY
from .problem import (
    BEFORE,
    CONTACTS,
    DRIVING,
    HOLDING,
    LAW_COUNT,
    STRAIN,
)
from .sleeping import KEPT

SURELY = 1.0 - 1e-9
"""Part of its bound from which on friction slips."""


@subroutine
def recall(crowd, contact, known):
    """Take over what is known of a contact from the step before, in which its pair begins at `known`."""
    before, count, k = crowd.before, crowd.counts[BEFORE], known
    contact.load, contact.slips = 0.0, 0
    put3(contact.strain, ZERO)
    put3(contact.twist, ZERO)
    while k < count and before[k].first == contact.first and before[k].second == contact.second:
        if before[k].name == contact.name:
            n = get3(contact.normal)
            strain, twist = get3(before[k].strain), get3(before[k].twist)
            contact.load, contact.slips = before[k].load, before[k].slips
            put3(contact.strain, sub(strain, scale(n, dot(n, strain))))
            put3(contact.twist, twist)
            break
        k += 1


@subroutine
def remember(crowd, h):
    """Write to contacts what their laws have exerted, and keep them for the next step."""
    counts = crowd.counts
    for c in range(counts[CONTACTS]):
        contact = crowd.contacts[c]
        k = contact.law
        if k != KEPT:
            contact.load, contact.struck = 0.0, 0
            put3(contact.force, ZERO)
            put3(contact.torque, ZERO)
        if k >= 0:
            contact.load = crowd.laws[k].impulse[0] / h
            k += 1
            while k < counts[LAW_COUNT] and crowd.laws[k].contact == c:
                tell_friction(crowd, contact, crowd.laws[k], h)
                k += 1
        crowd.before[c] = crowd.contacts[c]
    counts[BEFORE] = counts[CONTACTS]


@subroutine
def tell_friction(crowd, contact, law, h):
    """Add what a law of friction has exerted, and stretch the spring by which it holds."""
    n = get3(contact.normal)
    a, b = tangents(n)
    size = math.sqrt(law.impulse[0] * law.impulse[0] + law.impulse[1] * law.impulse[1])
    slips = size >= law.bound * SURELY and law.stiffness > 0.0  # else joints keep bodies from going that way
    for r in range(law.rows):
        along = n if law.rows == 1 else (a if r == 0 else b)
        strain = get3(contact.twist) if law.turns else get3(contact.strain)
        was = dot(along, strain)
        now = was + h * law.velocity[r]
        if slips:
            now = -law.impulse[r] * SLOWLY * h / law.stiffness
        strain = add(strain, scale(along, now - was))
        push = scale(along, law.impulse[r] / h)
        if law.turns:
            put3(contact.twist, strain)
            put3(contact.torque, add(get3(contact.torque), push))
        else:
            put3(contact.strain, strain)
            put3(contact.force, add(get3(contact.force), push))
            contact.slips = 1 if slips else 0


@subroutine
def remember_guards(system, crowd, h, weight):
    """Write the loads of guards to `crowd.loads`. Impacts are left out, and guards of what sleeps keep their loads."""
    model, loads = system.model, crowd.loads
    for k in range(loads.shape[0]):
        v = model.bodies[model.guards[k].body].v if model.guards[k].kind == ON_MEASURE else model.guards[k].v
        if not crowd.asleep[crowd.forest.tree_of_dof[v]]:
            loads[k, HOLDING], loads[k, DRIVING] = 0.0, 0.0
    for n in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[n]
        if law.guard >= 0 and not is_blow(crowd, law, h, weight):
            loads[law.guard, DRIVING if law.drives else HOLDING] += law.along * law.impulse[0] / h
        if law.guard >= 0 and law.kind == HOLDS and not law.drives:
            slips = abs(law.impulse[0]) >= law.bound * SURELY
            ahead = loads[law.guard, STRAIN] + h * law.velocity[0]
            loads[law.guard, STRAIN] = -law.impulse[0] * SLOWLY * h / law.stiffness if slips else ahead


@jitable
def is_blow(crowd, law, h, weight):
    """Return whether a law that pushes was struck in this step, and did not touch before."""
    return law.kind != HOLDS and law.gap > 0.0 and rate_before(crowd, law) < -2.0 * weight * h


@kernel
def tell_loads_of_guards(system, crowd):
    """Let guards exert the loads of a crowd's last step, for observations after it."""
    watches = system.work.watches
    for k in range(watches.shape[0]):
        watches[k].told = 1
        watches[k].given, watches[k].driven = crowd.loads[k, HOLDING], crowd.loads[k, DRIVING]


@subroutine
def forget_told(system):
    """Discard the loads that `tell_points` and `tell_loads_of_guards` have written."""
    system.touch.count[POINTS] = 0
    for k in range(system.work.watches.shape[0]):
        system.work.watches[k].told = 0


@subroutine
def copy_lasting(source, target, contacts):
    """Copy what one step leaves to the next, with so many contacts. source, target: the Crowd and its Kept, or back."""
    for c in range(contacts):
        target.before[c] = source.before[c]
    for k in range(source.loads.shape[0]):
        for c in range(source.loads.shape[1]):
            target.loads[k, c] = source.loads[k, c]
    for t in range(source.asleep.shape[0]):
        target.asleep[t], target.quiet[t] = source.asleep[t], source.quiet[t]
    for j in range(source.felt.shape[0]):
        target.felt[j] = source.felt[j]


@kernel
def tell_points(system, ground, crowd):
    """Write what has acted in a crowd's last step to the points, with which observations go on."""
    touch, count = system.touch, 0
    for c in range(crowd.counts[BEFORE]):
        held, point = crowd.before[c], touch.points[count]
        if held.struck or not held.load > 0.0:  # blows are told as such
            continue
        point.first, point.second, point.name = held.first, held.second, held.name
        point.one.body, point.other.body = ground.solids[held.first].body, ground.solids[held.second].body
        point.given, point.holds, point.candidate, point.strained = 1, 1, 0, 0
        point.is_soft, point.stiffness = (1 if held.stiffness > 0.0 else 0), held.stiffness
        point.gap, point.rate, point.load = held.gap, 0.0, held.load
        put3(point.place, get3(held.place))
        put3(point.normal, get3(held.normal))
        put3(point.force, get3(held.force))
        put3(point.torque, get3(held.torque))
        for rates in (point.v, point.w, point.normal_rate, point.one_rate, point.other_rate):
            put3(rates, ZERO)
        count += 1
    touch.count[POINTS] = count


@jitable
def rate_before(crowd, law):
    return law.given[0] + row_velocity(crowd, law, 0, crowd.start)


@subroutine
def note_blows(crowd, now, h, weight, impacts):
    """Add what has struck, and did not touch before, to the list; what finds no room is only counted."""
    for k in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[k]
        if law.contact < 0 or law.kind == HOLDS or not law.impulse[0] > 0.0:
            continue
        if law.role != BOUNCES and (law.gap <= 0.0 or rate_before(crowd, law) >= -2.0 * weight * h):
            continue
        i, contact = impacts.count[0], crowd.contacts[law.contact]
        crowd.before[law.contact].struck = 1
        now.impacts += 1
        impacts.count[0] += 1
        if i < impacts.impacts.shape[0]:
            impact = impacts.impacts[i]
            impact.time, impact.first, impact.second = now.time + h, contact.first, contact.second
            put3(impact.point, get3(contact.place))
            put3(impact.normal, get3(contact.normal))
            put3(impact.impulse, add(scale(get3(contact.normal), law.impulse[0]), scale(get3(contact.force), h)))
