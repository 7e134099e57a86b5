# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact manifold of two solids: up to `MAX_POINTS` points, by clipping the face of one against that of the other.

Each solid contributes its support feature along the normal (support_features.py): a face, an edge or side as a segment,
or a point. The face whose normal is closer to the contact normal is the reference face, and the other solid's feature,
the incident feature, is clipped at its sides. The contact points are the remaining corners that lie at most the margin
above the reference face. They move continuously while the features stay the same. Each point has a name, a number that
identifies the corners and sides that determine it, and that stays the same while they do.

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
from .support_features import (
    LIST_SIZE,
    MAX_SEGMENT_SINE,
    NAME_COUNT,
    write_lowest_points,
    write_row,
    write_support_feature,
)

MAX_POINTS = 8
"""Largest number of contact points of two convex solids: that of the octagons as which round faces are clipped."""
MAX_CLIPPING_ERROR = 1e-4
"""Largest difference of the smallest gap after clipping and the signed distance, as a fraction of the sum of the radii.

If the difference is larger, clipping has removed the deepest point, and that of the narrow phase is added.
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


class ClippingLists(KernelTuple, namedtuple("ClippingLists", "feature_a feature_b clipped spare")):
    """Work arrays for the support features of two solids, and for clipping, each of shape (LIST_SIZE, 4)."""


def make_clipping_lists() -> ClippingLists:
    return ClippingLists(*(np.zeros((LIST_SIZE, 4)) for _ in range(4)))


@subroutine
def write_half_space_points(B, hulls, R, c, margin, lists):
    """Write to `lists.clipped` the points of a solid that touch a half-space, and return their number.

    The rows are x, y, z, name, in the half-space's axes, at the solid's surface.

    Args:
        R, c: the solid's axes and origin [m] in those of the half-space.
        margin: largest height above the half-space [m].
    """
    d = rotate_back(R, (0.0, 0.0, -1.0))
    count = write_lowest_points(B, hulls, d, lists.feature_b)
    count_below = 0
    for i in range(count):
        p = add(c, rotate(R, get3(lists.feature_b[i])))
        p = (p[0], p[1], p[2] - B.radius)
        if p[2] <= margin:
            write_row(lists.clipped[count_below], p, lists.feature_b[i, 3])
            count_below += 1
    return count_below


@subroutine
def write_pair_contacts(A, B, hulls, R, c, s, n, a, margin, contacts, count, lists):
    """Write the contact points of a pair from contacts[count] on, and return the new count.

    If `contacts` is full, further points are counted but not written.

    Args:
        A, B, hulls, R, c: as in narrow.signed_distance.
        s, n, a: signed distance [m], unit normal and point of A, from narrow.signed_distance.
        margin: largest gap of a contact point [m].
    """
    count_a, face_a = write_support_feature(A, hulls, n, lists.feature_a)
    count_b, face_b = write_support_feature(B, hulls, rotate_back(R, (-n[0], -n[1], -n[2])), lists.feature_b)
    for i in range(count_b):
        put3(lists.feature_b[i], add(c, rotate(R, get3(lists.feature_b[i]))))
    face_b = rotate(R, face_b)
    if count_a == 1 or count_b == 1:
        if count_a == 1:
            a = add(get3(lists.feature_a[0]), scale(n, A.radius))
        else:
            a = sub(get3(lists.feature_b[0]), scale(n, B.radius + s))
        return append_contact(contacts, count, add(a, scale(n, 0.5 * s)), n, s, 0)
    before = count
    if count_a == 2 and count_b == 2:
        count = write_segment_contacts(A, B, n, margin, contacts, count, lists)
        if count == before:
            a = crossing_point(lists, n, A.radius, a)
    elif count_b == 2 or (count_a > 2 and dot(face_a, n) >= -dot(face_b, n) - 1e-9):
        rows, in_clipped = clip(lists.feature_a, count_a, face_a, lists.feature_b, count_b, lists.clipped, lists.spare)
        count = write_clipped_contacts(
            get3(lists.feature_a[0]), face_a, 1.0, A.radius, B.radius, margin, contacts, count, lists, rows, in_clipped
        )
    else:
        rows, in_clipped = clip(lists.feature_b, count_b, face_b, lists.feature_a, count_a, lists.clipped, lists.spare)
        count = write_clipped_contacts(
            get3(lists.feature_b[0]), face_b, -1.0, B.radius, A.radius, margin, contacts, count, lists, rows, in_clipped
        )
    # A rounded solid may touch an edge from beside it, where clipping leaves no point.
    rounded = A.radius + B.radius
    if count == before or (rounded > 0.0 and smallest_gap(contacts, before, count) > s + MAX_CLIPPING_ERROR * rounded):
        count = append_contact(contacts, count, add(a, scale(n, 0.5 * s)), n, s, NAME_COUNT - 1)
    return count


@jitable
def smallest_gap(contacts, begin, end):
    """Return the smallest gap of contacts[begin:end], as far as they fit into `contacts` [m]."""
    least = math.inf
    for k in range(begin, min(end, contacts.shape[0])):
        least = min(least, contacts[k].gap)
    return least


@jitable
def append_contact(contacts, count, point, n, gap, name):
    if count < contacts.shape[0]:
        contact = contacts[count]
        put3(contact.point, point)
        put3(contact.normal, n)
        contact.gap, contact.name = gap, name
    return count + 1


@subroutine
def write_clipped_contacts(
    face_corner, normal, side, radius, other_radius, margin, contacts, count, lists, clipped_count, is_in_clipped
):
    """Write the rows of the clipped feature that are within the margin above a face. Return the new count.

    Args:
        face_corner: a corner of the face [m].
        normal: its unit normal.
        side: 1 if the face is the first solid's, else -1.
        radius: radius of the face's solid [m].
        other_radius: radius of the other solid [m].
        clipped_count: number of rows.
        is_in_clipped: whether they are in `lists.clipped`, else in `lists.spare`.
    """
    rows = lists.clipped if is_in_clipped else lists.spare
    close_count = 0
    for i in range(clipped_count):
        p = get3(rows[i])
        gap = dot(sub(p, face_corner), normal) - radius - other_radius
        if gap <= margin:
            write_row(rows[close_count], sub(p, scale(normal, other_radius + 0.5 * gap)), rows[i, 3])
            lists.feature_a[close_count, 0] = gap
            close_count += 1
    if close_count > MAX_POINTS:
        close_count = reduce_points(rows, lists.feature_a, close_count)
    for i in range(close_count):
        name = int(rows[i, 3])
        count = append_contact(contacts, count, get3(rows[i]), scale(normal, side), lists.feature_a[i, 0], name)
    return count


@subroutine
def reduce_points(rows, gaps, count):
    """Move `MAX_POINTS` rows to the front: the deepest one, and then repeatedly the one farthest from those before it.

    Return their number.
    """
    for k in range(MAX_POINTS):
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
    return MAX_POINTS


@subroutine
def clip(reference, sides, face, feature, count, one, other):
    """Clip a polygon or a segment at the sides of a polygon with the normal `face`.

    Args:
        reference: corners of the polygon, of which there are `sides`.
        feature: corners of the feature that is clipped, of which there are `count`.
        one, other: lists to which the result is written.

    Returns:
        (number of corners that are left, whether they are in `one`, else in `other`).
    """
    for i in range(count):
        for k in range(4):
            one[i, k] = feature[i, k]
    on_one = True
    for side in range(sides):
        p = get3(reference[side])
        outward = cross(sub(get3(reference[(side + 1) % sides]), p), face)
        source, target = (one, other) if on_one else (other, one)
        target_count = 0
        for i in range(count):
            k = (i + 1) % count
            start, end = get3(source[i]), get3(source[k])
            distance_start, distance_end = dot(sub(start, p), outward), dot(sub(end, p), outward)
            if distance_start <= 0.0 and target_count < LIST_SIZE:
                write_row(target[target_count], start, source[i, 3])
                target_count += 1
            if (
                (distance_start < 0.0 < distance_end or distance_end < 0.0 < distance_start)
                and target_count < LIST_SIZE
                and not (count == 2 and i == 1)
            ):
                t = distance_start / (distance_start - distance_end)
                # The name is made of the clipping side and the inner corner, which stay while the point slides.
                inner = source[i, 3] if distance_start < 0.0 else source[k, 3]
                write_row(
                    target[target_count],
                    add(start, scale(sub(end, start), t)),
                    (inner % NAME_COUNT)
                    + NAME_COUNT * (side + 1)
                    + (0 if distance_start < 0.0 else NAME_COUNT * LIST_SIZE),
                )
                target_count += 1
        on_one = not on_one
        count = target_count
        if count == 0:
            break
    return count, on_one


@subroutine
def write_segment_contacts(A, B, n, margin, contacts, count, lists):
    """Write the contact points of two nearly parallel segments: the ends of the interval in which they overlap.

    Return the new count. It does not change if the segments are not parallel enough or do not overlap.
    """
    p, q = get3(lists.feature_a[0]), get3(lists.feature_b[0])
    u, v = sub(get3(lists.feature_a[1]), p), sub(get3(lists.feature_b[1]), q)
    length2_u, length2_v = dot(u, u), dot(v, v)
    across = cross(u, v)
    if (
        not (length2_u > 0.0 and length2_v > 0.0)
        or dot(across, across) > MAX_SEGMENT_SINE * MAX_SEGMENT_SINE * length2_u * length2_v
    ):
        return count
    start, slope = dot(sub(q, p), u) / length2_u, dot(v, u) / length2_u
    # Parameters of B's segment opposite to the ends of A's segment.
    first, last = (0.0 - start) / slope, (1.0 - start) / slope
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
            count = append_contact(contacts, count, point, n, gap, name_first if k == 0 else name_last)
    return count


@subroutine
def crossing_point(lists, n, radius, a):
    """Return the point of the first of two segments where they cross, seen along n, or `a` if they are parallel."""
    p, q = get3(lists.feature_a[0]), get3(lists.feature_b[0])
    u, v = sub(get3(lists.feature_a[1]), p), sub(get3(lists.feature_b[1]), q)
    across = cross(v, n)
    down = dot(u, across)
    if abs(down) <= 1e-12 * math.sqrt(dot(u, u) * dot(v, v)):
        return a
    t = min(max(dot(sub(q, p), across) / down, 0.0), 1.0)
    return add(add(p, scale(u, t)), scale(n, radius))
