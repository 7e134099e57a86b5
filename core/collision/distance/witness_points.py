# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest points of two cores, once the normal between them is known to full precision.

Along the best normal n, the points of A that are extreme along n, and those of B along -n, form a point, an edge, a
face or a disc each. Among them are an a and a b with b - a = s n, which are the contact points. They are found by GJK
in the plane perpendicular to n, where the difference of the points must vanish. Its support points are those of the
direction n, tilted slightly towards the search direction. GJK in space and EPA end when the distance is precise; their
points then have half as many correct digits.

Source: van den Bergen (2004), section 4.3; the farthest points along n are the subdifferential of the support function,
Rockafellar, Convex Analysis (1970), corollary 23.5.3.
"""

from __future__ import annotations

import math

from ...compilation.jit import subroutine
from ...spatial import add, dot, scale, sub
from ...spatial.storage import get3, put3
from .gjk import is_known, support_of_difference
from .simplex import nearest_to_origin, reduce

TILT = 1e-8
"""Angle by which the direction of support is tilted from n [rad]. A support point lies behind n's by at most that."""
SETTLED = 1e-9
"""Largest distance of the two points across n, as a fraction of the size of both solids."""
MOST = 48
"""Largest number of support points. Faces with corners need about four, and discs most at their rims."""


@subroutine
def witness_points(A, B, hulls, R, c, size, s, n, a, b, rows):
    """Return the points of A and of B that face each other, for two cores at the distance s along n, in A's axes.

    Args:
        R, c: B's axes and origin [m] in A's axes.
        size: sum of the sizes of both solids [m].
        s: signed distance of the cores along n [m].
        n: unit normal from A to B.
        a, b: known points, which are returned if no better ones are found.
        rows: shape (4 or more, 9), work array for a simplex.
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
        if left2 <= allowed2 or count == 3:  # in the plane, a triangle remains only if it contains the origin
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
    """Return the component of a vector perpendicular to a unit vector n."""
    return sub(v, scale(n, dot(v, n)))
