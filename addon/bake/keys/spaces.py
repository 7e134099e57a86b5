# SPDX-License-Identifier: GPL-3.0-or-later
"""The space of an object's own location and rotation at every frame, which its parents determine."""

from __future__ import annotations

import bpy
import numpy as np

from ....core.spatial.arrays import inverse, matmul
from ...bridge.animation.motion_sources import follows_keyed_joint, has_own_motion
from ...bridge.posing.link_poses import to_array
from ..errors import BakeError
from ..inputs.sampling import at_frames


class Spaces:
    """The spaces of objects that are about to be baked.

    Args:
        worlds: world matrix that each baked object will have, shape (F, 4, 4), with its scale; read anew for each
            `space_of`.
        frames: frame numbers, shape (F,).
    """

    def __init__(self, scene: bpy.types.Scene, worlds: dict[bpy.types.Object, np.ndarray], frames: np.ndarray):
        self._worlds = worlds
        self._sampled = _sample(scene, worlds, frames)

    def space_of(self, obj: bpy.types.Object) -> np.ndarray:
        """Return the matrices from the object's space to the world.

        They have shape (F, 4, 4), or (1, 4, 4) if the space does not move.
        """
        if obj.parent is None:
            return np.eye(4)[None]
        if obj.parent_type != "OBJECT":
            return self._sampled[obj]
        return matmul(self._world_of(obj.parent), to_array(obj.matrix_parent_inverse))

    def _world_of(self, obj: bpy.types.Object) -> np.ndarray:
        if obj in self._worlds:
            return self._worlds[obj]
        if obj in self._sampled:
            return self._sampled[obj]
        return matmul(self.space_of(obj), to_array(obj.matrix_basis))


def _objects_to_sample(worlds: dict) -> set[bpy.types.Object]:
    """Return parents of baked objects that something else moves, so that only Blender can evaluate them."""
    found: set[bpy.types.Object] = set()
    for obj in worlds:
        if obj.parent is None:
            continue
        if obj.parent_type != "OBJECT":
            _require_no_link_above(obj, worlds)
            found.add(obj)
            continue
        carrier = obj.parent
        while carrier is not None and carrier not in worlds:
            if has_own_motion(carrier) or follows_keyed_joint(carrier):
                _require_no_link_above(carrier, worlds)
                found.add(carrier)
                break
            carrier = carrier.parent
    return found


def _require_no_link_above(obj: bpy.types.Object, worlds: dict) -> None:
    ancestor = obj.parent
    while ancestor is not None:
        if ancestor in worlds:
            raise BakeError(
                f"object '{obj.name}' moves by itself between the links it joins, '{ancestor.name}' and one below: "
                "clear its animation and constraints, or parent the lower link elsewhere"
            )
        ancestor = ancestor.parent


def _sample(scene: bpy.types.Scene, worlds: dict, frames: np.ndarray) -> dict[bpy.types.Object, np.ndarray]:
    """Return the world matrices of the objects to sample, as Blender evaluates them.

    For a baked object on a bone, it is the matrix of its space.
    """
    samples = {obj: np.empty((len(frames), 4, 4)) for obj in _objects_to_sample(worlds)}
    for number, depsgraph in at_frames(scene, frames) if samples else ():
        for obj, matrices in samples.items():
            evaluated = obj.evaluated_get(depsgraph)
            matrices[number] = to_array(evaluated.matrix_world)
            if obj in worlds:
                matrices[number] = matmul(matrices[number], inverse(to_array(evaluated.matrix_basis)))
    return samples
