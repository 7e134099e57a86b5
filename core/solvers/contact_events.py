"""When something in contact begins or ends within a step: a gap closes, a load lets go, a slip stops, a hold slips.

Where solids are not closed, the points of their manifold at the start and at the end of a step tell gaps with their
rates, and a cubic through both tells when one of them closes. What turns so fast that a cubic may miss it is given
shorter steps. Points that hold have margins of their own.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..collision.broad import PLACED, find_pairs, make_tree, place_solids
from ..collision.manifold import CONTACT
from ..collision.solids import BALL, HULL, MESH, PLANE
from ..collision.touching import make_room, touch_pairs
from ..contact.pieces import make_point
from ..contact.place import place_point, velocity_at
from ..contact.points import MOST_ROWS, POINTS, SLIPS, STICKS
from ..contact.responses import STILL
from ..jit import Pointer, jitable, subroutine
from ..kinematics.motion import move_bodies
from ..slots import Bundled
from ..spatial import add, dot, sub
from ..spatial.storage import get3, get9, put3, put9
from .contradictions import ROUGH, friction_torques
from .margins import cubic, lowest, root

GAP, LOAD, SLIDE, STICK, LEAVE, JOINT = range(6)
"""What happens. STICK: what sticks slips. LEAVE: what is soft is no longer pressed."""

TURN = 0.4
"""Radians that what might touch turns at most in a step."""

BITE = 0.5
"""Part of the thicker of two solids by which they may overlap as a step ends: so nothing is behind what it hit."""
THIN = 0.02
"""Part of a hull's size that it is thick at least, as far as that goes."""

MOST_POINTS = 8
"""Of a pair."""

MOVED = 1e-5
"""Part of a solid's size by which a point may be off the one that a manifold has."""

FAR = 1e6
"""The reach of a half-space that moves [m]."""

NEARBY = np.dtype([("rate", np.float64), ("closed", np.int64), ("before", np.int64)], align=True)
"""Of a CONTACT: its gap's rate [m/s], whether it is a point that holds, and its number at the step's start or -1."""

IMPACT = np.dtype(
    [
        ("time", np.float64),
        ("first", np.int64),
        ("second", np.int64),
        ("point", np.float64, 3),
        ("normal", np.float64, 3),
        ("impulse", np.float64, 3),
    ],
    align=True,
)


class Impacts(Bundled, namedtuple("Impacts", "impacts count")):
    """IMPACT records, and how many there were, shape (1,)."""


class Search(Bundled, namedtuple("Search", "place pairs touch")):
    """The kernels of core/collision that are asked, compiled by themselves."""


FIELDS = (
    "search solids surfaces store meeting placed tree room poses twists pairs starts ends near_starts near_ends numbers"
    " reach"
)


class Ground(Bundled, namedtuple("Ground", FIELDS)):
    """All that may touch, and what is near at the start and at the end of a step.

    Attributes:
        search: see `Search`.
        solids, store, meeting: as core/collision has them. surfaces: SURFACE records, of each solid.
        placed, tree, room, poses, twists: room for where they are and how they move.
        pairs: shape (n, 2). starts, ends: CONTACT records; near_starts, near_ends: NEARBY records.
        numbers: how many pairs, starts and ends there are, and for how many pairs room was short.
        reach: the largest gap that is listed, shape (1,) [m].
    """


PAIRS, STARTS, ENDS, SHORT = range(4)


def make_ground(colliders, surfaces, bodies: int, pairs: int = 64) -> Ground:
    solids, store, meeting = colliders.solids, colliders.store, colliders.meeting
    count, most = len(solids), pairs * MOST_POINTS
    placed, tree, room = np.zeros(count, PLACED).view(np.recarray), make_tree(count), make_room()
    poses, twists, found = np.zeros((bodies, 12)), np.zeros((bodies, 6)), np.zeros((pairs, 2), np.int64)
    starts, ends = (np.zeros(most, CONTACT).view(np.recarray) for _ in range(2))
    search = Search(
        Pointer(place_solids, solids, store, poses, placed),
        Pointer(find_pairs, solids, placed, meeting, 0.0, tree, found, gives=0),
        Pointer(touch_pairs, solids, store, placed, found, 0, 0.0, room, starts, gives=0),
    )
    return Ground(
        search,
        solids,
        surfaces,
        store,
        meeting,
        placed,
        tree,
        room,
        poses,
        twists,
        found,
        starts,
        ends,
        *(np.zeros(most, NEARBY).view(np.recarray) for _ in range(2)),
        np.zeros(4, np.int64),
        np.zeros(1),
    )


@subroutine
def place_all(system, ground):
    """Place solids where bodies are."""
    work = system.work
    for i in range(work.bodies.shape[0]):
        put9(ground.poses[i], get9(work.bodies[i].rotation))
        put3(ground.poses[i], get3(work.bodies[i].origin), 9)
        put3(ground.twists[i], get3(work.bodies[i].velocity, 3))
        put3(ground.twists[i], get3(work.bodies[i].velocity), 3)
    ground.search.place(ground.solids, ground.store, ground.poses, ground.placed)


@subroutine
def look_near(system, ground, h, weight):
    """Find the pairs that may touch within h seconds, if nothing accelerates by much more than `weight` [m/s^2].

    As `look_around`, but each solid reaches only as far as it moves itself. Returns whether the room sufficed.
    """
    place_all(system, ground)
    most = 0.0
    for i in range(ground.solids.shape[0]):
        solid, place = ground.solids[i], ground.placed[i]
        if solid.body == 0:
            continue
        twist = ground.twists[solid.body]
        arm = norm_of(get3(solid.origin)) + min(solid.reach, FAR)
        way = h * (norm_of(get3(twist)) + norm_of(get3(twist, 3)) * arm + h * weight)
        most = max(most, way)
        for k in range(3):
            place.lower[k] -= way
            place.upper[k] += way
    count = ground.search.pairs(ground.solids, ground.placed, ground.meeting, 0.0, ground.tree, ground.pairs)
    ground.numbers[PAIRS] = count
    if count > ground.pairs.shape[0]:
        ground.numbers[SHORT] = count
        return False
    ground.reach[0] = 2.0 * most
    return list_contacts(system, ground, ground.reach[0], ground.starts, ground.near_starts, STARTS)


@subroutine
def look_around(system, ground, h, skin):
    """Find the pairs that may touch within a step of h seconds, and their points as it starts.

    Bodies are placed and moved, and accelerated. Returns (whether the room sufficed, how long a step may be).
    """
    place_all(system, ground)
    longest, reach = h, 2.0 * reach_of_step(system, ground, h) + skin
    count = ground.search.pairs(ground.solids, ground.placed, ground.meeting, reach, ground.tree, ground.pairs)
    ground.numbers[PAIRS] = count
    if count > ground.pairs.shape[0]:
        ground.numbers[SHORT] = count
        return False, h
    for k in range(count):
        for side in range(2):
            solid = ground.solids[ground.pairs[k, side]]
            o, w = get3(solid.origin), get3(ground.twists[solid.body], 3)
            if norm_of(w) * h > TURN and not (solid.kind == BALL and dot(o, o) == 0.0):
                longest = min(longest, TURN / norm_of(w))
    ground.reach[0] = reach
    fits = list_contacts(system, ground, reach, ground.starts, ground.near_starts, STARTS)
    for k in range(ground.numbers[STARTS] if fits else 0):
        start, own = ground.starts[k], ground.near_starts[k]
        if not own.closed and own.rate < 0.0 and start.gap > skin:
            thick = max(thickness(ground.solids[start.first]), thickness(ground.solids[start.second]))
            longest = min(longest, (start.gap + BITE * thick) / -own.rate)
    return fits, longest


@jitable
def thickness(solid):
    """How deep something may sink into a solid without reaching its middle [m]."""
    if solid.kind == MESH:
        return 0.0
    if solid.kind == PLANE:
        return math.inf
    half = get3(solid.half)
    return solid.radius + max(min(half[0], half[1], half[2]), THIN * solid.reach if solid.kind == HULL else 0.0)


@subroutine
def reach_of_step(system, ground, h):
    """How far any point of a solid moves in a step, with twice what accelerations add to it [m]."""
    most, down = 0.0, get3(system.model.gravity)
    for i in range(ground.solids.shape[0]):
        solid = ground.solids[i]
        if solid.body == 0:
            continue
        twist, body = ground.twists[solid.body], system.work.bodies[solid.body]
        arm = norm_of(get3(solid.origin)) + min(solid.reach, FAR)
        speed = norm_of(get3(twist)) + norm_of(get3(twist, 3)) * arm
        change = norm_of(add(get3(body.acceleration, 3), down)) + norm_of(get3(body.acceleration)) * arm
        most = max(most, (speed + change * h) * h)
    return most


@subroutine
def list_contacts(system, ground, reach, contacts, nearby, which):
    """List the points of all pairs up to a gap, with their rates. Returns whether the room sufficed."""
    count = ground.search.touch(
        ground.solids, ground.store, ground.placed, ground.pairs, ground.numbers[PAIRS], reach, ground.room, contacts
    )
    ground.numbers[which] = count
    if count > contacts.shape[0]:
        ground.numbers[SHORT] = count // MOST_POINTS + 1
        return False
    touch, bodies = system.touch, system.work.bodies
    for k in range(count):
        contact = contacts[k]
        one, other = bodies[ground.solids[contact.first].body], bodies[ground.solids[contact.second].body]
        p = get3(contact.point)
        nearby[k].rate = dot(get3(contact.normal), sub(velocity_at(other, p), velocity_at(one, p)))
        nearby[k].closed, nearby[k].before = 0, -1
        for i in range(touch.count[POINTS]):
            point = touch.points[i]
            if is_there(ground, point, contact):
                nearby[k].closed = 1
    return True


@jitable
def is_there(ground, point, contact):
    """Whether a point that holds is one that a manifold has; names may change where faces lie on each other."""
    if point.first != contact.first or point.second != contact.second:
        return False
    reach = MOVED * min(ground.solids[point.first].reach, ground.solids[point.second].reach) + 2.0 * abs(contact.gap)
    off = sub(get3(contact.point), get3(point.place))
    return dot(off, off) <= reach * reach


@subroutine
def forget_moved(system, ground):
    """Forget points that are no longer where their solids touch: what slid over an edge, or on to another face.

    Returns whether there were any.
    """
    touch, kept = system.touch, 0
    for p in range(touch.count[POINTS]):
        point, found = touch.points[p], False
        for i in range(ground.numbers[STARTS]):
            found = found or is_there(ground, point, ground.starts[i])
        if found:
            if kept != p:
                touch.points[kept] = touch.points[p]
            kept += 1
    lost = touch.count[POINTS] - kept
    touch.count[POINTS] = kept
    return lost > 0


@subroutine
def look_at_end(system, ground, q, qd):
    """List the points at the end of a step that was tried, and find each among those at its start."""
    move_bodies(system.model, system.work, q, qd)
    place_all(system, ground)
    fits = list_contacts(system, ground, ground.reach[0], ground.ends, ground.near_ends, ENDS)
    for k in range(ground.numbers[ENDS] if fits else 0):
        end = ground.ends[k]
        for i in range(ground.numbers[STARTS]):
            start = ground.starts[i]
            if start.first == end.first and start.second == end.second and start.name == end.name:
                ground.near_ends[k].before = i
                break
    return fits


@subroutine
def first_closing(ground, h, skin, near):
    """(part of the step, number among the ends) of the first gap that closes; a part of 2 where none does."""
    first, which = 2.0, -1
    for k in range(ground.numbers[ENDS]):
        end, own = ground.ends[k], ground.near_ends[k]
        if own.closed:
            continue
        if own.before >= 0:
            start = ground.starts[own.before]
            part = closing(start.gap, ground.near_starts[own.before].rate, end.gap, own.rate, h, skin, near)
        elif end.gap < -skin:
            part = 1.0
            before = pair_gap(ground, end)
            if before > near:
                part = before / (before - end.gap)
        else:
            part = 2.0
        if part < first:
            first, which = part, k
    return first, which


@jitable
def pair_gap(ground, end):
    """The least gap that a pair had at the start of a step, of points that do not hold; infinite if it had none."""
    least = math.inf
    for i in range(ground.numbers[STARTS]):
        start = ground.starts[i]
        if start.first == end.first and start.second == end.second and not ground.near_starts[i].closed:
            least = min(least, start.gap)
    return least


@jitable
def closing(gap, rate, end_gap, end_rate, h, skin, near):
    """Where in a step, as a part of it, a gap closes; 2 where it does not.

    near [m]: what closes by less has not; skin [m]: what is nearer at the start is closed, and closes again only after
    it has parted, or where it sinks deeper than that.
    """
    da, db = h * rate, h * end_rate
    if gap > skin:
        if end_gap < -near:
            return root(gap, da, end_gap, db, 0.0, 1.0)
        if not (da < 0.0 < db):
            return 2.0
        low = lowest(gap, da, end_gap, db)
        if cubic(gap, da, end_gap, db, low) >= -near:
            return 2.0
        return root(gap, da, end_gap, db, 0.0, low)
    if end_gap >= min(gap, 0.0) - near or (end_gap >= -skin and da <= 0.0):
        return 2.0
    begin = 0.5  # it parts first: look for where it is apart
    while begin > 1e-9 and cubic(gap, da, end_gap, db, begin) <= max(gap, 0.0):
        begin *= 0.5
    if begin > 1e-9:
        return root(gap, da, end_gap, db, begin, 1.0)
    return 1e-3


@subroutine
def mark_points(touch):
    """Note the margins of what holds, as a step starts."""
    most = 0.0
    for p in range(touch.count[POINTS]):
        most = max(most, touch.points[p].load)
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        speed = norm_of(get3(point.v))
        if point.slide == SLIPS and speed > STILL:
            v = get3(point.v)
            put3(point.slip, (v[0] / speed, v[1] / speed, v[2] / speed))
        for kind in range(LOAD, JOINT):
            point.margins[kind] = margin_of(point, kind)


@jitable
def norm_of(a):
    return math.sqrt(dot(a, a))


@jitable
def margin_of(point, kind):
    """How far a point that holds is from an event; infinite where it cannot be."""
    if kind == LOAD:
        return math.inf if point.is_soft or point.strained else point.load
    if kind == LEAVE:
        return -point.gap if point.is_soft else math.inf
    spun, rolled = friction_torques(point)
    load = max(point.load, 0.0)
    if kind == STICK:
        margin = math.inf
        if point.strained:
            return margin
        if point.slide == STICKS:
            margin = point.limit * load - norm_of(get3(point.force))
        if point.spin == STICKS:
            margin = min(margin, point.spinning * load - abs(spun))
        if point.roll == STICKS:
            margin = min(margin, point.rolling * load - rolled)
        return margin
    margin = math.inf
    if point.slide == SLIPS and point.slip_speed == 0.0:
        margin = dot(get3(point.v), get3(point.slip))
    if point.spin == SLIPS:
        margin = min(margin, dot(get3(point.w), get3(point.normal)) * point.spin_slip)
    if point.roll == SLIPS:
        w, n = get3(point.w), get3(point.normal)
        margin = min(margin, dot(sub(w, (n[0] * dot(w, n), n[1] * dot(w, n), n[2] * dot(w, n))), get3(point.roll_slip)))
    return margin


@subroutine
def first_change(touch):
    """(part of the step, point, kind) of the first margin of a point to become negative; a part of 2 if none does."""
    first, which, what, most = 2.0, -1, -1, 0.0
    for p in range(touch.count[POINTS]):
        most = max(most, abs(touch.points[p].load))
    for p in range(touch.count[POINTS]):
        point = touch.points[p]
        for kind in range(LOAD, JOINT):
            before, after = point.margins[kind], margin_of(point, kind)
            if not after < -allowed_of(kind, most):
                continue
            part = before / (before - after) if before > 0.0 and before < 1e300 else 1e-6
            if part < first:
                first, which, what = part, p, kind
    return first, which, what


@jitable
def allowed_of(kind, most):
    """How far below 0 a margin may be by rounding."""
    if kind == LEAVE:
        return 0.0
    return STILL if kind == SLIDE else 2.0 * ROUGH * most + 1e-300


@subroutine
def count_closed(ground, skin):
    """How many ends are closed, and are no points yet."""
    count = 0
    for k in range(ground.numbers[ENDS]):
        if not ground.near_ends[k].closed and ground.ends[k].gap <= skin:
            count += 1
    return count


@subroutine
def add_closed(system, ground, skin):
    """Make points of all ends that are closed and are none yet. Returns whether the room sufficed."""
    touch = system.touch
    for k in range(ground.numbers[ENDS]):
        end = ground.ends[k]
        if ground.near_ends[k].closed or end.gap > skin:
            continue
        p = touch.count[POINTS]
        if (p + 1) * MOST_ROWS > touch.rows.shape[0]:
            return False
        make_point(touch.points[p], end, ground.solids, ground.surfaces, ground.store, ground.placed)
        place_point(system.work, touch.points[p])
        touch.points[p].level = touch.points[p].gap
        touch.count[POINTS] += 1
    return True
