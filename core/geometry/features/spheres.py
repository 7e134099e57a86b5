# SPDX-License-Identifier: GPL-3.0-or-later
"""Find balls and sockets in a mesh: polygons that lie on a sphere.

From one polygon, a sphere is fitted to the nearest corners, then to more of them, and then to all that no crease
separates from it. The polygons along the sphere are gathered, and it is fitted to them, in turns, until they stay the
same. The residuals of the fit must be noise, and the corners must lie on no other quadric, since the corners of one
ring of polygons, such as a truncated cone's, lie on a sphere whatever they belong to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...spatial.arrays import norm, svd
from .fits import Fit, fit_sphere
from .tolerances import (
    CREASE,
    EXACT,
    EXAMINED,
    FEWEST_KEPT,
    FEWEST_ON_SPHERE,
    FEWEST_TOLD,
    LARGEST_MISS,
    LARGEST_RMS,
    LEAST_SURE,
    NEAREST,
    ROUNDS,
    SHALLOWEST,
    SURELY_APART,
    miss_for,
)
from .topology import Topology
from .trends import goes_with


@dataclass(frozen=True, eq=False)
class Sphere:
    """A spherical part of a mesh.

    Attributes:
        faces: its polygons in the mesh.
        fit: the sphere.
    """

    faces: np.ndarray
    fit: Fit


def sphere_at(mesh: Topology, seed: int) -> Sphere | None:
    """Return the sphere that the polygon `seed` belongs to, or None if it belongs to none."""
    near = uncreased(mesh, seed, EXAMINED)
    vertices = mesh.vertices_of(near)
    for count in NEAREST:
        found = _settled(mesh, seed, near, vertices[:count])
        if found is not None and len(near) > EXAMINED and len(found.faces) > FEWEST_KEPT * len(near):
            every = uncreased(mesh, seed, len(mesh))
            found = _settled(mesh, seed, every, mesh.vertices_of(found.faces)) or found
        if found is not None and _is_sphere(mesh, found):
            return found
        if count >= len(vertices):
            break
    return None


def uncreased(mesh: Topology, seed: int, limit: int) -> np.ndarray:
    """Return the polygons that the surface connects to the seed without a crease, the nearest first.

    The search stops beyond `limit` polygons.
    """
    return mesh.grow(seed, lambda faces, edges: (mesh.turns[edges] < CREASE) & (mesh.areas[faces] > 0.0), limit)


def _settled(mesh: Topology, seed: int, near: np.ndarray, first: np.ndarray) -> Sphere | None:
    """Return the sphere whose fitted shape and gathered polygons agree, or None. Fitting and gathering alternate."""
    vertices, faces, miss = first, near[:0], LARGEST_MISS
    try:
        fit = fit_sphere(mesh.points[vertices])
        for _ in range(ROUNDS):
            before, faces = faces, mesh.connected(seed, near[_holds(mesh, near, fit, miss)])
            vertices = mesh.vertices_of(faces)
            if len(vertices) < FEWEST_ON_SPHERE:
                return None
            fit = fit_sphere(mesh.points[vertices])
            if np.array_equal(before, faces):
                break
            miss = miss_for(_misses(mesh.points[vertices], fit), mesh.grain / fit.radius)
    except ValueError:
        return None
    return Sphere(faces, fit)


def _misses(points: np.ndarray, fit: Fit) -> np.ndarray:
    """Return the signed distances of `points` from the sphere as fractions of its radius, positive outside."""
    return norm(points - fit.origin) / max(fit.radius, 1e-300) - 1.0


def _holds(mesh: Topology, faces: np.ndarray, fit: Fit, miss: float) -> np.ndarray:
    """Return which polygons have all their corners on the sphere."""
    corners = mesh.corners_of(faces)
    firsts = np.cumsum(mesh.counts[faces]) - mesh.counts[faces]
    misses = np.abs(_misses(mesh.points[mesh.corners[corners]], fit))
    return np.maximum.reduceat(misses, firsts) < miss


def _is_sphere(mesh: Topology, found: Sphere) -> bool:
    fit = found.fit
    points = mesh.points[mesh.vertices_of(found.faces)]
    if fit.rms > LARGEST_RMS * fit.radius or fit.direction_error > LEAST_SURE:
        return False
    if fit.radius > SHALLOWEST * float(np.ptp(points, axis=0).max()):
        return False
    first, second, third = _harmonics((points - fit.origin) / fit.radius)
    noise = max(fit.rms / fit.radius, EXACT)
    other = svd(np.column_stack([*first, *second]))[1][-1] / math.sqrt(len(points))
    if len(points) < FEWEST_ON_SPHERE or other < SURELY_APART * noise:
        return False
    if fit.rms < EXACT * fit.radius + mesh.grain:
        return True
    residuals = _misses(points, fit)
    return len(points) >= FEWEST_TOLD and not goes_with(np.column_stack([*second, *third]), residuals, 4)


def _harmonics(points: np.ndarray) -> tuple[tuple, tuple, tuple]:
    """Return the spherical harmonics of degrees 0 and 1, of degree 2, and of degree 3, at points of the unit sphere.

    The deviations of ellipsoids, tori and eggs from a sphere are combinations of those of degrees 2 and 3. A
    combination of the first two groups vanishes at points that lie on another quadric, too.
    """
    x, y, z = points.T
    second = (x * y, y * z, z * x, x * x - y * y, 2.0 * z * z - x * x - y * y)
    third = (
        *(x * y * z, z * (x * x - y * y), x * (x * x - 3.0 * y * y), y * (3.0 * x * x - y * y)),
        *(x * (4.0 * z * z - x * x - y * y), y * (4.0 * z * z - x * x - y * y)),
        z * (2.0 * z * z - 3.0 * x * x - 3.0 * y * y),
    )
    return (np.ones(len(x)), x, y, z), second, third
