# SPDX-License-Identifier: GPL-3.0-or-later
"""Balls and sockets in a mesh: polygons that lie round a point.

From one polygon, a sphere is fitted to the nearest corners, to more of them and to all that no crease cuts off. The
polygons along it are gathered and it is fitted to them, by turns, until they stay the same. What the fit leaves must be
noise, and the corners must lie on no other quadric: those of one ring of polygons, such as a cone's that is cut off,
lie on a sphere whatever they are part of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..spatial.arrays import norm, svd
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
    """faces: of the mesh."""

    faces: np.ndarray
    fit: Fit


def sphere_at(mesh: Topology, seed: int) -> Sphere | None:
    """The sphere that the polygon is part of; None where it is no part of any."""
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
    """The polygons to which the surface leads from the seed without a crease, the nearest first."""
    return mesh.grow(seed, lambda faces, edges: (mesh.turns[edges] < CREASE) & (mesh.areas[faces] > 0.0), limit)


def _settled(mesh: Topology, seed: int, near: np.ndarray, first: np.ndarray) -> Sphere | None:
    """Fit a sphere and gather the polygons along it, by turns, until they stay the same."""
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
    """Signed distances in parts of the radius, outward."""
    return norm(points - fit.origin) / max(fit.radius, 1e-300) - 1.0


def _holds(mesh: Topology, faces: np.ndarray, fit: Fit, miss: float) -> np.ndarray:
    """Which polygons have all their corners on the sphere."""
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
    """Of degree up to 1, 2 and 3: by the last two, ellipsoids, tori and eggs deviate from a sphere; of the first two, a
    sum vanishes where another quadric meets it."""
    x, y, z = points.T
    second = (x * y, y * z, z * x, x * x - y * y, 2.0 * z * z - x * x - y * y)
    third = (
        *(x * y * z, z * (x * x - y * y), x * (x * x - 3.0 * y * y), y * (3.0 * x * x - y * y)),
        *(x * (4.0 * z * z - x * x - y * y), y * (4.0 * z * z - x * x - y * y)),
        z * (2.0 * z * z - 3.0 * x * x - 3.0 * y * y),
    )
    return (np.ones(len(x)), x, y, z), second, third
