# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about mimics and couplings."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import COUPLING_TYPES, Coupling, Gearbox, Joint, Model, ModelError
from ..model.couplings import Equation, Term
from ..model.naming import require_terms
from ..model.soundness.issue import Issue, all_finite, error, name_of, note, warning
from ..model.text import as_text, quoted
from ..spatial import norm

Coordinate = tuple[str, int]
"""The name of a joint, and the number of its axis."""


def unknown_leader(model: Model) -> Iterator[Issue]:
    known = {joint.name for joint in model.joints}
    for joint in model.joints:
        mimic = joint.mimic
        if mimic and mimic.leader not in known:
            message = f"mimics '{mimic.leader}', which is no joint; name another joint"
            yield error("unknown-leader", name_of(joint), message)
        elif mimic and (mimic.leader, mimic.leader_axis) == (joint.name, mimic.axis):
            message = f"its axis {mimic.axis} mimics itself; name another axis, or another joint"
            yield error("unknown-leader", name_of(joint), message)


def mimic_cycle(model: Model) -> Iterator[Issue]:
    """Yield an error for each ring of several coordinates that follow each other, at the first of their joints."""
    leaders: dict[Coordinate, Coordinate] = {
        (joint.name, joint.mimic.axis): (joint.mimic.leader, joint.mimic.leader_axis)
        for joint in model.joints
        if joint.mimic
    }
    joints = {joint.name: joint for joint in model.joints}
    place = {coordinate: number for number, coordinate in enumerate(leaders)}
    for ring in _rings(leaders):
        if len(ring) > 1:
            first = ring.index(min(ring, key=place.__getitem__))
            others = [name for name, _ in ring[first + 1 :] + ring[:first]]
            subject = name_of(joints[ring[first][0]])
            yield error("mimic-cycle", subject, f"mimics itself by way of {quoted(others)}; free one of them")


def _rings(leaders: dict[Coordinate, Coordinate]) -> Iterator[list[Coordinate]]:
    """Yield each ring in which a walk from follower to leader ends. No coordinate is visited twice."""
    walked: set[Coordinate] = set()
    for start in leaders:
        chain: dict[Coordinate, int] = {}
        at = start
        while at in leaders and at not in walked:
            walked.add(at)
            chain[at] = len(chain)
            at = leaders[at]
        if at in chain:
            yield [*chain][chain[at] :]


def mimic_without_axis(model: Model) -> Iterator[Issue]:
    joints = {joint.name: joint for joint in model.joints}
    for joint in model.joints:
        mimic = joint.mimic
        if mimic and mimic.leader in joints:
            yield from _missing_axis(name_of(joint), joint, mimic.axis)
            if (mimic.leader, mimic.leader_axis) != (joint.name, mimic.axis):
                yield from _missing_axis(name_of(joint), joints[mimic.leader], mimic.leader_axis)


def unknown_coupled_joint(model: Model) -> Iterator[Issue]:
    joints = {joint.name: joint for joint in model.joints}
    for coupling in _by_axes(model):
        for name, axis in dict.fromkeys(coupling.axes):
            if name not in joints:
                message = f"couples joint '{name}', which is not there; there are: {quoted(joints)}"
                yield error("unknown-coupled-joint", name_of(coupling), message)
            else:
                yield from _missing_axis(name_of(coupling), joints[name], axis)


def reference_not_shared(model: Model) -> Iterator[Issue]:
    for gearbox in _gearboxes(model):
        try:
            gearbox.equation(model.joints)
        except ModelError as reason:
            message = f"{str(reason).partition(': ')[2]}. As it is, it cannot be simulated"
            yield warning("reference-not-shared", name_of(gearbox), message)


def couples_itself(model: Model) -> Iterator[Issue]:
    for coupling in _by_axes(model):
        for name, axis in dict.fromkeys(coupling.axes):
            if coupling.axes.count((name, axis)) > 1:
                message = f"couples axis {axis} of joint '{name}' with itself; name as many axes as it has parts"
                yield error("couples-itself", name_of(coupling), message)
    for gearbox in _gearboxes(model):
        if gearbox.parent == gearbox.child:
            message = f"couples link '{gearbox.child}' with itself; its parent and child must be two links"
            yield error("couples-itself", name_of(gearbox), message)


def units_differ(model: Model) -> Iterator[Issue]:
    """Yield a warning for each coupling with a rotation where its type needs a slide, or a slide where it needs a
    rotation.

    If all units of the type are equal, axes that all have the other unit are permitted. The weights of a sum
    convert units into another.
    """
    units = {(joint.name, column.axis): column.unit for joint in model.joints for column in joint.columns}
    for coupling in _by_axes(model):
        kind = COUPLING_TYPES[coupling.type]
        found = tuple(units[pair] for pair in coupling.axes if pair in units)
        others_alike = len({*found}) == len({*kind.units}) == 1
        if not kind.units or len(found) < len(kind.units) or found == kind.units or others_alike:
            continue
        for part, wanted, unit, (name, axis) in zip(kind.parts, kind.units, found, coupling.axes, strict=True):
            if unit is not wanted:
                message = (
                    f"its {part}, axis {axis} of joint '{name}', is in {unit.value}, and that of a {coupling.type} "
                    f"is in {wanted.value}; name another axis, or exchange its parts"
                )
                yield warning("units-differ", name_of(coupling), message)
                break


def numbers_of_couplings(model: Model) -> Iterator[Issue]:
    for subject, numbers in _numbers(model):
        for what, values in numbers.items():
            if not all_finite(values):
                yield error("not-finite", subject, f"{what} is {as_text(values)}; give finite numbers")


def _numbers(model: Model) -> Iterator[tuple[str, dict[str, tuple[float, ...]]]]:
    for joint in model.joints:
        if mimic := joint.mimic:
            values = {"multiplier": mimic.multiplier, "offset": mimic.offset, "reference": mimic.reference}
            yield name_of(joint), {f"{what} of its mimic": (value,) for what, value in values.items()}
    for coupling in _by_axes(model):
        numbers = {"ratio": (coupling.ratio,), "offset": (coupling.offset,), "weights": tuple(coupling.weights)}
        yield name_of(coupling), numbers
    for gearbox in _gearboxes(model):
        yield name_of(gearbox), {"ratio": (gearbox.ratio,), "axis": gearbox.axis, "axis2": gearbox.axis2}


def zero_ratio(model: Model) -> Iterator[Issue]:
    for coupling in model.couplings:
        if coupling.ratio == 0.0:
            message = "ratio is 0, so one side has no say in it; give another ratio"
            yield warning("zero-ratio", name_of(coupling), message)
    for coupling in _by_axes(model):
        for (joint, axis), weight in zip(coupling.axes, coupling.weights, strict=False):
            if weight == 0.0:
                message = f"the weight of axis {axis} of joint '{joint}' is 0, so it is not coupled; take it out"
                yield warning("zero-ratio", name_of(coupling), message)


def zero_gearbox_axis(model: Model) -> Iterator[Issue]:
    for gearbox in _gearboxes(model):
        for what, axis in (("axis", gearbox.axis), ("axis2", gearbox.axis2)):
            if norm(axis) == 0.0:
                message = f"its {what} is 0 0 0, which has no direction; write 0 0 1, say"
                yield error("zero-axis", name_of(gearbox), message)


def partner_switched_off(model: Model) -> Iterator[Issue]:
    off = {joint.name for joint in model.joints if not joint.enabled}
    for joint in model.joints:
        if joint.enabled and joint.mimic and joint.mimic.leader in off:
            message = f"mimics '{joint.mimic.leader}', which is switched off, so it moves freely; switch that joint on"
            yield note("switched-off", name_of(joint), message)
    for coupling in model.couplings if off else ():
        idle = [name for name in _coupled(coupling, model) if name in off]
        if idle:
            message = f"couples {quoted(idle)}, switched off, so it does nothing; switch that on"
            yield note("switched-off", name_of(coupling), message)


def _coupled(coupling: Coupling | Gearbox, model: Model) -> Iterator[str]:
    try:
        yield from dict.fromkeys(term.joint for term in coupling.equation(model.joints).terms)
    except ModelError:
        return  # reported by `reference_not_shared`


def _by_axes(model: Model) -> Iterator[Coupling]:
    return (coupling for coupling in model.couplings if not isinstance(coupling, Gearbox))


def _gearboxes(model: Model) -> Iterator[Gearbox]:
    return (coupling for coupling in model.couplings if isinstance(coupling, Gearbox))


def _missing_axis(subject: str, joint: Joint, axis: int) -> Iterator[Issue]:
    """Yield an error if an axis of a joint cannot be coupled.

    Only a column that is not locked has a single coordinate to couple.
    """
    try:
        require_terms(Equation("", (Term(joint.name, axis, 1.0),), 0.0), [joint], "")
    except ModelError as reason:
        yield error("no-such-axis", subject, f"{str(reason).strip()}; name an axis that moves, or unlock this one")


FINDINGS = (
    unknown_leader,
    mimic_cycle,
    mimic_without_axis,
    unknown_coupled_joint,
    reference_not_shared,
    couples_itself,
    units_differ,
    numbers_of_couplings,
    zero_ratio,
    zero_gearbox_axis,
    partner_switched_off,
)
