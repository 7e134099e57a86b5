# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pieces of two solids touch in a point of their manifold, and what their surfaces make of it.

The pieces are read off the place of the point on either solid, so that this knows nothing of how manifolds are found.
"""

from __future__ import annotations

import math

import numpy as np

from ..collision.solids import BALL, BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, nearest_face
from ..jit import jitable, subroutine
from ..spatial import add, cross, dot, rotate, rotate_back, scale, sub
from ..spatial.storage import get3, get9, put3, put9
from .contact_kinematics import PARALLEL
from .points import FACE, FREE, LINE, OVAL, RING, ROUND, STICKS

FLAT = 1e-6
"""Sine of the angle between a face's normal and the contact's up to which the face is what touches."""
NEAR = 1e-7
"""Part of a solid's size by which a point may be off a corner, an edge or a rim that it is on."""
BLUNT = 1e-9
"""Likewise, of two radii together, from which on what is round has a normal of its own."""
EVEN = 0.1
"""Sine of the angle up to which two edges touch along both, as manifolds have it."""

SURFACE = np.dtype(
    [
        ("friction", np.float64),
        ("holding", np.float64),
        ("restitution", np.float64),
        ("stiffness", np.float64),
        ("dissipation", np.float64),
        ("rolling", np.float64),
        ("spinning", np.float64),
        ("slip_speed", np.float64),
        ("belt", np.float64, 3),  # in the body's axes [m/s]
    ],
    align=True,
)
"""core/geometry/surfaces.py says what these mean."""


@subroutine
def make_point(point, contact, solids, surfaces, store, placed):
    """Fill in a POINT from a CONTACT record: its pieces, its surfaces, nothing that holds yet."""
    A, B = solids[contact.first], solids[contact.second]
    point.first, point.second, point.name = contact.first, contact.second, contact.name
    n, middle = get3(contact.normal), get3(contact.point)
    put3(point.normal, n)
    one, other = point.one, point.other
    flat_a = write_piece(one, A, store, placed[contact.first], sub(middle, scale(n, 0.5 * contact.gap)), n)
    flat_b = write_piece(
        other, B, store, placed[contact.second], add(middle, scale(n, 0.5 * contact.gap)), scale(n, -1.0)
    )
    if one.kind == FACE and (other.kind != FACE or flat_a <= flat_b):
        match_face(other, B)
    elif other.kind == FACE:
        match_face(one, A)
    else:
        blown = one.radius + other.radius
        match_round(one, other, A, B, n, blown, placed[contact.first], placed[contact.second])
    fix_to_body(one, A)
    fix_to_body(other, B)
    put3(one.belt, get3(surfaces[contact.first].belt))
    put3(other.belt, get3(surfaces[contact.second].belt))
    join_surfaces(point, surfaces[contact.first], surfaces[contact.second])
    point.level, point.bounces, point.known_load, point.given = 0.0, 0, 0.0, 0
    put3(point.known_force, (0.0, 0.0, 0.0))
    put3(point.known_torque, (0.0, 0.0, 0.0))
    point.slide = STICKS if point.friction > 0.0 else FREE
    point.roll = STICKS if point.rolling > 0.0 else FREE
    point.spin = STICKS if point.spinning > 0.0 else FREE
    put3(point.slip, (0.0, 0.0, 0.0))
    put3(point.roll_slip, (0.0, 0.0, 0.0))
    point.spin_slip, point.load = 0.0, 0.0


@subroutine
def write_piece(piece, solid, store, place, p, n):
    """Say in the solid's own axes what of it lies at p, a point of its surface, with outward normal n, in the world.

    Returns the sine of the angle between n and the normal of what is flat.
    """
    R = get9(place.rotation)
    p, n = rotate_back(R, sub(p, get3(place.origin))), rotate_back(R, n)
    kind, half, near = solid.kind, get3(solid.half), NEAR * solid.reach
    core = sub(p, scale(n, solid.radius))
    put3(piece.at, core)
    put3(piece.along, n)
    piece.kind, piece.radius, piece.body = ROUND, solid.radius, solid.body
    if kind == BALL:
        put3(piece.at, (0.0, 0.0, 0.0))
    elif kind == CAPSULE:
        piece.kind = LINE if abs(p[2]) < half[2] - near else ROUND
        put3(piece.at, (0.0, 0.0, min(max(core[2], -half[2]), half[2])))
        put3(piece.along, (0.0, 0.0, 1.0))
    elif kind == BOX:
        return write_box(piece, half, p, n, near)
    elif kind == HULL:
        return write_hull(piece, solid, store.hulls, p, n, near)
    elif kind in (CYLINDER, CONE):
        return write_turned(piece, kind, half, p, n, near)
    elif kind == ELLIPSOID:
        piece.kind = OVAL
        put3(piece.at, (0.0, 0.0, 0.0))
        put3(piece.half, half)
    else:  # a half-space, or what of a mesh is there
        piece.kind = FACE
        return 0.0
    return 1.0


@jitable
def write_box(piece, half, p, n, near):
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    k = 0 if x >= y and x >= z else 1 if y >= z else 2
    u, v = n[(k + 1) % 3], n[(k + 2) % 3]
    off = math.sqrt(u * u + v * v)
    if off <= FLAT:
        piece.kind = FACE
        side = 1.0 if n[k] >= 0.0 else -1.0
        put3(piece.along, (side if k == 0 else 0.0, side if k == 1 else 0.0, side if k == 2 else 0.0))
        return off
    ends, free = 0, -1
    for j in range(3):
        if half[j] - abs(p[j]) <= near:
            ends += 1
        else:
            free = j
    if ends == 2:
        piece.kind = LINE
        put3(piece.along, (1.0 if free == 0 else 0.0, 1.0 if free == 1 else 0.0, 1.0 if free == 2 else 0.0))
    return 1.0


@jitable
def write_hull(piece, solid, hulls, p, n, near):
    if solid.face_count == 0:
        return 1.0
    face = get3(hulls.planes[nearest_face(solid, hulls, n)])
    turned = cross(face, n)
    off = math.sqrt(dot(turned, turned))
    if off <= FLAT and dot(face, n) > 0.0:
        piece.kind = FACE
        put3(piece.along, face)
        return off
    found, first, second = 0, face, face
    for i in range(solid.first_face, solid.first_face + solid.face_count):
        plane = hulls.planes[i]
        if plane[3] - dot(get3(plane), p) <= near:
            if found == 0:
                first = get3(plane)
            elif found == 1:
                second = get3(plane)
            found += 1
    along = cross(first, second)
    length = math.sqrt(dot(along, along))
    if found == 2 and length > PARALLEL:
        piece.kind = LINE
        put3(piece.along, scale(along, 1.0 / length))
    return 1.0


@jitable
def write_turned(piece, kind, half, p, n, near):
    """Of a cylinder or a cone: a base, a rim, the cylinder's side, or the tip; the cone's side is a ring of it."""
    off = math.sqrt(n[0] * n[0] + n[1] * n[1])
    if off <= FLAT and (kind == CYLINDER or n[2] < 0.0):
        piece.kind = FACE
        put3(piece.along, (0.0, 0.0, 1.0 if n[2] > 0.0 else -1.0))
        return off
    reach = math.sqrt(p[0] * p[0] + p[1] * p[1])
    beside = abs(p[0] * n[1] - p[1] * n[0])
    outward = p[0] * n[0] + p[1] * n[1]
    if reach <= near or outward <= 0.0 or beside > 1e-6 * reach * off:  # the tip, or some other place of a rim
        return 1.0
    put3(piece.at, (0.0, 0.0, p[2]))
    put3(piece.along, (0.0, 0.0, 1.0))
    piece.radius = reach
    piece.kind = LINE if kind == CYLINDER and abs(n[2]) <= FLAT else RING
    return 1.0


@jitable
def match_face(piece, solid):
    """What of a solid touches a face: of a face or an edge its point, of a round side the circle there."""
    if piece.kind == FACE:
        piece.kind = ROUND
    elif piece.kind == LINE:
        piece.kind = RING if solid.kind == CYLINDER else ROUND


@subroutine
def match_round(one, other, A, B, n, blown, at_one, at_other):
    """Two pieces that are no faces. Where nothing tells a normal of its own, the contact's is that of a face."""
    R_A, R_B = get9(at_one.rotation), get9(at_other.rotation)
    m_A, m_B = rotate_back(R_A, n), rotate_back(R_B, scale(n, -1.0))
    if one.kind == LINE and other.kind == LINE:
        across = cross(rotate(R_A, get3(one.along)), rotate(R_B, get3(other.along)))
        if dot(across, across) <= EVEN * EVEN:  # they touch along both, in two points
            one.kind = ROUND
    if one.kind == OVAL or (one.kind == RING and other.kind != ROUND and other.kind != OVAL):
        to_face(other, m_B)
    elif other.kind == OVAL or (other.kind == RING and one.kind != ROUND):
        to_face(one, m_A)
    elif blown <= BLUNT * min(A.reach, B.reach) and one.kind == ROUND:
        to_face(other, m_B)
    elif blown <= BLUNT * min(A.reach, B.reach) and other.kind == ROUND:
        to_face(one, m_A)
    else:
        return
    if one.kind == FACE:
        match_face(other, B)
    else:
        match_face(one, A)


@jitable
def to_face(piece, m):
    """Take the plane across the normal m, in the solid's axes, for what is there."""
    out = m
    if piece.kind == RING:
        axis = get3(piece.along)
        out = sub(m, scale(axis, dot(m, axis)))
        out = scale(out, 1.0 / max(math.sqrt(dot(out, out)), PARALLEL))
    put3(piece.at, add(get3(piece.at), scale(out, piece.radius)))
    piece.kind = FACE
    put3(piece.along, m)


@subroutine
def fix_to_body(piece, solid):
    """From the solid's axes to those of its body."""
    R = get9(solid.rotation)
    put3(piece.at, add(get3(solid.origin), rotate(R, get3(piece.at))))
    put3(piece.along, rotate(R, get3(piece.along)))
    put9(piece.rotation, R)


@subroutine
def join_surfaces(point, a, b):
    """As `join` of core/geometry/surfaces.py."""
    point.friction = min(a.friction, b.friction)
    point.holding = max(min(a.holding, b.holding), point.friction)
    point.restitution = max(a.restitution, b.restitution)
    point.rolling, point.spinning = max(a.rolling, b.rolling), max(a.spinning, b.spinning)
    point.slip_speed = max(a.slip_speed, b.slip_speed)
    k, m = a.stiffness, b.stiffness
    if math.isinf(k) and math.isinf(m):
        point.stiffness, point.dissipation = math.inf, 0.5 * (a.dissipation + b.dissipation)
    elif math.isinf(k) or math.isinf(m):
        soft = b if math.isinf(k) else a
        point.stiffness, point.dissipation = soft.stiffness, soft.dissipation
    else:
        point.stiffness = k * m / (k + m)
        point.dissipation = (m * a.dissipation + k * b.dissipation) / (k + m)
    point.is_soft = 0 if math.isinf(point.stiffness) else 1
