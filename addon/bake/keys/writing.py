# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a motion as keys on links, on joints, or on both.

The keys are prepared outside of the scene, then added at once.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

import bpy
import numpy as np

from ....core.model import WORLD, Model
from ....core.model.graph import Tree
from ....core.spatial.arrays import norm
from ...bridge.animation.motion_sources import obstacle_to_moving
from ...bridge.posing.link_poses import keeping_scales, world_scale
from ...bridge.scene.read import SceneReading
from ...bridge.values.numbers import length_in_words, unit_length
from ...nodes import Node, model_name
from ...nodes.animation import action_of
from ...nodes.naming import node_named, node_of
from ...nodes.space import Space
from ...props import ancestors, is_joint, is_kinematic
from ..receipts.receipt import baked_bones
from ..receipts.restore import (
    baked_objects,
    by_owner,
    clear_bake,
    edits_of_bakes,
    remove_unused_bakes,
    store_state_before_bake,
    unreplaced_curves,
)
from ..settings import BakeSettings, Tolerance
from .connected import ConnectedBones
from .fcurves import BakeAction
from .joint_values import Values, joint_channels, poses_from_values
from .key_reduction import fill_within
from .muting import Muting
from .pose_keys import store_moving_joints
from .rotations import angles_between, matrices_of, quaternions_of, unit_quaternions
from .spaces import Spaces
from .transforms import Channel, channels_of, require_connected, world_matrices, world_matrices_of

SHARES = 0.5 ** np.arange(6)
"""Parts of the tolerance that are tried in turn until the links that joints move are within it."""


@dataclass
class Motion:
    """A motion that is to be keyed.

    Attributes:
        frames: those that get keys, shape (F,).
        poses: X_WL of every link [m], shape (F, 7), by name.
        values: coordinates of joints; joints without are left as they are.
        broken: names of the joints that break under load meanwhile.
        before: number of frames of animation that precede the motion, at the beginning of `frames`. Bones whose
            constraints are switched off get no keys there, since these act again.
    """

    frames: np.ndarray
    poses: dict[str, np.ndarray]
    values: Values
    broken: Collection[str] = ()
    before: int = 0


class KeyWriter:
    """A writer of the keys of a motion.

    Iterate to prepare the keys, one object at a time; then call `commit` or `discard`.

    Attributes:
        bake: the action.
        off_by, turned_by: largest distance [m] and angle [rad] between a link and its motion, as Blender evaluates
            reduced keys.
        possible: number of keys without reduction.

    Raises:
        BakeError: while iterating, if no location and rotation give an object its pose.
    """

    def __init__(self, scene: bpy.types.Scene, reading: SceneReading, motion: Motion, settings: BakeSettings):
        self.scene, self.reading, self.motion, self.settings = scene, reading, motion, settings
        self.unit = unit_length(scene)
        self.bake = BakeAction(f"{scene.name} Limberjack Bake")
        self.off_by = self.turned_by = 0.0
        self.possible = 0
        self.links = {name: obj for name, obj in reading.objects.items() if not is_kinematic(obj)}
        self.joints = {name: node_of(scene, name) for name in self._keyed_joints()}
        self._muting = Muting(self.links.values())
        self._keyed = {self.links[name] for name in self._keyed_links()}
        # Blender's evaluation of the keys: poses of links [m], shape (F, 7), and coordinates of joints, by name.
        self._played_poses: dict[str, np.ndarray] = {}
        self._played_values: Values = {}

    def _keyed_joints(self) -> list[str]:
        """Return the names of the joints that get values. Joints that the reading has added have no object."""
        if not self.settings.moves_joints:
            return []
        return [name for name in self.motion.values if is_joint(node_named(self.scene, name))]

    def _keyed_links(self) -> list[str]:
        """Return the names of the links that get keys.

        If joints get the keys, these are the links that no joint moves: floating links, links fixed to them, links that
        are released meanwhile, and links below something that moves by itself.
        """
        if self.settings.moves_links:
            return list(self.links)
        moved_by_joints = {WORLD}
        switched = {setting.owner for setting in self.reading.animated if setting.field == "enabled"}
        let_go = switched.union(self.motion.broken)
        for branch in self._model.tree().branches:
            joint = branch.joint
            is_moved = joint.name in self.joints if joint.nq else branch.inner in moved_by_joints
            obj = self.reading.objects.get(branch.outer)  # None for the ground
            is_moved = is_moved and obj is not None and not obstacle_to_moving(obj)
            if is_moved and joint.released_at == math.inf and joint.name not in let_go:
                moved_by_joints.add(branch.outer)
        return [name for name in self.links if name not in moved_by_joints]

    @property
    def _model(self) -> Model:
        return self.reading.model.acting_at(0.0)

    def __len__(self) -> int:
        return len(self._keyed) + bool(self.joints)

    def __iter__(self) -> Iterator[None]:
        tolerance = self.settings.tolerance
        yield from self._write_links(tolerance)
        if self.joints:
            self._write_joints(tolerance)
            self._tighten()
            yield

    def _write_links(self, tolerance: Tolerance | None) -> Iterator[None]:
        frames = self.motion.frames
        poses = {obj: self._in_units(self.motion.poses[name]) for name, obj in self.links.items()}
        with keeping_scales():
            worlds = {obj: world_matrices(X_WL, world_scale(obj)) for obj, X_WL in poses.items()}
        spaces = Spaces(self.scene, worlds, frames, self._muting.constraints)
        nodes = sorted(self._keyed, key=_depth)
        begins = {obj: self.motion.before if self._muting.affects(obj) else 0 for obj in nodes}
        for obj in nodes:  # while the worlds are those of the motion, and not yet of reduced keys
            require_connected(obj, spaces.space_of(obj).since(begins[obj]), worlds[obj][begins[obj] :])
        connected = ConnectedBones(nodes, tolerance.distance / self.unit) if tolerance else None
        for obj in nodes:
            begin = begins[obj]
            space = spaces.space_of(obj).since(begin)
            if tolerance and connected:
                reached = self._reduce(obj, space, worlds, begin, tolerance.angle, connected)
                worlds[obj] = np.concatenate([worlds[obj][:begin], reached])
            else:
                for channel in channels_of(obj, space, worlds[obj][begin:]):
                    self._fill(obj, channel, None, begin)
            if self._is_checked:
                self._played_poses[model_name(obj)] = self._poses_of(obj, worlds[obj])
            yield

    def _reduce(
        self,
        obj: Node,
        space: Space,
        worlds: dict[Node, np.ndarray],
        begin: int,
        angle: float,
        connected: ConnectedBones,
    ) -> np.ndarray:
        """Write reduced keys of a link. Return the world matrices that they give it, shape (F - begin, 4, 4).

        Links that this one carries compensate for its error, except connected bones, which have no location.

        Args:
            begin: number of the link's first frame with keys. angle: tolerance [rad].
        """
        world = worlds[obj][begin:]
        *places, rotation = channels_of(obj, space, world)
        location = self._fill(obj, places[0], connected.allowed(obj), begin) if places else None
        keeping = connected.keeping_heads(rotation, obj, space, location, worlds, begin, angle)
        rotated = self._fill(obj, keeping, angle, begin)
        reached = world_matrices_of(obj, space, location, rotated)
        gaps = places[0].error(0, location) if location is not None else _gaps(reached, world)
        self.off_by = max(self.off_by, float(gaps.max()) * self.unit)
        self.turned_by = max(self.turned_by, float(rotation.error(0, rotated).max()))
        return reached

    def _poses_of(self, obj: Node, matrices: np.ndarray) -> np.ndarray:
        """Return the poses X_WL [m], shape (F, 7), of a link with these world matrices."""
        turns = quaternions_of(matrices[:, :3, :3] / world_scale(obj))
        return np.hstack([matrices[:, :3, 3] * self.unit, turns])

    def _in_units(self, X_WL: np.ndarray) -> np.ndarray:
        poses = np.array(X_WL)
        poses[:, :3] /= self.unit
        return poses

    def _fill(self, obj: Node, channel: Channel, allowed: float | None, begin: int = 0) -> np.ndarray:
        """Write the keys of a channel, and return its values as Blender evaluates them, shape (F - begin, C).

        Args:
            allowed: largest error, in the unit of the channel's; None for a key at every frame.
        """
        frames, curves = self.motion.frames[begin:], self.bake.curves(obj, channel.properties)
        self.possible += channel.values.size
        if allowed is None:
            self.bake.fill(curves, frames, channel.values)
            return channel.values
        return fill_within(self.bake, curves, frames, channel.values, channel.error, allowed)

    def _write_joints(self, tolerance: Tolerance | None) -> None:
        for name in self.joints:
            self._played_values[name] = self._fill_joint(name, None if name in self._loop_joints else tolerance)

    def _tighten(self) -> None:
        """Write all keys again with smaller tolerances until the links that joints move are within the tolerance."""
        allowed = self.settings.tolerance
        if allowed is None or not self._is_checked:
            return
        smaller = [Tolerance(share * allowed.distance, share * allowed.angle) for share in SHARES[1:]]
        for tolerance in (*smaller, None):
            off, turned = self._largest_errors()
            if off <= allowed.distance and turned <= allowed.angle:
                break
            self._rewrite(tolerance)
        self.off_by, self.turned_by = self._largest_errors()

    @property
    def _is_checked(self) -> bool:
        """Whether joints move links by reduced keys, so that the errors of links must be checked."""
        return self.settings.tolerance is not None and not self.settings.moves_links

    def _rewrite(self, tolerance: Tolerance | None) -> None:
        self.possible = 0
        self.bake.clear()
        for _ in self._write_links(tolerance):
            continue
        self._write_joints(tolerance)

    @cached_property
    def _loop_joints(self) -> set[str]:
        """Names of the joints in loops, whose keys are not reduced.

        A loop is closed at every frame, and near a singular configuration a small error of a value moves it far.
        """
        if self.settings.moves_links:
            return set()
        tree = self._model.tree()
        ends = ((loop, (loop.parent, loop.child)) for loop in tree.loops)
        return {name for loop, two in ends for name in (loop.name, *_joints_of_loop(tree, two))}

    def _fill_joint(self, name: str, tolerance: Tolerance | None) -> np.ndarray:
        joint, values = self.reading.model.joint(name), self.motion.values[name]
        channels = joint_channels(joint, values, self.unit)
        columns = [self._fill(self.joints[name], channel, self._allowed(channel, tolerance)) for channel in channels]
        sizes = np.where([channel.is_rotation for channel in channels for _ in channel.properties], 1.0, self.unit)
        return np.hstack(columns).astype(np.float32) * sizes

    def _allowed(self, channel: Channel, tolerance: Tolerance | None) -> float | None:
        """Return the largest error of a channel of a joint [Blender units or rad]."""
        if tolerance is None:
            return None
        return tolerance.angle if channel.is_rotation else tolerance.distance / self.unit

    def _largest_errors(self) -> tuple[float, float]:
        """Return the largest distance [m] and angle [rad] between the links' motion and that of the keys."""
        poses, moved_by_joints = self.motion.poses, self.links.keys() - {model_name(obj) for obj in self._keyed}
        others = {
            name: self._played_poses.get(name, X_WL) for name, X_WL in poses.items() if name not in moved_by_joints
        }
        found = poses_from_values(self._model, self.motion.values | self._played_values, others)
        return (
            max(_off_by(found[name], X_WL) for name, X_WL in poses.items()),
            max(_turned_by(found[name], X_WL) for name, X_WL in poses.items()),
        )

    def commit(self) -> int:
        """Add the action to the scene, and return the number of keys. What was played before is kept."""
        self._muting.write(self.scene, self.bake, self.motion.frames[self.motion.before :])
        count = self.bake.key_count
        objects = list(dict.fromkeys((*self.links.values(), *self.joints.values())))
        # Bones that are no links any more play their own animation again. The bones of an armature share an action.
        clear_bake(bone for owner in by_owner(objects) for bone in baked_bones(owner) if bone not in objects)
        replaced = edits_of_bakes(map(action_of, objects))
        for owner, nodes in by_owner(objects).items():
            self.bake.copy_user_curves(owner, unreplaced_curves(owner, nodes))
        for obj in objects:
            store_state_before_bake(obj)
        # After `store_state_before_bake`: while joints play an earlier bake, the links that they move count as baked.
        clear_bake(obj for obj in baked_objects(self.scene) if is_joint(obj) and obj not in objects)
        for obj in objects:
            if obj in self._keyed or is_joint(obj) or action_of(obj) is not None:
                self.bake.play(obj)
        if not self.settings.moves_links:
            store_moving_joints(self._model, self.reading.objects, self.joints)
        remove_unused_bakes(replaced)
        return count

    def discard(self) -> None:
        self.bake.discard()

    @property
    def notes(self) -> list[str]:
        """Notes about constraints that are switched off, and tolerances that were exceeded."""
        first, last = self.motion.frames[[self.motion.before, -1]].astype(int).tolist()
        found, allowed = self._muting.note(first, last), self.settings.tolerance
        if allowed and (self.off_by > allowed.distance or self.turned_by > allowed.angle):
            way, turn = length_in_words(self.scene, self.off_by), f"{math.degrees(self.turned_by):.2g}°"
            found.append(
                f"links are up to {way} and {turn} off with a key on every frame already, as Blender's keys have seven "
                "digits: allow more, or bake nearer to the origin"
            )
        return found


def _depth(obj: Node) -> int:
    return sum(1 for _ in ancestors(obj))


def _joints_of_loop(tree: Tree, links: tuple[str, str]) -> set[str]:
    """Return the names of the joints that carry exactly one of two links: those of the loop that a joint closes."""
    one, other = ({branch.joint.name for branch in tree.path(link)} for link in links)
    return one ^ other


def _gaps(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the distances between the origins of world matrices, shape (F,)."""
    return norm(one[:, :3, 3] - other[:, :3, 3])


def _off_by(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(norm(found[:, :3] - wanted[:, :3]).max())


def _turned_by(found: np.ndarray, wanted: np.ndarray) -> float:
    one, other = (matrices_of(unit_quaternions(poses[:, 3:])) for poses in (found, wanted))
    return float(angles_between(one, other).max())
