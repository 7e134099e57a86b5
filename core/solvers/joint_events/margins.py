# SPDX-License-Identifier: GPL-3.0-or-later
"""Margins of set-valued forces: signed distances of a state from the next event, such as a stop that is reached.

Each set-valued force has seven margins. A margin that becomes negative within a step shows that a force begins or
ceases to act there, so the step must end at that time. A margin comes with its rate if the rate is known. If it is not,
forces are continuous at the event, and its time need not be located as exactly.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...dynamics.set_valued_forces import drive_force, force_law_coordinate, force_law_velocity, stop_position
from ...model.compiling.compiled import ON_DOF, ON_QUANTITY

HOLD, SLIDE, LOWER, UPPER, LOWER_VELOCITY, UPPER_VELOCITY, DRIVE = range(7)
"""Numbers of the margins of a set-valued force.

HOLD is the distance of a locking force from its bounds, SLIDE the velocity against friction, LOWER and UPPER the
distances to the stops, LOWER_VELOCITY and UPPER_VELOCITY those to the velocity limits, and DRIVE the distance of a
drive's force from its effort limit.
"""

MARGIN_COUNT = 7
"""The number of margins of a set-valued force."""

ZERO_TOLERANCE = 1e-9
"""Tolerance within which a coordinate is at its stop [rad or m], and a velocity is zero [rad/s or m/s]."""

NO_EVENT = 1e300
"""Margin of an event that cannot happen."""

UNKNOWN_RATE = math.nan
"""Rate of a margin whose rate is not known."""


@subroutine
def write_margins(model, work, q, qd, qdd, out):
    """Write (margin, its rate) of each set-valued force to `out`, shape (set-valued forces, MARGIN_COUNT, 2).

    `FORCE_STATE.load` of locked coordinates must be that of the last evaluation of the rates.
    """
    for k in range(model.set_valued_forces.shape[0]):
        for margin in range(MARGIN_COUNT):
            out[k, margin, 0], out[k, margin, 1] = NO_EVENT, 0.0
        element, force_state = model.set_valued_forces[k], work.force_states[k]
        if force_state.is_disabled:
            continue
        if force_state.is_locked and not force_state.is_undecided:
            least, most = holding_forces(element, force_state)
            out[k, HOLD, 0], out[k, HOLD, 1] = min(force_state.load - least, most - force_state.load), UNKNOWN_RATE
        write_stop_margins(model, element, force_state, q, qd, out[k])
        if element.kind != ON_QUANTITY:
            write_speed_margins(element, force_state, qd[element.v], qdd[element.v], out[k])
        if element.kind == ON_DOF and 0.0 < element.effort_limit < math.inf:
            write_drive_margin(element, force_state, q, qd, qdd, out[k])


@jitable
def write_stop_margins(model, element, force_state, q, qd, out):
    value, rate = force_law_coordinate(model, element, q), force_law_velocity(model, element, q, qd)
    for side in (-1, 1):
        bound = stop_position(force_state, side)
        margin = LOWER if side < 0 else UPPER
        if not math.isinf(bound) and not (force_state.is_locked and force_state.motion_sign == 0):
            sign = 1.0 if force_state.pressed == side else -1.0
            out[margin, 0], out[margin, 1] = sign * side * (value - bound), sign * side * rate


@jitable
def write_speed_margins(element, force_state, rate, acceleration, out):
    if element.friction > 0.0 and force_state.motion_sign != 0 and not force_state.is_locked:
        out[SLIDE, 0], out[SLIDE, 1] = force_state.motion_sign * rate, force_state.motion_sign * acceleration
    for side in (-1, 1):
        if not math.isinf(element.velocity_limit) and not (force_state.is_locked and force_state.motion_sign == side):
            margin = LOWER_VELOCITY if side < 0 else UPPER_VELOCITY
            out[margin, 0], out[margin, 1] = element.velocity_limit - side * rate, -side * acceleration


@jitable
def write_drive_margin(element, force_state, q, qd, qdd, out):
    """Write the margin of a drive's force to its effort limit.

    A stiff drive passes through its whole range of force in a very short time, so the end of that range must be located
    exactly. If the event is missed, the demanded force returns into the range at once.
    """
    force = drive_force(element, q, qd)
    if force_state.saturated == 0:
        out[DRIVE, 0], out[DRIVE, 1] = element.effort_limit - abs(force), UNKNOWN_RATE
    else:
        change = element.drive_stiffness * (element.drive_rate - qd[element.v]) - element.drive_damping * qdd[element.v]
        out[DRIVE, 0], out[DRIVE, 1] = (
            force_state.saturated * force - element.effort_limit,
            force_state.saturated * change,
        )


@jitable
def holding_forces(element, force_state):
    """Return the least and the largest force with which a set-valued force can hold [N or N m]."""
    if force_state.motion_sign != 0:  # at its velocity limit, a set-valued force only brakes
        return (-math.inf, 0.0) if force_state.motion_sign > 0 else (0.0, math.inf)
    least = -math.inf if force_state.stop_side > 0 else -element.friction
    most = math.inf if force_state.stop_side < 0 else element.friction
    return least, most


@jitable
def margin_tolerance(element, margin):
    """Return how far below 0 a margin may be because of rounding."""
    if margin == HOLD:
        return ZERO_TOLERANCE * (1.0 + element.friction)
    if margin == DRIVE:
        return ZERO_TOLERANCE * (1.0 + element.effort_limit)
    return 0.1 * ZERO_TOLERANCE


@subroutine
def first_crossing(model, starts, ends, h):
    """Return (part of the step, set-valued force, margin) of the first margin that becomes negative.

    The part is 2 if none does.

    Args:
        starts, ends: margins at both ends of the step, shape (set-valued forces, MARGIN_COUNT, 2).
        h: length of the step [s].
    """
    first, element, margin = 2.0, -1, -1
    for k in range(model.set_valued_forces.shape[0]):
        for w in range(MARGIN_COUNT):
            if ends[k, w, 0] < NO_EVENT and starts[k, w, 0] < NO_EVENT:
                part = crossing_part(starts[k, w], ends[k, w], h, margin_tolerance(model.set_valued_forces[k], w))
                if part < first:
                    first, element, margin = part, k, w
    return first, element, margin


@jitable
def has_passed_no_event(model, ends):
    """Return whether no margin with a known rate is below its tolerance at the end of a step."""
    for k in range(model.set_valued_forces.shape[0]):
        for w in range(MARGIN_COUNT):
            if ends[k, w, 0] < -margin_tolerance(model.set_valued_forces[k], w) and not math.isnan(ends[k, w, 1]):
                return False
    return True


@jitable
def crossing_part(start, end, h, tolerance):
    """Return the part of a step at which a margin falls below its tolerance, by the cubic through both ends.

    Return 2 if it does not.
    """
    half_tolerance = 0.5 * tolerance
    # The event is located at half the tolerance, so that a margin that stays there is not found again.
    a, b = start[0] + half_tolerance, end[0] + half_tolerance
    if math.isnan(start[1]) or math.isnan(end[1]):
        if b >= -half_tolerance:
            return 2.0
        # The margin of a locked force may stay at minus half the tolerance for many steps. Only a margin below minus
        # the full tolerance is an event.
        a, b = start[0] + tolerance, end[0] + tolerance
        return max(a / (a - b), 1e-3) if a > 0.0 else 1e-3
    da, db = h * start[1], h * end[1]
    if b >= -half_tolerance:
        if not (da < 0.0 < db):
            return 2.0
        low = cubic_minimum(a, da, b, db)
        if hermite_cubic(a, da, b, db, low) >= -half_tolerance:
            return 2.0
        return cubic_root(a, da, b, db, 0.0, low)
    if a > 0.0:
        return cubic_root(a, da, b, db, 0.0, 1.0)
    if da < 0.0:
        return 0.0
    # The margin is negative at the start but increases: halve `begin` until the margin is positive there.
    begin = 0.5
    while begin > 1e-9 and hermite_cubic(a, da, b, db, begin) <= 0.0:
        begin *= 0.5
    if begin > 1e-9:
        return cubic_root(a, da, b, db, begin, 1.0)
    return 1.0 if b < a else 2.0


@jitable
def hermite_cubic(a, da, b, db, s):
    """Return the value of the cubic Hermite interpolant at s in [0, 1]."""
    t = 1.0 - s
    return (a * (1.0 + 2.0 * s) + da * s) * t * t + (b * (3.0 - 2.0 * s) - db * t) * s * s


@jitable
def cubic_minimum(a, da, b, db):
    """Return the s in [0, 1] at which a cubic that falls at 0 and rises at 1 has its minimum."""
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        c3, c2 = 2.0 * (a - b) + da + db, 3.0 * (b - a) - 2.0 * da - db
        if (3.0 * c3 * middle + 2.0 * c2) * middle + da < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@jitable
def cubic_root(a, da, b, db, low, high):
    """Return the s at which a cubic that is positive at `low` and negative at `high` is 0, by bisection."""
    for _ in range(45):
        middle = 0.5 * (low + high)
        if hermite_cubic(a, da, b, db, middle) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
