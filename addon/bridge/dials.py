# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint's axes as they are seen in the viewport: what turns about what, what slides along what, and how far."""

from __future__ import annotations

import math
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Quaternion, Vector

from ...core.joints import Unit
from ...core.joints.rows import CONE, DISTANCE
from ...core.model import Joint
from ...core.model.screws import joint_pose, measured_rows, screws_of
from ...core.spatial import Pose, compose
from .. import ids
from .frames import empty_frame, require_both_ends
from .live import coordinates_now
from .numbers import scaled_pose, unit_length, units_of
from .poses import live_pose
from .read_joints import joint_of

FLAT = 0.05
"""Part of its distance by which a link's middle must lie off an axis to show where the axis's zero is."""

ROUNDING = 1e-5
"""Upper bound of the error with which Blender places a link's middle, as a part of its distance from the world's origin
or of the link's size. Matrices of parents, bones and keys are in single precision, so that each evaluation gives other
last digits."""

SHOWN_TURN = math.pi / 2.0
"""Where the ends of a turn without limits are shown, to be dragged from."""


@dataclass(frozen=True)
class Dial:
    """One axis of a joint, in the world [Blender units].

    Attributes:
        axis: its number among the joint's axes. name: what the type calls it; empty where it has but one.
        kind: "turn", "slide" or "cone".
        place: of its coordinate among the joint's; None for what a constraint row measures.
        frame: the axes that the type's or the user's direction is given in.
        origin, direction: of its line. zero: where coordinate 0 points, a unit vector across the line.
        value, home: the coordinate as the links stand, and where a simulation starts [rad, m]; None if there is none.
        lower, upper: its limits [rad, m], infinite where it has none. limited: whether it may have any.
        has_lower: whether a lower limit means something.
        pointed: whether the user chooses its direction.
        advance: of a thread, for a unit of the coordinate [Blender units].
        size: what a unit of its coordinate is [Blender units, or rad].
    """

    axis: int
    name: str
    kind: str
    place: int | None
    origin: Vector
    direction: Vector
    zero: Vector
    frame: Quaternion
    value: float
    home: float | None = None
    lower: float = -math.inf
    upper: float = math.inf
    limited: bool = True
    has_lower: bool = True
    pointed: bool = False
    advance: float = 0.0
    size: float = 1.0

    @property
    def other(self) -> Vector:
        """Where a quarter of a turn after `zero` points."""
        return crossed(self.direction, self.zero)

    def point(self, value: float, radius: float) -> Vector:
        """Where a value is marked; at `radius` from a turn's axis, and on the side of a cone."""
        if self.kind == "slide":
            return self.origin + self.direction * (value * self.size)
        if self.kind == "cone":
            tilted = self.direction * math.cos(value) + self.zero * math.sin(value)
            return self.origin + tilted * radius
        risen = self.origin + self.direction * (self.advance * value)
        return risen + Quaternion(self.direction, value * self.size) @ self.zero * radius

    def end(self, which: str, radius: float) -> float:
        """The limit `which`, "lower" or "upper"; where there is none, the value at which to show that there is none."""
        limit = self.lower if which == "lower" else self.upper
        if math.isfinite(limit):
            return limit
        sign = -1.0 if which == "lower" else 1.0
        return self.value + sign * (radius if self.kind == "slide" else SHOWN_TURN) / self.size


@dataclass(frozen=True)
class JointView:
    """A joint as it is seen. X_WJ: its parent-side frame [Blender units]. q: coordinates as the links stand."""

    joint: Joint
    X_WJ: Pose
    q: tuple[float, ...]
    unit: float
    dials: tuple[Dial, ...]


def view_joint(obj: bpy.types.Object, scene: bpy.types.Scene, known: Joint | None = None) -> JointView:
    """The joint of an Empty, where it is now. known: as it was read last, which takes half the time.

    Raises:
        ModelError: the joint cannot be used as it is.
    """
    require_both_ends(obj)
    joint = known or joint_of(obj, units_of(scene), {*scene.objects})
    unit = unit_length(scene)
    parent = getattr(obj, ids.JOINT).parent
    X_WJ = compose(live_pose(parent), empty_frame(obj)) if parent else empty_frame(obj)
    q = tuple(coordinates_now(obj, joint, unit).tolist())
    child = getattr(obj, ids.JOINT).child
    dials = _row_dials(joint, X_WJ, q, unit) if joint.kind.chart else _column_dials(joint, X_WJ, q, unit, child)
    return JointView(joint, X_WJ, q, unit, tuple(dials))


def crossed(one: Vector, other: Vector) -> Vector:
    """The cross product, which in two dimensions would be a number."""
    return one.cross(other)  # type: ignore[return-value] - of vectors with three numbers, a vector


def _middle(link: bpy.types.Object) -> Vector:
    """Of the link's own mesh, in the world; of one without, the first that it carries, or its origin."""
    for obj in (link,) if link.type == "MESH" else (link, *link.children_recursive):
        if obj.type == "MESH":
            corners = np.array(obj.bound_box)
            return obj.matrix_world @ Vector(corners.mean(axis=0).tolist())
    return link.matrix_world.translation.copy()


def _column_dials(joint: Joint, X_WJ: Pose, q: tuple[float, ...], unit: float, child: bpy.types.Object) -> list[Dial]:
    """Each about or along the line that its screw has when those before it stand as they do."""
    dials, before, values = [], scaled_pose(X_WJ, unit), iter(enumerate(q))
    middle = _middle(child)
    error = ROUNDING * max(middle.length, *child.dimensions)
    for number, (screw, column) in enumerate(zip(screws_of(joint), joint.all_columns, strict=True)):
        slot, axis = joint.kind.slot(screw.axis), joint.axes[screw.axis]
        place, value = (None, screw.locked_at) if screw.locked_at is not None else next(values)
        origin, direction = _line(before, screw.point, screw.direction, unit)
        frame = Quaternion(before[3:])
        before = compose(before, screw.pose(value))
        if place is None:
            continue
        turns = column.unit is Unit.ANGLE
        rate = screw.turn if turns else screw.slide / unit
        if not rate:
            continue  # an axis that neither turns nor slides yet
        direction = direction if rate > 0.0 else -direction
        dials.append(
            Dial(
                screw.axis,
                slot.name,
                "turn" if turns else "slide",
                place,
                origin,
                direction,
                _zero(origin, direction, middle, error, value * abs(rate) if turns else 0.0, X_WJ),
                frame,
                value,
                joint.home[number],
                *((axis.lower, axis.upper) if slot.limited else ()),
                limited=slot.limited,
                pointed=slot.is_pointed,
                advance=math.copysign(screw.slide, rate * screw.slide) / unit if turns else 0.0,
                size=abs(rate),
            )
        )
    return dials


def _line(before: Pose, point, direction, unit: float) -> tuple[Vector, Vector]:
    """Origin [Blender units] and direction in the world."""
    turn = Quaternion(before[3:])
    return (Vector(before[:3]) + turn @ Vector(point)) / unit, (turn @ Vector(direction)).normalized()


def _zero(origin: Vector, direction: Vector, middle: Vector, error: float, value: float, X_WJ: Pose) -> Vector:
    """Return where coordinate 0 is marked, a unit vector: so that the mark of the link's coordinate points at the link.

    A link whose middle lies on the axis, but for rounding, is on no side of it; then the joint's frame decides.

    Args:
        origin, direction: of the axis. middle: of the link; its error is at most `error` [Blender units].
    """
    way = middle - origin
    across = way - direction * way.dot(direction)
    if across.length > max(FLAT * way.length, error):
        return Quaternion(direction, -value) @ across.normalized()
    return _across_of(direction, X_WJ)


def _across_of(direction: Vector, X_WJ: Pose) -> Vector:
    """A unit vector across a direction, the same as long as the joint's frame is the same."""
    frame = Quaternion(X_WJ[3:]).to_matrix()
    first = min((frame.col[i] for i in range(3)), key=lambda axis: round(abs(axis.dot(direction)), 6))
    return (first - direction * first.dot(direction)).normalized()


def _row_dials(joint: Joint, X_WJ: Pose, q: tuple[float, ...], unit: float) -> list[Dial]:
    """Of a chart: what its constraint rows measure."""
    X_J = joint_pose(joint, q)
    dials = []
    for row, value, _ in measured_rows(joint, X_J):
        slot, axis = joint.kind.slot(row.axis), joint.axes[row.axis]
        origin, direction = _line(scaled_pose(X_WJ, unit), (0.0, 0.0, 0.0), joint.unit_direction(row.axis), unit)
        kind, zero, size = "turn", _across_of(direction, X_WJ), 1.0
        if row.measure == DISTANCE:
            way = Quaternion(X_WJ[3:]) @ Vector(X_J[:3])
            direction = way.normalized() if way.length > 1e-9 else direction
            kind, zero, size = "slide", _across_of(direction, X_WJ), 1.0 / unit
        elif row.measure == CONE:
            kind = "cone"
            zero = _swung_towards(direction, X_WJ, X_J) or zero
        else:  # a twist is about the direction as the child has swung it
            swing = direction.rotation_difference(_swung(direction, X_WJ, X_J))
            direction, zero = swing @ direction, swing @ zero
        has_lower = "lower" in slot.fields
        dials.append(
            Dial(
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
                axis.lower if has_lower else -math.inf,
                axis.upper,
                has_lower=has_lower,
                pointed=slot.is_pointed,
                size=size,
            )
        )
    return dials


def _swung(direction: Vector, X_WJ: Pose, X_J: Pose) -> Vector:
    """Where the child's turn takes a direction of the joint's frame, in the world."""
    frame, turn = Quaternion(X_WJ[3:]), Quaternion(X_J[3:])
    return frame @ turn @ frame.inverted() @ direction


def _swung_towards(direction: Vector, X_WJ: Pose, X_J: Pose) -> Vector | None:
    """To which side the child has swung; None while it stands upright."""
    across = _swung(direction, X_WJ, X_J)
    across = across - direction * across.dot(direction)
    return across.normalized() if across.length > 1e-4 else None
