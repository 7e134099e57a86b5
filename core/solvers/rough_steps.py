"""Short steps of order 1, where events cannot be told apart: all that may touch within a step is solved for at once.

A step takes velocities that all forces but the contacts' give, lets the cones correct them once, and moves on by what
comes of that. Gaps that are still open may close by as much as they are. It never fails, bounces nothing and finds no
instant, so it is taken only where the events of touching.py crowd without end.

Source: Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Eng. 177 (1999).
"""

from __future__ import annotations

from ..contact.complementarity import solve_cones
from ..contact.impacts import write_rates
from ..contact.islands import begin_rows
from ..contact.loads import soft_energy, write_gains
from ..contact.place import place_point
from ..contact.points import FREE, POINTS, ROWS, STICKS
from ..contact.responses import add_rows, push_rows, write_matrix
from ..dynamics.aba import accelerate
from ..dynamics.constraint_forces import clear_pushes
from ..dynamics.energy import energies_of
from ..jit import subroutine
from ..kinematics.motion import integrate_positions
from ..spatial import ZERO
from .contact_events import add_closed, look_around, look_at_end
from .contact_modes import let_go
from .stepping import is_finite
from .system import normalize_quaternions, parts_of

ROUGH_STEP = 2e-4
"""Seconds that a rough step takes at most."""
MOST_AT_ONCE = 5
"""Power of 2 of how many are taken in a row, where they alone get on."""


@subroutine
def press_on(calls, system, ground, y, stages, now, end, skin, spare):
    """Take rough steps up to `end` [s], twice as many as last time. Returns (room for all points, all is finite)."""
    for _ in range(1 << now.rough):
        h = min(ROUGH_STEP, end - now.time)
        if not h > 0.0:
            break
        if not rough_step(calls, system, ground, y, stages, now.time, h, skin, parts_of(system, spare)[1]):
            return False, True
        now.time = end if h == end - now.time else now.time + h
        now.steps += 1
        if not is_finite(y):
            return True, False
    now.rough = min(now.rough + 1, MOST_AT_ONCE)
    now.unsettled += 1
    now.crowded, now.stalled, now.fresh, now.narrow, now.step = 0, 0, 0, 0.0, ROUGH_STEP
    return True, True


@subroutine
def rough_step(calls, system, ground, y, stages, time, h, skin, dv):
    """Move y on by h seconds. Returns whether there is room for all points."""
    touch, slopes = system.touch, stages[0]
    q, qd = parts_of(system, y)
    let_go(system)
    calls.rates(system, time, y, 0.0, slopes)
    fits, _ = look_around(system, ground, h, skin)
    if not fits or not look_at_end(system, ground, q, qd) or not add_closed(system, ground, ground.reach[0]):
        return False
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        point.holds = point.is_soft
        point.pace = -max(point.gap, 0.0) / h
        point.limit = point.friction
        point.slide = STICKS if point.friction > 0.0 and point.is_soft == 0 else FREE
    calls.rates(system, time, y, 0.0, slopes)
    kinetic, potential = energies_of(system.model, system.work, q, qd)
    before = kinetic + potential + soft_energy(touch)
    correct_velocities(system, h, qd, parts_of(system, slopes)[1], dv)
    for j in range(qd.shape[0]):
        qd[j] += dv[j]
    integrate_positions(system.model, q, qd, h)
    normalize_quaternions(system.model, y)
    calls.close(system, time + h, y)
    kinetic, potential = energies_of(system.model, system.work, q, qd)
    for p in range(touch.count[POINTS]):
        place_point(system.work, touch.points[p])
    potential += soft_energy(touch)
    touch.count[POINTS] = 0
    gained = h * slopes[y.shape[0] - 1]
    y[y.shape[0] - 1] += gained
    y[y.shape[0] - 2] += before + gained - kinetic - potential
    return True


@subroutine
def correct_velocities(system, h, qd, qdd, dv):
    """Write to `dv` what forces and contacts add to velocities in h seconds."""
    touch = system.touch
    for j in range(qd.shape[0]):
        dv[j] = 0.0
    begin_rows(system)
    for i in range(touch.count[POINTS]):
        p = touch.order[i]
        touch.points[p].row = -1
        if touch.points[p].is_soft == 0:
            add_rows(touch, p, True)
    if touch.count[ROWS] > 0:
        write_matrix(system, False)
        write_gains(system)
        for r in range(touch.count[ROWS]):
            touch.rows[r].found = h * touch.rows[r].before
        write_rates(touch)
        for r in range(touch.count[ROWS]):
            touch.rows[r].before += touch.rows[r].found
        solve_cones(touch, False)
        clear_pushes(system.work)
        push_rows(system)
        accelerate(system.model, system.work, ZERO, dv)
    for j in range(qd.shape[0]):
        dv[j] += h * qdd[j]
