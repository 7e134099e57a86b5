"""What a scene's links do, however they are moved, as a trajectory."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ...core.trajectory import Observed, of_poses
from ..bridge import frame_rate, scan_scene, unit_length
from ..bridge.live import poses_now
from ..bridge.posing import seen_by
from .errors import BakeError
from .sampling import at_frames
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
    names = list(reading.objects)
    X_WL = np.empty((len(settings.frames), len(names), 7))
    for number, depsgraph in at_frames(scene, settings.frames):
        poses = poses_now(reading.objects, unit_length(scene), seen_by(depsgraph))
        X_WL[number] = [poses[name] for name in names]
    times = (settings.frames - settings.first) / frame_rate(scene)
    held = set(reading.leads.values())  # which only say where links that lead were drawn
    model = replace(reading.model, joints=[joint for joint in reading.model.joints if joint.name not in held])
    observed = of_poses(model, times, X_WL, names)
    notes = list(reading.notes)
    if observed.gap > OPEN:
        notes.append(
            f"joint '{observed.joint}' is {observed.gap:.3g} (m or rad) from where the motion has its links: "
            "its values are the nearest ones"
        )
    return observed, notes
