# SPDX-License-Identifier: GPL-3.0-or-later
"""The distance of two convex cores: the algorithm of Gilbert, Johnson and Keerthi (GJK).

It searches the Minkowski difference of the two cores, all b - a, for the point nearest to the origin. Everything is in
the axes of the first solid, relative to its origin. `R` and `c` are the second solid's axes and origin there, so a
large distance from the world's origin costs no precision beyond that of the two origins.

Sources: Gilbert, Johnson, Keerthi, A fast procedure for computing the distance between complex objects in
three-dimensional space, IEEE J. Robotics and Automation 4 (1988); van den Bergen (2004), section 4.3, for the
termination.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...spatial import add, cross, dot, rotate, rotate_back, scale, sub
from ...spatial.storage import get3, put3
from ..solids import support
from .simplex import nearest_to_origin, reduce

PRECISION = 1e-14
"""Precision of distances, as a fraction of the sum of both solids' bounding radii. Cores that are nearer count as
overlapping.
"""
CURVED_PRECISION = 1e-10
"""Precision of the search if a core is curved. Newton's method (refinement.py) finds the remaining digits."""
MAX_ITERATIONS = 128
"""Largest number of iterations. Polyhedra need about ten, curved cores forty; more mean that rounding makes it cycle.
"""

APART = 0
"""Outcome of `gjk_distance`: the cores are apart."""
BEYOND_MARGIN = 1
"""Outcome of `gjk_distance`: the cores are farther apart than the margin."""
OVERLAPPING = 2
"""Outcome of `gjk_distance`: the cores overlap."""


@subroutine
def support_of_difference(A, B, hulls, R, c, d, row):
    """Write to `row`, shape (9,), the support point of B - A along d.

    It is followed by the points of A and of B whose difference it is.
    """
    b = add(c, rotate(R, support(B, hulls, rotate_back(R, d))))
    a = support(A, hulls, (-d[0], -d[1], -d[2]))
    put3(row, sub(b, a))
    put3(row, a, 3)
    put3(row, b, 6)


@subroutine
def gjk_distance(A, B, hulls, R, c, size, precision, margin, rows):
    """Return the distance of two cores and their nearest points.

    Args:
        R, c: B's axes and origin [m] in A's axes.
        size: sum of the sizes of both solids [m].
        precision: required precision of the distance, as a fraction of `size`.
        margin: cores farther apart than this [m] need no exact answer.
        rows: shape (4 or more, 9), the simplex, written to; see simplex.py.

    Returns:
        (outcome, number of corners of the simplex, distance [m], unit direction from A to B, nearest points of A and of
        B).
    """
    start = c if dot(c, c) > 0.0 else (1.0, 0.0, 0.0)
    support_of_difference(A, B, hulls, R, c, (-start[0], -start[1], -start[2]), rows[0])
    count, v, weights = 1, get3(rows[0]), (1.0, 0.0, 0.0)
    distance2 = dot(v, v)
    outcome = APART
    for _ in range(MAX_ITERATIONS):
        distance = math.sqrt(distance2)
        if distance <= PRECISION * size:
            outcome = OVERLAPPING
            break
        support_of_difference(A, B, hulls, R, c, (-v[0], -v[1], -v[2]), rows[count])
        w = get3(rows[count])
        bound = dot(v, w) / distance
        if bound > margin:
            outcome = BEYOND_MARGIN
            break
        if distance - bound <= precision * size or is_known(rows, count):
            break
        inside, nearest, found = nearest_to_origin(rows, count + 1)
        if inside:
            count, outcome = count + 1, OVERLAPPING
            break
        if not dot(nearest, nearest) < distance2:  # the remaining improvement is less than rounding
            break
        count, weights = reduce(rows, count + 1, found)
        v = nearest
        distance2 = dot(v, v)
    distance = math.sqrt(distance2)
    if outcome == OVERLAPPING:
        return outcome, count, 0.0, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    a, b = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(min(count, 3)):
        a = add(a, scale(get3(rows[i], 3), weights[i]))
        b = add(b, scale(get3(rows[i], 6), weights[i]))
    n = scale(v, 1.0 / distance)
    if count == 3:
        n = plane_normal(rows, n)
    return outcome, count, distance, n, a, b


@jitable
def is_known(rows, count):
    """Return whether the newest corner equals an earlier one."""
    w = get3(rows[count])
    for i in range(count):
        known = get3(rows[i])
        if w[0] == known[0] and w[1] == known[1] and w[2] == known[2]:
            return True
    return False


@jitable
def plane_normal(rows, n):
    """Return the normal of the simplex's triangle, on n's side, or n if the triangle is too narrow.

    If cores nearly touch, the vector between their nearest points has few correct digits; the triangle's normal has
    more.
    """
    p = get3(rows[0])
    across = cross(sub(get3(rows[1]), p), sub(get3(rows[2]), p))
    length = math.sqrt(dot(across, across))
    if length == 0.0:
        return n
    turned = scale(across, 1.0 / length)
    aligned = dot(turned, n)
    if abs(aligned) < 0.9999:  # the triangle is too narrow
        return n
    return turned if aligned > 0.0 else scale(turned, -1.0)
