# SPDX-License-Identifier: GPL-3.0-or-later
"""Which points of two cores face each other, once the normal between them has all its digits.

Along the best normal n, the points of A that are farthest, and those of B that are farthest against n, are a point, an
edge, a face or a disc of each. Among them are an a and a b with b - a = s n, and those touch or part. So the walk of
gjk.py goes on in the plane across n: what it looks for there is the origin, and n, tilted a little toward where it must
go, asks for the corners. The walk in space, and the polytope of epa.py, end where the distance has its digits; their
points have half of these.

Source: van den Bergen (2004), section 4.3; the farthest points along n are the subdifferential of the support function,
Rockafellar, Convex Analysis (1970), corollary 23.5.3.
"""

from __future__ import annotations

import math

from ..jit import subroutine
from ..spatial import add, dot, scale, sub
from ..spatial.storage import get3, put3
from .gjk import is_known, support_of_difference
from .simplex import nearest_to_origin, reduce

TILT = 1e-8
"""By which a corner that is asked for may lie behind the others, as an angle [rad]."""
SETTLED = 1e-9
"""Of both sizes: what two points may lie beside each other."""
MOST = 48
"""Corners that are asked for. Faces with corners take some four, discs at their rims most."""


@subroutine
def settle(A, B, hulls, R, c, size, s, n, a, b, rows):
    """The points of two cores that are apart by s [m] along the unit vector n, in A's axes: (one of A, one of B).

    Args:
        R, c: B's axes and origin [m] in A's. size: of both together [m]. a, b: points already known, which are taken
            where none are found that fit better. rows: shape (4 or more, 9), room for a simplex.
    """
    beside = sub(sub(b, a), scale(n, s))
    allowed2 = SETTLED * SETTLED * size * size
    if dot(beside, beside) <= allowed2:
        return a, b
    back = (-n[0], -n[1], -n[2])
    support_of_difference(A, B, hulls, R, c, back, rows[0])
    v = across(get3(rows[0]), n)
    put3(rows[0], v)
    count, weights = 1, (1.0, 0.0, 0.0)
    for _ in range(MOST):
        left2 = dot(v, v)
        if left2 <= allowed2 or count == 3:  # in the plane, a triangle is left only if the origin lies in it
            break
        support_of_difference(A, B, hulls, R, c, sub(back, scale(v, TILT / math.sqrt(left2))), rows[count])
        put3(rows[count], across(get3(rows[count]), n))
        if is_known(rows, count):
            break
        _, nearest, found = nearest_to_origin(rows, count + 1)
        if not dot(nearest, nearest) < left2:
            break
        count, weights = reduce(rows, count + 1, found)
        v = nearest
    if dot(v, v) >= dot(beside, beside):
        return a, b
    a, b = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(count):
        a = add(a, scale(get3(rows[i], 3), weights[i]))
        b = add(b, scale(get3(rows[i], 6), weights[i]))
    return a, b


@subroutine
def across(v, n):
    """The part of a vector across a unit vector."""
    return sub(v, scale(n, dot(v, n)))
