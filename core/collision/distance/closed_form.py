# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed formulas for the distance of two cores: points, segments, boxes and cylinders.

Each function returns the cores' signed distance [m] and the unit normal from the first to the second, in the axes of
the first solid. `c` is the origin of the second core and `R` its axes. If several directions are equally near, such as
for a ball in the middle of a box, the first axis is taken, so that the same pose always gives the same result.

Source: Ericson, Real-Time Collision Detection (2005), sections 4.4.1, 5.1.3, 5.1.9.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...spatial import add, cross, dot, rotate, rotate_back, scale, sub


@subroutine
def point_point(c):
    length = math.sqrt(dot(c, c))
    if length == 0.0:
        return 0.0, (0.0, 0.0, 1.0)
    return length, scale(c, 1.0 / length)


@subroutine
def point_segment(c, R, half):
    """Return distance and normal of a point at the origin and a segment of half length `half`.

    The segment lies along the z axis of R about `c`.
    """
    axis = (R[2], R[5], R[8])
    along = min(max(-dot(c, axis), -half), half)
    nearest = add(c, scale(axis, along))
    length = math.sqrt(dot(nearest, nearest))
    if length == 0.0:
        return 0.0, (R[0], R[3], R[6])
    return length, scale(nearest, 1.0 / length)


@subroutine
def segment_segment(c, R, half_a, half_b):
    """Return distance, normal and the z coordinate of the first segment's nearest point.

    The first segment lies along z about the origin, the second along the z axis of R about `c`.
    """
    axis = (R[2], R[5], R[8])
    # Points (0, 0, t) and c + s axis.
    slope, b, d = axis[2], c[2], dot(axis, c)
    across = 1.0 - slope * slope
    t = min(max((b - slope * d) / across, -half_a), half_a) if across > 1e-14 else min(max(b, -half_a), half_a)
    s = slope * t - d
    if abs(s) > half_b:
        s = min(max(s, -half_b), half_b)
        t = min(max(b + slope * s, -half_a), half_a)
    gap = add(c, scale(axis, s))
    gap = (gap[0], gap[1], gap[2] - t)
    length = math.sqrt(dot(gap, gap))
    if length > 0.0:
        return length, scale(gap, 1.0 / length), t
    n = cross((0.0, 0.0, 1.0), axis)
    length = math.sqrt(dot(n, n))
    return 0.0, scale(n, 1.0 / length) if length > 1e-12 else (1.0, 0.0, 0.0), t


@subroutine
def point_box(c, R, half):
    """Return distance and normal of a point at the origin and a box about `c` of half sizes `half`."""
    x = rotate_back(R, (-c[0], -c[1], -c[2]))
    over = (abs(x[0]) - half[0], abs(x[1]) - half[1], abs(x[2]) - half[2])
    sign = (1.0 if x[0] >= 0.0 else -1.0, 1.0 if x[1] >= 0.0 else -1.0, 1.0 if x[2] >= 0.0 else -1.0)
    out = (max(over[0], 0.0), max(over[1], 0.0), max(over[2], 0.0))
    length = math.sqrt(dot(out, out))
    if length > 0.0:
        n = (sign[0] * out[0] / length, sign[1] * out[1] / length, sign[2] * out[2] / length)
    elif over[0] >= over[1] and over[0] >= over[2]:
        length, n = over[0], (sign[0], 0.0, 0.0)
    elif over[1] >= over[2]:
        length, n = over[1], (0.0, sign[1], 0.0)
    else:
        length, n = over[2], (0.0, 0.0, sign[2])
    return length, rotate(R, (-n[0], -n[1], -n[2]))


@subroutine
def point_cylinder(c, R, half):
    """Return distance and normal of a point at the origin and a cylinder about `c`.

    `half` is (radius, radius, half length).
    """
    x = rotate_back(R, (-c[0], -c[1], -c[2]))
    across = math.sqrt(x[0] * x[0] + x[1] * x[1])
    away = (x[0] / across, x[1] / across, 0.0) if across > 0.0 else (1.0, 0.0, 0.0)
    up = 1.0 if x[2] >= 0.0 else -1.0
    over, above = across - half[0], abs(x[2]) - half[2]
    if over > 0.0 and above > 0.0:
        length = math.sqrt(over * over + above * above)
        n = (away[0] * over / length, away[1] * over / length, up * above / length)
    elif over >= above:
        length, n = over, away
    else:
        length, n = above, (0.0, 0.0, up)
    return length, rotate(R, (-n[0], -n[1], -n[2]))


@subroutine
def box_box(c, R, a, b):
    """Return the greatest separation [m] of boxes along normals of faces and cross products of edges, and its normal.

    It is the signed distance if the boxes overlap, and else a lower bound. A pair of edges is chosen instead of a face
    only if its separation is greater by more than rounding.

    Args:
        c, R: origin [m] and axes of the second box.
        a, b: half sizes [m].

    Source: Gottschalk, Lin, Manocha, OBBTree, SIGGRAPH (1996), section 5.
    """
    P = (abs(R[0]), abs(R[1]), abs(R[2]), abs(R[3]), abs(R[4]), abs(R[5]), abs(R[6]), abs(R[7]), abs(R[8]))
    reach = rotate(P, b)
    best, n = abs(c[0]) - a[0] - reach[0], (1.0, 0.0, 0.0)
    found = abs(c[1]) - a[1] - reach[1]
    if found > best:
        best, n = found, (0.0, 1.0, 0.0)
    found = abs(c[2]) - a[2] - reach[2]
    if found > best:
        best, n = found, (0.0, 0.0, 1.0)
    reach = rotate_back(P, a)
    away = rotate_back(R, c)
    slack = 1e-14 * (a[0] + a[1] + a[2] + b[0] + b[1] + b[2])
    for j in range(3):
        found = abs(away[j]) - b[j] - reach[j]
        if found > best + slack:
            best, n = found, column(R, j)
    for j in range(3):
        y = column(R, j)
        for i in range(3):
            x = (0.0, -y[2], y[1]) if i == 0 else (y[2], 0.0, -y[0]) if i == 1 else (-y[1], y[0], 0.0)
            length2 = dot(x, x)
            if length2 < 1e-10:  # parallel edges: a face has the same separation
                continue
            k = 1.0 / math.sqrt(length2)
            x = scale(x, k)
            along = rotate_back(R, x)
            reach_a = a[0] * abs(x[0]) + a[1] * abs(x[1]) + a[2] * abs(x[2])
            reach_b = b[0] * abs(along[0]) + b[1] * abs(along[1]) + b[2] * abs(along[2])
            found = abs(dot(c, x)) - reach_a - reach_b
            if found > best + slack:
                best, n = found, x
    return best, n if dot(n, c) >= 0.0 else (-n[0], -n[1], -n[2])


@subroutine
def box_box_point(c, R, a, b, s, n):
    """Return the contact point on the first of two boxes that overlap.

    It lies in the feature of the first box that is extreme along n, opposite the extreme feature of the second: a
    corner, an edge or a face of each. Two edges cross in one point; for other features, alternating projections find
    the point.

    Args:
        c, R: origin [m] and axes of the second box.
        a, b: half sizes [m].
        s, n: signed distance [m] and unit normal, from `box_box`.
    """
    back = rotate_back(R, n)
    low_a, high_a = turned_to(a, n)
    low_b, high_b = turned_to(b, (-back[0], -back[1], -back[2]))
    p = scale(add(low_a, high_a), 0.5)
    u, v = sub(high_a, low_a), rotate(R, sub(high_b, low_b))
    across = cross(v, n)
    if (
        is_edge(low_a, high_a)
        and is_edge(low_b, high_b)
        and abs(dot(u, across)) > 1e-6 * math.sqrt(dot(u, u) * dot(v, v))
    ):
        q = add(c, rotate(R, low_b))
        t = dot(sub(q, p), across) / dot(u, across)
        return add(p, scale(u, t))
    for _ in range(TURNS):
        q = rotate_back(R, sub(add(p, scale(n, s)), c))
        q = add(c, rotate(R, clamped(q, low_b, high_b)))
        p = clamped(sub(q, scale(n, s)), low_a, high_a)
    return p


TURNS = 4
"""Number of rounds of alternating projections."""


@jitable
def turned_to(half, n):
    """Return the least and the greatest corner of the feature of a box that is extreme along n."""
    x, y, z = half
    return (
        (x if n[0] > LEVEL else -x, y if n[1] > LEVEL else -y, z if n[2] > LEVEL else -z),
        (-x if n[0] < -LEVEL else x, -y if n[1] < -LEVEL else y, -z if n[2] < -LEVEL else z),
    )


LEVEL = 1e-9
"""Sine of the largest angle at which a direction counts as perpendicular to an axis."""


@jitable
def is_edge(low, high):
    return (1 if high[0] > low[0] else 0) + (1 if high[1] > low[1] else 0) + (1 if high[2] > low[2] else 0) == 1


@jitable
def clamped(x, low, high):
    return (
        min(max(x[0], low[0]), high[0]),
        min(max(x[1], low[1]), high[1]),
        min(max(x[2], low[2]), high[2]),
    )


@jitable
def column(R, j):
    return R[j], R[j + 3], R[j + 6]
