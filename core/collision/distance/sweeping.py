# SPDX-License-Identifier: GPL-3.0-or-later
"""The time at which two moving solids first touch, by conservative advancement.

If the nearest points of two solids are at a distance s along a normal n, the solids cannot touch before their points
have approached by s along n. So time may advance by s divided by the greatest speed at which any of their points
approach along n. The steps become shorter with the gap, and end when it is closed. Bodies move with constant velocity
of their origin and constant angular velocity about it.

Source: Mirtich, Impulse-based dynamic simulation of rigid body systems, thesis (1996), section 2.3 (conservative
advancement).
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, kernel, subroutine
from ...spatial import add, dot, matmul, quat_of_rotvec, quat_to_mat, rotate, scale, sub
from ...spatial.storage import get3, get9, put3, put9
from ..mesh_contacts import mesh_distance
from ..pairs import order_by_kind, relative_pose
from ..solids import MESH
from .narrow import signed_distance

MOST = 500
"""Largest number of steps. About ten are sufficient, except for solids that pass very close to each other."""


@kernel
def sweep_boxes(solids, poses, twists, duration, solid_poses):
    """Enlarge the boxes in `solid_poses` by the volume that the solids sweep in `duration`.

    Args:
        solids, poses: as in broad_phase.write_solid_poses.
        solid_poses: boxes that broad_phase.write_solid_poses has written.
        twists: shape (bodies, 6): velocity of the body's origin [m/s], then its angular velocity [rad/s], world axes.
        duration: [s].
    """
    for i in range(solids.shape[0]):
        twist = twists[solids[i].body]
        v, turning = get3(twist), swing(solids[i], twist) * duration
        for k in range(3):
            step = v[k] * duration
            solid_poses[i].lower[k] += min(step, 0.0) - turning
            solid_poses[i].upper[k] += max(step, 0.0) + turning


@subroutine
def swing(solid, twist):
    """Return an upper bound of the speed of a solid's points relative to its body's origin [m/s]."""
    o, w = get3(solid.origin), get3(twist, 3)
    rate = math.sqrt(dot(w, w))
    return rate * (math.sqrt(dot(o, o)) + solid.bounding_radius) if rate > 0.0 else 0.0


@kernel
def find_impacts(solids, store, poses, twists, duration, pairs, count, skin, solid_poses, work, times):
    """Write to `times` when the first `count` pairs first come as near as `skin`; infinite if they do not in
    `duration`.

    Args:
        solids, store, poses, twists, duration: as in `sweep_boxes`; `store` as in broad_phase.write_solid_poses.
        pairs, work: as in pairs.write_contact_points.
        skin: distance, above 0 [m].
        solid_poses: two SOLID_POSE records, work array.
        times: shape (count,) or more, written to [s].
    """
    for k in range(count):
        first, second = order_by_kind(solids, pairs[k, 0], pairs[k, 1])
        times[k] = first_touch(solids[first], solids[second], store, poses, twists, duration, skin, solid_poses, work)


@subroutine
def first_touch(A, B, store, poses, twists, duration, skin, solid_poses, work):
    """Return the time [s] at which two solids first come as near as `skin` [m].

    It is infinite if that is not within `duration`.
    """
    of_a, of_b = twists[A.body], twists[B.body]
    closing = sub(get3(of_a), get3(of_b))
    turning = swing(A, of_a) + swing(B, of_b)
    time = 0.0
    for _ in range(MOST):
        put_at(A, poses[A.body], of_a, time, solid_poses[0])
        put_at(B, poses[B.body], of_b, time, solid_poses[1])
        R, c = relative_pose(solid_poses[0], solid_poses[1])
        if A.kind == MESH:
            s, n, _ = mesh_distance(A, B, store, R, c, math.inf, work)
            rate = math.sqrt(dot(closing, closing)) + turning  # the nearest points may change to any part of a mesh
        else:
            s, n, _ = signed_distance(A, B, store.hulls, R, c, math.inf, work.polytope)
            rate = dot(closing, rotate(get9(solid_poses[0].rotation), n)) + turning
        if s <= skin:
            return time
        if not rate > 0.0:
            return math.inf
        time += (s - 0.5 * skin) / rate
        if time > duration:
            return math.inf
    return time


@jitable
def put_at(solid, pose, twist, time, place):
    """Write the pose of a solid after a time [s] to `place`, without its box."""
    turned = matmul(quat_to_mat(quat_of_rotvec(scale(get3(twist, 3), time))), get9(pose))
    put9(place.rotation, matmul(turned, get9(solid.rotation)))
    put3(place.origin, add(add(get3(pose, 9), scale(get3(twist), time)), rotate(turned, get3(solid.origin))))
