# SPDX-License-Identifier: GPL-3.0-or-later
"""Collect the inputs of a scene's simulation: model, initial state, and motions and controls from outside."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

import bpy
import numpy as np

from ....core.model import Model
from ....core.simulation import Controls, Simulation
from ....core.spatial import Pose
from ...bridge.posing.present_poses import poses_now
from ...bridge.scene.read import SceneReading
from ...bridge.values.numbers import frame_rate, unit_length
from ..bake_checks import require_rigid_colliders
from ..settings import BakeSettings
from .animated_links import Jumps, jumps_of, let_go, paths_of, sample_animated_links, with_animated_links
from .initial_states import InitialState, as_animated, as_posed
from .inputs import InputSampler
from .sampling import Poses


class SimulationInputs:
    """The inputs of a simulation from the first frame of a range to the last.

    Attributes:
        frames: those that are simulated, shape (F,): frames with keys, and enough in between to follow animation.
        spacing: distance between them [frames].
        reading: the scene at the first frame. model: what moves. beginning: the initial state.
        controls: motions and forces from outside. followed: digest of all settings and poses that the simulation
            follows.

    Args:
        initial: {"q": {joint: number or list}, "qd": {...}} to start from, regardless of the settings.
        stand: poses of the links for a start from the current pose [m], by name; None reads them.

    Raises:
        ModelError, BakeError: if the scene cannot be simulated as it is.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        settings: BakeSettings,
        reading: SceneReading,
        initial: dict | None = None,
        stand: Mapping[str, Pose] | None = None,
    ):
        require_rigid_colliders(reading)
        self.settings, self.fps = settings, frame_rate(scene)
        if stand is None and settings.start == "POSE":  # read before other frames are shown
            stand = poses_now(reading.objects, unit_length(scene))
        self.spacing = spacing = settings.step / np.ceil(settings.step - 1e-9)
        self.frames = replace(settings, step=spacing).frames
        count = int(np.ceil((settings.last - settings.first) / spacing - 1e-9)) + 1
        inputs, rate = InputSampler(scene, reading), self.fps / spacing
        frames = settings.first + spacing * np.arange(count)
        leads = sample_animated_links(scene, reading, frames, inputs.look if inputs else None)
        hand_overs = let_go(leads, reading, inputs, frames)
        jumps = jumps_of(scene, reading, leads, frames)
        self.followed = inputs.digest() + _digest_of_poses(leads, jumps)
        self.reading = inputs.at_first(reading)
        self.model = with_animated_links(self.reading, leads)
        released = {name: float(self.times[number]) for name, number in hand_overs.items() if number < len(self.frames)}
        self.controls = Controls(links=paths_of(leads, rate, jumps), released=released, schedule=inputs.schedule(rate))
        self._is_measured = not initial
        self.beginning = InitialState(initial)
        if not initial:
            own = {name: tuple(leads[name][0].tolist()) for name in leads if name not in reading.leads}
            stand = {**(stand or {}), **own}
            self.beginning = _begin(scene, settings, reading, self.model.acting_at(0.0), stand, spacing)

    @property
    def times(self) -> np.ndarray:
        """Times of the simulated frames since the first one [s], shape (F,)."""
        return (self.frames - self.settings.first) / self.fps

    def numbers_of(self, frames: np.ndarray) -> np.ndarray:
        """Return the indices of frames with keys among the simulated frames, shape (K,)."""
        return np.searchsorted(self.frames, frames - 1e-6)

    def simulation(self, **changes) -> Simulation:
        """Return the simulation of all frames.

        Args:
            changes: arguments of `Simulation` that replace the scene's.
        """
        own = {
            "times": self.times,
            "accuracy": self.settings.accuracy,
            "initial": self.beginning.state,
            "controls": self.controls,
            "numbers": self.frames,
            "is_measured": self._is_measured and bool(self.beginning.state),
            "contact": self.settings.contact,
        }
        return Simulation(self.model, **own | changes)


def _digest_of_poses(leads: Poses, jumps: Jumps) -> str:
    parts = [name.encode() + poses.tobytes() for name, poses in leads.items()]
    parts += [f"{name} {number}".encode() + jumps[name][number].tobytes() for name in jumps for number in jumps[name]]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _begin(
    scene: bpy.types.Scene,
    settings: BakeSettings,
    reading: SceneReading,
    model: Model,
    stand: Mapping[str, Pose],
    spacing: float,
) -> InitialState:
    if settings.start == "POSE":
        return as_posed(scene, model, dict(stand))
    if settings.start == "KEYS":
        return as_animated(scene, reading, model, settings.first, spacing)
    return InitialState()
