"""A motion, written as keys on links, on joints, or on both: prepared beside the scene, then put into it at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.model import WORLD, Model
from ..bridge import SceneReading, unit_length, world_scale
from ..bridge.numbers import length_in_words
from ..props import ancestors, is_joint, is_led
from .fcurves import BakeAction
from .fitting import fill_within
from .joint_values import Values, joint_channels, poses_led
from .pose_keys import mark_links
from .restore import action_of, baked_objects, clear_bake, hand_over, other_curves, remember
from .settings import BakeSettings, Tolerance
from .spaces import Spaces
from .transforms import Channel, channels_of, world_matrices, world_of

SHARES = 0.5 ** np.arange(6)
"""Of what was asked for, tried for joints one after the other until the links that they lead keep to it."""


@dataclass
class Motion:
    """What is to be keyed.

    Attributes:
        frames: that have keys, shape (F,).
        poses: X_WL of every link [m], shape (F, 7), by name.
        values: coordinates of joints; those without are left as they are.
    """

    frames: np.ndarray
    poses: dict[str, np.ndarray]
    values: Values


class Writing:
    """Iterate to prepare the keys, an object at a time; then `commit`, or `discard`.

    Attributes:
        bake: the action. off_by, turned_by: most that a link will be away from its motion [m] and turned [rad], as
            Blender evaluates the keys that were reduced.
        possible: how many keys there are without reducing.

    Raises, while iterating:
        BakeError: no location and rotation would put an object where it belongs.
    """

    def __init__(self, scene: bpy.types.Scene, reading: SceneReading, motion: Motion, settings: BakeSettings):
        self.scene, self.reading, self.motion, self.settings = scene, reading, motion, settings
        self.unit = unit_length(scene)
        self.bake = BakeAction(f"{scene.name} Limberjack Bake")
        self.off_by = self.turned_by = 0.0
        self.possible = 0
        self.links = {name: obj for name, obj in reading.objects.items() if not is_led(obj)}
        self.joints = {name: scene.objects[name] for name in self._keyed_joints()}
        self._keyed = {self.links[name] for name in self._keyed_links()}

    def _keyed_joints(self) -> list[str]:
        """Names of the joints that get values; what the reading itself has made has no object."""
        if not self.settings.moves_joints:
            return []
        objects = self.scene.objects
        return [name for name in self.motion.values if is_joint(objects.get(name))]

    def _keyed_links(self) -> list[str]:
        """All, or those that no joint leads: what floats, what is fixed to that, and what is let go on the way."""
        if self.settings.moves_links:
            return list(self.links)
        led = {WORLD}
        for branch in self._model.tree().branches:
            joint = branch.joint
            is_led = joint.name in self.joints if joint.nq else branch.inner in led
            if is_led and joint.released_at == math.inf:
                led.add(branch.outer)
        return [name for name in self.links if name not in led]

    @property
    def _model(self) -> Model:
        return self.reading.model.acting_at(0.0)

    def __len__(self) -> int:
        return len(self._keyed) + bool(self.joints)

    def __iter__(self) -> Iterator[None]:
        yield from self._write_links()
        if self.joints:
            self._write_joints()
            yield

    def _write_links(self) -> Iterator[None]:
        frames = self.motion.frames
        poses = {obj: self._in_units(self.motion.poses[name]) for name, obj in self.links.items()}
        worlds = {obj: world_matrices(X_WL, world_scale(obj)) for obj, X_WL in poses.items()}
        spaces = Spaces(self.scene, worlds, frames)
        for obj in sorted(self._keyed, key=_depth):
            space = spaces.space_of(obj)
            location, rotation = channels_of(obj, space, worlds[obj])
            found = [self._fill(obj, channel, self.settings.tolerance) for channel in (location, rotation)]
            if self.settings.tolerance:
                # What hangs on it makes up for what it is off by.
                worlds[obj] = world_of(obj, space, *found)
                self.off_by = max(self.off_by, float(location.error(0, found[0]).max()) * self.unit)
                self.turned_by = max(self.turned_by, float(rotation.error(0, found[1]).max()))
            yield

    def _in_units(self, X_WL: np.ndarray) -> np.ndarray:
        poses = np.array(X_WL)
        poses[:, :3] /= self.unit
        return poses

    def _fill(self, obj: bpy.types.Object, channel: Channel, tolerance: Tolerance | None) -> np.ndarray:
        """Returns what Blender will make of it, shape (F, C)."""
        frames, curves = self.motion.frames, self.bake.curves(obj, channel.properties)
        self.possible += channel.values.size
        if tolerance is None:
            self.bake.fill(curves, frames, channel.values)
            return channel.values
        allowed = tolerance.angle if channel.is_turn else tolerance.distance / self.unit
        return fill_within(self.bake, curves, frames, channel.values, channel.error, allowed)

    def _write_joints(self) -> None:
        """With fewer keys, so that the links that they lead keep to what was asked for."""
        asked, possible = self.settings.tolerance, self.possible
        tries = [None if asked is None else Tolerance(share * asked.distance, share * asked.angle) for share in SHARES]
        for tolerance in (*tries, None):
            self.possible = possible
            self.bake.clear(self.joints.values())
            played = {name: self._fill_joint(name, tolerance) for name in self.joints}
            if asked is None or self.settings.moves_links:
                return
            off, turned = self._apart(played)
            if tolerance is None or (off <= asked.distance and turned <= asked.angle):
                self.off_by, self.turned_by = max(self.off_by, off), max(self.turned_by, turned)
                return

    def _fill_joint(self, name: str, tolerance: Tolerance | None) -> np.ndarray:
        joint, values = self.reading.model.joint(name), self.motion.values[name]
        channels = joint_channels(joint, values, self.unit)
        columns = [self._fill(self.joints[name], channel, tolerance) for channel in channels]
        sizes = np.where([channel.is_turn for channel in channels for _ in channel.properties], 1.0, self.unit)
        return np.hstack(columns).astype(np.float32) * sizes

    def _apart(self, played: Values) -> tuple[float, float]:
        """How far joints of these values would have links from the motion [m, rad]."""
        poses, led = self.motion.poses, self.links.keys() - {obj.name for obj in self._keyed}
        others = {name: X_WL for name, X_WL in poses.items() if name not in led}
        found = poses_led(self._model, self.motion.values | played, others)
        return (
            max(_off_by(found[name], X_WL) for name, X_WL in poses.items()),
            max(_turned_by(found[name], X_WL) for name, X_WL in poses.items()),
        )

    def commit(self) -> int:
        """Put the action into the scene; returns how many keys it has. What played before is kept."""
        count = self.bake.key_count
        objects = [*self.links.values(), *self.joints.values()]
        clear_bake(obj for obj in baked_objects(self.scene) if is_joint(obj) and obj not in objects)
        replaced = [action_of(obj) for obj in objects]
        for obj in objects:
            self.bake.carry(obj, other_curves(obj))
        for obj in objects:
            remember(obj)
        for obj in objects:
            if obj in self._keyed or is_joint(obj) or action_of(obj) is not None:
                self.bake.play(obj)
        if not self.settings.moves_links:
            mark_links(self._model, self.reading.objects, self.joints)
        hand_over(replaced)
        return count

    def discard(self) -> None:
        self.bake.discard()

    @property
    def notes(self) -> list[str]:
        """What could not be kept to."""
        asked = self.settings.tolerance
        if asked is None or (self.off_by <= asked.distance and self.turned_by <= asked.angle):
            return []
        way, turn = length_in_words(self.scene, self.off_by), f"{math.degrees(self.turned_by):.2g}°"
        return [
            f"links are up to {way} and {turn} off with a key on every frame already, as Blender's keys have seven "
            "digits: allow more, or bake nearer to the origin"
        ]


def _depth(obj: bpy.types.Object) -> int:
    return sum(1 for _ in ancestors(obj))


def _off_by(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.linalg.norm(found[:, :3] - wanted[:, :3], axis=1).max())


def _turned_by(found: np.ndarray, wanted: np.ndarray) -> float:
    apart = np.abs(np.sum(found[:, 3:] * wanted[:, 3:], axis=1))
    lengths = np.linalg.norm(found[:, 3:], axis=1) * np.linalg.norm(wanted[:, 3:], axis=1)
    return float(2.0 * np.arccos(np.minimum(apart / lengths, 1.0)).max())
