# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of the default solver: as long as the tolerance allows, explicit while motion is smooth, implicit when stiff.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (2nd ed., 1993), section II.4, and equation
(IV.2.43) of volume II, for step size control; Petzold, Automatic selection of methods for solving stiff and nonstiff
systems of ordinary differential equations (1983), for the switch.
"""

from __future__ import annotations

import math

import numpy as np

from ...compilation.jit import jitable, kernel, subroutine
from ...model.compiling.compiled import ON_DOF
from ...spatial import raised
from ...spatial.storage import copy, renamed_fields
from ..frames import is_asked, time_ahead, write_frame
from ..joint_events.events import apply_mode_change, initialize_modes, resolve_joint_event
from ..joint_events.margins import DRIVE, first_crossing
from ..protocol import HOPELESS, REACHED, UNDERWAY
from ..system import ENERGY_TOTALS, normalize_quaternions
from .dop853 import COUNT
from .event_location import step_to_event
from .one_step import attempt_step, end_row, write_step_margins
from .step_order import choose_order, explicit_order, note_low_order_failed, use_high_order_for

SHORTEST_STEP = 1e-12
"""Length below which a step has failed: the motion diverges or jumps [s]."""

STABILITY_PRODUCT = 1.0
"""Product of an explicit step and the fastest rate beyond which stability may limit the step, not accuracy."""

SWITCH_AFTER = 15
"""Number of consecutive steps whose error estimate favours the other method before the solver switches."""

SWITCH_AFTER_MAX = 240
"""Upper bound of that number, which doubles after each switch that did not save work."""

STIFF_DRIVE_PRODUCT = 15.0
"""Product of a step and the fastest rate of a drive beyond which implicit steps are taken at once."""

EXPLICIT_COST = COUNT
"""Number of evaluations of the accelerations in an explicit step."""

CROWDED_INTERVAL = 1e-6
"""Time between two events below which they count as crowded [s]."""

LOCK_ALL_AFTER = 30
"""Number of consecutive crowded events after which each set-valued force that can lock its coordinate locks it until
the next frame, so that the motion goes on.
"""

FAIL_AFTER = 2000
"""Number of consecutive crowded events after which the simulation fails."""

FIRST_STOP_STEP = 0.4
"""First step on a compliant stop, as a part of 1 / (angular frequency of its oscillation)."""

BOTH, EXPLICIT, IMPLICIT = 0, 1, 2
"""Methods that a solver may use: explicit and implicit steps, or one of them alone."""

STEPPING = np.dtype(
    [
        ("time", np.float64),
        ("step", np.float64),  # next step that the error control proposes [s]
        ("error", np.float64),  # of the last step; the tolerance allows 1
        ("explicit_step", np.float64),  # length of the last explicit step before implicit ones [s]
        ("step_before_stop", np.float64),  # length of the step when a stop began to be pressed [s]
        ("yield_step", np.float64),  # upper bound of steps while the yield of a strained contact is located; else 0 [s]
        ("flow", np.float64),  # sum of the absolute changes of the energy totals [J]
        ("started", np.int64),  # whether the modes of joints and contacts have been found
        ("has_slopes", np.int64),  # whether the first slope is that of the present state
        ("implicit", np.int64),  # whether steps are implicit at present
        ("steps_for_other", np.int64),  # number of consecutive steps that favour the other method
        ("switch_after", np.int64),  # number of such steps before the solver switches
        (
            "has_tried_other",
            np.int64,
        ),  # whether methods were switched since the last frame for want of a short enough step
        ("steps", np.int64),
        ("rejected", np.int64),
        ("implicit_steps", np.int64),
        ("events", np.int64),
        ("impacts", np.int64),
        ("crowded", np.int64),  # number of consecutive crowded events
        ("yielded", np.int64),  # number of consecutive yields of strained contacts without a step in between
        ("stalled", np.int64),  # number of consecutive steps without progress
        # of convex steps, and of the choice between these and events
        ("event_cost", np.float64),  # recent cost of events [ns]
        ("convex_step", np.float64),  # the next convex step [s]; 0 for the length at this accuracy
        ("soft_energy", np.float64),  # after a convex step, of compliant contacts; at events, of those just removed [J]
        ("created", np.float64),  # sum of the energies that convex steps have created so far; see `created_energy` [J]
        ("most_moved", np.float64),  # largest energy that moved in a convex step so far [J]
        ("halted", np.int64),  # number of consecutive times that events left no step that is long enough
        ("convex_steps_taken", np.int64),  # number of convex steps that were taken last time
        ("convex_steps_left", np.int64),  # number of steps before events are located again; 0 while they are
        ("unsettled", np.int64),  # number of events after which modes are uncertain
        ("is_low_order", np.int64),  # whether explicit steps are of order 5
        ("low_order_wait", np.int64),  # number of steps before they may be
        ("low_order_error", np.float64),  # error that one would have had instead of the last one of order 8
    ],
    align=True,
)
"""The state of the step size control, and of the choice between methods."""

SAVED_NAMES = {
    "steps_for_other": "signs",
    "switch_after": "patience",
    "step_before_stop": "stride",
    "has_tried_other": "rescued",
    "event_cost": "burden",
    "convex_step": "stretch",
    "convex_steps_left": "trust",
    "convex_steps_taken": "lasting",
    "soft_energy": "stored",
    "has_slopes": "fresh",
    "yield_step": "narrow",
}
"""Names under which saved states store fields of STEPPING. A file that is read must have the same names."""

SAVED_STEPPING = renamed_fields(STEPPING, SAVED_NAMES)
"""STEPPING with the field names of saved states. The memory layout is the same."""


@kernel
def advance(calls, system, y, trial, slopes, stepping, frames, end, settings, most_steps):
    """Integrate `y` in place up to the last of `frames`, or up to `end` [s] if none is asked for. Return a `Progress`.

    most_steps: number of steps after which the rest is left to another call.
    """
    left = most_steps
    while True:
        end = time_ahead(frames, end)
        found, left = advance_to(calls, system, y, trial, slopes, stepping[0], end, settings, left)
        if found != REACHED or not is_asked(frames):
            return found
        write_frame(calls, system, stepping[0], y, 0.0, frames)
        if not is_asked(frames):
            return REACHED
        if left <= 0:
            return UNDERWAY


@subroutine
def advance_to(calls, system, y, trial, slopes, now, end, settings, most_steps):
    """Integrate `y` in place up to `end` [s]. Return (a `Progress`, how many steps of `most_steps` are left)."""
    if now.has_slopes == 0:
        start_motion(calls, system, y, slopes, now, settings)
    left = most_steps
    while left > 0 and now.time < end:
        left -= 1
        if now.crowded > FAIL_AFTER:
            return HOPELESS, left
        if not now.step > SHORTEST_STEP and not switch_method_if_stuck(calls, system, y, slopes, now, settings):
            return HOPELESS, left
        remaining = end - now.time
        use_high_order_for(now, remaining)
        # Steps of equal length up to the frame leave no very short one at the end.
        h = remaining / math.ceil(remaining / now.step)
        error, rate = attempt_step(calls, system, y, trial, slopes, now, h, settings)
        if error <= 1.0 and is_interrupted(system, trial, slopes, now, h, settings):
            handle_event(calls, system, y, trial, slopes, now, h, rate, settings)
        elif error <= 1.0:
            now.time = end if h == remaining else now.time + h
            accept_step(system, y, trial, slopes, now, h, error, settings.order)
            choose_order(now, h == remaining)
            if settings.methods == BOTH:
                choose_method(calls, system, y, slopes, now, h, rate, settings.order)
        else:  # an error that is not a number comes here as well
            shorten_step(now, h, error, settings.order)
    if now.time < end:
        return UNDERWAY, left
    now.has_tried_other = 0
    for k in range(system.work.force_states.shape[0]):
        system.work.force_states[k].bounce_count = 0
        if system.work.force_states[k].is_undecided:
            now.has_slopes = 0
    return REACHED, left


@subroutine
def start_motion(calls, system, y, slopes, now, settings):
    """Determine the modes of set-valued forces, the first slope and, at the start of a motion, the first step."""
    if now.started == 0:
        initialize_modes(system, y)
    calls.rates(system, now.time, y, 0.0, slopes[0])
    if system.work.force_states.shape[0] > 0:
        settled = resolve_joint_event(
            calls, system, now.time, y, slopes[0], settings.instant_depth, settings.rest_height, False
        )[0]
        now.unsettled += 1 - settled
        write_step_margins(system, y, slopes[0], 0)
    if now.started == 0:
        now.step = max(first_step(y, slopes[0], settings.tolerance), 10.0 * SHORTEST_STEP)
        now.error = 1e-4
        now.started = 1
    now.has_slopes = 1


@subroutine
def is_interrupted(system, trial, slopes, now, h, settings):
    """Return whether an event lies within a step that has been tried."""
    if system.work.force_states.shape[0] == 0:
        return False
    write_step_margins(system, trial, slopes[end_row(now, settings)], 1)
    return first_crossing(system.model, system.margins[0], system.margins[1], h)[0] <= 1.0


@subroutine
def handle_event(calls, system, y, trial, slopes, now, h, rate, settings):
    """Step to the first event, and handle it."""
    seconds, element, margin = step_to_event(calls, system, y, trial, slopes, now, h, settings)
    if math.isnan(seconds):
        now.step = 0.1 * h
        now.rejected += 1
        return
    add_energy_flow(y, trial, now)
    copy(trial, y)
    now.time += seconds
    now.steps += 1
    now.implicit_steps += now.implicit
    now.events += 1
    now.crowded = now.crowded + 1 if seconds < CROWDED_INTERVAL else 0
    normalize_quaternions(system.model, y)
    copy(slopes[end_row(now, settings)], slopes[0])
    apply_mode_change(system, y, element, margin)
    pressed = count_pressed_stops(system)
    crowded = now.crowded > LOCK_ALL_AFTER
    settled, jumped = resolve_joint_event(
        calls, system, now.time, y, slopes[0], settings.instant_depth, settings.rest_height, crowded
    )
    now.unsettled += 1 - settled
    now.impacts += jumped
    write_step_margins(system, y, slopes[0], 0)
    if settings.methods == BOTH:
        choose_method(calls, system, y, slopes, now, h, rate, settings.order)
    adapt_to_stops(system, now, settings, pressed)
    if settings.methods == BOTH and margin == DRIVE:
        adapt_to_drives(system, now)


@jitable
def switch_method_if_stuck(calls, system, y, slopes, now, settings):
    """Switch to the other method if no step is short enough, at most once a frame. Return whether there is one.

    All explicit steps of a useful length may be unstable, and implicit steps may fail where the motion is not smooth.
    """
    if settings.methods != BOTH or now.has_tried_other:
        return False
    now.has_tried_other = 1
    now.steps_for_other = 0
    if now.implicit:
        calls.rates(system, now.time, y, 0.0, slopes[0])
    else:
        now.explicit_step = SHORTEST_STEP
    now.implicit = 1 - now.implicit
    now.step = 10.0 * SHORTEST_STEP
    return True


@jitable
def adapt_to_stops(system, now, settings, before):
    """Choose a new step when a compliant stop begins or ceases to be pressed."""
    pressed = count_pressed_stops(system)
    if pressed > before:
        if before == 0:
            now.step_before_stop = now.step
        # Longer steps would pass the whole contact with the stop.
        first = FIRST_STOP_STEP / fastest_stop(system)
        if now.implicit and settings.methods == BOTH and not is_implicit_cheaper(first, now, settings.order):
            now.implicit = 0
            now.step = min(now.step, now.explicit_step)
        now.steps_for_other = 0
        now.step = min(now.step, first)
    elif pressed == 0 and before > 0:
        now.step = max(now.step, now.step_before_stop)


@jitable
def adapt_to_drives(system, now):
    """Switch to implicit steps when a stiff drive has just left its effort limit."""
    fastest = 0.0
    for k in range(system.work.force_states.shape[0]):
        element = system.model.set_valued_forces[k]
        if element.kind == ON_DOF and system.work.force_states[k].saturated == 0:
            yields = system.work.dofs[element.v].D_inv
            fastest = max(fastest, element.drive_damping * yields + math.sqrt(element.drive_stiffness * yields))
    if now.implicit == 0 and now.step * fastest > STIFF_DRIVE_PRODUCT:
        now.implicit = 1
        now.steps_for_other = 0
        now.explicit_step = 1.0 / fastest


@jitable
def fastest_stop(system):
    """Return an estimate of the highest frequency of an oscillation on a pressed stop [rad/s]."""
    fastest = 1.0
    for k in range(system.work.force_states.shape[0]):
        element = system.model.set_valued_forces[k]
        if system.work.force_states[k].pressed != 0 and element.kind == ON_DOF:
            fastest = max(fastest, element.stiffness * system.work.dofs[element.v].D_inv)
    return math.sqrt(fastest)


@jitable
def count_pressed_stops(system):
    count = 0
    for k in range(system.work.force_states.shape[0]):
        count += abs(system.work.force_states[k].pressed)
    return count


@jitable
def first_step(y, slopes, tolerance):
    """Return a step [s] in which the state changes by a small share of itself. The error control corrects it soon."""
    size = 0.0
    rate = 0.0
    for k in range(y.shape[0] - ENERGY_TOTALS):
        weight = 1.0 + abs(y[k])
        size = max(size, abs(y[k]) / weight)
        rate = max(rate, abs(slopes[k]) / weight)
    return 0.1 * raised(tolerance, 0.2) * max(size, 0.1) / max(rate, 1e-3)


@jitable
def shorten_step(now, h, error, order):
    """Choose the step to try after one of h seconds has failed. A step of order 5 is tried again with order 8."""
    now.rejected += 1
    if now.is_low_order and now.implicit == 0:
        note_low_order_failed(now)
        now.step = h
    else:
        exponent = -1.0 / (order if now.implicit else explicit_order(now))
        now.step = h * max(0.2, 0.9 * raised(error, exponent)) if error < 1e300 else 0.1 * h


@jitable
def accept_step(system, y, trial, slopes, now, h, error, order):
    exponent = -0.85 / (order if now.implicit else explicit_order(now))
    growth = 0.9 * raised(max(error, 1e-10), exponent) * raised(now.error, 0.04)
    now.step = h * min(max(growth, 0.2), 5.0)
    now.error = max(error, 1e-4)
    now.steps += 1
    now.implicit_steps += now.implicit
    add_energy_flow(y, trial, now)
    copy(trial, y)
    now.crowded = 0
    if now.implicit == 0:
        copy(slopes[COUNT], slopes[0])  # the last slope is the next step's first
    for k in range(system.margins.shape[1]):
        for margin in range(system.margins.shape[2]):
            system.margins[0, k, margin, 0] = system.margins[1, k, margin, 0]
            system.margins[0, k, margin, 1] = system.margins[1, k, margin, 1]
    normalize_quaternions(system.model, y)


@jitable
def add_energy_flow(y, trial, now):
    for k in range(y.shape[0] - ENERGY_TOTALS, y.shape[0]):
        now.flow += abs(trial[k] - y[k])


@jitable
def is_implicit_cheaper(h, now, order):
    """Return whether implicit steps of h seconds cost less than the explicit steps before them."""
    return h * EXPLICIT_COST > now.explicit_step * (order * (order + 1) // 2)


@jitable
def choose_method(calls, system, y, slopes, now, h, rate, order):
    """Try implicit steps if stability seems to limit explicit ones. Keep them while they cost less."""
    if now.implicit:
        now.steps_for_other = 0 if is_implicit_cheaper(h, now, order) else now.steps_for_other + 1
    else:
        now.steps_for_other = now.steps_for_other + 1 if h * rate > STABILITY_PRODUCT else 0
    if now.steps_for_other < (SWITCH_AFTER if now.implicit else now.switch_after):
        return
    now.steps_for_other = 0
    if now.implicit:
        now.implicit = 0
        now.step = now.explicit_step
        now.switch_after = min(2 * now.switch_after, SWITCH_AFTER_MAX)
        calls.rates(system, now.time, y, 0.0, slopes[0])
    else:
        now.implicit = 1
        now.explicit_step = h
