# SPDX-License-Identifier: GPL-3.0-or-later
"""Handling of events of joints: changes of set-valued forces, impacts and modes."""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...dynamics.set_valued_forces import drive_force, force_law_coordinate
from ...model.compiling.compiled import ON_DOF
from ..system import parts_of
from .impacts import INCONSISTENT, UNCHANGED, bring_to_rest, resolve_joint_impacts
from .margins import DRIVE, LOWER, UPPER, ZERO_TOLERANCE
from .modes import resolve_modes


@jitable
def apply_mode_change(system, y, k, margin):
    """Store the change of mode at an event of a drive, or of a compliant stop that is released.

    Their forces are nearly zero there, so the state does not show the mode. All other modes follow from the state.
    """
    element, force_state = system.model.set_valued_forces[k], system.work.force_states[k]
    q, qd = parts_of(system, y)
    if margin == DRIVE:
        force_sign = 1 if drive_force(element, q, qd) > 0.0 else -1
        force_state.saturated = force_sign if force_state.saturated == 0 else 0
    elif margin in (LOWER, UPPER):
        side = -1 if margin == LOWER else 1
        if force_state.pressed == side:
            force_state.pressed = 0


@subroutine
def resolve_joint_event(calls, system, time, y, slopes, instant_depth, rest_height, crowded):
    """Apply the impacts of joints, find the modes of set-valued forces after them, and write the rates to `slopes`.

    Return (whether the modes are certain, whether velocities jumped), as 1 or 0.
    """
    jumped = resolve_joint_impacts(calls, system, time, y, slopes, instant_depth, rest_height)
    if jumped != UNCHANGED:
        limit_drives(system, y)
    bring_to_rest(calls, system, time, y, slopes, rest_height, jumped != UNCHANGED)
    settled = resolve_modes(calls, system, time, y, slopes, instant_depth, crowded)
    return (1 if settled and jumped != INCONSISTENT else 0), (0 if jumped == UNCHANGED else 1)


@subroutine
def limit_drives(system, y):
    """Store which drives exceed their effort limit after velocities have jumped."""
    q, qd = parts_of(system, y)
    for k in range(system.model.set_valued_forces.shape[0]):
        element = system.model.set_valued_forces[k]
        if element.kind == ON_DOF:
            force = drive_force(element, q, qd)
            system.work.force_states[k].saturated = (
                0 if abs(force) <= element.effort_limit else (1 if force > 0.0 else -1)
            )


@subroutine
def initialize_modes(system, y):
    """Set the modes at the start: drives at their effort limit, and compliant stops that are pressed.

    If a motion starts beyond a rigid stop, the stop acts from there on. If closing loops has moved a joint beyond its
    stop by rounding, it counts as touching.
    """
    limit_drives(system, y)
    q = parts_of(system, y)[0]
    for k in range(system.model.set_valued_forces.shape[0]):
        element, force_state = system.model.set_valued_forces[k], system.work.force_states[k]
        if force_state.is_disabled:
            continue
        value = force_law_coordinate(system.model, element, q)
        side = (
            -1
            if value < force_state.lower - ZERO_TOLERANCE
            else (1 if value > force_state.upper + ZERO_TOLERANCE else 0)
        )
        if side == 0:
            continue
        if math.isinf(element.stiffness):
            if side < 0:
                force_state.lower = value
            else:
                force_state.upper = value
        else:
            force_state.pressed = side
