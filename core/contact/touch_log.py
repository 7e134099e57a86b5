# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of contact at each frame, one for each pair of solids.

They are kept in every run, since the doctor is asked after the run. So they are small: if solids touch at four corners,
one record sums up all four.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import jitable, kernel, subroutine
from ..spatial import add, cross, dot, rotate, scale, sub
from ..spatial.storage import get3, get9, get_pair, put3
from .collision_state import CollisionState
from .points import POINT, POINTS

TOUCH = np.dtype(
    [
        ("frame", np.int64),
        ("first", np.int64),  # numbers of the two solids
        ("second", np.int64),
        ("depth", np.float64),  # of the deepest point; negative if there is a gap [m]
        ("slip", np.float64),  # speed of the second surface along the first, belts included, mean of the points [m/s]
        ("load", np.float64),  # sum of the normal forces of all points [N]
        ("press", np.float64, 3),  # normal force on the second, in world axes [N]
        ("drag", np.float64, 3),  # friction force on the second, in world axes [N]
        ("lost", np.float64),  # power that friction removes [W]
        ("points", np.int64),  # number of contact points
    ],
    align=True,
)

REPORTED = np.dtype(
    [(name, POINT[name]) for name in ("first", "second", "position", "normal", "gap", "load", "force", "torque")],
    align=True,
)
"""The fields of a POINT that tell of a contact: a tenth of the record."""

LINES_AT_FIRST = 64
"""Number of records for which there is room at first."""

LINE_COUNT, REPORTED_COUNT, ROOM = range(3)
"""Indices in `Log.counts`: of the records, of the points of the last frame, and of the room that a frame may need."""


class Log(KernelTuple, namedtuple("Log", "solids surfaces lines reported counts")):
    """The arrays that kernels read and write.

    Attributes:
        solids, surfaces: those of a `CollisionState`.
        lines: TOUCH records. reported: REPORTED records of the last frame. counts: see LINE_COUNT, shape (3,).
    """


def make_log(collisions: CollisionState, room: int) -> Log:
    """Return a log without records. room: number of records for which there is room."""
    return Log(collisions.solids, collisions.surfaces, _blank(room, TOUCH), _blank(room, REPORTED), np.zeros(3, int))


class TouchLog:
    """The records of contact of a motion, frame by frame.

    Args:
        collisions: the solids that may touch, and their surfaces.
    """

    def __init__(self, collisions: CollisionState):
        self._log = make_log(collisions, LINES_AT_FIRST)

    def add(self, points: np.recarray, bodies: np.recarray, frame: int) -> None:
        """Add the records of a frame. points: POINT records with loads. bodies: BODY_WORK records with velocities."""
        self._log.counts[ROOM] = len(points)
        log_touches(points, bodies, self.arrays(), frame)

    def arrays(self) -> Log:
        """Return the arrays, with room for as many points as the last frame needs or lacked room for."""
        log, needed = self._log, int(self._log.counts[ROOM])
        if len(log.lines) < log.counts[LINE_COUNT] + needed:
            lines = _blank(max(2 * len(log.lines), int(log.counts[LINE_COUNT]) + needed), TOUCH)
            lines[: log.counts[LINE_COUNT]] = self.lines
            self._log = log._replace(lines=lines)
        if len(log.reported) < needed:
            self._log = self._log._replace(reported=_blank(max(2 * len(log.reported), needed), REPORTED))
        return self._log

    @property
    def lines(self) -> np.ndarray:
        """TOUCH records, frame by frame, in the order of pairs."""
        return self._log.lines[: self._log.counts[LINE_COUNT]].view(np.ndarray)

    @property
    def reported(self) -> np.ndarray:
        """A copy of the REPORTED records of the last frame that a kernel has logged."""
        return self._log.reported[: self._log.counts[REPORTED_COUNT]].view(np.ndarray).copy()

    def rewind(self, frames: int) -> None:
        """Remove the records from a frame on."""
        self._log.counts[LINE_COUNT] = np.searchsorted(self.lines["frame"], frames)


def _blank(count: int, kind: np.dtype) -> np.recarray:
    return np.zeros(count, kind).view(np.recarray)


@jitable
def has_room(touch, log):
    """Return whether the log has room for a frame with as many points as `touch` can have."""
    log.counts[ROOM] = touch.points.shape[0]
    return min(log.lines.shape[0] - log.counts[LINE_COUNT], log.reported.shape[0]) >= log.counts[ROOM]


@subroutine
def log_frame(touch, bodies, log, frame):
    """Write the TOUCH and REPORTED records of a frame; `has_room` must have held."""
    count = touch.count[POINTS]
    log_points(touch.points, count, bodies, log, frame)
    log.counts[REPORTED_COUNT] = count
    for p in range(count):
        point, reported = touch.points[p], log.reported[p]
        reported.first, reported.second = point.first, point.second
        reported.gap, reported.load = point.gap, point.load
        put3(reported.position, get3(point.position))
        put3(reported.normal, get3(point.normal))
        put3(reported.force, get3(point.force))
        put3(reported.torque, get3(point.torque))


@kernel
def log_touches(points, bodies, log, frame):
    """Do what `log_points` does for all points, for calls from Python."""
    log_points(points, points.shape[0], bodies, log, frame)


@subroutine
def log_points(points, count, bodies, log, frame):
    """Write a frame's TOUCH records. The log must have room for one for each point.

    points: POINT records with loads. count: how many of them count. bodies: BODY_WORK records with poses and
    velocities.
    """
    lines, begin = log.lines, log.counts[LINE_COUNT]
    end = begin
    for p in range(count):
        point = points[p]
        if point.load > 0.0:
            k = line_of(lines, begin, end, point.first, point.second)
            if k == end or lines[k].first != point.first or lines[k].second != point.second:
                insert_line(lines, k, end, frame, point)
                end += 1
            add_point(bodies, log, point, lines[k])
    for k in range(begin, end):
        lines[k].slip /= lines[k].points
    log.counts[LINE_COUNT] = end


@jitable
def line_of(lines, begin, end, first, second):
    """Return the place of a pair's record among those of a frame, or the place where it is to be inserted.

    The search begins at the end, because points mostly come in the order of pairs.
    """
    k = end
    while k > begin:
        before = lines[k - 1]
        if before.first < first or (before.first == first and before.second < second):
            break
        k -= 1
    return k


@subroutine
def insert_line(lines, k, end, frame, point):
    """Insert an empty record for a point's pair at number k. The records from there on move up by one."""
    for j in range(end, k, -1):
        lines[j] = lines[j - 1]
    line = lines[k]
    line.frame, line.first, line.second, line.points = frame, point.first, point.second, 0
    line.depth, line.slip, line.load, line.lost = -math.inf, 0.0, 0.0, 0.0
    put3(line.press, (0.0, 0.0, 0.0))
    put3(line.drag, (0.0, 0.0, 0.0))


@subroutine
def add_point(bodies, log, point, line):
    """Add the force in a point to the record of its pair. `slip` is the sum over points until the frame is finished."""
    normal, force, place = get3(point.normal), get3(point.force), get3(point.position)
    spin, velocity = surface_motion(bodies, log, point.second, place)
    other_spin, other_velocity = surface_motion(bodies, log, point.first, place)
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
def surface_motion(bodies, log, solid, place):
    """Return the angular velocity of a solid, and the velocity of its surface at a place [rad/s, m/s].

    Both are in world axes. The velocity includes that of a belt.
    """
    body = bodies[log.solids[solid].body]
    turning, sliding = get_pair(body.velocity)
    moved = add(sliding, cross(turning, sub(place, get3(body.origin))))
    return turning, add(moved, rotate(get9(body.rotation), get3(log.surfaces[solid].belt)))
