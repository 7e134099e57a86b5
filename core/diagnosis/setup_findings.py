# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the doctor for faults of the setup, such as limits, initial states and drives, in healthy runs too."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..check.falling import CODE as FALLS
from ..check.falling import machine_in_words
from ..model.compiling.compiled import ON_DOF
from ..model.drives import DRIVES, OFF
from ..model.screws import joint_pose, limited_quantities_at
from ..model.text import ABSURD, counted, in_digits, measured, measured_apart, measured_range, timed
from ..solvers.jumps import Jump
from ..spatial.arrays import matmul, norm
from .case import Case, LimitedAxis
from .diagnosis import Diagnosis, Remedy, force_unit, in_short

RACING = {"rad": 1e3, "m": 1e5}
"""Speed at the start beyond which a unit is probably mistaken [rad/s, m/s], by the unit of the coordinate.

Satellites move at 8e3 m/s.
"""

BEYOND = {True: 1e-6, False: 1e-4}
"""Distance beyond a stop that a motion may start with [m or rad], by whether the stop is rigid."""

PRESSED = 1e-2
"""Distance beyond a stop that a stage of a motion may start with [m or rad].

A joint may press a stop when a stage begins, as after another joint broke.
"""

ACROSS = 0.7
"""Cosine of the angle between a push and gravity above which the push counts as a weight.

Pushes in other directions do not, such as those on the fingers of a gripper.
"""

MOST_TOLD = 3
"""Number of links on top that are named."""

AMPLE = 1.5
"""Factor of the effort that holds weight and springs still. With exactly that effort, a drive would hardly arrive."""

AT_TARGET = 1e-3
"""Force of a drive, as a part of the friction on its axis, up to which the drive counts as at its target."""


def falls_freely(run: Case) -> Iterator[Diagnosis]:
    """Report a machine whose file leaves its base loose, unless it is meant to fall."""
    if run.falls and run.falls not in run.meant_to_fall:
        remedy = Remedy("link", (("static", True),), run.falls)
        yield Diagnosis(FALLS, f"link '{run.falls}'", machine_in_words(run.falls), remedy)


def limits_crossed(run: Case) -> Iterator[Diagnosis]:
    for limited in run.limited:
        element = run.compiled.arrays.set_valued_forces[limited.number]
        if element.lower > element.upper:
            lower, upper = measured_apart(element.lower, element.upper, limited.unit)
            message = (
                f"{limited.on_part}its lower limit {lower} is above its upper limit {upper}, so it is beyond one of "
                "them wherever it is; swap them"
            )
            swap = limited.with_axis(lower=float(element.upper), upper=float(element.lower))
            yield Diagnosis("crossed-limits", limited.subject, message, swap)


def overlapping_start(run: Case) -> Iterator[Diagnosis]:
    for limited in run.limited:
        element = run.compiled.arrays.set_valued_forces[limited.number]
        beyond = max(element.lower - limited.value, limited.value - element.upper)
        rigid = math.isinf(element.stiffness)
        slack = PRESSED if run.start.time > 0.0 else BEYOND[rigid]
        if element.lower > element.upper or not beyond > slack or run.is_prescribed(limited.joint):
            continue
        side, bound = ("lower", element.lower) if limited.value < element.lower else ("upper", element.upper)
        value, limit = measured_apart(limited.value, float(bound), limited.unit)
        then = (
            "a rigid stop acts from where it starts, and not where it is drawn"
            if rigid
            else f"the stop throws it back with {0.5 * element.stiffness * beyond**2:.3g} J"
        )
        message = (
            f"{limited.on_part}it starts at {value}, beyond its {side} limit {limit}: {then}; start it within its "
            "limits, or move them"
        )
        if _starts_at_home(run, limited):  # the check of the model has the same finding
            is_coordinate = limited.joint.place_of(limited.axis) is not None
            remedy = limited.with_axis(home=float(bound)) if is_coordinate else None
            yield Diagnosis("home-outside-limits", limited.subject, message, remedy)
        else:
            yield Diagnosis("overlapping-start", limited.subject, message)


def _starts_at_home(run: Case, limited: LimitedAxis) -> bool:
    """Return whether its initial position is that of the joint's home, and nothing else has moved it."""
    joint = limited.joint
    place = joint.place_of(limited.axis)
    if place is not None:
        at_home = joint.q_home[place]
    else:
        rows = limited_quantities_at(joint, joint_pose(joint, joint.q_home))
        at_home = next(value for row, value, _ in rows if row.axis == limited.axis)
    return not run.is_bound and abs(at_home - limited.value) < 1e-9


def fast_start(run: Case) -> Iterator[Diagnosis]:
    for dof, (_, unit) in enumerate(run.names):
        speed = float(run.start.qd[dof])
        joint = run.joint_of_dof[dof]
        if abs(speed) > RACING.get(unit, math.inf) and not run.is_prescribed(joint):
            is_told = unit == "rad" and abs(speed) < ABSURD
            turns = f", {in_digits(abs(speed) / math.tau, 3)} turns a second" if is_told else ""
            message = (
                f"it starts with {measured(speed, f'{unit}/s', 3)}{turns}, which frames cannot show and which takes "
                f"very short steps; start it below {measured(RACING[unit], f'{unit}/s', 3)}, and look whether the unit "
                "is right"
            )
            yield Diagnosis("fast-start", f"joint '{joint.name}'", message)


def weak_drives(run: Case) -> Iterator[Diagnosis]:
    """Report drives that are on and cannot exert a force."""
    for joint in run.compiled.model.joints:
        for number, axis in enumerate(joint.axes[: joint.axis_count]):
            fields, drive = joint.kind.slot(number).fields, DRIVES[axis.drive_mode]
            if not drive.exerts or "drive_mode" not in fields or joint.is_locked(number):
                continue
            lacking = "" if any(getattr(axis, name) for name in drive.exerts) else _words(drive.exerts)
            lacking = lacking or ("effort" if "effort" in fields and not axis.effort > 0.0 else "")
            if lacking and not (run.is_prescribed(joint) or run.is_scheduled(joint)):
                message = (
                    f"its {drive.name} drive is on, and its {lacking} is 0, so it does nothing; give it "
                    f"{lacking}, or turn it off"
                )
                off = Remedy("joint", (("drive_mode", OFF.name),), joint.name, number)  # the motion stays the same
                yield Diagnosis("idle-drive", f"joint '{joint.name}'", message, off)


def _words(fields: tuple[str, ...]) -> str:
    """Return the names of fields of a drive in the panel."""
    return " or ".join(name.removeprefix("drive_") for name in fields)


def jumping_motion(run: Case) -> Iterator[Diagnosis]:
    """Report prescribed motion that jumps, as stepped keys do: the largest jump of each link or joint."""
    by_subject: dict[str, list[Jump]] = {}
    for jump in run.jumps:
        by_subject.setdefault(jump.subject, []).append(jump)
    for subject, jumps in by_subject.items():
        largest = max(jumps, key=lambda jump: jump.distance)
        others = f", and at {counted(jumps[1:], 'other time')}" if len(jumps) > 1 else ""
        message = (
            f"the motion prescribed for it jumps by {measured(largest.distance, largest.unit, 3)} at "
            f"{timed(largest.time - run.times[0])}, frame {run.frame_at(largest.time)}{others}: it is placed there "
            "without a velocity, so it neither carries nor pushes what touches it; if it is to move there, give its "
            "keys another interpolation than Constant, or its table values in between"
        )
        yield Diagnosis("motion-jumps", subject, message)


def idle_forces(run: Case) -> Iterator[Diagnosis]:
    """Report limits, drives and friction of a prescribed joint, whose motion is followed with any force it needs."""
    for limited in run.limited:
        element = run.compiled.arrays.set_valued_forces[limited.number]
        if not run.is_prescribed(limited.joint) or element.kind != ON_DOF:
            continue
        q, qd = run.trajectory.q[:, element.q], np.abs(run.trajectory.qd[:, element.v])
        least, most, speed = q.min(initial=math.inf), q.max(initial=-math.inf), qd.max(initial=0.0)
        idle, unit, rate = [], limited.unit, f"{limited.unit}/s"
        if least < element.lower - 1e-6 or most > element.upper + 1e-6:
            limits, way = measured_range(element.lower, element.upper, unit), measured_range(least, most, unit)
            idle.append(f"its limits {limits}, as it goes from {way}")
        if speed > element.velocity_limit * (1.0 + 1e-6):
            idle.append(
                f"its largest speed {measured(element.velocity_limit, rate)}, as it reaches {measured(speed, rate)}"
            )
        if element.drive_stiffness or element.drive_damping or element.drive_push:
            idle.append("its drive")
        if element.friction > 0.0 and run.trajectory.efforts is not None:
            idle.append(f"its friction {element.friction:.4g}, which the efforts that are recorded leave out")
        if idle:
            message = (
                f"its motion is prescribed, so these do not act: {'; '.join(idle)}; drive it instead, or keep to them"
            )
            yield Diagnosis("prescribed-guards", limited.subject, message)


def held_by_friction(run: Case) -> Iterator[Diagnosis]:
    """Report drives whose force is less than the friction of their axis."""
    for limited, element in run.drives():
        path, asked = run.trajectory.q[:, element.q], np.abs(run.asked(element)).max(initial=0.0)
        push = min(asked, element.effort_limit)
        if len(path) > 1 and np.ptp(path) < 1e-9 and AT_TARGET * element.friction < push <= element.friction:
            message = (
                f"its drive pushes with {push:.4g} {force_unit(limited.unit)} at most and its "
                f"friction holds it with up to {element.friction:.4g}, so it never moves; lower its "
                "friction, or drive it harder"
            )
            remedy = limited.with_axis(friction=in_short(0.5 * push))
            yield Diagnosis("friction-too-large", limited.subject, message, remedy)


def effort_too_small(run: Case) -> Iterator[Diagnosis]:
    for limited, element in run.drives():
        if math.isinf(element.effort_limit) or element.effort_limit <= element.friction or element.drive_push:
            continue
        by_position = element.drive_stiffness > 0.0
        done = run.trajectory.q[:, element.q] if by_position else run.trajectory.qd[:, element.v]
        aim = element.drive_target if by_position else element.drive_rate
        carried, is_stopped = _contacts_of(run, limited)
        is_stopped = is_stopped or _rests_on_stop(run, limited.number)
        if _stalls(run.asked(element), element, np.abs(aim - done)) and not is_stopped:
            unit = limited.unit if by_position else f"{limited.unit}/s"
            load = _load(run, limited.unit, element)
            needed = f"; weight and springs alone take up to {load:.4g} {force_unit(limited.unit)} on the way"
            effort = f"{element.effort_limit:.4g} {force_unit(limited.unit)}"
            message = (
                f"its drive gives all of its effort, {effort}, nearly all the "
                f"time, and is still at {measured(done[-1], unit, 3)} instead of {measured(aim, unit, 3)}"
                f"{needed if load else ''}{carried}; raise its effort, or lower what it has to move"
            )
            ample = in_short(AMPLE * (load + element.friction))
            remedy = limited.with_axis(effort=ample) if load and not carried and ample > element.effort_limit else None
            yield Diagnosis("effort-too-small", limited.subject, message, remedy)


def _contacts_of(run: Case, limited: LimitedAxis) -> tuple[str, bool]:
    """Return what rests on the links that a drive moves, in words, and whether these are blocked or grip anything."""
    facts = run.contacts
    if facts is None or run.is_bound:
        return "", False
    outer = next((branch.outer for branch in run.compiled.tree.branches if branch.joint is limited.joint), "")
    pushes = facts.pushes_on(run.compiled.tree.links_from(outer)) if outer else {}
    weights, weighs = [], 0.0
    for other, push in pushes.items():
        weight = float(matmul(push, facts.down))
        if weight > ACROSS * float(norm(push)):
            weights.append(f"'{other}' rests on it with {weight:.3g} N")
            weighs += weight
    meant = sum(float(norm(push)) for push in pushes.values()) - weighs
    words = f", and {' and '.join(weights[:MOST_TOLD])}" if weights else ""
    return words, not weights and meant > 0.0


def _stalls(asked: np.ndarray, element: np.recarray, away: np.ndarray) -> bool:
    """Return whether a drive is at its effort limit and does not approach its target.

    A drive that passes its target is strong enough, and lacks damping.

    Args:
        asked: demanded forces, shape (F,) [N or N m].
        away: distances from the target, shape (F,).
    """
    half = len(away) // 2
    if half < 2:  # the stage has only just begun, after a joint was released
        return False
    saturated = np.mean(np.abs(asked) > element.effort_limit)
    passes = np.ptp(np.sign(asked[half:])) > 0.0
    return bool(saturated > 0.8 and not passes and away[half:].mean() > 0.9 * away[:half].mean())


def _rests_on_stop(run: Case, number: int) -> bool:
    force_state = run.seen.force_states[number]
    return bool(force_state.stop_side or force_state.pressed)


def _load(run: Case, unit: str, element: np.recarray) -> float:
    """Return the largest force that weight and springs demand of a drive on its way [N m or N]; 0 if it is unknown."""
    if run.is_bound:
        return 0.0  # loops and couplings share the load with other joints
    q = run.trajectory.q[-1].copy()
    begin, end = float(run.start.q[element.q]), float(element.drive_target)
    if not element.drive_stiffness:
        begin, end = float(q[element.q]), float(q[element.q]) + (math.tau if unit == "rad" else 0.0)
    most = 0.0
    for q[element.q] in np.linspace(begin, end, 25):
        most = max(most, abs(run.holding_force(element.v, q)))
    return most
