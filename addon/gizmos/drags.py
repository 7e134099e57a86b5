"""What each handle of a joint changes as it is dragged, on the joint's own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ...core.spatial import quat_mul
from .. import ids
from ..bridge.dials import Dial, JointView
from ..bridge.parts import Surroundings, parts_of, surroundings_of
from ..bridge.poses import to_array, world_scale
from ..bridge.posing import Posing
from ..bridge.rigging import aim_axis, move_zero, set_home, set_limits
from ..bridge.settling import settle_joint
from ..bridge.snapshot import Snapshot
from ..overlays import ghost, labels
from ..props import core_joint, is_joint, is_link
from .rays import Ray, value_under

SNAP_TURN = math.radians(5.0)
SNAP_SLIDE = 0.1
"""Blender units."""

SNAP_AIM = math.radians(10.0)
"""An aim jumps to a direction that is nearer than this."""


class Drag:
    """One handle, from the press of the button to its release.

    Attributes:
        value: where the handle is now [rad or m].
    """

    label = ""
    snaps = True
    takes_numbers = True

    def __init__(self, context, obj: bpy.types.Object, view: JointView, dial: Dial, radius: float):
        self.obj, self.view, self.dial, self.radius = obj, view, dial, radius
        self.grip = 0.0
        self.value = self.first = self.start(context)
        self.snapshot = Snapshot(self.changes(context))

    def start(self, context) -> float:
        return self.dial.value

    def changes(self, context) -> Iterable[bpy.types.Object]:
        """The objects that it may change."""
        return (self.obj,)

    def hold(self, ray: Ray) -> None:
        """The button has been pressed: nobody takes a handle by its very middle."""
        self.grip = value_under(ray, self.dial, self.first, self.radius) - self.first

    def follow(self, context, ray: Ray, is_snapping: bool) -> None:
        """The mouse has moved."""
        value = value_under(ray, self.dial, self.value + self.grip, self.radius) - self.grip
        if is_snapping and self.snaps:
            step = SNAP_SLIDE / self.dial.size if self.dial.kind == "slide" else SNAP_TURN / self.dial.size
            value = round(value / step) * step
        self.take(context, value, is_snapping)

    def take(self, context, value: float, is_alone: bool = False) -> None:
        """Give the handle a value. is_alone: with Ctrl."""
        raise NotImplementedError

    def cancel(self) -> None:
        self.snapshot.restore()

    def end(self) -> None:
        ghost.clear()

    def words(self, scene: bpy.types.Scene) -> str:
        return f"{self.label} {labels.reading(self.dial, self.value, scene)}"

    def of_text(self, number: float) -> float:
        """A number as typed, in degrees or Blender units."""
        return number * self.view.unit if self.dial.kind == "slide" else math.radians(number)


class PoseDrag(Drag):
    label = "Position"

    def start(self, context) -> float:
        self.posing = Posing(context.scene)
        return self.posing.value(self.obj.name, self.dial.place)

    def changes(self, context) -> Iterable[bpy.types.Object]:
        return filter(is_link, context.scene.objects)

    def take(self, context, value: float, is_alone: bool = False) -> None:
        self.value = self.posing.lead(self.obj.name, self.dial.place, value)


class DirectionDrag(Drag):
    """What is dragged over a sphere about the joint. way: where it pointed at first."""

    way: Vector

    def hold(self, ray: Ray) -> None:
        self.far = self.way.dot(ray.direction) > 0.0
        self.grasp = ray.on_sphere(self.dial.origin, self.radius, self.far).rotation_difference(self.way)

    def pointed(self, ray: Ray) -> Vector:
        """Where the handle points now."""
        return self.grasp @ ray.on_sphere(self.dial.origin, self.radius, self.far)


class SwingDrag(DirectionDrag):
    """A ball's child, pulled about its joint."""

    label = "Swing"
    takes_numbers = False

    def start(self, context) -> float:
        self.posing = Posing(context.scene)
        self.way = self.dial.zero
        return 0.0

    def changes(self, context) -> Iterable[bpy.types.Object]:
        return filter(is_link, context.scene.objects)

    def follow(self, context, ray: Ray, is_snapping: bool) -> None:
        way = self.pointed(ray)
        turn = self.dial.frame.inverted() @ self.way.rotation_difference(way) @ self.dial.frame
        w, x, y, z = turn
        self.posing.turn(self.obj.name, quat_mul((w, x, y, z), self.view.q[-4:]))
        self.value = self.posing.turned(self.obj.name, self.view.q[-4:])


class HomeDrag(Drag):
    label = "Start"

    def start(self, context) -> float:
        return self.dial.home or 0.0

    def take(self, context, value: float, is_alone: bool = False) -> None:
        self.value = value
        set_home(self.obj, context.scene, self.dial, value)


class ZeroDrag(Drag):
    """The parent-side frame, moved along the dial."""

    label = "Zero moved by"

    def start(self, context) -> float:
        settle_joint(self.obj, context.scene)
        return 0.0

    def changes(self, context) -> Iterable[bpy.types.Object]:
        return filter(is_joint, context.scene.objects)  # those that follow it too

    def take(self, context, value: float, is_alone: bool = False) -> None:
        self.value = value
        self.snapshot.restore()
        move_zero(self.obj, context.scene, self.dial, value)


class AimDrag(DirectionDrag):
    label = "Axis"
    snaps = False

    def start(self, context) -> float:
        settle_joint(self.obj, context.scene)
        self.way = self.aimed = self.dial.direction.copy()
        return 0.0

    def follow(self, context, ray: Ray, is_snapping: bool) -> None:
        way = self.pointed(ray)
        if is_snapping:
            way = self._snapped(context, way, ray)
        self._aim(context, way)

    def take(self, context, value: float, is_alone: bool = False) -> None:
        """A typed angle tilts the axis from where it was towards where it points."""
        about = self.dial.direction.cross(self.aimed)
        if about.length < 1e-9:
            about = self.dial.zero
        self._aim(context, Quaternion(about.normalized(), value) @ self.dial.direction)

    def _aim(self, context, way: Vector) -> None:
        self.aimed = way
        self.value = self.dial.direction.angle(way)
        self.snapshot.restore()
        aim_axis(self.obj, context.scene, self.dial.axis, way)

    def _snapped(self, context, way: Vector, ray: Ray) -> Vector:
        """The nearest of the world's axes, the parent's and the child's, and the normal of the face under the mouse."""
        joint = getattr(self.obj, ids.JOINT)
        turns = [Matrix.Identity(3)]
        turns += [link.matrix_world.to_quaternion().to_matrix() for link in (joint.parent, joint.child) if link]
        ways = [sign * turn.col[i] for turn in turns for i in range(3) for sign in (1.0, -1.0)]
        hit, _, normal, *_ = context.scene.ray_cast(context.view_layer.depsgraph, ray.origin, ray.direction)
        if hit:
            ways += [normal, -normal]
        nearest = min(ways, key=way.angle)
        return nearest if way.angle(nearest) < SNAP_AIM or hit else way


class LimitDrag(Drag):
    """An end of the range; the other end goes the other way, but for Ctrl."""

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
        """Whether the same numbers mean the same on another joint."""
        if not is_joint(obj):
            return False
        number = self.dial.axis
        own, other = (core_joint(getattr(item, ids.JOINT)) for item in (self.obj, obj))
        if own.type != other.type or number >= other.axis_count:
            return False
        return own.axis_unit(number) is other.axis_unit(number) and not other.is_locked(number)

    def take(self, context, value: float, is_alone: bool = False) -> None:
        if self.dial.kind == "cone":
            value = min(max(value, 0.0), math.pi)
        ends = {self.which: value, self.other: self.opposite}
        if self.dial.has_lower and not is_alone:
            ends[self.other] = self.opposite - (value - self.first)
        lower, upper = ends["lower"], ends["upper"]
        if self.dial.has_lower and lower > upper:  # an end stops at the other
            lower = upper = self.opposite if is_alone else 0.5 * (self.first + self.opposite)
        self.value = {"lower": lower, "upper": upper}[self.which]
        self.snapshot.restore()
        for obj in (self.obj, *self.peers):
            alone = {self.other: None} if is_alone or not self.dial.has_lower else {}
            set_limits(obj, context.scene, self.dial.axis, **({"lower": lower, "upper": upper} | alone))
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


def motion(dial: Dial, by: float) -> Matrix:
    """What moving a coordinate does to all that it carries."""
    if dial.kind == "slide":
        return Matrix.Translation(dial.direction * (by * dial.size))
    there = Matrix.Translation(dial.origin + dial.direction * (dial.advance * by))
    turn = Quaternion(dial.direction, by * dial.size).to_matrix().to_4x4()
    return there @ turn @ Matrix.Translation(-dial.origin)


def triangles_of(link: bpy.types.Object, context) -> np.ndarray:
    """What is seen of a link, in the world, shape (n, 3, 3)."""
    around: Surroundings = surroundings_of(context.scene, context.evaluated_depsgraph_get())
    unscaled = to_array(link.matrix_world) @ np.diag((*(1.0 / world_scale(link)), 1.0))
    found = [np.zeros((0, 3, 3))]
    for part in parts_of(link, around):
        if part.is_seen and part.has_mesh:
            matrix = unscaled @ part.matrix
            data = part.mesh()
            found.append((data.vertices @ matrix[:3, :3].T + matrix[:3, 3])[data.triangles])
    return np.concatenate(found)
