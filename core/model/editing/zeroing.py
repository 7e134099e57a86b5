# SPDX-License-Identifier: GPL-3.0-or-later
"""A change of zero: the home pose of a model becomes its drawn pose, at which all coordinates are 0."""

from __future__ import annotations

from dataclasses import replace

from ...joints import Unit
from ...spatial import Pose, compose, inverse
from ..couplings import Coupling
from ..drives import DRIVES, Aim
from ..elements import Axis, Joint
from ..model import Model
from ..screws import joint_pose
from .placing import apart, drawn_step, pose_of

CLOSED = 1e-6
"""Largest difference of the two frames of a loop joint that counts as closed, as `apart` measures it [m or 1]."""


def zero_at_home(model: Model) -> tuple[Model, list[str]]:
    """Return a copy whose joints are at zero where those of `model` are at home.

    Links, limits, springs, mimics and couplings change accordingly. Some joints have columns between the first ones
    (all slides at the start, or the first column) and the last one. If such a column is not at 0 at home, its
    coordinate cannot be counted from there, since other columns turn it. Such a joint stays as it is.

    Returns:
        The copy, and a line for each joint that stays as it is or that does not close its loop at home.
    """
    moved, left = model.copy(), []
    shifts: dict[tuple[str, int], float] = {}
    for joint in moved.joints:
        before, after, taken = _split(joint)
        if not taken:
            left.append(f"joint '{joint.name}' ({joint.type}) cannot be counted from its home; it is written at zero")
            continue
        for place, column in enumerate(joint.all_columns):
            shifts[joint.name, column.axis] = joint.home[place]
            joint.axes[column.axis] = _shifted(joint.axes[column.axis], joint.home[place])
        joint.X_PJ, joint.X_CJ = compose(joint.X_PJ, before), compose(joint.X_CJ, inverse(after))
        joint.home = joint.neutral
    for joint in moved.joints:
        if mimic := joint.mimic:
            mimic.reference -= shifts.get((mimic.leader, mimic.leader_axis), 0.0)
            mimic.offset -= shifts.get((joint.name, mimic.axis), 0.0)
    for coupling in moved.couplings:
        if isinstance(coupling, Coupling):
            terms = coupling.equation(moved.joints).terms
            coupling.offset -= sum(term.weight * shifts.get((term.joint, term.axis), 0.0) for term in terms)
    tree = moved.tree()
    for branch in tree.branches:
        moved.link(branch.outer).pose = compose(pose_of(moved, branch.inner), drawn_step(branch))
    for joint in tree.loops:
        if apart(joint, pose_of(moved, joint.parent), pose_of(moved, joint.child)) > CLOSED:
            left.append(f"joint '{joint.name}' does not close its loop at home; give its joints a start that does")
    return moved, left


def _split(joint: Joint) -> tuple[Pose, Pose, bool]:
    """Return (before, after, whether they are all) of the motion from zero to home.

    `before` is the part that can precede the joint's motion, and `after` the part that can follow it. The two parts are
    poses [m].
    """
    if joint.kind.chart:
        return joint_pose(joint, joint.home), joint_pose(joint, joint.neutral), True
    columns = joint.all_columns
    slides = next((i for i, column in enumerate(columns) if column.unit is not Unit.LENGTH), len(columns))
    first = max(slides, 1)
    last = max(first, len(columns) - 1)
    before, between, after = joint.home[:first], joint.home[first:last], joint.home[last:]
    zeros = [0.0] * len(columns)
    return (
        joint_pose(joint, (*before, *zeros[first:])),
        joint_pose(joint, (*zeros[:last], *after)),
        not any(between),
    )


def _shifted(axis: Axis, by: float) -> Axis:
    target = axis.drive_target - by if DRIVES[axis.drive_mode].aim is Aim.PLACE else axis.drive_target
    return replace(
        axis,
        lower=axis.lower - by,
        upper=axis.upper - by,
        spring_reference=axis.spring_reference - by,
        drive_target=target,
    )
