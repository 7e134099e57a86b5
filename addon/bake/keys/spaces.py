# SPDX-License-Identifier: GPL-3.0-or-later
"""The space of an object's own location and rotation at every frame, which its parents determine."""

from __future__ import annotations

import bpy
import numpy as np

from ....core.spatial.arrays import inverse, matmul
from ...bridge.animation.motion_sources import follows_keyed_joint, has_own_motion
from ...nodes import Node, attachment_of, evaluated, own_matrix, parent_inverse, parent_of, world_matrix
from ...props import ancestors
from ..errors import BakeError
from ..inputs.sampling import at_frames


class Spaces:
    """The spaces of objects that are about to be baked.

    Args:
        worlds: world matrix that each baked object will have, shape (F, 4, 4), with its scale; read anew for each
            `space_of`.
        frames: frame numbers, shape (F,).
    """

    def __init__(self, scene: bpy.types.Scene, worlds: dict[Node, np.ndarray], frames: np.ndarray):
        self._worlds = worlds
        self._sampled = _sample(scene, worlds, frames)

    def space_of(self, obj: Node) -> np.ndarray:
        """Return the matrices from the object's space to the world.

        They have shape (F, 4, 4), or (1, 4, 4) if the space does not move.
        """
        parent = parent_of(obj)
        if parent is None:
            return np.eye(4)[None]
        if attachment_of(obj):
            return self._sampled[obj]
        return matmul(self._world_of(parent), parent_inverse(obj))

    def _world_of(self, obj: Node) -> np.ndarray:
        if obj in self._worlds:
            return self._worlds[obj]
        if obj in self._sampled:
            return self._sampled[obj]
        return matmul(self.space_of(obj), own_matrix(obj))


def _objects_to_sample(worlds: dict) -> set[Node]:
    """Return parents of baked objects that something else moves, so that only Blender can evaluate them."""
    found: set[Node] = set()
    for obj in worlds:
        if attachment_of(obj):
            _require_no_link_above(obj, worlds)
            found.add(obj)
            continue
        carrier = parent_of(obj)
        while carrier is not None and carrier not in worlds:
            if has_own_motion(carrier) or follows_keyed_joint(carrier):
                _require_no_link_above(carrier, worlds)
                found.add(carrier)
                break
            carrier = parent_of(carrier)
    return found


def _require_no_link_above(obj: Node, worlds: dict) -> None:
    ancestor = next((above for above in ancestors(obj) if above in worlds), None)
    if ancestor is not None:
        raise BakeError(
            f"object '{obj.name}' moves by itself between the links it joins, '{ancestor.name}' and one below: "
            "clear its animation and constraints, or parent the lower link elsewhere"
        )


def _sample(scene: bpy.types.Scene, worlds: dict, frames: np.ndarray) -> dict[Node, np.ndarray]:
    """Return the world matrices of the objects to sample, as Blender evaluates them.

    For a baked object on a bone, it is the matrix of its space.
    """
    samples = {obj: np.empty((len(frames), 4, 4)) for obj in _objects_to_sample(worlds)}
    for number, depsgraph in at_frames(scene, frames) if samples else ():
        for obj, matrices in samples.items():
            shown = evaluated(obj, depsgraph)
            matrices[number] = world_matrix(shown)
            if obj in worlds:
                matrices[number] = matmul(matrices[number], inverse(own_matrix(shown)))
    return samples
