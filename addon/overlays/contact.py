# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw contact points and forces at the shown frame: a cross at each point, and a line for its force.

The longest line is that of the largest force so far, in Play or in the last bake.
"""

from __future__ import annotations

import math

import numpy as np

from ..bridge.findings.last_run import Run, last_run
from ..bridge.values.numbers import unit_length
from ..props.settings import scene_settings
from .lines import Lines

CROSS_HALF_SIZE = 0.12
"""Half the size of a cross, relative to the typical size of a link."""

LONGEST_LINE = 1.5
"""Length of the longest line of a force, relative to the typical size of a link."""

_cache_key: tuple = ()
_lines: Lines | None = None


def forget() -> None:
    global _cache_key, _lines
    _cache_key, _lines = (), None


def draw(context, style) -> None:
    global _cache_key, _lines
    run = last_run(context.scene)
    if not style.show_contacts or run is None or not scene_settings(context.scene).contact:
        return
    color, unit = tuple(style.contact_color), unit_length(context.scene)
    wanted = (run.number, context.scene.frame_current_final, style.size, color, unit)
    if wanted != _cache_key:
        points = segments(run, context.scene.frame_current_final, style.size) / unit
        _cache_key, _lines = wanted, Lines(points, color)
    if _lines:
        _lines.draw(2.0 * style.width)


def segments(run: Run, frame: float, size: float = 1.0) -> np.ndarray:
    """Return the segments of contact points and forces at a scene frame [m], shape (n, 2, 3)."""
    number = run.number_at(frame)
    points, forces = (np.zeros((0, 3)), np.zeros((0, 3))) if number is None else run.touching_at(number)
    if not len(points):
        return np.zeros((0, 2, 3))
    typical = size * _typical_size(run)
    crosses = points[:, None, None] + CROSS_HALF_SIZE * typical * np.stack([-np.eye(3), np.eye(3)], axis=1)
    strongest = run.strongest
    ends = points + (LONGEST_LINE * typical / strongest if strongest else 0.0) * forces
    return np.concatenate([crosses.reshape(-1, 2, 3), np.stack([points, ends], axis=1)])


def _typical_size(run: Run) -> float:
    """Return the median radius of gyration of the links that have mass [m]."""
    radii = [
        math.sqrt(max(link.inertia[0] + link.inertia[3] + link.inertia[5], 0.0) / (2.0 * link.mass))
        for link in run.model.links
        if link.mass > 0.0
    ]
    return float(np.median(radii)) if radii else 1.0
