# SPDX-License-Identifier: GPL-3.0-or-later
"""The joint of a part of a body with the part above it: its type, its axes and its limits.

The joint's frame is that of the bone at rest, turned so that the part points to the middle of its range. So limits can
be as wide to all sides, whatever the pose in which a character was drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..model import Axis
from ..spatial import IDENTITY_QUAT, Quat, Vec3, add, atan2, cross, dot, norm, quat_of_rotvec, scale, sub
from .anatomy import BodyAxes, Place
from .body_parts import OUT, PARTS, UP, Hinge, Swing
from .bone_names import RIGHT

DEGREE = math.pi / 180.0
"""One degree [rad]."""

CLEAR_BEND = 8.0 * DEGREE
"""Angle between two parts at rest from which they tell the axis of their hinge [rad]."""

PARALLEL = 1e-3
"""Sine of the angle below which two directions do not define a plane [1]."""

SMALL_SWING = 8.0
"""Least angle of a cone and of a twist that many bones share [degrees]."""


@dataclass(frozen=True)
class PartJoint:
    """The joint of a part.

    Attributes:
        type: a name in `JOINT_TYPES`.
        axes: in the axes of the bone.
        turn: rotation of the joint's frame, in the axes of the bone at rest; the identity leaves it there.
    """

    type: str
    axes: list[Axis]
    turn: Quat = IDENTITY_QUAT


@dataclass(frozen=True)
class Limb:
    """A part at rest, and the part above it.

    Attributes:
        direction: unit vector along the part, in the axes of the armature.
        above: the same of the part above; None if there is none.
        rotation: the bone's axes as columns, in the axes of the armature, shape (3, 3).
    """

    direction: Vec3
    above: Vec3 | None
    rotation: tuple[Vec3, Vec3, Vec3]

    def in_bone(self, vector: Vec3) -> Vec3:
        """Return a vector of the armature in the axes of the bone."""
        x, y, z = (dot(column, vector) for column in self.rotation)
        return (x, y, z)


def joint_of_part(place: Place, limb: Limb, axes: BodyAxes, sharing: int = 1) -> PartJoint:
    """Return the joint of a part with the part above it.

    Args:
        axes: the directions of the body.
        sharing: number of joints that share a range that is given for several.
    """
    rule = PARTS[place.part].joint
    if isinstance(rule, Hinge):
        return _hinge(rule, place, limb, axes)
    return _ball(rule, place, limb, axes, sharing)


def in_armature(direction: Vec3, side: int, axes: BodyAxes) -> Vec3:
    """Return a direction (out, front, up) of a part in the axes of the armature; as a unit vector."""
    out = scale(axes.left, -1.0 if side == RIGHT else 1.0)
    found = add(add(scale(out, direction[0]), scale(axes.front, direction[1])), scale(axes.up, direction[2]))
    return scale(found, 1.0 / norm(found))


def _hinge(rule: Hinge, place: Place, limb: Limb, axes: BodyAxes) -> PartJoint:
    """Return a hinge whose range counts from the straight limb, whatever the bend at rest."""
    above = limb.above or limb.direction
    toward = in_armature(rule.toward, place.side, axes)
    axis = _across(above, toward) or _across(above, in_armature(UP, place.side, axes))
    axis = axis or _across(above, in_armature(OUT, place.side, axes))
    assert axis is not None  # no direction is parallel to all three
    bend = _across(above, limb.direction)
    if bend and dot(bend, axis) > 0.0 and _angle(above, limb.direction) > CLEAR_BEND:
        axis = bend
    drawn = atan2(dot(axis, cross(above, limb.direction)), dot(above, limb.direction))
    lower, upper = rule.low * DEGREE - drawn, rule.high * DEGREE - drawn
    return PartJoint("revolute", [Axis(xyz=limb.in_bone(axis), lower=min(lower, 0.0), upper=max(upper, 0.0))])


def _ball(rule: Swing, place: Place, limb: Limb, axes: BodyAxes, sharing: int) -> PartJoint:
    count = sharing if rule.is_shared else 1
    cone, twist = (max(angle / count, min(angle, SMALL_SWING)) * DEGREE for angle in (rule.cone, rule.twist))
    along = limb.in_bone(limb.direction)
    turn = IDENTITY_QUAT
    if rule.middle is not None:
        turn = _shortest_turn(along, limb.in_bone(in_armature(rule.middle, place.side, axes)))
    limits = [Axis(xyz=along, upper=cone), Axis(lower=-twist, upper=twist)]
    return PartJoint("ball", [Axis(), Axis(), Axis(), *limits], turn)


def _across(one: Vec3, other: Vec3) -> Vec3 | None:
    """Return the unit vector about which a turn takes one direction to another; None if they are parallel."""
    axis = cross(one, other)
    size = norm(axis)
    return scale(axis, 1.0 / size) if size > PARALLEL else None


def _angle(one: Vec3, other: Vec3) -> float:
    return atan2(norm(cross(one, other)), dot(one, other))


def _shortest_turn(one: Vec3, other: Vec3) -> Quat:
    """Return the shortest rotation that takes one unit vector to another one."""
    axis = _across(one, other)
    if axis is None:
        if dot(one, other) > 0.0:
            return IDENTITY_QUAT
        x = (1.0, 0.0, 0.0) if abs(one[0]) < 0.9 else (0.0, 1.0, 0.0)
        axis = _across(one, sub(x, scale(one, dot(one, x))))
        assert axis is not None  # the two are perpendicular
        return quat_of_rotvec(scale(axis, math.pi))
    return quat_of_rotvec(scale(axis, _angle(one, other)))
