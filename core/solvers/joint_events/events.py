# SPDX-License-Identifier: GPL-3.0-or-later
"""Handling of events of joints: changes of guards, impacts and modes."""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...dynamics.guards import drive_force, watched_value
from ...model.compiling.compiled import ON_DOF
from ..system import parts_of
from .holding import settle
from .impacts import NOTHING, UNFIT, bring_to_rest, strike
from .margins import DRIVE, LOWER, NEAR, UPPER


@jitable
def take_place(system, y, k, which):
    """Store the change of mode at an event of guard k, unless the state itself implies it.

    That is the case for drives and compliant stops, whose forces are nearly zero at the event.
    """
    guard, watch = system.model.guards[k], system.work.watches[k]
    q, qd = parts_of(system, y)
    if which == DRIVE:
        pulls = 1 if drive_force(guard, q, qd) > 0.0 else -1
        watch.saturated = pulls if watch.saturated == 0 else 0
    elif which in (LOWER, UPPER):
        side = -1 if which == LOWER else 1
        if watch.pressed == side:
            watch.pressed = 0


@subroutine
def resolve(calls, system, time, y, slopes, shallow, resting, crowded):
    """Handle impacts, find which guards hold from now on, and leave the rates in `slopes`.

    Return (whether the modes are certain, whether velocities jumped), as 1 or 0.
    """
    jumped = strike(calls, system, time, y, slopes, shallow, resting)
    if jumped != NOTHING:
        limit_drives(system, y)
    bring_to_rest(calls, system, time, y, slopes, resting, jumped != NOTHING)
    settled = settle(calls, system, time, y, slopes, shallow, crowded)
    return (1 if settled and jumped != UNFIT else 0), (0 if jumped == NOTHING else 1)


@subroutine
def limit_drives(system, y):
    """Store which drives exceed their effort limit after velocities have jumped."""
    q, qd = parts_of(system, y)
    for k in range(system.model.guards.shape[0]):
        guard = system.model.guards[k]
        if guard.kind == ON_DOF:
            asked = drive_force(guard, q, qd)
            system.work.watches[k].saturated = 0 if abs(asked) <= guard.effort else (1 if asked > 0.0 else -1)


@subroutine
def wake(system, y):
    """Set the modes at the start: drives at their effort limit, and compliant stops that are pressed.

    If a motion starts beyond a rigid stop, the stop acts from there on. If closing loops has moved a joint beyond its
    stop by rounding, it counts as touching.
    """
    limit_drives(system, y)
    q = parts_of(system, y)[0]
    for k in range(system.model.guards.shape[0]):
        guard, watch = system.model.guards[k], system.work.watches[k]
        if watch.asleep:
            continue
        value = watched_value(system.model, guard, q)
        side = -1 if value < watch.lower - NEAR else (1 if value > watch.upper + NEAR else 0)
        if side == 0:
            continue
        if math.isinf(guard.stiffness):
            if side < 0:
                watch.lower = value
            else:
                watch.upper = value
        else:
            watch.pressed = side
