# SPDX-License-Identifier: GPL-3.0-or-later
"""The point of a simplex nearest to the origin, by the Voronoi regions of its corners, edges and faces.

A simplex is stored in the first rows of an array of shape (rows, 9). Each row has a point of the difference of two
solids, and the points of the first and the second solid whose difference it is.

Source: Ericson, Real-Time Collision Detection (2005), sections 5.1.2, 5.1.5, 5.1.6.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...spatial import add, cross, dot, scale, sub
from ...spatial.storage import get3

FLAT = 1e-14
"""Distance of a corner from a plane, as a fraction of the corners' distances from the origin, at or below which it is
rounding.
"""


@subroutine
def nearest_of_segment(a, b):
    """Return the weights of a and b at the point of a segment nearest to the origin."""
    ab = sub(b, a)
    along, length2 = -dot(a, ab), dot(ab, ab)
    if along <= 0.0 or length2 == 0.0:
        return 1.0, 0.0
    if along >= length2:
        return 0.0, 1.0
    t = along / length2
    return 1.0 - t, t


@subroutine
def nearest_of_triangle(a, b, c):
    """Return the weights of a, b and c at the point of a triangle nearest to the origin."""
    ab, ac = sub(b, a), sub(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3, d4 = -dot(ab, b), -dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    d5, d6 = -dot(ab, c), -dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    # For a small triangle, Ericson's products of the d's lose half of their digits; products with the normal do not.
    n = cross(ab, ac)
    vc = dot(n, cross(a, b))
    va = dot(n, cross(b, c))
    vb = dot(n, cross(c, a))
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        return 1.0 - t, t, 0.0
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        return 1.0 - t, 0.0, t
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - t, t
    total = va + vb + vc
    if not total > 0.0:  # no area: the nearest side stands for it
        return nearest_of_needle(a, b, c)
    k = 1.0 / total
    return va * k, vb * k, vc * k


@jitable
def nearest_of_needle(a, b, c):
    """Return the same as `nearest_of_triangle` for a triangle without area, from its nearest side."""
    u, v = nearest_of_segment(a, b)
    best, weights = norm2(add(scale(a, u), scale(b, v))), (u, v, 0.0)
    u, v = nearest_of_segment(b, c)
    found = norm2(add(scale(b, u), scale(c, v)))
    if found < best:
        best, weights = found, (0.0, u, v)
    u, v = nearest_of_segment(a, c)
    if norm2(add(scale(a, u), scale(c, v))) < best:
        weights = (u, 0.0, v)
    return weights


@jitable
def norm2(a):
    return dot(a, a)


@subroutine
def nearest_of_tetrahedron(a, b, c, d):
    """Return whether a tetrahedron contains the origin, and the weights of a, b, c and d at the nearest point.

    A flat tetrahedron contains no point: rounding decides on which side of a face its fourth corner lies, which may be
    the origin's side for all faces.
    """
    best, weights, inside = math.inf, (0.25, 0.25, 0.25, 0.25), True
    for face in range(4):
        if face == 0:
            p, q, r, other = a, b, c, d
        elif face == 1:
            p, q, r, other = a, c, d, b
        elif face == 2:
            p, q, r, other = a, d, b, c
        else:
            p, q, r, other = b, d, c, a
        n = cross(sub(q, p), sub(r, p))
        here, there = -dot(n, p), dot(n, sub(other, p))
        thick2 = FLAT * FLAT * dot(n, n) * (norm2(p) + norm2(other))
        if here * there > 0.0 and there * there > thick2:
            continue
        inside = False
        u, v, w = nearest_of_triangle(p, q, r)
        found = norm2(add(add(scale(p, u), scale(q, v)), scale(r, w)))
        if found < best:
            best = found
            if face == 0:
                weights = (u, v, w, 0.0)
            elif face == 1:
                weights = (u, 0.0, v, w)
            elif face == 2:
                weights = (u, w, 0.0, v)
            else:
                weights = (0.0, u, w, v)
    return inside, weights


@subroutine
def nearest_to_origin(rows, count):
    """Return whether a simplex contains the origin, its point nearest to the origin, and the weights of its rows there.

    The weights have four entries, of which the first `count` are those of the rows.
    """
    a = get3(rows[0])
    if count == 1:
        return False, a, (1.0, 0.0, 0.0, 0.0)
    b = get3(rows[1])
    inside = False
    if count == 2:
        u, v = nearest_of_segment(a, b)
        weights = (u, v, 0.0, 0.0)
    else:
        c = get3(rows[2])
        if count == 3:
            u, v, w = nearest_of_triangle(a, b, c)
            weights = (u, v, w, 0.0)
        else:
            inside, weights = nearest_of_tetrahedron(a, b, c, get3(rows[3]))
    nearest = (0.0, 0.0, 0.0)
    if not inside:
        for i in range(count):
            if weights[i] > 0.0:
                nearest = add(nearest, scale(get3(rows[i]), weights[i]))
    return inside, nearest, weights


@subroutine
def reduce(rows, count, weights):
    """Remove the rows whose weight is 0. Return the number of remaining rows and their weights."""
    kept, left = 0, (0.0, 0.0, 0.0)
    for i in range(count):
        weight = weights[i]
        if weight > 0.0:
            if i != kept:
                for k in range(9):
                    rows[kept, k] = rows[i, k]
            if kept == 0:
                left = (weight, 0.0, 0.0)
            elif kept == 1:
                left = (left[0], weight, 0.0)
            else:
                left = (left[0], left[1], weight)
            kept += 1
    return kept, left
