# SPDX-License-Identifier: GPL-3.0-or-later
"""Velocities that jump where points close: restitution along the normal, Coulomb's cone across it.

An impact goes on in rounds, each of them a moment of its own. In a round the points that approach take part, all at
once: each parts with the part of its approach speed that its restitution gives back, at least. What this pushes against
a neighbour that it touches approaches now, and takes part in the next round. So an impact travels through bodies that
touch as it travels through bodies with small gaps between them, and the result depends neither on the order of the
points nor, for a symmetric impact, on anything but symmetry. A round cannot add kinetic energy without friction: an
impulse p changes it by -p (1 - e) v / 2, with v the approach speed.

Where nothing that approaches bounces, points without restitution that touch take part as well, and if all approach too
slowly to bounce, every point does. So a stack comes to rest at once. Joints, loops and couplings transmit what they
transmit.

Source: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 8, with Newton's restitution;
on impacts that are resolved in sequence: Smith, Kaufman, Vouga, Tamstorf, Grinspun, Reflections on simultaneous impact,
ACM Trans. Graphics 31 (2012).
"""

from __future__ import annotations

import math

from ..dynamics.aba import acceleration_pass
from ..dynamics.constraint_forces import clear_pushes
from ..dynamics.energy import kinetic_energy
from ..jit import jitable, subroutine
from ..spatial import ZERO, add, dot, scale
from ..spatial.storage import get3, put3
from .complementarity import solve_cones
from .contact_kinematics import place_point
from .delassus import add_rows, push_rows, write_matrix
from .islands import begin_rows
from .points import ACROSS, NORMAL, POINTS, ROWS

MOST_BOUNCES = 400
"""Number of impacts in which a point may bounce in a frame; after that it comes to rest."""
MOST_ROUNDS = 500
"""Number of rounds of an impact after which all points take part without bouncing, which ends it."""

MOST_GIVES, LEAST_GIVE = 8, 0.02
"""Number of tries of an impact that adds energy, each with half of the restitution, and the share of all restitution
below which the last try has none.
"""
GAIN = 1e-12
"""Share of the kinetic energy that an impact may add by rounding."""

ALL_REST, NONE_BOUNCES, BOUNCES = range(3)
"""Kinds of islands in a round: all approaching points are too slow to bounce; none of them bounces; some bounce."""


@subroutine
def strike_points(system, qd, least, resting, dv):
    """Let velocities qd, shape (nv,), jump where points approach.

    Bodies are placed and moved, and factored with nothing held. least [m/s]: what approaches by no more is at rest.
    resting [m]: what would bounce no higher does not. dv: shape (nv,), scratch. Returns (whether they jumped, the
    kinetic energy before [J]). Points keep the sums of their impulses in `load`, `force` and `torque`.
    """
    touch, struck = system.touch, False
    begin_rows(system)
    for i in range(touch.count[POINTS]):
        p = touch.order[i]
        point = touch.points[p]
        place_point(system.work, point)
        point.load, point.pace, point.row = 0.0, 0.0, -1
        put3(point.force, (0.0, 0.0, 0.0))
        put3(point.torque, (0.0, 0.0, 0.0))
        if point.is_soft:
            continue
        add_rows(touch, p, True)
        point.limit = point.friction
        if point.rate < -least:
            point.bounces += 1
            struck = True
    if not struck:
        return False, 0.0
    write_matrix(system, False)
    before = kinetic_energy(system.model, system.work, qd)
    for j in range(qd.shape[0]):
        dv[j] = qd[j]
    strike_without_gain(touch, least, resting, norm_of(get3(system.model.gravity)), before)
    clear_pushes(system.work)
    push_rows(system)
    acceleration_pass(system.model, system.work, ZERO, dv)
    for j in range(qd.shape[0]):
        qd[j] += dv[j]
    tell_impulses(touch)
    return True, before


@subroutine
def strike_without_gain(touch, least, resting, weight, energy):
    """Find the impulses of an impact, with less restitution where friction would make them add energy.

    A body that friction turns as it bounces may leave faster than it came by Newton's law (Kane's paradox). Without
    restitution, impulses only take energy. energy [J]: the kinetic energy before. Other arguments: see `add_rounds`.

    Source: Stronge, Impact Mechanics (2nd ed., 2018), chapter 3.
    """
    give = 1.0
    for _ in range(MOST_GIVES):
        write_rates(touch)
        add_rounds(touch, least, resting, weight, give)
        if work_of_impulses(touch) <= GAIN * energy:
            return
        give *= less(give)


@jitable
def less(give):
    """Return the factor on the share of all restitutions with which an impact that adds energy is tried next."""
    return 0.5 if give > LEAST_GIVE else 0.0


@subroutine
def work_of_impulses(touch):
    """Return the work of all rows' impulses, on the means of their rates before and after [J]."""
    work = 0.0
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        work += 0.5 * row.load * (rate_of_row(touch, row) + row.before)
    return work


@subroutine
def add_rounds(touch, least, resting, weight, give):
    """Write to `load` of the rows the sums of their impulses over all rounds, and to `before` their rates after them.

    weight [m/s^2]: size of gravity. give: part of all restitutions that acts.
    """
    for r in range(touch.count[ROWS]):
        touch.rows[r].total = 0.0
    for turn in range(MOST_ROUNDS + 1):
        if not begin_round(touch, least, resting, weight, give, turn == MOST_ROUNDS):
            break
        solve_cones(touch, False)
        for r in range(touch.count[ROWS]):
            row = touch.rows[r]
            row.total += row.load
            row.before = row.left
    for r in range(touch.count[ROWS]):
        touch.rows[r].load = touch.rows[r].total


@subroutine
def begin_round(touch, least, resting, weight, give, last):
    """Choose the points of a round, by `before` of their normal rows, and set the `pace` with which each is to part.

    `row` of the others becomes -1. last: whether all points take part, and none bounces. Returns whether any point
    approaches.
    """
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        if row.kind == NORMAL:
            touch.points[row.point].row = r
    found, begin, count = False, 0, touch.count[POINTS]
    while begin < count:
        end, kind, approaches = begin, ALL_REST, False
        while end < count and touch.points[touch.order[end]].island == touch.points[touch.order[begin]].island:
            point = touch.points[touch.order[end]]
            end += 1
            point.pace = 0.0
            if point.row < 0 or not touch.rows[point.row].before < -least:
                continue
            approaches = True
            speed, still = -touch.rows[point.row].before, 2.0 * max(-point.gain, weight) * resting
            back = give * point.restitution * speed  # gain: what drives it back; in a stack all fall alike
            if point.bounces <= MOST_BOUNCES and back * back > still and not last:
                point.pace = back
                kind = BOUNCES
            elif speed * speed > still and not last:
                kind = max(kind, NONE_BOUNCES)
        for i in range(begin, end):
            point = touch.points[touch.order[i]]
            if point.row >= 0 and not (approaches and takes_part(touch, point, kind, least)):
                point.row = -1
        found = found or approaches
        begin = end
    return found


@jitable
def takes_part(touch, point, kind, least):
    """Return whether a point takes part in a round of its island of a kind: ALL_REST, NONE_BOUNCES or BOUNCES."""
    rests = kind == ALL_REST or (kind == NONE_BOUNCES and point.restitution == 0.0)
    return rests or touch.rows[point.row].before < -least


@jitable
def norm_of(a):
    return math.sqrt(dot(a, a))


@subroutine
def write_rates(touch):
    for r in range(touch.count[ROWS]):
        touch.rows[r].before = rate_of_row(touch, touch.rows[r])


@jitable
def rate_of_row(touch, row):
    """Return the rate of a row, by the velocities with which its point was placed [m/s or rad/s]."""
    point, direction = touch.points[row.point], get3(row.direction)
    if row.kind == NORMAL:
        return point.rate
    return dot(direction, get3(point.v if row.kind == ACROSS else point.w))


@subroutine
def tell_impulses(touch):
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point, push = touch.points[row.point], scale(get3(row.direction), row.load)
        if row.kind == NORMAL:
            point.load = row.load
        elif row.kind == ACROSS:
            put3(point.force, add(get3(point.force), push))
        else:
            put3(point.torque, add(get3(point.torque), push))
