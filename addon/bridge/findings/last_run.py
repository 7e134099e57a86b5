# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the last motion of each scene for graphs. It contains numbers and names, and no object of Blender's."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

import bpy
import numpy as np

if TYPE_CHECKING:
    from ....core.model import Model
    from ....core.trajectory.trajectory import Trajectory


TouchingLinks = dict[int, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Run:
    """A motion with its frames in the scene.

    Attributes:
        first: the frame at which its time is 0. fps: frames per second.
        number: a serial number, new for each motion that is kept.
        touching: contact points [m] and contact forces [N], both of shape (K, 3), by frame number of the motion. It is
            used if the trajectory does not contain them.
    """

    model: Model
    trajectory: Trajectory
    first: float
    fps: float
    number: int
    touching: TouchingLinks = field(default_factory=dict)

    def number_at(self, frame: float) -> int | None:
        """Return the index of the motion's frame nearest to a scene frame; None if the motion does not cover it."""
        numbers = self.frames
        if not len(numbers) or not numbers[0] - 0.5 <= frame <= numbers[-1] + 0.5:
            return None
        return int(np.abs(numbers - frame).argmin())

    def touching_at(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return contact points [m] and contact forces [N] at a frame of the motion, both of shape (K, 3)."""
        if number in self.touching:
            return self.touching[number]
        if self.trajectory.contacts is None:
            return np.zeros((0, 3)), np.zeros((0, 3))
        found = self.trajectory.contacts.at(number)
        return found.point, found.force

    @property
    def strongest(self) -> float:
        """The largest contact force of the motion so far [N]; 0 if there was no contact."""
        tables = [forces for _, forces in self.touching.values()]
        if self.trajectory.contacts is not None:
            tables.append(self.trajectory.contacts.force)
        forces = np.concatenate([np.zeros((1, 3)), *tables])  # together, since Play asks for this in each frame
        return float(np.linalg.norm(forces, axis=1).max())

    @property
    def frames(self) -> np.ndarray:
        """The scene frames of the motion, shape (F,)."""
        return self.first + self.fps * self.trajectory.times


_runs: dict[int, Run] = {}
"""The last motions, by session uid of the scene."""

_numbers = count(1)


def store_run(
    scene: bpy.types.Scene,
    model: Model,
    trajectory: Trajectory,
    first: float,
    fps: float,
    touching: TouchingLinks | None = None,
) -> None:
    """Store a motion in place of the last one.

    Nothing is copied or computed, so that this may be called at each frame.
    """
    _runs[scene.session_uid] = Run(model, trajectory, first, fps, next(_numbers), touching or {})


def last_run(scene: bpy.types.Scene) -> Run | None:
    """Return the last motion; None if there is none since the file was opened or since the last undo."""
    return _runs.get(scene.session_uid)


def restore_run(scene: bpy.types.Scene, run: Run | None) -> None:
    """Restore a motion that `last_run` returned earlier; None removes the last motion."""
    if run is None:
        _runs.pop(scene.session_uid, None)
    else:
        _runs[scene.session_uid] = run


def forget_run(scene: bpy.types.Scene) -> None:
    """Drop the last motion of a scene, for example when its bake is cleared."""
    _runs.pop(scene.session_uid, None)


def forget_runs() -> None:
    """Drop the last motions of all scenes, for example after an undo or when another file was opened."""
    _runs.clear()
