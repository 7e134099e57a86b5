# SPDX-License-Identifier: GPL-3.0-or-later
"""The signed distance of two solids, and the contact normal.

`signed_distance` uses a closed formula if there is one (closed_form.py). Other pairs are computed by GJK (gjk.py), and
by EPA if they overlap (epa.py). If a core is curved, Newton's method refines the normal (refinement.py). The witness
points, which face each other along the normal, follow (witness_points.py). The distance of two solids is that of their
cores less both radii.
"""

from __future__ import annotations

import math

from ...compilation.jit import subroutine
from ...spatial import add, dot, rotate, rotate_back, scale, sub
from ...spatial.storage import get3
from ..solids import BALL, BOX, CAPSULE, CYLINDER, PLANE, is_curved, support
from .closed_form import (
    box_box,
    box_box_point,
    point_box,
    point_cylinder,
    point_point,
    point_segment,
    segment_segment,
)
from .epa import epa_penetration
from .gjk import APART, BEYOND_MARGIN, CURVED_PRECISION, OVERLAPPING, PRECISION, gjk_distance
from .refinement import refine_normal, separation
from .witness_points import witness_points

MAX_SEPARATION_ERROR = 1e-13
"""Largest difference, as a fraction of the size of both solids, between the distance of two nearest points and the
separation along their direction. Beyond it the direction has lost digits, as it does if cores with corners nearly
touch, and `refine_normal` refines it.
"""
MAX_REFINABLE_ERROR = 1e-9
"""The same difference, as a fraction of the size, beyond which refinement cannot repair the direction.

The cores then touch, and the last simplex of GJK is too narrow to determine a direction. EPA computes one from inside.
"""

UNKNOWN_VECTOR = (0.0, 0.0, 0.0)
"""Vector that stands for an unknown point or direction."""


@subroutine
def signed_distance(A, B, hulls, R, c, margin, work):
    """Return the signed distance of two solids, their normal and the contact point of A, in A's axes.

    Args:
        A, B: SOLID records, with the kind of A not above that of B.
        R, c: B's axes and origin [m] in A's axes.
        margin: solids farther apart [m] need no exact answer.
        work: an epa.Polytope.

    Returns:
        (signed distance [m], negative if they overlap; unit normal from A to B; the point of A there). Beyond the
        margin, the distance is any number above it.
    """
    if A.kind == PLANE:
        d = rotate_back(R, (0.0, 0.0, -1.0))
        p = add(c, rotate(R, support(B, hulls, d)))
        return p[2] - B.radius, (0.0, 0.0, 1.0), (p[0], p[1], 0.0)
    radius_sum = A.radius + B.radius
    size = A.bounding_radius + B.bounding_radius
    away = math.sqrt(dot(c, c))
    if away - size > margin:
        return away - size, (0.0, 0.0, 1.0), UNKNOWN_VECTOR
    if A.kind == BALL and (B.kind == BALL or B.kind == CAPSULE or B.kind == BOX or B.kind == CYLINDER):
        if B.kind == BALL:
            s, n = point_point(c)
        elif B.kind == CAPSULE:
            s, n = point_segment(c, R, B.half[2])
        elif B.kind == BOX:
            s, n = point_box(c, R, get3(B.half))
        else:
            s, n = point_cylinder(c, R, get3(B.half))
        return s - radius_sum, n, scale(n, A.radius)
    if A.kind == CAPSULE and B.kind == CAPSULE:
        s, n, z = segment_segment(c, R, A.half[2], B.half[2])
        return s - radius_sum, n, add((0.0, 0.0, z), scale(n, A.radius))
    bound, direction = -math.inf, UNKNOWN_VECTOR
    if A.kind == BOX and B.kind == BOX:
        s, n = box_box(c, R, get3(A.half), get3(B.half))
        bound, direction = s, n
        if s > margin:
            return s, n, UNKNOWN_VECTOR
        if s <= 0.0:
            return s, n, box_box_point(c, R, get3(A.half), get3(B.half), s, n)
    s, n, a = iterative_distance(A, B, hulls, R, c, size, margin + radius_sum, radius_sum, work)
    if bound >= s - PRECISION * size:  # a face's normal, or that of two edges, is more precise
        n = direction
    return s, n, a


@subroutine
def iterative_distance(A, B, hulls, R, c, size, margin, radius_sum, work):
    """Do what `signed_distance` does, for pairs without a formula.

    Args:
        size: sum of the sizes of both solids [m].
        margin: as in `signed_distance`, but for the cores [m].
        radius_sum: sum of both radii [m].
    """
    curved = is_curved(A) or is_curved(B)
    precision = CURVED_PRECISION if curved else PRECISION
    outcome, count, s, n, a, b = gjk_distance(A, B, hulls, R, c, size, precision, margin, work.rows)
    if outcome == BEYOND_MARGIN:
        return s - radius_sum, n, a
    if outcome == OVERLAPPING:
        s, n, a, b = epa_penetration(A, B, hulls, R, c, size, precision, work, count)
        s = -s
    if curved or (outcome == APART and s - separation(A, B, hulls, R, c, n) > MAX_SEPARATION_ERROR * size):
        best, n = refine_normal(A, B, hulls, R, c, n)
        size = max(size, s)  # two points have no size, but their distance is rounded
        if outcome == APART and s - best > MAX_REFINABLE_ERROR * size:
            _, other, _, _ = epa_penetration(A, B, hulls, R, c, size, precision, work, count)
            found, other = refine_normal(A, B, hulls, R, c, other)
            if found > best:
                best, n = found, other
        s = best
    a, b = witness_points(A, B, hulls, R, c, size, s, n, a, b, work.rows)
    # The two points may differ slightly across n; the contact point lies midway between them.
    a = sub(scale(add(a, b), 0.5), scale(n, 0.5 * s))
    return s - radius_sum, n, add(a, scale(n, A.radius))
