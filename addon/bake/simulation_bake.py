# SPDX-License-Identifier: GPL-3.0-or-later
"""`SimulationBake`: simulate a scene and bake it. Both the operator and the command line use it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...core.diagnosis import diagnose
from ...core.spatial import norm, quat_mul, rotvec_of_quat
from ...core.trajectory.touches import TABLES
from ...core.trajectory.trajectory import Trajectory
from ..bridge.findings.problems import keys_replaced
from ..bridge.scene.read import SceneReading
from ..bridge.values.numbers import length_in_words
from .bake_checks import note_on_excluded_poses
from .baking import Bake
from .inputs.simulation_inputs import SimulationInputs
from .keys.joint_values import values_of_poses
from .keys.writing import Motion
from .settings import settings_of

if TYPE_CHECKING:
    from ...core.diagnosis import Diagnosis
    from ...core.simulation import Report, Simulation

START_TOLERANCE = 1e-4
"""Distance from its pose at which a link may start without a note: angle [rad], and length relative to its distance
from the origin or to 1 m, whichever is larger.
"""


class SimulationBake(Bake):
    """A bake of a simulation; see `Bake`.

    Args:
        initial: {"q": {joint: number or list}, "qd": {...}} to start from, regardless of the settings.
        reading: as for `Bake`.
        changes: settings in place of the scene's own, by the names of `BakeSettings`; None keeps the scene's.

    Raises:
        ModelError, BakeError: if the scene cannot be simulated or baked as it is.
        SimulationError: from `step`; the message names link, frame and cause.
    """

    source = "simulation"

    def __init__(
        self, scene: bpy.types.Scene, initial: dict | None = None, reading: SceneReading | None = None, **changes
    ):
        super().__init__(scene, settings_of(scene, **changes), reading)
        self._initial_q = (initial or {}).get("q", {})
        self.notes += [problem.message for problem in keys_replaced(self.settings.start, self.reading)]
        self._inputs, self.simulation = self._make_simulation(initial)
        self.notes += self._inputs.notes
        if self.settings.start == "HOME" and not initial:
            self.notes += note_on_excluded_poses(self.model)
        self.reading, self._initial_state = self._inputs.reading, self._inputs.initial_state

    def _make_simulation(self, initial: dict | None) -> tuple[SimulationInputs, Simulation]:
        inputs = SimulationInputs(self.scene, self.settings, self.reading, initial)
        return inputs, inputs.simulation(record=["efforts", *(TABLES if self.settings.contact else ())])

    @property
    def trajectory(self) -> Trajectory:
        done = self.simulation.trajectory.first(len(self._inputs.frames))
        numbers = self._inputs.indices_of(self.frames)
        return done if len(numbers) == len(self._inputs.frames) else done.at(numbers[numbers < len(done)])

    @property
    def report(self) -> Report:
        return self.simulation.report

    def diagnose(self) -> list[Diagnosis]:
        return diagnose(self.simulation)

    def _starts_at_home(self, joint: str) -> bool:
        return self.settings.start == "HOME" and joint not in self._initial_q

    @property
    def frames_done(self) -> int:
        return int(np.searchsorted(self._inputs.indices_of(self.frames), self.simulation.frames_done))

    def _move(self) -> Iterator[None]:
        for _ in self.simulation.parts(len(self._inputs.frames)):
            yield
        if self._initial_state.X_WL:
            self.notes += self._notes_on_displaced_starts()

    def _motion(self) -> Motion:
        """Return the motion, preceded by that of the animation before it."""
        motion, initial_state = super()._motion(), self._initial_state
        if not len(initial_state.frames):
            return motion
        before = values_of_poses(self.model.acting_at(0.0), initial_state.before, motion.values)
        return Motion(
            np.concatenate([initial_state.frames, motion.frames]),
            {name: np.vstack([initial_state.before[name], poses]) for name, poses in motion.poses.items()},
            {name: np.vstack([before[name], values]) for name, values in motion.values.items()},
            motion.broken,
            len(initial_state.frames),
        )

    def _notes_on_displaced_starts(self) -> list[str]:
        """Return a note about the link that starts farthest from its pose, because joints do not allow that pose."""
        found = []
        for number, name in enumerate(self.trajectory.link_names):
            own_pose, starts = self._initial_state.X_WL.get(name), tuple(self.trajectory.X_WL[0, number].tolist())
            if own_pose is None:  # the scene's ground, which is no object
                continue
            distance = norm(tuple(np.subtract(starts[:3], own_pose[:3]).tolist()))
            w, x, y, z = own_pose[3:]
            turn = norm(rotvec_of_quat(quat_mul(starts[3:], (w, -x, -y, -z))))
            if max(distance / max(1.0, norm(own_pose[:3])), turn) > START_TOLERANCE:
                found.append((max(distance, turn), name, distance, turn))
        if not found:
            return []
        _, name, distance, turn = max(found)
        others = f", and {len(found) - 1} more do not either" if len(found) > 1 else ""
        return [
            f"link '{name}' does not start where it stands, but {length_in_words(self.scene, distance)} and "
            f"{np.degrees(turn):.3g}° from there, as its joints have it{others}: put it back to its joint"
        ]
