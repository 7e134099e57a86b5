# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact points of two solids: up to `MOST` points, by clipping the face of one against that of the other.

Each solid offers its feature that is extreme along the normal: a face, an edge or side as a segment, or a point. The
face whose normal is closer to the contact normal is the reference, and the other solid's feature is clipped at its
sides. The contact points are the remaining corners within the margin above it. They move continuously until a face or
an edge turns away. Each has a name, which consists of the corners and sides that determine it and stays while they do.
Round faces are clipped as polygons of eight corners, one of which is the deepest.

Points and lists are in the axes of the first solid of a pair. A row of a list is x, y, z [m], name.

Source: Ericson (2005), section 5.5 (contact regions); Sutherland, Hodgman, Reentrant polygon clipping, CACM 17 (1974).
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import jitable, subroutine
from ..spatial import add, cross, dot, rotate, rotate_back, scale, sub
from ..spatial.storage import get3, put3
from .solids import BOX, CAPSULE, CONE, CYLINDER, HULL, nearest_face, patch, rim, support
from .solids import RIDGE as EDGE

MOST = 8
"""Largest number of contact points that clipping gives for a pair."""
LIST = 128
"""Number of rows of a list. A face with more than half as many corners is reduced to fewer."""
LEVEL = 0.1
"""Largest sine of the angle between a segment and the plane across the normal at which the segment is offered. In a
steeper one, the far end is not near the other solid.
"""
FACING = 0.995
"""Least cosine of the angle between a face's normal and the contact normal at which the face is offered."""
AROUND = 0.7071067811865476
"""cos(45 degrees), which turns from one corner of an octagon to the next."""
NAMES = 4096
"""Number of names of corners. Names of points that clipping makes begin there; NAMES - 1 is the narrow phase's
point.
"""
CUT_OFF = 1e-4
"""Largest excess of the least gap after clipping over the signed distance, as a fraction of the solids' radii. Beyond
it the contact point of the narrow phase is added.
"""

CONTACT = np.dtype(
    [
        ("first", np.int64),  # numbers of the two solids, the lower first
        ("second", np.int64),
        ("name", np.int64),  # of the point in this pair
        ("point", np.float64, 3),  # halfway between both surfaces, in the world [m]
        ("normal", np.float64, 3),  # in the world, from the first solid to the second
        ("gap", np.float64),  # between both surfaces along the normal [m]; below 0 where they overlap
    ],
    align=True,
)
"""A contact point."""


class Lists(KernelTuple, namedtuple("Lists", "offered_a offered_b cut spare")):
    """Work arrays for the features that two solids offer, and for clipping, each of shape (LIST, 4)."""


def make_lists() -> Lists:
    return Lists(*(np.zeros((LIST, 4)) for _ in range(4)))


@jitable
def put_point(row, p, name):
    row[0], row[1], row[2], row[3] = p[0], p[1], p[2], name


@subroutine
def corners_below(solid, hulls, d, rows):
    """Write to `rows` the core's points that may touch a half-space, and return their number.

    Args:
        d: unit vector into the half-space, in the solid's frame.
    """
    kind = solid.kind
    half = get3(solid.half)
    if kind == BOX:
        for i in range(8):
            p = (half[0] if i & 1 else -half[0], half[1] if i & 2 else -half[1], half[2] if i & 4 else -half[2])
            put_point(rows[i], p, i)
        return 8
    if kind == CAPSULE:
        put_point(rows[0], (0.0, 0.0, -half[2]), 0)
        put_point(rows[1], (0.0, 0.0, half[2]), 1)
        return 2
    if kind in (CYLINDER, CONE):
        x, y = deepest_of_rim(half[0], d)
        low = -half[2] if kind == CONE or d[2] < 0.0 else half[2]
        put_point(rows[0], (x, y, low), 0)
        put_point(rows[1], (-y, x, low), 1)
        put_point(rows[2], (-x, -y, low), 2)
        put_point(rows[3], (y, -x, low), 3)
        put_point(rows[4], (0.0, 0.0, half[2]) if kind == CONE else (x, y, -low), 4)
        return 5
    if kind == HULL and solid.vertex_count <= LIST // 2:
        for i in range(solid.vertex_count):
            put_point(rows[i], get3(hulls.vertices[solid.first_vertex + i]), i)
        return solid.vertex_count
    if kind == HULL:
        return write_support_feature(solid, hulls, d, rows)[0]
    put_point(rows[0], support(solid, hulls, d), 0)
    return 1


@jitable
def deepest_of_rim(radius, d):
    """Return the point (x, y) of a circle about z that is farthest along d.

    If d is along the axis, return the point on x, unlike solids.rim: a disc that lies flat touches there and at the
    points beside and opposite it.
    """
    across = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if across < 1e-9 * abs(d[2]):
        return radius, 0.0
    return rim(radius, d)


@subroutine
def write_support_feature(solid, hulls, n, rows):
    """Write to `rows` the core's feature that is extreme along n, in the solid's frame.

    The feature is a polygon, counter-clockwise seen from outside, the two ends of a segment, or a point. Return the
    number of rows, and the unit normal of a face, or else 0.
    """
    kind = solid.kind
    half = get3(solid.half)
    if kind == BOX:
        return offer_of_box(half, n, rows)
    if kind == HULL:
        return offer_of_hull(solid, hulls, n, rows)
    up = 1.0 if n[2] >= 0.0 else -1.0
    if (kind == CYLINDER and abs(n[2]) >= FACING) or (kind == CONE and n[2] <= -FACING):
        x, y = deepest_of_rim(half[0], n)
        z = up * half[2]
        for i in range(8):  # the deepest first, counter-clockwise seen from outside
            put_point(rows[i], (x, y, z), i)
            x, y = AROUND * (x - up * y), AROUND * (up * x + y)
        return 8, (0.0, 0.0, up)
    count = 1
    if kind == CAPSULE and abs(n[2]) <= LEVEL:
        put_point(rows[0], (0.0, 0.0, -half[2]), 0)
        put_point(rows[1], (0.0, 0.0, half[2]), 1)
        count = 2
    elif kind == CYLINDER and abs(n[2]) <= LEVEL:
        x, y = rim(half[0], n)
        put_point(rows[0], (x, y, -half[2]), 0)
        put_point(rows[1], (x, y, half[2]), 1)
        count = 2
    elif kind == CONE:
        x, y = rim(half[0], n)
        slant = math.sqrt(4.0 * half[2] * half[2] + half[0] * half[0])
        put_point(rows[0], (x, y, -half[2]), 0)
        put_point(rows[1], (0.0, 0.0, half[2]), 1)
        out = math.sqrt(max(1.0 - n[2] * n[2], 0.0))
        sine, cosine = out * half[0] - 2.0 * n[2] * half[2], 2.0 * out * half[2] + n[2] * half[0]
        if abs(sine) <= LEVEL * slant and cosine > 0.0:  # near the normal of its side
            return 2, (0.0, 0.0, 0.0)
        put_point(rows[0], support(solid, hulls, n), 0)
    else:
        put_point(rows[0], support(solid, hulls, n), 0)
    return count, (0.0, 0.0, 0.0)


@subroutine
def offer_of_box(half, n, rows):
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    k = 0 if x >= y and x >= z else 1 if y >= z else 2
    u, v = (k + 1) % 3, (k + 2) % 3
    corner = (
        half[0] if n[0] >= 0.0 else -half[0],
        half[1] if n[1] >= 0.0 else -half[1],
        half[2] if n[2] >= 0.0 else -half[2],
    )
    if max(x, y, z) >= FACING:
        flips = 1 if n[k] >= 0.0 else -1
        for i in range(4):
            row = rows[i if flips > 0 else 3 - i]
            row[k], row[u], row[v] = (
                corner[k],
                -half[u] if i == 0 or i == 3 else half[u],
                -half[v] if i < 2 else half[v],
            )
            row[3] = i + (4 * k if flips > 0 else 4 * k + 12)
        return 4, (float(flips), 0.0, 0.0) if k == 0 else (0.0, float(flips), 0.0) if k == 1 else (
            0.0,
            0.0,
            float(flips),
        )
    flat = 0 if x <= y and x <= z else 1 if y <= z else 2
    put_point(rows[0], corner, name_of_corner(corner))
    if min(x, y, z) > LEVEL or half[flat] == 0.0:
        return 1, (0.0, 0.0, 0.0)
    put_point(rows[1], corner, 0)
    rows[0, flat], rows[1, flat] = -half[flat], half[flat]
    rows[0, 3], rows[1, 3] = name_of_corner(get3(rows[0])), name_of_corner(get3(rows[1]))
    return 2, (0.0, 0.0, 0.0)


@jitable
def name_of_corner(p):
    return 24 + (1 if p[0] >= 0.0 else 0) + (2 if p[1] >= 0.0 else 0) + (4 if p[2] >= 0.0 else 0)


@subroutine
def offer_of_hull(solid, hulls, n, rows):
    face = nearest_face(solid, hulls, n) if solid.face_count > 0 else -1
    if face >= 0 and dot(get3(hulls.planes[face]), n) >= FACING:
        start, end = hulls.corners_from[face], hulls.corners_from[face + 1]
        step = 1 + (end - start - 1) // (LIST // 2)
        count = 0
        for k in range(start, end, step):
            vertex = hulls.corners[k]
            put_point(rows[count], get3(hulls.vertices[vertex]), vertex - solid.first_vertex)
            count += 1
        return count, get3(hulls.planes[face])
    found, p, _, axis, _ = patch(solid, hulls, n, EDGE)
    put_point(rows[0], p, 0)
    if found and abs(dot(axis, n)) <= LEVEL:
        # The edge's other end: the neighbour that lies along it.
        far, most = p, 0.0
        for k in range(solid.first_vertex, solid.first_vertex + solid.vertex_count):
            other = sub(get3(hulls.vertices[k]), p)
            along = dot(other, axis)
            beside = sub(other, scale(axis, along))
            if along > most and dot(beside, beside) <= 1e-18 * along * along:
                far, most = get3(hulls.vertices[k]), along
        if most > 0.0:
            put_point(rows[1], far, 1)
            return 2, (0.0, 0.0, 0.0)
    return 1, (0.0, 0.0, 0.0)


@subroutine
def touch_floor(B, hulls, R, c, margin, lists):
    """Write to `lists.cut` the points of a solid that touch a half-space, and return their number.

    The rows are x, y, z, name, in the half-space's axes, at the solid's surface.

    Args:
        R, c: the solid's axes and origin [m] in those of the half-space.
        margin: largest height above the half-space [m].
    """
    d = rotate_back(R, (0.0, 0.0, -1.0))
    count = corners_below(B, hulls, d, lists.offered_b)
    kept = 0
    for i in range(count):
        p = add(c, rotate(R, get3(lists.offered_b[i])))
        p = (p[0], p[1], p[2] - B.radius)
        if p[2] <= margin:
            put_point(lists.cut[kept], p, lists.offered_b[i, 3])
            kept += 1
    return kept


@subroutine
def touch_pair(A, B, hulls, R, c, s, n, a, margin, contacts, count, lists):
    """Write the contact points of a pair from contacts[count] on, and return the new count.

    A point that finds no room is only counted.

    Args:
        A, B, hulls, R, c: as in narrow.separate.
        s, n, a: signed distance [m], unit normal and point of A, from narrow.separate.
        margin: largest gap of a contact point [m].
    """
    count_a, face_a = write_support_feature(A, hulls, n, lists.offered_a)
    count_b, face_b = write_support_feature(B, hulls, rotate_back(R, (-n[0], -n[1], -n[2])), lists.offered_b)
    for i in range(count_b):
        put3(lists.offered_b[i], add(c, rotate(R, get3(lists.offered_b[i]))))
    face_b = rotate(R, face_b)
    if count_a == 1 or count_b == 1:
        if count_a == 1:
            a = add(get3(lists.offered_a[0]), scale(n, A.radius))
        else:
            a = sub(get3(lists.offered_b[0]), scale(n, B.radius + s))
        return put_contact(contacts, count, add(a, scale(n, 0.5 * s)), n, s, 0)
    before = count
    if count_a == 2 and count_b == 2:
        count = touch_segments(A, B, n, margin, contacts, count, lists)
        if count == before:
            a = crossing(lists, n, A.radius, a)
    elif count_b == 2 or (count_a > 2 and dot(face_a, n) >= -dot(face_b, n) - 1e-9):
        kept, on_cut = cut(lists.offered_a, count_a, face_a, lists.offered_b, count_b, lists.cut, lists.spare)
        count = touch_face(
            get3(lists.offered_a[0]), face_a, 1.0, A.radius, B.radius, margin, contacts, count, lists, kept, on_cut
        )
    else:
        kept, on_cut = cut(lists.offered_b, count_b, face_b, lists.offered_a, count_a, lists.cut, lists.spare)
        count = touch_face(
            get3(lists.offered_b[0]), face_b, -1.0, B.radius, A.radius, margin, contacts, count, lists, kept, on_cut
        )
    rounded = A.radius + B.radius
    if count == before or (rounded > 0.0 and least_gap(contacts, before, count) > s + CUT_OFF * rounded):
        count = put_contact(contacts, count, add(a, scale(n, 0.5 * s)), n, s, NAMES - 1)
    return count


@jitable
def least_gap(contacts, begin, end):
    """Return the least gap of contacts[begin:end] that found room [m].

    A rounded solid may touch an edge from beside it, where clipping leaves no point.
    """
    least = math.inf
    for k in range(begin, min(end, contacts.shape[0])):
        least = min(least, contacts[k].gap)
    return least


@jitable
def put_contact(contacts, count, point, n, gap, name):
    if count < contacts.shape[0]:
        contact = contacts[count]
        put3(contact.point, point)
        put3(contact.normal, n)
        contact.gap, contact.name = gap, name
    return count + 1


@subroutine
def touch_face(corner, face, sign, radius, radius_sum, margin, contacts, count, lists, kept, on_cut):
    """Write the rows of the clipped feature that are within the margin above a face. Return the new count.

    Args:
        corner: a corner of the face [m].
        face: its unit normal.
        sign: 1 if the face is the first solid's, else -1.
        radius: radius of the face's solid [m].
        radius_sum: radius of the other solid [m].
        kept: number of rows.
        on_cut: whether they are in `lists.cut`, else in `lists.spare`.
    """
    rows = lists.cut if on_cut else lists.spare
    found = 0
    for i in range(kept):
        p = get3(rows[i])
        gap = dot(sub(p, corner), face) - radius - radius_sum
        if gap <= margin:
            put_point(rows[found], sub(p, scale(face, radius_sum + 0.5 * gap)), rows[i, 3])
            lists.offered_a[found, 0] = gap
            found += 1
    if found > MOST:
        found = reduce_points(rows, lists.offered_a, found)
    for i in range(found):
        name = int(rows[i, 3])
        count = put_contact(contacts, count, get3(rows[i]), scale(face, sign), lists.offered_a[i, 0], name)
    return count


@subroutine
def reduce_points(rows, gaps, count):
    """Move `MOST` rows to the front: the deepest one, and then repeatedly the one farthest from those before it.

    Return their number.
    """
    for k in range(MOST):
        best, most = k, -math.inf
        for i in range(k, count):
            worth = -gaps[i, 0]
            if k > 0:
                worth = math.inf
                for j in range(k):
                    away = sub(get3(rows[i]), get3(rows[j]))
                    worth = min(worth, dot(away, away))
            if worth > most:
                best, most = i, worth
        for m in range(4):
            rows[k, m], rows[best, m] = rows[best, m], rows[k, m]
        gaps[k, 0], gaps[best, 0] = gaps[best, 0], gaps[k, 0]
    return MOST


@subroutine
def cut(reference, sides, face, offered, count, one, other):
    """Clip a polygon or a segment at the sides of a polygon with the normal `face`.

    Args:
        reference: corners of the polygon, of which there are `sides`.
        offered: corners of the feature that is clipped, of which there are `count`.
        one, other: lists to which the result is written.

    Returns:
        (number of corners that are left, whether they are in `one`, else in `other`).
    """
    for i in range(count):
        for k in range(4):
            one[i, k] = offered[i, k]
    on_one = True
    for side in range(sides):
        p = get3(reference[side])
        outward = cross(sub(get3(reference[(side + 1) % sides]), p), face)
        source, target = (one, other) if on_one else (other, one)
        kept = 0
        for i in range(count):
            k = (i + 1) % count
            start, end = get3(source[i]), get3(source[k])
            here, there = dot(sub(start, p), outward), dot(sub(end, p), outward)
            if here <= 0.0 and kept < LIST:
                put_point(target[kept], start, source[i, 3])
                kept += 1
            if (here < 0.0 < there or there < 0.0 < here) and kept < LIST and not (count == 2 and i == 1):
                t = here / (here - there)
                # The name is made of the clipping side and the inner corner, which stay while the point slides.
                inner = source[i, 3] if here < 0.0 else source[k, 3]
                put_point(
                    target[kept],
                    add(start, scale(sub(end, start), t)),
                    (inner % NAMES) + NAMES * (side + 1) + (0 if here < 0.0 else NAMES * LIST),
                )
                kept += 1
        on_one = not on_one
        count = kept
        if count == 0:
            break
    return count, on_one


@subroutine
def touch_segments(A, B, n, margin, contacts, count, lists):
    """Write the contact points of two nearly parallel segments: the ends of the interval in which they overlap.

    Return the new count. It does not change if the segments are not parallel enough or do not overlap.
    """
    p, q = get3(lists.offered_a[0]), get3(lists.offered_b[0])
    u, v = sub(get3(lists.offered_a[1]), p), sub(get3(lists.offered_b[1]), q)
    length2_u, length2_v = dot(u, u), dot(v, v)
    across = cross(u, v)
    if not (length2_u > 0.0 and length2_v > 0.0) or dot(across, across) > LEVEL * LEVEL * length2_u * length2_v:
        return count
    start, slope = dot(sub(q, p), u) / length2_u, dot(v, u) / length2_u
    first, last = (0.0 - start) / slope, (1.0 - start) / slope  # where B's segment passes the ends of A's
    names = (2, 3) if first <= last else (3, 2)
    first, last = (first, last) if first <= last else (last, first)
    name_first, name_last = names
    if first < 0.0:
        first, name_first = 0.0, 0
    if last > 1.0:
        last, name_last = 1.0, 1
    if first > last:
        return count
    for k in range(2):
        t = first if k == 0 else last
        on_b = add(q, scale(v, t))
        on_a = add(p, scale(u, start + slope * t))
        gap = dot(sub(on_b, on_a), n) - A.radius - B.radius
        if gap <= margin:
            point = sub(on_b, scale(n, B.radius + 0.5 * gap))
            count = put_contact(contacts, count, point, n, gap, name_first if k == 0 else name_last)
    return count


@subroutine
def crossing(lists, n, radius, a):
    """Return the point of the first of two segments where they cross, seen along n, or `a` if they are parallel."""
    p, q = get3(lists.offered_a[0]), get3(lists.offered_b[0])
    u, v = sub(get3(lists.offered_a[1]), p), sub(get3(lists.offered_b[1]), q)
    across = cross(v, n)
    down = dot(u, across)
    if abs(down) <= 1e-12 * math.sqrt(dot(u, u) * dot(v, v)):
        return a
    t = min(max(dot(sub(q, p), across) / down, 0.0), 1.0)
    return add(add(p, scale(u, t)), scale(n, radius))
