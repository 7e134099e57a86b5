# SPDX-License-Identifier: GPL-3.0-or-later
"""The laws of a crowd in a step: of its contacts, of what joints hold to and of what bounds them.

What is rigid gives way by next to nothing: a body's weight g presses it in by SLOWLY g H^2 / FIRM, where H is the step
of the accuracy. What sticks hangs on a spring across the normal, so it does not creep.
"""

from __future__ import annotations

import math

from ...contact.contact_features import join_surfaces
from ...contact.contact_kinematics import velocity_at
from ...contact.delassus import tangents
from ...dynamics.constraint_rows import target_frame, velocity_errors
from ...dynamics.constraints import EQUATION, WELD
from ...dynamics.guards import watched_rate, watched_value
from ...jit import jitable, subroutine
from ...joints import BALL
from ...kinematics.limits import chart_measure
from ...model.compiled import ON_CHART, ON_DOF, ON_MEASURE
from ...spatial import dot, rotate, scale, sub
from ...spatial.storage import get3, get9, put3
from ..ground import thickness
from .constraint_jacobians import (
    begin_law,
    ease_of,
    give_rest,
    has_room,
    list_dofs,
    write_slopes,
)
from .constraint_potentials import HOLDS, PUSHES
from .problem import (
    CONTACTS,
    DOF_COUNT,
    LAW_COUNT,
    STRAIN,
)

FIRM = 1e2
"""Stiffness of what is rigid, times H^2 and how easily the bodies move."""
SLOWLY = 4.0
"""Steps in which what overlaps parts, by and by."""
PUSH_OUT = 30.0
"""Steps of free fall, each of the accuracy's length, whose speed is the largest with which overlaps part."""
TIGHT = 1e8
"""As FIRM, of loops and couplings."""
SUNK = 1e-2
"""Share of the thickness of the thinner solid by which a body's own weight may press it in."""
BEARABLE = 10.0
"""Weights of the lighter body that a contact bears before it becomes stiffer, in proportion to its load."""
MOST_SWEEPS = 10
"""Passes over all couplings, forward and backward, in which tied dofs get the inertia of each other: a chain in any
order of its couplings rarely needs more, and in a ring that contradicts itself inertias grow in each pass.
"""
HARD = 1e7
"""Stiffness from which on a joint's stop is as good as rigid [N/m or N m/rad]."""


@subroutine
def share_weights(constraints, crowd):
    """Let each dof have the inertia of the heaviest dof that couplings of two terms tie to it, by their ratio.

    The stiffness of a rigid law follows from what it can move. A stop on a light link that follows a heavy one holds
    both, so it must be stiff enough for the heavy one.
    """
    count = constraints.count[0]
    for sweep in range(MOST_SWEEPS):
        changed = False
        for n in range(count):
            record = constraints.records[constraints.active[n if sweep % 2 == 0 else count - 1 - n]]
            if record.kind != EQUATION or record.term_end - record.term != 2:
                continue
            one, other = constraints.terms[record.term], constraints.terms[record.term + 1]
            changed = share_weight(crowd, one, other) or share_weight(crowd, other, one) or changed
        if not changed:
            return


@jitable
def share_weight(crowd, one, other):
    """Let `one` have the inertia of the TERM `other`, as it feels it. Returns whether it has become heavier."""
    if other.weight == 0.0:
        return False
    ratio = one.weight / other.weight
    felt = ratio * ratio * crowd.tied_weights[other.v]
    if felt <= crowd.tied_weights[one.v] * (1.0 + 1e-9):
        return False
    crowd.tied_weights[one.v] = felt
    return True


@jitable
def firmness(crowd, k, h, base):
    """The stiffness of a rigid law in a step [N s per m/s]."""
    ease = ease_of(crowd, k)
    return FIRM * h * h / (base * base * ease) if ease > 0.0 else 0.0


@jitable
def borne_firmness(contact, h, base, weight):
    """Return the least stiffness in a step of a rigid contact that bears a load [N s per m/s].

    `firmness` follows from the lighter body. With a heavy one on it, that would sink in by the ratio of the masses.
    """
    if contact.struck or not weight > 0.0:
        return 0.0
    return FIRM * h * h / (base * base) * contact.load / (BEARABLE * weight)


@jitable
def stiffer_if_thin(ground, contact, base, weight):
    """Return the factor on the stiffness of a contact whose solids are so thin that a weight would press them in."""
    thin = min(thickness(ground.solids[contact.first]), thickness(ground.solids[contact.second]))
    pressed = SLOWLY * weight * base * base / FIRM
    return min(max(pressed / (SUNK * thin), 1.0), TIGHT / FIRM) if thin > 0.0 else 1.0


@jitable
def wanted_rate(gap, h, base, weight):
    """Return the velocity with which a gap is to change, if it must [m/s]: it may close by what is open, or it parts.

    What overlaps parts in SLOWLY steps, but no faster than gravity makes things in PUSH_OUT steps of the accuracy.
    """
    return -gap / h if gap > 0.0 else min(-gap / (SLOWLY * h), PUSH_OUT * weight * base)


@subroutine
def keep_open(crowd, k, gap, restitution, stiffness, rate):
    """Let a law keep a gap from closing. stiffness [N s per m/s]. rate [m/s]: see `wanted_rate`."""
    law = crowd.laws[k]
    law.rigid, law.gap, law.restitution = 1, gap, restitution
    law.stiffness, law.force[0] = stiffness, stiffness * rate


# ---- contacts


@subroutine
def add_contact(system, ground, crowd, point, contact, h, base, weight):
    """Add the laws of a contact. point: a POINT for the pair's surface. Returns whether there is room."""
    one, other = ground.solids[contact.first].body, ground.solids[contact.second].body
    count = list_dofs(system.model, crowd, one, other)
    if not has_room(crowd, count, 6, 4):
        return False
    if count == 0:
        contact.law = -1
        return True
    join_surfaces(point, ground.surfaces[contact.first], ground.surfaces[contact.second])
    contact.stiffness = point.stiffness if point.is_soft else 0.0
    first = crowd.counts[DOF_COUNT]
    crowd.counts[DOF_COUNT] += count
    n = get3(contact.normal)
    a, b = tangents(n)
    contact.law = begin_law(crowd, PUSHES, 1, first, count)
    push = crowd.laws[contact.law]
    push.contact = crowd.counts[CONTACTS]
    write_slopes(system.model, system.work, crowd, contact.law, 0, one, other, get3(contact.place), n, False)
    if point.is_soft:
        push.stiffness, push.dissipation = h * h * point.stiffness, point.dissipation
        push.force[0] = -h * point.stiffness * contact.gap
    else:
        stiffness = max(firmness(crowd, contact.law, h, base), borne_firmness(contact, h, base, weight))
        stiffness *= stiffer_if_thin(ground, contact, base, weight)
        rate = wanted_rate(contact.gap, h, base, weight)
        keep_open(crowd, contact.law, contact.gap, point.restitution, stiffness, rate)
    sliding = point.friction if contact.slips else point.holding
    strain = get3(contact.strain)
    if sliding > 0.0:
        k = begin_law(crowd, HOLDS, 2, first, count)
        give_friction(system, ground, crowd, k, contact, (a, b), False, sliding, strain, h, base)
    twist = get3(contact.twist)
    if point.spinning > 0.0:
        k = begin_law(crowd, HOLDS, 1, first, count)
        give_friction(system, ground, crowd, k, contact, (n, n), True, point.spinning, twist, h, base)
    if point.rolling > 0.0:
        k = begin_law(crowd, HOLDS, 2, first, count)
        give_friction(system, ground, crowd, k, contact, (a, b), True, point.rolling, twist, h, base)
    return True


@subroutine
def give_friction(system, ground, crowd, k, contact, directions, turns, share, strain, h, base):
    """Let a law hold against sliding, or turning, along one or two directions, up to a share of the normal impulse.

    strain: of the spring by which it does [m or rad].
    """
    law = crowd.laws[k]
    one, other = ground.solids[contact.first].body, ground.solids[contact.second].body
    place, belts = get3(contact.place), belt_velocity(system.work, ground, contact, one, other)
    for r in range(law.rows):
        write_slopes(system.model, system.work, crowd, k, r, one, other, place, directions[r], turns)
        law.given[r] = 0.0 if turns else dot(directions[r], belts)
    law.stiffness = firmness(crowd, k, h, base)
    for r in range(law.rows):
        law.force[r] = -law.stiffness * dot(directions[r], strain) / (SLOWLY * h)
    law.share, law.of, law.turns = share, contact.law, 1 if turns else 0
    law.bound = share * contact.load * h
    law.contact = crowd.counts[CONTACTS]


@jitable
def belt_velocity(work, ground, contact, one, other):
    """Of the second surface against the first, when both bodies rest [m/s]."""
    there = rotate(get9(work.bodies[other].rotation), get3(ground.surfaces[contact.second].belt))
    return sub(there, rotate(get9(work.bodies[one].rotation), get3(ground.surfaces[contact.first].belt)))


@jitable
def rate_of(work, ground, contact):
    """The velocity of the second body against the first at a contact [m/s]."""
    one, other = work.bodies[ground.solids[contact.first].body], work.bodies[ground.solids[contact.second].body]
    p = get3(contact.point)
    return sub(velocity_at(other, p), velocity_at(one, p))


# ---- joints


@subroutine
def add_guards(system, crowd, q, qd, h, base, weight):
    """Add what bounds joints: stops, friction, largest speeds and drives. Returns whether there is room."""
    model, watches = system.model, system.work.watches
    for k in range(model.guards.shape[0]):
        guard, watch = model.guards[k], watches[k]
        if watch.asleep:
            continue
        if not has_room(crowd, 6, 6, 6):
            return False
        first, count = list_guard(model, crowd, guard)
        if crowd.asleep[crowd.forest.tree_of_dof[crowd.dofs[first]]]:
            crowd.counts[DOF_COUNT] = first
            continue
        if guard.kind != ON_CHART:
            value, rate = watched_value(model, guard, q), watched_rate(model, guard, q, qd)
            for side in (-1.0, 1.0):
                bound = watch.lower if side < 0.0 else watch.upper
                room = side * (bound - value)
                if room < 2.0 * h * (abs(rate) + h * weight) + 0.1:
                    add_stop(model, crowd, guard, k, first, count, q, room, side, h, base, weight)
        if guard.kind == ON_MEASURE:
            continue
        if guard.friction > 0.0:
            n = one_dof_law(crowd, HOLDS, first, k, 1.0)
            crowd.laws[n].stiffness = firmness(crowd, n, h, base)
            crowd.laws[n].bound = h * guard.friction
            crowd.laws[n].force[0] = -crowd.laws[n].stiffness * crowd.loads[k, STRAIN] / (SLOWLY * h)
        if not math.isinf(guard.velocity):
            add_speed_limit(crowd, guard, first, k, h, base)
        if watch.apart:
            add_drive(crowd, guard, first, k, q[guard.q], h)
    return True


@subroutine
def add_speed_limit(crowd, guard, first, number, h, base):
    """Add the two laws of a largest speed."""
    for side in (-1.0, 1.0):
        n = one_dof_law(crowd, PUSHES, first, number, -side)
        crowd.laws[n].stiffness = firmness(crowd, n, h, base)
        crowd.laws[n].force[0] = -crowd.laws[n].stiffness * guard.velocity


@subroutine
def add_drive(crowd, guard, first, number, value, h):
    """Add the law of a drive up to its effort. value: of its dof."""
    drive = crowd.laws[one_dof_law(crowd, HOLDS, first, number, 1.0)]
    drive.drives, drive.stiffness = 1, h * (guard.drive_damping + h * guard.drive_stiffness)
    ahead = guard.drive_target + h * guard.drive_rate - value
    asked = guard.drive_push + guard.drive_damping * guard.drive_rate + guard.drive_stiffness * ahead
    drive.force[0], drive.bound = h * asked, h * guard.effort


@subroutine
def list_guard(model, crowd, guard):
    """List the dofs that a guard watches. Returns (first, count)."""
    first = crowd.counts[DOF_COUNT]
    if guard.kind != ON_MEASURE:
        crowd.dofs[first] = guard.v
        crowd.counts[DOF_COUNT] += 1
        return first, 1
    body = model.bodies[guard.body]
    for j in range(body.v, body.v_end):
        crowd.dofs[first + j - body.v] = j
    crowd.counts[DOF_COUNT] += body.v_end - body.v
    return first, body.v_end - body.v


@jitable
def one_dof_law(crowd, kind, first, guard, slope):
    k = begin_law(crowd, kind, 1, first, 1)
    crowd.slopes[crowd.laws[k].at], crowd.laws[k].guard, crowd.laws[k].along = slope, guard, slope
    return k


@subroutine
def add_stop(model, crowd, guard, number, first, count, q, room, side, h, base, weight):
    """Add the law of a stop. room: up to it [m or rad]; side: -1 for the lower one."""
    k = begin_law(crowd, PUSHES, 1, first, count)
    law = crowd.laws[k]
    law.guard, law.along = number, -side
    if guard.kind == ON_DOF:
        crowd.slopes[law.at] = -side
    else:
        write_measure(model, crowd, guard, law, q, -side)
    if guard.stiffness < HARD:
        law.stiffness, law.dissipation = h * h * guard.stiffness, guard.dissipation
        law.force[0] = -h * guard.stiffness * room
    else:
        rate = wanted_rate(room, h, base, max(weight, 1.0))
        keep_open(crowd, k, room, guard.restitution, firmness(crowd, k, h, base), rate)


@subroutine
def write_measure(model, crowd, record, law, q, sign):
    """Write the slopes of what a guard or a constraint measures on a chart, with a sign."""
    turn, slide = chart_measure(model, record, q)[1]
    if model.bodies[record.body].kind != BALL:
        put3(crowd.slopes, scale(slide, sign), law.at)
        put3(crowd.slopes, scale(turn, sign), law.at + 3)
    else:
        put3(crowd.slopes, scale(turn, sign), law.at)


# ---- what holds always


@subroutine
def add_constraints(system, crowd, q, qd):
    """Add a law for each row of loops, couplings and prescribed motion. Returns whether there is room.

    Signals are read, and bodies placed and moved.
    """
    model, constraints, scratch = system.model, system.constraints, system.scratch
    velocity_errors(model, system.work, constraints, scratch.signal, q, qd, scratch.error)
    for n in range(constraints.count[0]):
        record = constraints.records[constraints.active[n]]
        first, count = list_record(system, crowd, record)
        if count < 0:
            return False
        if count == 0:
            continue
        begin = crowd.counts[LAW_COUNT]
        for r in range(record.rows):
            if not has_room(crowd, count, 1, 1):
                return False
            k = begin_law(crowd, HOLDS, 1, first, count)
            write_record(system, crowd, record, k, r, q)
            give_rest(crowd, k, 0, scratch.error[record.row + r])
            crowd.laws[k].bound, crowd.laws[k].row = math.inf, record.row + r
        tighten(crowd, begin, 3 if record.kind == WELD else 1)
    return True


@subroutine
def tighten(crowd, begin, together):
    """Make what holds a loop or coupling as tight as its easiest row asks for; so many in turn are of one unit.

    The laws are those from `begin` on. Where joints bar a row's way by themselves, what is left of its slopes is
    rounding, or axes that a scene has in single precision. If it were made as tight as it is faint, it would lock them.
    """
    for k in range(begin, crowd.counts[LAW_COUNT]):
        most, first = 0.0, k - (k - begin) % together
        for each in range(first, min(first + together, crowd.counts[LAW_COUNT])):
            most = max(most, ease_of(crowd, each))
        crowd.laws[k].stiffness = TIGHT / most if most > 0.0 else 0.0


@subroutine
def list_record(system, crowd, record):
    """List the dofs that a constraint has to do with. Returns (first, count), a count of -1 if there is no room."""
    model, first = system.model, crowd.counts[DOF_COUNT]
    if record.kind == WELD:
        count = list_dofs(model, crowd, record.one, record.other)
        if not has_room(crowd, count, 0, 0):
            return first, -1
    elif record.kind == EQUATION:
        count = record.term_end - record.term
        if not has_room(crowd, count, 0, 0):
            return first, -1
        for k in range(count):
            crowd.dofs[first + k] = system.constraints.terms[record.term + k].v
    else:
        body = model.bodies[record.body]
        count = body.v_end - body.v
        if not has_room(crowd, count, 0, 0):
            return first, -1
        for k in range(count):
            crowd.dofs[first + k] = body.v + k
    crowd.counts[DOF_COUNT] += count
    return first, count


@subroutine
def write_record(system, crowd, record, k, r, q):
    """Write the slopes of row r of a constraint."""
    model, law = system.model, crowd.laws[k]
    if record.kind == WELD:
        place = target_frame(system.work, record, system.scratch.signal)[1]
        unit = (1.0 if r % 3 == 0 else 0.0, 1.0 if r % 3 == 1 else 0.0, 1.0 if r % 3 == 2 else 0.0)
        write_slopes(model, system.work, crowd, k, 0, record.one, record.other, place, unit, r < 3)
    elif record.kind == EQUATION:
        for j in range(law.count):
            crowd.slopes[law.at + j] = system.constraints.terms[record.term + j].weight
    else:
        write_measure(model, crowd, record, law, q, 1.0)
