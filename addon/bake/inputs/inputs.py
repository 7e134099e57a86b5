# SPDX-License-Identifier: GPL-3.0-or-later
"""Sample animated settings of the model as Blender evaluates them, as time-dependent inputs of a simulation."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import bpy
import numpy as np

from ....core.model import Joint, Link
from ....core.simulation import Schedule
from ... import ids
from ...bridge.animation.animated import ANIMATED, FOLLOWED_ON_AXES, SCENE, STRENGTH, Input
from ...bridge.joints.read_joints import axis_numbers
from ...bridge.scene.read import SceneReading, gravity_of, place_links, wind_of
from ...bridge.values.fields import LINK_FIELDS, fields_on, read_fields
from ...bridge.values.numbers import units_of
from ...props import axes_in_use, core_joint
from ...props.naming import object_of

FORCES = tuple(field for field in LINK_FIELDS if field.is_followed)
OF_SCENE = {"gravity": gravity_of, "wind": wind_of}


class Samples:
    """A piecewise linear function of time [s] through evenly spaced samples from 0 on, constant beyond them.

    Args:
        values: shape (F,) or (F, 3). rate: samples per second.
    """

    def __init__(self, values: np.ndarray, rate: float):
        self._values, self._rate, self._last = values.tolist(), rate, len(values) - 1
        self._is_vector = values.ndim > 1

    def __call__(self, time: float) -> float | list[float]:
        place = min(max(time * self._rate, 0.0), float(self._last))
        number = min(int(place), max(self._last - 1, 0))
        part = place - number
        before, after = self._values[number], self._values[min(number + 1, self._last)]
        if self._is_vector:
            return [a + part * (b - a) for a, b in zip(before, after, strict=True)]
        return before + part * (after - before)


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
    """Samples the animated settings of a scene frame by frame, by `look`.

    Args:
        reading: of the scene, with its animated settings.
    """

    def __init__(self, scene: bpy.types.Scene, reading: SceneReading):
        joints, links = {joint.name for joint in reading.model.joints}, {link.name for link in reading.model.links}
        animated = reading.animated
        driven = {known.owner for known in animated if known.axis >= 0 or known.field == STRENGTH}
        self._units = units_of(scene)
        self._driven = {
            name: core_joint(getattr(object_of(scene, name), ids.JOINT)) for name in sorted(driven & joints)
        }
        self._switched = sorted({known.owner for known in animated if known.field == "enabled"} & joints)
        pushed = {known.owner for known in animated if known.field in {field.name for field in FORCES}}
        self._pushed = sorted(pushed & links)
        self._switched_links = sorted({known.owner for known in animated if known.field == ANIMATED} & links)
        self._world = [known.field for known in animated if known.owner == SCENE]
        names = (*self._driven, *self._switched, *self._pushed, *self._switched_links)
        self._objects = {name: object_of(scene, name) for name in names}
        self._found: dict[Input, list] = {}

    def __bool__(self) -> bool:
        """Return whether there are settings to sample."""
        return bool(self._objects or self._world)

    def look(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Add the evaluated settings of one more frame."""
        seen = {name: obj.evaluated_get(depsgraph) for name, obj in self._objects.items()}
        for name, known in self._driven.items():
            self._look_at_drives(name, known, getattr(seen[name], ids.JOINT))
        for name in self._switched:
            self._note(Input(name, "enabled"), getattr(seen[name], ids.JOINT).enabled)
        for name in self._pushed:
            for field, value in read_fields(FORCES, getattr(seen[name], ids.LINK), self._units).items():
                self._note(Input(name, field), value)
        for name in self._switched_links:
            self._note(Input(name, ANIMATED), getattr(seen[name], ids.LINK).animated)
        for field in self._world:
            scene = depsgraph.scene_eval
            assert scene is not None  # it is None in a graph that was never evaluated only
            self._note(Input(SCENE, field), OF_SCENE[field](scene))

    def _look_at_drives(self, name: str, known: Joint, settings) -> None:
        for number, axis in enumerate(axes_in_use(settings)):
            fields = [field for field in fields_on(known.kind.slot(number)) if field.name in FOLLOWED_ON_AXES]
            numbers = axis_numbers(known, number, fields, axis, self._units, settings.drive_strength)
            for field, value in numbers.items():
                self._note(Input(name, field, number), value)

    def _note(self, known: Input, value) -> None:
        self._found.setdefault(known, []).append(value)

    def states_of_switch(self, link: str) -> list[bool]:
        """Return the link's switch Animated at every sampled frame; empty if nothing animates it."""
        return self._found.get(Input(link, ANIMATED), [])

    def digest(self) -> str:
        """Return a digest of all samples."""
        return hashlib.sha256(repr(self._found).encode()).hexdigest()

    def at_first(self, reading: SceneReading) -> SceneReading:
        """Return the reading with the settings of the first frame, independent of the frame at which it was read."""
        if not self._found:
            return reading
        first = {known: values[0] for known, values in self._found.items()}
        world = {known.field: value for known, value in first.items() if known.owner == SCENE}
        model = replace(
            reading.model,
            links=[_begun(link, first) for link in reading.model.links],
            joints=[_joint_begun(joint, first) for joint in reading.model.joints],
            **world,
        )
        if [joint.enabled for joint in model.joints] != [joint.enabled for joint in reading.model.joints]:
            place_links(model, reading.objects, self._units.length)
        return replace(reading, model=model)

    def schedule(self, rate: float) -> Schedule:
        """Return the settings that change, as functions of time.

        Args:
            rate: sampled frames per second.
        """
        axes: dict[tuple[str, int], dict] = {}
        links: dict[str, dict] = {}
        enabled, world = {}, {}
        for known, values in self._changing().items():
            if known.owner == SCENE:
                world[known.field] = Samples(values, rate)
            elif known.axis >= 0:
                axes.setdefault((known.owner, known.axis), {})[known.field] = Samples(values, rate)
            elif known.field == ANIMATED:
                continue  # `leading.let_go` reads it
            elif known.field == "enabled":
                enabled[known.owner] = Switch(values, rate)
            else:
                links.setdefault(known.owner, {})[known.field] = Samples(values, rate)
        return Schedule(axes=axes, links=links, enabled=enabled, **world)

    def _changing(self) -> dict[Input, np.ndarray]:
        found = {known: np.array(values) for known, values in self._found.items()}
        return {known: values for known, values in found.items() if _changes(values)}


def _changes(values: np.ndarray) -> bool:
    """Return whether samples differ. Samples that are not all finite, such as an infinite force limit, do not count."""
    return bool(np.isfinite(values).all() and (values != values[0]).any())


def _begun(link: Link, first: dict[Input, tuple]) -> Link:
    own = {field.name: first[key] for field in FORCES if (key := Input(link.name, field.name)) in first}
    return replace(link, **own)


def _joint_begun(joint: Joint, first: dict[Input, float]) -> Joint:
    own = {known: value for known, value in first.items() if known.owner == joint.name}
    if not own:
        return joint
    axes = [
        replace(axis, **{known.field: value for known, value in own.items() if known.axis == number})
        for number, axis in enumerate(joint.axes)
    ]
    return replace(joint, axes=axes, enabled=own.get(Input(joint.name, "enabled"), joint.enabled))
