# SPDX-License-Identifier: GPL-3.0-or-later
"""Islands that sleep: what has kept still for a while is left as it is, and nothing is solved for in it.

An island falls asleep as a whole and wakes as a whole: where something that moves comes as near as a contact, or where
what acts on it besides contacts is no longer what it was. So a ball that bounces beside a pile at rest does not make
the pile cost what the ball's steps would.
"""

from __future__ import annotations

import math

from ...jit import jitable, subroutine
from ...spatial import dot
from ...spatial.storage import get3
from .problem import BEFORE, CONTACTS, ISLANDS, LAWS, NODES

QUIET = 0.25
"""Seconds that an island keeps still before it sleeps."""
CHANGED = 1e-6
"""Part of the largest force on an articulation by which what acts on it may differ while it sleeps."""
KEPT = -2
"""The law of a contact within what sleeps, whose loads stay."""


@subroutine
def is_still(work, crowd, body):
    """Whether a body sleeps or, where no dof moves it, stands."""
    t = crowd.forest.tree_of_body[body]
    if t >= 0 and crowd.forest.first[t + 1] > crowd.forest.first[t]:
        return crowd.asleep[t] != 0
    w, v = get3(work.bodies[body].velocity), get3(work.bodies[body].velocity, 3)
    return dot(w, w) + dot(v, v) == 0.0


@subroutine
def wake(crowd, group):
    for t in range(crowd.asleep.shape[0]):
        if crowd.asleep[t] == group:
            crowd.asleep[t], crowd.quiet[t] = 0, 0.0


@subroutine
def wake_pushed(crowd, h):
    """Wake what is pushed otherwise than when it fell asleep. `aim`, `start` and `mass` are those of this step."""
    for t in range(crowd.asleep.shape[0]):
        if crowd.asleep[t] == 0:
            continue
        most, change = 0.0, 0.0
        first, last = crowd.forest.first[t], crowd.forest.first[t + 1]
        for i in range(first, last):
            push = push_on(crowd, t, i - first, h)
            most = max(most, abs(push), abs(crowd.felt[crowd.forest.dofs[i]]))
            change = max(change, abs(push - crowd.felt[crowd.forest.dofs[i]]))
        if change > CHANGED * most:
            wake(crowd, crowd.asleep[t])


@jitable
def push_on(crowd, t, row, h):
    """The force on a dof of articulation t by all but the laws [N or N m]."""
    first, last, total = crowd.forest.first[t], crowd.forest.first[t + 1], 0.0
    at = crowd.forest.mass_at[t] + row * (last - first)
    for j in range(first, last):
        other = crowd.forest.dofs[j]
        total += crowd.mass[at + j - first] * (crowd.aim[other] - crowd.start[other])
    return total / h


@subroutine
def drop_still(work, ground, crowd, count):
    """Leave out pairs that both stand or sleep. Returns how many pairs are left."""
    left = 0
    for k in range(count):
        first, second = ground.pairs[k, 0], ground.pairs[k, 1]
        if is_still(work, crowd, ground.solids[first].body) and is_still(work, crowd, ground.solids[second].body):
            continue
        ground.pairs[left, 0], ground.pairs[left, 1] = first, second
        left += 1
    return left


@subroutine
def keep_contacts(work, ground, crowd, known, first, second):
    """Go on in the contacts of the step before up to a pair's; keep those within what sleeps, as they are.

    Returns (how far that was, whether there was room).
    """
    counts, before = crowd.counts, crowd.before
    while known < counts[BEFORE] and (before[known].first, before[known].second) < (first, second):
        one, other = ground.solids[before[known].first].body, ground.solids[before[known].second].body
        if is_still(work, crowd, one) and is_still(work, crowd, other):
            if counts[CONTACTS] >= crowd.contacts.shape[0]:
                return known, False
            crowd.contacts[counts[CONTACTS]] = before[known]
            crowd.contacts[counts[CONTACTS]].law = KEPT
            counts[CONTACTS] += 1
        known += 1
    return known, True


@subroutine
def let_lie(crowd):
    """Have what sleeps neither move nor aim at moving."""
    for t in range(crowd.asleep.shape[0]):
        if crowd.asleep[t]:
            for i in range(crowd.forest.first[t], crowd.forest.first[t + 1]):
                j = crowd.forest.dofs[i]
                crowd.start[j] = crowd.aim[j] = crowd.v[j] = 0.0


@subroutine
def note_quiet(model, crowd, qd, h, calm):
    """Note how long each articulation has moved, and changed its pace, by no more than `calm` a step [m]."""
    for i in range(1, model.bodies.shape[0]):
        t, mass = crowd.forest.tree_of_body[i], crowd.inertias[i, 0]
        if model.bodies[i].parent > 0 or not mass > 0.0:
            continue
        moved, changed = 0.0, 0.0
        for n in range(crowd.forest.first[t], crowd.forest.first[t + 1]):
            j = crowd.forest.dofs[n]
            change = qd[j] - crowd.start[j]
            moved += qd[j] * qd[j] * crowd.weights[j] / mass
            changed += change * change * crowd.weights[j] / mass
        crowd.quiet[t] = crowd.quiet[t] + h if h * math.sqrt(max(moved, changed)) <= calm else 0.0


@subroutine
def fall_asleep(crowd, watches, qd, h):
    """Put islands to sleep that have kept still for long enough: their velocities end.

    What drives, loops, couplings or prescribed motion hold may be told to move, and stays awake.
    """
    for s in range(crowd.counts[ISLANDS]):
        begin, end, ready = crowd.islands[s, NODES], crowd.islands[s + 1, NODES], True
        for k in range(begin, end):
            ready = ready and crowd.quiet[crowd.graph.order[k]] >= QUIET
        for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS] if ready else 0):
            law = crowd.laws[crowd.sorted_laws[n]]
            ready = ready and (law.contact >= 0 or (law.guard >= 0 and watches[law.guard].apart == 0))
        for k in range(begin, end if ready else begin):
            t = crowd.graph.order[k]
            crowd.asleep[t] = crowd.graph.order[begin] + 1
            first = crowd.forest.first[t]
            for i in range(first, crowd.forest.first[t + 1]):
                j = crowd.forest.dofs[i]
                crowd.felt[j] = push_on(crowd, t, i - first, h)
                qd[j] = 0.0
