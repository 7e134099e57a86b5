# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies under the mouse, as surfaces in the world to which core can fit a joint."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

from ...core.geometry.features import Feature, Surface
from ...core.model import ModelError
from ...core.spatial import Pose, compose, inverse
from .. import ids
from ..props import carrier_of
from .meshes import mesh_data, turned_inside_out
from .poses import are_same, drawn_pose, live_pose, to_array
from .wires import is_wire

MOST_SHELLS = 64
"""Collision shapes and wires, one inside the other, that a ray goes through."""


@dataclass(frozen=True, eq=False)
class Hit:
    """Where a ray meets the scene.

    Attributes:
        obj: the object, as the user has it.
        face: the polygon of its evaluated mesh.
        point: in the world, shape (3,).
        normal: unit vector in the world, shape (3,).
        distance: from where the ray began.
        matrix: of the mesh's points in the world, shape (4, 4); an instance's is not its object's.
    """

    obj: bpy.types.Object
    face: int
    point: np.ndarray
    normal: np.ndarray
    distance: float
    matrix: np.ndarray


def hit_under(context, region, rv3d, coord: tuple[float, float], meets_wires: bool = False) -> Hit | None:
    """What the user sees at `coord` [pixels of the region]; None for empty space. Hidden objects and Empties are not
    seen. meets_wires: as in `hit_along`."""
    start = view3d_utils.region_2d_to_origin_3d(region, rv3d, coord)
    direction = view3d_utils.region_2d_to_vector_3d(region, rv3d, coord)
    return hit_along(context, start, direction, meets_wires)


def hit_along(context, start, direction, meets_wires: bool = False) -> Hit | None:
    """What a ray in the world meets first of what is seen: it goes through collision shapes and wires.

    meets_wires: whether it also meets the faces of objects that are displayed as wire or bounds.
    """
    depsgraph = context.evaluated_depsgraph_get()
    origin, way = Vector(start), Vector(direction).normalized()
    for _ in range(MOST_SHELLS):
        found, point, normal, face, obj, matrix = context.scene.ray_cast(depsgraph, origin, way)
        if not found or face < 0:
            return None
        if not _is_seen_through(obj.original, meets_wires):
            break
        origin = point + way * (1e-5 * max(1.0, (point - Vector(start)).length))
    else:
        return None
    at = np.array(point, dtype=np.float64)
    distance = float(np.linalg.norm(at - np.array(start)))
    return Hit(obj.original, face, at, np.array(normal, dtype=np.float64), distance, to_array(matrix))


def _is_seen_through(obj: bpy.types.Object, meets_wires: bool) -> bool:
    return getattr(obj, ids.LINK).role == "COLLISION" or (is_wire(obj) and not meets_wires)


def hit_of(context, obj: bpy.types.Object, face: int, point: np.ndarray) -> Hit:
    """What pointing at a polygon of an object would meet; of several instances, the one nearest to the point.

    Raises:
        ModelError: the object shows no such polygon in this scene.
    """
    depsgraph = context.evaluated_depsgraph_get()
    matrices = [
        to_array(found.matrix_world)
        for found in depsgraph.object_instances
        if found.object is not None and found.object.original == obj
    ]
    if not matrices:
        raise ModelError(f"object '{obj.name}' is not seen in this scene: show it, or point at another")
    data = mesh_data(obj.evaluated_get(depsgraph))
    if not 0 <= face < len(data.starts):
        raise ModelError(f"object '{obj.name}' has no face {face}: it has {len(data.starts)} with its modifiers")
    ends = [*data.starts[1:].tolist(), len(data.corners)]
    corners = data.vertices[data.corners[data.starts[face] : ends[face]]]

    def distance(matrix: np.ndarray) -> float:
        placed = corners @ matrix[:3, :3].T + matrix[:3, 3]
        return float(np.linalg.norm(placed.mean(axis=0) - point))

    return Hit(obj, face, np.asarray(point, dtype=np.float64), np.zeros(3), 0.0, min(matrices, key=distance))


class Surfaces:
    """The surfaces that were pointed at, each made once. Lives no longer than a tool runs."""

    def __init__(self):
        self._known: dict[tuple, Surface] = {}

    def feature_under(self, context, hit: Hit, reach: float) -> Feature | None:
        """What a joint can be fitted to where the ray met the scene: at worst the place. None on a face without area.

        reach: how near an edge must be to be meant.
        """
        surface = self._surface(context, hit)
        if hit.face >= len(surface):
            return None
        return surface.feature_at(hit.face, hit.point, reach) or surface.place_at(hit.face, hit.point, reach)

    def _surface(self, context, hit: Hit) -> Surface:
        """In the world, so that lengths and angles are what they look like under any scale."""
        key = (hit.obj.session_uid, context.scene.frame_current_final, hit.matrix.tobytes())
        if key not in self._known:
            data = mesh_data(hit.obj.evaluated_get(context.evaluated_depsgraph_get()))
            linear = hit.matrix[:3, :3]
            if np.linalg.det(linear) < 0.0:
                data = turned_inside_out(data)
            self._known[key] = Surface(data.vertices @ linear.T + hit.matrix[:3, 3], data.corners, data.starts)
        return self._known[key]


def as_drawn(obj: bpy.types.Object, X_W: Pose) -> Pose:
    """A pose seen on the object now, where it is while the object's link is where it was drawn [Blender units].

    Raises:
        ModelError: the link has no size.
    """
    link = carrier_of(obj)
    if link is None:
        return X_W
    now, drawn = live_pose(link), drawn_pose(link)
    return X_W if are_same(now, drawn) else compose(drawn, compose(inverse(now), X_W))
