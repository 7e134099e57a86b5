# SPDX-License-Identifier: GPL-3.0-or-later
"""Sample animated settings of the model as Blender evaluates them, as time-dependent inputs of a simulation."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import bpy
import numpy as np

from ....core.model import Joint, Link
from ....core.simulation import Schedule
from ...bridge.animation.animated import ANIMATED, FOLLOWED_ON_AXES, SCENE, STRENGTH, Input
from ...bridge.joints.read_joints import axis_numbers
from ...bridge.scene.read import SceneReading, gravity_of, set_link_poses, wind_of
from ...bridge.values.fields import LINK_FIELDS, fields_on, read_fields
from ...bridge.values.numbers import units_of
from ...nodes import evaluated
from ...nodes.naming import node_of
from ...props import axes_in_use, core_joint
from ...props.settings import joint_settings, link_settings

FORCE_FIELDS = tuple(field for field in LINK_FIELDS if field.is_followed)
SCENE_SETTINGS = {"gravity": gravity_of, "wind": wind_of}


class Samples:
    """A piecewise linear function of time [s] through evenly spaced samples from 0 on, constant beyond them.

    Args:
        values: shape (F,) or (F, 3). rate: samples per second.
    """

    def __init__(self, values: np.ndarray, rate: float):
        self._values, self._rate, self._last = values.tolist(), rate, len(values) - 1
        self._is_vector = values.ndim > 1

    def __call__(self, time: float) -> float | list[float]:
        position = min(max(time * self._rate, 0.0), float(self._last))
        number = min(int(position), max(self._last - 1, 0))
        fraction = position - number
        before, after = self._values[number], self._values[min(number + 1, self._last)]
        if self._is_vector:
            return [a + fraction * (b - a) for a, b in zip(before, after, strict=True)]
        return before + fraction * (after - before)


class Switch:
    """A function of time [s] whose value, True or False, stays the same from each sample to the next.

    Args:
        values: shape (F,). rate: samples per second.
    """

    EARLY = 1e-6
    """Part of a sample interval by which a time may be too early, by rounding, and still count as the sample's."""

    def __init__(self, values: np.ndarray, rate: float):
        self._values, self._rate = values.tolist(), rate

    def __call__(self, time: float) -> bool:
        return self._values[min(max(int(time * self._rate + self.EARLY), 0), len(self._values) - 1)]


class InputSampler:
    """A sampler of the animated settings of a scene. `sample` adds the values of one frame.

    Args:
        reading: of the scene, with its animated settings.
    """

    def __init__(self, scene: bpy.types.Scene, reading: SceneReading):
        joints, links = {joint.name for joint in reading.model.joints}, {link.name for link in reading.model.links}
        animated = reading.animated
        driven = {setting.owner for setting in animated if setting.axis >= 0 or setting.field == STRENGTH}
        self._units = units_of(scene)
        self._driven_joints = {
            name: core_joint(joint_settings(node_of(scene, name))) for name in sorted(driven & joints)
        }
        self._switched_joints = sorted({setting.owner for setting in animated if setting.field == "enabled"} & joints)
        pushed = {setting.owner for setting in animated if setting.field in {field.name for field in FORCE_FIELDS}}
        self._pushed_links = sorted(pushed & links)
        self._switched_links = sorted({setting.owner for setting in animated if setting.field == ANIMATED} & links)
        self._world = [setting.field for setting in animated if setting.owner == SCENE]
        names = (*self._driven_joints, *self._switched_joints, *self._pushed_links, *self._switched_links)
        self._objects = {name: node_of(scene, name) for name in names}
        self._samples: dict[Input, list] = {}

    def __bool__(self) -> bool:
        """Return whether there are settings to sample."""
        return bool(self._objects or self._world)

    def sample(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Add the evaluated settings of one more frame."""
        seen = {name: evaluated(obj, depsgraph) for name, obj in self._objects.items()}
        for name, joint in self._driven_joints.items():
            self._sample_drives(name, joint, joint_settings(seen[name]))
        for name in self._switched_joints:
            self._add(Input(name, "enabled"), joint_settings(seen[name]).enabled)
        for name in self._pushed_links:
            for field, value in read_fields(FORCE_FIELDS, link_settings(seen[name]), self._units).items():
                self._add(Input(name, field), value)
        for name in self._switched_links:
            self._add(Input(name, ANIMATED), link_settings(seen[name]).animated)
        for field in self._world:
            scene = depsgraph.scene_eval
            assert scene is not None  # it is None in a graph that was never evaluated only
            self._add(Input(SCENE, field), SCENE_SETTINGS[field](scene))

    def _sample_drives(self, name: str, joint: Joint, settings) -> None:
        for number, axis in enumerate(axes_in_use(settings)):
            fields = [field for field in fields_on(joint.kind.slot(number)) if field.name in FOLLOWED_ON_AXES]
            numbers = axis_numbers(joint, number, fields, axis, self._units, settings.drive_strength)
            for field, value in numbers.items():
                self._add(Input(name, field, number), value)

    def _add(self, setting: Input, value) -> None:
        self._samples.setdefault(setting, []).append(value)

    def states_of_switch(self, link: str) -> list[bool]:
        """Return the link's switch Animated at every sampled frame; empty if nothing animates it."""
        return self._samples.get(Input(link, ANIMATED), [])

    def digest(self) -> str:
        """Return a digest of all samples."""
        return hashlib.sha256(repr(self._samples).encode()).hexdigest()

    def with_first_values(self, reading: SceneReading) -> SceneReading:
        """Return the reading with the settings of the first frame, independent of the frame at which it was read."""
        if not self._samples:
            return reading
        first = {setting: values[0] for setting, values in self._samples.items()}
        world = {setting.field: value for setting, value in first.items() if setting.owner == SCENE}
        model = replace(
            reading.model,
            links=[_link_at_start(link, first) for link in reading.model.links],
            joints=[_joint_at_start(joint, first) for joint in reading.model.joints],
            **world,
        )
        if [joint.enabled for joint in model.joints] != [joint.enabled for joint in reading.model.joints]:
            set_link_poses(model, reading.objects, self._units.length)
        return replace(reading, model=model)

    def schedule(self, rate: float) -> Schedule:
        """Return the settings that change, as functions of time.

        Args:
            rate: sampled frames per second.
        """
        axes: dict[tuple[str, int], dict] = {}
        links: dict[str, dict] = {}
        enabled, world = {}, {}
        for setting, values in self._changing().items():
            if setting.owner == SCENE:
                world[setting.field] = Samples(values, rate)
            elif setting.axis >= 0:
                axes.setdefault((setting.owner, setting.axis), {})[setting.field] = Samples(values, rate)
            elif setting.field == ANIMATED:
                continue  # `animated_links.truncate_at_let_go` reads it
            elif setting.field == "enabled":
                enabled[setting.owner] = Switch(values, rate)
            else:
                links.setdefault(setting.owner, {})[setting.field] = Samples(values, rate)
        return Schedule(axes=axes, links=links, enabled=enabled, **world)

    def _changing(self) -> dict[Input, np.ndarray]:
        found = {setting: np.array(values) for setting, values in self._samples.items()}
        return {setting: values for setting, values in found.items() if _changes(values)}


def _changes(values: np.ndarray) -> bool:
    """Return whether samples differ. Samples that are not all finite, such as an infinite force limit, do not count."""
    return bool(np.isfinite(values).all() and (values != values[0]).any())


def _link_at_start(link: Link, first: dict[Input, tuple]) -> Link:
    own = {field.name: first[key] for field in FORCE_FIELDS if (key := Input(link.name, field.name)) in first}
    return replace(link, **own)


def _joint_at_start(joint: Joint, first: dict[Input, float]) -> Joint:
    own = {setting: value for setting, value in first.items() if setting.owner == joint.name}
    if not own:
        return joint
    axes = [
        replace(axis, **{setting.field: value for setting, value in own.items() if setting.axis == number})
        for number, axis in enumerate(joint.axes)
    ]
    return replace(joint, axes=axes, enabled=own.get(Input(joint.name, "enabled"), joint.enabled))
