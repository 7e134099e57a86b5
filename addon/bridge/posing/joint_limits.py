# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring coordinates within the limits of a joint before the joint is moved."""

from __future__ import annotations

from collections.abc import Sequence

from mathutils import Quaternion, Vector

from ....core.model import Joint, ModelError
from ....core.model.screws import joint_pose, limited_quantities_at
from ....core.spatial import quat_normalized

BISECTIONS = 20
"""Number of bisections that locate the limit on the way to a rotation beyond it."""


def clamped(joint: Joint, q_index: int, value: float) -> float:
    """Return a value of coordinate number `q_index`, clamped to its limits [rad or m]."""
    number = joint.columns[q_index].axis
    axis = joint.axes[number]
    has_limits = joint.kind.slot(number).limited and axis.lower <= axis.upper
    return min(max(value, axis.lower), axis.upper) if has_limits else value


def limited(joint: Joint, start: Sequence[float], goal: Sequence[float]) -> tuple[float, ...]:
    """Return a chart's coordinates, or the last point within the limits on the way from `start` to them.

    Raises:
        ModelError: if the quaternion is 0.
    """
    if not any(goal[-4:]):
        raise ModelError(f"joint '{joint.name}' was given the quaternion 0 0 0 0, which is no rotation: key it anew")
    turn = quat_normalized((goal[-4], goal[-3], goal[-2], goal[-1]))
    goal = (*goal[:-4], *turn)
    if _is_within(joint, goal):
        return goal
    least, most = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (least + most)
        within = _is_within(joint, _between(start, goal, middle))
        least, most = (middle, most) if within else (least, middle)
    return _between(start, goal, least)


def _between(start: Sequence[float], goal: Sequence[float], part: float) -> tuple[float, ...]:
    """Return coordinates between those of a chart.

    Positions, if there are any, are interpolated linearly, and quaternions by slerp.
    """
    turn = Quaternion(start[-4:]).slerp(Quaternion(goal[-4:]), part)
    if len(start) == 4:
        return (turn.w, turn.x, turn.y, turn.z)
    return (*Vector(start[:3]).lerp(Vector(goal[:3]), part), *turn)


def _is_within(joint: Joint, q: Sequence[float]) -> bool:
    """Return whether the limited quantities of the joint are within their limits."""
    rows = limited_quantities_at(joint, joint_pose(joint, q))
    return all(joint.axes[row.axis].lower <= value <= joint.axes[row.axis].upper for row, value, _ in rows)
