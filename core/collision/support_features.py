# SPDX-License-Identifier: GPL-3.0-or-later
"""Support features of convex solids: the face, edge or point that is extreme along a direction, as a list of corners.

manifold.py clips them, and mesh_contacts.py takes the points that may touch a face. A list is in the solid's frame. Its
rows are x, y, z [m] and a name, a number that identifies a corner as long as the feature is the same. Round faces are
polygons of eight corners, one of which is the deepest.

Source: Ericson (2005), section 5.5 (contact regions).
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from ..spatial import dot, scale, sub
from ..spatial.storage import get3
from .solids import BOX, CAPSULE, CONE, CYLINDER, EDGE_PATCH, HULL, nearest_face, patch, rim_support, support

LIST_SIZE = 128
"""Number of rows of a list. A face with more than half as many corners is reduced to fewer."""
MAX_SEGMENT_SINE = 0.1
"""Largest sine of the angle between a segment and the plane across the normal at which the whole segment is the
feature.

If a segment is steeper, one of its ends is too far from the other solid to be in contact, and the feature is a point.
"""
MIN_FACE_COSINE = 0.995
"""Smallest cosine of the angle between a face's normal and the contact normal, 5.7 degrees, at which the face is the
feature.
"""
COS_45 = 0.7071067811865476
"""cos(45 degrees), which turns from one corner of an octagon to the next."""
NAME_COUNT = 4096
"""Number of names for corners of solids. Points that clipping creates have names from here on. The name NAME_COUNT - 1
denotes the contact point of the narrow phase.
"""


@jitable
def write_row(row, p, name):
    row[0], row[1], row[2], row[3] = p[0], p[1], p[2], name


@subroutine
def write_lowest_points(solid, hulls, d, rows):
    """Write to `rows` the core's points that may touch a half-space, and return their number.

    Args:
        d: unit vector into the half-space, in the solid's frame.
    """
    kind = solid.kind
    half = get3(solid.half)
    if kind == BOX:
        for i in range(8):
            p = (half[0] if i & 1 else -half[0], half[1] if i & 2 else -half[1], half[2] if i & 4 else -half[2])
            write_row(rows[i], p, i)
        return 8
    if kind == CAPSULE:
        write_row(rows[0], (0.0, 0.0, -half[2]), 0)
        write_row(rows[1], (0.0, 0.0, half[2]), 1)
        return 2
    if kind in (CYLINDER, CONE):
        x, y = deepest_rim_point(half[0], d)
        low = -half[2] if kind == CONE or d[2] < 0.0 else half[2]
        write_row(rows[0], (x, y, low), 0)
        write_row(rows[1], (-y, x, low), 1)
        write_row(rows[2], (-x, -y, low), 2)
        write_row(rows[3], (y, -x, low), 3)
        write_row(rows[4], (0.0, 0.0, half[2]) if kind == CONE else (x, y, -low), 4)
        return 5
    if kind == HULL and solid.vertex_count <= LIST_SIZE // 2:
        for i in range(solid.vertex_count):
            write_row(rows[i], get3(hulls.vertices[solid.first_vertex + i]), i)
        return solid.vertex_count
    if kind == HULL:
        return write_support_feature(solid, hulls, d, rows)[0]
    write_row(rows[0], support(solid, hulls, d), 0)
    return 1


@jitable
def deepest_rim_point(radius, d):
    """Return the point (x, y) of a circle about z that is farthest along d.

    If d is along the axis, return the point on x, unlike solids.rim_support, which returns the centre: a disc that lies
    flat has contact points there and at the quarters of its rim.
    """
    across = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if across < 1e-9 * abs(d[2]):
        return radius, 0.0
    return rim_support(radius, d)


@subroutine
def write_support_feature(solid, hulls, n, rows):
    """Write to `rows` the core's feature that is extreme along n, in the solid's frame.

    The feature is a polygon, counter-clockwise seen from outside, the two ends of a segment, or a point. Return the
    number of rows, and the unit normal of a face, or else 0.
    """
    kind = solid.kind
    half = get3(solid.half)
    if kind == BOX:
        return write_box_feature(half, n, rows)
    if kind == HULL:
        return write_hull_feature(solid, hulls, n, rows)
    up = 1.0 if n[2] >= 0.0 else -1.0
    if (kind == CYLINDER and abs(n[2]) >= MIN_FACE_COSINE) or (kind == CONE and n[2] <= -MIN_FACE_COSINE):
        x, y = deepest_rim_point(half[0], n)
        z = up * half[2]
        for i in range(8):  # the deepest first, counter-clockwise seen from outside
            write_row(rows[i], (x, y, z), i)
            x, y = COS_45 * (x - up * y), COS_45 * (up * x + y)
        return 8, (0.0, 0.0, up)
    count = 1
    if kind == CAPSULE and abs(n[2]) <= MAX_SEGMENT_SINE:
        write_row(rows[0], (0.0, 0.0, -half[2]), 0)
        write_row(rows[1], (0.0, 0.0, half[2]), 1)
        count = 2
    elif kind == CYLINDER and abs(n[2]) <= MAX_SEGMENT_SINE:
        x, y = rim_support(half[0], n)
        write_row(rows[0], (x, y, -half[2]), 0)
        write_row(rows[1], (x, y, half[2]), 1)
        count = 2
    elif kind == CONE:
        x, y = rim_support(half[0], n)
        slant = math.sqrt(4.0 * half[2] * half[2] + half[0] * half[0])
        write_row(rows[0], (x, y, -half[2]), 0)
        write_row(rows[1], (0.0, 0.0, half[2]), 1)
        out = math.sqrt(max(1.0 - n[2] * n[2], 0.0))
        sine, cosine = out * half[0] - 2.0 * n[2] * half[2], 2.0 * out * half[2] + n[2] * half[0]
        if abs(sine) <= MAX_SEGMENT_SINE * slant and cosine > 0.0:  # near the normal of its side
            return 2, (0.0, 0.0, 0.0)
        write_row(rows[0], support(solid, hulls, n), 0)
    else:
        write_row(rows[0], support(solid, hulls, n), 0)
    return count, (0.0, 0.0, 0.0)


@subroutine
def write_box_feature(half, n, rows):
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    k = 0 if x >= y and x >= z else 1 if y >= z else 2
    u, v = (k + 1) % 3, (k + 2) % 3
    corner = (
        half[0] if n[0] >= 0.0 else -half[0],
        half[1] if n[1] >= 0.0 else -half[1],
        half[2] if n[2] >= 0.0 else -half[2],
    )
    if max(x, y, z) >= MIN_FACE_COSINE:
        flips = 1 if n[k] >= 0.0 else -1
        for i in range(4):
            row = rows[i if flips > 0 else 3 - i]
            row[k], row[u], row[v] = (
                corner[k],
                -half[u] if i == 0 or i == 3 else half[u],
                -half[v] if i < 2 else half[v],
            )
            row[3] = i + (4 * k if flips > 0 else 4 * k + 12)
        outward = float(flips)
        return 4, (outward, 0.0, 0.0) if k == 0 else (0.0, outward, 0.0) if k == 1 else (0.0, 0.0, outward)
    flat = 0 if x <= y and x <= z else 1 if y <= z else 2
    write_row(rows[0], corner, corner_name(corner))
    if min(x, y, z) > MAX_SEGMENT_SINE or half[flat] == 0.0:
        return 1, (0.0, 0.0, 0.0)
    write_row(rows[1], corner, 0)
    rows[0, flat], rows[1, flat] = -half[flat], half[flat]
    rows[0, 3], rows[1, 3] = corner_name(get3(rows[0])), corner_name(get3(rows[1]))
    return 2, (0.0, 0.0, 0.0)


@jitable
def corner_name(p):
    """Return the name of a box's corner in an edge or as a point. Lower numbers are for corners of its six faces."""
    return 24 + (1 if p[0] >= 0.0 else 0) + (2 if p[1] >= 0.0 else 0) + (4 if p[2] >= 0.0 else 0)


@subroutine
def write_hull_feature(solid, hulls, n, rows):
    face = nearest_face(solid, hulls, n) if solid.face_count > 0 else -1
    if face >= 0 and dot(get3(hulls.planes[face]), n) >= MIN_FACE_COSINE:
        start, end = hulls.corners_from[face], hulls.corners_from[face + 1]
        step = 1 + (end - start - 1) // (LIST_SIZE // 2)
        count = 0
        for k in range(start, end, step):
            vertex = hulls.corners[k]
            write_row(rows[count], get3(hulls.vertices[vertex]), vertex - solid.first_vertex)
            count += 1
        return count, get3(hulls.planes[face])
    found, p, _, axis, _ = patch(solid, hulls, n, EDGE_PATCH)
    write_row(rows[0], p, 0)
    if found and abs(dot(axis, n)) <= MAX_SEGMENT_SINE:
        # The other end of the edge: the farthest vertex along its line.
        far, most = p, 0.0
        for k in range(solid.first_vertex, solid.first_vertex + solid.vertex_count):
            other = sub(get3(hulls.vertices[k]), p)
            along = dot(other, axis)
            beside = sub(other, scale(axis, along))
            if along > most and dot(beside, beside) <= 1e-18 * along * along:
                far, most = get3(hulls.vertices[k]), along
        if most > 0.0:
            write_row(rows[1], far, 1)
            return 2, (0.0, 0.0, 0.0)
    return 1, (0.0, 0.0, 0.0)
