# SPDX-License-Identifier: GPL-3.0-or-later
"""The screws of a joint in the joint's frame, and the pose X_J(q) that they produce."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..joints import BALL, LimitedQuantity, evaluate_quantity
from ..spatial import (
    IDENTITY,
    ZERO,
    Pair,
    Pose,
    Vec3,
    add,
    compose,
    quat_normalized,
    quat_of_rotvec,
    quat_rotate,
    scale,
    sub,
)
from .elements import Joint


@dataclass(frozen=True)
class Screw:
    """A screw: one unit of the coordinate turns by `turn` [rad] about a line and slides by `slide` [m] along it.

    Attributes:
        direction, point: of the line, a unit vector and any of its points [m], in the joint's frame.
        axis: the number of the joint's axis that the screw belongs to.
        locked_at: the coordinate at which a locked screw stays, or None if the screw moves.
    """

    direction: Vec3
    point: Vec3
    turn: float
    slide: float
    axis: int = 0
    locked_at: float | None = None

    def pose(self, value: float) -> Pose:
        """Return the pose of the frame after the screw in the frame before it, at coordinate `value` [m]."""
        quat = quat_of_rotvec(scale(self.direction, self.turn * value))
        moved = sub(self.point, quat_rotate(quat, self.point))
        return add(moved, scale(self.direction, self.slide * value)) + quat

    def locked_pose(self) -> Pose:
        """Return `pose` of a locked screw [m]."""
        assert self.locked_at is not None
        return self.pose(self.locked_at)

    def backward(self) -> Screw:
        """Return the screw with the direction negated."""
        return Screw(scale(self.direction, -1.0), self.point, self.turn, self.slide, self.axis, self.locked_at)


def screws_of(joint: Joint) -> list[Screw]:
    """Return the screws of a joint from parent to child, with those of locked axes; an empty list for a chart.

    Raises:
        ModelError: if an axis has no direction.
    """
    screws = []
    for column, home in zip(joint.all_columns, joint.home, strict=True) if not joint.kind.chart else ():
        direction = joint.unit_direction(column.axis)
        locked_at = home if joint.is_locked(column.axis) else None
        slide = column.slide_with(joint.pitch)
        screws.append(Screw(direction, column.point, column.turn, slide, column.axis, locked_at))
    return screws


def joint_pose(joint: Joint, q: Sequence[float]) -> Pose:
    """Return X_J(q), the pose of the child-side joint frame in the parent-side one [m].

    q has the shape (nq,). Locked axes are at home.
    """
    if joint.kind.chart:
        position = ZERO if joint.kind.code == BALL else (q[0], q[1], q[2])
        return position + quat_normalized(q[-4:])
    pose, values = IDENTITY, iter(q)
    for screw in screws_of(joint):
        pose = compose(pose, screw.pose(next(values)) if screw.locked_at is None else screw.locked_pose())
    return pose


def limited_quantities_at(joint: Joint, X_J: Pose) -> list[tuple[LimitedQuantity, float, Pair]]:
    """Return (quantity, value, gradient) of each limited quantity of a joint at the pose X_J [m].

    The gradient is (torque, force), as in `joints/limited_quantities.py`. A twist is at most half a turn from the
    middle of its limits.

    Raises:
        ModelError: if an axis has no direction.
    """
    found = []
    for quantity in joint.kind.limited_quantities:
        direction, centre = joint.unit_direction(quantity.axis), quantity.centre(*joint.range_of(quantity.axis))
        value, gradient = evaluate_quantity(quantity.code, X_J[:3], X_J[3:], direction, centre)
        found.append((quantity, value, gradient))
    return found
