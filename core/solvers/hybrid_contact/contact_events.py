# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact events within a step: a gap closes, a load becomes a pull, a slip stops, a sticking contact slips.

For solids that do not touch yet, the contact points at the start and at the end of a step give gaps and their rates.
The cubic through both gives the time at which a gap closes. Steps in which solids turn too fast for the cubic are
shortened. Contacts have margins, the signed distances from their events, as set-valued forces of joints do.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ...compilation.abi import KernelTuple
from ...compilation.jit import jitable, subroutine
from ...contact.collision_state import (
    END_COUNT,
    SAME_FACET_COSINE,
    START_COUNT,
    is_same_contact,
    list_contacts,
    update_solid_poses,
)
from ...contact.contact_features import make_point
from ...contact.contact_kinematics import update_kinematics
from ...contact.delassus import MIN_SLIP_SPEED
from ...contact.loads import spring_energy, spring_gap
from ...contact.points import MAX_ROWS, POINTS, SLIPS, STICKS
from ...kinematics.motion import update_bodies
from ...spatial import dot, norm, sub
from ...spatial.storage import get3, put3
from ..joint_events.margins import cubic_minimum, cubic_root, hermite_cubic
from .contradictions import ROUGH, friction_torques

GAP, LOAD, SLIDE, STICK, LEAVE, JOINT = range(6)
"""Kinds of events.

GAP: a gap closes. LOAD: a normal load becomes a pull. SLIDE: a slip stops. STICK: a sticking contact begins to slip.
LEAVE: a compliant contact is no longer compressed. JOINT: an event of a set-valued force.
"""

MOST_DEEPENING = 2.0
"""Ratio of the overlaps after and before a step up to which an active contact does not close again.

Faces that overlap are tilted by about the overlap over their size, so a point that moves along them becomes deeper.
"""


class Impacts(KernelTuple, namedtuple("Impacts", "records count")):
    """The impacts of a motion so far.

    Attributes:
        records: IMPACT records.
        count: their number, shape (1,), which is larger than the list if it was full.
    """


@subroutine
def remove_moved_points(system, collisions, now):
    """Remove contacts that have slid over an edge or to another face. Return whether there were any.

    The energy of those that are compliant is kept in `now.soft_energy`, for the contacts that take their place.
    """
    touch, kept = system.touch, 0
    for p in range(touch.count[POINTS]):
        point, found = touch.points[p], False
        for i in range(collisions.counts[START_COUNT]):
            found = found or is_same_contact(collisions, point, collisions.starts[i])
        if found:
            if kept != p:
                touch.points[kept] = touch.points[p]
            kept += 1
        elif point.is_soft and point.is_active:
            now.soft_energy += spring_energy(point)
    lost = touch.count[POINTS] - kept
    touch.count[POINTS] = kept
    return lost > 0


@subroutine
def list_end_contacts(system, collisions, q, qd):
    """List the contact points at the end of a step that was tried, and match each with one at the start."""
    update_bodies(system.model, system.work, q, qd)
    update_solid_poses(system, collisions)
    fits = list_contacts(
        system, collisions, collisions.listed_gap[0], collisions.ends, collisions.end_states, END_COUNT
    )
    for k in range(collisions.counts[END_COUNT] if fits else 0):
        end = collisions.ends[k]
        for i in range(collisions.counts[START_COUNT]):
            start = collisions.starts[i]
            if start.first == end.first and start.second == end.second and start.name == end.name:
                collisions.end_states[k].start_number = i
                break
    return fits


@subroutine
def first_closing(collisions, h, closed_gap, gap_error):
    """Return (part of the step, number of the end point) of the first gap that closes; a part of 2 if none does."""
    first, which = 2.0, -1
    for k in range(collisions.counts[END_COUNT]):
        end, own = collisions.ends[k], collisions.end_states[k]
        if own.is_contact:
            continue
        if own.start_number >= 0:
            start = collisions.starts[own.start_number]
            if collisions.start_states[own.start_number].is_contact and is_same_overlap(start, end):
                continue
            rate = collisions.start_states[own.start_number].rate
            part = closing_part(start.gap, rate, end.gap, own.rate, h, closed_gap, gap_error)
        elif end.gap < -closed_gap:
            part = 1.0
            before = pair_gap(collisions, end)
            if before > gap_error:
                part = before / (before - end.gap)
        else:
            part = 2.0
        if part < first:
            first, which = part, k
    return first, which


@jitable
def is_same_overlap(start, end):
    """Return whether an active contact has only moved along between two faces that overlap, as after convex steps."""
    return dot(get3(start.normal), get3(end.normal)) >= SAME_FACET_COSINE and end.gap >= MOST_DEEPENING * start.gap


@jitable
def pair_gap(collisions, end):
    """Return the smallest gap of a pair at the start of a step, without active contacts; infinity if there is none."""
    least = math.inf
    for i in range(collisions.counts[START_COUNT]):
        start = collisions.starts[i]
        if start.first == end.first and start.second == end.second and not collisions.start_states[i].is_contact:
            least = min(least, start.gap)
    return least


@jitable
def closing_part(gap, rate, end_gap, end_rate, h, closed_gap, gap_error):
    """Return the part of a step at which a gap closes; 2 if it does not.

    closed_gap [m]: a gap below this at the start counts as closed. It closes again only after it has opened, or if the
    overlap becomes deeper than this. gap_error [m]: an overlap up to this does not count as closed.
    """
    da, db = h * rate, h * end_rate
    if gap > closed_gap:
        if end_gap < -gap_error:
            return cubic_root(gap, da, end_gap, db, 0.0, 1.0)
        if not (da < 0.0 < db):
            return 2.0
        low = cubic_minimum(gap, da, end_gap, db)
        if hermite_cubic(gap, da, end_gap, db, low) >= -gap_error:
            return 2.0
        return cubic_root(gap, da, end_gap, db, 0.0, low)
    if end_gap >= min(gap, 0.0) - gap_error or (end_gap >= -closed_gap and da <= 0.0):
        return 2.0
    # The gap opens first: find a time at which it is open.
    begin = 0.5
    while begin > 1e-9 and hermite_cubic(gap, da, end_gap, db, begin) <= max(gap, 0.0):
        begin *= 0.5
    if begin > 1e-9:
        return cubic_root(gap, da, end_gap, db, begin, 1.0)
    return 1e-3


@subroutine
def store_margins(touch):
    """Store the margins of contacts at the start of a step, their normals, and the directions of their slips."""
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        put3(point.start_normal, get3(point.normal))
        speed = norm(get3(point.slip_velocity))
        if point.slide == SLIPS and speed > MIN_SLIP_SPEED:
            v = get3(point.slip_velocity)
            put3(point.slip, (v[0] / speed, v[1] / speed, v[2] / speed))
        for kind in range(LOAD, JOINT):
            point.margins[kind] = margin_of(point, kind)


@jitable
def margin_of(point, kind):
    """Return the margin of a contact from an event; infinity if the event is impossible."""
    if kind == LOAD:
        return math.inf if point.is_soft or point.is_on_cone else point.load
    if kind == LEAVE:
        return -spring_gap(point) if point.is_soft else math.inf
    spun, rolled = friction_torques(point)
    load = max(point.load, 0.0)
    if kind == STICK:
        margin = math.inf
        if point.is_on_cone:
            return margin
        if point.slide == STICKS:
            margin = point.current_friction * load - norm(get3(point.force))
        if point.spin == STICKS:
            margin = min(margin, point.spinning * load - abs(spun))
        if point.roll == STICKS:
            margin = min(margin, point.rolling * load - rolled)
        return margin
    margin = math.inf
    if point.slide == SLIPS and point.slip_speed == 0.0:
        margin = dot(get3(point.slip_velocity), get3(point.slip))
    if point.spin == SLIPS:
        margin = min(margin, dot(get3(point.angular_velocity), get3(point.normal)) * point.spin_slip)
    if point.roll == SLIPS:
        w, n = get3(point.angular_velocity), get3(point.normal)
        margin = min(margin, dot(sub(w, (n[0] * dot(w, n), n[1] * dot(w, n), n[2] * dot(w, n))), get3(point.roll_slip)))
    return margin


@subroutine
def first_change(touch):
    """Return (part of the step, point, kind) of the first margin of a contact that becomes negative; 2 if none does."""
    first, index, change, largest = 2.0, -1, -1, 0.0
    for p in range(touch.count[POINTS]):
        largest = max(largest, abs(touch.points[p].load))
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        for kind in range(LOAD, JOINT):
            before, after = point.margins[kind], margin_of(point, kind)
            if not after < -contact_margin_tolerance(kind, largest):
                continue
            part = before / (before - after) if before > 0.0 and before < 1e300 else 1e-6
            if part < first:
                first, index, change = part, p, kind
    return first, index, change


@jitable
def contact_margin_tolerance(kind, largest):
    """Return how far below 0 a margin may be because of rounding. largest: the largest load of a contact [N]."""
    if kind == LEAVE:
        return 0.0
    return MIN_SLIP_SPEED if kind == SLIDE else 2.0 * ROUGH * largest + 1e-300


@subroutine
def count_closed(collisions, closed_gap):
    """Return the number of end points that are closed and are not contacts yet."""
    count = 0
    for k in range(collisions.counts[END_COUNT]):
        if not collisions.end_states[k].is_contact and collisions.ends[k].gap <= closed_gap:
            count += 1
    return count


@subroutine
def add_closed(system, collisions, closed_gap, energy):
    """Add a contact for each closed end point that is not a contact yet.

    A compliant contact may begin with an overlap that its motion has not caused, such as that of a corner that turns
    into a face within a step. Its spring is then relaxed at a part of the overlap.

    energy: largest sum of the elastic energies of the new contacts [J]; infinity as a motion begins.

    Return (whether there was enough room, the sum of these energies [J]).
    """
    touch, begin, compression = system.touch, system.touch.count[POINTS], 0.0
    for k in range(collisions.counts[END_COUNT]):
        end = collisions.ends[k]
        if collisions.end_states[k].is_contact or end.gap > closed_gap:
            continue
        p = touch.count[POINTS]
        if (p + 1) * MAX_ROWS > touch.rows.shape[0]:
            touch.count[POINTS] = begin
            return False, 0.0
        make_point(
            touch.points[p], end, collisions.solids, collisions.surfaces, collisions.store, collisions.solid_poses
        )
        update_kinematics(system.work, touch.points[p])
        touch.points[p].rest_gap = 0.0 if touch.points[p].is_soft else touch.points[p].gap
        touch.count[POINTS] += 1
        if touch.points[p].is_soft:
            compression += spring_energy(touch.points[p])
    share = math.sqrt(energy / compression) if compression > energy else 1.0
    for p in range(begin, touch.count[POINTS]):
        if touch.points[p].is_soft:
            touch.points[p].rest_gap = (1.0 - share) * min(touch.points[p].gap, 0.0)
    return True, min(compression, energy)
