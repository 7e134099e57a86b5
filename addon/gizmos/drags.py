# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions of a joint's handles: each changes properties of the joint during a drag."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TypeAlias

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ...core.model import ModelError
from ...core.spatial import quat_mul
from .. import bridge
from ..nodes import Node, is_part, model_name, world_matrix
from ..nodes.chosen import selected_nodes
from ..overlays import ghost, labels
from ..props import core_joint, is_joint
from ..props.members import joints_in, links_in
from ..props.settings import joint_settings

SNAP_TURN = math.radians(5.0)
SNAP_SLIDE = 0.1
"""Step of a slide with Ctrl [Blender units]."""

SNAP_AIM = math.radians(10.0)
"""Angle to a preferred direction below which an axis snaps to it [rad]."""


View: TypeAlias = "bridge.joints.axis_views.JointView | bridge.links.capsule_views.CapsuleView"
"""The view of a joint or of a capsule, to which handles belong."""


class Drag(ABC):
    """A drag of one handle, from the press of the mouse button to its release.

    Attributes:
        value: the value that the handle shows now [rad or m]. initial_value: the value at the press.
    """

    label = ""
    snaps = True

    def __init__(
        self,
        context,
        obj: Node,
        view: View,
        axis: bridge.joints.axis_views.AxisView,
        radius: float,
    ):
        self.obj, self.view, self.axis, self.radius = obj, view, axis, radius
        self.mouse_offset = 0.0
        self.value = self.initial_value = self.begin(context)
        self.snapshot = self.take_snapshot(context)

    def begin(self, context) -> float:
        return self.axis.value

    def changed_objects(self, context) -> Iterable[Node]:
        """Return the objects that the drag may change."""
        return (self.obj,)

    def take_snapshot(self, context) -> bridge.values.snapshot.Snapshot:
        """Return the values that the drag may change."""
        return bridge.values.snapshot.Snapshot(self.changed_objects(context))

    def press(self, ray: bridge.viewport.rays.Ray) -> None:
        """Store the offset between mouse and handle when the button is pressed, since it is rarely at the centre."""
        self.mouse_offset = (
            bridge.viewport.rays.value_under(ray, self.axis, self.initial_value, self.radius) - self.initial_value
        )

    def move_to(self, context, ray: bridge.viewport.rays.Ray, is_snapping: bool) -> None:
        """Move the handle to the mouse."""
        value = (
            bridge.viewport.rays.value_under(ray, self.axis, self.value + self.mouse_offset, self.radius)
            - self.mouse_offset
        )
        if is_snapping and self.snaps:
            step = SNAP_SLIDE / self.axis.rate if self.axis.kind == "slide" else SNAP_TURN / self.axis.rate
            value = round(value / step) * step
        self.set_value(context, value, is_snapping)

    @abstractmethod
    def set_value(self, context, value: float, with_ctrl: bool = False) -> None:
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

    def status_text(self, scene: bpy.types.Scene) -> str:
        return f"{self.label} {labels.reading(self.axis, self.value, scene)}"

    def from_typed_number(self, number: float) -> float:
        """Return the value [rad or m] of a typed number in degrees or Blender units."""
        return number * self.view.unit if self.axis.kind == "slide" else math.radians(number)


class PoseDrag(Drag):
    label = "Position"

    def begin(self, context) -> float:
        self.posing = bridge.posing.posing.Posing(context.scene)
        return self.posing.coordinate(model_name(self.obj), self.axis.q_index)

    def changed_objects(self, context) -> Iterable[Node]:
        return links_in(context.scene)

    def set_value(self, context, value: float, with_ctrl: bool = False) -> None:
        self.value = self.posing.set_coordinate(model_name(self.obj), self.axis.q_index, value)


class DirectionDrag(Drag):
    """A drag of a direction: the handle moves on a sphere about the origin of the joint.

    Attributes:
        initial_direction: unit vector of the direction at the press. direction: unit vector of the present direction.
    """

    initial_direction: Vector
    direction: Vector

    def press(self, ray: bridge.viewport.rays.Ray) -> None:
        self.direction = self.initial_direction
        self.is_on_far_side = self.initial_direction.dot(ray.direction) > 0.0
        self.mouse_rotation = ray.on_sphere(self.axis.origin, self.radius, self.is_on_far_side).rotation_difference(
            self.initial_direction
        )

    def move_to(self, context, ray: bridge.viewport.rays.Ray, is_snapping: bool) -> None:
        direction = self.mouse_rotation @ ray.on_sphere(self.axis.origin, self.radius, self.is_on_far_side)
        self.point_along(context, self.snapped(context, direction, ray) if is_snapping else direction)

    def set_value(self, context, value: float, with_ctrl: bool = False) -> None:
        """Tilt the direction by an angle from its start towards its present direction."""
        about = bridge.joints.axis_views.crossed(self.initial_direction, self.direction)
        self.point_along(
            context,
            Quaternion(about if about.length > 1e-9 else self.axis.at_quarter_turn, value) @ self.initial_direction,
        )

    def snapped(self, context, direction: Vector, ray: bridge.viewport.rays.Ray) -> Vector:
        return direction

    @abstractmethod
    def point_along(self, context, direction: Vector) -> None:
        """Point the handle along a direction in the world."""


class SwingDrag(DirectionDrag):
    """A drag that turns the child of a ball joint about the joint."""

    label = "Swing"

    def begin(self, context) -> float:
        self.posing = bridge.posing.posing.Posing(context.scene)
        self.initial_direction = self.axis.zero
        return 0.0

    def changed_objects(self, context) -> Iterable[Node]:
        return links_in(context.scene)

    def point_along(self, context, direction: Vector) -> None:
        self.direction = direction
        w, x, y, z = (
            self.axis.frame.inverted() @ self.initial_direction.rotation_difference(direction) @ self.axis.frame
        )
        self.posing.set_rotation(model_name(self.obj), quat_mul((w, x, y, z), self.view.q[-4:]))
        self.value = self.posing.angle_from(model_name(self.obj), self.view.q[-4:])


class AimDrag(DirectionDrag):
    label = "Axis"

    def begin(self, context) -> float:
        bridge.joints.storing_frames.store_joint_frames(self.obj, context.scene)
        self.initial_direction = self.axis.direction
        return 0.0

    def point_along(self, context, direction: Vector) -> None:
        self.direction, self.value = direction, self.initial_direction.angle(direction)
        self.snapshot.restore()
        bridge.joints.joint_edits.aim_axis(self.obj, context.scene, self.axis.number, direction)

    def snapped(self, context, direction: Vector, ray: bridge.viewport.rays.Ray) -> Vector:
        """Return the nearest preferred direction.

        These are the axes of the world, the parent and the child, and the normal of the face under the mouse.
        """
        joint = joint_settings(self.obj)
        links = [link for link in (joint.parent_node, joint.child_node) if link]
        turns = [Quaternion(), *(Quaternion(bridge.posing.link_poses.live_pose(link)[3:]) for link in links)]
        candidates = [turn @ Vector(axis) for turn in turns for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
        hit = bridge.viewport.picking.hit_along(context, ray.origin, ray.direction)
        if hit:
            candidates.append(Vector(hit.normal.tolist()))
        nearest = min((sign * each for each in candidates for sign in (1.0, -1.0)), key=direction.angle)
        return nearest if hit or direction.angle(nearest) < SNAP_AIM else direction


class HomeDrag(Drag):
    label = "Start"

    def begin(self, context) -> float:
        return self.axis.home or 0.0

    def set_value(self, context, value: float, with_ctrl: bool = False) -> None:
        self.value = value
        bridge.joints.joint_edits.set_home(self.obj, context.scene, self.axis, value)


class ZeroDrag(Drag):
    """A drag of the zero: it moves the parent-side frame along the axis."""

    label = "Zero moved by"

    def begin(self, context) -> float:
        bridge.joints.storing_frames.store_joint_frames(self.obj, context.scene)
        return 0.0

    def changed_objects(self, context) -> Iterable[Node]:
        return joints_in(context.scene)  # also its followers

    def set_value(self, context, value: float, with_ctrl: bool = False) -> None:
        self.value = value
        self.snapshot.restore()
        bridge.joints.joint_edits.move_zero(self.obj, context.scene, self.axis, value)

    def confirm(self, context) -> None:
        bridge.joints.moved_zero.shift_stored_values(
            self.obj, context.scene, self.axis, self.view.joint, self.view.unit, self.value
        )
        super().confirm(context)


class LimitDrag(Drag):
    """A drag of a limit. With Ctrl, the other limit moves by the same amount in the opposite direction."""

    snaps = False
    side = ""

    def begin(self, context) -> float:
        self.other_side = {"lower": "upper", "upper": "lower"}[self.side]
        self.other_limit = self.axis.limit_or_default(self.other_side, self.radius)
        joint = joint_settings(self.obj)
        self.same_type_joints = [obj for obj in selected_nodes(context) if obj != self.obj and self._is_alike(obj)]
        ghost.show(triangles_of(joint.child_node, context), [])
        return self.axis.limit_or_default(self.side, self.radius)

    def changed_objects(self, context) -> Iterable[Node]:
        return (self.obj, *self.same_type_joints)

    def _is_alike(self, obj: Node) -> bool:
        """Return whether the limits of this joint have the same meaning on another joint."""
        if not is_joint(obj):
            return False
        number = self.axis.number
        own, other = (core_joint(joint_settings(item)) for item in (self.obj, obj))
        if own.type != other.type or number >= other.axis_count:
            return False
        return own.axis_unit(number) is other.axis_unit(number) and not other.is_locked(number)

    def set_value(self, context, value: float, with_ctrl: bool = False) -> None:
        if self.axis.kind == "cone":
            value = min(max(value, 0.0), math.pi)
        ends = {self.side: value, self.other_side: self.other_limit}
        is_alone = not with_ctrl
        if self.axis.can_have_lower and with_ctrl:
            ends[self.other_side] = self.other_limit - (value - self.initial_value)
        lower, upper = ends["lower"], ends["upper"]
        if self.axis.can_have_lower and lower > upper:  # limits stop at each other
            lower = upper = self.other_limit if is_alone else 0.5 * (self.initial_value + self.other_limit)
        self.value = {"lower": lower, "upper": upper}[self.side]
        self.snapshot.restore()
        unchanged = {self.other_side: None} if is_alone or not self.axis.can_have_lower else {}
        for obj in (self.obj, *self.same_type_joints):
            bridge.joints.joint_edits.set_limits(
                obj, context.scene, self.axis.number, **({"lower": lower, "upper": upper} | unchanged)
            )
        if self.axis.kind != "cone" and self.axis.q_index is not None:
            ghost.move([motion(self.axis, end - self.axis.value) for end in (lower, upper)])


class LowerDrag(LimitDrag):
    label, side = "Lower limit", "lower"


class UpperDrag(LimitDrag):
    label, side = "Upper limit", "upper"


JOINT_DRAGS = {
    "pose": PoseDrag,
    "swing": SwingDrag,
    "home": HomeDrag,
    "zero": ZeroDrag,
    "aim": AimDrag,
    "lower": LowerDrag,
    "upper": UpperDrag,
}
"""The actions of a joint's handles, by role."""


def motion(axis: bridge.joints.axis_views.AxisView, by: float) -> Matrix:
    """Return the displacement, shape (4, 4), of everything that an axis carries when its coordinate changes by `by`."""
    if axis.kind == "slide":
        return Matrix.Translation(axis.direction * (by * axis.rate))
    there = Matrix.Translation(axis.origin + axis.direction * (axis.translation_rate * by))
    turn = Quaternion(axis.direction, by * axis.rate).to_matrix().to_4x4()
    return there @ turn @ Matrix.Translation(-axis.origin)


def triangles_of(link: Node, context) -> np.ndarray:
    """Return the visible triangles of a link in world axes, shape (n, 3, 3).

    A bone without a mesh has those of an octahedron, as Blender draws bones.
    """
    try:
        seen = bridge.links.collisions.visible_mesh(
            link, bridge.links.parts.evaluated_scene_of(context.scene, context.evaluated_depsgraph_get())
        )
    except ModelError:  # the link has no visible mesh
        return _octahedron(link) if is_part(link) else np.zeros((0, 3, 3))
    X_WL = bridge.posing.link_poses.matrix_of_pose(bridge.posing.link_poses.live_pose(link))
    return (seen.vertices @ X_WL[:3, :3].T + X_WL[:3, 3])[seen.triangles]


WAIST = 0.1
"""Distance of an octahedron's widest place from the head of the bone, and half its width, relative to the length."""


def _octahedron(bone: bpy.types.PoseBone) -> np.ndarray:
    """Return the triangles of an octahedron along a bone in world axes, shape (8, 3, 3)."""
    length = bone.bone.length
    x, y = WAIST * length, WAIST * length
    corners = [(x, y, x), (-x, y, x), (-x, y, -x), (x, y, -x)]
    ends = ((0.0, 0.0, 0.0), (0.0, length, 0.0))
    triangles = np.array([(end, corners[i - 1], corners[i]) for end in ends for i in range(4)])
    matrix = world_matrix(bone)
    return triangles @ matrix[:3, :3].T + matrix[:3, 3]
