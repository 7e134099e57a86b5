"""Quickhull's loop: the point farthest outside becomes a corner, until no point lies outside by more than a tolerance.

Source: Barber, Dobkin, Huhdanpaa, The quickhull algorithm for convex hulls, ACM Trans. Math. Software 22 (1996).
"""

from __future__ import annotations

import math

from ..jit import jitable, kernel, subroutine
from ..spatial import cross, dot, scale, sub
from ..spatial.storage import get3

USED, FREE, CORNERS = range(3)
"""Entries of `counts`: slots of faces that were ever in use, free ones among these, and corners of the hull."""

NOBODY = -1
"""Owner of a point that lies outside of no face."""

ORPHAN = -2
"""Owner of a point whose face has just been replaced."""


@kernel
def grow_hull(points, triangles, planes, alive, owners, heights, free, edges, counts, exact, simplified, enough):
    """Add corners to a hull of triangles. Returns by how much a point still lies outside, at most [m].

    Args:
        points: shape (n, 3) [m].
        triangles: shape (f, 3), the corners of each face, counter-clockwise seen from outside. The first counts[USED]
            rows hold a tetrahedron at the start. alive: shape (f,), whether a face is one of the hull.
        planes: shape (f, 4), outward unit normals and distances from the origin [m]; written here.
        owners, heights: shape (n,), the face that a point lies outside of, and how far [m]; written here.
        free, edges: room, shapes (f,) and (f, 2). counts: shape (3,), see `USED`.
        exact, simplified: tolerances [m] below and from `enough` corners.
    """
    for face in range(counts[USED]):
        write_plane(points, triangles, planes, face)
    for i in range(points.shape[0]):
        owners[i], heights[i] = NOBODY, 0.0
        for face in range(counts[USED]):
            claim(points, planes, owners, heights, i, face)
    while True:
        top = farthest(heights)
        if heights[top] <= (exact if counts[CORNERS] < enough else simplified):
            return heights[top]
        add_corner(points, triangles, planes, alive, owners, heights, free, edges, counts, top, -0.1 * exact)
        counts[CORNERS] += 1


@jitable
def farthest(heights):
    """Return the number of the point that lies farthest outside."""
    top = 0
    for i in range(1, heights.shape[0]):
        if heights[i] > heights[top]:
            top = i
    return top


@jitable
def above(planes, face, p):
    """Return how far a point is in front of a face's plane [m]."""
    return dot(get3(planes[face]), p) - planes[face, 3]


@jitable
def claim(points, planes, owners, heights, i, face):
    """Let a face own a point that lies farther outside of it than of any face before."""
    height = above(planes, face, get3(points[i]))
    if height > heights[i]:
        owners[i], heights[i] = face, height


@subroutine
def write_plane(points, triangles, planes, face):
    """Write the plane of a triangle. One without an area has the normal 0, and nothing lies outside of it."""
    a, b, c = (get3(points[triangles[face, 0]]), get3(points[triangles[face, 1]]), get3(points[triangles[face, 2]]))
    normal = cross(sub(b, a), sub(c, a))
    length = math.sqrt(dot(normal, normal))
    if length > 0.0:
        normal = scale(normal, 1.0 / length)
    planes[face, 0], planes[face, 1], planes[face, 2] = normal
    planes[face, 3] = dot(normal, a)


@subroutine
def add_corner(points, triangles, planes, alive, owners, heights, free, edges, counts, corner, least):
    """Replace the faces that see a corner by faces from their outline to the corner."""
    p = get3(points[corner])
    seen = 0  # the slots of faces that see the corner go to the end of `free`
    for face in range(counts[USED]):
        if alive[face] and above(planes, face, p) > least:
            free[counts[FREE] + seen] = face
            seen += 1
    count = outline(triangles, free, counts[FREE], seen, edges)
    for k in range(seen):
        alive[free[counts[FREE] + k]] = 0
    for i in range(points.shape[0]):
        if owners[i] >= 0 and not alive[owners[i]]:
            owners[i], heights[i] = ORPHAN, 0.0
    counts[FREE] += seen
    added = add_faces(points, triangles, planes, alive, free, edges, counts, corner, count)
    for i in range(points.shape[0]):
        if owners[i] == ORPHAN:
            owners[i] = NOBODY
            for k in range(added if i != corner else 0):
                claim(points, planes, owners, heights, i, edges[k, 0])


@subroutine
def add_faces(points, triangles, planes, alive, free, edges, counts, corner, count):
    """Add a face from each of the first `count` edges to the corner, and write its number in place of the edge.

    Returns how many there is room for: all, unless rounding has torn the hull.
    """
    for k in range(count):
        if counts[FREE] > 0:
            counts[FREE] -= 1
            face = free[counts[FREE]]
        elif counts[USED] < triangles.shape[0]:
            face = counts[USED]
            counts[USED] += 1
        else:
            return k
        alive[face] = 1
        triangles[face, 0], triangles[face, 1], triangles[face, 2] = edges[k, 0], edges[k, 1], corner
        write_plane(points, triangles, planes, face)
        edges[k, 0] = face
    return count


@subroutine
def outline(triangles, free, begin, seen, edges):
    """Write the edges that only one of the seen faces has to `edges`. Returns their number."""
    count = 0
    for k in range(seen):
        for side in range(3):
            start = triangles[free[begin + k], side]
            end = triangles[free[begin + k], (side + 1) % 3]
            shared = False
            for other in range(seen):
                t = free[begin + other]
                for j in range(3):
                    if triangles[t, j] == end and triangles[t, (j + 1) % 3] == start:
                        shared = True
            if not shared and count < edges.shape[0]:
                edges[count, 0], edges[count, 1] = start, end
                count += 1
    return count
