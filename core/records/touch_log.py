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
from ..contact.collision_state import CollisionState
from ..solvers.protocol import ContactMotion
from ..spatial import add, cross, dot, rotate, scale, sub
from ..spatial.storage import get3, get9, get_pair, put3

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

LINES_AT_FIRST = 64
"""Number of records for which there is room at first."""


class Log(KernelTuple, namedtuple("Log", "solids surfaces lines")):
    """The arrays that `log_touches` reads and writes: solids and surfaces of a `CollisionState`, and TOUCH records."""


class TouchLog:
    """The records of contact of a motion, frame by frame.

    Args:
        collisions: the solids that may touch, and their surfaces.
    """

    def __init__(self, collisions: CollisionState):
        self._log, self._count = Log(collisions.solids, collisions.surfaces, _blank(LINES_AT_FIRST)), 0

    def add(self, contacts: ContactMotion, frame: int) -> None:
        """Add the records of a frame."""
        if not len(contacts.points):
            return
        while (count := log_touches(contacts.points, contacts.bodies, self._log, self._count, frame)) < 0:
            more = _blank(2 * len(self._log.lines))
            more[: self._count] = self.lines
            self._log = self._log._replace(lines=more)
        self._count = count

    @property
    def lines(self) -> np.ndarray:
        """TOUCH records, frame by frame, in the order of pairs."""
        return self._log.lines[: self._count].view(np.ndarray)

    def rewind(self, frames: int) -> None:
        """Remove the records from a frame on."""
        self._count = int(np.searchsorted(self.lines["frame"], frames))


def _blank(count: int) -> np.recarray:
    return np.zeros(count, TOUCH).view(np.recarray)


@kernel
def log_touches(points, bodies, log, begin, frame):
    """Write a frame's TOUCH records from number `begin` on. Return the number after the last one.

    Return -1 if there is no room. points: POINT records with loads. bodies: BODY_WORK records with poses and
    velocities.
    """
    lines, end = log.lines, begin
    for p in range(points.shape[0]):
        point = points[p]
        if point.load > 0.0:
            k = line_of(lines, begin, end, point.first, point.second)
            if k == end or lines[k].first != point.first or lines[k].second != point.second:
                if end == lines.shape[0]:
                    return -1
                insert_line(lines, k, end, frame, point)
                end += 1
            add_point(bodies, log, point, lines[k])
    for k in range(begin, end):
        lines[k].slip /= lines[k].points
    return end


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
