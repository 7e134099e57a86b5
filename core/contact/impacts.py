# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts at events: velocities jump where points close, with Newton's restitution and Coulomb friction.

core/solvers/hybrid_contact/contact_modes.py calls `resolve_impact`. An impact goes on in rounds, in each of which the
points that approach take part, all at once. So an impact travels through touching bodies as through bodies with small
gaps between them, and the result does not depend on the order of the points. Joints, loops and couplings transmit
impulses.

Source: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 8, with Newton's restitution; on
impacts that are resolved in sequence: Smith, Kaufman, Vouga, Tamstorf, Grinspun, Reflections on simultaneous impact,
ACM Trans. Graphics 31 (2012).
"""

from __future__ import annotations

from ..compilation.jit import jitable, subroutine
from ..dynamics.aba import acceleration_pass
from ..dynamics.constraint_forces import clear_forces
from ..dynamics.energy import kinetic_energy
from ..spatial import ZERO, add, dot, norm, scale
from ..spatial.storage import get3, put3
from .contact_kinematics import update_kinematics
from .delassus import add_rows, apply_loads, write_delassus
from .islands import group_points
from .points import NORMAL, POINTS, ROWS, TANGENT
from .redundant_normals import solve_redundant_cones

MAX_BOUNCES = 400
"""Number of impacts in a frame after which a point no longer bounces."""
MAX_ROUNDS = 500
"""Number of rounds after which all points take part without bouncing, which ends the impact."""

MAX_RESTITUTION_TRIES = 8
"""Number of tries of an impact that adds energy, each with half of the restitution of the one before."""
MIN_RESTITUTION_SHARE = 0.02
"""Share of the restitution below which the next try has none."""
ENERGY_TOLERANCE = 1e-12
"""Share of the kinetic energy that an impact may add by rounding."""

ALL_REST, NONE_BOUNCES, BOUNCES = range(3)
"""Kinds of islands in a round. ALL_REST: all approaching points are too slow to bounce. NONE_BOUNCES: some are fast
enough, but none of these has restitution. BOUNCES: some bounce.
"""


@subroutine
def resolve_impact(system, qd, min_approach, rest_height, dv):
    """Apply the impact of the points that approach to the velocities qd, shape (nv,).

    Poses, velocities and articulated inertias of the bodies must be those at qd, with no dof locked by contact. The
    sums of impulses are written to `load`, `force` and `torque` of the points.

    Args:
        min_approach: a point that approaches no faster than this takes no part [m/s].
        rest_height: a point that would bounce no higher than this comes to rest [m].
        dv: scratch, shape (nv,).

    Returns:
        Whether velocities jumped, and the kinetic energy before [J].
    """
    touch, approaches = system.touch, False
    group_points(system)
    for i in range(touch.count[POINTS]):
        p = touch.order[i]
        point = touch.points[p]
        update_kinematics(system.work, point)
        point.load, point.separation_velocity, point.row = 0.0, 0.0, -1
        put3(point.force, (0.0, 0.0, 0.0))
        put3(point.torque, (0.0, 0.0, 0.0))
        if point.is_soft:
            continue
        add_rows(touch, p, True)
        point.current_friction = point.friction
        if point.rate < -min_approach:
            point.bounces += 1
            approaches = True
    if not approaches:
        return False, 0.0
    write_delassus(system, False)
    before = kinetic_energy(system.model, system.work, qd)
    for j in range(qd.shape[0]):
        dv[j] = qd[j]
    solve_impact(system, min_approach, rest_height, norm(get3(system.model.gravity)), before)
    clear_forces(system.work)
    apply_loads(system)
    acceleration_pass(system.model, system.work, ZERO, dv)
    for j in range(qd.shape[0]):
        qd[j] += dv[j]
    store_impulses(touch)
    return True, before


@subroutine
def solve_impact(system, min_approach, rest_height, gravity, energy):
    """Solve for the impulses of an impact, and reduce restitution while friction would make them add energy.

    A body that friction turns as it bounces may leave faster than it came by Newton's law (Kane's paradox). Without
    restitution, impulses only take energy. energy: the kinetic energy before [J]. For other arguments see `add_rounds`.

    Source: Stronge, Impact Mechanics (2nd ed., 2018), chapter 3.
    """
    touch, restitution = system.touch, 1.0
    for _ in range(MAX_RESTITUTION_TRIES):
        write_row_rates(touch)
        add_rounds(system, min_approach, rest_height, gravity, restitution)
        if work_of_impulses(touch) <= ENERGY_TOLERANCE * energy:
            return
        restitution *= reduced_share(restitution)


@jitable
def reduced_share(share):
    """Return the factor on the restitution with which an impact that adds energy is tried next."""
    return 0.5 if share > MIN_RESTITUTION_SHARE else 0.0


@subroutine
def work_of_impulses(touch):
    """Return the work of all rows' impulses, on the means of their rates before and after [J]."""
    work = 0.0
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        work += 0.5 * row.load * (rate_of_row(touch, row) + row.free_rate)
    return work


@subroutine
def add_rounds(system, min_approach, rest_height, gravity, restitution):
    """Write to `load` of the rows the sums of their impulses over all rounds of an impact.

    In a round, each point that approaches separates with at least the share of its approach speed that its restitution
    gives back. A neighbour that a body is pushed against approaches then, and takes part in the next round. A round
    cannot add kinetic energy without friction: an impulse p changes it by -p (1 - e) v / 2, with the approach speed v.
    `free_rate` becomes the rates after the last round.

    Args:
        gravity: its size [m/s^2].
        restitution: factor on the restitution of all points.
    """
    touch = system.touch
    for r in range(touch.count[ROWS]):
        touch.rows[r].impulse_sum = 0.0
    for turn in range(MAX_ROUNDS + 1):
        if not begin_round(touch, min_approach, rest_height, gravity, restitution, turn == MAX_ROUNDS):
            break
        solve_redundant_cones(system, False)
        for r in range(touch.count[ROWS]):
            row = touch.rows[r]
            row.impulse_sum += row.load
            row.free_rate = row.residual
    for r in range(touch.count[ROWS]):
        touch.rows[r].load = touch.rows[r].impulse_sum


@subroutine
def begin_round(touch, min_approach, rest_height, gravity, restitution, is_last):
    """Choose the points that take part in a round, and set the `separation_velocity` of each.

    Which points take part depends on the kind of the island, so that a stack comes to rest at once:

    - BOUNCES: the points that approach;
    - NONE_BOUNCES: also touching points without restitution;
    - ALL_REST: all points of the island.

    `row` of the other points becomes -1.

    is_last: whether all points take part, and none bounces. Return whether any point approaches.
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
            point.separation_velocity = 0.0
            if point.row < 0 or not touch.rows[point.row].free_rate < -min_approach:
                continue
            approaches = True
            speed = -touch.rows[point.row].free_rate
            # Acceleration towards each other; bodies of a stack fall together, so gravity is its lower bound.
            squared_rest_speed = 2.0 * max(-point.gap_acceleration, gravity) * rest_height
            rebound = restitution * point.restitution * speed
            if point.bounces <= MAX_BOUNCES and rebound * rebound > squared_rest_speed and not is_last:
                point.separation_velocity = rebound
                kind = BOUNCES
            elif speed * speed > squared_rest_speed and not is_last:
                kind = max(kind, NONE_BOUNCES)
        for i in range(begin, end):
            point = touch.points[touch.order[i]]
            if point.row >= 0 and not (approaches and takes_part(touch, point, kind, min_approach)):
                point.row = -1
        found = found or approaches
        begin = end
    return found


@jitable
def takes_part(touch, point, kind, min_approach):
    """Return whether a point takes part in a round of an island of a kind: ALL_REST, NONE_BOUNCES or BOUNCES."""
    every_point = kind == ALL_REST or (kind == NONE_BOUNCES and point.restitution == 0.0)
    return every_point or touch.rows[point.row].free_rate < -min_approach


@subroutine
def write_row_rates(touch):
    """Write the rates of all rows before the impact to `free_rate`."""
    for r in range(touch.count[ROWS]):
        touch.rows[r].free_rate = rate_of_row(touch, touch.rows[r])


@jitable
def rate_of_row(touch, row):
    """Return the rate of a row, by the velocities with which its point was placed [m/s or rad/s]."""
    point, direction = touch.points[row.point], get3(row.direction)
    if row.kind == NORMAL:
        return point.rate
    return dot(direction, get3(point.slip_velocity if row.kind == TANGENT else point.angular_velocity))


@subroutine
def store_impulses(touch):
    """Write the impulses of the rows to their points."""
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point, impulse = touch.points[row.point], scale(get3(row.direction), row.load)
        if row.kind == NORMAL:
            point.load = row.load
        elif row.kind == TANGENT:
            put3(point.force, add(get3(point.force), impulse))
        else:
            put3(point.torque, add(get3(point.torque), impulse))
