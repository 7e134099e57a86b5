# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about the numbers of single joints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from ..joints import FREE, LimitedQuantity, Unit
from ..model import Axis, Joint, Model
from ..model.couplings import led_homes
from ..model.drives import DRIVES, OFF
from ..model.properties import NEVER_NEGATIVE
from ..model.screws import joint_pose, limited_quantities_at
from ..model.soundness.essentials import numbers_of_joints, which_axis
from ..model.soundness.issue import Issue, all_finite, error, name_of, note, warning
from ..model.text import as_text, measured, measured_apart, measured_range, measured_span
from ..spatial import Vec3, cross, norm, sub

UNIT_TOLERANCE = 1e-4
"""Largest difference of an axis's length from 1 that counts as rounding of digits and not as an error."""

PARALLEL_TOLERANCE = 1e-6
"""Sine of the angle [1] below which two axes count as parallel."""

LIMIT_TOLERANCE = 1e-6
"""Largest excess of a limit over the range of its row that counts as rounding of digits, for example of pi [rad or m].

A home may be beyond a limit by this, too: scenes store it in single precision, and the doctor does not report it.
"""

DEGREES_FROM = 30.0
"""Smallest value of a hinge's largest limit at which multiples of 5 look like degrees [rad], 4.8 turns."""
DEGREES_TO = 360.0
"""Largest value of a hinge's largest limit at which multiples of 5 look like degrees [rad], 57 turns."""


def _axes(model: Model, field: str) -> Iterator[tuple[Joint, int, Axis]]:
    """Yield each axis on which a field has an effect: joint, number of the axis, axis."""
    for joint in model.joints:
        for number, axis in enumerate(joint.axes[: joint.axis_count]):
            if field in joint.kind.slot(number).fields:
                yield joint, number, axis


def zero_axis(model: Model) -> Iterator[Issue]:
    for joint, number, axis in _axes(model, "xyz"):
        if norm(axis.xyz) == 0.0:
            message = f"its {which_axis(joint, number)} is 0 0 0, which has no direction; write 0 0 1, say"
            yield error("zero-axis", name_of(joint), message)


def axis_not_unit(model: Model) -> Iterator[Issue]:
    for joint, number, axis in _axes(model, "xyz"):
        length = norm(axis.xyz)
        if length > 0.0 and math.isfinite(length) and abs(length - 1.0) > UNIT_TOLERANCE:
            yield warning(
                "axis-not-unit",
                name_of(joint),
                f"its {which_axis(joint, number)} {as_text(axis.xyz)} has length {length:g}; only its direction is used"
                ": give length 1",
            )


def parallel_axes(model: Model) -> Iterator[Issue]:
    """Yield a warning for each two consecutive columns that produce the same motion.

    Only the sum of their coordinates can be determined.
    """
    for joint in model.joints:
        for a, b in pairwise(joint.columns):
            one, other = (joint.direction(column.axis) for column in (a, b))
            way = sub(b.point, a.point)
            alike = a.turn * b.slide_with(joint.pitch) == b.turn * a.slide_with(joint.pitch)
            if alike and _parallel(one, other) and (not a.turn or norm(way) == 0.0 or _parallel(one, way)):
                yield warning(
                    "parallel-axes",
                    name_of(joint),
                    f"its axes {as_text(one)} and {as_text(other)} are parallel; turn one of them",
                )


def _parallel(a: Vec3, b: Vec3) -> bool:
    lengths = norm(a) * norm(b)
    return lengths > 0.0 and norm(cross(a, b)) < PARALLEL_TOLERANCE * lengths


def idle_screw(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        for column in joint.columns:
            if not column.turn and not column.slide_with(joint.pitch):
                subject, which = name_of(joint), which_axis(joint, column.axis)
                yield error("idle-axis", subject, f"its {which} neither turns nor slides; give it turn 1, or slide 1")


def slack_law(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        if joint.kind.code == FREE and joint.kind.spring_axes and not joint.kind.is_free:
            numbers = sorted({*joint.kind.spring_axes})
            slack = [which_axis(joint, number) for number in numbers if not joint.axes[number].spring_stiffness]
            if slack:
                message = f"no spring on its {' and '.join(slack)}, so nothing holds it there: give it a stiffness"
                yield warning("no-stiffness", name_of(joint), message)


def cannot_move(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        if not joint.nv and (joint.all_columns or joint.kind.is_open):
            why = "every axis is locked" if joint.axis_count else "it has no axis"
            message = f"{why}, so the joint cannot move; unlock or add one, or make it fixed"
            yield warning("cannot-move", name_of(joint), message)


def never_holds(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        if joint.enabled and joint.released_at <= 0.0:
            yield warning(
                "never-holds",
                name_of(joint),
                f"lets go {_since_start(joint.released_at)}, so it never holds in a simulation; let it go later, or "
                "switch it off",
            )


def _since_start(time: float) -> str:
    return f"{-time:g} s before the start" if time else "at the start"


def idle_drive(model: Model) -> Iterator[Issue]:
    """Yield a warning for each drive that exerts no force because a number that its mode needs is 0."""
    for joint, number, axis in _axes(model, "drive_mode"):
        drive = DRIVES.get(axis.drive_mode, OFF)
        what = f"the {drive.name} drive of its {which_axis(joint, number)}"
        if drive.exerts and not any(getattr(axis, name) for name in drive.exerts):
            lacking = " or ".join(name.removeprefix("drive_") for name in drive.exerts)  # plain words for users
            message = f"{what} has no {lacking}, so it does nothing; give it some"
            yield warning("idle-drive", name_of(joint), message)
        elif drive.exerts and "effort" in joint.kind.slot(number).fields and axis.effort == 0.0:
            message = f"{what} has effort 0, so it does nothing; let it push harder"
            yield warning("idle-drive", name_of(joint), message)


def no_pitch(model: Model) -> Iterator[Issue]:
    """Yield a warning for each screw joint that does not slide."""
    for joint in model.joints:
        if joint.kind.threaded and joint.pitch == 0.0:
            message = "its pitch is 0 m, so it turns and does not slide; give it a pitch, or make it a revolute joint"
            yield warning("no-pitch", name_of(joint), message)


def no_velocity_limit(model: Model) -> Iterator[Issue]:
    """Yield a note on each velocity limit of 0, which many files give if no limit is known."""
    for joint, number, axis in _axes(model, "velocity"):
        if axis.velocity == 0.0 and not joint.is_locked(number):
            yield note(
                "velocity-not-given",
                name_of(joint),
                f"the velocity limit of its {which_axis(joint, number)} is 0, which counts as none; lock the axis to "
                "hold it still, or give more than 0",
            )


def negative_limits(model: Model) -> Iterator[Issue]:
    """Yield an error for each effort or velocity limit below 0. Readers of files change such numbers to no limit."""
    for what in ("effort", "velocity"):
        for joint, number, axis in _axes(model, what):
            if getattr(axis, what) < 0.0:
                message = f"{what} limit of its {which_axis(joint, number)} is {getattr(axis, what):g}"
                yield error("negative-limit", name_of(joint), f"{message}; give 0 or more, or inf for no limit")


def crossed_limits(model: Model) -> Iterator[Issue]:
    for joint, number, axis in _axes(model, "lower"):
        if axis.lower > axis.upper:
            lower, upper = measured_apart(axis.lower, axis.upper, joint.axis_unit(number).value)
            yield warning(
                "crossed-limits",
                name_of(joint),
                f"on its {which_axis(joint, number)} the lower limit {lower} is above the upper limit {upper}; swap "
                "them",
            )


def limits_in_degrees(model: Model) -> Iterator[Issue]:
    """Yield a warning for each hinge whose limits seem to be degrees.

    These are multiples of 5 that, in radians, are many turns.
    """
    for joint, number, axis in _axes(model, "lower"):
        if joint.axis_unit(number) is not Unit.ANGLE or joint.kind.threaded or not joint.kind.slot(number).limited:
            continue
        found = [limit for limit in (axis.lower, axis.upper) if math.isfinite(limit)]
        largest = max(map(abs, found), default=0.0)
        if not DEGREES_FROM <= largest <= DEGREES_TO or any(math.remainder(limit, 5.0) for limit in found):
            continue
        lower, upper = (math.radians(limit) for limit in (axis.lower, axis.upper))
        yield warning(
            "limits-in-degrees",
            name_of(joint),
            f"limits of its {which_axis(joint, number)} allow {_room(joint, number)}, up to {largest / math.tau:.3g} "
            f"turns, as if degrees were taken for radians; if so, give {measured_span(lower, upper, 'rad')}",
        )


def negative_numbers(model: Model) -> Iterator[Issue]:
    for what in NEVER_NEGATIVE:
        for joint, number, axis in _axes(model, what):
            if getattr(axis, what) < 0.0:
                yield warning(
                    f"negative-{what.replace('_', '-')}",
                    name_of(joint),
                    f"{what} of its {which_axis(joint, number)} is {getattr(axis, what):g}, which feeds it energy; "
                    "give 0 or more",
                )


def too_bouncy(model: Model) -> Iterator[Issue]:
    for joint, number, axis in _axes(model, "restitution"):
        if axis.restitution > 1.0:
            yield warning(
                "too-bouncy",
                name_of(joint),
                f"restitution of its {which_axis(joint, number)} is {axis.restitution:g}, which feeds it energy; "
                "give 0 to 1",
            )


def spring_outside_limits(model: Model) -> Iterator[Issue]:
    for joint, number, axis in _axes(model, "spring_reference"):
        limited = joint.kind.slot(number).limited
        if limited and axis.spring_stiffness and _outside(axis.spring_reference, axis):
            yield warning(
                "spring-outside-limits",
                name_of(joint),
                f"on its {which_axis(joint, number)} the spring pulls to {_at(joint, number, axis.spring_reference)}, "
                f"outside its limits: {_room(joint, number)}; it will press against a stop",
            )


def home_outside_limits(model: Model) -> Iterator[Issue]:
    led = led_homes(model.joints)
    for joint in model.joints:
        for number, at in _measured(joint):
            axis = joint.axes[number]
            is_limited = joint.kind.slot(number).limited and (joint.name, number) not in led
            if not (is_limited and _outside(at, axis, LIMIT_TOLERANCE)):
                continue
            which, name = which_axis(joint, number), joint.kind.slot(number).name
            of_row = f" whose {name} is" if joint.kind.limited_quantities else " of"
            yield warning(
                "home-outside-limits",
                name_of(joint),
                f"home puts its {which} at {_at(joint, number, at)}, outside its limits; give a home{of_row} "
                f"{_room(joint, number)}, or move the limits",
            )


def led_outside_limits(model: Model) -> Iterator[Issue]:
    """Yield a warning for each follower that starts outside its limits because of its leader's home."""
    led = led_homes(model.joints)
    for joint in model.joints:
        mimic = joint.mimic
        at = led.get((joint.name, mimic.axis)) if mimic else None
        if mimic is None or at is None or not math.isfinite(at):
            continue
        if joint.kind.slot(mimic.axis).limited and _outside(at, joint.axes[mimic.axis], LIMIT_TOLERANCE):
            yield warning(
                "led-outside-limits",
                name_of(joint),
                f"home of '{mimic.leader}', which it mimics, puts its {which_axis(joint, mimic.axis)} at "
                f"{_at(joint, mimic.axis, at)}, outside its limits; give '{mimic.leader}' a home that puts it at "
                f"{_room(joint, mimic.axis)}, or move the limits",
            )


def limits_beyond_rows(model: Model) -> Iterator[Issue]:
    """Yield a warning for each limit outside the range of its quantity: no pose satisfies it, or it has no effect."""
    for joint, row, axis in _rows(model):
        which, unit = which_axis(joint, row.axis), joint.axis_unit(row.axis).value
        if axis.lower > axis.upper:
            continue
        if _never_met(row, axis):
            room, span = _room(joint, row.axis), measured_range(row.least, row.most, unit)
            message = f"limits of its {which} allow {room}, and it is always {span}; give limits within that"
            yield warning("limit-never-met", name_of(joint), message)
        elif row.most + LIMIT_TOLERANCE < axis.upper < math.inf:
            message = (
                f"upper limit of its {which} is {measured(axis.upper, unit)}, which it never reaches; give "
                f"{measured(row.most, unit)} or less"
            )
            yield warning("limit-never-reached", name_of(joint), message)


def _rows(model: Model) -> Iterator[tuple[Joint, LimitedQuantity, Axis]]:
    for joint in model.joints:
        for row in joint.kind.limited_quantities:
            yield joint, row, joint.axes[row.axis]


def _measured(joint: Joint) -> Iterator[tuple[int, float]]:
    """Yield (number of the axis, value at home) for each quantity that limits apply to."""
    for column, at in zip(joint.all_columns, joint.home, strict=False):
        if not joint.is_locked(column.axis):
            yield column.axis, at
    if joint.kind.limited_quantities and all_finite(joint.home):
        if any(norm(joint.direction(row.axis)) == 0.0 for row in joint.kind.limited_quantities):
            return  # reported by `zero_axis`
        for row, at, _ in limited_quantities_at(joint, joint_pose(joint, joint.home)):
            if not _never_met(row, joint.axes[row.axis]):
                yield row.axis, at


def _outside(value: float, axis: Axis, slack: float = 0.0) -> bool:
    """Return whether a value is beyond the limits of an axis by more than `slack` [m or rad]."""
    return axis.lower <= axis.upper and not axis.lower - slack <= value <= axis.upper + slack


def _never_met(row: LimitedQuantity, axis: Axis) -> bool:
    return axis.upper < row.least - LIMIT_TOLERANCE or axis.lower > row.most + LIMIT_TOLERANCE


def _at(joint: Joint, number: int, value: float) -> str:
    """Return a value of the quantity of axis `number`, in words."""
    return measured(value, joint.axis_unit(number).value)


def _room(joint: Joint, number: int) -> str:
    """Return the range that the limits permit, in words."""
    axis = joint.axes[number]
    return measured_span(axis.lower, axis.upper, joint.axis_unit(number).value)


FINDINGS = (
    numbers_of_joints,
    zero_axis,
    axis_not_unit,
    parallel_axes,
    idle_screw,
    slack_law,
    cannot_move,
    never_holds,
    idle_drive,
    crossed_limits,
    limits_in_degrees,
    negative_limits,
    negative_numbers,
    no_pitch,
    no_velocity_limit,
    too_bouncy,
    spring_outside_limits,
    home_outside_limits,
    led_outside_limits,
    limits_beyond_rows,
)
