"""What a scene's links do, however they are moved, as a trajectory."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.trajectory.observation import Observed, of_poses
from ..bridge.numbers import frame_rate
from ..bridge.read import scan_scene
from .errors import BakeError
from .leading import let_lead
from .sampling import poses_at
from .settings import settings_of

OPEN = 1e-4
"""m or rad by which links may be off their joints untold."""


def recorded(scene: bpy.types.Scene, **changes) -> tuple[Observed, list[str]]:
    """The motion of the scene's links over its frames, and what the user should know of it.

    Args:
        changes: to the scene's own first, last and step, as in `BakeSettings`.

    Raises:
        ModelError, BakeError: the scene cannot be read, has no links, or no frames.
    """
    settings = settings_of(scene, **changes)
    reading = scan_scene(scene, first=settings.first)
    if not reading.objects:
        raise BakeError("there are no links in the scene: select objects and tag them as links")
    poses = poses_at(scene, reading.objects, settings.frames)
    model = let_lead(reading, {name: poses[name] for name in reading.leads})
    times = (settings.frames - settings.first) / frame_rate(scene)
    observed = of_poses(model, times, np.stack(list(poses.values()), axis=1), list(poses))
    notes = list(reading.notes)
    if observed.gap > OPEN:
        notes.append(
            f"joint '{observed.joint}' is {observed.gap:.3g} (m or rad) from where the motion has its links: "
            "its values are the nearest ones"
        )
    return observed, notes
