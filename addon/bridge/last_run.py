"""The last motion of each scene, for graphs of it: numbers and names, and no object of Blender's."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import bpy
import numpy as np

if TYPE_CHECKING:
    from ...core.model import Model
    from ...core.trajectory.trajectory import Trajectory


@dataclass(frozen=True)
class Run:
    """A motion, and when it takes place.

    Attributes:
        first: the frame at which its time is 0. fps: frames in a second.
        number: another one each time that a motion is kept.
    """

    model: Model
    trajectory: Trajectory
    first: float
    fps: float
    number: int

    @property
    def frames(self) -> np.ndarray:
        """Of the scene, those of the motion, shape (F,)."""
        return self.first + self.fps * self.trajectory.times


_runs: dict[int, Run] = {}
"""By the scene's session uid."""

_numbers = count(1)


def keep_run(scene: bpy.types.Scene, model: Model, trajectory: Trajectory, first: float, fps: float) -> None:
    """In the place of the one before. Nothing is copied or worked out, so that this may be called for each frame."""
    _runs[scene.session_uid] = Run(model, trajectory, first, fps, next(_numbers))


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
