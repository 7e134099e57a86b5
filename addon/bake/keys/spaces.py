# SPDX-License-Identifier: GPL-3.0-or-later
"""The space of a node's own transform at every frame, which its parents determine."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ....core.spatial.arrays import inverse, matmul
from ...bridge.animation.motion_sources import active_constraints, follows_keyed_joint, has_own_motion, is_in_chain
from ...nodes import (
    Node,
    attachment_of,
    evaluated,
    model_name,
    obstacle_to_showing,
    own_matrix,
    owner_of,
    parent_of,
    world_matrix,
)
from ...nodes.muting import muted
from ...nodes.space import Space, space_at, space_of
from ...props import ancestors
from ..errors import BakeError
from ..inputs.sampling import at_frames
from .dependencies import require_independent


class Spaces:
    """The spaces of nodes that are about to be baked.

    Args:
        worlds: world matrix that each baked node will have, shape (F, 4, 4), with its scale; read anew for each
            `space_of`.
        frames: frame numbers, shape (F,).
        switched_off: constraints that do not act at these frames.

    Raises:
        BakeError: if something moves by itself between two baked nodes, so that its motion cannot be separated from
            theirs.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        worlds: dict[Node, np.ndarray],
        frames: np.ndarray,
        switched_off: Collection[bpy.types.Constraint] = (),
    ):
        self._worlds = worlds
        with muted(switched_off):
            self._sample(scene, frames)
        if switched_off:
            scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)  # with these constraints

    def _sample(self, scene: bpy.types.Scene, frames: np.ndarray) -> None:
        found = require_separable(self._worlds)
        self._sampled = _sample(scene, self._worlds, frames, found.moving | found.attached)
        self._own = _sample_own(scene, frames, found.between)

    def space_of(self, obj: Node) -> Space:
        """Return the space of a node, with matrices of shape (F, 4, 4), or (1, 4, 4) if it does not move."""
        if parent_of(obj) is None:
            return space_at(np.eye(4)[None])
        if attachment_of(obj):
            return space_at(self._sampled[obj])
        return space_of(obj, self._world_of)

    def _world_of(self, obj: Node) -> np.ndarray:
        if obj in self._worlds:
            return self._worlds[obj]
        if obj in self._sampled:
            return self._sampled[obj]
        return self.space_of(obj).world_of(self._own[obj] if obj in self._own else own_matrix(obj))


class Carriers(NamedTuple):
    """Nodes that carry links and move by something other than their parents, and links on parts of their parents.

    Attributes:
        moving: nodes that no link carries. between: bones between two links. attached: links on parts of their parents.
    """

    moving: set[Node]
    between: set[Node]
    attached: set[Node]


def require_separable(links: Collection[Node]) -> Carriers:
    """Return what carries links, while the constraints that a bake switches off are off.

    Raises:
        BakeError: if its motion cannot be separated from that of the links.
    """
    carriers = {carrier for obj in links for carrier in _moving_carriers(obj, links)}
    between = {carrier for carrier in carriers if any(above in links for above in ancestors(carrier))}
    for carrier in between:
        _require_only_own_transform(carrier, links)
    attached = {obj for obj in links if attachment_of(obj)}
    for obj in attached:
        _require_no_link_above(obj, links)
    require_independent(carriers - between, links)
    return Carriers(carriers - between, between, attached)


def _moving_carriers(obj: Node, links: Collection[Node]) -> Iterator[Node]:
    """Yield what carries a baked node, is not baked itself, and moves by something other than its parents.

    Only the nearest one that no baked node carries is yielded, since its world matrices include the others. A bone
    depends on its armature directly, too.
    """
    if attachment_of(obj):
        return
    for carrier in (parent_of(obj), owner_of(obj)) if owner_of(obj) != obj else (parent_of(obj),):
        while carrier is not None and carrier not in links:
            if has_own_motion(carrier) or follows_keyed_joint(carrier) or obstacle_to_showing(carrier):
                yield carrier
                if not any(above in links for above in ancestors(carrier)):
                    break
            carrier = parent_of(carrier)


def _require_only_own_transform(carrier: Node, links: Collection[Node]) -> None:
    """Raise `BakeError` unless only its own channels move a node between two baked nodes, and it is a bone.

    An object between two links is an error in any case: it can be parented elsewhere, which a bone cannot.
    """
    is_bone = not isinstance(carrier, bpy.types.Object)
    if not is_bone or active_constraints(carrier) or is_in_chain([carrier]) or obstacle_to_showing(carrier):
        _require_no_link_above(carrier, links)


def _require_no_link_above(obj: Node, links: Collection[Node]) -> None:
    ancestor = next((above for above in ancestors(obj) if above in links), None)
    if ancestor is not None:
        raise BakeError(
            f"object '{model_name(obj)}' moves by itself between the links it joins, '{model_name(ancestor)}' and one "
            "below: clear its animation and constraints, or parent the lower link elsewhere"
        )


def _sample(scene: bpy.types.Scene, worlds: dict, frames: np.ndarray, nodes: set[Node]) -> dict[Node, np.ndarray]:
    """Return the world matrices of nodes, shape (F, 4, 4), as Blender evaluates them.

    For a baked object on a bone, it is the matrix of its space.
    """
    samples = {obj: np.empty((len(frames), 4, 4)) for obj in nodes}
    for number, depsgraph in at_frames(scene, frames) if samples else ():
        for obj, matrices in samples.items():
            shown = evaluated(obj, depsgraph)
            matrices[number] = world_matrix(shown)
            if obj in worlds:
                matrices[number] = matmul(matrices[number], inverse(own_matrix(shown)))
    return samples


def _sample_own(scene: bpy.types.Scene, frames: np.ndarray, nodes: set[Node]) -> dict[Node, np.ndarray]:
    """Return the own transforms of nodes, shape (F, 4, 4), as Blender evaluates them."""
    samples = {node: np.empty((len(frames), 4, 4)) for node in nodes}
    for number, depsgraph in at_frames(scene, frames) if samples else ():
        for node, matrices in samples.items():
            matrices[number] = own_matrix(evaluated(node, depsgraph))
    return samples
