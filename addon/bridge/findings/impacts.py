# SPDX-License-Identifier: GPL-3.0-or-later
"""Count the impacts of a scene's last motion as animators do: one for each pair of links and frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .last_run import Run


class StrongImpact(NamedTuple):
    """The impacts between two links in one frame.

    Attributes:
        frame: of the scene, rounded to the nearest whole frame.
        first, second: names of the links, in alphabetical order.
        impulse: magnitude of the sum over all contact points [N s].
    """

    frame: int
    first: str
    second: str
    impulse: float


def strong_impacts(run: Run, least: float = 0.0) -> list[StrongImpact]:
    """Return the impacts of a motion, ordered by time.

    Args:
        least: smallest impulse that is included [N s].
    """
    table = run.trajectory.impacts
    if table is None:
        return []
    frames = np.rint(run.first + run.fps * (table.time - run.trajectory.times[0])).astype(int)
    found: dict[tuple[int, str, str], np.ndarray] = {}
    for number, frame in enumerate(frames.tolist()):
        a, b = str(table.first[number]), str(table.second[number])
        impulse = table.impulse[number]
        first, second = sorted((a, b))
        key = frame, first, second
        found[key] = found.get(key, np.zeros(3)) + (impulse if first == a else -impulse)
    strong_impacts = [StrongImpact(*key, float(np.linalg.norm(total))) for key, total in found.items()]
    return [impact for impact in strong_impacts if impact.impulse >= least]
