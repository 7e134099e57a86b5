# SPDX-License-Identifier: GPL-3.0-or-later
"""Divide the tolerance of locations among bones that are connected to each other.

A connected bone has no location: the keys of the bones above determine where its head is, and the error of each of
their rotations moves it. Along a chain of n connected bones below a link, the distance that heads may be off grows in n
equal steps, from a part 1 / (n + 1) of the tolerance at the link itself to all of it at the last bone. The rotation of
each link keeps the heads of the bones that are connected below it within their distances. A link with exact rotations
moves these heads by the error of its own head, which is at least a step less. So some error of its rotation is always
allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....core.spatial.arrays import inverse, matmul, matvec, norm
from ...bridge.posing.link_poses import own_scale
from ...nodes import Node, delta_rotation, has_location
from ...nodes.space import Space
from ...props import ancestors
from .transforms import Channel, rotation_matrices, world_matrices_of


class ConnectedBones:
    """The baked nodes that have connected bones below them, and the distances that heads may be off.

    Args:
        nodes: those that get keys, each after all that carry it.
        distance: tolerance of locations [Blender units].
    """

    def __init__(self, nodes: Sequence[Node], distance: float):
        above = _nearest_above(nodes)
        self._below: dict[Node, list[Node]] = {}
        for node, carrier in above.items():
            self._below.setdefault(carrier, []).append(node)
        length: dict[Node, int] = {}  # number of connected bones in the longest chain below each node
        for node in reversed(nodes):
            length[node] = max((1 + length[bone] for bone in self._below.get(node, ())), default=0)
        self._allowed: dict[Node, float] = {}
        for node in nodes:
            before = self._allowed[above[node]] if node in above else 0.0
            self._allowed[node] = before + (distance - before) / (length[node] + 1)

    def allowed(self, node: Node) -> float:
        """Return the distance that the origin of a node may be off [Blender units]: for a bone, its head."""
        return self._allowed[node]

    def keeping_heads(
        self,
        rotation: Channel,
        node: Node,
        space: Space,
        location: np.ndarray | None,
        worlds: dict[Node, np.ndarray],
        begin: int,
        angle: float,
    ) -> Channel:
        """Return a node's channel of rotation with an error that counts how far it moves the heads below, too.

        The error is at most `angle` if the rotation is within that angle, and these heads are within their distances.

        Args:
            space: of the node. location: its values as Blender evaluates them, shape (F, 3); None if it has none.
            worlds: wanted world matrices of nodes, with scale. begin: number of the channel's first frame among theirs.
            angle: tolerance [rad].
        """
        below = self._below.get(node, [])
        if not below:
            return rotation
        world = worlds[node][begin:]
        turning = np.broadcast_to(matmul(space.rotation[..., :3, :3], delta_rotation(node)), (len(world), 3, 3))
        off = world_matrices_of(node, space, location, rotation.values)[:, :3, 3] - world[:, :3, 3]
        to_own, heads = inverse(world), [worlds[bone][begin:, :3, 3] for bone in below]
        levers = [(matvec(to_own[:, :3, :3], head) + to_own[:, :3, 3]) * own_scale(node) for head in heads]
        arms = [head - world[:, :3, 3] for head in heads]
        limits = [self._allowed[bone] for bone in below]

        def error(first: int, fitted: np.ndarray) -> np.ndarray:
            part = slice(first, first + len(fitted))
            turned = matmul(turning[part], rotation_matrices(node, fitted))
            found = rotation.error(first, fitted)
            for lever, arm, limit in zip(levers, arms, limits, strict=True):
                distances = norm(off[part] + matvec(turned, lever[part]) - arm[part])
                found = np.maximum(found, np.where(distances <= limit, distances * (angle / limit), np.inf))
            return found

        return replace(rotation, error=error)


def _nearest_above(nodes: Sequence[Node]) -> dict[Node, Node]:
    """Return for each node without a location the nearest of the nodes that carries it, if there is one."""
    known, found = set(nodes), {}
    for node in nodes:
        carrier = None if has_location(node) else next((each for each in ancestors(node) if each in known), None)
        if carrier is not None:
            found[node] = carrier
    return found
