# SPDX-License-Identifier: GPL-3.0-or-later
"""Sleeping islands: islands that have been still for a while are left out of the convex step until they are disturbed.

steps.py calls these functions. An island falls asleep and wakes as a whole. It wakes if a moving body comes into
contact with it, or if the forces on it besides contacts change. So a pile at rest costs nothing while a ball bounces
beside it.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...spatial import dot
from ...spatial.storage import get3
from .problem import CONTACT_COUNT, FIRST_CONSTRAINT, FIRST_TREE, ISLAND_COUNT, PREVIOUS_COUNT

SLEEP_TIME = 0.25
"""Time that an island must be still before it falls asleep [s]; half of Box2D's."""
FORCE_TOLERANCE = 1e-6
"""Change of the force on a dof that wakes its island, as a share of the largest force on the tree."""
SLEEPING_CONTACT = -2
"""Value of `constraint` for a contact between sleeping bodies, which has no constraint and keeps its loads."""


@subroutine
def is_at_rest(work, step, body):
    """Return whether a body sleeps or, if no dof moves it, does not move."""
    t = step.forest.tree_of_body[body]
    if t >= 0 and step.forest.first_dof[t + 1] > step.forest.first_dof[t]:
        return step.asleep[t] != 0
    w, v = get3(work.bodies[body].velocity), get3(work.bodies[body].velocity, 3)
    return dot(w, w) + dot(v, v) == 0.0


@subroutine
def wake(step, island):
    """Wake all trees of a sleeping island, by the island's number in `asleep`."""
    for t in range(step.asleep.shape[0]):
        if step.asleep[t] == island:
            step.asleep[t], step.still_time[t] = 0, 0.0


@subroutine
def wake_if_forces_changed(step, h):
    """Wake islands on which other forces act than when they fell asleep.

    `v_free`, `v0` and the mass matrix must be those of this step, of h seconds.
    """
    for t in range(step.asleep.shape[0]):
        if step.asleep[t] == 0:
            continue
        largest, change = 0.0, 0.0
        first, last = step.forest.first_dof[t], step.forest.first_dof[t + 1]
        for i in range(first, last):
            force = applied_force(step, t, i - first, h)
            largest = max(largest, abs(force), abs(step.sleep_forces[step.forest.dofs[i]]))
            change = max(change, abs(force - step.sleep_forces[step.forest.dofs[i]]))
        if change > FORCE_TOLERANCE * largest:
            wake(step, step.asleep[t])


@jitable
def applied_force(step, t, row, h):
    """Return the force on a dof of tree t by all but the constraints [N or N m]. row: the dof's place in the tree."""
    first, last, total = step.forest.first_dof[t], step.forest.first_dof[t + 1], 0.0
    at = step.forest.mass_start[t] + row * (last - first)
    for j in range(first, last):
        other = step.forest.dofs[j]
        total += step.mass_blocks[at + j - first] * (step.v_free[other] - step.v0[other])
    return total / h


@subroutine
def remove_sleeping_pairs(work, collisions, step, count):
    """Remove those of the first `count` pairs whose bodies both sleep or stand still. Return how many remain."""
    remaining = 0
    for k in range(count):
        first, second = collisions.pairs[k, 0], collisions.pairs[k, 1]
        if is_at_rest(work, step, collisions.solids[first].body) and is_at_rest(
            work, step, collisions.solids[second].body
        ):
            continue
        collisions.pairs[remaining, 0], collisions.pairs[remaining, 1] = first, second
        remaining += 1
    return remaining


@subroutine
def keep_sleeping_contacts(work, collisions, step, next_previous, first, second):
    """Copy contacts of the previous step that lie before a pair of solids and whose bodies both sleep.

    Contacts are sorted by their pairs. Other previous contacts are skipped.

    Args:
        next_previous: number of the first previous contact that was not looked at yet.
        first, second: the pair.

    Returns:
        The number of the first previous contact of the pair or after it, and whether the arrays were long enough.
    """
    counts, previous = step.counts, step.previous_contacts
    while next_previous < counts[PREVIOUS_COUNT]:
        contact = previous[next_previous]
        if (contact.first, contact.second) >= (first, second):
            break
        one, other = collisions.solids[contact.first].body, collisions.solids[contact.second].body
        if is_at_rest(work, step, one) and is_at_rest(work, step, other):
            if counts[CONTACT_COUNT] >= step.contacts.shape[0]:
                return next_previous, False
            step.contacts[counts[CONTACT_COUNT]] = contact
            step.contacts[counts[CONTACT_COUNT]].constraint = SLEEPING_CONTACT
            counts[CONTACT_COUNT] += 1
        next_previous += 1
    return next_previous, True


@subroutine
def stop_sleeping_trees(step):
    """Set `v0`, `v_free` and `v` of sleeping trees to 0."""
    for t in range(step.asleep.shape[0]):
        if step.asleep[t]:
            for i in range(step.forest.first_dof[t], step.forest.first_dof[t + 1]):
                j = step.forest.dofs[i]
                step.v0[j] = step.v_free[j] = step.v[j] = 0.0


@subroutine
def update_still_time(model, step, qd, h, sleep_threshold):
    """Update how long each tree has been still.

    A tree is still while neither its velocities nor their change would move it by more than a threshold in one step.

    Args:
        qd: velocities at the end of the step, shape (nv,).
        sleep_threshold: that distance [m]. Velocities are measured by the root of 2 T / m, with kinetic energy T and
            mass m.
    """
    for i in range(1, model.bodies.shape[0]):
        t, mass = step.forest.tree_of_body[i], step.composite_inertias[i, 0]
        if model.bodies[i].parent > 0 or not mass > 0.0:
            continue
        moved, changed = 0.0, 0.0
        for n in range(step.forest.first_dof[t], step.forest.first_dof[t + 1]):
            j = step.forest.dofs[n]
            change = qd[j] - step.v0[j]
            moved += qd[j] * qd[j] * step.mass_diagonal[j] / mass
            changed += change * change * step.mass_diagonal[j] / mass
        step.still_time[t] = step.still_time[t] + h if h * math.sqrt(max(moved, changed)) <= sleep_threshold else 0.0


@subroutine
def put_to_sleep(step, force_states, qd, h):
    """Put islands to sleep that have been still for SLEEP_TIME: their velocities become 0.

    Islands with drives, loops, couplings or prescribed motion stay awake, because their targets may move.
    """
    for s in range(step.counts[ISLAND_COUNT]):
        begin, end, ready = step.islands[s, FIRST_TREE], step.islands[s + 1, FIRST_TREE], True
        for k in range(begin, end):
            ready = ready and step.still_time[step.graph.order[k]] >= SLEEP_TIME
        for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT] if ready else 0):
            constraint = step.constraints[step.sorted_constraints[n]]
            ready = ready and (
                constraint.contact >= 0
                or (constraint.element >= 0 and force_states[constraint.element].is_step_constraint == 0)
            )
        for k in range(begin, end if ready else begin):
            t = step.graph.order[k]
            step.asleep[t] = step.graph.order[begin] + 1
            first = step.forest.first_dof[t]
            for i in range(first, step.forest.first_dof[t + 1]):
                j = step.forest.dofs[i]
                step.sleep_forces[j] = applied_force(step, t, i - first, h)
                qd[j] = 0.0
