# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognise the primitive of a link's collision mesh, if the vertices of the mesh lie on one."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, replace

import numpy as np

from ....core.geometry import Box, Capsule, Cone, Cylinder, Geometry, Shape, Sphere
from ....core.geometry.pieces import outward_triangles, volume
from ....core.geometry.primitives.recognition import recognized_shape
from ....core.model.text import counted
from ....core.spatial import Pose
from ....core.spatial.arrays import det, matmul
from ..meshes.meshes import MeshData, hull_of
from ..posing.link_poses import pose_of_matrix
from ..values.numbers import shortest, tidy_pose

LARGEST = 20_000
"""Largest number of vertices of a mesh that is examined. The hull of so many takes a tenth of a second."""

HOLLOW = 0.01
"""Largest part of its hull's volume by which a mesh may be smaller. *Problems* reports meshes beyond that."""

CACHE_SIZE = 4096
"""Number of meshes whose results are cached."""

_cache: dict[bytes, tuple[Geometry, Pose] | None] = {}
"""Cached results, by digest of a mesh and its linear map, the latest last; None for a mesh that is no primitive."""

_NAMES: dict[type, tuple[str, str]] = {
    Box: ("box", "boxes"),
    Sphere: ("sphere", "spheres"),
    Cylinder: ("cylinder", "cylinders"),
    Cone: ("cone", "cones"),
    Capsule: ("capsule", "capsules"),
}
"""Singular and plural of each kind, for messages."""


def in_words(shapes: Iterable[Shape]) -> str:
    """Return how many primitives of each kind there are, such as "27 spheres and 1 box"; empty if there are none."""
    counts = Counter(type(shape.geometry) for shape in shapes)
    words = [counted(counts[kind], *names) for kind, names in _NAMES.items() if counts[kind]]
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def kinds_of(shapes: Iterable[Shape]) -> list[str]:
    """Return the labels of the kinds of primitives among shapes, such as "Sphere", each once."""
    found = {type(shape.geometry) for shape in shapes}
    return [kind.__name__ for kind in _NAMES if kind in found]


def recognized_in(data: MeshData, linear: np.ndarray) -> tuple[Geometry, Pose] | None:
    """Return the primitive of a mesh and its pose [Blender units], or None.

    Results are cached, because a scene is read often while its meshes do not change.

    Args:
        linear: scale, or scale and shear, that is applied to the vertices, shape (3, 3).
    """
    if not 4 <= len(data.vertices) <= LARGEST or not len(data.triangles):
        return None
    key = hashlib.sha256(data.vertices.tobytes() + data.triangles.tobytes() + linear.tobytes()).digest()
    if key not in _cache:
        _cache[key] = _recognized(data, linear)
        for oldest in list(_cache)[:-CACHE_SIZE]:
            del _cache[oldest]
    return _cache[key]


def _recognized(data: MeshData, linear: np.ndarray) -> tuple[Geometry, Pose] | None:
    vertices = matmul(data.vertices, linear.T)
    points, faces = hull_of(replace(data, vertices=vertices))
    if not faces:
        return None
    triangles, hull_volume = outward_triangles(points, faces)
    own = math.copysign(1.0, det(linear)) * volume(vertices, data.triangles)
    if own < (1.0 - HOLLOW) * hull_volume:
        return None
    found = recognized_shape(points, triangles)
    if found is None:
        return None
    geometry, matrix = found.placed
    return geometry, tidy_pose(pose_of_matrix(matrix, np.ones(3)))


def in_metres(geometry: Geometry, unit: float) -> Geometry:
    """Return a primitive with its lengths in metres instead of Blender units.

    Args:
        unit: length of a Blender unit [m].
    """
    if isinstance(geometry, Box):
        x, y, z = (shortest(side) * unit for side in geometry.size)
        return Box((x, y, z))
    return replace(geometry, **{each.name: shortest(getattr(geometry, each.name)) * unit for each in fields(geometry)})
