# SPDX-License-Identifier: GPL-3.0-or-later
"""Gimbal lock at the start: three hinges in a row whose outer two share a line in the initial pose.

Unlike `core/kinematics/freedom/gimbals.py`, which a simulation calls for any pose, this needs no compiled model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from ..model import Joint, Model
from ..model.graph import Branch
from ..model.naming import gimbal_lock_in_words
from ..model.screws import Screw, screws_of
from ..model.soundness.issue import Issue, name_of, warning
from ..spatial import IDENTITY, Pose, Vec3, add, compose, cross, inverse, norm, quat_rotate, sub

CODE = "gimbal-lock"
"""Code of the finding. The doctor uses the same one for a run."""

LOCKED = 1e-4
"""Sine of the angle between two axes below which they count as parallel, as for a singular mass matrix."""

SAME_LINE = 1e-6
"""Distance of two parallel axes below which they share a line [m]."""


@dataclass(frozen=True)
class _Hinge:
    """One hinge at the start.

    Attributes:
        joint: the joint that it belongs to.
        part: name of its coordinate in the joint; "" if it has none of its own.
        direction: unit vector along the axis, in the frame in which the row of hinges begins.
        point: a point on the axis, in that frame [m].
        angle: initial value of its coordinate [rad].
        is_free: whether it is not locked.
        armature: inertia of a rotor on it [kg m^2].
    """

    joint: Joint
    part: str
    direction: Vec3
    point: Vec3
    angle: float
    is_free: bool
    armature: float


def gimbal_lock(model: Model) -> Iterator[Issue]:
    """Yield a warning for each joint at whose home two hinges turn about one line, so that forces do not determine how.

    A rotor's inertia on either hinge does determine it. The home of a follower is not where it starts, so it is
    ignored.
    """
    for row in _rows(model):
        for first, middle, last in combinations(row, 3):
            if not (first.is_free and last.is_free) or first.armature or last.armature:
                continue
            is_bent = norm(cross(first.direction, middle.direction)) > 0.5
            is_parallel = norm(cross(first.direction, last.direction)) < LOCKED
            if is_bent and is_parallel and norm(cross(first.direction, sub(last.point, first.point))) < SAME_LINE:
                yield warning(CODE, name_of(middle.joint), _in_words(first, middle, last))
                break


def _in_words(first: _Hinge, middle: _Hinge, last: _Hinge) -> str:
    joint = middle.joint

    def name(hinge: _Hinge) -> str:
        if hinge.joint is joint:
            return hinge.part or joint.name
        return f"{hinge.joint.name}.{hinge.part}" if hinge.part else hinge.joint.name

    joints = [*dict.fromkeys(hinge.joint.name for hinge in (first, middle, last))]
    slides = any(column.slide and not column.turn for column in joint.columns)
    return gimbal_lock_in_words(name(middle), middle.angle, (name(first), name(last)), joints, slides)


def _rows(model: Model) -> Iterator[list[_Hinge]]:
    """Yield rows of hinges, from the parent outward.

    No link between two hinges of a row has mass or inertia, carries another moving joint, or belongs to a loop joint.
    """
    acting = model.acting_at(0.0)
    tree, parts = acting.tree(), acting.rigid_parts()
    heavy = {parts[link.name] for link in acting.links if link.mass or any(link.inertia)}
    carried = Counter(parts.get(branch.inner, branch.inner) for branch in tree.branches if branch.joint.nv)
    closing = {parts[end] for joint in tree.loops for end in (joint.parent, joint.child) if end in parts}
    rows: dict[str, tuple[list[_Hinge], Pose]] = {}
    for branch in tree.branches:
        hinges, frame = rows.get(branch.inner, ([], IDENTITY))
        found = _hinges_of(branch, frame)
        if found is None:
            continue
        hinges, frame = hinges + found[0], found[1]
        part = parts[branch.outer]
        if part not in heavy and part not in closing and carried[part] == 1:
            rows[branch.outer] = hinges, frame
        elif len(hinges) > 2:
            yield hinges


def _hinges_of(branch: Branch, frame: Pose) -> tuple[list[_Hinge], Pose] | None:
    """Return a joint's hinges and the frame of the link that it carries, or None if it has a chart or a mimic.

    Args:
        branch: the joint, in the tree of the model.
        frame: pose of the link that carries the joint, in the frame in which the row begins.
    """
    joint = branch.joint
    if joint.kind.chart or joint.mimic:
        return None
    parts = {column.axis: part for column, (part, _) in zip(joint.columns, joint.qd_units, strict=True)}
    screws = [(screw, value) for screw, value in zip(screws_of(joint), joint.home, strict=True)]
    inner, outer = joint.X_PJ, joint.X_CJ
    if branch.backward:
        screws = [(screw.backward(), value) for screw, value in reversed(screws)]
        inner, outer = outer, inner
    X, hinges = compose(frame, inner), []
    for screw, value in screws:
        if screw.turn and not screw.slide:
            hinges.append(_hinge(joint, parts.get(screw.axis, ""), screw, X, value))
        X = compose(X, screw.pose(value))
    return hinges, compose(X, inverse(outer))


def _hinge(joint: Joint, part: str, screw: Screw, X: Pose, angle: float) -> _Hinge:
    return _Hinge(
        joint,
        part,
        quat_rotate(X[3:], screw.direction),
        add(X[:3], quat_rotate(X[3:], screw.point)),
        angle,
        screw.locked_at is None,
        joint.axes[screw.axis].armature,
    )


FINDINGS = (gimbal_lock,)
