"""Findings about what follows what: mimics and couplings."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Gearbox, Joint, Model, ModelError
from .issue import Issue, error, name_of, quoted


def unknown_leader(model: Model) -> Iterator[Issue]:
    known = {joint.name for joint in model.joints}
    for joint in model.joints:
        if joint.mimic and joint.mimic.leader not in known - {joint.name}:
            yield error(
                "unknown-leader", name_of(joint), f"mimics '{joint.mimic.leader}', which is no other joint; name one"
            )


def mimic_cycle(model: Model) -> Iterator[Issue]:
    leaders = {joint.name: joint.mimic.leader for joint in model.joints if joint.mimic}
    told: set[str] = set()
    for joint in model.joints:
        chain = [joint.name]
        while (leader := leaders.get(chain[-1])) and leader not in chain:
            chain.append(leader)
        if leader == joint.name and len(chain) > 1 and joint.name not in told:
            told |= {*chain}
            yield error("mimic-cycle", name_of(joint), f"mimics itself by way of {quoted(chain[1:])}; free one of them")


def mimic_without_axis(model: Model) -> Iterator[Issue]:
    joints = {joint.name: joint for joint in model.joints}
    for joint in model.joints:
        mimic = joint.mimic
        if mimic and mimic.leader in joints:
            yield from _missing_axis(name_of(joint), "mimics with", joint, mimic.axis)
            yield from _missing_axis(name_of(joint), "mimics", joints[mimic.leader], mimic.leader_axis)


def unknown_coupled_joint(model: Model) -> Iterator[Issue]:
    joints = {joint.name: joint for joint in model.joints}
    for coupling in model.couplings:
        for name, axis in () if isinstance(coupling, Gearbox) else coupling.axes:
            if name not in joints:
                message = f"couples joint '{name}', which is not there; there are: {quoted(joints)}"
                yield error("unknown-coupled-joint", name_of(coupling), message)
            else:
                yield from _missing_axis(name_of(coupling), "couples", joints[name], axis)


def reference_not_shared(model: Model) -> Iterator[Issue]:
    for coupling in model.couplings:
        if isinstance(coupling, Gearbox):
            try:
                coupling.equation(model.joints)
            except ModelError as reason:
                yield error("reference-not-shared", name_of(coupling), str(reason).partition(": ")[2])


def _missing_axis(subject: str, verb: str, joint: Joint, axis: int) -> Iterator[Issue]:
    """A column has a single coordinate to couple; a chart's axes and those that are not there have none."""
    columns = [column.axis for column in joint.all_columns]
    if axis not in columns:
        has = f"its axes are numbered 0 to {len(columns) - 1}" if columns else f"a {joint.type} joint has none"
        message = f"{verb} axis {axis} of joint '{joint.name}', which has no single coordinate; {has}"
        yield error("no-such-axis", subject, message)


FINDINGS = (unknown_leader, mimic_cycle, mimic_without_axis, unknown_coupled_joint, reference_not_shared)
