# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the primitive that a convex body is, if it is one.

A mesh of a round body is smaller than the body that it represents: with 32 corners around, a cylinder lacks 0.6 % of
its volume, and a sphere 1.6 %. So the surfaces are compared by their largest distance as a fraction of the body's size,
which is 0.2 % and 0.5 % for these. The volumes are compared too, since the surface of a long square rod is within 1 %
of its length from that of a round one; a body that deviates by 1 % in each direction deviates by 3 % in volume.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ...spatial.arrays import cosines_sines, covariance, det, eigh, hypot, matmul, norm
from ..features.fits import perpendiculars
from ..mass import mass_properties
from ..shapes import Box, Capsule, Cone, Cylinder, Geometry, Sphere
from .enclosing import (
    Placed,
    enclosing_ball,
    enclosing_box,
    enclosing_capsule,
    enclosing_cylinder,
    enclosing_sphere,
)

CLOSE = 0.01
"""Largest distance by which a primitive's surface may lie outside the body, as a fraction of the body's size."""
CLOSE_VOLUME = (1.0 + CLOSE) ** 3 - 1.0
"""Largest excess of a primitive's volume, as a fraction of the body's volume. It corresponds to `CLOSE`."""
ALIKE = 3
"""Number of decimals to which excess volumes are compared. Among primitives that agree to so many, the first kind in
`FITS` is taken.
"""
SQUARE = 1e-3
"""Cosine of the angle between two faces up to which they are square to each other."""
DIRECTIONS = 1000
"""Number of directions in which surfaces are compared, in addition to the normals of the faces."""

FITS: dict[str, Callable[[np.ndarray], Placed]] = {
    "BOX": enclosing_box,
    "SPHERE": enclosing_sphere,
    "CAPSULE": enclosing_capsule,
    "CYLINDER": enclosing_cylinder,
}
"""Functions that return the smallest primitive of each kind around points, or nearly so."""


@dataclass(frozen=True)
class Fitting:
    """A primitive around a body.

    Attributes:
        kind: its name in `FITS`.
        placed: the primitive and its place.
        error: largest distance of its surface outside the body, as a fraction of the body's size. The size is the
            diameter of the smallest ball around the body.
        excess: excess of its volume, as a fraction of the body's volume.
    """

    kind: str
    placed: Placed
    error: float
    excess: float


def fitting_shape(vertices: np.ndarray, triangles: np.ndarray) -> Fitting | None:
    """Return the primitive that a convex body is, within `CLOSE`, or None.

    Boxes and axes are tried along the given axes, the principal axes, and the normals of the body's largest faces,
    since the principal axes of a cube are arbitrary.

    Args:
        vertices: shape (n, 3) [m].
        triangles: shape (t, 3), of a closed convex surface, counter-clockwise seen from outside.

    Raises:
        ValueError: if the surface encloses no volume.
    """
    volume = mass_properties(vertices[triangles]).volume
    size = 2.0 * enclosing_ball(vertices)[1]
    frames = frames_of(vertices, triangles)
    tried = [
        Fitting(kind, placed, largest_gap(placed, vertices, triangles) / size, volume_of(placed[0]) / volume - 1.0)
        for kind in FITS
        for placed in _placed_along(FITS[kind], frames, vertices)
    ]
    close = [each for each in tried if each.error <= CLOSE and each.excess <= CLOSE_VOLUME]
    return min(close, key=lambda each: round(each.excess, ALIKE), default=None)


def smallest_box(vertices: np.ndarray, triangles: np.ndarray) -> Placed:
    """Return the box of least surface around a body, along the axes that `fitting_shape` tries.

    The body may be flat. Arguments are those of `fitting_shape`.
    """
    return min(_placed_along(enclosing_box, frames_of(vertices, triangles), vertices), key=_surface_of_box)


def _surface_of_box(placed: Placed) -> float:
    box, _ = placed
    assert isinstance(box, Box)
    x, y, z = box.size
    return x * y + y * z + z * x


def largest_gap(placed: Placed, vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Return the largest distance by which the surface of a primitive lies outside a convex body within it [m].

    For two convex bodies, this is the largest difference of their support functions.
    """
    geometry, matrix = placed
    p = vertices[triangles]
    normals = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    lengths = norm(normals)
    faces = lengths > 0.0
    normals = normals[faces] / lengths[faces, None]
    around = even_directions(DIRECTIONS)
    reach = [
        (normals * p[faces, 0]).sum(axis=1),
        (matmul(vertices, around.T)).max(axis=0),
    ]  # a face is the farthest part of the body along its normal
    directions = np.concatenate([normals, around])
    return float(
        (
            reach_of(geometry, matmul(directions, matrix[:3, :3]))
            + matmul(directions, matrix[:3, 3])
            - np.concatenate(reach)
        ).max()
    )


def volume_of(geometry: Geometry) -> float:
    """Return the volume of a box, sphere, capsule or cylinder [m^3]."""
    match geometry:
        case Box(size):
            return math.prod(size)
        case Sphere(radius):
            return 4.0 / 3.0 * math.pi * radius**3
        case Capsule(radius, length):
            return math.pi * radius**2 * (length + 4.0 / 3.0 * radius)
        case Cylinder(radius, length):
            return math.pi * radius**2 * length
    raise TypeError(f"{type(geometry).__name__} is none of these")


def reach_of(geometry: Geometry, d: np.ndarray) -> np.ndarray:
    """Return the support function of a primitive [m] for unit vectors `d` in its own axes, shape (n, 3)."""
    match geometry:
        case Box(size):
            return matmul(np.abs(d), np.array(size)) / 2.0
        case Sphere(radius):
            return np.full(len(d), radius)
        case Capsule(radius, length):
            return radius + np.abs(d[:, 2]) * length / 2.0
        case Cylinder(radius, length):
            return radius * hypot(d[:, 0], d[:, 1]) + np.abs(d[:, 2]) * length / 2.0
        case Cone(radius, length):
            return np.maximum(d[:, 2] * length / 2.0, radius * hypot(d[:, 0], d[:, 1]) - d[:, 2] * length / 2.0)
    raise TypeError(f"{type(geometry).__name__} is none of these")


def _placed_along(
    fit: Callable[[np.ndarray], Placed], frames: list[np.ndarray], vertices: np.ndarray
) -> Iterator[Placed]:
    for axes in frames:
        yield turned_back(fit(matmul(vertices, axes)), axes)


def turned_back(placed: Placed, axes: np.ndarray) -> Placed:
    """Transform a primitive from the frame whose axes are the columns of `axes`, shape (3, 3), to the outer frame."""
    geometry, matrix = placed
    turned = np.eye(4)
    turned[:3, :3], turned[:3, 3] = matmul(axes, matrix[:3, :3]), matmul(axes, matrix[:3, 3])
    return geometry, turned


def frames_of(vertices: np.ndarray, triangles: np.ndarray) -> list[np.ndarray]:
    """Return the frames in which primitives are tried: the given axes, the principal axes, and axes along face normals.

    Each has shape (3, 3), with its axes as columns. Arguments are those of `fitting_shape`.
    """
    return [np.eye(3), _principal_axes(vertices), _axes_of_faces(vertices[triangles])]


def _principal_axes(vertices: np.ndarray) -> np.ndarray:
    axes = eigh(covariance(vertices))[1]
    return axes * np.array((1.0, 1.0, det(axes)))  # a rotation, and no mirror


def _axes_of_faces(corners: np.ndarray) -> np.ndarray:
    """Return a rotation matrix whose first axis is the normal of the largest triangle.

    The second axis is the normal of the largest triangle that is perpendicular to that one.
    """
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = norm(normals)
    normals = normals / np.where(areas > 0.0, areas, 1.0)[:, None]
    first = normals[int(areas.argmax())]
    square = np.where(np.abs(matmul(normals, first)) < SQUARE, areas, 0.0)
    aside = normals[int(square.argmax())] if square.any() else perpendiculars(first)[0]
    second = aside - (matmul(aside, first)) * first
    second /= norm(second)
    return np.column_stack([first, second, np.cross(first, second)])


def even_directions(count: int) -> np.ndarray:
    """Return unit vectors spread evenly over a sphere, along a spiral of the golden angle, shape (count, 3)."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, math.pi * (1.0 + math.sqrt(5.0)) * k
    across = np.sqrt(1.0 - z * z)
    cosine, sine = cosines_sines(turn)
    return np.column_stack([across * cosine, across * sine, z])
