# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps for crowds: all contacts, stops and couplings of a step are solved for at once, and no instant is sought.

A step is linearly implicit: velocities are those at which momentum balances at its end, by the laws of crowd_laws.py.
All then moves on by them (drifting.py); what no law pushes moves by the mean of old and new ones, so that it flies as
it should. Gaps close by no more than is open, so nothing is stepped over. What bounces does so at the end of a step, by
a second solution. While all rests, steps grow up to a frame, and islands that have kept still sleep
(contact/sleeping.py).

Source: Castro, Han, Masterjohn, Irrotational contact fields, arXiv 2312.03908 (2023); Moreau, Unilateral contact and
dry friction in finite freedom dynamics (1988), for impacts.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ...contact.impacts import norm_of
from ...dynamics.guards import stop_energy
from ...jit import jitable, kernel, subroutine
from ...slots import Bundled
from ...spatial.storage import copy, get3, put3
from ..contact_modes import let_go
from ..ground import STARTS, look_near
from ..protocol import HOPELESS, REACHED, UNDERWAY
from ..stepping import went_astray
from ..system import normalize_quaternions, parts_of, read_signals
from .constraint_potentials import HOLDS
from .constraints import add_constraints, add_contact, add_guards, rate_of, share_weights
from .energy_accounts import stored_ahead, weigh_step
from .free_flight import aim_by_inertia, begin_drift, close_loops, move_on
from .newton import find_velocities
from .persistence import copy_lasting, forget_told, recall, remember, remember_guards
from .problem import (
    BEFORE,
    CONTACTS,
    DOF_COUNT,
    ISLANDS,
    LAW_COUNT,
    SLOPE_COUNT,
    find_islands,
    write_mass,
)
from .restitution import bounce
from .sleeping import fall_asleep, keep_contacts, let_lie, note_quiet, wake, wake_pushed

NO_ROOM = 3

SHORTEST, SHORTER = 1e-9, 0.1
"""Seconds below which a step that leads beyond all measure is hopeless, and the part of it that is tried next."""
SLIVER = 1e-12
"""Time up to a frame that counts as none [s]: it is a rounding error, and no step is that short."""
DRIFT = 0.01
"""Part of what momenta may be off by which the energy of what drifts may be."""


class Pace(Bundled, namedtuple("Pace", "base tolerance agreement resting calm")):
    """How steps are taken.

    Attributes:
        base: seconds of a step while things move. tolerance, agreement: see `find_velocities`.
        resting [m]: what would bounce no higher rests. calm [m]: of what is done by a step's change of velocities, up
            to which the next one may be longer.
    """


@kernel
def advance_crowd(calls, system, ground, crowd, y, trial, stages, state, end, pace, impacts, most_steps):
    """Integrate `y` in place up to `end` [s], by at most so many steps. Returns a `Progress`, or NO_ROOM."""
    now = state[0]
    for _ in range(most_steps):
        if now.time >= end or now.trust <= 0:
            break
        remaining = end - now.time
        if remaining < SLIVER:
            now.time = end
            break
        h = remaining / math.ceil(remaining / (now.stretch if now.stretch > 0.0 else pace.base) - 1e-9)
        known, hits, stored, contacts = impacts.count[0], now.impacts, now.stored, crowd.counts[BEFORE]
        copy_lasting(crowd, crowd.kept, contacts)
        fits, kept, change = crowd_step(calls, system, ground, crowd, y, trial, stages, now, h, pace, impacts)
        if not fits:
            take_back(crowd, contacts)
            return NO_ROOM
        if not kept or went_astray(system, y, trial):
            if h < SHORTEST:
                return HOPELESS
            copy(trial, y)
            take_back(crowd, contacts)
            impacts.count[0], now.impacts, now.stored = known, hits, stored
            now.stretch = SHORTER * h
            now.rejected += 1
            continue
        now.time = end if h == remaining else now.time + h
        now.steps += 1
        now.implicit_steps += 1
        now.trust -= 1
        now.stretch = min(2.0 * h, 1.0 if change * h <= pace.calm else pace.base)
    return REACHED if now.time >= end else UNDERWAY


@subroutine
def take_back(crowd, contacts):
    """Restore what the last step left, as `copy_lasting` kept it; it left so many contacts."""
    copy_lasting(crowd.kept, crowd, contacts)
    crowd.counts[BEFORE] = contacts


@subroutine
def crowd_step(calls, system, ground, crowd, y, trial, stages, now, h, pace, impacts):
    """Move y on by h seconds.

    Returns (whether there was room, whether h was not too long, by how much the fastest change moved anything [m/s]).
    """
    q, qd = parts_of(system, y)
    slopes, model, work = stages[0], system.model, system.work
    prepare(system, q)
    drifting = begin_drift(system, crowd, y, h, stages[1])
    calls.rates(system, now.time, y, h, slopes)
    qdd = parts_of(system, slopes)[1]
    weight = norm_of(get3(model.gravity))
    for j in range(qd.shape[0]):
        crowd.start[j] = crowd.v[j] = qd[j]
        crowd.aim[j] = qd[j] + h * qdd[j]
    aim_by_inertia(system, crowd, h, drifting, stages[1])
    write_mass(model, work, crowd)
    share_weights(system.constraints, crowd)
    wake_pushed(crowd, h)
    if not look_near(system, ground, crowd, h, weight):
        return False, True, 0.0
    if wake_met(system, ground, crowd, h, weight) and not look_near(system, ground, crowd, h, weight):
        return False, True, 0.0
    let_lie(crowd)
    for k in (LAW_COUNT, DOF_COUNT, SLOPE_COUNT, ISLANDS):
        crowd.counts[k] = 0
    if not gather(system, ground, crowd, q, qd, now.time, h, pace, weight):
        return False, True, 0.0
    find_velocities(crowd, pace.tolerance, pace.agreement)
    copy(y, trial)
    choose_strides(crowd, qd)
    remember(crowd, h)
    remember_guards(system, crowd, h, max(weight, 1.0))
    stored, pressed = stored_ahead(crowd, h, qd), stop_energy(model, work, q)
    missing = bounce(model, crowd, qd, now, h, pace, weight, impacts)
    lost, gained = weigh_step(system, crowd, q, qd, now.time, h)
    note_quiet(model, crowd, crowd.v, h, pace.calm)
    fall_asleep(crowd, work.watches, crowd.v, h)
    kept = move_on(system, crowd, y, trial, h, drifting, DRIFT * pace.agreement, stages)
    normalize_quaternions(model, y)
    kept = close_loops(calls, system, now.time + h, y, slopes) and kept
    y[y.shape[0] - 1] += gained
    y[y.shape[0] - 2] += lost + missing + now.stored + pressed - stored - stop_energy(model, work, q)
    now.stored = stored
    for k in range(work.watches.shape[0]):
        work.watches[k].apart = 0
    return True, kept, largest_change(model, crowd, qd)


@subroutine
def prepare(system, q):
    """Have nothing hold, slide or give way by itself: laws take the place of all that guards do."""
    let_go(system)
    forget_told(system)
    for k in range(system.model.guards.shape[0]):
        guard, watch = system.model.guards[k], system.work.watches[k]
        watch.slide, watch.pressed, watch.saturated, watch.touch, watch.stubborn = 0, 0, 0, 0, 0
        drives = guard.drive_stiffness != 0.0 or guard.drive_damping != 0.0 or guard.drive_push != 0.0
        watch.apart = 1 if drives and 0.0 < guard.effort < math.inf else 0


@subroutine
def gather(system, ground, crowd, q, qd, time, h, pace, weight):
    """List all laws of a step. Returns whether there is room."""
    counts, known = crowd.counts, 0
    counts[CONTACTS] = 0
    point = system.touch.points[0]  # which is free: it only tells what two surfaces make together
    for k in range(ground.numbers[STARTS]):
        start = ground.starts[k]
        if is_out_of_reach(system, ground, start, h, weight):
            continue
        known, fits = keep_contacts(system.work, ground, crowd, known, start.first, start.second)
        if not fits or counts[CONTACTS] >= crowd.contacts.shape[0]:
            return False
        contact = crowd.contacts[counts[CONTACTS]]
        contact.first, contact.second, contact.name = start.first, start.second, start.name
        put3(contact.place, get3(start.point))
        put3(contact.normal, get3(start.normal))
        contact.gap = start.gap
        recall(crowd, contact, known)
        if not add_contact(system, ground, crowd, point, contact, h, pace.base, weight):
            return False
        counts[CONTACTS] += 1
    count = ground.solids.shape[0]
    if not keep_contacts(system.work, ground, crowd, known, count, count)[1]:
        return False
    if not add_guards(system, crowd, q, qd, h, pace.base, weight):
        return False
    if system.constraints.count[1] > 0:
        read_signals(system, time + h)
        if not add_constraints(system, crowd, q, qd):
            return False
    return find_islands(crowd)


@jitable
def is_out_of_reach(system, ground, start, h, weight):
    """Whether a contact's gap does not close within a step, whatever accelerates it."""
    return start.gap > 2.0 * h * (norm_of(rate_of(system.work, ground, start)) + weight * h)


@subroutine
def wake_met(system, ground, crowd, h, weight):
    """Wake what something awake, or that is moved, comes to touch. Returns whether there was any."""
    found = False
    for k in range(ground.numbers[STARTS]):
        start = ground.starts[k]
        if is_out_of_reach(system, ground, start, h, weight):
            continue
        for solid in (start.first, start.second):  # the other one is awake, or the pair had been left out
            t = crowd.forest.tree_of_body[ground.solids[solid].body]
            if t >= 0 and crowd.asleep[t]:
                wake(crowd, crowd.asleep[t])
                found = True
    return found


@subroutine
def choose_strides(crowd, stride):
    """Write by what velocities to move: those that were found, or their mean with the old ones where nothing pushed."""
    forest, moved = crowd.forest, crowd.roots
    for t in range(moved.shape[0]):
        moved[t] = 0
    for k in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[k]
        if law.kind != HOLDS and law.impulse[0] > 0.0:
            for n in range(law.count):
                moved[forest.tree_of_dof[crowd.dofs[law.first + n]]] = 1
    for t in range(moved.shape[0]):
        for n in range(forest.first[t], forest.first[t + 1]):
            j = forest.dofs[n]
            stride[j] = crowd.v[j] if moved[t] else 0.5 * (crowd.start[j] + crowd.v[j])


@subroutine
def largest_change(model, crowd, qd):
    """By how much a dof's velocity has changed, as that of a body's part that is as far out as its mass [m/s]."""
    most = 0.0
    for i in range(1, model.bodies.shape[0]):
        if model.bodies[i].parent > 0:
            continue
        t, mass = crowd.forest.tree_of_body[i], crowd.inertias[i, 0]
        for n in range(crowd.forest.first[t], crowd.forest.first[t + 1] if mass > 0.0 else 0):
            j = crowd.forest.dofs[n]
            change = qd[j] - crowd.start[j]
            most = max(most, change * change * crowd.weights[j] / mass)
    return math.sqrt(most)
