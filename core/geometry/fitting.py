# SPDX-License-Identifier: GPL-3.0-or-later
"""Which primitive a convex body is, if it is one: what an artist has modelled as a box is told as a box.

A mesh of a round thing is smaller than what it stands for: of 32 corners around, a cylinder lacks 0.6 % of its volume,
a sphere 1.6 %. So what counts is how far apart the two surfaces are, as a part of the body's size: 0.2 % and 0.5 % for
these. The volume is compared, too, since a square rod that is long enough is within 1 % of its length of a round one;
what is off by 1 % in each direction is off by 3 % in volume.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..spatial.arrays import cosines_sines, covariance, det, eigh, hypot, matmul, norm
from .enclosing import (
    Placed,
    enclosing_ball,
    enclosing_box,
    enclosing_capsule,
    enclosing_cylinder,
    enclosing_sphere,
)
from .fits import perpendiculars
from .mass import mass_properties
from .shapes import Box, Capsule, Cone, Cylinder, Geometry, Sphere

CLOSE = 0.01
"""Of the body's size: by how much a primitive's surface may lie outside of it."""
CLOSE_VOLUME = (1.0 + CLOSE) ** 3 - 1.0
"""Of its volume: by how much a primitive may be larger."""
ALIKE = 3
"""Decimals of that: of two primitives that are as good to so many, the first in `FITS` is taken."""
SQUARE = 1e-3
"""Cosine of the angle between two faces up to which they are square to each other."""
DIRECTIONS = 1000
"""In which surfaces are compared, beside those of the faces."""

FITS: dict[str, Callable[[np.ndarray], Placed]] = {
    "BOX": enclosing_box,
    "SPHERE": enclosing_sphere,
    "CAPSULE": enclosing_capsule,
    "CYLINDER": enclosing_cylinder,
}
"""The smallest of each kind around points, or nearly so."""


@dataclass(frozen=True)
class Fitting:
    """A primitive around a body.

    Attributes:
        kind: its name in `FITS`. placed: itself, and where.
        error: how far its surface lies outside of the body at most, as a part of the body's size, which is the diameter
            of the smallest ball around it. excess: by how much it is larger, as a part of the body's volume.
    """

    kind: str
    placed: Placed
    error: float
    excess: float


def fitting_shape(vertices: np.ndarray, triangles: np.ndarray) -> Fitting | None:
    """The primitive that a convex body is, within `CLOSE`; None where it is none of them.

    Boxes and axes are tried along the given axes, the principal ones, and those of the body's largest faces: a
    cube's principal axes are any.

    Args:
        vertices: shape (n, 3) [m]. triangles: shape (t, 3), of a closed convex surface, counter-clockwise seen from
            outside.

    Raises:
        ValueError: it encloses no volume.
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
    """Along those axes that `fitting_shape` tries, of the least surface: of what is flat, too. Arguments as there."""
    return min(_placed_along(enclosing_box, frames_of(vertices, triangles), vertices), key=_surface_of_box)


def _surface_of_box(placed: Placed) -> float:
    box, _ = placed
    assert isinstance(box, Box)
    x, y, z = box.size
    return x * y + y * z + z * x


def largest_gap(placed: Placed, vertices: np.ndarray, triangles: np.ndarray) -> float:
    """How far the surface of a primitive lies outside of a convex body in it [m].

    Of two convex bodies it is the largest difference of how far they reach in any direction.
    """
    geometry, matrix = placed
    p = vertices[triangles]
    normals = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    lengths = norm(normals)
    faces = lengths > 0.0
    normals = normals[faces] / lengths[faces, None]
    around = _directions()
    reach = [
        (normals * p[faces, 0]).sum(axis=1),
        (matmul(vertices, around.T)).max(axis=0),
    ]  # a face is the farthest of its way
    directions = np.concatenate([normals, around])
    return float(
        (
            reach_of(geometry, matmul(directions, matrix[:3, :3]))
            + matmul(directions, matrix[:3, 3])
            - np.concatenate(reach)
        ).max()
    )


def volume_of(geometry: Geometry) -> float:
    """Of a box, sphere, capsule or cylinder [m^3]."""
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
    """Return how far a primitive reaches from its origin along unit vectors d in its own axes, shape (n, 3) [m]."""
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
    """Return a primitive, placed in the given axes, in the axes in which these are given, shape (3, 3), as columns."""
    geometry, matrix = placed
    turned = np.eye(4)
    turned[:3, :3], turned[:3, 3] = matmul(axes, matrix[:3, :3]), matmul(axes, matrix[:3, 3])
    return geometry, turned


def frames_of(vertices: np.ndarray, triangles: np.ndarray) -> list[np.ndarray]:
    """Return the systems of axes in which primitives are tried: the given ones, the principal ones, the largest faces'.

    Each has shape (3, 3), with its axes as columns. Arguments as in `fitting_shape`.
    """
    return [np.eye(3), _principal_axes(vertices), _axes_of_faces(vertices[triangles])]


def _principal_axes(vertices: np.ndarray) -> np.ndarray:
    axes = eigh(covariance(vertices))[1]
    return axes * np.array((1.0, 1.0, det(axes)))  # a rotation, and no mirror


def _axes_of_faces(corners: np.ndarray) -> np.ndarray:
    """A rotation: across the largest triangle, and across the largest of those that are square to it."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = norm(normals)
    normals = normals / np.where(areas > 0.0, areas, 1.0)[:, None]
    first = normals[int(areas.argmax())]
    square = np.where(np.abs(matmul(normals, first)) < SQUARE, areas, 0.0)
    aside = normals[int(square.argmax())] if square.any() else perpendiculars(first)[0]
    second = aside - (matmul(aside, first)) * first
    second /= norm(second)
    return np.column_stack([first, second, np.cross(first, second)])


def _directions() -> np.ndarray:
    """Spread evenly over a sphere, along a spiral of the golden angle, shape (n, 3)."""
    k = np.arange(DIRECTIONS) + 0.5
    z, turn = 1.0 - 2.0 * k / DIRECTIONS, math.pi * (1.0 + math.sqrt(5.0)) * k
    across = np.sqrt(1.0 - z * z)
    cosine, sine = cosines_sines(turn)
    return np.column_stack([across * cosine, across * sine, z])
