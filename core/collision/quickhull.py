# SPDX-License-Identifier: GPL-3.0-or-later
"""The loop of the quickhull algorithm.

The point farthest outside becomes a corner, until no point lies outside by more than a tolerance. The hull is a closed
surface of triangles at any time. The faces that see a corner are found from neighbour to neighbour, so they are
connected. A corner is left outside if its faces are not bounded by a single loop, which rounding can cause.

Source: Barber, Dobkin, Huhdanpaa, The quickhull algorithm for convex hulls, ACM Trans. Math. Software 22 (1996).
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, kernel, subroutine
from ..spatial import cross, dot, scale, sub
from ..spatial.storage import get3

FACE_COUNT, FREE_COUNT, CORNER_COUNT = range(3)
"""Entries of `counts`: face records that were ever in use, free ones among these, and corners of the hull."""

NO_OWNER = -1
"""Owner of a point that lies outside no face."""

ORPHAN = -2
"""Owner of a point whose face has just been replaced."""


@kernel
def grow_hull(points, hull, owners, heights, work, counts, exact_error, simplified_error, max_exact_corners):
    """Add corners to a hull of triangles. Return the largest distance by which a point still lies outside [m].

    Args:
        points: shape (n, 3) [m].
        hull: (triangles, neighbours, planes, alive). triangles: shape (f, 3), corners counter-clockwise seen from
            outside. neighbours: shape (f, 3), the face beyond the side from corner k to the next. planes: shape (f, 4),
            outward unit normals and distances from the origin [m]; written here. alive: shape (f,), whether a face is
            one of the hull. The first counts[FACE_COUNT] faces are a tetrahedron at the start.
        owners, heights: shape (n,), the face that a point lies outside of, and how far [m]; written here.
        work: (free, visible, horizon), work arrays of shapes (f,), (f,) and (f, 3).
        counts: shape (3,), see `FACE_COUNT`.
        exact_error: tolerance for fewer corners than `max_exact_corners` [m].
        simplified_error: tolerance from `max_exact_corners` corners on [m].
        max_exact_corners: number of corners from which on the hull is simplified.
    """
    planes, largest_height = hull[2], 0.0
    for face in range(counts[FACE_COUNT]):
        write_plane(points, hull[0], planes, face)
    for i in range(points.shape[0]):
        owners[i], heights[i] = NO_OWNER, 0.0
        for face in range(counts[FACE_COUNT]):
            update_owner(points, planes, owners, heights, i, face)
    while True:
        top = farthest(heights)
        if heights[top] <= (exact_error if counts[CORNER_COUNT] < max_exact_corners else simplified_error):
            return max(largest_height, heights[top])
        if add_corner(points, hull, owners, heights, work, counts, top, -0.1 * exact_error):
            counts[CORNER_COUNT] += 1
        else:
            largest_height = max(largest_height, heights[top])
            owners[top], heights[top] = NO_OWNER, 0.0


@jitable
def farthest(heights):
    """Return the number of the point that lies farthest outside."""
    top = 0
    for i in range(1, heights.shape[0]):
        if heights[i] > heights[top]:
            top = i
    return top


@jitable
def height_above_face(planes, face, p):
    """Return the signed distance of a point from a face's plane, positive outside [m]."""
    return dot(get3(planes[face]), p) - planes[face, 3]


@jitable
def update_owner(points, planes, owners, heights, i, face):
    """Make a face the owner of a point that lies farther outside of it than of its present owner."""
    height = height_above_face(planes, face, get3(points[i]))
    if height > heights[i]:
        owners[i], heights[i] = face, height


@subroutine
def write_plane(points, triangles, planes, face):
    """Write the plane of a triangle. A triangle without area gets the normal 0, and no point lies outside of it."""
    a, b, c = (get3(points[triangles[face, 0]]), get3(points[triangles[face, 1]]), get3(points[triangles[face, 2]]))
    normal = cross(sub(b, a), sub(c, a))
    length = math.sqrt(dot(normal, normal))
    if length > 0.0:
        normal = scale(normal, 1.0 / length)
    planes[face, 0], planes[face, 1], planes[face, 2] = normal
    planes[face, 3] = dot(normal, a)


@subroutine
def add_corner(points, hull, owners, heights, work, counts, corner, least):
    """Replace the faces that see a corner by faces from their outline to the corner.

    Return whether that was possible.
    """
    triangles, neighbours, planes, alive = hull
    free, visible, horizon = work
    count = find_visible_faces(points, hull, visible, owners[corner], corner, least)
    sides = write_horizon(triangles, neighbours, alive, visible, count, horizon)
    if (
        not sort_into_loop(horizon, sides)
        or counts[FACE_COUNT] + sides - counts[FREE_COUNT] - count > triangles.shape[0]
    ):
        for k in range(count):
            alive[visible[k]] = 1
        return False
    for k in range(count):
        alive[visible[k]] = 0
        free[counts[FREE_COUNT]] = visible[k]
        counts[FREE_COUNT] += 1
    for i in range(points.shape[0]):
        if owners[i] >= 0 and not alive[owners[i]]:
            owners[i], heights[i] = ORPHAN, 0.0
    add_faces(points, hull, free, horizon, counts, corner, sides)
    for i in range(points.shape[0]):
        if owners[i] == ORPHAN:
            owners[i] = NO_OWNER
            for k in range(sides if i != corner else 0):
                update_owner(points, planes, owners, heights, i, horizon[k, 0])
    return True


@subroutine
def find_visible_faces(points, hull, visible, first, corner, least):
    """Write to `visible` the faces that see a corner, from neighbour to neighbour, and mark them by alive = 2.

    Return their number.
    """
    _triangles, neighbours, planes, alive = hull
    p = get3(points[corner])
    visible[0], count, next_visible = first, 1, 0
    alive[first] = 2
    while next_visible < count:
        for side in range(3):
            face = neighbours[visible[next_visible], side]
            if alive[face] == 1 and height_above_face(planes, face, p) > least:
                alive[face] = 2
                visible[count] = face
                count += 1
        next_visible += 1
    return count


@subroutine
def write_horizon(triangles, neighbours, alive, visible, count, horizon):
    """Write the sides between seen and unseen faces to `horizon`: start, end, unseen face. Return their number."""
    sides = 0
    for k in range(count):
        face = visible[k]
        for side in range(3):
            beyond = neighbours[face, side]
            if alive[beyond] == 1 and sides < horizon.shape[0]:
                horizon[sides, 0] = triangles[face, side]
                horizon[sides, 1] = triangles[face, (side + 1) % 3]
                horizon[sides, 2] = beyond
                sides += 1
    return sides


@subroutine
def sort_into_loop(horizon, sides):
    """Sort the sides so that each begins where the previous one ends. Return whether they form one loop."""
    if sides < 3:
        return False
    for k in range(sides - 1):
        following = -1
        for other in range(k + 1, sides):
            if horizon[other, 0] == horizon[k, 1]:
                if following >= 0:
                    return False  # two sides begin there
                following = other
        if following < 0:
            return False
        for j in range(3):
            horizon[k + 1, j], horizon[following, j] = horizon[following, j], horizon[k + 1, j]
    return horizon[sides - 1, 1] == horizon[0, 0]


@subroutine
def add_faces(points, hull, free, horizon, counts, corner, sides):
    """Add a face from each side of the horizon to the corner. Write the number of the face to horizon[k, 0]."""
    triangles, neighbours, planes, alive = hull
    for k in range(sides):
        if counts[FREE_COUNT] > 0:
            counts[FREE_COUNT] -= 1
            face = free[counts[FREE_COUNT]]
        else:
            face = counts[FACE_COUNT]
            counts[FACE_COUNT] += 1
        alive[face] = 1
        start, end, beyond = horizon[k, 0], horizon[k, 1], horizon[k, 2]
        triangles[face, 0], triangles[face, 1], triangles[face, 2] = start, end, corner
        write_plane(points, triangles, planes, face)
        neighbours[face, 0] = beyond
        for side in range(3):
            if triangles[beyond, side] == end and triangles[beyond, (side + 1) % 3] == start:
                neighbours[beyond, side] = face
        horizon[k, 0] = face
    for k in range(sides):
        neighbours[horizon[k, 0], 1] = horizon[(k + 1) % sides, 0]
        neighbours[horizon[k, 0], 2] = horizon[k - 1 if k else sides - 1, 0]
