# SPDX-License-Identifier: GPL-3.0-or-later
"""Find links that are displayed by their edges only, and bones, when the mouse is near an edge or bone."""

from __future__ import annotations

import math
from collections.abc import Iterator

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

from ...nodes import Node, is_visible, owner_of, parts_among
from ...nodes.bones import middle_lines
from ...props import carrier_of
from ...props.members import links_in
from ...props.settings import link_settings
from ..posing.link_poses import to_array

BOX_EDGES = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)])
"""The edges of a bounding box, by the numbers of its corners in `Object.bound_box`."""

BEFORE_EYE = 1e-9
"""Smallest depth of a visible point, as the fourth of its homogeneous coordinates."""


def is_wire(obj: bpy.types.Object) -> bool:
    """Return whether an object is displayed by its edges only, or by those of its bounding box."""
    return obj.display_type in ("WIRE", "BOUNDS")


def wire_link_near(
    context, region, rv3d, coord: tuple[float, float], pixels: float, nearer_than: float = math.inf
) -> tuple[Node, Vector] | None:
    """Return the link whose displayed wire is nearest to a position in the region, and the nearest point of the wire.

    Collision shapes are left out, as they are wherever the mouse picks.

    Args:
        coord: the position [pixels of the region]. pixels: the largest distance at which an edge is found.
        nearer_than: distance of the surface at that position, which hides what is behind it [Blender units].
    """
    start = np.array(view3d_utils.region_2d_to_origin_3d(region, rv3d, coord))
    toward = np.array(view3d_utils.region_2d_to_vector_3d(region, rv3d, coord))
    best = None
    for link, segments in _segments(context):
        distance, points = _nearest_points(segments, to_array(rv3d.perspective_matrix), region, coord)
        fits = (distance <= pixels) & ((points - start) @ toward <= nearer_than)
        if fits.any():
            index = int(np.argmin(np.where(fits, distance, math.inf)))
            if best is None or distance[index] < best[0]:
                best = float(distance[index]), link, Vector(points[index].tolist())
    return None if best is None else best[1:]


def bone_link_near(context, region, rv3d, coord: tuple[float, float], pixels: float) -> tuple[Node, Vector] | None:
    """Return the visible bone that is a link and is drawn nearest to a position in the region, and its nearest point.

    What hides bones is not regarded, since artists let armatures be drawn in front.

    Args:
        coord: the position [pixels of the region]. pixels: the largest distance at which a bone is found.
    """
    bones = [bone for bone in parts_among(links_in(context.scene)) if is_visible(bone)]
    if not bones:
        return None
    distance, points = _nearest_points(middle_lines(bones), to_array(rv3d.perspective_matrix), region, coord)
    index = int(np.argmin(distance))
    return (bones[index], Vector(points[index].tolist())) if distance[index] <= pixels else None


def bone_beneath(scene: bpy.types.Scene, obj: bpy.types.Object, point: np.ndarray) -> Node | None:
    """Return the bone that is a link and is nearest to a point of a mesh, of the armatures that deform the mesh.

    Args:
        point: in world axes, shape (3,) [Blender units].
    """
    armatures = [modifier.object for modifier in obj.modifiers if isinstance(modifier, bpy.types.ArmatureModifier)]
    bones = [bone for bone in parts_among(links_in(scene)) if owner_of(bone) in armatures]
    if not bones:
        return None
    lines = middle_lines(bones)
    way = lines[:, 1] - lines[:, 0]
    along = np.clip(((point - lines[:, 0]) * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-300), 0.0, 1.0)
    nearest = lines[:, 0] + along[:, None] * way
    return bones[int(np.argmin(((nearest - point) ** 2).sum(axis=1)))]


def _segments(context) -> Iterator[tuple[Node, np.ndarray]]:
    """Yield each link with the edges of one of its wire objects in world axes, shape (n, 2, 3) [Blender units]."""
    depsgraph = context.evaluated_depsgraph_get()
    for obj in context.visible_objects:
        if not is_wire(obj) or link_settings(obj).role == "COLLISION":
            continue
        link = carrier_of(obj)
        if link is None:
            continue
        evaluated = obj.evaluated_get(depsgraph)
        points, edges = _box(evaluated) if obj.display_type == "BOUNDS" else _edges(evaluated)
        matrix = to_array(evaluated.matrix_world)
        yield link, (points @ matrix[:3, :3].T + matrix[:3, 3])[edges]


def _box(evaluated: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    return np.array([corner[:] for corner in evaluated.bound_box]), BOX_EDGES


def _edges(evaluated: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices of an object, shape (n, 3), and its edges, shape (m, 2)."""
    mesh = evaluated.to_mesh() if evaluated.type != "EMPTY" else None
    if mesh is None:
        return np.zeros((0, 3)), np.zeros((0, 2), np.int32)
    points, edges = np.empty(3 * len(mesh.vertices), np.float32), np.empty(2 * len(mesh.edges), np.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.edges.foreach_get("vertices", edges)
    evaluated.to_mesh_clear()
    return points.reshape(-1, 3).astype(np.float64), edges.reshape(-1, 2)


def _nearest_points(
    segments: np.ndarray, perspective: np.ndarray, region, coord: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each segment its distance from `coord` in the view [pixels], shape (n,), and its nearest point, shape
    (n, 3).

    A segment that extends behind the eye is cut off there. The distance of a segment that is entirely behind it is
    infinite.
    """
    ends = np.concatenate([segments, np.ones((len(segments), 2, 1))], axis=2) @ perspective.T
    depths = ends[:, :, 3]
    ways = segments[:, 1] - segments[:, 0]
    change = depths[:, 1] - depths[:, 0]
    crossing = (BEFORE_EYE - depths[:, 0]) / np.where(change == 0.0, 1.0, change)
    first = np.where(depths[:, 0] < BEFORE_EYE, crossing, 0.0)
    last = np.where(depths[:, 1] < BEFORE_EYE, crossing, 1.0)
    is_seen = (depths >= BEFORE_EYE).any(axis=1)
    cut = [ends[:, 0] + (ends[:, 1] - ends[:, 0]) * part[:, None] for part in (first, last)]
    w = [np.maximum(end[:, 3], BEFORE_EYE) for end in cut]
    half = 0.5 * np.array([region.width, region.height])
    a, b = ((end[:, :2] / depth[:, None] + 1.0) * half - np.array(coord) for end, depth in zip(cut, w, strict=True))
    way = b - a
    along = np.clip(-(a * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-300), 0.0, 1.0)
    distance = np.linalg.norm(a + along[:, None] * way, axis=1)
    # 1 / w is linear on the screen, so a fraction of the segment on the screen is another one in the world.
    share = along * w[0] / (along * w[0] + (1.0 - along) * w[1])
    fraction = first + share * (last - first)
    return np.where(is_seen, distance, math.inf), segments[:, 0] + fraction[:, None] * ways
