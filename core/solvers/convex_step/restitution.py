# SPDX-License-Identifier: GPL-3.0-or-later
"""Restitution in a crowd's step: velocities jump at its end where contacts and stops have closed.

The first solution of a step keeps gaps from closing, so it is plastic, and only positions follow it. A second solution
gives the velocities with which the next step begins. It is an impact in the positions at the end of the step, of all
contacts of an island at once. With Newton's law, an impulse p does the work p (v + v') / 2 on a contact whose bodies
part with the velocity v before and v' after it (negative where they approach). So a contact that has closed

- bounces if it approaches: v' = -e v, which takes the work p (1 - e) |v| / 2;
- may close again at the rate v at most, if it parts and only its neighbours keep it closed. That does no work. It
  bounces in the next step, so that an impact travels through bodies that touch.

A contact that is open takes no part; it bounces once it has closed. A body arrives with that part of its forces'
impulse which gives it the kinetic energy that the forces have done in work along its way. If the first solution has
lifted it higher than its speed would, the impact gives that energy back. So restitution 1 keeps the energy, however
long the steps are.

Source: Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988); Glocker, Energetic consistency
conditions for standard impacts, Multibody Syst. Dyn. 29 (2013), for the energy.
"""

from __future__ import annotations

import math

from ...contact.impacts import MOST_GIVES, less
from ...jit import jitable, subroutine
from .constraint_jacobians import row_velocity
from .constraint_potentials import BOUNCES, HOLDS, LEFT_OUT, STAYS
from .free_flight import is_alone
from .newton import find_velocities_of
from .persistence import note_blows, rate_before
from .problem import ISLANDS, LAW_COUNT, LAWS, NODES, multiply_mass

STIFFLY = 1e4
"""Factor on the stiffness of a law in an impact. Its compliance then takes a part of 1e-6 of the speed."""
GAIN = 1e-4
"""Share of the contacts' works by which an impact may add energy, since velocities are found up to a tolerance."""
CLOSED = 0.5
"""Gap up to which a contact counts as closed, as a share of g h^2: less than a body falls in a step."""
LASTS = 2.0
"""Approach velocity up to which a closed contact bears a load, as a multiple of what gravity adds in a step."""
MOST_PART = 2.0
"""Largest share of a step's forces with which a body arrives. More would be speed that only its neighbours' push along
its way explains."""

STANDS, FLIES, LOADED, ARRIVES = range(4)
"""Entries of `crowd.roots`, one for each articulation. STANDS: no law pushed it. FLIES: some did. LOADED: one of them
bears a lasting load, or holds it by other than contacts. ARRIVES: it is a single body that comes to an impact with the
velocity of its arrival."""


@subroutine
def bounce(model, crowd, stride, now, h, pace, weight, impacts):
    """Let what has struck part with what its restitution leaves, and note the impacts.

    stride: the velocities by which bodies move in this step, shape (nv,). weight [m/s^2]: of gravity. The entries of
    `crowd.roots` are STANDS or FLIES. `crowd.start` becomes the velocity at the impact where that is ARRIVES. Returns
    the work of forces along the way that bodies do not arrive with [J]; negative if contacts have lifted bodies.
    """
    missing = 0.0
    if may_bounce(crowd):
        arrive(model, crowd, stride, h, weight)
        for s in range(crowd.counts[ISLANDS]):
            if find_roles(crowd, s, h, pace, weight):
                left = begin_impact(crowd, s, stride)
                missing += left
                bounce_without_gain(crowd, s, pace, max(-left, 0.0))
    note_blows(crowd, now, h, weight, impacts)
    return missing


@jitable
def may_bounce(crowd):
    for k in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[k]
        if law.rigid and law.restitution > 0.0 and law.impulse[0] > 0.0:
            return True
    return False


@subroutine
def arrive(model, crowd, stride, h, weight):
    """Write to `crowd.stride` the velocities with which bodies come to the end of the step, before they bounce.

    What is loaded comes with its velocity at the start: loads take up what forces add.
    """
    forest = crowd.forest
    for k in range(crowd.counts[LAW_COUNT]):
        if bears_load(crowd, k, h, weight):
            law = crowd.laws[k]
            for n in range(law.count):
                crowd.roots[forest.tree_of_dof[crowd.dofs[law.first + n]]] = LOADED
    for i in range(1, model.bodies.shape[0]):
        if model.bodies[i].parent > 0:
            continue
        t = forest.tree_of_body[i]
        part = 1.0 if crowd.roots[t] == STANDS else 0.0
        if is_alone(model, crowd, i) and crowd.roots[t] != LOADED:
            part = arrival(crowd, t, stride)[0]
            crowd.roots[t] = FLIES
        elif crowd.roots[t] == FLIES:
            crowd.roots[t] = LOADED
        for n in range(forest.first[t], forest.first[t + 1]):
            j = forest.dofs[n]
            crowd.stride[j] = crowd.start[j] + part * (crowd.aim[j] - crowd.start[j])


@jitable
def bears_load(crowd, k, h, weight):
    """Return whether a law acts throughout the step: by a load with friction, softly, or on other than a contact."""
    law = crowd.laws[k]
    if law.kind == HOLDS:
        return law.contact < 0
    if not law.impulse[0] > 0.0:
        return False
    if law.rigid == 0:
        return True
    rubs = k + 1 < crowd.counts[LAW_COUNT] and crowd.laws[k + 1].of == k
    return rubs and law.gap <= CLOSED * weight * h * h and rate_before(crowd, law) >= -LASTS * weight * h


@subroutine
def arrival(crowd, t, stride):
    """Return (the share of a step's forces with which a single body arrives, the energy that it lacks then [J]).

    With the velocities v at the start, the momenta f that forces add in the step and the mass matrix A, the velocities
    v + s A^-1 f have s f'v + s^2 f'A^-1 f / 2 more kinetic energy than v. The forces have done the work f'stride. Of
    the two solutions s, this is the one whose f'(v + s A^-1 f) has the sign that it has after a free flight: then, s
    is 1.
    """
    first, last = crowd.forest.first[t], crowd.forest.first[t + 1]
    change, momenta = crowd.search[0], crowd.search[1]
    for i in range(first, last):
        change[i] = crowd.aim[crowd.forest.dofs[i]] - crowd.start[crowd.forest.dofs[i]]
    multiply_mass(crowd, t, change, momenta)
    along, size, work = 0.0, 0.0, 0.0
    for i in range(first, last):
        j = crowd.forest.dofs[i]
        along += momenta[i] * crowd.start[j]
        size += momenta[i] * change[i]
        work += momenta[i] * stride[j]
    if not size > 0.0:
        return 1.0, 0.0
    left = along * along + 2.0 * size * work  # the square of f'v at the arrival
    speed = math.sqrt(left) if left > 0.0 else 0.0  # 0: neighbours have pushed it farther than it would have flown
    part = ((speed if along + size >= 0.0 else -speed) - along) / size
    part = min(max(part, -MOST_PART), MOST_PART)
    return part, work - part * (along + 0.5 * part * size)


@subroutine
def find_roles(crowd, s, h, pace, weight):
    """Write the roles of an island's rigid laws in the impact. Returns whether any of them bounces.

    A law's `change` becomes the velocity with which its bodies arrive.
    """
    found = False
    for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS]):
        law = crowd.laws[crowd.sorted_laws[n]]
        if law.rigid == 0:
            continue
        law.change[0] = law.given[0] + row_velocity(crowd, law, 0, crowd.stride)
        back, ahead = -law.restitution * law.change[0], law.gap + h * law.velocity[0]
        bounces = back > weight * h and back * back > 2.0 * weight * pace.resting
        law.role = STAYS
        if law.impulse[0] > 0.0:
            if bounces:
                law.role, found = BOUNCES, True
        elif law.restitution > 0.0 and (bounces or ahead > max(CLOSED * weight * h * h, pace.resting)):
            law.role = LEFT_OUT
    return found


@subroutine
def begin_impact(crowd, s, stride):
    """Prepare the second solution of an island: single bodies come as they arrive, and laws have their targets.

    Returns the energy that the bodies lack as they arrive [J].
    """
    lacking = 0.0
    for k in range(crowd.islands[s, NODES], crowd.islands[s + 1, NODES]):
        t = crowd.graph.order[k]
        if crowd.roots[t] == FLIES:
            lacking += arrival(crowd, t, stride)[1]
            crowd.roots[t] = ARRIVES
            for n in range(crowd.forest.first[t], crowd.forest.first[t + 1]):
                j = crowd.forest.dofs[n]
                crowd.start[j] = crowd.aim[j] = crowd.stride[j]
    for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS]):
        law = crowd.laws[crowd.sorted_laws[n]]
        if law.rigid == 0:
            continue
        if law.role == LEFT_OUT:
            law.stiffness, law.force[0] = 0.0, 0.0
        elif law.role == BOUNCES:
            law.stiffness *= STIFFLY
            law.force[0] = -law.stiffness * law.restitution * law.change[0]
        else:
            if law.restitution > 0.0:
                law.stiffness *= STIFFLY
            law.force[0] = -law.stiffness * max(law.change[0], 0.0)
    return lacking


@subroutine
def bounce_without_gain(crowd, s, pace, lifted):
    """Find an island's velocities after an impact, with less restitution where contacts would add energy.

    They would where friction does work, as in `strike_without_gain` at events, and where the first solution has lifted
    bodies, by the energy `lifted` [J].
    """
    give, part = 1.0, 1.0
    for turn in range(MOST_GIVES):
        find_velocities_of(crowd, s, pace.tolerance, pace.agreement)
        work, most = work_of_contacts(crowd, s)
        if work + lifted <= GAIN * most:
            return
        if turn == 0 and work <= GAIN * most:
            part = part_that_takes(work_of_bounces(crowd, s), lifted + work)
        else:
            part = less(give)
        give *= part
        for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS]):
            law = crowd.laws[crowd.sorted_laws[n]]
            if law.role == BOUNCES:
                law.force[0] *= part


@jitable
def part_that_takes(returned, energy):
    """Return the factor on restitution at which impacts return less by an energy [J]. returned [J]: at a factor of 1.

    What they return grows with its square.
    """
    return math.sqrt(max(1.0 - energy / returned, 0.0)) if returned > 0.0 else 0.0


@subroutine
def work_of_bounces(crowd, s):
    """Return the energy that an island's bounces return beyond that of plastic impacts [J].

    Of the impulse (1 + e) p, that part is e p, and it acts at the mean velocity e |v| / 2 of the parting.
    """
    returned = 0.0
    for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS]):
        law = crowd.laws[crowd.sorted_laws[n]]
        if law.role == BOUNCES:
            back = law.force[0] / law.stiffness
            returned += 0.5 * law.impulse[0] * law.restitution / (1.0 + law.restitution) * back
    return returned


@subroutine
def work_of_contacts(crowd, s):
    """Return the work of an island's contacts' impulses, and the sum of its terms' sizes [J]."""
    work, most, mean = 0.0, 0.0, crowd.gradient
    for j in range(mean.shape[0]):
        mean[j] = 0.5 * (crowd.start[j] + crowd.v[j])
    for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS]):
        law = crowd.laws[crowd.sorted_laws[n]]
        for r in range(law.rows if law.contact >= 0 else 0):
            each = law.impulse[r] * (law.given[r] + row_velocity(crowd, law, r, mean))
            work += each
            most += abs(each)
    return work, most
