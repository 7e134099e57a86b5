"""A model taken by the hand: one coordinate is led in the viewport, and the links follow."""

from __future__ import annotations

import math

import bpy
from mathutils import Quaternion

from ...core.kinematics import Poser, link_poses
from ...core.model import Joint, Model, ModelError
from ...core.model.screws import measured_rows
from ...core.spatial import Pose, Quat, compose, inverse, norm, quat_mul, rotvec_of_quat
from .live import poses_now, put_links
from .mass import Weight
from .motion import is_animated
from .numbers import unit_length
from .read import Fault, scan_scene

BISECTIONS = 20
"""Halvings of the way to a rotation beyond a limit."""

MOVED = 1e-9
"""m or rad below which a link has not moved, and its object is not touched."""


class Posing:
    """A pose of a scene's links that is being changed.

    Attributes:
        model: what acts in it when a simulation begins.

    Raises:
        ModelError: the scene cannot be read.
    """

    def __init__(self, scene: bpy.types.Scene):
        faults: list[Fault] = []
        reading = scan_scene(scene, weigh=_weigh_nothing, faults=faults)
        self._faults = {fault.name: fault.message for fault in faults}
        self.model: Model = reading.model.acting_at(0.0)
        self._unit = unit_length(scene)
        self._objects = reading.objects
        self._at = poses_now(reading.objects, self._unit)
        self._poser = Poser(self.model, self._at)

    def value(self, joint: str, place: int) -> float:
        """Coordinate number `place` of a joint [rad or m]. Raises ModelError where there is none."""
        if joint in self._faults:
            raise ModelError(self._faults[joint])
        if not any(joint == known.name for known in self.model.joints):
            raise ModelError(f"joint '{joint}' does not act: tick Acts to lead it")
        return self._poser.value(joint, place)

    def lead(self, joint: str, place: int, value: float) -> float:
        """Bring a coordinate to `value` [rad or m], within its limits, and move the links; returns where it is.

        Raises:
            ModelError: there is no such coordinate, or a link that would move is animated.
        """
        self.value(joint, place)
        column = self.model.joint(joint).columns[place]
        axis = self.model.joint(joint).axes[column.axis]
        if self.model.joint(joint).kind.slot(column.axis).limited and axis.lower <= axis.upper:
            value = min(max(value, axis.lower), axis.upper)
        reached = self._poser.lead(joint, place, value)
        self._put()
        return reached

    def turn(self, joint: str, quaternion: Quat) -> None:
        """Give a ball joint its rotation, w x y z, or so much of the way there as its cone and twist allow.

        Raises:
            ModelError: as `lead`.
        """
        known = self.model.joint(joint)
        start = Quaternion(self._poser.q_of(joint))
        least, most = 0.0, 1.0
        if not _is_within(known, Quaternion(quaternion)):
            for _ in range(BISECTIONS):
                middle = 0.5 * (least + most)
                within = _is_within(known, start.slerp(Quaternion(quaternion), middle))
                least, most = (middle, most) if within else (least, middle)
            most = least
        w, x, y, z = start.slerp(Quaternion(quaternion), most)
        self._poser.turn(joint, (w, x, y, z))
        self._put()

    def turned(self, joint: str, start: Quat) -> float:
        """The angle [rad] by which a ball joint stands from a rotation, w x y z."""
        return Quaternion(start).rotation_difference(Quaternion(self._poser.q_of(joint))).angle

    def settle(self) -> None:
        """Put links back that stand where their joints cannot hold them. Raises ModelError as `lead`."""
        self._put()

    def go_home(self) -> None:
        """Put the links where their joints start; roots that float stay where they are. Raises ModelError as `lead`."""
        roots = {name: self._at[name] for name in self.model.tree().roots}
        poses = link_poses(self.model, self.model.home())
        for root, pose in roots.items():
            moved = compose(pose, inverse(poses[root]))
            for name in self.model.tree().links_from(root):
                poses[name] = compose(moved, poses[name])
        self._poser = Poser(self.model, poses)
        if not self._poser.follow():
            raise ModelError("the loops cannot be closed where their joints start: give one of them another start")
        self._put()

    def _put(self) -> None:
        poses = self._poser.poses()
        moved = {name: pose for name, pose in poses.items() if not _are_same(pose, self._at[name])}
        for name in moved:
            if is_animated(self._objects[name]):
                raise ModelError(f"link '{name}' is animated, and its keys would take it back: clear the bake first")
        put_links({self._objects[name]: pose for name, pose in moved.items()}, self._unit)
        bpy.context.view_layer.update()  # what hangs on these is placed by their matrices the next time
        self._at.update(moved)


def _is_within(joint: Joint, turn: Quaternion) -> bool:
    """Whether what the joint's rows measure of a rotation is within their limits."""
    w, x, y, z = turn
    rows = measured_rows(joint, (0.0, 0.0, 0.0, w, x, y, z))
    return all(joint.axes[row.axis].lower <= value <= joint.axes[row.axis].upper for row, value, _ in rows)


def _are_same(a: Pose, b: Pose) -> bool:
    way = math.dist(a[:3], b[:3])
    turn = quat_mul((a[3], -a[4], -a[5], -a[6]), b[3:])
    return way < MOVED and norm(rotvec_of_quat(turn)) < MOVED


def _weigh_nothing(_link, _around) -> Weight:
    """A pose is no matter of masses."""
    return Weight(1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), 1.0)
