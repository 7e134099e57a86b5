# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex solids: a core with a support function, and a radius that is added to it.

All properties of a kind are defined here: its number, its support function, and the geometry around a support point
(`patch`). All are in the solid's own frame. A ball is a point with a radius, a capsule a segment with a radius; all
other kinds have radius 0.

Source: van den Bergen, Collision Detection in Interactive 3D Environments (2004), section 4.3 (support mappings).
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import jitable, subroutine
from ..spatial import dot, scale
from ..spatial.storage import get3

PLANE, BALL, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID, HULL, MESH = range(9)
"""The kinds. The solid of the lower kind is the first of a pair, except that a mesh always is."""

SOLID = np.dtype(
    [
        ("kind", np.int64),  # PLANE, BALL, …
        ("body", np.int64),  # index of the pose of the body that carries it
        ("owner", np.int64),  # number of the link that it belongs to
        ("number", np.int64),  # number of the shape among the owner's
        ("half", np.float64, 3),  # half of the core's size along its own axes; the radii of an ellipsoid [m]
        ("radius", np.float64),  # radius that is added to the core [m]
        ("origin", np.float64, 3),  # in the body [m]
        ("rotation", np.float64, 9),  # own axes in the body
        ("bounding_radius", np.float64),  # radius of a ball about the origin that contains it [m]; infinite for a plane
        ("category_bits", np.int64),  # bits: the layers that it is on
        ("collide_bits", np.int64),  # bits: the layers that it collides with
        ("first_vertex", np.int64),  # in Hulls or Meshes, as are the next three
        ("vertex_count", np.int64),
        ("first_face", np.int64),
        ("face_count", np.int64),
        ("first_node", np.int64),  # of a mesh's tree, in Meshes
        ("node_count", np.int64),
        ("closed", np.int64),  # whether a mesh is closed
    ],
    align=True,
)
"""A solid, as kernels read it."""


class Hulls(KernelTuple, namedtuple("Hulls", "vertices neighbours_from neighbours planes corners_from corners")):
    """The vertices and faces of all hulls, one after the other.

    Attributes:
        vertices: shape (n, 3) [m].
        neighbours_from, neighbours: those of vertex i are neighbours[neighbours_from[i] : neighbours_from[i + 1]].
        planes: shape (f, 4), each face's outward unit normal and its distance from the hull's origin [m].
        corners_from, corners: those of face i are corners[corners_from[i] : corners_from[i + 1]], counter-clockwise
            seen from outside.
    """


@jitable
def is_curved(solid):
    """Return whether the core has curved surfaces or edges."""
    return solid.kind == CYLINDER or solid.kind == CONE or solid.kind == ELLIPSOID


@subroutine
def support(solid, hulls, d):
    """Return a point of the core that is farthest along `d`."""
    kind = solid.kind
    half = get3(solid.half)
    if kind == BOX:
        return (
            half[0] if d[0] >= 0.0 else -half[0],
            half[1] if d[1] >= 0.0 else -half[1],
            half[2] if d[2] >= 0.0 else -half[2],
        )
    if kind == HULL:
        return get3(hulls.vertices[farthest_vertex(solid, hulls, d)])
    if kind == CAPSULE:
        return 0.0, 0.0, half[2] if d[2] >= 0.0 else -half[2]
    if kind == CYLINDER:
        x, y = rim_support(half[0], d)
        return x, y, half[2] if d[2] >= 0.0 else -half[2]
    if kind == CONE:
        x, y = rim_support(half[0], d)
        if d[2] * half[2] >= d[0] * x + d[1] * y - d[2] * half[2]:
            return 0.0, 0.0, half[2]
        return x, y, -half[2]
    if kind == ELLIPSOID:
        stretched = (half[0] * d[0], half[1] * d[1], half[2] * d[2])
        length = math.sqrt(dot(stretched, stretched))
        if length == 0.0:
            return 0.0, 0.0, half[2]
        k = 1.0 / length
        return half[0] * stretched[0] * k, half[1] * stretched[1] * k, half[2] * stretched[2] * k
    return 0.0, 0.0, 0.0  # a ball's core; planes are handled elsewhere


@jitable
def rim_support(radius, d):
    """Return the point (x, y) of a circle about z that is farthest along d."""
    across = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if across == 0.0:
        return 0.0, 0.0
    return radius * d[0] / across, radius * d[1] / across


@subroutine
def farthest_vertex(solid, hulls, d):
    """Return the number of a hull's vertex that is farthest along `d`.

    A large hull is searched from neighbour to neighbour. This finds the global maximum, since the hull is convex.
    """
    best = solid.first_vertex
    height = dot(get3(hulls.vertices[best]), d)
    if solid.vertex_count <= EXHAUSTIVE_VERTICES:
        for i in range(solid.first_vertex + 1, solid.first_vertex + solid.vertex_count):
            height_i = dot(get3(hulls.vertices[i]), d)
            if height_i > height:
                best, height = i, height_i
        return best
    climbs = True
    while climbs:
        climbs = False
        for k in range(hulls.neighbours_from[best], hulls.neighbours_from[best + 1]):
            i = hulls.neighbours[k]
            height_i = dot(get3(hulls.vertices[i]), d)
            if height_i > height:
                best, height, climbs = i, height_i, True
    return best


EXHAUSTIVE_VERTICES = 24
"""Largest number of vertices at which examining all of them is as fast as the search by neighbours."""

SMOOTH_PATCH = 0
"""Kind of a patch: a surface on which the normal turns in two directions, such as a sphere, or a vertex."""
EDGE_PATCH = 1
"""Kind of a patch: an edge, or a surface such as the side of a cylinder, whose normals turn about one axis only."""
FACE_PATCH = 2
"""Kind of a patch: a flat face, which has one normal."""

ZERO_HESSIAN = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""Second derivatives of the support function of a core without curvature, as a symmetric matrix."""


@subroutine
def patch(solid, hulls, n, patch_kind):
    """Return the geometry around the support point along the unit vector n, from which Newton's method turns n.

    Args:
        n: unit vector in the solid's frame.
        patch_kind: SMOOTH_PATCH, or EDGE_PATCH or FACE_PATCH for the nearest edge or face, which need not contain the
            support point.

    Returns:
        (whether there is such a patch; a point of it; second derivatives of the support function by n as a symmetric
        matrix; the axis about which normals of an edge turn, or the face's normal; the cosine between that axis and all
        normals of the edge).
    """
    kind = solid.kind
    half = get3(solid.half)
    none = (False, (0.0, 0.0, 0.0), ZERO_HESSIAN, (0.0, 0.0, 1.0), 0.0)
    if patch_kind == SMOOTH_PATCH:
        return True, support(solid, hulls, n), support_hessian(solid, hulls, n), (0.0, 0.0, 1.0), 0.0
    up = 1.0 if n[2] >= 0.0 else -1.0
    if kind == BOX:
        return box_patch(half, n, patch_kind)
    if kind == HULL:
        return hull_patch(solid, hulls, n, patch_kind)
    if kind == CAPSULE and patch_kind == EDGE_PATCH:
        return True, (0.0, 0.0, 0.0), ZERO_HESSIAN, (0.0, 0.0, 1.0), 0.0
    if kind == CYLINDER:
        if patch_kind == FACE_PATCH:
            return True, (0.0, 0.0, up * half[2]), ZERO_HESSIAN, (0.0, 0.0, up), 1.0
        x, y = rim_support(half[0], n)
        return True, (x, y, 0.0), support_hessian(solid, hulls, n), (0.0, 0.0, 1.0), 0.0
    if kind == CONE:
        if patch_kind == FACE_PATCH:
            return True, (0.0, 0.0, -half[2]), ZERO_HESSIAN, (0.0, 0.0, -1.0), 1.0
        slant = math.sqrt(4.0 * half[2] * half[2] + half[0] * half[0])
        return True, (0.0, 0.0, half[2]), ZERO_HESSIAN, (0.0, 0.0, 1.0), half[0] / slant
    return none


@subroutine
def support_hessian(solid, hulls, n):
    """Return the second derivatives of the core's support function by the unit vector n.

    They are valid if n is no normal of a flat or straight part.
    """
    kind = solid.kind
    half = get3(solid.half)
    if kind == ELLIPSOID:
        p = support(solid, hulls, n)
        k = 1.0 / dot(p, n)
        return (
            k * (half[0] * half[0] - p[0] * p[0]),
            -k * p[0] * p[1],
            -k * p[0] * p[2],
            k * (half[1] * half[1] - p[1] * p[1]),
            -k * p[1] * p[2],
            k * (half[2] * half[2] - p[2] * p[2]),
        )
    if kind == CYLINDER or (kind == CONE and support(solid, hulls, n)[2] < 0.0):
        across2 = n[0] * n[0] + n[1] * n[1]
        if across2 > 0.0:
            k = half[0] / (across2 * math.sqrt(across2))
            return k * n[1] * n[1], -k * n[0] * n[1], 0.0, k * n[0] * n[0], 0.0, 0.0
    return ZERO_HESSIAN


@jitable
def box_patch(half, n, patch_kind):
    """Return the nearest edge (EDGE_PATCH) or the nearest face (FACE_PATCH) of a box, as `patch` does."""
    p = (
        half[0] if n[0] >= 0.0 else -half[0],
        half[1] if n[1] >= 0.0 else -half[1],
        half[2] if n[2] >= 0.0 else -half[2],
    )
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    if patch_kind == FACE_PATCH:
        if x >= y and x >= z:
            axis = (1.0 if n[0] >= 0.0 else -1.0, 0.0, 0.0)
        elif y >= z:
            axis = (0.0, 1.0 if n[1] >= 0.0 else -1.0, 0.0)
        else:
            axis = (0.0, 0.0, 1.0 if n[2] >= 0.0 else -1.0)
        return True, p, ZERO_HESSIAN, axis, 1.0
    if x <= y and x <= z:
        axis = (1.0, 0.0, 0.0)
    elif y <= z:
        axis = (0.0, 1.0, 0.0)
    else:
        axis = (0.0, 0.0, 1.0)
    return True, p, ZERO_HESSIAN, axis, 0.0


@jitable
def hull_patch(solid, hulls, n, patch_kind):
    """Return the patch of a hull, as `patch` does.

    It is the face with the nearest normal, or the edge from the support point that is nearest to perpendicular to n.
    """
    if patch_kind == FACE_PATCH and solid.face_count == 0:  # a segment or a point
        return False, (0.0, 0.0, 0.0), ZERO_HESSIAN, (0.0, 0.0, 1.0), 0.0
    if patch_kind == FACE_PATCH:
        face = nearest_face(solid, hulls, n)
        return (
            True,
            get3(hulls.vertices[hulls.corners[hulls.corners_from[face]]]),
            ZERO_HESSIAN,
            get3(hulls.planes[face]),
            1.0,
        )
    top = farthest_vertex(solid, hulls, n)
    p = get3(hulls.vertices[top])
    flattest, axis, found = -math.inf, (0.0, 0.0, 1.0), False
    for k in range(hulls.neighbours_from[top], hulls.neighbours_from[top + 1]):
        other = get3(hulls.vertices[hulls.neighbours[k]])
        edge = (other[0] - p[0], other[1] - p[1], other[2] - p[2])
        length = math.sqrt(dot(edge, edge))
        if length > 0.0 and dot(edge, n) > flattest * length:
            flattest, axis, found = dot(edge, n) / length, scale(edge, 1.0 / length), True
    return found, p, ZERO_HESSIAN, axis, 0.0


@subroutine
def nearest_face(solid, hulls, n):
    """Return the number of the face whose normal is nearest to n, of a hull that has faces."""
    best, most = solid.first_face, -math.inf
    for i in range(solid.first_face, solid.first_face + solid.face_count):
        found = dot(get3(hulls.planes[i]), n)
        if found > most:
            best, most = i, found
    return best
