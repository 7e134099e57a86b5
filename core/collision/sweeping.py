# SPDX-License-Identifier: GPL-3.0-or-later
"""When two moving solids first touch, by steps that are too short to miss it.

Between two solids whose nearest points are a distance s apart along a normal n lies a slab of that width. However they
move, they cannot touch before both together have crossed it; so time may go on by s over the greatest speed at which
any of their points come nearer along n. The steps shrink as the gap does, and end when it is closed.

Bodies move with a steady velocity of their origin, and turn at a steady rate about it.

Source: Mirtich, Impulse-based dynamic simulation of rigid body systems, thesis (1996), section 2.3 (conservative
advancement).
"""

from __future__ import annotations

import math

from ..jit import jitable, kernel, subroutine
from ..spatial import add, dot, matmul, quat_of_rotvec, quat_to_mat, rotate, scale, sub
from ..spatial.storage import get3, get9, put3, put9
from .mesh_touching import separate_mesh
from .narrow import separate
from .solids import MESH
from .touching import ordered, seen_from

MOST = 500
"""Steps. Some ten are enough but for what passes by at a hair's breadth."""


@kernel
def sweep_boxes(solids, poses, twists, duration, placed):
    """Widen the boxes of `placed` by all that solids pass through in a time [s].

    Args:
        solids, poses, placed: as in broad.place_solids, which has written `placed`.
        twists: shape (bodies, 6): velocity of the body's origin [m/s], then its angular velocity [rad/s], world axes.
    """
    for i in range(solids.shape[0]):
        twist = twists[solids[i].body]
        v, turning = get3(twist), swing(solids[i], twist) * duration
        for k in range(3):
            step = v[k] * duration
            placed[i].lower[k] += min(step, 0.0) - turning
            placed[i].upper[k] += max(step, 0.0) + turning


@subroutine
def swing(solid, twist):
    """The speed that turning can give any point of a solid, against its body's origin [m/s]."""
    o, w = get3(solid.origin), get3(twist, 3)
    rate = math.sqrt(dot(w, w))
    return rate * (math.sqrt(dot(o, o)) + solid.reach) if rate > 0.0 else 0.0


@kernel
def find_impacts(solids, store, poses, twists, duration, pairs, count, skin, placed, room, times):
    """Write when the first `count` pairs first come as near as `skin` [m]; infinite where they do not in the time.

    Args:
        solids, store, poses, twists, duration: as in `sweep_boxes`. pairs, room: as in touching.touch_pairs.
        skin: above 0 [m]. placed: two PLACED records, to write to. times: shape (count,) or more, written to [s].
    """
    for k in range(count):
        first, second = ordered(solids, pairs[k, 0], pairs[k, 1])
        times[k] = first_touch(solids[first], solids[second], store, poses, twists, duration, skin, placed, room)


@subroutine
def first_touch(A, B, store, poses, twists, duration, skin, placed, room):
    """The time [s] at which two solids first come as near as `skin` [m]; infinite if it is not within `duration`."""
    of_a, of_b = twists[A.body], twists[B.body]
    closing = sub(get3(of_a), get3(of_b))
    turning = swing(A, of_a) + swing(B, of_b)
    time = 0.0
    for _ in range(MOST):
        put_at(A, poses[A.body], of_a, time, placed[0])
        put_at(B, poses[B.body], of_b, time, placed[1])
        R, c = seen_from(placed[0], placed[1])
        if A.kind == MESH:
            s, n, _ = separate_mesh(A, B, store, R, c, math.inf, room)
            rate = math.sqrt(dot(closing, closing)) + turning  # whose other parts may lie anywhere
        else:
            s, n, _ = separate(A, B, store.hulls, R, c, math.inf, room.polytope)
            rate = dot(closing, rotate(get9(placed[0].rotation), n)) + turning
        if s <= skin:
            return time
        if not rate > 0.0:
            return math.inf
        time += (s - 0.5 * skin) / rate
        if time > duration:
            return math.inf
    return time


@jitable
def put_at(solid, pose, twist, time, place):
    """Where a solid is after a time, to `place`, without its box."""
    turned = matmul(quat_to_mat(quat_of_rotvec(scale(get3(twist, 3), time))), get9(pose))
    put9(place.rotation, matmul(turned, get9(solid.rotation)))
    put3(place.origin, add(add(get3(pose, 9), scale(get3(twist), time)), rotate(turned, get3(solid.origin))))
