# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion as time samples of transforms."""

from __future__ import annotations

import numpy as np

from ....trajectory.trajectory import Trajectory
from .usda import Prim

FILM = 24.0
"""Frames per second of a motion of one frame."""


class TimeSamples:
    """The poses of links in the frames of a motion.

    Attributes:
        codes: the time code of each frame.
        poses: of each link, shape (F, 7). Signs of quaternions do not jump, so that players may interpolate.
    """

    def __init__(self, motion: Trajectory):
        self.codes: list[float] = (motion.times * frame_rate(motion)).tolist()
        self.poses = {name: continuous(motion.X_WL[:, number]) for number, name in enumerate(motion.link_names)}

    def animate(self, prim: Prim, link: str) -> None:
        """Set the transform of a link's prim in each frame."""
        rows = dict(zip(self.codes, self.poses[link].tolist(), strict=True))
        prim.animate("double3", "xformOp:translate", {code: tuple(row[:3]) for code, row in rows.items()})
        prim.animate("quatd", "xformOp:orient", {code: tuple(row[3:]) for code, row in rows.items()})
        prim.order()


def continuous(poses: np.ndarray) -> np.ndarray:
    """Return poses, shape (F, 7), in which each quaternion is less than half a turn of 4-space from the one before."""
    found = poses.copy()
    flips = np.where((found[1:, 3:] * found[:-1, 3:]).sum(axis=1) < 0.0, -1.0, 1.0)
    found[1:, 3:] *= np.cumprod(flips)[:, None]
    return found


def frame_rate(motion: Trajectory) -> float:
    """Return the frames per second of a motion."""
    steps = len(motion.times) - 1
    length = float(motion.times[-1] - motion.times[0]) if steps > 0 else 0.0
    return round(steps / length, 6) if length > 0.0 else FILM


def time_metadata(motion: Trajectory) -> dict[str, float]:
    """Return the metadata of a stage with a motion."""
    rate = frame_rate(motion)
    ends = {"startTimeCode": float(motion.times[0]) * rate, "endTimeCode": float(motion.times[-1]) * rate}
    return {"timeCodesPerSecond": rate, "framesPerSecond": rate} | ends
