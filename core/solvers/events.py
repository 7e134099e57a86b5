# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens at an instant when something begins or ceases to act."""

from __future__ import annotations

import math

from ..dynamics.guards import drive_force, watched_value
from ..jit import jitable, subroutine
from ..model.compiled import ON_DOF
from .holding import settle
from .impacts import NOTHING, UNFIT, bring_to_rest, strike
from .margins import DRIVE, LOWER, NEAR, UPPER
from .system import parts_of


@jitable
def take_place(system, y, k, which):
    """Note what begins or ceases with an event of guard k, as far as the state itself does not tell.

    It does not of drives and of stops that give way, whose forces are next to nothing then.
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
    """Let velocities jump, find what holds from now on, and leave the rates in `slopes`.

    Returns whether what holds is certain, and whether velocities jumped, as 1 or 0.
    """
    jumped = strike(calls, system, time, y, slopes, shallow, resting)
    if jumped != NOTHING:
        limit_drives(system, y)
    bring_to_rest(calls, system, time, y, slopes, resting, jumped != NOTHING)
    settled = settle(calls, system, time, y, slopes, shallow, crowded)
    return (1 if settled and jumped != UNFIT else 0), (0 if jumped == NOTHING else 1)


@subroutine
def limit_drives(system, y):
    """Note which drives ask for more than their effort, after velocities have jumped."""
    q, qd = parts_of(system, y)
    for k in range(system.model.guards.shape[0]):
        guard = system.model.guards[k]
        if guard.kind == ON_DOF:
            asked = drive_force(guard, q, qd)
            system.work.watches[k].saturated = 0 if abs(asked) <= guard.effort else (1 if asked > 0.0 else -1)


@subroutine
def wake(system, y):
    """What acts from the start: drives as strong as they may be, stops that are pressed already.

    A rigid stop beyond which the motion starts acts from there on. What closes loops may have put a joint beyond its
    stop by rounding: that one is only touched.
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
