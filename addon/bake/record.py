# SPDX-License-Identifier: GPL-3.0-or-later
"""Record the motion of a scene's links as a trajectory, independent of its source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ...core.characters.skins import Character
from ...core.trajectory.completion.observation import Observed, of_poses
from ..bridge.links.contact_settings import ground_poses
from ..bridge.scene.read import scan_scene
from ..bridge.skins.recorded_skins import SkinRecorder
from ..bridge.values.numbers import frame_rate
from .errors import BakeError
from .inputs.animated_links import with_animated_links
from .inputs.sampling import poses_at
from .settings import settings_of

REPORTED_GAP = 1e-4
"""Largest gap between links and their joints that is not reported [m or rad]."""


def recorded(
    scene: bpy.types.Scene,
    only_moving: bool = False,
    skins: SkinRecorder | None = None,
    **changes,
) -> tuple[Observed, list[str]]:
    """Return the motion of the scene's links over its frames, and notes for the user.

    Args:
        only_moving: whether to leave out the frames at the end in which nothing moves.
        skins: records all frames, also those that are left out; its motion belongs to the recording.
        changes: first, last and step, as in `BakeSettings`, in place of the scene's own; None keeps the scene's.

    Raises:
        ModelError, BakeError: if the scene cannot be read, or has no links or no frames.
    """
    settings = settings_of(scene, **changes)
    reading = scan_scene(scene, first=settings.first)
    if not reading.objects:
        raise BakeError("there are no links in the scene: select objects and tag them as links")
    poses = poses_at(scene, reading.objects, settings.frames, skins)
    model = with_animated_links(reading, {name: poses[name] for name in reading.kinematic_joints})
    poses |= {
        name: np.tile(pose, (len(settings.frames), 1)) for name, pose in ground_poses(model, reading.objects).items()
    }
    moves = np.stack(list(poses.values()), axis=1)
    count = _moving_frames([moves, *(skins.motions() if skins else ())]) if only_moving else len(moves)
    times = (settings.frames[:count] - settings.first) / frame_rate(scene)
    observed = of_poses(model, times, moves[:count], list(poses))
    notes = list(reading.notes)
    if count < len(moves):
        end, last = (f"{frame:g}" for frame in (settings.frames[count - 1], settings.last))
        notes.append(f"nothing moves after frame {end}, where the recording ends; --frames goes on to {last}")
    if observed.gap > REPORTED_GAP:
        notes.append(
            f"joint '{observed.joint}' is {observed.gap:.3g} (m or rad) from where the motion has its links: "
            "its values are the nearest ones"
        )
    return observed, notes


class Played(NamedTuple):
    """A motion with the skins of its characters, for files that show it.

    Attributes:
        observed, notes: as `recorded` returns them.
        characters: in the frames of the motion.
        losses: a line for each skin that Blender shows differently.
    """

    observed: Observed
    notes: list[str]
    characters: list[Character]
    losses: list[str]


def recorded_with_skins(scene: bpy.types.Scene, only_moving: bool = False, **changes) -> Played:
    """Return the motion of the scene's links over its frames, and the meshes that bones among these links deform.

    Args:
        only_moving, changes: as for `recorded`.

    Raises:
        ModelError, BakeError: as `recorded` does.
    """
    recorder = SkinRecorder(scene)
    observed, notes = recorded(scene, only_moving, recorder, **changes)
    return Played(observed, notes, recorder.characters(len(observed.trajectory)), recorder.losses)


def _moving_frames(motions: Sequence[np.ndarray]) -> int:
    """Return the number of frames up to the last change; all frames if there is no change.

    Args:
        motions: numbers in each frame, shape (F, …) each.
    """
    numbers = np.hstack([motion.reshape(len(motion), -1) for motion in motions])
    changes = np.flatnonzero((numbers[1:] != numbers[:-1]).any(axis=1))
    return int(changes[-1]) + 2 if len(changes) else len(numbers)
