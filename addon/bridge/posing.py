"""A model taken by the hand: one coordinate is led in the viewport, and the links follow."""

from __future__ import annotations

import math

import bpy

from ...core.kinematics import Poser, link_poses
from ...core.model import Model, ModelError
from ...core.spatial import Pose, Quat, compose, inverse, norm, quat_mul, rotvec_of_quat
from .live import poses_now, put_links
from .mass import Weight
from .motion import is_animated
from .numbers import unit_length
from .read import scan_scene

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
        reading = scan_scene(scene, weigh=_weigh_nothing)
        self.model: Model = reading.model.acting_at(0.0)
        self._unit = unit_length(scene)
        self._objects = reading.objects
        self._at = poses_now(reading.objects, self._unit)
        self._poser = Poser(self.model, self._at)

    def value(self, joint: str, place: int) -> float:
        """Coordinate number `place` of a joint [rad or m]. Raises ModelError where there is none."""
        return self._poser.value(joint, place)

    def lead(self, joint: str, place: int, value: float) -> float:
        """Bring a coordinate to `value` [rad or m], within its limits, and move the links; returns where it is.

        Raises:
            ModelError: there is no such coordinate, or a link that would move is animated.
        """
        column = self.model.joint(joint).columns[place]
        axis = self.model.joint(joint).axes[column.axis]
        if self.model.joint(joint).kind.slot(column.axis).limited and axis.lower <= axis.upper:
            value = min(max(value, axis.lower), axis.upper)
        reached = self._poser.lead(joint, place, value)
        self._put()
        return reached

    def turn(self, joint: str, quaternion: Quat) -> None:
        """Give a ball joint its rotation, w x y z. Raises ModelError as `lead`."""
        self._poser.turn(joint, quaternion)
        self._put()

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
        self._put()

    def _put(self) -> None:
        poses = self._poser.poses()
        moved = {name: pose for name, pose in poses.items() if not _are_same(pose, self._at[name])}
        for name in moved:
            if is_animated(self._objects[name]):
                raise ModelError(f"link '{name}' is animated, and its keys would take it back: clear the bake first")
        put_links({self._objects[name]: pose for name, pose in moved.items()}, self._unit)
        self._at.update(moved)


def _are_same(a: Pose, b: Pose) -> bool:
    way = math.dist(a[:3], b[:3])
    turn = quat_mul((a[3], -a[4], -a[5], -a[6]), b[3:])
    return way < MOVED and norm(rotvec_of_quat(turn)) < MOVED


def _weigh_nothing(_link, _around) -> Weight:
    """A pose is no matter of masses."""
    return Weight(1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), 1.0)
