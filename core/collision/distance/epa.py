# SPDX-License-Identifier: GPL-3.0-or-later
"""The penetration depth of two convex cores: the expanding polytope algorithm (EPA).

A polytope inside the Minkowski difference of the cores is expanded at its face nearest to the origin. Each support
point gives an upper bound of the depth, and the nearest face a lower bound. The algorithm ends when both agree. If
rounding or the size of the arrays ends it earlier, the best upper bound is still a depth by which the cores can be
separated.

Source: van den Bergen, Proximity queries and penetration depth computation on 3D game objects, GDC (2001).
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...compilation.abi import KernelTuple
from ...compilation.jit import jitable, subroutine
from ...spatial import add, cross, dot, scale, sub
from ...spatial.storage import get3, put3
from .gjk import PRECISION, support_of_difference

MAX_CORNERS = 160
"""Largest number of corners of a polytope. A pair of curved cores needs about sixty."""
MAX_FACES = 640
"""Number of face records of a polytope."""
MAX_EDGES = 240
"""Largest number of edges around the hole that removed faces leave."""

EPA_COPLANAR_DISTANCE = 1e-15
"""Distance below a face's plane, as a fraction of the solids' size, up to which a point counts as in the plane."""

FACE = np.dtype(
    [
        ("corners", np.int64, 3),  # counter-clockwise seen from outside
        ("normal", np.float64, 3),  # outward unit normal
        ("distance", np.float64),  # of its plane from the origin [m]; infinite for a removed face
    ],
    align=True,
)
"""A face of a polytope."""


class Polytope(KernelTuple, namedtuple("Polytope", "rows faces edges")):
    """Work arrays for a polytope.

    Attributes:
        rows: its corners, shape (MAX_CORNERS, 9), as in simplex.py.
        faces: FACE records, shape (MAX_FACES,).
        edges: numbers of two corners, shape (MAX_EDGES, 2).
    """


def make_polytope() -> Polytope:
    return Polytope(
        np.zeros((MAX_CORNERS, 9)), np.zeros(MAX_FACES, FACE).view(np.recarray), np.zeros((MAX_EDGES, 2), np.int64)
    )


@subroutine
def epa_penetration(A, B, hulls, R, c, size, precision, work, count):
    """Return the shortest translation that separates two cores that overlap or touch.

    Args:
        A, B, hulls, R, c, size, precision: as in gjk.gjk_distance.
        work: a Polytope. Its first `count` rows hold the simplex with which GJK ended.
        count: number of corners of that simplex.

    Returns:
        (depth [m], unit direction from A to B in which B separates, a point of A and a point of B that separate last).
    """
    rows, faces = work.rows, work.faces
    if count < 4 or is_flat(rows, size):
        count, flat = complete_tetrahedron(A, B, hulls, R, c, size, rows, count)
        if count < 4:  # the difference has no volume
            return 0.0, flat, get3(rows[0], 3), get3(rows[0], 6)
    start_faces(rows, faces)
    corners, face_count = 4, 4
    depth, n, top = math.inf, (0.0, 0.0, 1.0), 0
    while corners < MAX_CORNERS:
        nearest = nearest_face(faces, face_count)
        if nearest < 0:
            break
        face = faces[nearest]
        normal, lower = get3(face.normal), face.distance
        support_of_difference(A, B, hulls, R, c, normal, rows[corners])
        w = get3(rows[corners])
        upper = dot(normal, w)
        if upper < depth:
            depth, n, top = upper, normal, corners
        if depth - lower <= precision * size:
            break
        corners += 1
        expanded_count = expand_polytope(work, face_count, corners - 1, EPA_COPLANAR_DISTANCE * size)
        if expanded_count < 0:
            break
        face_count = expanded_count
    if depth == math.inf:
        depth, n = 0.0, (0.0, 0.0, 1.0)
    a, b = witness_points_of_face(rows, faces, face_count, top, n)
    return max(depth, 0.0), scale(n, -1.0), a, b


@jitable
def is_flat(rows, size):
    a, b, c, d = get3(rows[0]), get3(rows[1]), get3(rows[2]), get3(rows[3])
    return abs(dot(cross(sub(b, a), sub(c, a)), sub(d, a))) <= PRECISION * size * size * size


@subroutine
def complete_tetrahedron(A, B, hulls, R, c, size, rows, count):
    """Write to `rows` a tetrahedron in the difference of the cores.

    Returns:
        (number of corners, less than 4 if the difference has no volume; a unit normal of the difference in that case).
    """
    support_of_difference(A, B, hulls, R, c, (1.0, 0.0, 0.0), rows[0])
    a = get3(rows[0])
    tried = farthest_from(A, B, hulls, R, c, rows, 1, a, (0.0, 0.0, 0.0))
    if tried <= PRECISION * size:
        return 1, (0.0, 0.0, 1.0)
    ab = sub(get3(rows[1]), a)
    ab = scale(ab, 1.0 / math.sqrt(dot(ab, ab)))
    tried = farthest_from(A, B, hulls, R, c, rows, 2, a, ab)
    if tried <= PRECISION * size:
        return 2, across_of(ab)
    n = cross(ab, sub(get3(rows[2]), a))
    n = scale(n, 1.0 / math.sqrt(dot(n, n)))
    support_of_difference(A, B, hulls, R, c, n, rows[3])
    if dot(n, sub(get3(rows[3]), a)) <= PRECISION * size:
        n = scale(n, -1.0)
        support_of_difference(A, B, hulls, R, c, n, rows[3])
        if dot(n, sub(get3(rows[3]), a)) <= PRECISION * size:
            return 3, n
    return 4, n


@subroutine
def farthest_from(A, B, hulls, R, c, rows, row, a, along):
    """Write to rows[row] the support point that is farthest from a point, or from a line through it.

    Six directions are tried. Return the distance [m].

    Args:
        a: the point.
        along: unit vector along the line; 0 if there is no line.
    """
    best, chosen = -1.0, (1.0, 0.0, 0.0)
    for k in range(6):
        sign = 1.0 if k < 3 else -1.0
        d = (sign if k % 3 == 0 else 0.0, sign if k % 3 == 1 else 0.0, sign if k % 3 == 2 else 0.0)
        d = sub(d, scale(along, dot(along, d)))
        if dot(d, d) < 0.1:
            continue
        support_of_difference(A, B, hulls, R, c, d, rows[row])
        away = sub(get3(rows[row]), a)
        away = sub(away, scale(along, dot(along, away)))
        if dot(away, away) > best:
            best, chosen = dot(away, away), d
    support_of_difference(A, B, hulls, R, c, chosen, rows[row])
    return math.sqrt(max(best, 0.0))


@jitable
def across_of(axis):
    """Return a unit vector perpendicular to a unit vector."""
    x = cross((1.0, 0.0, 0.0) if abs(axis[0]) < 0.7 else (0.0, 1.0, 0.0), axis)
    return scale(x, 1.0 / math.sqrt(dot(x, x)))


@subroutine
def start_faces(rows, faces):
    """Write the four faces of a tetrahedron. Each faces away from the corner that it does not contain."""
    for k in range(4):
        i, j, m, other = (
            (0, 1, 2, 3) if k == 0 else (0, 3, 1, 2) if k == 1 else (0, 2, 3, 1) if k == 2 else (1, 3, 2, 0)
        )
        p = get3(rows[i])
        n = cross(sub(get3(rows[j]), p), sub(get3(rows[m]), p))
        if dot(n, sub(get3(rows[other]), p)) > 0.0:
            j, m = m, j
        put_face(rows, faces[k], i, j, m)


@subroutine
def put_face(rows, face, i, j, m):
    """Write the face with corners i, j and m, counter-clockwise seen from outside. Return whether it has an area."""
    p = get3(rows[i])
    n = cross(sub(get3(rows[j]), p), sub(get3(rows[m]), p))
    length = math.sqrt(dot(n, n))
    face.corners[0], face.corners[1], face.corners[2] = i, j, m
    if not length > 0.0:
        face.distance = math.inf
        return False
    n = scale(n, 1.0 / length)
    put3(face.normal, n)
    face.distance = dot(n, p)
    return True


@subroutine
def nearest_face(faces, face_count):
    best, distance = -1, math.inf
    for i in range(face_count):
        if faces[i].distance < distance:
            best, distance = i, faces[i].distance
    return best


@subroutine
def expand_polytope(work, face_count, corner, least):
    """Remove the faces that see a new corner, and connect the edges of the hole to it.

    A face whose plane contains the corner, within `least` [m], is removed too, since it could leave a new face without
    an area. New faces use the records of removed ones. Return the number of face records in use, or -1 if that is
    impossible.
    """
    rows, faces, edges = work.rows, work.faces, work.edges
    w = get3(rows[corner])
    open_edges = 0
    for i in range(face_count):
        face = faces[i]
        if face.distance == math.inf or dot(get3(face.normal), w) - face.distance < -least:
            continue
        face.distance = math.inf
        for k in range(3):
            start, end = face.corners[k], face.corners[(k + 1) % 3]
            open_edges = toggle_edge(edges, open_edges, start, end)
            if open_edges < 0:
                return -1
    if open_edges < 3:
        return -1
    free_face = 0
    for k in range(open_edges):
        while free_face < face_count and faces[free_face].distance != math.inf:
            free_face += 1
        if free_face == face_count:
            if face_count == MAX_FACES:
                return -1
            face_count += 1
        if not put_face(rows, faces[free_face], edges[k, 0], edges[k, 1], corner):
            return -1
        free_face += 1
    return face_count


@subroutine
def toggle_edge(edges, count, start, end):
    """Add an edge of a removed face to the edges of the hole, or remove it if the other face had it.

    An edge that two removed faces share lies inside the hole. Return the number of edges, or -1 if `edges` is too
    short.
    """
    for i in range(count):
        if edges[i, 0] == end and edges[i, 1] == start:
            edges[i, 0], edges[i, 1] = edges[count - 1, 0], edges[count - 1, 1]
            return count - 1
    if count == MAX_EDGES:
        return -1
    edges[count, 0], edges[count, 1] = start, end
    return count + 1


@subroutine
def witness_points_of_face(rows, faces, face_count, top, n):
    """Return the points of A and of B whose difference is the polytope's surface point on the line along n.

    Several faces may lie in the plane nearest to the origin. The face that contains the point is taken. If the polytope
    has no faces, return the points of row `top`.
    """
    most, a, b = -math.inf, get3(rows[top], 3), get3(rows[top], 6)
    for i in range(face_count):
        face = faces[i]
        ahead = dot(get3(face.normal), n)
        if face.distance == math.inf or not ahead > 0.0:
            continue
        i, j, k = face.corners[0], face.corners[1], face.corners[2]
        at = scale(n, face.distance / ahead)
        p, q, r = sub(get3(rows[i]), at), sub(get3(rows[j]), at), sub(get3(rows[k]), at)
        u, v, w = dot(n, cross(q, r)), dot(n, cross(r, p)), dot(n, cross(p, q))
        total = u + v + w
        if total == 0.0:
            continue
        u, v, w = u / total, v / total, w / total
        if min(u, v, w) > most:
            most = min(u, v, w)
            u, v, w = max(u, 0.0), max(v, 0.0), max(w, 0.0)  # rounding can place it outside a narrow triangle
            total = u + v + w
            u, v, w = u / total, v / total, w / total
            a = add(add(scale(get3(rows[i], 3), u), scale(get3(rows[j], 3), v)), scale(get3(rows[k], 3), w))
            b = add(add(scale(get3(rows[i], 6), u), scale(get3(rows[j], 6), v)), scale(get3(rows[k], 6), w))
    return a, b
