# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognise the primitive whose surface a mesh approximates by flat faces, even by few.

`fitting.py` measures the distance of two surfaces, so it does not recognise a sphere of few segments. Here the corners
of a mesh must lie on the primitive's surface, and each face may cut off at most as much as the coarsest tessellation
that an artist takes for round. So the primitive has the size that the user typed when the mesh was made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ...spatial.arrays import hypot, matmul, norm
from ..shapes import Box, Capsule, Cone, Cylinder, Geometry, Sphere
from .enclosing import Placed, enclosing_ball, enclosing_box, upright_capsule, upright_cylinder
from .fitting import frames_of, reach_of, turned_back

ON_SURFACE = 2e-4
"""Largest distance of a corner from the surface, as a fraction of the radius or of a box's least side. Single precision
leaves 1e-7 of the size, and typed values such as 0.866 leave 1e-4.
"""

FEWEST_SIDES = 12
"""Smallest number of sides of a prism or pyramid that counts as round. One of eight is a bolt's head or a pencil."""

SIDE_SAGITTA = 1.0 - math.cos(math.pi / FEWEST_SIDES)
"""Largest depth that a side cuts off from a cylinder or a cone, as a fraction of its radius."""

BALL_SAGITTA = 0.07
"""Largest depth that a face cuts off from a sphere or the end of a capsule, as a fraction of its radius. An icosphere
of two subdivisions has 0.066, and a UV sphere of 16 x 8 has 0.04. The ball of pentagons and hexagons has 0.085, and is
the roundest of the Archimedean solids.
"""

_SAGITTA = {Box: 0.0, Sphere: BALL_SAGITTA, Capsule: BALL_SAGITTA, Cylinder: SIDE_SAGITTA, Cone: SIDE_SAGITTA}
"""Largest depth that a face may cut off from each kind of primitive, as a fraction of its radius."""

FLAT = 1e-6
"""Volume, as a fraction of the cube of the size, at or below which a mesh is flat and represents no primitive."""

NO_AREA = 1e-12
"""Area, as a fraction of the largest triangle's, at or below which a triangle has no normal."""

ALONG = 1.0 - 1e-6
"""Least cosine of the angle to the axis at which a face belongs to a flat end of a cylinder or a cone."""

SAME_VOLUME = 1.0 + 1e-6
"""Largest ratio of two volumes at which they count as equal, and the axes that were tried first are taken."""

UNEVEN = 0.05
"""Largest difference of a round mesh's extents along two axes, as a fraction of the extent. A prism of 12 sides has
0.035.
"""


@dataclass(frozen=True, eq=False)
class _Hull:
    """A convex mesh.

    Attributes:
        vertices: shape (n, 3) [m].
        triangles: vertex numbers of the triangles that have an area, shape (t, 3).
        normals: unit normals of these, shape (t, 3).
        offsets: signed distances of their planes from the origin, shape (t,) [m].
        volume: volume that the mesh encloses [m^3].
    """

    vertices: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    offsets: np.ndarray
    volume: float


@dataclass(frozen=True)
class Recognized:
    """A primitive that a mesh represents.

    Attributes:
        kind: BOX, SPHERE, CYLINDER, CONE or CAPSULE.
        placed: the primitive, and the matrix that places it where the mesh is.
    """

    kind: str
    placed: Placed


def recognized_shape(vertices: np.ndarray, triangles: np.ndarray) -> Recognized | None:
    """Return the primitive that a convex mesh approximates, or None.

    Args:
        vertices: corners of the mesh, shape (n, 3) [m].
        triangles: vertex numbers of its closed surface, counter-clockwise seen from outside, shape (t, 3).
    """
    centre, radius = enclosing_ball(vertices)
    hull = _hull(vertices, triangles)
    if not hull.volume > FLAT * (2.0 * radius) ** 3:
        return None
    ball = np.eye(4)
    ball[:3, 3] = centre
    for placed in chain([(Sphere(radius), ball)], _candidates(vertices, frames_of(vertices, triangles))):
        if _is_tessellation(placed, hull):
            return Recognized(type(placed[0]).__name__.upper(), placed)
    return None


def _hull(vertices: np.ndarray, triangles: np.ndarray) -> _Hull:
    p = vertices[triangles]
    normals = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    lengths = norm(normals)
    has_area = lengths > NO_AREA * lengths.max()
    normals = normals[has_area] / lengths[has_area, None]
    offsets = (normals * p[has_area, 0]).sum(axis=1)
    volume = float((offsets * lengths[has_area]).sum()) / 6.0
    return _Hull(vertices, triangles[has_area], normals, offsets, volume)


def _is_tessellation(placed: Placed, hull: _Hull) -> bool:
    """Return whether the corners lie on the primitive and no face cuts off too much.

    The inner vertices of the flat ends of a cylinder or cone do not count as corners.
    """
    geometry, matrix = placed
    breadth = _breadth_of(geometry)
    near = ON_SURFACE * breadth
    directions = matmul(hull.normals, matrix[:3, :3])
    is_on_side = np.abs(directions[:, 2]) < ALONG
    corners = np.unique(hull.triangles[is_on_side]) if isinstance(geometry, Cylinder | Cone) else slice(None)
    own = matmul(hull.vertices[corners] - matrix[:3, 3], matrix[:3, :3])
    if not len(own) or not np.abs(_distance_from_side(geometry, own)).max() <= near:
        return False
    cut_off = reach_of(geometry, directions) + matmul(hull.normals, matrix[:3, 3]) - hull.offsets
    return bool(cut_off.max() <= _SAGITTA[type(geometry)] * breadth + near)


def _breadth_of(geometry: Geometry) -> float:
    """Return the radius, or the least side of a box [m]."""
    match geometry:
        case Box(size):
            return min(size)
        case Sphere(radius) | Capsule(radius, _) | Cylinder(radius, _) | Cone(radius, _):
            return radius
    raise TypeError(f"{type(geometry).__name__} is none of these")


def _distance_from_side(geometry: Geometry, points: np.ndarray) -> np.ndarray:
    """Return the signed distance of points from a primitive without its flat ends, positive outside, shape (n,) [m].

    Args:
        points: in the primitive's axes, shape (n, 3) [m].
    """
    x, y, z = np.transpose(points)
    match geometry:
        case Box(size):
            return (np.abs(points) - np.array(size) / 2.0).max(axis=1)
        case Sphere(radius):
            return norm(points) - radius
        case Cylinder(radius, _):
            return hypot(x, y) - radius
        case Capsule(radius, length):
            return hypot(hypot(x, y), np.maximum(np.abs(z) - length / 2.0, 0.0)) - radius
        case Cone(radius, length):
            return (hypot(x, y) * length + (z - length / 2.0) * radius) / math.sqrt(radius**2 + length**2)
    raise TypeError(f"{type(geometry).__name__} is none of these")


def _candidates(vertices: np.ndarray, frames: list[np.ndarray]) -> Iterator[Placed]:
    """Yield primitives around the vertices along each frame: kind by kind, boxes first.

    Within a kind, the smallest comes first. Axes that deviate slightly from a body's own would make the primitive
    larger and still keep the corners within `ON_SURFACE`.
    """
    found: dict[type, list[tuple[float, Placed]]] = {Box: [], Cylinder: [], Cone: [], Capsule: []}
    for axes in frames:
        own = matmul(vertices, axes)
        found[Box].append((math.prod(np.ptp(own, axis=0).tolist()), turned_back(enclosing_box(own), axes)))
        for turn in _turns_to_axis(vertices, axes):
            own = matmul(vertices, turn)
            for geometry, place, volume in (upright_cylinder(own), *_upright_cone(own), upright_capsule(own)):
                matrix = np.eye(4)
                matrix[:3, 3] = place
                found[type(geometry)].append((volume, turned_back((geometry, matrix), turn)))
    for of_a_kind in found.values():
        least = min((volume for volume, _ in of_a_kind), default=0.0) * SAME_VOLUME
        for _, placed in sorted(of_a_kind, key=lambda candidate: max(candidate[0], least)):
            yield placed


def _turns_to_axis(vertices: np.ndarray, axes: np.ndarray) -> Iterator[np.ndarray]:
    """Yield rotations whose z axis is one of the axes or its opposite.

    An axis is taken if the extents of the vertices along the other two are nearly equal.
    """
    extents = np.ptp(matmul(vertices, axes), axis=0)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        if abs(extents[j] - extents[k]) <= UNEVEN * extents[j]:
            x, y, z = axes[:, j], axes[:, k], axes[:, i]
            yield np.column_stack([x, y, z])
            yield np.column_stack([y, x, -z])


def _upright_cone(points: np.ndarray) -> Iterator[tuple[Cone, np.ndarray, float]]:
    """Yield the cone along z from the lowest points to the highest one: geometry, centre and volume.

    Yield none if the base has too few points.
    """
    low, high = float(points[:, 2].min()), float(points[:, 2].max())
    base = points[points[:, 2] <= low + ON_SURFACE * (high - low), :2]
    if len(base) < FEWEST_SIDES:
        return
    centre, radius = enclosing_ball(base)
    length = high - low
    yield Cone(radius, length), np.array((*centre, (low + high) / 2.0)), math.pi * radius**2 * length / 3.0
