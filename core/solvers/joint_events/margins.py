# SPDX-License-Identifier: GPL-3.0-or-later
"""Margins of guards: signed distances of a state from the next event, such as a stop that is reached.

Each guard has seven margins. A margin that becomes negative within a step shows that a force begins or ceases to act
there, so the step must end at that time. A margin comes with its rate if the rate is known. If it is not, forces are
continuous at the event, and its time need not be located as exactly.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...dynamics.guards import bound_of, drive_force, watched_rate, watched_value
from ...model.compiling.compiled import ON_DOF, ON_MEASURE

HOLD, SLIDE, LOWER, UPPER, SLOWEST, FASTEST, DRIVE = range(7)
"""Numbers of the margins of a guard.

HOLD is the reserve of the force that holds, SLIDE the velocity against friction, LOWER and UPPER the distances to the
stops, SLOWEST and FASTEST those to the velocity limits, and DRIVE the reserve of a drive's force to its effort limit.
"""

COUNT = 7
"""The number of margins of a guard."""

NEAR = 1e-9
"""Tolerance within which a coordinate is at its stop [rad or m], and a velocity is zero [rad/s or m/s]."""

AFAR = 1e300
"""Margin of an event that cannot happen."""

UNKNOWN = math.nan
"""Rate of a margin whose rate is not known."""


@subroutine
def write_margins(model, work, q, qd, qdd, out):
    """Write (margin, its rate) of each guard to `out`, shape (guards, COUNT, 2).

    The forces of guards that hold are those of the last evaluation of the rates.
    """
    for k in range(model.guards.shape[0]):
        for which in range(COUNT):
            out[k, which, 0], out[k, which, 1] = AFAR, 0.0
        guard, watch = model.guards[k], work.watches[k]
        if watch.asleep:
            continue
        if watch.held and not watch.stubborn:
            least, most = holding_forces(guard, watch)
            out[k, HOLD, 0], out[k, HOLD, 1] = min(watch.load - least, most - watch.load), UNKNOWN
        write_stop_margins(model, guard, watch, q, qd, out[k])
        if guard.kind != ON_MEASURE:
            write_speed_margins(guard, watch, qd[guard.v], qdd[guard.v], out[k])
        if guard.kind == ON_DOF and 0.0 < guard.effort < math.inf:
            write_drive_margin(guard, watch, q, qd, qdd, out[k])


@jitable
def write_stop_margins(model, guard, watch, q, qd, out):
    value, rate = watched_value(model, guard, q), watched_rate(model, guard, q, qd)
    for side in (-1, 1):
        bound = bound_of(watch, side)
        which = LOWER if side < 0 else UPPER
        if not math.isinf(bound) and not (watch.held and watch.slide == 0):
            way = 1.0 if watch.pressed == side else -1.0
            out[which, 0], out[which, 1] = way * side * (value - bound), way * side * rate


@jitable
def write_speed_margins(guard, watch, rate, gain, out):
    if guard.friction > 0.0 and watch.slide != 0 and not watch.held:
        out[SLIDE, 0], out[SLIDE, 1] = watch.slide * rate, watch.slide * gain
    for side in (-1, 1):
        if not math.isinf(guard.velocity) and not (watch.held and watch.slide == side):
            which = SLOWEST if side < 0 else FASTEST
            out[which, 0], out[which, 1] = guard.velocity - side * rate, -side * gain


@jitable
def write_drive_margin(guard, watch, q, qd, qdd, out):
    """Write the margin of a drive's force to its effort limit.

    A stiff drive passes through its whole range of force in a very short time, so the end of that range must be located
    exactly. If the event is missed, the demanded force returns into the range at once.
    """
    asked = drive_force(guard, q, qd)
    if watch.saturated == 0:
        out[DRIVE, 0], out[DRIVE, 1] = guard.effort - abs(asked), UNKNOWN
    else:
        change = guard.drive_stiffness * (guard.drive_rate - qd[guard.v]) - guard.drive_damping * qdd[guard.v]
        out[DRIVE, 0], out[DRIVE, 1] = watch.saturated * asked - guard.effort, watch.saturated * change


@jitable
def holding_forces(guard, watch):
    """Return the least and the largest force with which a guard can hold [N or N m]."""
    if watch.slide != 0:  # at its velocity limit, a guard only brakes
        return (-math.inf, 0.0) if watch.slide > 0 else (0.0, math.inf)
    least = -math.inf if watch.touch > 0 else -guard.friction
    most = math.inf if watch.touch < 0 else guard.friction
    return least, most


@jitable
def slack(guard, which):
    """Return how far below 0 a margin may be because of rounding."""
    if which == HOLD:
        return NEAR * (1.0 + guard.friction)
    if which == DRIVE:
        return NEAR * (1.0 + guard.effort)
    return 0.1 * NEAR


@subroutine
def first_crossing(model, starts, ends, h):
    """Return (part of the step, guard, which) of the first margin that becomes negative.

    The part is 2 if none does. starts, ends: margins at both ends of the step, shape (guards, COUNT, 2). h: its length
    [s].
    """
    first, guard, which = 2.0, -1, -1
    for k in range(model.guards.shape[0]):
        for w in range(COUNT):
            if ends[k, w, 0] < AFAR and starts[k, w, 0] < AFAR:
                part = crossing(starts[k, w], ends[k, w], h, slack(model.guards[k], w))
                if part < first:
                    first, guard, which = part, k, w
    return first, guard, which


@jitable
def is_clear(model, ends):
    """Return whether no margin with a known rate is below its tolerance at the end of a step."""
    for k in range(model.guards.shape[0]):
        for w in range(COUNT):
            if ends[k, w, 0] < -slack(model.guards[k], w) and not math.isnan(ends[k, w, 1]):
                return False
    return True


@jitable
def crossing(start, end, h, allowed):
    """Return the part of a step at which a margin falls below its tolerance, by the cubic through both ends.

    Return 2 if it does not.
    """
    spared = 0.5 * allowed
    # The event is located at half the tolerance, so that a margin that stays there is not found again.
    a, b = start[0] + spared, end[0] + spared
    if math.isnan(start[1]) or math.isnan(end[1]):
        if b >= -spared:
            return 2.0
        # A guard that holds may stay at half the tolerance for long. At all of it, it must have been released.
        a, b = start[0] + allowed, end[0] + allowed
        return max(a / (a - b), 1e-3) if a > 0.0 else 1e-3
    da, db = h * start[1], h * end[1]
    if b >= -spared:
        if not (da < 0.0 < db):
            return 2.0
        low = lowest(a, da, b, db)
        if cubic(a, da, b, db, low) >= -spared:
            return 2.0
        return root(a, da, b, db, 0.0, low)
    if a > 0.0:
        return root(a, da, b, db, 0.0, 1.0)
    if da < 0.0:
        return 0.0
    begin = 0.5  # the margin is about to become positive: find where it is
    while begin > 1e-9 and cubic(a, da, b, db, begin) <= 0.0:
        begin *= 0.5
    if begin > 1e-9:
        return root(a, da, b, db, begin, 1.0)
    return 1.0 if b < a else 2.0


@jitable
def cubic(a, da, b, db, s):
    """Return the value of the cubic Hermite interpolant at s in [0, 1]."""
    t = 1.0 - s
    return (a * (1.0 + 2.0 * s) + da * s) * t * t + (b * (3.0 - 2.0 * s) - db * t) * s * s


@jitable
def lowest(a, da, b, db):
    """Return where a cubic is least that falls at 0 and rises at 1."""
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
def root(a, da, b, db, low, high):
    """Return where a cubic is 0 that is positive at `low` and negative at `high`."""
    for _ in range(45):
        middle = 0.5 * (low + high)
        if cubic(a, da, b, db, middle) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
