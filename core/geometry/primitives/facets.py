# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of cones, ellipsoids and polylines, for programs that have no such shapes."""

from __future__ import annotations

import math

import numpy as np

from ...spatial.arrays import cosines_sines
from ...spatial.polygons import Point, area, cut_off_ears
from ..shapes import Cone, Ellipsoid, Mesh, Polyline

AROUND = 32
"""Number of facets around an axis. The radius of a circle is then exact to within 0.5 %."""
UPWARD = 16
"""Number of facets of an ellipsoid from pole to pole, which makes them square at the equator of a sphere."""


def as_mesh(shape: Cone | Ellipsoid | Polyline) -> Mesh | None:
    """Return a closed mesh with its corners on the surface.

    Return None for a polyline of several outlines, or of one that crosses itself.
    """
    match shape:
        case Cone(radius, length):
            return _cone(radius, length)
        case Ellipsoid(radii):
            return _ellipsoid(radii)
        case Polyline(outlines, height):
            return _prism(outlines[0], height) if len(outlines) == 1 else None


def _circle() -> np.ndarray:
    """Return the corners of a regular polygon on the unit circle, shape (AROUND, 2)."""
    angles = np.arange(AROUND) * (math.tau / AROUND)
    return np.stack(cosines_sines(angles), axis=1)


def _cone(radius: float, length: float) -> Mesh:
    base = np.column_stack([radius * _circle(), np.full(AROUND, -0.5 * length)])
    tip = AROUND
    faces = [(i, (i + 1) % AROUND, tip) for i in range(AROUND)]
    return Mesh(vertices=np.vstack([base, [0.0, 0.0, 0.5 * length]]), faces=(*faces, tuple(reversed(range(AROUND)))))


def _ellipsoid(radii: tuple[float, float, float]) -> Mesh:
    """Return an ellipsoid as rings of quadrilaterals between two poles."""
    heights = np.arange(1, UPWARD) * (math.pi / UPWARD)
    rings = [
        np.column_stack([sine * _circle(), np.full(AROUND, -cosine)])
        for cosine, sine in zip(*cosines_sines(heights), strict=True)
    ]
    vertices = np.vstack([*rings, [0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]) * np.array(radii)
    south, north, top = len(vertices) - 2, len(vertices) - 1, (UPWARD - 2) * AROUND
    faces: list[tuple[int, ...]] = []
    for i in range(AROUND):
        j = (i + 1) % AROUND
        faces += [(j, i, south), (top + i, top + j, north)]
        faces += [(r + i, r + j, r + AROUND + j, r + AROUND + i) for r in range(0, top, AROUND)]
    return Mesh(vertices=vertices, faces=tuple(faces))


def _prism(outline: tuple[Point, ...], height: float) -> Mesh | None:
    points = list(outline[:-1] if len(outline) > 1 and outline[0] == outline[-1] else outline)
    if area(points) < 0.0:
        points.reverse()
    caps, uncut = cut_off_ears(points)
    if uncut or not caps:
        return None
    count = len(points)
    vertices = np.array([(x, y, z) for z in (0.0, height) for x, y in points])
    sides = [(i, (i + 1) % count, count + (i + 1) % count, count + i) for i in range(count)]
    lids = [(count + a, count + b, count + c) for a, b, c in caps] + [(c, b, a) for a, b, c in caps]
    return Mesh(vertices=vertices, faces=(*sides, *lids))
