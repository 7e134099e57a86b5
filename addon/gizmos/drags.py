# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions of a joint's handles: each changes properties of the joint during a drag."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ...core.model import ModelError
from ...core.spatial import quat_mul
from .. import bridge, ids
from ..overlays import ghost, labels
from ..props import core_joint, is_joint, is_link
from ..props.naming import model_name

SNAP_TURN = math.radians(5.0)
SNAP_SLIDE = 0.1
"""Step of a slide with Ctrl [Blender units]."""

SNAP_AIM = math.radians(10.0)
"""Angle to a preferred direction below which an axis snaps to it [rad]."""


class Drag(ABC):
    """One handle, from the press of the button to its release.

    Attributes:
        value: where the handle is now [rad or m].
    """

    label = ""
    snaps = True

    def __init__(
        self,
        context,
        obj: bpy.types.Object,
        view: bridge.joints.axis_views.JointView,
        dial: bridge.joints.axis_views.Dial,
        radius: float,
    ):
        self.obj, self.view, self.dial, self.radius = obj, view, dial, radius
        self.grip = 0.0
        self.value = self.first = self.start(context)
        self.snapshot = bridge.values.snapshot.Snapshot(self.changes(context))

    def start(self, context) -> float:
        return self.dial.value

    def changes(self, context) -> Iterable[bpy.types.Object]:
        """Return the objects that the drag may change."""
        return (self.obj,)

    def hold(self, ray: bridge.viewport.rays.Ray) -> None:
        """Store the offset between mouse and handle when the button is pressed, since it is rarely at the centre."""
        self.grip = bridge.viewport.rays.value_under(ray, self.dial, self.first, self.radius) - self.first

    def follow(self, context, ray: bridge.viewport.rays.Ray, is_snapping: bool) -> None:
        """Move the handle to the mouse."""
        value = bridge.viewport.rays.value_under(ray, self.dial, self.value + self.grip, self.radius) - self.grip
        if is_snapping and self.snaps:
            step = SNAP_SLIDE / self.dial.size if self.dial.kind == "slide" else SNAP_TURN / self.dial.size
            value = round(value / step) * step
        self.take(context, value, is_snapping)

    @abstractmethod
    def take(self, context, value: float, with_ctrl: bool = False) -> None:
        """Set the value of the handle.

        Args:
            with_ctrl: whether Ctrl is pressed.
        """

    def cancel(self) -> None:
        self.snapshot.restore()

    def confirm(self, context) -> None:
        """End the drag as one undo step."""
        bpy.ops.ed.undo_push(message=self.label)

    def end(self) -> None:
        ghost.clear()

    def words(self, scene: bpy.types.Scene) -> str:
        return f"{self.label} {labels.reading(self.dial, self.value, scene)}"

    def of_text(self, number: float) -> float:
        """Return the value [rad or m] of a typed number in degrees or Blender units."""
        return number * self.view.unit if self.dial.kind == "slide" else math.radians(number)


class PoseDrag(Drag):
    label = "Position"

    def start(self, context) -> float:
        self.posing = bridge.posing.posing.Posing(context.scene)
        return self.posing.value(model_name(self.obj), self.dial.place)

    def changes(self, context) -> Iterable[bpy.types.Object]:
        return filter(is_link, context.scene.objects)

    def take(self, context, value: float, with_ctrl: bool = False) -> None:
        self.value = self.posing.lead(model_name(self.obj), self.dial.place, value)


class DirectionDrag(Drag):
    """A drag of a direction: the handle moves on a sphere about the origin of the joint.

    Attributes:
        way: where it pointed at first, of length 1. aimed: where it points now.
    """

    way: Vector

    def hold(self, ray: bridge.viewport.rays.Ray) -> None:
        self.aimed = self.way
        self.far = self.way.dot(ray.direction) > 0.0
        self.grasp = ray.on_sphere(self.dial.origin, self.radius, self.far).rotation_difference(self.way)

    def follow(self, context, ray: bridge.viewport.rays.Ray, is_snapping: bool) -> None:
        way = self.grasp @ ray.on_sphere(self.dial.origin, self.radius, self.far)
        self.point(context, self.snapped(context, way, ray) if is_snapping else way)

    def take(self, context, value: float, with_ctrl: bool = False) -> None:
        """Tilt the direction by an angle from its start towards its present direction."""
        about = bridge.joints.axis_views.crossed(self.way, self.aimed)
        self.point(context, Quaternion(about if about.length > 1e-9 else self.dial.other, value) @ self.way)

    def snapped(self, context, way: Vector, ray: bridge.viewport.rays.Ray) -> Vector:
        return way

    @abstractmethod
    def point(self, context, way: Vector) -> None:
        """Point the handle along a direction in the world."""


class SwingDrag(DirectionDrag):
    """A ball's child, pulled about its joint."""

    label = "Swing"

    def start(self, context) -> float:
        self.posing = bridge.posing.posing.Posing(context.scene)
        self.way = self.dial.zero
        return 0.0

    def changes(self, context) -> Iterable[bpy.types.Object]:
        return filter(is_link, context.scene.objects)

    def point(self, context, way: Vector) -> None:
        self.aimed = way
        w, x, y, z = self.dial.frame.inverted() @ self.way.rotation_difference(way) @ self.dial.frame
        self.posing.turn(model_name(self.obj), quat_mul((w, x, y, z), self.view.q[-4:]))
        self.value = self.posing.turned(model_name(self.obj), self.view.q[-4:])


class AimDrag(DirectionDrag):
    label = "Axis"

    def start(self, context) -> float:
        bridge.joints.storing_frames.settle_joint(self.obj, context.scene)
        self.way = self.dial.direction
        return 0.0

    def point(self, context, way: Vector) -> None:
        self.aimed, self.value = way, self.way.angle(way)
        self.snapshot.restore()
        bridge.joints.joint_edits.aim_axis(self.obj, context.scene, self.dial.axis, way)

    def snapped(self, context, way: Vector, ray: bridge.viewport.rays.Ray) -> Vector:
        """Return the nearest preferred direction.

        These are the axes of the world, the parent and the child, and the normal of the face under the mouse.
        """
        joint = getattr(self.obj, ids.JOINT)
        links = [link for link in (joint.parent, joint.child) if link]
        turns = [Quaternion(), *(Quaternion(bridge.posing.link_poses.live_pose(link)[3:]) for link in links)]
        ways = [turn @ Vector(axis) for turn in turns for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
        hit = bridge.viewport.picking.hit_along(context, ray.origin, ray.direction)
        if hit:
            ways.append(Vector(hit.normal.tolist()))
        nearest = min((sign * each for each in ways for sign in (1.0, -1.0)), key=way.angle)
        return nearest if hit or way.angle(nearest) < SNAP_AIM else way


class HomeDrag(Drag):
    label = "Start"

    def start(self, context) -> float:
        return self.dial.home or 0.0

    def take(self, context, value: float, with_ctrl: bool = False) -> None:
        self.value = value
        bridge.joints.joint_edits.set_home(self.obj, context.scene, self.dial, value)


class ZeroDrag(Drag):
    """The parent-side frame, moved along the dial."""

    label = "Zero moved by"

    def start(self, context) -> float:
        bridge.joints.storing_frames.settle_joint(self.obj, context.scene)
        return 0.0

    def changes(self, context) -> Iterable[bpy.types.Object]:
        return filter(is_joint, context.scene.objects)  # also its followers

    def take(self, context, value: float, with_ctrl: bool = False) -> None:
        self.value = value
        self.snapshot.restore()
        bridge.joints.joint_edits.move_zero(self.obj, context.scene, self.dial, value)

    def confirm(self, context) -> None:
        bridge.joints.moved_zero.shift_kept(
            self.obj, context.scene, self.dial, self.view.joint, self.view.unit, self.value
        )
        super().confirm(context)


class LimitDrag(Drag):
    """An end of the range; with Ctrl the other end goes the other way."""

    snaps = False
    which = ""

    def start(self, context) -> float:
        self.other = {"lower": "upper", "upper": "lower"}[self.which]
        self.opposite = self.dial.end(self.other, self.radius)
        joint = getattr(self.obj, ids.JOINT)
        self.peers = [obj for obj in context.selected_objects if obj != self.obj and self._is_alike(obj)]
        ghost.show(triangles_of(joint.child, context), [])
        return self.dial.end(self.which, self.radius)

    def changes(self, context) -> Iterable[bpy.types.Object]:
        return (self.obj, *self.peers)

    def _is_alike(self, obj: bpy.types.Object) -> bool:
        """Return whether the limits of this joint have the same meaning on another joint."""
        if not is_joint(obj):
            return False
        number = self.dial.axis
        own, other = (core_joint(getattr(item, ids.JOINT)) for item in (self.obj, obj))
        if own.type != other.type or number >= other.axis_count:
            return False
        return own.axis_unit(number) is other.axis_unit(number) and not other.is_locked(number)

    def take(self, context, value: float, with_ctrl: bool = False) -> None:
        if self.dial.kind == "cone":
            value = min(max(value, 0.0), math.pi)
        ends = {self.which: value, self.other: self.opposite}
        is_alone = not with_ctrl
        if self.dial.has_lower and with_ctrl:
            ends[self.other] = self.opposite - (value - self.first)
        lower, upper = ends["lower"], ends["upper"]
        if self.dial.has_lower and lower > upper:  # limits stop at each other
            lower = upper = self.opposite if is_alone else 0.5 * (self.first + self.opposite)
        self.value = {"lower": lower, "upper": upper}[self.which]
        self.snapshot.restore()
        left = {self.other: None} if is_alone or not self.dial.has_lower else {}  # unchanged
        for obj in (self.obj, *self.peers):
            bridge.joints.joint_edits.set_limits(
                obj, context.scene, self.dial.axis, **({"lower": lower, "upper": upper} | left)
            )
        if self.dial.kind != "cone" and self.dial.place is not None:
            ghost.move([motion(self.dial, end - self.dial.value) for end in (lower, upper)])


class LowerDrag(LimitDrag):
    label, which = "Lower limit", "lower"


class UpperDrag(LimitDrag):
    label, which = "Upper limit", "upper"


DRAGS = {
    "pose": PoseDrag,
    "swing": SwingDrag,
    "home": HomeDrag,
    "zero": ZeroDrag,
    "aim": AimDrag,
    "lower": LowerDrag,
    "upper": UpperDrag,
}


def motion(dial: bridge.joints.axis_views.Dial, by: float) -> Matrix:
    """Return the displacement, shape (4, 4), of everything that an axis carries when its coordinate changes by `by`."""
    if dial.kind == "slide":
        return Matrix.Translation(dial.direction * (by * dial.size))
    there = Matrix.Translation(dial.origin + dial.direction * (dial.advance * by))
    turn = Quaternion(dial.direction, by * dial.size).to_matrix().to_4x4()
    return there @ turn @ Matrix.Translation(-dial.origin)


def triangles_of(link: bpy.types.Object, context) -> np.ndarray:
    """Return the visible triangles of a link in world axes, shape (n, 3, 3)."""
    try:
        seen = bridge.links.collisions.seen_mesh(
            link, bridge.links.parts.surroundings_of(context.scene, context.evaluated_depsgraph_get())
        )
    except ModelError:
        return np.zeros((0, 3, 3))  # the link has no visible mesh
    X_WL = bridge.posing.link_poses.matrix_of_pose(bridge.posing.link_poses.live_pose(link))
    return (seen.vertices @ X_WL[:3, :3].T + X_WL[:3, 3])[seen.triangles]
