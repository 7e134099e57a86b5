# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about malformed elements: unknown types, wrong counts of numbers, and quaternions that are no rotations.

Other findings need not check for these: if there are any, they are given the `sound_part` of the model.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence

import numpy as np

from ...joints import JOINT_TYPES
from ..couplings import COUPLING_TYPES, Coupling, Gearbox, wrong_counts
from ..drives import DRIVES
from ..elements import Axis, Joint, Link
from ..model import Model
from ..naming import joints_of, links_of
from ..text import as_text, counted
from .issue import Issue, all_finite, error, name_of

ROTATION_TOLERANCE = 1e-6
"""Largest error of the length of a quaternion that counts as rounding in a file, and not as a mistake [1]."""


def shapes_of_model(model: Model) -> Iterator[Issue]:
    """Yield an error if gravity has a wrong count of numbers."""
    yield from _wrong_count(f"model '{model.name}'", "gravity", model.gravity, 3)


def shapes_of_links(model: Model) -> Iterator[Issue]:
    """Yield an error for each malformed pose, centre of mass or inertia of a link."""
    for link in model.links:
        yield from _link(link)


def shapes_of_joints(model: Model) -> Iterator[Issue]:
    """Yield an error for each malformed type, frame, axis or home of a joint."""
    for joint in model.joints:
        yield from _joint(joint)


def shapes_of_couplings(model: Model) -> Iterator[Issue]:
    """Yield an error for each malformed coupling."""
    for coupling in model.couplings:
        yield from _coupling(coupling)


def sound_part(model: Model) -> Model:
    """Return a shallow copy without malformed links, joints and couplings.

    Mimics and couplings of malformed joints are left out as well.
    """
    malformed = [joint for joint in model.joints if any(_joint(joint))]
    names = {joint.name for joint in malformed}
    ends = {end for joint in malformed for end in (joint.parent, joint.child)}
    part = copy.copy(model)
    part.links = [link for link in model.links if not any(_link(link))]
    part.joints = [_freed(joint, names) for joint in model.joints if not any(_joint(joint))]
    part.couplings = [
        coupling
        for coupling in model.couplings
        if not any(_coupling(coupling)) and not joints_of(coupling) & names and not links_of(coupling) & ends
    ]
    return part


def _freed(joint: Joint, malformed: set[str]) -> Joint:
    """Return the joint, without its mimic if the leader is malformed."""
    if joint.mimic and joint.mimic.leader in malformed:
        joint = copy.copy(joint)
        joint.mimic = None
    return joint


def _link(link: Link) -> Iterator[Issue]:
    yield from _wrong_pose(name_of(link), "pose", link.pose)
    yield from _wrong_count(name_of(link), "centre of mass", link.com, 3)
    yield from _wrong_count(name_of(link), "inertia", link.inertia, 6)


def _joint(joint: Joint) -> Iterator[Issue]:
    subject = name_of(joint)
    yield from _wrong_pose(subject, "frame in the parent", joint.X_PJ)
    yield from _wrong_pose(subject, "frame in the child", joint.X_CJ)
    if joint.type not in JOINT_TYPES:
        yield _unknown_type(subject, joint.type, JOINT_TYPES)
        return
    wanted = len(joint.kind.axes)
    if len(joint.axes) < wanted:
        found = counted(joint.axes, "axis", "axes")
        message = f"has {found}, but a {joint.type} joint has {wanted}; add the missing ones"
        yield error("wrong-shape", subject, message)
        return
    for number, axis in enumerate(joint.axes[: joint.axis_count]):
        yield from _axis(subject, number, axis, joint.kind.slot(number).fields)
    malformed = [*_wrong_count(subject, "home", joint.home, len(joint.neutral))]
    yield from malformed
    if joint.kind.chart and not malformed:
        yield from _wrong_rotation(subject, "home", joint.home[-4:])


def _axis(subject: str, number: int, axis: Axis, fields: frozenset[str]) -> Iterator[Issue]:
    for field in ("xyz", "point"):
        if field in fields:
            yield from _wrong_count(subject, f"{field} of its axis {number + 1}", getattr(axis, field), 3)
    if "drive_mode" in fields and axis.drive_mode not in DRIVES:
        message = f"drive mode of its axis {number + 1} is '{axis.drive_mode}'; allowed are {', '.join(DRIVES)}"
        yield error("unknown-drive-mode", subject, message)


def _coupling(coupling: Coupling | Gearbox) -> Iterator[Issue]:
    subject = name_of(coupling)
    if isinstance(coupling, Gearbox):
        yield from _wrong_count(subject, "axis", coupling.axis, 3)
        yield from _wrong_count(subject, "axis2", coupling.axis2, 3)
    elif coupling.type not in COUPLING_TYPES:
        yield _unknown_type(subject, coupling.type, COUPLING_TYPES)
    elif problem := wrong_counts(coupling):
        yield error("wrong-shape", subject, problem)


def _unknown_type(subject: str, found: str, allowed: dict) -> Issue:
    return error("unknown-type", subject, f"type '{found}' is not known; allowed are {', '.join(allowed)}")


MEANT = {
    "pose": ": x, y, z and the quaternion w, x, y, z",
    "frame in the parent": ": x, y, z and the quaternion w, x, y, z",
    "frame in the child": ": x, y, z and the quaternion w, x, y, z",
    "inertia": ": xx, xy, xz, yy, yz, zz about the centre of mass",
    "gravity": ": its acceleration along x, y and z, such as 0, 0, -9.81",
}
"""The meaning of a field's numbers, for messages."""


def _wrong_count(subject: str, what: str, values: Sequence[float], count: int) -> Iterator[Issue]:
    found, meant = as_numbers(values), f"{count} number{'s' * (count != 1)}{MEANT.get(what, '')}"
    if found is None:
        shape = np.shape(values)
        kind = f"an array of shape {shape}" if len(shape) > 1 else f"{values!r}"
        yield error("wrong-shape", subject, f"{what} is {kind}; give {meant}")
    elif len(found) != count:
        yield error("wrong-shape", subject, f"{what} is '{as_text(found)}', {counted(found, 'number')}; give {meant}")


def as_numbers(values: object) -> list[float] | None:
    """Return the numbers of a sequence, or None if `values` is not a sequence or contains something else."""
    try:
        return [float(value) for value in values]  # pyright: ignore[reportGeneralTypeIssues] - a TypeError is caught below
    except (TypeError, ValueError):
        return None


def _wrong_pose(subject: str, what: str, pose: Sequence[float]) -> Iterator[Issue]:
    wrong = [*_wrong_count(subject, what, pose, 7)]
    yield from wrong or _wrong_rotation(subject, what, pose[3:])


def _wrong_rotation(subject: str, what: str, quat: Sequence[float]) -> Iterator[Issue]:
    length = math.hypot(*quat)
    if all_finite(quat) and abs(length - 1.0) > ROTATION_TOLERANCE:
        remedy = "divide it by that" if length else "write 1 0 0 0 for no turn"
        message = f"quaternion {as_text(quat)} of its {what} has length {length:g}; it must have length 1: {remedy}"
        yield error("not-a-rotation", subject, message)


FINDINGS = (shapes_of_model, shapes_of_links, shapes_of_joints, shapes_of_couplings)
"""Functions that yield the findings of this module for a model."""
