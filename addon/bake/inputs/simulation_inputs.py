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
from ...props.ragdoll import is_body_part
from ..bake_checks import require_rigid_colliders
from ..settings import BakeSettings
from .animated_joints import joints_without_effect, notes_beyond_limits, without_joints
from .animated_links import Jumps, jumps_of, paths_of, sample_animated_links, truncate_at_let_go, with_animated_links
from .initial_states import InitialState, from_animation, from_present_poses
from .inputs import InputSampler
from .sampling import Poses


class SimulationInputs:
    """The inputs of a simulation from the first frame of a range to the last.

    Attributes:
        frames: those that are simulated, shape (F,): frames with keys, and enough in between to follow animation.
        spacing: distance between them [frames].
        reading: the scene at the first frame. model: the links and joints that move. initial_state: their state then.
        controls: motions and forces from outside.
        notes: what the animation does that the user may not intend.
        animation_digest: digest of all settings and poses that the simulation follows.

    Args:
        initial: {"q": {joint: number or list}, "qd": {...}} to start from, regardless of the settings.
        present_poses: poses of the links for a start from the current pose [m], by name; None reads them.

    Raises:
        ModelError, BakeError: if the scene cannot be simulated as it is.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        settings: BakeSettings,
        reading: SceneReading,
        initial: dict | None = None,
        present_poses: Mapping[str, Pose] | None = None,
    ):
        require_rigid_colliders(reading)
        self.settings, self.fps = settings, frame_rate(scene)
        if present_poses is None and settings.start == "POSE":  # read before other frames are shown
            present_poses = poses_now(reading.objects, unit_length(scene))
        self.spacing = spacing = settings.step / np.ceil(settings.step - 1e-9)
        self.frames = replace(settings, step=spacing).frames
        count = int(np.ceil((settings.last - settings.first) / spacing - 1e-9)) + 1
        inputs, rate = InputSampler(scene, reading), self.fps / spacing
        frames = settings.first + spacing * np.arange(count)
        animated_poses = sample_animated_links(scene, reading, frames, inputs.sample if inputs else None)
        release_indices = truncate_at_let_go(animated_poses, reading, inputs, frames)
        jumps = jumps_of(scene, reading, animated_poses, frames)
        idle = joints_without_effect(reading)
        kinematic = {name: animated_poses[name] for name in reading.kinematic_joints}
        self.notes = notes_beyond_limits(idle, reading.model, kinematic, frames)
        self.animation_digest = inputs.digest() + _digest_of_poses(animated_poses, jumps)
        self.reading = inputs.with_first_values(reading)
        self.model = without_joints(with_animated_links(self.reading, animated_poses), idle)
        released = {
            name: float(self.times[number]) for name, number in release_indices.items() if number < len(self.frames)
        }
        self.controls = Controls(
            links=paths_of(animated_poses, rate, jumps), released=released, schedule=inputs.schedule(rate)
        )
        self._is_measured = not initial
        self.initial_state = InitialState(initial)
        if not initial:
            own = {
                name: tuple(animated_poses[name][0].tolist())
                for name in animated_poses
                if name not in reading.kinematic_joints
            }
            present_poses = {**(present_poses or {}), **own}
            self.initial_state = _make_initial_state(
                scene, settings, reading, self.model.acting_at(0.0), present_poses, spacing
            )

    @property
    def times(self) -> np.ndarray:
        """Times of the simulated frames since the first one [s], shape (F,)."""
        return (self.frames - self.settings.first) / self.fps

    def indices_of(self, frames: np.ndarray) -> np.ndarray:
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
            "initial": self.initial_state.state,
            "controls": self.controls,
            "numbers": self.frames,
            "is_measured": self._is_measured and bool(self.initial_state.state),
            "contact": self.settings.contact,
            "meant_to_fall": [name for name, node in self.reading.objects.items() if is_body_part(node)],
        }
        return Simulation(self.model, **own | changes)


def _digest_of_poses(animated_poses: Poses, jumps: Jumps) -> str:
    parts = [name.encode() + poses.tobytes() for name, poses in animated_poses.items()]
    parts += [f"{name} {number}".encode() + jumps[name][number].tobytes() for name in jumps for number in jumps[name]]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _make_initial_state(
    scene: bpy.types.Scene,
    settings: BakeSettings,
    reading: SceneReading,
    model: Model,
    present_poses: Mapping[str, Pose],
    spacing: float,
) -> InitialState:
    if settings.start == "POSE":
        return from_present_poses(scene, model, dict(present_poses))
    if settings.start == "KEYS":
        return from_animation(scene, reading, model, settings.first, spacing)
    return InitialState()
