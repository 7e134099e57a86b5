# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor: it explains in plain sentences why a run failed or looks wrong, the most likely cause first.

Each rule looks for one cause. The causes in this file are harmless in most runs, such as a light link, so they are
reported only if the run is in trouble. The rules of `setup_findings.py` report faults in healthy runs too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ..check import Issue, check_definition
from ..check.links import DAMPINGS
from ..dynamics.singular import lock_in_words, lock_joint
from ..kinematics import mobility
from ..kinematics.freedom.gimbals import GimbalLock, Gimbals
from ..model import WORLD, Model
from ..model.compiling.compiled import ON_DOF
from ..model.text import ABSURD, counted, in_digits, measured, roughly, timed
from ..simulation.run_facts import RunFacts
from ..solvers.protocol import ACCURACIES
from .case import OPEN, Case, LimitedAxis
from .contact_findings import CONTACT_RULES, CONTACT_STARTS
from .diagnosis import Diagnosis, Remedy, force_unit, in_short, inertia_unit
from .lost_links import fell_out, goes_through
from .setup_findings import (
    effort_too_small,
    falls_freely,
    fast_start,
    held_by_friction,
    idle_forces,
    jumping_motion,
    limits_crossed,
    overlapping_start,
    weak_drives,
)
from .taut_loops import is_taut, taut_loops

FAST = 1e5
"""Rate of an oscillation or a decay above which it is reported, since it forces the solver to short steps [rad/s]."""

VISIBLE = 1e3
"""Rate that the advice proposes instead [rad/s]. It is still too fast for frames to show, so the motion looks alike."""

UNEQUAL = 1e4
"""Ratio of the masses of two groups of links, connected by a joint, above which it is reported [1]."""

NO_INERTIA = 1e-12
"""Ratio of an inertia to the largest one with the same unit, up to which it counts as zero."""

MANY_EVENTS = 1e3
"""Number of events per second above which events are reported as the cause of a slow run [1/s]."""

MOST_UNKNOWNS = 300
"""Number of velocities up to which mobility is computed, since that takes a tenth of a second."""

LOCKED = 1e-3
"""Sine of the angle between two axes of a gimbal below which it counts as locked.

The axes then spin about a thousand times as fast as the body turns.
"""

FEEDS = "negative-"
"""Prefix of the codes of findings about a model that add energy. Stops with too much restitution do not have it."""


def diagnoses_of(facts: RunFacts) -> list[Diagnosis]:
    """Return the diagnoses of a run, the most likely cause first; nothing for a healthy run.

    A fall of the whole model comes first, except in a run that failed, since falling is never the cause of a failure.
    """
    run = Case.of(facts)
    causes = [diagnosis for rule in RULES for diagnosis in rule(run)]
    falling = [*falls_freely(run)]
    return causes + falling if run.failed else falling + causes


def feeding(run: Case) -> Iterator[Diagnosis]:
    """Report dampers, friction and stops that add energy instead of removing it."""
    lost = run.trajectory.dissipated
    if not (run.failed or lost.min(initial=0.0) < -0.01 * run.report.energy_scale):
        return
    for issue in check_definition(run.compiled.model):
        if issue.code.startswith(FEEDS):
            brought = -float(lost.min(initial=0.0))
            grown = f"; it has brought in {brought:.3g} J so far" if brought else ""
            remedy = _without(issue, run.compiled.model)
            yield Diagnosis("energy-from-nowhere", issue.subject, issue.message + grown, remedy)


def _without(issue: Issue, model: Model) -> Remedy | None:
    """Return the remedy that sets negative values to 0, if they belong to a link, or to a single axis of a joint."""
    if issue.subject.startswith("link"):
        link = model.link(issue.name)
        changes = tuple((name, 0.0) for name in DAMPINGS if getattr(link, name) < 0.0)
        return Remedy("link", changes, link.name)
    joint, name = model.joint(issue.name), issue.code.removeprefix(FEEDS).replace("-", "_")
    axes = [
        number
        for number, axis in enumerate(joint.axes[: joint.axis_count])
        if name in joint.kind.slot(number).fields and getattr(axis, name) < 0.0
    ]
    return Remedy("joint", ((name, 0.0),), joint.name, axes[0]) if len(axes) == 1 else None


def contradictory_motion(run: Case) -> Iterator[Diagnosis]:
    """Report prescribed motion that the model cannot follow."""
    joints, links = run.controls.joints, run.controls.links
    if not (run.failed and (joints or links) and (links or run.compiled.welds)):
        return
    kind, name = ("joint", list(joints)[-1]) if joints else ("link", list(links)[-1])
    asked = sum(run.compiled.spans[joint].joint.nv for joint in joints) + 6 * len(links)
    have = mobility(run.compiled.model).by_rank if run.compiled.nv <= MOST_UNKNOWNS else asked
    why = (
        f"motion is prescribed in {asked} ways, and the model can move in {have}; prescribe fewer joints or links"
        if asked > have and not links
        else "its motion is prescribed to where the rest of the model cannot follow; keep it within reach, or let "
        "forces move it"
    )
    yield Diagnosis("contradictory-motion", f"{kind} '{name}'", why)


def stiff_and_light(run: Case) -> Iterator[Diagnosis]:
    """Report springs, dampers, drives and stops that act far faster than frames show."""
    if not run.in_trouble:
        return
    found: dict[int, list[tuple[float, str, str, float]]] = {}
    for dof, name, stiffness, order in _stiffnesses(run):
        inertia = float(run.inertias[dof])
        rate = (stiffness / inertia) ** (1.0 / order) if inertia > 0.0 and stiffness > 0.0 else 0.0
        if rate > FAST and not _is_massless(run, dof):
            what = "stop's stiffness" if name == "stiffness" else name.replace("_", " ")
            enough = in_short(inertia * VISIBLE**order)
            found.setdefault(dof, []).append((rate, f"{what} {stiffness:.3g} ({enough:g} would do)", name, enough))
    for dof, causes in sorted(found.items(), key=lambda entry: -max(entry[1])[0])[:3]:
        forces = " and ".join(force for _, force, *_ in sorted(causes, reverse=True))
        unit, inertia = inertia_unit(run.names[dof][1]), run.inertias[dof]
        message = (
            f"its {forces} on an inertia of {inertia:.3g} {unit}: that takes place at {_rate(max(causes)[0])}, which "
            "frames cannot show and which takes very short steps; lower it, or give the link more mass"
        )
        joint = run.joint_of_dof[dof]
        changes = tuple((name, enough) for *_, name, enough in causes)
        remedy = Remedy("joint", changes, joint.name, run.axis_of_dof[dof])
        yield Diagnosis("light-link-stiff-drive", f"joint '{joint.name}'", message, remedy)


def _stiffnesses(run: Case) -> Iterator[tuple[int, str, float, int]]:
    """Yield (dof, field, value, exponent) of each stiffness and damping of a dof.

    The value over the inertia is the rate of the motion to the power of the exponent: 2 for a stiffness, 1 for a
    damping.
    """
    for dof, record in enumerate(run.compiled.arrays.dofs):
        yield dof, "spring_stiffness", float(record.spring_stiffness), 2
        yield dof, "damping", float(record.damping), 1
    for limited in run.limited:
        force_law = run.compiled.arrays.set_valued_forces[limited.number]
        force_state = run.seen.force_states[limited.number]
        if force_law.kind == ON_DOF:
            yield force_law.v, "drive_stiffness", float(force_law.drive_stiffness), 2
            yield force_law.v, "drive_damping", float(force_law.drive_damping), 1
            if force_state.pressed:
                yield force_law.v, "stiffness", float(force_law.stiffness), 2


def mass_ratio(run: Case) -> Iterator[Diagnosis]:
    """Report joints between two groups of fixed links whose masses differ by far.

    A group that no force moves is left out, since its mass does not change the motion.
    """
    if not run.in_trouble:
        return
    found = []
    for joint in run.compiled.model.joints:
        ends = (joint.parent, joint.child)
        if not joint.nv or WORLD in ends or run.immovable.intersection(ends):
            continue
        (lesser, light), (more, heavy) = sorted((run.mass_of_group(end), end) for end in ends)
        if more > UNEQUAL * lesser:
            found.append((more / lesser if lesser else math.inf, joint, (lesser, light), (more, heavy)))
    for ratio, joint, (lesser, light), (more, heavy) in sorted(found, key=lambda entry: -entry[0])[:3]:
        message = (
            f"joins {_group(run, heavy)} of {more:.3g} kg with {_group(run, light)} of {lesser:.3g} kg, "
            f"{ratio:.1g} times lighter, which the heavy one flings about; give '{light}' more mass, to within "
            f"{UNEQUAL:g} times, or fix it to its neighbour"
        )
        yield Diagnosis("mass-ratio", f"joint '{joint.name}'", message)


def _group(run: Case, link: str) -> str:
    """Return a link in words, with the number of links that are fixed to it."""
    others = len(run.groups[link]) - 1
    return f"link '{link}'" + (f" and what is fixed to it ({counted(others, 'link')})" if others else "")


def held_together(run: Case) -> Iterator[Diagnosis]:
    """Report a failed run in which several axes of one coupling were held at limits at the same instant.

    A limit that holds one axis holds the others too, so the force of each limit is not unique.
    """
    if not run.failed:
        return
    doing = {
        (limited.joint.name, limited.axis): doing_now
        for limited in run.limited
        if (doing_now := _held_at(run, limited))
    }
    for equation in run.compiled.model.equations():
        immovable = [(term.joint, term.axis) for term in equation.terms if (term.joint, term.axis) in doing]
        if len(immovable) > 1:
            reasons = " and ".join(doing[axis] for axis in immovable)
            message = (
                f"coupling '{equation.name}' ties it to others, and at {timed(run.seen.state.time)} {reasons}: each of "
                "these limits holds all of them, and the forces of both are not unique; let one of these joints alone "
                "have this limit"
            )
            yield Diagnosis("limits-tied", f"joint '{immovable[0][0]}'", message)


def _held_at(run: Case, limited: LimitedAxis) -> str:
    """Return in words which limit holds an axis at present; empty if none does."""
    force_state = run.seen.force_states[limited.number]
    is_held = force_state.pressed or (force_state.is_locked and (force_state.stop_side or force_state.motion_sign))
    return _doing(run, limited) if is_held and not force_state.is_disabled else ""


def _rate(rate: float) -> str:
    """Return in words how fast an oscillation or a decay is."""
    return "more than a million rad/s" if rate >= ABSURD else f"{in_digits(rate, 2)} rad/s"


def gimbal_lock(run: Case) -> Iterator[Diagnosis]:
    """Report hinges whose axes a pose has aligned: where a run failed, or else where it was nearest to alignment."""
    gimbals = Gimbals(run.compiled) if run.in_trouble else None
    if not gimbals:
        return
    places = [(run.seen.state.time, run.seen.state.q), (run.start.time, run.start.q)]
    if not run.failed:
        places += zip(run.trajectory.times - run.trajectory.times[:1], run.trajectory.q, strict=True)
    found = [(lock, time) for time, q in places if (lock := gimbals.nearest(q, LOCKED))]
    if found:
        lock, time = found[0] if run.failed else min(found, key=lambda entry: entry[0].apart)
        subject = f"joint '{lock_joint(run.compiled, lock).name}'"
        yield Diagnosis("gimbal-lock", subject, lock_in_words(run.compiled, lock, time))


def next_to_no_inertia(run: Case) -> Iterator[Diagnosis]:
    if not run.in_trouble:
        return
    lock: GimbalLock | None = Gimbals(run.compiled).nearest(run.start.q, LOCKED)
    lined_up = (lock.first, lock.last) if lock else ()
    for dof, (name, unit) in enumerate(run.names):
        if _is_massless(run, dof) and dof not in lined_up:
            inertia = f"{run.inertias[dof]:.2g} {inertia_unit(unit)}"
            message = (
                f"joint '{name}' meets an inertia of {inertia} when it moves it, next to none: any force accelerates "
                "it without bound; give it mass away from the joint's axis, or the joint armature"
            )
            yield Diagnosis("massless-or-singular", f"link '{run.compiled.link_of_dof(dof)}'", message)


def _is_massless(run: Case, dof: int) -> bool:
    alike = [unit == run.names[dof][1] for _, unit in run.names]
    return not run.inertias[dof] > NO_INERTIA * run.inertias[alike].max()


def redundant_loop(run: Case) -> Iterator[Diagnosis]:
    if not (run.failed or run.report.loop_error > OPEN) or not run.compiled.welds:
        return
    if run.compiled.nv > MOST_UNKNOWNS or run.controls.joints or run.controls.links:
        return
    for entry in mobility(run.compiled.model).redundancies:
        if entry.redundant and not is_taut(run.compiled.model, entry.loop):
            message = (
                f"{entry.redundant} of the {entry.constraints} ways in which it holds are held by the rest of its loop "
                "already: if the drawing is off by a little, they contradict each other, and forces along them are not "
                "unique; make a joint of the loop a ball, or a joint that slides as well"
            )
            yield Diagnosis("redundant-loop", f"joint '{entry.loop.joint.name}'", message)


def crowded_events(run: Case) -> Iterator[Diagnosis]:
    rate = run.report.events / max(run.seconds, 0.1)
    if not (run.counters.is_crowded or (run.is_slow and rate > MANY_EVENTS)):
        return
    force_states = run.seen.force_states
    order = np.argsort(-force_states.bounce_count, kind="stable")
    busy = [run.limited[k] for k in order if force_states.bounce_count[k]] or _at_stops(run)
    names = [f"'{limited.joint.name}'" for limited in busy[:4]]
    message = (
        f"stops, friction and drives of {', '.join(names) or 'its joints'} began or ceased to act "
        f"{roughly(run.report.events)} times within {timed(run.seconds)}; lower restitution, give dissipation or "
        "friction, give limits more room, or choose accuracy draft"
    )
    first = busy[0].subject if busy else f"model '{run.compiled.model.name}'"
    yield Diagnosis("crowded-events", first, message)


def _at_stops(run: Case) -> list[LimitedAxis]:
    """Return the set-valued forces that lock a coordinate or press on a stop at present, or else all with a stop."""
    force_states = run.seen.force_states
    acting = force_states.pressed | force_states.is_locked
    stopped = [limited for limited in run.limited if acting[limited.number]]
    has_stop = np.isfinite(force_states.lower) | np.isfinite(force_states.upper)
    return stopped or [limited for limited in run.limited if has_stop[limited.number]]


def energy_drift(run: Case) -> Iterator[Diagnosis]:
    if not run.has_drifted:
        return
    balance = run.energy_balance
    worst = int(np.argmax(np.abs(balance)))
    first = int(np.argmax(np.abs(balance) > 0.5 * np.abs(balance[worst])))
    at = {number: run.frame_at(run.trajectory.times[number]) for number in (worst, first)}
    code, verb = ("energy-from-nowhere", "has come") if balance[worst] > 0.0 else ("energy-lost", "is lost")
    led = [f"'{name}'" for name in (*run.controls.joints, *run.controls.links)]
    other = ", or the adaptive solver" if run.report.implicit_steps == run.report.steps else ""
    kink = f"; smooth the motion prescribed for {', '.join(led)}" if led else ""
    finer = _finer(run.accuracy)
    advice = (
        "choose a higher accuracy"
        if finer
        else "no accuracy is higher, and steps end at frames: simulate more frames a second, and look for springs, "
        "dampers and forces that are far too large for the masses that they act on"
    )
    message = (
        f"{abs(balance[worst]):.3g} J {verb} from nowhere by frame {at[worst]}, half of it by frame {at[first]}: "
        f"{run.report.relative_drift:.0%} of the energy that moves; {advice}{other}{kink}"
    )
    subject, message = f"model '{run.compiled.model.name}'", message.replace("is lost from nowhere", "is lost")
    yield Diagnosis(code, subject, message, finer)


def _finer(accuracy: str) -> Remedy | None:
    """Return the remedy that sets the next higher accuracy, which costs the least; None if there is none."""
    finer = ACCURACIES[ACCURACIES.index(accuracy) + 1 :]
    return Remedy("run", (("accuracy", finer[0]),)) if finer else None


def step_at_floor(run: Case) -> Iterator[Diagnosis]:
    """Report where a run failed and what acted there, if no other cause is known."""
    if not run.failed or run.counters.is_crowded:
        return
    dof = run.fastest_dof
    name, unit = run.names[dof]
    acting = [action for limited in run.limited if (action := _doing(run, limited))]
    if thrust := float(run.seen.inputs.applied_tau[dof]):
        acting.append(f"the callback pushes joint '{name}' with {thrust:.3g} {force_unit(unit)}")
    acts = f"; at that instant {', '.join(acting)}" if acting else ""
    rate, gain, when = run.seen.state.qd[dof], run.rates[dof], timed(run.seen.state.time)
    moved = f"its speed by joint '{name}' is no number any more at {when}"
    if math.isfinite(rate) and math.isfinite(gain):
        moved = (
            f"moved at {measured(rate, f'{unit}/s', 3)} by joint '{name}' and accelerated at "
            f"{measured(gain, f'{unit}/s^2', 3)} at {when}, for which no step is short enough"
        )
    advice = "look for forces that are far too large for its mass, and for loops that cannot follow"
    message = f"{moved}{acts}; {advice}"
    yield Diagnosis("step-at-floor", f"link '{run.compiled.link_of_dof(dof)}'", message)


def _doing(run: Case, limited: LimitedAxis) -> str:
    """Return in words what a set-valued force does at present; empty if it does nothing."""
    force_state = run.seen.force_states[limited.number]
    force_law = run.compiled.arrays.set_valued_forces[limited.number]
    if force_state.is_disabled:
        return ""
    if force_state.pressed or (force_state.is_locked and force_state.stop_side):
        side = "upper" if force_state.pressed + force_state.stop_side > 0 else "lower"
        return f"{limited.subject} is at its {side} stop"
    if force_state.is_locked:
        return f"{limited.subject} is held {'at its largest speed' if force_state.motion_sign else 'by friction'}"
    if force_state.saturated or force_law.drive_push:
        force = force_law.drive_push or force_state.saturated * force_law.effort_limit
        return f"the drive of {limited.subject} pushes with {force:.3g} {force_unit(limited.unit)}"
    return ""


RULES: tuple[Callable[[Case], Iterator[Diagnosis]], ...] = (
    limits_crossed,
    feeding,
    contradictory_motion,
    taut_loops,
    fast_start,
    overlapping_start,
    *CONTACT_STARTS,
    fell_out,
    goes_through,
    gimbal_lock,
    held_together,
    stiff_and_light,
    mass_ratio,
    next_to_no_inertia,
    redundant_loop,
    crowded_events,
    energy_drift,
    *CONTACT_RULES,
    weak_drives,
    held_by_friction,
    effort_too_small,
    jumping_motion,
    idle_forces,
    step_at_floor,
)
"""All rules except `falls_freely`, the most likely cause first."""
