# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of joints as drawn, joints that are one, and joints that a file has the other way round."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...model import WORLD, Axis, Joint
from ...model.editing.grafting import turn_round
from ...model.screws import joint_pose
from ...spatial import Pose, compose, dot, inverse, pose_distance, rotvec_of_quat
from ..substitutes import hinge_angles

DOFS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
"""Names of the six degrees of freedom of a generic joint, in the order of the axes of a d6."""

APART = 1e-4
"""Distance [m] or angle [rad] between what a joint allows and the drawn pose, above which a warning tells it."""

TURN = 2.0 * math.pi
"""A whole turn [rad]."""

ONE_AXIS = ("revolute", "continuous", "prismatic")
"""Types that several joints between the same bodies may have and be one joint."""


@dataclass(frozen=True)
class End:
    """One side of a joint.

    Attributes:
        link: name of the link. frame: the joint's frame in it [m]. drawn: the same in the world, as drawn [m].
        is_given: whether the joint names a prim there; otherwise the side is the world.
    """

    link: str
    frame: Pose
    drawn: Pose
    is_given: bool = True


@dataclass
class ReadJoint:
    """A joint as its prim gives it, from body 0 to body 1, of which either may be the world.

    Attributes:
        joint: the joint of the model. Prims that are one joint share it.
        dof: the one of `DOFS` that the prim gives, if it is one; otherwise "".
    """

    prim: Any
    joint: Joint
    parent: End
    child: End
    dof: str = ""

    @property
    def X_J(self) -> Pose:
        """The pose of the child-side frame in the other one, as drawn."""
        return compose(inverse(self.parent.drawn), self.child.drawn)


# ---- home


def set_home(joint: Joint, X_J: Pose) -> float:
    """Set the coordinates that come nearest to the pose X_J of the child-side frame in the other one.

    Return how far apart the frames are then [m or rad].
    """
    joint.home = tuple(value + 0.0 for value in home_of(joint, X_J))
    return pose_distance(joint_pose(joint, joint.q_home), X_J)


def home_of(joint: Joint, X_J: Pose) -> tuple[float, ...]:
    """Return the coordinates at which a joint's frames are nearest to a pose of one in the other.

    Locked axes are at 0. Of the angles that give the same pose, those within the limits are taken.
    """
    if joint.kind.chart:
        return X_J[3:] if joint.type == "ball" else X_J
    if joint.type == "d6":
        values: Sequence[float] = (*X_J[:3], *hinge_angles(X_J))
    elif joint.type == "prismatic":
        values = (dot(X_J[:3], joint.axes[0].xyz),)
    else:
        values = (dot(rotvec_of_quat(X_J[3:]), joint.axes[0].xyz),) if joint.axes else ()
    turns = [column.turn != 0.0 for column in joint.all_columns]
    pairs = zip(joint.axes, values, turns, strict=True)
    return tuple(0.0 if axis.locked else _allowed(value, axis) if turn else value for axis, value, turn in pairs)


def _allowed(angle: float, axis: Axis) -> float:
    """Return an angle plus as many whole turns as bring it within the limits of an axis; without any if none does."""
    if angle < axis.lower:
        turned = angle + TURN * math.ceil((axis.lower - angle) / TURN - APART)
    else:
        turned = angle - TURN * math.ceil((angle - axis.upper) / TURN - APART) if angle > axis.upper else angle
    return turned if axis.lower - APART <= turned <= axis.upper + APART else angle


# ---- several prims that are one joint


def merge(found: Iterable[ReadJoint]) -> list[ReadJoint]:
    """Return the joints, with those of one axis that share both frames, between the same links, as one.

    Files write them for what is one joint of several axes, such as a cylinder's turn and slide. Joints about the same
    axis stay apart.
    """
    kept: list[ReadJoint] = []
    known: dict[tuple, list[list[ReadJoint]]] = defaultdict(list)
    for each in found:
        each.dof = _dof(each.joint)
        if not each.dof:
            kept.append(each)
            continue
        joint = each.joint
        groups = known[joint.parent, joint.child, joint.closes_loop, joint.enabled]
        group = next((group for group in groups if _fits(group, each)), None)
        if group is None:
            groups.append([each])
            kept.append(each)
        else:
            group.append(each)
            _join(group[0], each)
    return kept


def _dof(joint: Joint) -> str:
    """Return the degree of freedom of a joint that has one; "" for others."""
    if joint.type not in ONE_AXIS:
        return ""
    return DOFS[joint.axes[0].xyz.index(1.0) + (0 if joint.type == "prismatic" else 3)]


def _fits(group: Sequence[ReadJoint], other: ReadJoint) -> bool:
    one, joint = group[0].joint, other.joint
    is_new = other.dof not in {each.dof for each in group}
    return is_new and max(pose_distance(one.X_PJ, joint.X_PJ), pose_distance(one.X_CJ, joint.X_CJ)) <= APART


def _join(first: ReadJoint, other: ReadJoint) -> None:
    """Add the axis of one prim to the joint of another, which becomes a d6 whose other axes are locked."""
    joint = first.joint
    if joint.type != "d6":
        axis = replace(joint.axes[0])
        joint.type = "d6"
        joint.axes = [Axis(joint.direction(number), locked=True) for number in range(6)]
        joint.axes[DOFS.index(first.dof)] = axis
    joint.axes[DOFS.index(other.dof)] = other.joint.axes[0]
    other.joint = joint


def axis_number(joint: Joint, dof: str) -> int | None:
    """Return the number of the axis that is a degree of freedom, forwards or backwards; None if none is."""
    for column in joint.columns:
        along = abs(joint.direction(column.axis)["XYZ".index(dof[-1])])
        if along == 1.0 and bool(column.slide) == dof.startswith("trans"):
            return column.axis
    return None


# ---- the other way round


def put_world_first(joint: Joint) -> None:
    """Exchange the ends of a joint whose child is the world. Coordinates, limits and targets stay as they are."""
    assert joint.child == WORLD
    if joint.type == "d6":  # its inverse has the axes in the opposite order
        rows = zip(joint.axes, joint.all_columns, joint.home, strict=True)
        moving = [row for row in rows if not row[0].locked][::-1]
        axes = [replace(axis, turn=column.turn, slide=column.slide) for axis, column, _ in moving]
        joint.type = "custom"
        joint.axes, joint.home = axes, tuple(value for _, _, value in moving)
    turn_round(joint)
