# SPDX-License-Identifier: GPL-3.0-or-later
"""The last motion of each scene, for graphs of it: numbers and names, and no object of Blender's."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

import bpy
import numpy as np

if TYPE_CHECKING:
    from ...core.model import Model
    from ...core.trajectory.trajectory import Trajectory


Touching = dict[int, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Run:
    """A motion, and when it takes place.

    Attributes:
        first: the frame at which its time is 0. fps: frames in a second.
        number: another one each time that a motion is kept.
        touching: by the numbers of frames, the points in which links touch and the forces there, both of shape (K, 3)
            [m, N], where these come beside the trajectory.
    """

    model: Model
    trajectory: Trajectory
    first: float
    fps: float
    number: int
    touching: Touching = field(default_factory=dict)

    def number_at(self, frame: float) -> int | None:
        """Which of the motion's frames is the scene's; None where the motion does not last so long."""
        numbers = self.frames
        if not len(numbers) or not numbers[0] - 0.5 <= frame <= numbers[-1] + 0.5:
            return None
        return int(np.abs(numbers - frame).argmin())

    def touching_at(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """As in `touching`."""
        if number in self.touching:
            return self.touching[number]
        if self.trajectory.contacts is None:
            return np.zeros((0, 3)), np.zeros((0, 3))
        found = self.trajectory.contacts.at(number)
        return found.point, found.force

    @property
    def strongest(self) -> float:
        """The largest force in a point so far [N]; 0 where nothing has touched."""
        tables = [forces for _, forces in self.touching.values()]
        if self.trajectory.contacts is not None:
            tables.append(self.trajectory.contacts.force)
        return max((float(np.linalg.norm(forces, axis=1).max()) for forces in tables if len(forces)), default=0.0)

    @property
    def frames(self) -> np.ndarray:
        """Of the scene, those of the motion, shape (F,)."""
        return self.first + self.fps * self.trajectory.times


_runs: dict[int, Run] = {}
"""By the scene's session uid."""

_numbers = count(1)


def keep_run(
    scene: bpy.types.Scene,
    model: Model,
    trajectory: Trajectory,
    first: float,
    fps: float,
    touching: Touching | None = None,
) -> None:
    """In the place of the one before. Nothing is copied or worked out, so that this may be called for each frame."""
    _runs[scene.session_uid] = Run(model, trajectory, first, fps, next(_numbers), touching or {})


def last_run(scene: bpy.types.Scene) -> Run | None:
    """None where there is none since the file was opened, or something was undone."""
    return _runs.get(scene.session_uid)


def put_run(scene: bpy.types.Scene, run: Run | None) -> None:
    """Have a motion again that `last_run` gave before, or none."""
    if run is None:
        _runs.pop(scene.session_uid, None)
    else:
        _runs[scene.session_uid] = run


def forget_run(scene: bpy.types.Scene) -> None:
    """Of one scene, as when its bake is cleared."""
    _runs.pop(scene.session_uid, None)


def forget_runs() -> None:
    """Of all scenes, as after an undo or when another file is open."""
    _runs.clear()
