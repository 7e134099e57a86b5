# SPDX-License-Identifier: GPL-3.0-or-later
"""The signed distance of two solids, and the normal along which they would touch or part.

`separate` looks for a formula first (closed.py). What has none is walked along (gjk.py), is blown up where it overlaps
(epa.py), and where something is curved, Newton's method finds the last digits of the normal (ascent.py), and along that
the points that face each other (facing.py). Radii are taken off at the end: how far two cores are apart, or overlap, is
their solids' distance plus both radii.
"""

from __future__ import annotations

import math

from ..jit import subroutine
from ..spatial import add, dot, rotate, rotate_back, scale, sub
from ..spatial.storage import get3
from .ascent import climb, separation
from .closed import box_box, box_box_point, point_box, point_cylinder, point_point, point_segment, segment_segment
from .epa import deepest
from .facing import settle
from .gjk import APART, BEYOND, CLOSE, CURVED_CLOSE, MEETING, walk
from .solids import BALL, BOX, CAPSULE, CYLINDER, PLANE, is_curved, support

UNPROVEN = 1e-13
"""Of both sizes: where two nearest points are farther apart than their direction parts the cores by, that direction has
lost digits, as it does where cores with corners all but touch.
"""
STALLED = 1e-9
"""The same beyond what a climb can make good: cores that touch have left the walk on a needle, which has no direction,
and the difference of both is looked at from inside.
"""

NOWHERE = (0.0, 0.0, 0.0)


@subroutine
def separate(A, B, hulls, R, c, margin, room):
    """Find how far two solids are apart.

    Args:
        A, B: SOLID records, the kind of A not above that of B. R, c: B's axes and origin [m] in A's.
        margin: solids farther apart [m] need no exact answer. room: an epa.Polytope.

    Returns:
        (signed distance [m], below 0 where they overlap; unit normal from A to B; the point of A there), in A's axes.
        Beyond the margin, some number that is above it.
    """
    if A.kind == PLANE:
        d = rotate_back(R, (0.0, 0.0, -1.0))
        p = add(c, rotate(R, support(B, hulls, d)))
        return p[2] - B.radius, (0.0, 0.0, 1.0), (p[0], p[1], 0.0)
    blown = A.radius + B.radius
    size = A.reach + B.reach
    away = math.sqrt(dot(c, c))
    if away - size > margin:
        return away - size, (0.0, 0.0, 1.0), NOWHERE
    if A.kind == BALL and (B.kind == BALL or B.kind == CAPSULE or B.kind == BOX or B.kind == CYLINDER):
        if B.kind == BALL:
            s, n = point_point(c)
        elif B.kind == CAPSULE:
            s, n = point_segment(c, R, B.half[2])
        elif B.kind == BOX:
            s, n = point_box(c, R, get3(B.half))
        else:
            s, n = point_cylinder(c, R, get3(B.half))
        return s - blown, n, scale(n, A.radius)
    if A.kind == CAPSULE and B.kind == CAPSULE:
        s, n, z = segment_segment(c, R, A.half[2], B.half[2])
        return s - blown, n, add((0.0, 0.0, z), scale(n, A.radius))
    bound, direction = -math.inf, NOWHERE
    if A.kind == BOX and B.kind == BOX:
        s, n = box_box(c, R, get3(A.half), get3(B.half))
        bound, direction = s, n
        if s > margin:
            return s, n, NOWHERE
        if s <= 0.0:
            return s, n, box_box_point(c, R, get3(A.half), get3(B.half), s, n)
    s, n, a = search(A, B, hulls, R, c, size, margin + blown, blown, room)
    if bound >= s - CLOSE * size:  # a face's normal, or one across two edges, has all its digits
        n = direction
    return s, n, a


@subroutine
def search(A, B, hulls, R, c, size, margin, blown, room):
    """`separate` for pairs without a formula. margin: of the cores [m]. blown: both radii [m]."""
    curved = is_curved(A) or is_curved(B)
    close = CURVED_CLOSE if curved else CLOSE
    outcome, count, s, n, a, b = walk(A, B, hulls, R, c, size, close, margin, room.rows)
    if outcome == BEYOND:
        return s - blown, n, a
    if outcome == MEETING:
        s, n, a, b = deepest(A, B, hulls, R, c, size, close, room, count)
        s = -s
    if curved or (outcome == APART and s - separation(A, B, hulls, R, c, n) > UNPROVEN * size):
        best, n = climb(A, B, hulls, R, c, n)
        size = max(size, s)  # two points have no size, but their distance has its rounding
        if outcome == APART and s - best > STALLED * size:
            _, other, _, _ = deepest(A, B, hulls, R, c, size, close, room, count)
            found, other = climb(A, B, hulls, R, c, other)
            if found > best:
                best, n = found, other
        s = best
    a, b = settle(A, B, hulls, R, c, size, s, n, a, b, room.rows)
    # The two points found may lie a little beside each other: what is between them is both solids' own.
    a = sub(scale(add(a, b), 0.5), scale(n, 0.5 * s))
    return s - blown, n, add(a, scale(n, A.radius))
