# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the frame at which a link that was animated by hand is let go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import bpy
import numpy as np

from ...bridge.animation.replaced_keys import frames_of_keys
from ...bridge.values.numbers import frame_rate
from ...nodes import Node
from ..receipts.restore import without_bake
from .sampling import poses_at

STOPPING_SPEED_RATIO = 0.1
"""Speed at the last key, as a part of the largest speed, below which the keys count as coming to a stop there."""


@dataclass(frozen=True)
class Release:
    """The moment at which links that were animated by hand are let go.

    Attributes:
        frame: at which links are let go. speed: of the fastest of them there [m/s]. last: the frame of the last key.
    """

    frame: int
    speed: float
    last: int


def find_release(scene: bpy.types.Scene, objects: Mapping[str, Node]) -> Release | None:
    """Return the release from which a simulation continues the keys of links; None if they have none.

    It is the last key. If the links slow down to a stop there, as is usual for keys made by hand, it is the frame at
    which the fastest of the links has its largest speed.

    Args:
        objects: links, by name.
    """
    with without_bake(scene):
        keyed = {name: frames for name, obj in objects.items() if (frames := frames_of_keys(obj)) is not None}
        if not keyed:
            return None
        first = int(np.floor(min(begin for begin, _ in keyed.values())))
        last = int(np.floor(max(end for _, end in keyed.values())))
        frames = np.arange(first, last + 1)
        places = poses_at(scene, {name: objects[name] for name in keyed}, frames)
        speeds = np.max([_speeds(poses[:, :3], frame_rate(scene)) for poses in places.values()], axis=0)
        fastest = int(np.argmax(speeds))
        chosen = len(frames) - 1 if speeds[-1] >= STOPPING_SPEED_RATIO * speeds[fastest] else fastest
        return Release(int(frames[chosen]), float(speeds[chosen]), last)


def _speeds(places: np.ndarray, rate: float) -> np.ndarray:
    """Return the speed of a point at each frame [m/s], shape (F,), from that frame and those before it.

    It is the derivative of the parabola through a frame and the two before it, or of a line at the second frame.

    Args:
        places: shape (F, 3) [m]. rate: frames per second.
    """
    speeds = np.zeros(len(places))
    steps = np.diff(places, axis=0) * rate
    for frame in range(1, len(places)):
        step = steps[frame - 1] if frame == 1 else 1.5 * steps[frame - 1] - 0.5 * steps[frame - 2]
        speeds[frame] = float(np.sqrt(np.sum(step * step)))
    return speeds
