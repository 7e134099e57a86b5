"""Restitution in a convex step: velocities jump at its end where contacts and stops have closed.

The first solution of a step keeps gaps from closing, so it is plastic, and only positions follow it. A second solution
gives the velocities with which the next step begins. It is an impact in the positions at the end of the step: each
contact that closed with the approach speed v parts with e v at least, all of them at once, and a contact that parts
faster exerts nothing. Newton's law in this form cannot add kinetic energy, since each impulse p changes it by
-p (1 - e) v / 2.

Two questions are left, which decide how much energy a motion loses:

- With what velocity does a body arrive? In a step in which it strikes, it does not cover the distance that it would
  cover in free flight. It arrives with that part of the forces' impulse which gives it the kinetic energy that the
  forces have done in work along the distance that it did cover.
- Which contacts take part? A contact with restitution that has closed only because its neighbour was stopped does not
  approach yet. It is left out, and closes in the next step with the velocity that the impact has given its neighbour.
  So an impact travels through bodies that touch. A contact that bears a lasting load takes part, and so do all without
  restitution: they do not approach afterwards.

Source: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 8; Glocker, Energetic consistency
conditions for standard impacts, Multibody Syst. Dyn. 29 (2013), for the energy.
"""

from __future__ import annotations

import math

from ..contact.crowd import LASTS, LAW_COUNT, NEW, ease_of, multiply_mass, row_velocity
from ..contact.descent import find_velocities
from ..contact.laws import BOUNCES, LEFT_OUT, PUSHES, STAYS
from ..jit import jitable, subroutine
from .crowd_memory import note_blows, rate_before
from .drifting import is_alone

STIFFLY = 1e5
"""Factor on the stiffness of a law that bounces: its compliance then takes a part of 2e-7 of the speed."""

SINKING = 0.25
"""Part of the change of velocity by gravity in a step up to which a new contact does not approach: bodies sink in by
the compliance of the first solution."""
MOST_GIVES, LEAST_GIVE, GAIN = 8, 0.02, 1e-4
"""How often an impact that adds energy is tried with half of its restitution; the part of it below which it gets none;
and the part of the contacts' works that may be added, since velocities are found up to a tolerance.
"""
SLIGHT = 4.0
"""Factor on the change of velocity by gravity in a step, up to which a law may exert a weight and no impact."""

STANDS, FLIES, LOADED = range(3)
"""What acted on an articulation: no law pressed on it; only impacts did; a lasting load or a joint's force did."""


@subroutine
def bounce(model, crowd, stride, now, h, pace, weight, impacts):
    """Give velocities the jumps that restitution asks for, and note the impacts. Return whether anything bounces.

    stride: the velocities by which positions move in this step, shape (nv,). weight [m/s^2]: size of gravity. The
    entries of `crowd.roots` are FLIES for articulations on which a law presses, else STANDS.
    """
    arrive(model, crowd, stride)
    found = find_bounces(crowd, h, pace, weight)
    if found:
        begin_loaded(crowd)
        for k in range(crowd.counts[LAW_COUNT]):
            if crowd.laws[k].rigid:
                set_target(crowd, crowd.laws[k], h)
        for j in range(crowd.aim.shape[0]):
            t = crowd.forest.tree_of_dof[j]
            if crowd.roots[t] == FLIES:
                crowd.aim[j] = crowd.stride[j]
    note_presses(crowd, found, pace.resting / h)
    if found:
        bounce_without_gain(crowd, pace)
    note_blows(crowd, now, h, weight, impacts)
    return found


@subroutine
def bounce_without_gain(crowd, pace):
    """Find the velocities after an impact, with less restitution where friction would make contacts add energy.

    As in an impact at an event: see contact/impacts.py.
    """
    give = 1.0
    for _ in range(MOST_GIVES):
        find_velocities(crowd, pace.tolerance, pace.agreement)
        work, most = work_of_contacts(crowd)
        if work <= GAIN * most:
            return
        part = 0.5 if give > LEAST_GIVE else 0.0
        give *= part
        for k in range(crowd.counts[LAW_COUNT]):
            if crowd.laws[k].role == BOUNCES:
                crowd.laws[k].force[0] *= part


@subroutine
def work_of_contacts(crowd):
    """Return the work of the contacts' impulses, and the sum of its terms' sizes [J]."""
    work, most, mean = 0.0, 0.0, crowd.gradient
    write_means(crowd, True, mean)
    for k in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[k]
        for r in range(law.rows if law.contact >= 0 else 0):
            each = law.impulse[r] * (law.given[r] + row_velocity(crowd, law, r, mean))
            work += each
            most += abs(each)
    return work, most


@subroutine
def write_means(crowd, bounced, out):
    """Write to `out` the means of the velocities before and after the laws' impulses, on which these do work.

    Where bodies fly until they bounce, the velocities before are those with which they arrive, in `crowd.aim`.
    """
    for j in range(out.shape[0]):
        flies = bounced and crowd.roots[crowd.forest.tree_of_dof[j]] == FLIES
        out[j] = 0.5 * ((crowd.aim[j] if flies else crowd.start[j]) + crowd.v[j])


@subroutine
def arrive(model, crowd, stride):
    """Write to `crowd.stride` the velocities with which bodies arrive at the end of the step, before they bounce."""
    forest = crowd.forest
    for k in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[k]
        if law.rigid == 0 and (law.contact < 0 or law.kind == PUSHES) and law.impulse[0] != 0.0:
            set_loaded(crowd, law)  # a joint's force or a soft contact, which acts throughout the step
    for i in range(1, model.bodies.shape[0]):
        if model.bodies[i].parent > 0:
            continue
        t, part = forest.tree_of_body[i], 1.0
        if crowd.roots[t] == FLIES:
            part = arrival_part(crowd, t, stride)
            if not is_alone(model, crowd, i):
                part = min(max(part, 0.0), 1.0)  # springs and dampers of joints change within a step
        for n in range(forest.first[t], forest.first[t + 1]):
            j = forest.dofs[n]
            crowd.stride[j] = crowd.start[j] + part * (crowd.aim[j] - crowd.start[j])


@subroutine
def arrival_part(crowd, t, stride):
    """Return the part of the forces' impulse with which an articulation arrives; 1 after a free flight.

    With the momentum change f of the whole step, start velocities v and mass matrix A, the kinetic energy of
    v + s A^-1 f exceeds that of v by s f'v + s^2 f'A^-1 f / 2. The forces have done the work f'stride. Of the two
    solutions, this one has the sign of f'v + s f'A^-1 f that it has after a free flight.
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
        return 1.0
    final = along * along + 2.0 * size * work  # the square of f'v at the arrival
    if not final > 0.0:
        return -along / size  # a neighbour has lifted it higher than it would have flown
    final = math.sqrt(final)
    return ((final if along + size >= 0.0 else -final) - along) / size


@subroutine
def find_bounces(crowd, h, pace, weight):
    """Say of each rigid law whether it bounces, is left out of the impact, or keeps its gap from closing.

    Returns whether any of them bounces.
    """
    found = False
    for k in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[k]
        if law.rigid == 0:
            continue
        law.role = LEFT_OUT if law.restitution > 0.0 else STAYS
        if not law.impulse[0] > 0.0:
            continue
        before, rate = past_of(crowd, law), rate_of_arrival(crowd, law)
        back = -law.restitution * (rate_before(crowd, law) if before == LASTS else rate)
        least = (1.0 if before == LASTS else SINKING) * weight * h
        if back > least and back * back > 2.0 * weight * pace.resting:
            law.role, found = BOUNCES, True
        elif before == LASTS:
            law.role = STAYS
            set_loaded(crowd, law)
        elif h * rate > pace.resting:
            law.role = LEFT_OUT
        elif closes_freely(crowd, law, h, pace) or law.impulse[0] * ease_of(crowd, k) <= SLIGHT * weight * h:
            law.role = STAYS
    return found


@jitable
def past_of(crowd, law):
    """Return what a law did in the step before: NEW or LASTS."""
    if law.contact >= 0:
        return crowd.contacts[law.contact].past
    return LASTS if law.gap <= 0.0 else NEW


@jitable
def rate_of_arrival(crowd, law):
    return law.given[0] + row_velocity(crowd, law, 0, crowd.stride)


@jitable
def closes_freely(crowd, law, h, pace):
    """Whether a law's bodies would come closer without any law, by more than counts as a bounce."""
    return h * (law.given[0] + row_velocity(crowd, law, 0, crowd.aim)) < -max(law.gap, 0.0) - pace.resting


@subroutine
def set_loaded(crowd, law):
    for n in range(law.count):
        crowd.roots[crowd.forest.tree_of_dof[crowd.dofs[law.first + n]]] = LOADED


@jitable
def is_loaded(crowd, law):
    """Whether one of a law's articulations is loaded."""
    loaded = False
    for n in range(law.count):
        loaded = loaded or crowd.roots[crowd.forest.tree_of_dof[crowd.dofs[law.first + n]]] == LOADED
    return loaded


@subroutine
def begin_loaded(crowd):
    """Let loaded articulations arrive with the velocities of the step's start: loads take up what forces add."""
    for j in range(crowd.aim.shape[0]):
        if crowd.roots[crowd.forest.tree_of_dof[j]] == LOADED:
            crowd.stride[j] = crowd.start[j]


@subroutine
def set_target(crowd, law, h):
    """Set the velocity that a rigid law has to keep at least in the second solution."""
    pressed = law.impulse[0] > 0.0
    if law.role == BOUNCES:
        law.stiffness *= STIFFLY
        law.force[0] = law.stiffness * max(0.0, -law.restitution * rate_of_arrival(crowd, law))
    elif law.role == LEFT_OUT and (pressed or not is_loaded(crowd, law)):
        law.stiffness, law.force[0] = 0.0, 0.0
    elif pressed:
        law.force[0] = 0.0
    else:
        ahead = law.gap + h * law.velocity[0]
        if ahead > 0.0:
            law.force[0] = -law.stiffness * ahead / h


@subroutine
def note_presses(crowd, found, slow):
    """Note for the next step which contacts bore a lasting load.

    found: whether anything bounced. slow [m/s]: what changes velocities by no more is no load, but rounding.
    """
    for k in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[k]
        if law.contact < 0 or law.kind != PUSHES:
            continue
        past = NEW
        if law.rigid and law.impulse[0] * ease_of(crowd, k) > slow:
            past = NEW if found and law.role != STAYS else LASTS
        crowd.before[law.contact].past = past
