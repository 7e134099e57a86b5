# SPDX-License-Identifier: GPL-3.0-or-later
"""The state with which a motion starts: given joints, initial velocities of links, and joints that follow.

Also whether a loose machine starts deep in the ground or in a sheet, which `Simulation` then separates.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

import numpy as np

from ..collision.broad_phase import find_pairs, write_solid_poses
from ..collision.pairs import SEPARATION, write_signed_distances
from ..contact.collision_state import CollisionState
from ..controls.controls import Controls
from ..kinematics.proximity.distances import place_bodies
from ..kinematics.proximity.sunk import is_deep, is_open_ground, loose_machines
from ..kinematics.work import make_work
from ..model import WORLD
from ..model.compiling.compiled import ByJoint, CompiledModel, parts_of_state
from ..model.screws import joint_pose
from ..solvers.assembly import InitialState, assemble
from ..solvers.singular_mass_matrix import require_regular
from ..spatial import IDENTITY, add, compose, cross, inverse, quat_to_mat, rotate_back, sub


def initial_state(
    compiled: CompiledModel, controls: Controls, initial: Mapping[str, Any] | None, time: float, is_measured: bool
) -> InitialState:
    """Return q and qd with which a motion starts at a time [s]: `initial`, as `Simulation` takes it, with loops closed.

    Raises:
        ModelError: if a loop cannot be closed, or forces do not determine the accelerations. StateError: if `initial`
            or the controls do not fit the model.
    """
    q, qd = parts_of_state(initial)
    controls.require(compiled)
    qd = {**velocities_of_links(compiled, q, controls.links_led_at(time)), **qd}
    start = assemble(compiled, controls.led_from(time), q, qd, time, is_measured)
    require_regular(compiled, start.q)
    return start


def velocities_of_links(compiled: CompiledModel, q: ByJoint, led: Container[str] = ()) -> dict[str, tuple[float, ...]]:
    """Return qd of the free joints of the world whose links have an initial velocity, by joint.

    A free joint's velocity coordinates are the velocity of its frame's origin in the child link, then the angular
    velocity, both in that frame's axes.

    Args:
        q: {joint: coordinates} of the initial state; joints that are left out are at home.
        led: links whose motion is prescribed. They start with that motion.
    """
    at = compiled.q_from(q)
    found = {}
    for name, span in compiled.spans.items():
        joint = span.joint
        if not joint.kind.is_free or joint.parent != WORLD or joint.child in led:
            continue
        link = compiled.model.link(joint.child)
        if not (any(link.velocity) or any(link.angular_velocity)):
            continue
        X_WF = compose(joint.X_PJ, joint_pose(joint, at[span.q].tolist()))  # F: the joint's frame in the child link
        com = compose(compose(X_WF, inverse(joint.X_CJ)), (*link.com, *IDENTITY[3:]))[:3]
        velocity = add(link.velocity, cross(link.angular_velocity, sub(X_WF[:3], com)))
        R = quat_to_mat(X_WF[3:])
        found[name] = rotate_back(R, velocity) + rotate_back(R, link.angular_velocity)
    return found


def starts_in_ground(
    compiled: CompiledModel, collisions: CollisionState, q: np.ndarray, prescribed: Iterable[str]
) -> bool:
    """Return whether a rigid link of a machine that nothing holds overlaps a fixed half-space or open mesh deeply.

    Args:
        collisions: its `solid_poses` is overwritten. q: positions at the start, shape (nq,).
        prescribed: names of links whose motion is prescribed.
    """
    solids, is_open = collisions.solids, is_open_ground(collisions.solids)
    if not is_open.any():
        return False
    bodies = dict(zip(compiled.link_names, compiled.link_body.tolist(), strict=True))
    loose = {bodies[name] for links in loose_machines(compiled.model, prescribed) for name in links} - {0}
    is_loose = np.isin(solids.body, sorted(loose))
    if not is_loose.any():
        return False
    arrays = compiled.arrays
    poses = np.zeros((len(arrays.bodies), 12))
    place_bodies(arrays, make_work(arrays), q, poses)
    write_solid_poses(solids, collisions.store, poses, collisions.solid_poses)
    pairs = np.zeros((len(collisions.pairs), 2), np.int64)
    while (
        count := find_pairs(solids, collisions.solid_poses, collisions.collision_filter, 0.0, collisions.tree, pairs)
    ) > len(pairs):
        pairs = np.zeros((count, 2), np.int64)
    pairs = pairs[:count]
    is_rigid = np.isinf(collisions.surfaces.stiffness)
    pairs = pairs[is_open[pairs].any(axis=1) & is_loose[pairs].any(axis=1) & is_rigid[pairs].all(axis=1)]
    separations = np.zeros(len(pairs), SEPARATION).view(np.recarray)
    write_signed_distances(
        solids, collisions.store, collisions.solid_poses, pairs, 0.0, collisions.pair_work, separations
    )
    return any(
        is_deep(solids[first if is_loose[first] else second], separation.gap)
        for (first, second), separation in zip(pairs.tolist(), separations, strict=True)
    )
