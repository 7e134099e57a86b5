# SPDX-License-Identifier: GPL-3.0-or-later
"""Read which points of a character's meshes follow which bone, in the rest position of the armature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from ....core.spatial.arrays import inverse, matmul, norm
from ..meshes.meshes import data_of
from ..posing.link_poses import to_array
from .bound_meshes import weights_of

AS_STRONG = 0.999
"""Part of the greatest weight of a vertex from which another bone counts as strong: of a ring of vertices at a joint,
both bones have half."""


@dataclass(frozen=True)
class BonePoints:
    """Points of meshes that follow one bone more than any other.

    Attributes:
        points: in the axes of the armature [its units], shape (n, 3).
        areas: the part of the surface that each point stands for, shape (n,).
    """

    points: np.ndarray
    areas: np.ndarray


def joined(parts: Sequence[BonePoints]) -> BonePoints:
    """Return all points of at least one part."""
    return BonePoints(np.concatenate([part.points for part in parts]), np.concatenate([part.areas for part in parts]))


def rest_skin(
    armature: bpy.types.Object, meshes: Sequence[bpy.types.Object], view_layer: bpy.types.ViewLayer
) -> dict[str, BonePoints]:
    """Return the points that deforming bones of an armature dominate, by name of the bone.

    Meshes are evaluated with all modifiers. As the Armature modifier does, vertex groups without a deforming bone are
    ignored, and only the ratios of the other weights count.

    Args:
        meshes: which the armature deforms.
        view_layer: in which they are. It is updated for the rest position, and again at the end.
    """
    found: dict[str, list[BonePoints]] = {}
    with at_rest(armature, view_layer):
        depsgraph = view_layer.depsgraph
        assert depsgraph is not None  # it was updated
        world = to_array(armature.evaluated_get(depsgraph).matrix_world)
        for obj in meshes:
            evaluated = obj.evaluated_get(depsgraph)
            matrix = matmul(inverse(world), to_array(evaluated.matrix_world))
            mesh = evaluated.to_mesh()
            for name, part in _points_by_bone(armature, obj, mesh, matrix):
                found.setdefault(name, []).append(part)
            evaluated.to_mesh_clear()
    return {name: joined(parts) for name, parts in found.items()}


@contextmanager
def at_rest(armature: bpy.types.Object, view_layer: bpy.types.ViewLayer) -> Iterator[None]:
    """Let an armature show its rest position within this context."""
    data = armature.data
    assert isinstance(data, bpy.types.Armature)
    before = data.pose_position
    data.pose_position = "REST"
    view_layer.update()
    try:
        yield
    finally:
        data.pose_position = before
        view_layer.update()


def _points_by_bone(
    armature: bpy.types.Object, obj: bpy.types.Object, mesh: bpy.types.Mesh, matrix: np.ndarray
) -> Iterator[tuple[str, BonePoints]]:
    """Yield the points of a mesh that each bone dominates.

    Args:
        matrix: from the axes of the mesh to those of the armature, shape (4, 4).
    """
    vertices, bones, weights = weights_of(mesh, obj, armature)
    if not bones:
        return
    strongest = np.zeros(len(mesh.vertices))
    np.maximum.at(strongest, vertices, weights)
    is_strong = weights >= AS_STRONG * strongest[vertices]
    data = data_of(mesh)
    points = matmul(data.vertices, matrix[:3, :3].T) + matrix[:3, 3]
    areas = _areas_of(points, data.triangles)
    followed = np.array(bones)
    for name in dict.fromkeys(group.name for group in obj.vertex_groups):
        own = vertices[is_strong & (followed == name)]
        if len(own):
            yield name, BonePoints(points[own], areas[own])


def _areas_of(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return a third of the area of the triangles at each point, shape (n,)."""
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    thirds = norm(np.cross(b - a, c - a)) / 6.0
    return np.bincount(triangles.ravel(), np.repeat(thirds, 3), minlength=len(points))
