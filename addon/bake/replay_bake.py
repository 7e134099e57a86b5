# SPDX-License-Identifier: GPL-3.0-or-later
"""`ReplayBake`: bake a motion from a file as a simulated one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import bpy
import numpy as np

from ...core.trajectory.completion.completion import completed
from ...core.trajectory.errors import TrajectoryError
from ...core.trajectory.resampling import resampled
from ...core.trajectory.trajectory import Trajectory
from ..bridge.scene.read import SceneReading
from ..bridge.values.numbers import frame_range, frame_rate
from .baking import Bake
from .errors import BakeError
from .inputs.animated_links import sample_animated_links, with_animated_links
from .inputs.sampling import Poses
from .settings import settings_of


class ReplayBake(Bake):
    """A bake of a trajectory from its first time on; see `Bake`. Animated links follow their animation instead.

    Args:
        trajectory: of all or some of the scene's links or joints.
        source: the name of its file.
        reading: as for `Bake`.
        changes: as for `SimulationBake`. By default, it takes as many frames as the trajectory.

    Raises:
        ModelError, BakeError: if the scene cannot be baked as it is; from `step`, if the motion belongs to another
            model.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        trajectory: Trajectory,
        source: str,
        reading: SceneReading | None = None,
        **changes,
    ):
        first = frame_range(scene)[0] if changes.get("first") is None else changes["first"]
        length = float(trajectory.times[-1] - trajectory.times[0])
        last = first + int(np.ceil(length * frame_rate(scene) - 1e-6))
        own = {"first": first, "last": last, "start": "HOME"}
        super().__init__(
            scene, settings_of(scene, **own | {k: v for k, v in changes.items() if v is not None}), reading
        )
        self.source = source
        self._input = trajectory
        self._completed: Trajectory | None = None

    @property
    def trajectory(self) -> Trajectory:
        assert self._completed is not None
        return self._completed

    @property
    def frames_done(self) -> int:
        return 0 if self._completed is None else len(self._completed)

    def _move(self) -> Iterator[None]:
        times = self._input.times[0] + (self.frames - self.first) / self.fps
        animated_poses = sample_animated_links(self.scene, self.reading, self.frames)
        motion = _with_animated_poses(resampled(self._input, times), animated_poses)
        try:
            whole = completed(motion, with_animated_links(self.reading, animated_poses))
        except TrajectoryError as error:
            raise BakeError(f"{self.source}: {error}") from error
        self._completed = whole.trajectory
        self.notes += whole.notes
        yield


def _with_animated_poses(motion: Trajectory, animated_poses: Poses) -> Trajectory:
    """Return the motion with animated links at the poses of their animation, instead of those of the file."""
    recorded = [number for number, name in enumerate(motion.link_names) if name not in animated_poses]
    rows = [motion.X_WL[:, recorded], *(poses[:, None] for poses in animated_poses.values())]
    names = (*(motion.link_names[number] for number in recorded), *animated_poses)
    own = [number for number, (name, _) in enumerate(motion.q_names) if name.rpartition(".")[0] not in animated_poses]
    q_names = tuple(motion.q_names[number] for number in own)
    return replace(motion, link_names=names, X_WL=np.concatenate(rows, axis=1), q_names=q_names, q=motion.q[:, own])
