# SPDX-License-Identifier: GPL-3.0-or-later
"""The collision state of a step: poses of solids, candidate pairs from the broad phase, and their contact points."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..collision.broad_phase import SOLID_POSE, find_pairs, make_tree, write_solid_poses
from ..collision.manifold import CONTACT, MAX_POINTS
from ..collision.pairs import make_pair_work, write_contact_points
from ..collision.solids import BALL, HULL, MESH, PLANE
from ..compilation.abi import KernelTuple
from ..compilation.jit import Pointer, jitable, subroutine
from ..geometry.contact_properties import Surface
from ..model.compiling.colliders import Colliders
from ..model.compiling.compiled import CompiledModel
from ..spatial import add, compose, dot, norm, quat_to_mat, sub
from ..spatial.arrays import matmul
from ..spatial.storage import get3, get9, put3, put9
from .contact_features import SURFACE
from .contact_kinematics import velocity_at
from .loads import acceleration_along
from .points import POINTS

MAX_STEP_ROTATION = 0.4
"""Largest rotation in one step of a body that may collide [rad]."""


MAX_OVERLAP_SHARE = 0.5
"""Largest overlap at the end of a step, as a share of the thickness of the thicker solid. No solid then passes through
another one within a step.
"""


MIN_HULL_THICKNESS = 0.02
"""Lower bound of the thickness that is assumed for a hull, as a share of its bounding radius; a flat hull has none."""


SAME_POINT_DISTANCE = 1e-5
"""Distance of two contact points below which they are the same, as a share of the smaller solid's bounding radius."""


SAME_FACET_COSINE = 1.0 - 1e-11
"""Cosine of the angle between two normals from which on they belong to the same facet of a mesh."""


HALF_SPACE_EXTENT = 1e6
"""Bounding radius that is assumed for a half-space, whose own is infinite, where its velocity is estimated [m]."""


CANDIDATE_STATE = np.dtype([("rate", np.float64), ("is_contact", np.int64), ("start_number", np.int64)], align=True)
"""For each CONTACT in `starts` or `ends`: rate of its gap [m/s]; whether an active contact has this point already; of
an end point, the number of the same point in `starts`, or -1.
"""


class CollisionKernels(KernelTuple, namedtuple("CollisionKernels", "write_poses find_pairs write_points")):
    """The kernels of core/collision, each compiled by itself."""


FIELDS = (
    "kernels solids surfaces store collision_filter solid_poses tree pair_work body_poses twists pairs starts ends"
    " start_states end_states counts listed_gap"
)


class CollisionState(KernelTuple, namedtuple("CollisionState", FIELDS)):
    """The collision state: all solids, and the contact points at the start and at the end of a step.

    Attributes:
        kernels: see `CollisionKernels`.
        solids, store, collision_filter: as in core/collision. surfaces: SURFACE record of each solid.
        solid_poses, tree, pair_work, body_poses, twists: work arrays for poses and velocities.
        pairs: candidate pairs, shape (n, 2). starts, ends: CONTACT records. start_states, end_states: CANDIDATE_STATE
            records, one for each of these.
        counts: see `PAIR_COUNT`, shape (4,).
        listed_gap: largest gap that is listed, shape (1,) [m].
    """


PAIR_COUNT, START_COUNT, END_COUNT, NEEDED_PAIRS = range(4)
"""Indices in `CollisionState.counts`: numbers of pairs, of starts and of ends, and the number of pairs for which arrays
must have room if they were too short, else 0.
"""


def make_collision_state(compiled: CompiledModel, colliders: Colliders, pairs: int = 64) -> CollisionState:
    """Return the collision state of a compiled model and its solids.

    pairs: number of candidate pairs for which there is room.
    """
    solids, store, collision_filter = colliders.solids, colliders.store, colliders.collision_filter
    count, most, bodies = len(solids), pairs * MAX_POINTS, len(compiled.arrays.bodies)
    solid_poses, tree, pair_work = np.zeros(count, SOLID_POSE).view(np.recarray), make_tree(count), make_pair_work()
    body_poses, twists, found = np.zeros((bodies, 12)), np.zeros((bodies, 6)), np.zeros((pairs, 2), np.int64)
    starts, ends = (np.zeros(most, CONTACT).view(np.recarray) for _ in range(2))
    kernels = CollisionKernels(
        Pointer(write_solid_poses, solids, store, body_poses, solid_poses),
        Pointer(find_pairs, solids, solid_poses, collision_filter, 0.0, tree, found, gives=0),
        Pointer(write_contact_points, solids, store, solid_poses, found, 0, 0.0, pair_work, starts, gives=0),
    )
    return CollisionState(
        kernels,
        solids,
        _surfaces_of(compiled, colliders),
        store,
        collision_filter,
        solid_poses,
        tree,
        pair_work,
        body_poses,
        twists,
        found,
        starts,
        ends,
        *(np.zeros(most, CANDIDATE_STATE).view(np.recarray) for _ in range(2)),
        np.zeros(4, np.int64),
        np.zeros(1),
    )


def _surfaces_of(compiled: CompiledModel, colliders: Colliders) -> np.recarray:
    """Return the SURFACE record of each solid."""
    records = np.zeros(len(colliders.solids), SURFACE).view(np.recarray)
    rows = {name: row for row, name in enumerate(compiled.link_names)}
    for record, solid in zip(records, colliders.solids, strict=True):
        link = compiled.model.links[solid.owner]
        shape = link.collisions[solid.number]
        surface = shape.surface or Surface()
        record.friction, record.static_friction = surface.friction, surface.holding_friction
        record.restitution, record.stiffness = surface.restitution, surface.contact_stiffness
        record.dissipation = surface.dissipation
        record.rolling, record.spinning = surface.rolling_friction, surface.spinning_friction
        record.slip_speed = surface.slip_speed
        turned = compose(tuple(compiled.X_BL[rows[link.name]].tolist()), shape.pose)[3:]
        record.belt = matmul(np.reshape(quat_to_mat(turned), (3, 3)), np.array(surface.velocity))
    return records


@subroutine
def update_solid_poses(system, collisions):
    """Compute the poses of solids from those of bodies."""
    work = system.work
    for i in range(work.bodies.shape[0]):
        put9(collisions.body_poses[i], get9(work.bodies[i].rotation))
        put3(collisions.body_poses[i], get3(work.bodies[i].origin), 9)
        put3(collisions.twists[i], get3(work.bodies[i].velocity, 3))
        put3(collisions.twists[i], get3(work.bodies[i].velocity), 3)
    collisions.kernels.write_poses(collisions.solids, collisions.store, collisions.body_poses, collisions.solid_poses)


@subroutine
def update_candidate_pairs(system, collisions, h, closed_gap):
    """Find the candidate pairs for a step of h seconds, and their contact points at its start.

    Bodies have poses, velocities and accelerations. closed_gap: gap up to which a contact counts as closed [m]. Return
    (whether the arrays were long enough, longest step that is
    allowed [s]).
    """
    update_solid_poses(system, collisions)
    longest, listed_gap = h, 2.0 * largest_displacement(system, collisions, h) + closed_gap
    count = collisions.kernels.find_pairs(
        collisions.solids,
        collisions.solid_poses,
        collisions.collision_filter,
        listed_gap,
        collisions.tree,
        collisions.pairs,
    )
    collisions.counts[PAIR_COUNT] = count
    if count > collisions.pairs.shape[0]:
        collisions.counts[NEEDED_PAIRS] = count
        return False, h
    for k in range(count):
        for side in range(2):
            solid = collisions.solids[collisions.pairs[k, side]]
            o, w = get3(solid.origin), get3(collisions.twists[solid.body], 3)
            if norm(w) * h > MAX_STEP_ROTATION and not (solid.kind == BALL and dot(o, o) == 0.0):
                longest = min(longest, MAX_STEP_ROTATION / norm(w))
    collisions.listed_gap[0] = listed_gap
    fits = list_contacts(system, collisions, listed_gap, collisions.starts, collisions.start_states, START_COUNT)
    for k in range(collisions.counts[START_COUNT] if fits else 0):
        start, own = collisions.starts[k], collisions.start_states[k]
        if not own.is_contact and start.gap > closed_gap:
            thick = max(thickness(collisions.solids[start.first]), thickness(collisions.solids[start.second]))
            longest = min(
                longest, time_to_close(system, collisions, start, own.rate, start.gap + MAX_OVERLAP_SHARE * thick)
            )
    return fits, longest


@subroutine
def time_to_close(system, collisions, contact, rate, distance):
    """Return the time until two solids have approached by `distance` [m], at their present velocity and acceleration;
    or infinity.

    Without the acceleration, a body that starts at rest would fall through a sheet within one step. The time t solves
    distance + rate t + change t^2 / 2 = 0, in the form that avoids cancellation.
    """
    bodies, p = system.work.bodies, get3(contact.point)
    one, other = bodies[collisions.solids[contact.first].body], bodies[collisions.solids[contact.second].body]
    own, others = acceleration_along(one, p, velocity_at(one, p)), acceleration_along(other, p, velocity_at(other, p))
    change = dot(get3(contact.normal), sub(others, own))
    closing = max(-change, 0.0)
    if rate >= 0.0 and closing == 0.0:
        return math.inf
    return 2.0 * distance / (math.sqrt(rate * rate + 2.0 * closing * distance) - rate)


@jitable
def thickness(solid):
    """Return the depth in a solid at which another solid passes its middle [m]; 0 for a mesh, which is a surface."""
    if solid.kind == MESH:
        return 0.0
    if solid.kind == PLANE:
        return math.inf
    half = get3(solid.half)
    return solid.radius + max(
        min(half[0], half[1], half[2]), MIN_HULL_THICKNESS * solid.bounding_radius if solid.kind == HULL else 0.0
    )


@subroutine
def largest_displacement(system, collisions, h):
    """Return the largest displacement of a point of a solid in a step [m], with twice the effect of accelerations."""
    most, down = 0.0, get3(system.model.gravity)
    for i in range(collisions.solids.shape[0]):
        solid = collisions.solids[i]
        if solid.body == 0:
            continue
        twist, body = collisions.twists[solid.body], system.work.bodies[solid.body]
        arm = norm(get3(solid.origin)) + min(solid.bounding_radius, HALF_SPACE_EXTENT)
        speed = norm(get3(twist)) + norm(get3(twist, 3)) * arm
        change = norm(add(get3(body.acceleration, 3), down)) + norm(get3(body.acceleration)) * arm
        most = max(most, (speed + change * h) * h)
    return most


@subroutine
def list_contacts(system, collisions, listed_gap, contacts, states, count_index):
    """List the contact points of all pairs up to a gap, with rates. Return whether the arrays were long enough."""
    count = collisions.kernels.write_points(
        collisions.solids,
        collisions.store,
        collisions.solid_poses,
        collisions.pairs,
        collisions.counts[PAIR_COUNT],
        listed_gap,
        collisions.pair_work,
        contacts,
    )
    collisions.counts[count_index] = count
    if count > contacts.shape[0]:
        collisions.counts[NEEDED_PAIRS] = count // MAX_POINTS + 1
        return False
    touch, bodies = system.touch, system.work.bodies
    for k in range(count):
        contact = contacts[k]
        one, other = bodies[collisions.solids[contact.first].body], bodies[collisions.solids[contact.second].body]
        p = get3(contact.point)
        states[k].rate = dot(get3(contact.normal), sub(velocity_at(other, p), velocity_at(one, p)))
        states[k].is_contact, states[k].start_number = 0, -1
        for i in range(touch.count[POINTS]):
            point = touch.points[i]
            if is_same_contact(collisions, point, contact):
                states[k].is_contact = 1
    return True


@jitable
def is_same_contact(collisions, point, contact):
    """Return whether a contact is among the points of a manifold. Names may change if faces lie on each other."""
    if point.first != contact.first or point.second != contact.second:
        return False
    is_mesh = MESH in (collisions.solids[point.first].kind, collisions.solids[point.second].kind)
    if is_mesh and dot(get3(point.normal), get3(contact.normal)) < SAME_FACET_COSINE:
        return False
    tolerance = SAME_POINT_DISTANCE * min(
        collisions.solids[point.first].bounding_radius, collisions.solids[point.second].bounding_radius
    ) + 2.0 * abs(contact.gap)
    off = sub(get3(contact.point), get3(point.position))
    return dot(off, off) <= tolerance * tolerance
