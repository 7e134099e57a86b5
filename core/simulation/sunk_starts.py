# SPDX-License-Identifier: GPL-3.0-or-later
"""A check whether a motion starts with a loose machine deep in the ground or in a sheet, which then pushes it out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..collision.broad_phase import find_pairs, write_solid_poses
from ..collision.pairs import SEPARATION, write_signed_distances
from ..contact.collision_state import CollisionState
from ..kinematics.proximity.distances import place_bodies
from ..kinematics.proximity.sunk import is_deep, is_open_ground, loose_machines
from ..kinematics.work import make_work
from ..model.compiling.compiled import CompiledModel


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
