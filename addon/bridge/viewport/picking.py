# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the surface under the mouse, as a surface in world axes to which core can fit a joint."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

from ....core.geometry.features.features import Feature, Surface
from ....core.model import ModelError
from ....core.spatial import Pose, compose, inverse
from ...props import carrier_of
from ...props.settings import link_settings
from ..meshes.meshes import mesh_data, turned_inside_out
from ..posing.link_poses import are_same, drawn_pose, live_pose, to_array
from .wires import is_wire

MOST_SHELLS = 64
"""Largest number of collision shapes and wires that a ray passes through, one behind the other."""


@dataclass(frozen=True, eq=False)
class Hit:
    """The first intersection of a ray with the scene.

    Attributes:
        obj: the original object, not the evaluated one.
        face: number of the polygon in its evaluated mesh.
        point: in world axes, shape (3,).
        normal: unit vector in world axes, shape (3,).
        distance: from the origin of the ray.
        matrix: of the mesh's vertices in the world, shape (4, 4); that of an instance differs from its object's.
    """

    obj: bpy.types.Object
    face: int
    point: np.ndarray
    normal: np.ndarray
    distance: float
    matrix: np.ndarray


def hit_under(context, region, rv3d, coord: tuple[float, float], hits_wires: bool = False) -> Hit | None:
    """Return the intersection at `coord` [pixels of the region]; None for empty space.

    Hidden objects and Empties are not hit.

    Args:
        hits_wires: as in `hit_along`.
    """
    start = view3d_utils.region_2d_to_origin_3d(region, rv3d, coord)
    direction = view3d_utils.region_2d_to_vector_3d(region, rv3d, coord)
    return hit_along(context, start, direction, hits_wires)


def hit_along(context, start, direction, hits_wires: bool = False) -> Hit | None:
    """Return the first intersection of a ray in world axes with a visible object.

    The ray passes through collision shapes and wires.

    Args:
        hits_wires: whether it also hits the faces of objects that are displayed as wire or bounds.
    """
    depsgraph = context.evaluated_depsgraph_get()
    origin, unit_direction = Vector(start), Vector(direction).normalized()
    for _ in range(MOST_SHELLS):
        found, point, normal, face, obj, matrix = context.scene.ray_cast(depsgraph, origin, unit_direction)
        if not found or face < 0:
            return None
        if not _is_seen_through(obj.original, hits_wires):
            break
        origin = point + unit_direction * (1e-5 * max(1.0, (point - Vector(start)).length))
    else:
        return None
    at = np.array(point, dtype=np.float64)
    distance = float(np.linalg.norm(at - np.array(start)))
    return Hit(obj.original, face, at, np.array(normal, dtype=np.float64), distance, to_array(matrix))


def _is_seen_through(obj: bpy.types.Object, hits_wires: bool) -> bool:
    return link_settings(obj).role == "COLLISION" or (is_wire(obj) and not hits_wires)


def hit_of(context, obj: bpy.types.Object, face: int, point: np.ndarray) -> Hit:
    """Return the intersection that a ray to a polygon of an object would have, without normal and distance.

    If the object has several instances, it is on the one nearest to the point.

    Raises:
        ModelError: if the object shows no such polygon in this scene.
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
    """A cache of the surfaces that were pointed at. It lives as long as a tool runs."""

    def __init__(self):
        self._surfaces: dict[tuple, Surface] = {}

    def feature_under(self, context, hit: Hit, reach: float) -> Feature | None:
        """Return the feature to which a joint can be fitted at an intersection; None on a face without area.

        If there is no other feature, it is the place itself.

        Args:
            reach: largest distance of an edge that counts as meant [Blender units].
        """
        surface = self._surface(context, hit)
        if hit.face >= len(surface):
            return None
        return surface.feature_at(hit.face, hit.point, reach) or surface.place_at(hit.face, hit.point, reach)

    def _surface(self, context, hit: Hit) -> Surface:
        """Return the surface in world axes, so that lengths and angles are right under any scale."""
        key = (hit.obj.session_uid, context.scene.frame_current_final, hit.matrix.tobytes())
        if key not in self._surfaces:
            data = mesh_data(hit.obj.evaluated_get(context.evaluated_depsgraph_get()))
            linear = hit.matrix[:3, :3]
            if np.linalg.det(linear) < 0.0:
                data = turned_inside_out(data)
            self._surfaces[key] = Surface(data.vertices @ linear.T + hit.matrix[:3, 3], data.corners, data.starts)
        return self._surfaces[key]


def as_drawn(obj: bpy.types.Object, X_W: Pose) -> Pose:
    """Convert a pose on an object from the object's present place to the place at which its link was drawn.

    Args:
        X_W: the pose in the world at present [Blender units].

    Raises:
        ModelError: if the link has scale 0.
    """
    link = carrier_of(obj)
    if link is None:
        return X_W
    now, drawn = live_pose(link), drawn_pose(link)
    return X_W if are_same(now, drawn) else compose(drawn, compose(inverse(now), X_W))
