"""Velocities that jump where points close: restitution along the normal, Coulomb's cone across it.

All points that are closed take part, whether they come or rest: each parts with the part of its approach that its
restitution gives back, or does not approach. Points with a gap between them are struck in turn, since each closes at a
time of its own, so a cradle swings as it should. Joints, loops and couplings transmit what they transmit.

Source: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 8, with Newton's restitution.
"""

from __future__ import annotations

import math

from ..dynamics.aba import accelerate
from ..dynamics.constraint_forces import clear_pushes
from ..dynamics.energy import kinetic_energy
from ..jit import jitable, subroutine
from ..spatial import ZERO, add, dot, scale
from ..spatial.storage import get3, put3
from .complementarity import solve_cones
from .islands import begin_rows
from .place import place_point
from .points import ACROSS, NORMAL, POINTS, ROWS
from .responses import add_rows, push_rows, write_matrix

MOST_BOUNCES = 400
"""Of a point in a frame; what goes on bouncing after that comes to rest."""


@subroutine
def strike_points(system, qd, least, resting, dv):
    """Let velocities qd, shape (nv,), jump where points approach.

    Bodies are placed and moved, and factored with nothing held. least [m/s]: what approaches by no more is at rest.
    resting [m]: what would bounce no higher does not. dv: shape (nv,), scratch. Returns (whether they jumped, the
    energy that this took [J]). Points keep their impulses in `load`, `force` and `torque`.
    """
    touch, struck, weight = system.touch, False, norm_of(get3(system.model.gravity))
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
            struck = True
            back = -point.restitution * point.rate
            point.bounces += 1
            pressed = max(-point.gain, weight)  # what drives it back; in a stack all fall alike
            if point.bounces <= MOST_BOUNCES and back * back > 2.0 * pressed * resting:
                point.pace = back
    if not struck:
        return False, 0.0
    write_matrix(system, False)
    write_rates(touch)
    before = kinetic_energy(system.model, system.work, qd)
    for j in range(qd.shape[0]):
        dv[j] = qd[j]
    solve_cones(touch, False)
    clear_pushes(system.work)
    push_rows(system)
    accelerate(system.model, system.work, ZERO, dv)
    for j in range(qd.shape[0]):
        qd[j] += dv[j]
    tell_impulses(touch)
    return True, before


@jitable
def norm_of(a):
    return math.sqrt(dot(a, a))


@subroutine
def write_rates(touch):
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point, direction = touch.points[row.point], get3(row.direction)
        if row.kind == NORMAL:
            row.before = point.rate
        elif row.kind == ACROSS:
            row.before = dot(direction, get3(point.v))
        else:
            row.before = dot(direction, get3(point.w))


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
