# SPDX-License-Identifier: GPL-3.0-or-later
"""What touched at each frame, a line for each pair of solids.

It is kept of every run, since what went wrong is asked for afterwards. So it is small: where solids touch in four
corners, one line has all four.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..contact.points import POINTS
from ..jit import jitable, kernel, subroutine
from ..slots import Bundled
from ..spatial import add, cross, dot, rotate, scale, sub
from ..spatial.storage import get3, get9, get_pair, put3
from .ground import Ground
from .system import System

TOUCH = np.dtype(
    [
        ("frame", np.int64),
        ("first", np.int64),  # solids
        ("second", np.int64),
        ("depth", np.float64),  # of the deepest point; below 0 where they do not quite touch [m]
        ("slip", np.float64),  # of the second's surface against the first's, belts included, the points' mean [m/s]
        ("load", np.float64),  # along the normals, of all points [N]
        ("press", np.float64, 3),  # that on the second, in world axes [N]
        ("drag", np.float64, 3),  # friction on the second [N]
        ("lost", np.float64),  # to friction [W]
        ("points", np.int64),
    ],
    align=True,
)

LINES_AT_FIRST = 64
"""Before more room is made."""


class Log(Bundled, namedtuple("Log", "solids surfaces lines")):
    """What `log_touches` reads and writes: those of a `Ground`, and TOUCH records."""


class TouchLog:
    """Keeps what touches, frame by frame.

    Args:
        ground: all that may touch, of which solids and surfaces are read.
    """

    def __init__(self, ground: Ground):
        self._log, self._count = Log(ground.solids, ground.surfaces, _blank(LINES_AT_FIRST)), 0

    def add(self, system: System, frame: int) -> None:
        """Keep a frame, of which bodies are placed and moved, and points have their loads."""
        if not system.touch.count[POINTS]:
            return
        while (count := log_touches(system, self._log, self._count, frame)) < 0:
            more = _blank(2 * len(self._log.lines))
            more[: self._count] = self.lines
            self._log = self._log._replace(lines=more)
        self._count = count

    @property
    def lines(self) -> np.ndarray:
        """TOUCH records, frame by frame, in the order of pairs."""
        return self._log.lines[: self._count].view(np.ndarray)

    def rewind(self, frames: int) -> None:
        """Forget all from a frame's number on."""
        self._count = int(np.searchsorted(self.lines["frame"], frames))


def _blank(count: int) -> np.recarray:
    return np.zeros(count, TOUCH).view(np.recarray)


@kernel
def log_touches(system, log, begin, frame):
    """Write a frame's TOUCH records from number `begin` on. Returns the number after the last, or -1 for want of room.

    system: its bodies placed and moved, its points with loads.
    """
    lines, end = log.lines, begin
    for p in range(system.touch.count[POINTS]):
        point = system.touch.points[p]
        if point.load > 0.0:
            k = line_of(lines, begin, end, point.first, point.second)
            if k == end or lines[k].first != point.first or lines[k].second != point.second:
                if end == lines.shape[0]:
                    return -1
                insert_line(lines, k, end, frame, point)
                end += 1
            add_point(system, log, point, lines[k])
    for k in range(begin, end):
        lines[k].slip /= lines[k].points
    return end


@jitable
def line_of(lines, begin, end, first, second):
    """Where a pair's line is among those of a frame, or where it is to be; pairs mostly come in their order."""
    k = end
    while k > begin:
        before = lines[k - 1]
        if before.first < first or (before.first == first and before.second < second):
            break
        k -= 1
    return k


@subroutine
def insert_line(lines, k, end, frame, point):
    """Make the line number k that of a point's pair, still without it; the lines from there on move up."""
    for j in range(end, k, -1):
        lines[j] = lines[j - 1]
    line = lines[k]
    line.frame, line.first, line.second, line.points = frame, point.first, point.second, 0
    line.depth, line.slip, line.load, line.lost = -math.inf, 0.0, 0.0, 0.0
    put3(line.press, (0.0, 0.0, 0.0))
    put3(line.drag, (0.0, 0.0, 0.0))


@subroutine
def add_point(system, log, point, line):
    """Add what acts in a point to its pair's line, of which `slip` is the sum yet, and not the mean."""
    normal, force, place = get3(point.normal), get3(point.force), get3(point.place)
    spin, velocity = surface_motion(system, log, point.second, place)
    other_spin, other_velocity = surface_motion(system, log, point.first, place)
    velocity = sub(velocity, other_velocity)
    across = sub(velocity, scale(normal, dot(normal, velocity)))
    line.points += 1
    line.depth = max(line.depth, -point.gap)
    line.slip += math.sqrt(dot(across, across))
    line.load += point.load
    line.lost -= dot(force, velocity) + dot(get3(point.torque), sub(spin, other_spin))
    put3(line.press, add(get3(line.press), scale(normal, point.load)))
    put3(line.drag, add(get3(line.drag), force))


@subroutine
def surface_motion(system, log, solid, place):
    """(how a solid turns, how its surface moves at a place), belts included, in world axes [rad/s, m/s]."""
    body = system.work.bodies[log.solids[solid].body]
    turning, sliding = get_pair(body.velocity)
    moved = add(sliding, cross(turning, sub(place, get3(body.origin))))
    return turning, add(moved, rotate(get9(body.rotation), get3(log.surfaces[solid].belt)))
