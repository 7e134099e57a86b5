# SPDX-License-Identifier: GPL-3.0-or-later
"""How far links are apart, and which overlap, in any pose.

Links touch with their `collisions`. `distance` takes any two; `overlaps` and `pairs_nearer` look at those that may meet
(core/model/compiling/collision_filter.py).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...collision.broad_phase import SOLID_POSE, find_pairs, make_tree, write_solid_poses
from ...collision.manifold import CONTACT, MAX_POINTS
from ...collision.pairs import SEPARATION, make_pair_work, write_contact_points, write_signed_distances
from ...collision.solids import MESH, PLANE
from ...compilation.jit import kernel
from ...model import Model, ModelError
from ...model.compiling.colliders import Colliders, colliders_of
from ...model.compiling.compile import compile_model
from ...model.compiling.compiled import ByJoint, CompiledModel, vector_of
from ...spatial import Vec3
from ...spatial.storage import get3, get9, put3, put9
from ..motion import update_body
from ..work import make_work


@dataclass(frozen=True)
class Separation:
    """How far two links are apart.

    Attributes:
        a, b: their names. shape_a, shape_b: the names of the collisions that are nearest to each other.
        gap: signed distance [m]; below 0 where they overlap, by as much as would part them.
        normal: unit vector in world axes, from a to b.
        point_a, point_b: of the two surfaces, in the world [m].
    """

    a: str
    b: str
    shape_a: str
    shape_b: str
    gap: float
    normal: Vec3
    point_a: Vec3
    point_b: Vec3


Coordinates = ByJoint | ArrayLike | None
"""Joint positions: {joint: number or list}, others at home; or an array, shape (nq,); or None for home.

Those of joints that close loops are not used, since the other joints decide where links are.
"""


def distance(model: Model, q: Coordinates, a: str, b: str) -> Separation:
    """How far links a and b are apart at q, whether or not they may meet.

    Raises:
        ModelError: there is no such link, or it has no collision that can touch. StateError: q does not fit.
    """
    return Proximity(model, q).distance(a, b)


def overlaps(model: Model, q: Coordinates = None) -> list[Separation]:
    """The links that may meet and overlap at q, the deepest of each pair of links, in the model's order."""
    return Proximity(model, q).pairs_nearer(0.0)


def pairs_nearer(model: Model, q: Coordinates, limit: float) -> list[Separation]:
    """The links that may meet and are nearer than `limit` [m] at q, the nearest of each pair, in the model's order."""
    return Proximity(model, q).pairs_nearer(limit)


class Proximity:
    """The solids of a model in a pose, for several questions.

    Args:
        q: as in `Coordinates`.

    Raises:
        ModelError: the model cannot be compiled. StateError: q does not fit it.
    """

    def __init__(self, model: Model, q: Coordinates = None):
        self.compiled = compile_model(model, split_loops=False)
        self.colliders = colliders_of(self.compiled)
        count = len(self.colliders.solids)
        self._work = make_work(self.compiled.arrays)
        self._poses = np.zeros((len(self.compiled.arrays.bodies), 12))
        self._solid_poses = np.zeros(count, SOLID_POSE).view(np.recarray)
        self._tree, self._pair_work = make_tree(count), make_pair_work()
        self.place(q)

    def place(self, q: Coordinates) -> None:
        """Move to another pose."""
        positions = tree_positions(self.compiled, q)
        place_bodies(self.compiled.arrays, self._work, positions, self._poses)
        write_solid_poses(self.colliders.solids, self.colliders.store, self._poses, self._solid_poses)

    def shift(self, links: Collection[str], by: Vec3) -> None:
        """Move links by a vector in world axes [m], away from where the pose has them, until `place` is called again.

        Links that are fixed to each other move together; those that are fixed in the world stay.
        """
        names, rows = self.compiled.link_names, self.compiled.link_body.tolist()
        bodies = sorted({row for name, row in zip(names, rows, strict=True) if name in links and row})
        self._poses[bodies, 9:] += np.array(by)
        write_solid_poses(self.colliders.solids, self.colliders.store, self._poses, self._solid_poses)

    def distance(self, a: str, b: str) -> Separation:
        """As the function of that name."""
        first, second = self._solids_of(a), self._solids_of(b)
        pairs = [(i, j) for i in first for j in second if i != j and self._is_one_convex(i, j)]
        if not pairs:
            raise ModelError(
                f"links '{a}' and '{b}' have no two collisions between which there is a distance; one of them must be "
                "convex: no half-space, and no mesh that stands still"
            )
        return min(self._measured(np.array(pairs, np.int64), math.inf), key=lambda found: found.gap)

    def pairs_nearer(self, limit: float) -> list[Separation]:
        """As the function of that name."""
        nearest: dict[tuple[str, str], Separation] = {}
        for found in self._measured(self._pairs(limit), limit):
            key = found.a, found.b
            if found.gap < limit and (key not in nearest or found.gap < nearest[key].gap):
                nearest[key] = found
        order = {link.name: number for number, link in enumerate(self.compiled.model.links)}
        return sorted(nearest.values(), key=lambda found: (order[found.a], order[found.b]))

    def contacts(self, margin: float) -> np.recarray:
        """CONTACT records (core/collision/manifold.py): the points where links that may meet touch, or nearly do.

        Args:
            margin: the largest gap of a point that is told [m].
        """
        pairs, colliders = self._pairs(margin), self.colliders
        contacts = np.zeros(MAX_POINTS * max(len(pairs), 1), CONTACT).view(np.recarray)
        count = write_contact_points(
            colliders.solids, colliders.store, self._solid_poses, pairs, len(pairs), margin, self._pair_work, contacts
        )
        return contacts[:count]

    def _pairs(self, margin: float) -> np.ndarray:
        """Numbers of solids that may meet and whose boxes are near, shape (n, 2)."""
        room = 64
        while True:
            pairs = np.zeros((room, 2), np.int64)
            colliders = self.colliders
            room = find_pairs(
                colliders.solids, self._solid_poses, colliders.collision_filter, margin, self._tree, pairs
            )
            if room <= len(pairs):
                return pairs[:room].copy()

    def _measured(self, pairs: np.ndarray, margin: float) -> list[Separation]:
        colliders, separations = self.colliders, np.zeros(len(pairs), SEPARATION).view(np.recarray)
        write_signed_distances(
            colliders.solids, colliders.store, self._solid_poses, pairs, margin, self._pair_work, separations
        )
        return [_told(colliders, self.compiled, i, j, found) for (i, j), found in zip(pairs, separations, strict=True)]

    def _solids_of(self, name: str) -> list[int]:
        link = self.compiled.model.link(name)
        number = next(i for i, each in enumerate(self.compiled.model.links) if each is link)
        found = np.flatnonzero(self.colliders.solids.owner == number).tolist()
        if not found:
            raise ModelError(f"link '{name}' has no collision that can touch; give it one, such as a box")
        return found

    def _is_one_convex(self, i: int, j: int) -> bool:
        kinds = self.colliders.solids.kind
        return kinds[i] not in (PLANE, MESH) or kinds[j] not in (PLANE, MESH)


def _told(colliders: Colliders, compiled: CompiledModel, i: int, j: int, found: np.record) -> Separation:
    """A measure in words, the link that comes first in the model first."""
    first, second = colliders.solids[i], colliders.solids[j]
    normal, near, far = found.normal, found.first_point, found.second_point
    if first.owner > second.owner:
        first, second, normal, near, far = second, first, -normal, far, near
    links = compiled.model.links
    a, b = links[first.owner], links[second.owner]
    return Separation(
        a.name,
        b.name,
        a.collisions[first.number].name,
        b.collisions[second.number].name,
        float(found.gap),
        tuple((normal + 0.0).tolist()),  # which has no -0.0
        tuple(near.tolist()),
        tuple(far.tolist()),
    )


def tree_positions(compiled: CompiledModel, q: Coordinates) -> np.ndarray:
    """Return q, shape (nq,), of a model compiled without `split_loops`, from the positions of all joints.

    Raises:
        StateError: if q does not fit the model.
    """
    loops = {loop.joint.name: loop.joint for loop in compiled.loops}
    if q is None or isinstance(q, Mapping):
        return compiled.q_from({name: value for name, value in (q or {}).items() if name not in loops})
    in_loops = sum(joint.nq for joint in loops.values() if not joint.has_no_effect)
    return vector_of(q, compiled.nq + in_loops, "q")[: compiled.nq]


@kernel
def place_bodies(model, work, q, poses):
    """Write to `poses`, shape (bodies, 12), each body's axes in the world's, row by row, and its origin [m], at q."""
    for i in range(1, model.bodies.shape[0]):
        update_body(model, work, i, q, work.zeros)
    for i in range(model.bodies.shape[0]):
        put9(poses[i], get9(work.bodies[i].rotation))
        put3(poses[i], get3(work.bodies[i].origin), 9)
