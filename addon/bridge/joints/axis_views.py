# SPDX-License-Identifier: GPL-3.0-or-later
"""The axes of a joint as the viewport shows them: their lines, directions, zero marks, values and limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Quaternion, Vector

from ....core.joints import Unit
from ....core.joints.limited_quantities import CONE, DISTANCE
from ....core.model import Joint
from ....core.model.screws import joint_pose, limited_quantities_at, screws_of
from ....core.spatial import Pose, compose
from ...nodes import Node, children_of, dimensions_of, joins_itself, origin_of
from ...props.settings import joint_settings
from ..posing.link_poses import live_pose
from ..posing.present_poses import coordinates_now
from ..values.numbers import scaled_pose, unit_length, units_of
from .frames import empty_frame, require_both_ends
from .read_joints import joint_of

MIN_OFFSET_FROM_AXIS = 0.05
"""Smallest distance of a link's centre from an axis, as a part of its distance from the axis's origin, at which the
centre decides where coordinate 0 is marked.
"""

POSITION_ERROR = 1e-5
"""Upper bound of the error with which Blender places a link's centre, as a part of its distance from the world's origin
or of the link's size. Matrices of parents, bones and keys are in single precision, so the last digits differ between
evaluations.
"""

DEFAULT_HALF_RANGE = math.pi / 2.0
"""Angle from the value at which the end of a rotation without limits is shown, so that it can be dragged [rad]."""


@dataclass(frozen=True)
class AxisView:
    """One axis of a joint as the viewport shows it, in world axes [Blender units].

    Attributes:
        number: of the axis among those of the joint. name: by the joint type; empty if the type has one axis only.
        kind: "turn", "slide" or "cone".
        q_index: index of its coordinate in the joint's q; None for a limited quantity, such as a cone angle.
        frame: rotation of the axes in which the direction is given, by the type or by the user.
        origin, direction: of its line. zero: unit vector perpendicular to the line, which marks coordinate 0.
        value: the coordinate at the present poses of the links [rad, m].
        home: the coordinate at which a simulation starts [rad, m]; None if there is none.
        lower, upper: its limits [rad, m], infinite if there are none.
        can_have_limits, can_have_lower: whether its type allows limits, and a lower one.
        is_pointed: whether the user chooses its direction.
        translation_rate: translation of a screw along its axis per unit of the coordinate [Blender units].
        rate: translation or rotation per unit of the coordinate [Blender units, or rad].
    """

    number: int
    name: str
    kind: str
    q_index: int | None
    origin: Vector
    direction: Vector
    zero: Vector
    frame: Quaternion
    value: float
    home: float | None = None
    lower: float = -math.inf
    upper: float = math.inf
    can_have_limits: bool = True
    can_have_lower: bool = True
    is_pointed: bool = False
    translation_rate: float = 0.0
    rate: float = 1.0

    @property
    def at_quarter_turn(self) -> Vector:
        """The unit vector perpendicular to the axis, a quarter of a turn after `zero`."""
        return crossed(self.direction, self.zero)

    def point_at(self, value: float, radius: float) -> Vector:
        """Return the point that marks a value [Blender units].

        Args:
            radius: distance of the point from the axis of a turn, or from the apex of a cone.
        """
        if self.kind == "slide":
            return self.origin + self.direction * (value * self.rate)
        if self.kind == "cone":
            tilted = self.direction * math.cos(value) + self.zero * math.sin(value)
            return self.origin + tilted * radius
        risen = self.origin + self.direction * (self.translation_rate * value)
        return risen + Quaternion(self.direction, value * self.rate) @ self.zero * radius

    def limit_or_default(self, side: str, radius: float) -> float:
        """Return a limit of the coordinate; if there is none, the value at which its handle is shown.

        Args:
            side: "lower" or "upper".
            radius: distance from the present value at which the missing limit of a slide is shown [Blender units].
        """
        limit = self.lower if side == "lower" else self.upper
        if math.isfinite(limit):
            return limit
        sign = -1.0 if side == "lower" else 1.0
        return self.value + sign * (radius if self.kind == "slide" else DEFAULT_HALF_RANGE) / self.rate


@dataclass(frozen=True)
class JointView:
    """A joint as the viewport shows it.

    Attributes:
        X_WJ: pose of its parent-side frame in the world [Blender units].
        q: its coordinates at the present poses of the links [rad, m].
        unit: length of a Blender unit [m].
        has_stored_frames: whether its frames can be turned and its zero moved. Those of a bone follow the armature.
    """

    joint: Joint
    X_WJ: Pose
    q: tuple[float, ...]
    unit: float
    axes: tuple[AxisView, ...]
    has_stored_frames: bool = True


def view_joint(obj: Node, scene: bpy.types.Scene, cached: Joint | None = None) -> JointView:
    """Return the view of a joint at the present poses of its links.

    Args:
        cached: the joint as it was last read, which halves the time; None reads it.

    Raises:
        ModelError: if the joint cannot be used as it is.
    """
    require_both_ends(obj)
    joint = cached or joint_of(obj, units_of(scene), {*scene.objects})
    unit = unit_length(scene)
    parent = joint_settings(obj).parent_node
    X_PJ = scaled_pose(joint.X_PJ, 1.0 / unit) if joins_itself(obj) else empty_frame(obj)
    X_WJ = compose(live_pose(parent), X_PJ) if parent else X_PJ
    q = tuple(coordinates_now(obj, joint, unit).tolist())
    child = joint_settings(obj).child_node
    axes = (
        _views_of_quantities(joint, X_WJ, q, unit) if joint.kind.chart else _views_of_dofs(joint, X_WJ, q, unit, child)
    )
    return JointView(joint, X_WJ, q, unit, tuple(axes), not joins_itself(obj))


def crossed(one: Vector, other: Vector) -> Vector:
    """Return the cross product of two three-dimensional vectors. (For two dimensions, mathutils returns a number.)"""
    return one.cross(other)  # type: ignore[return-value] - the stub allows 2D vectors


def _bounds_centre(link: Node) -> Vector:
    """Return the centre of the bounding box of the link's mesh, in world axes [Blender units].

    A link without a mesh of its own has that of the first mesh that it carries, or else its origin.
    """
    carried = [child for each in children_of(link) for child in (each, *each.children_recursive)]
    for obj in (link, *carried):
        if isinstance(obj, bpy.types.Object) and obj.type == "MESH":
            corners = np.array(obj.bound_box)
            return obj.matrix_world @ Vector(corners.mean(axis=0).tolist())
    return origin_of(link)


def _views_of_dofs(joint: Joint, X_WJ: Pose, q: tuple[float, ...], unit: float, child: Node) -> list[AxisView]:
    """Return a view of each unlocked dof.

    The line of its screw is taken at the values of the dofs before it.
    """
    views, X_W_dof, values = [], scaled_pose(X_WJ, unit), iter(enumerate(q))
    centre = _bounds_centre(child)
    error = POSITION_ERROR * max(centre.length, *dimensions_of(child))
    for number, (screw, column) in enumerate(zip(screws_of(joint), joint.all_columns, strict=True)):
        slot, axis = joint.kind.slot(screw.axis), joint.axes[screw.axis]
        q_index, value = (None, screw.locked_at) if screw.locked_at is not None else next(values)
        origin, direction = _line(X_W_dof, screw.point, screw.direction, unit)
        frame = Quaternion(X_W_dof[3:])
        X_W_dof = compose(X_W_dof, screw.pose(value))
        if q_index is None:
            continue
        turns = column.unit is Unit.ANGLE
        rate = screw.turn if turns else screw.slide / unit
        if not rate:
            continue  # an axis that neither turns nor slides yet
        direction = direction if rate > 0.0 else -direction
        views.append(
            AxisView(
                screw.axis,
                slot.name,
                "turn" if turns else "slide",
                q_index,
                origin,
                direction,
                _zero_direction(origin, direction, centre, error, value * abs(rate) if turns else 0.0, X_WJ),
                frame,
                value,
                joint.home[number],
                *((axis.lower, axis.upper) if slot.limited else ()),
                can_have_limits=slot.limited,
                is_pointed=slot.is_pointed,
                translation_rate=math.copysign(screw.slide, rate * screw.slide) / unit if turns else 0.0,
                rate=abs(rate),
            )
        )
    return views


def _line(X_W_dof: Pose, point, direction, unit: float) -> tuple[Vector, Vector]:
    """Return the origin [Blender units] and the unit direction of a line in world axes."""
    turn = Quaternion(X_W_dof[3:])
    return (Vector(X_W_dof[:3]) + turn @ Vector(point)) / unit, (turn @ Vector(direction)).normalized()


def _zero_direction(
    origin: Vector, direction: Vector, centre: Vector, error: float, value: float, X_WJ: Pose
) -> Vector:
    """Return the unit vector that marks coordinate 0, chosen so that the mark of the present value points at the link.

    If the link's centre lies on the axis within rounding errors, the joint's frame decides.

    Args:
        origin, direction: of the axis. centre: the link's centre. error: upper bound of its error [Blender units].
    """
    offset = centre - origin
    perpendicular = offset - direction * offset.dot(direction)
    if perpendicular.length > max(MIN_OFFSET_FROM_AXIS * offset.length, error):
        return Quaternion(direction, -value) @ perpendicular.normalized()
    return _perpendicular_to(direction, X_WJ)


def _perpendicular_to(direction: Vector, X_WJ: Pose) -> Vector:
    """Return a unit vector perpendicular to `direction`. It depends on the direction and the joint's frame only."""
    frame = Quaternion(X_WJ[3:]).to_matrix()
    first = min((frame.col[i] for i in range(3)), key=lambda axis: round(abs(axis.dot(direction)), 6))
    return (first - direction * first.dot(direction)).normalized()


def _views_of_quantities(joint: Joint, X_WJ: Pose, q: tuple[float, ...], unit: float) -> list[AxisView]:
    """Return a view of each limited quantity of a chart."""
    X_J = joint_pose(joint, q)
    views = []
    for row, value, _ in limited_quantities_at(joint, X_J):
        slot, axis = joint.kind.slot(row.axis), joint.axes[row.axis]
        origin, direction = _line(scaled_pose(X_WJ, unit), (0.0, 0.0, 0.0), joint.unit_direction(row.axis), unit)
        kind, zero, rate = "turn", _perpendicular_to(direction, X_WJ), 1.0
        if row.code == DISTANCE:
            offset = Quaternion(X_WJ[3:]) @ Vector(X_J[:3])
            direction = offset.normalized() if offset.length > 1e-9 else direction
            kind, zero, rate = "slide", _perpendicular_to(direction, X_WJ), 1.0 / unit
        elif row.code == CONE:
            kind = "cone"
            zero = _swung_towards(direction, X_WJ, X_J) or zero
        else:  # a twist is about the direction after the swing of the child
            swing = direction.rotation_difference(_swung(direction, X_WJ, X_J))
            direction, zero = swing @ direction, swing @ zero
        can_have_lower = "lower" in slot.fields
        views.append(
            AxisView(
                row.axis,
                slot.name,
                kind,
                None,
                origin,
                direction,
                zero,
                Quaternion(X_WJ[3:]),
                value,
                None,
                axis.lower if can_have_lower else -math.inf,
                axis.upper,
                can_have_lower=can_have_lower,
                is_pointed=slot.is_pointed,
                rate=rate,
            )
        )
    return views


def _swung(direction: Vector, X_WJ: Pose, X_J: Pose) -> Vector:
    """Return the world direction to which the rotation of the child takes a direction of the parent-side frame."""
    frame, turn = Quaternion(X_WJ[3:]), Quaternion(X_J[3:])
    return frame @ turn @ frame.inverted() @ direction


def _swung_towards(direction: Vector, X_WJ: Pose, X_J: Pose) -> Vector | None:
    """Return the unit vector towards which the child is tilted; None if it is not tilted."""
    perpendicular = _swung(direction, X_WJ, X_J)
    perpendicular = perpendicular - direction * perpendicular.dot(direction)
    return perpendicular.normalized() if perpendicular.length > 1e-4 else None
