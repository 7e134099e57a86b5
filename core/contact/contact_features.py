# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact features: which features of two solids are in contact at a point of their manifold, and the joint surface.

core/solvers/hybrid_contact/contact_events.py calls `make_point` for contacts that close. A feature is found from the
position of the point on its solid, so nothing here depends on how manifolds are computed.
"""

from __future__ import annotations

import math

import numpy as np

from ..collision.solids import BALL, BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, nearest_face
from ..compilation.jit import jitable, subroutine
from ..spatial import add, cross, dot, rotate, rotate_back, scale, sub
from ..spatial.storage import get3, get9, put3, put9
from .contact_kinematics import MIN_LINE_SINE
from .points import CIRCULAR, ELLIPSOIDAL, FRICTIONLESS, LINEAR, PLANAR, SPHERICAL, STICKS, SURFACE_FIELDS

FACE_ANGLE = 1e-6
"""Sine of the angle between a face's normal and the contact's up to which the face is in contact."""
FEATURE_DISTANCE = 1e-7
"""Distance up to which a point lies on a vertex or edge, as a share of the solid's size."""
ROUNDED_SHARE = 1e-9
"""Sum of two radii from which on rounded features have a normal of their own, as a share of the size."""
PARALLEL_EDGES = 0.1
"""Sine of the angle up to which two edges are in contact along both, as manifolds assume."""

SURFACE = np.dtype(
    [
        *SURFACE_FIELDS,
        ("belt", np.float64, 3),  # velocity of the surface relative to the body, in body axes [m/s]
    ],
    align=True,
)
"""The surface of a solid."""


@subroutine
def make_point(point, contact, solids, surfaces, store, solid_poses):
    """Fill in a POINT from a CONTACT record: its features, its surface, and the states of friction, without loads."""
    A, B = solids[contact.first], solids[contact.second]
    point.first, point.second, point.name = contact.first, contact.second, contact.name
    n, middle = get3(contact.normal), get3(contact.point)
    put3(point.normal, n)
    put3(point.start_normal, n)
    one, other = point.one, point.other
    flat_a = write_feature(one, A, store, solid_poses[contact.first], sub(middle, scale(n, 0.5 * contact.gap)), n)
    flat_b = write_feature(
        other, B, store, solid_poses[contact.second], add(middle, scale(n, 0.5 * contact.gap)), scale(n, -1.0)
    )
    if one.kind == PLANAR and (other.kind != PLANAR or flat_a <= flat_b):
        match_to_face(other, B)
    elif other.kind == PLANAR:
        match_to_face(one, A)
    else:
        rounding = one.radius + other.radius
        match_rounded(one, other, A, B, n, rounding, solid_poses[contact.first], solid_poses[contact.second])
    to_body_frame(one, A)
    to_body_frame(other, B)
    put3(one.belt, get3(surfaces[contact.first].belt))
    put3(other.belt, get3(surfaces[contact.second].belt))
    combine_pair_surfaces(point, surfaces[contact.first], surfaces[contact.second])
    point.rest_gap, point.bounces, point.warm_start_load, point.has_step_loads = 0.0, 0, 0.0, 0
    put3(point.warm_start_force, (0.0, 0.0, 0.0))
    put3(point.warm_start_torque, (0.0, 0.0, 0.0))
    point.slide = STICKS if point.friction > 0.0 else FRICTIONLESS
    point.roll = STICKS if point.rolling > 0.0 else FRICTIONLESS
    point.spin = STICKS if point.spinning > 0.0 else FRICTIONLESS
    put3(point.slip, (0.0, 0.0, 0.0))
    put3(point.roll_slip, (0.0, 0.0, 0.0))
    point.spin_slip, point.load = 0.0, 0.0


@subroutine
def write_feature(feature, solid, store, pose, p, n):
    """Write the feature of a solid at a point p of its surface with the outward normal n, both in the world.

    The feature is in the solid's axes. Returns the sine of the angle between n and the normal of a flat face; 1 without
    one.
    """
    R = get9(pose.rotation)
    p, n = rotate_back(R, sub(p, get3(pose.origin))), rotate_back(R, n)
    kind, half, tolerance = solid.kind, get3(solid.half), FEATURE_DISTANCE * solid.bounding_radius
    core = sub(p, scale(n, solid.radius))
    put3(feature.at, core)
    put3(feature.along, n)
    feature.kind, feature.radius, feature.body = SPHERICAL, solid.radius, solid.body
    if kind == BALL:
        put3(feature.at, (0.0, 0.0, 0.0))
    elif kind == CAPSULE:
        feature.kind = LINEAR if abs(p[2]) < half[2] - tolerance else SPHERICAL
        put3(feature.at, (0.0, 0.0, min(max(core[2], -half[2]), half[2])))
        put3(feature.along, (0.0, 0.0, 1.0))
    elif kind == BOX:
        return write_box(feature, half, p, n, tolerance)
    elif kind == HULL:
        return write_hull(feature, solid, store.hulls, p, n, tolerance)
    elif kind in (CYLINDER, CONE):
        return write_axisymmetric(feature, kind, half, p, n, tolerance)
    elif kind == ELLIPSOID:
        feature.kind = ELLIPSOIDAL
        put3(feature.at, (0.0, 0.0, 0.0))
        put3(feature.half, half)
    else:  # a half-space, or what of a mesh is there
        feature.kind = PLANAR
        return 0.0
    return 1.0


@jitable
def write_box(feature, half, p, n, tolerance):
    """Write the feature of a box: a face, an edge or a vertex. Returns as `write_feature`."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    k = 0 if x >= y and x >= z else 1 if y >= z else 2
    u, v = n[(k + 1) % 3], n[(k + 2) % 3]
    sine = math.sqrt(u * u + v * v)
    if sine <= FACE_ANGLE:
        feature.kind = PLANAR
        side = 1.0 if n[k] >= 0.0 else -1.0
        put3(feature.along, (side if k == 0 else 0.0, side if k == 1 else 0.0, side if k == 2 else 0.0))
        return sine
    ends, edge_axis = 0, -1
    for j in range(3):
        if half[j] - abs(p[j]) <= tolerance:
            ends += 1
        else:
            edge_axis = j
    if ends == 2:
        feature.kind = LINEAR
        put3(
            feature.along,
            (1.0 if edge_axis == 0 else 0.0, 1.0 if edge_axis == 1 else 0.0, 1.0 if edge_axis == 2 else 0.0),
        )
    return 1.0


@jitable
def write_hull(feature, solid, hulls, p, n, tolerance):
    """Write the feature of a convex hull: a face, an edge or a vertex. Returns as `write_feature`."""
    if solid.face_count == 0:
        return 1.0
    face = get3(hulls.planes[nearest_face(solid, hulls, n)])
    turned = cross(face, n)
    sine = math.sqrt(dot(turned, turned))
    if sine <= FACE_ANGLE and dot(face, n) > 0.0:
        feature.kind = PLANAR
        put3(feature.along, face)
        return sine
    adjacent_faces, first, second = 0, face, face
    for i in range(solid.first_face, solid.first_face + solid.face_count):
        plane = hulls.planes[i]
        if plane[3] - dot(get3(plane), p) <= tolerance:
            if adjacent_faces == 0:
                first = get3(plane)
            elif adjacent_faces == 1:
                second = get3(plane)
            adjacent_faces += 1
    along = cross(first, second)
    length = math.sqrt(dot(along, along))
    if adjacent_faces == 2 and length > MIN_LINE_SINE:
        feature.kind = LINEAR
        put3(feature.along, scale(along, 1.0 / length))
    return 1.0


@jitable
def write_axisymmetric(feature, kind, half, p, n, tolerance):
    """Write the feature of a cylinder or a cone: its base, its circular edge, its side, or the tip.

    The side of a cone is a circle of it. Returns as `write_feature`.
    """
    sine = math.sqrt(n[0] * n[0] + n[1] * n[1])
    if sine <= FACE_ANGLE and (kind == CYLINDER or n[2] < 0.0):
        feature.kind = PLANAR
        put3(feature.along, (0.0, 0.0, 1.0 if n[2] > 0.0 else -1.0))
        return sine
    reach = math.sqrt(p[0] * p[0] + p[1] * p[1])
    beside = abs(p[0] * n[1] - p[1] * n[0])
    outward = p[0] * n[0] + p[1] * n[1]
    if reach <= tolerance or outward <= 0.0 or beside > 1e-6 * reach * sine:
        # The point is the tip, or lies on a rim beside the plane of the axis and the normal.
        return 1.0
    put3(feature.at, (0.0, 0.0, p[2]))
    put3(feature.along, (0.0, 0.0, 1.0))
    feature.radius = reach
    feature.kind = LINEAR if kind == CYLINDER and abs(n[2]) <= FACE_ANGLE else CIRCULAR
    return 1.0


@jitable
def match_to_face(feature, solid):
    """Reduce a feature that touches a face: a face or an edge to its point, the side of a cylinder to its circle."""
    if feature.kind == PLANAR:
        feature.kind = SPHERICAL
    elif feature.kind == LINEAR:
        feature.kind = CIRCULAR if solid.kind == CYLINDER else SPHERICAL


@subroutine
def match_rounded(one, other, A, B, n, rounding, at_one, at_other):
    """Match two features that are no faces.

    If neither has a normal of its own, one is replaced by the plane across the contact normal.
    """
    R_A, R_B = get9(at_one.rotation), get9(at_other.rotation)
    m_A, m_B = rotate_back(R_A, n), rotate_back(R_B, scale(n, -1.0))
    if one.kind == LINEAR and other.kind == LINEAR:
        across = cross(rotate(R_A, get3(one.along)), rotate(R_B, get3(other.along)))
        # Parallel edges are in contact at two points.
        if dot(across, across) <= PARALLEL_EDGES * PARALLEL_EDGES:
            one.kind = SPHERICAL
    if one.kind == ELLIPSOIDAL or (one.kind == CIRCULAR and other.kind != SPHERICAL and other.kind != ELLIPSOIDAL):
        replace_by_face(other, m_B)
    elif other.kind == ELLIPSOIDAL or (other.kind == CIRCULAR and one.kind != SPHERICAL):
        replace_by_face(one, m_A)
    elif rounding <= ROUNDED_SHARE * min(A.bounding_radius, B.bounding_radius) and one.kind == SPHERICAL:
        replace_by_face(other, m_B)
    elif rounding <= ROUNDED_SHARE * min(A.bounding_radius, B.bounding_radius) and other.kind == SPHERICAL:
        replace_by_face(one, m_A)
    else:
        return
    if one.kind == PLANAR:
        match_to_face(other, B)
    else:
        match_to_face(one, A)


@jitable
def replace_by_face(feature, m):
    """Replace a feature by the plane across the normal m, in the solid's axes."""
    out = m
    if feature.kind == CIRCULAR:
        axis = get3(feature.along)
        out = sub(m, scale(axis, dot(m, axis)))
        out = scale(out, 1.0 / max(math.sqrt(dot(out, out)), MIN_LINE_SINE))
    put3(feature.at, add(get3(feature.at), scale(out, feature.radius)))
    feature.kind = PLANAR
    put3(feature.along, m)


@subroutine
def to_body_frame(feature, solid):
    """Transform a feature from the solid's axes to those of its body."""
    R = get9(solid.rotation)
    put3(feature.at, add(get3(solid.origin), rotate(R, get3(feature.at))))
    put3(feature.along, rotate(R, get3(feature.along)))
    put9(feature.rotation, R)


@subroutine
def combine_pair_surfaces(point, a, b):
    """Combine two surfaces, as `combine_surfaces` of core/geometry/contact_properties.py does."""
    point.friction = min(a.friction, b.friction)
    point.static_friction = max(min(a.static_friction, b.static_friction), point.friction)
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
