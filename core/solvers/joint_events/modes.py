# SPDX-License-Identifier: GPL-3.0-or-later
"""Modes of set-valued forces after an event: pressed stops, sticking friction, motion at the velocity limit.

Each set-valued force at rest, at a stop or at its velocity limit is assumed to lock its coordinate. A lock whose force
exceeds its bounds is released, and a released coordinate that is driven back is locked again, until there is no
contradiction. In the first rounds all change at once, then one at a time, which cannot cycle.

Source: Judice, Pires, A block principal pivoting algorithm for large-scale strictly monotone linear complementarity
problems (1994); Murty (1974) for one at a time.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...dynamics.constraint_rows import bias_acceleration, quantity_rate
from ...dynamics.constraints import activate
from ...dynamics.set_valued_forces import force_law_coordinate, force_law_velocity, stop_position
from ...model.compiling.compiled import ON_CHART, ON_DOF, ON_QUANTITY
from ..system import parts_of
from .margins import ZERO_TOLERANCE, holding_forces

BLOCK_ROUNDS = 6
"""Number of rounds in which all set-valued forces change at once, as in block principal pivoting."""

MAX_ROUNDS = 40
"""Maximum number of rounds; after the first ones, one set-valued force changes in each."""


@subroutine
def resolve_modes(calls, system, time, y, slopes, instant_depth, crowded):
    """Find the modes of set-valued forces after velocities have jumped. Write the rates to `slopes`.

    If several joints of a loop stick, their shares of the load are not unique, and every choice may be contradictory.
    Then, and if events are crowded, each force that can lock its coordinate locks it until the next frame. Return
    whether there is no contradiction.
    """
    set_valued_forces, force_states = system.model.set_valued_forces, system.work.force_states
    lock_candidates(system, y, instant_depth)
    for turn in range(1 if crowded else MAX_ROUNDS):
        apply_locks(system)
        calls.rates(system, time, y, 0.0, slopes)
        if turn == 0:
            if not calls.project(system, time, y):
                return False
            calls.rates(system, time, y, 0.0, slopes)
        changes = 0
        for k in range(set_valued_forces.shape[0]):
            if force_states[k].candidate and update_lock(system, y, slopes, k, instant_depth):
                changes += 1
                if turn >= BLOCK_ROUNDS:
                    break
        if changes == 0 and not crowded:
            return True
    lock_candidates(system, y, instant_depth)
    for k in range(force_states.shape[0]):
        force_states[k].is_undecided = force_states[k].is_locked
    apply_locks(system)
    calls.rates(system, time, y, 0.0, slopes)
    return False


@subroutine
def lock_candidates(system, y, instant_depth):
    """Lock each coordinate that its set-valued force could lock, and store the direction of motion of the others."""
    model, force_states = system.model, system.work.force_states
    q, qd = parts_of(system, y)
    for k in range(force_states.shape[0]):
        element, force_state = model.set_valued_forces[k], force_states[k]
        (
            force_state.candidate,
            force_state.rested,
            force_state.is_locked,
            force_state.stop_side,
            force_state.is_undecided,
        ) = 0, 0, 0, 0, 0
        if force_state.is_disabled:
            continue
        rate = force_law_velocity(model, element, q, qd)
        force_state.motion_sign = 0 if abs(rate) <= ZERO_TOLERANCE else (1 if rate > 0.0 else -1)
        if force_state.motion_sign == 0:
            force_state.stop_side = touched_side(model, element, force_state, q, instant_depth)
            if force_state.stop_side != 0 or element.friction > 0.0:
                force_state.candidate, force_state.rested, force_state.is_locked = 1, 1, 1
                if element.kind != ON_QUANTITY:
                    qd[element.v] = 0.0
        elif element.kind != ON_QUANTITY and abs(abs(rate) - element.velocity_limit) <= ZERO_TOLERANCE:
            force_state.candidate, force_state.is_locked = 1, 1
            qd[element.v] = force_state.motion_sign * element.velocity_limit


@jitable
def touched_side(model, element, force_state, q, instant_depth):
    """Return -1 or 1 if a coordinate is at a stop that is rigid or nearly so, else 0. Update the stops' positions."""
    if (
        element.kind == ON_CHART
        or force_state.pressed != 0
        or not (instant_depth > 0.0 or math.isinf(element.stiffness))
    ):
        return 0
    value = force_law_coordinate(model, element, q)
    # The stop moves to a coordinate that rounding has placed slightly beyond it.
    if value >= element.lower - ZERO_TOLERANCE:
        force_state.lower = min(value, element.lower)
    if value <= element.upper + ZERO_TOLERANCE:
        force_state.upper = max(value, element.upper)
    if value - force_state.lower <= ZERO_TOLERANCE:
        return -1
    return 1 if force_state.upper - value <= ZERO_TOLERANCE else 0


@subroutine
def apply_locks(system):
    """Lock the dofs whose set-valued forces hold, and activate the constraints of set-valued forces."""
    set_valued_forces, force_states = system.model.set_valued_forces, system.work.force_states
    for k in range(set_valued_forces.shape[0]):
        if set_valued_forces[k].kind == ON_DOF:
            system.work.dofs[set_valued_forces[k].v].is_locked = force_states[k].is_locked
    for c in range(system.constraints.records.shape[0]):
        record = system.constraints.records[c]
        if record.force_law >= 0 and force_states[record.force_law].stop_side != 0:
            record.constant = stop_position(force_states[record.force_law], force_states[record.force_law].stop_side)
    activate(system.constraints, force_states)


@subroutine
def update_lock(system, y, slopes, k, instant_depth):
    """Release a coordinate whose force exceeds its bounds, or lock one that is driven back. Return whether it did."""
    element, force_state = system.model.set_valued_forces[k], system.work.force_states[k]
    if force_state.is_locked:
        least, most = holding_forces(element, force_state)
        tolerance = ZERO_TOLERANCE * (1.0 + element.friction)
        if force_state.stop_side != 0 and abs(force_state.load) > element.stiffness * instant_depth + element.friction:
            # The stop's deflection is too large for it to count as rigid.
            force_state.pressed, force_state.stop_side = force_state.stop_side, 0
            force_state.candidate = force_state.is_locked = 1 if element.friction > 0.0 else 0
            return True
        if least - tolerance <= force_state.load <= most + tolerance:
            return False
        force_state.is_locked = 0
        if force_state.motion_sign == 0:
            force_state.motion_sign = -1 if force_state.load > most else 1
        return True
    acceleration = element_acceleration(system, y, slopes, k)
    towards_rest = -acceleration if force_state.rested else acceleration
    if force_state.motion_sign * towards_rest <= ZERO_TOLERANCE:
        return False
    force_state.is_locked = 1
    if force_state.rested:
        force_state.motion_sign = 0
    return True


@subroutine
def element_acceleration(system, y, slopes, k):
    """Return the acceleration of the coordinate or limited quantity of a force [rad/s^2 or m/s^2]."""
    element = system.model.set_valued_forces[k]
    q, qd = parts_of(system, y)
    qdd = parts_of(system, slopes)[1]
    if element.kind != ON_QUANTITY:
        return qdd[element.v]
    return quantity_rate(system.model, element, q, qdd) + bias_acceleration(system.model, element, q, qd)
