# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed lines along the borders of polygons, and the circles and straight edges among them."""

from __future__ import annotations

import math

import numpy as np

from ...spatial.arrays import angle_of, dot, matmul, norm
from .fits import Fit
from .tolerances import COARSE_FACET, UNEVEN, WIDEST_FACET
from .topology import Topology

STRAIGHT = math.radians(0.1)
"""Largest angle [rad] by which a line turns at a point where it counts as straight."""
LONGER = 2.0
"""Ratio of the lengths of two neighbouring straight runs above which the corner between them is not a facet's end."""


def loop_through(mesh: Topology, border: np.ndarray, corner: int) -> list[int]:
    """Return the vertices of the closed line of border edges through the corner's edge.

    If the line does not close, return its vertices up to its end.

    Args:
        border: corners whose edges surround polygons.
        corner: one of them.
    """
    leaving: dict[int, list[int]] = {}
    for start, end in zip(mesh.corners[border].tolist(), mesh.ends[border].tolist(), strict=True):
        leaving.setdefault(start, []).append(end)
    first, at = int(mesh.corners[corner]), int(mesh.ends[corner])
    leaving.get(first, [at]).remove(at)
    loop = [first]
    while at != first:
        loop.append(at)
        if not leaving.get(at):
            break
        at = leaving[at].pop()
    return loop


def without_straight_points(points: np.ndarray) -> np.ndarray:
    """Return the points of a closed line at which it turns."""
    return points[_turns(points) > STRAIGHT]


def _turns(points: np.ndarray) -> np.ndarray:
    """Return the angle by which a closed line turns at each point [rad], shape (n,)."""
    before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    return angle_of(norm(np.cross(before, after)), dot(before, after))


def is_regular_circle(points: np.ndarray, fit: Fit) -> bool:
    """Return whether the closed line goes once around the circle in steps that are short or of similar width."""
    arms = points - fit.origin
    following = np.roll(arms, -1, axis=0)
    steps = angle_of(matmul(np.cross(arms, following), fit.direction), dot(arms, following))
    widths = np.abs(steps)
    coarse = max(UNEVEN * float(np.median(widths)), COARSE_FACET)
    return abs(abs(steps.sum()) - math.tau) < 0.1 and bool(widths.max() < min(coarse, WIDEST_FACET))


def edges_between_corners(
    points: np.ndarray, loop: list[int], start: int, crease: float, anyhow: bool = False
) -> list[int] | None:
    """Return the vertices of the straight run of a closed line that contains the edge from vertex `start` on.

    Return None if the run looks like a facet of a curve: it ends at an obtuse corner beyond which a run of similar
    length follows. Return None also if the line has fewer than three corners, or does not contain `start`.

    Args:
        points: all points of the mesh, shape (n, 3).
        loop: vertices of the closed line.
        start: vertex at which the edge begins.
        crease: angle [rad] above which a corner is sharp.
        anyhow: whether to return a run that looks like a facet of a curve, too.
    """
    if start not in loop:
        return None
    at = loop.index(start)
    turned = np.array(loop[at:] + loop[:at])
    line = points[turned]
    turns = _turns(line)
    bends = np.flatnonzero(turns > STRAIGHT)
    if len(bends) < 3:
        return None
    after = next((k for k, bend in enumerate(bends.tolist()) if bend > 0), 0)
    first, last = int(bends[after - 1]), int(bends[after])
    run = np.arange(first - len(turned) if first > 0 else 0, last + 1 if last else 1) % len(turned)
    lengths = norm(line[bends] - line[np.roll(bends, 1)])  # of the run that ends at each bend
    own, before, beyond = lengths[after], lengths[after - 1], lengths[(after + 1) % len(bends)]
    for end, neighbour in ((first, before), (last, beyond)):
        is_corner = turns[end] > crease or own > LONGER * neighbour or neighbour > LONGER * own
        if not (is_corner or anyhow):
            return None
    return turned[run].tolist()
