# SPDX-License-Identifier: GPL-3.0-or-later
"""Modes of guards after an event: pressed stops, sticking friction, motion at the velocity limit.

Each guard at rest, at a stop or at its velocity limit is assumed to hold. One whose force exceeds its bounds is
released, and one that is released and driven back holds again, until there is no contradiction. At first all change at
once, then one at a time, which cannot cycle.

Source: Judice, Pires, A block principal pivoting algorithm for large-scale strictly monotone linear complementarity
problems (1994); Murty (1974) for one at a time.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...dynamics.constraint_rows import measured_drift, measured_rate
from ...dynamics.constraints import activate
from ...dynamics.guards import bound_of, watched_rate, watched_value
from ...model.compiling.compiled import ON_CHART, ON_DOF, ON_MEASURE
from ..system import parts_of
from .margins import NEAR, holding_forces

TOGETHER = 6
"""Number of rounds in which all guards change at once."""

SINGLY = 40
"""Maximum number of rounds; after the first ones, one guard changes in each."""


@subroutine
def settle(calls, system, time, y, slopes, shallow, crowded):
    """Find which guards hold at a state whose velocities have jumped. Leave the rates there in `slopes`.

    If several joints of a loop stick, their shares of the load are not unique, and every choice may be contradictory.
    Then, and if events are crowded, all guards that could hold do so until the next check. Return whether there is no
    contradiction.
    """
    guards, watches = system.model.guards, system.work.watches
    propose(system, y, shallow)
    for turn in range(1 if crowded else SINGLY):
        update_holds(system)
        calls.rates(system, time, y, 0.0, slopes)
        if turn == 0:
            if not calls.close(system, time, y):
                return False
            calls.rates(system, time, y, 0.0, slopes)
        changes = 0
        for k in range(guards.shape[0]):
            if watches[k].candidate and reconsider(system, y, slopes, k, shallow):
                changes += 1
                if turn >= TOGETHER:
                    break
        if changes == 0 and not crowded:
            return True
    propose(system, y, shallow)
    for k in range(watches.shape[0]):
        watches[k].stubborn = watches[k].held
    update_holds(system)
    calls.rates(system, time, y, 0.0, slopes)
    return False


@subroutine
def propose(system, y, shallow):
    """Let each guard hold that could, and store the direction in which the others slide."""
    model, watches = system.model, system.work.watches
    q, qd = parts_of(system, y)
    for k in range(watches.shape[0]):
        guard, watch = model.guards[k], watches[k]
        watch.candidate, watch.rested, watch.held, watch.touch, watch.stubborn = 0, 0, 0, 0, 0
        if watch.asleep:
            continue
        rate = watched_rate(model, guard, q, qd)
        watch.slide = 0 if abs(rate) <= NEAR else (1 if rate > 0.0 else -1)
        if watch.slide == 0:
            watch.touch = touched_side(model, guard, watch, q, shallow)
            if watch.touch != 0 or guard.friction > 0.0:
                watch.candidate, watch.rested, watch.held = 1, 1, 1
                if guard.kind != ON_MEASURE:
                    qd[guard.v] = 0.0
        elif guard.kind != ON_MEASURE and abs(abs(rate) - guard.velocity) <= NEAR:
            watch.candidate, watch.held = 1, 1
            qd[guard.v] = watch.slide * guard.velocity


@jitable
def touched_side(model, guard, watch, q, shallow):
    """Return -1 or 1 if a coordinate is at a stop that is rigid or nearly so, else 0. Updates the positions of the
    stops.
    """
    if guard.kind == ON_CHART or watch.pressed != 0 or not (shallow > 0.0 or math.isinf(guard.stiffness)):
        return 0
    value = watched_value(model, guard, q)
    if value >= guard.lower - NEAR:  # so that what rests there is at its stop, and not by rounding beyond it
        watch.lower = min(value, guard.lower)
    if value <= guard.upper + NEAR:
        watch.upper = max(value, guard.upper)
    if value - watch.lower <= NEAR:
        return -1
    return 1 if watch.upper - value <= NEAR else 0


@subroutine
def update_holds(system):
    """Lock the dofs whose guards hold, and activate the constraints of guards."""
    guards, watches = system.model.guards, system.work.watches
    for k in range(guards.shape[0]):
        if guards[k].kind == ON_DOF:
            system.work.dofs[guards[k].v].is_locked = watches[k].held
    for c in range(system.constraints.records.shape[0]):
        record = system.constraints.records[c]
        if record.guard >= 0 and watches[record.guard].touch != 0:
            record.constant = bound_of(watches[record.guard], watches[record.guard].touch)
    activate(system.constraints, watches)


@subroutine
def reconsider(system, y, slopes, k, shallow):
    """Release a guard whose force exceeds its bounds, or hold one that is driven back. Return whether it changed."""
    guard, watch = system.model.guards[k], system.work.watches[k]
    if watch.held:
        least, most = holding_forces(guard, watch)
        allowed = NEAR * (1.0 + guard.friction)
        if watch.touch != 0 and abs(watch.load) > guard.stiffness * shallow + guard.friction:
            watch.pressed, watch.touch = watch.touch, 0  # it gives way by more than may be left out
            watch.candidate = watch.held = 1 if guard.friction > 0.0 else 0
            return True
        if least - allowed <= watch.load <= most + allowed:
            return False
        watch.held = 0
        if watch.slide == 0:
            watch.slide = -1 if watch.load > most else 1
        return True
    gain = watched_gain(system, y, slopes, k)
    back = -gain if watch.rested else gain
    if watch.slide * back <= NEAR:
        return False
    watch.held = 1
    if watch.rested:
        watch.slide = 0
    return True


@subroutine
def watched_gain(system, y, slopes, k):
    """Return the acceleration of the coordinate or measure that a guard watches [rad/s^2 or m/s^2]."""
    guard = system.model.guards[k]
    q, qd = parts_of(system, y)
    qdd = parts_of(system, slopes)[1]
    if guard.kind != ON_MEASURE:
        return qdd[guard.v]
    return measured_rate(system.model, guard, q, qdd) + measured_drift(system.model, guard, q, qd)
