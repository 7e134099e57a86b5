# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the sides of cones in a mesh: whole cones, and truncated ones such as countersinks.

All polygons of a cone's side make the same angle with its axis, so their normals end in one plane across the axis. A
cone is found in three steps:

1. The axis is guessed in two ways: across the normals of a facet and two of its neighbours, which is exact without
   noise, and by principal axes of the normals of all nearby polygons.
2. The polygons that are inclined as the first one are gathered, and a cone is fitted to their corners. The polygons
   along the cone are gathered again, in turns, until they stay the same. The residuals of the fit must be noise.
3. The side must cover enough of the circle, and the surface must turn away where the side ends, as for walls
   (`walls.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...spatial import cos_sin
from ...spatial.arrays import dot, hypot, matmul, norm, outer, svd
from .fits import Fit, fit_cone, perpendiculars
from .spheres import uncreased
from .tolerances import (
    ALONG_AXIS,
    CLOSE,
    EXACT,
    EXAMINED,
    FEWEST_ARC,
    FEWEST_LEVELS,
    FEWEST_POLYGONS,
    FEWEST_ROUND,
    FLAT,
    LARGEST_RMS,
    LEANS_ALIKE,
    LEAST_SURE,
    MOST,
    NEAREST,
    NEIGHBOURS,
    ROUNDS,
    SAME_AXIS,
    SHARPEST,
    SHORTEST_ARC,
    STEADY,
    STEEP_CONE,
    UPRIGHT,
    WIDEST_FACET,
    miss_for,
)
from .topology import NONE, Topology
from .trends import goes_with
from .walls import breaks_off, covered, facet_at, intervals


@dataclass(frozen=True, eq=False)
class Cone:
    """The side of a cone in a mesh.

    Attributes:
        faces: its polygons in the mesh.
        fit: the cone.
        ends: how far the side reaches from `fit.origin` along `fit.direction`: least and greatest coordinate.
    """

    faces: np.ndarray
    fit: Fit
    ends: tuple[float, float]


def cone_at(mesh: Topology, seed: int) -> Cone | None:
    """Return the cone whose side the polygon `seed` belongs to, or None if it belongs to none."""
    near = uncreased(mesh, seed, EXAMINED)
    if len(near) < FEWEST_POLYGONS:
        return None
    for axis, lean in _possible_axes(mesh, seed, near):
        alike = np.abs(matmul(mesh.normals[near], axis) - matmul(mesh.normals[seed], axis)) < lean
        faces = mesh.connected(seed, near[alike])
        found = _settled(mesh, seed, near, faces, axis) if len(faces) >= FEWEST_POLYGONS else None
        if found is not None and len(near) > EXAMINED and _is_whole(mesh, found):
            every = uncreased(mesh, seed, len(mesh))
            found = _settled(mesh, seed, every, found.faces, found.fit.direction) or found
        if found is not None and _is_whole(mesh, found):
            return found
    return None


def _possible_axes(mesh: Topology, seed: int, near: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    """Yield possible axes, unit vectors, each with the largest difference of the normals' components along it."""
    known: list[np.ndarray] = []
    facet = facet_at(mesh, seed)
    corners = mesh.border_of(facet)
    corners = corners[mesh.other[corners] != NONE]
    corners = corners[mesh.turns[mesh.corner_edge[corners]] < SHARPEST]
    beside = mesh.other[corners[np.argsort(-mesh.lengths(corners))]]
    normals: list[np.ndarray] = []
    for normal in mesh.normals[beside]:
        if all(matmul(normal, other) < cos_sin(FLAT)[0] for other in normals):
            normals.append(normal)
    own = mesh.normals[seed]
    for one, other in combinations(normals[:NEIGHBOURS], 2):
        axis = np.cross(one - own, other - own)
        size = float(norm(axis))
        if size > CLOSE and all(abs(matmul(axis, past)) < SAME_AXIS * size for past in known):
            known.append(axis / size)
            yield known[-1], CLOSE
    for count in NEAREST:
        normals_near = mesh.normals[near[:count]]
        _, spread, axes = svd(normals_near - normals_near.mean(axis=0))
        if len(spread) == 3 and spread[2] < STEADY * spread[1]:
            yield axes[2], LEANS_ALIKE
        if count >= len(near):
            return


def _settled(mesh: Topology, seed: int, near: np.ndarray, faces: np.ndarray, axis: np.ndarray) -> Cone | None:
    """Return the cone whose fitted shape and gathered polygons agree, or None. Fitting and gathering alternate."""
    try:
        fit = _fitted(mesh, faces, axis)
        miss = _miss(mesh, faces, fit)
        for _ in range(ROUNDS):
            before, faces = faces, mesh.connected(seed, near[_holds(mesh, near, fit, miss, seed)])
            if len(faces) < FEWEST_POLYGONS:
                return None
            fit = _fitted(mesh, faces, fit.direction)
            if np.array_equal(before, faces):
                break
            miss = _miss(mesh, faces, fit)
    except ValueError:
        return None
    along = matmul(mesh.points[mesh.vertices_of(faces)] - fit.origin, fit.direction)
    return Cone(faces, fit, (float(along.min()), float(along.max())))


def _fitted(mesh: Topology, faces: np.ndarray, axis: np.ndarray) -> Fit:
    """Return the cone fitted to the corners of `faces`.

    A corner whose polygons lie all around the axis is fitted as the cone's tip.
    """
    vertices = mesh.vertices_of(faces)
    corners = mesh.corners_of(faces)
    order = np.zeros(len(mesh.points), dtype=np.int64)
    order[vertices] = np.arange(len(vertices))
    sums, uses = np.zeros((len(vertices), 3)), np.zeros(len(vertices))
    flat = mesh.normals[faces] - outer(matmul(mesh.normals[faces], axis), axis)
    flat /= np.maximum(norm(flat), 1e-300)[:, None]
    np.add.at(sums, order[mesh.corners[corners]], np.repeat(flat, mesh.counts[faces], axis=0))
    np.add.at(uses, order[mesh.corners[corners]], 1.0)
    is_tip = (uses >= FEWEST_POLYGONS) & (norm(sums) < 0.5 * uses)
    points = mesh.points[vertices]
    return fit_cone(np.vstack([points[~is_tip], points[is_tip]]), axis, int(is_tip.sum()))


def _misses(points: np.ndarray, fit: Fit) -> np.ndarray:
    """Return the signed distances of `points` from the side as fractions of `fit.radius`, positive outside."""
    arms = points - fit.origin
    along = matmul(arms, fit.direction)
    reach = norm(arms - outer(along, fit.direction))
    cosine, sine = cos_sin(fit.angle)
    return ((reach - fit.radius) * cosine - along * sine) / fit.radius


def _miss(mesh: Topology, faces: np.ndarray, fit: Fit) -> float:
    return miss_for(_misses(mesh.points[mesh.vertices_of(faces)], fit), mesh.grain / fit.radius)


def _holds(mesh: Topology, faces: np.ndarray, fit: Fit, miss: float, seed: int) -> np.ndarray:
    """Return which polygons have all their corners on the side and face as it does there.

    They face inward or outward as `seed` does.
    """
    corners = mesh.corners_of(faces)
    firsts = np.cumsum(mesh.counts[faces]) - mesh.counts[faces]
    misses = np.abs(_misses(mesh.points[mesh.corners[corners]], fit))
    arms = mesh.centres[faces] - fit.origin
    arms -= outer(matmul(arms, fit.direction), fit.direction)
    outward = arms / np.maximum(norm(arms), 1e-300)[:, None]
    cosine, sine = cos_sin(fit.angle)
    side = cosine * outward - sine * fit.direction
    facing = dot(mesh.normals[faces], side)
    own = facing[faces == seed]
    same = facing * (math.copysign(1.0, float(own[0])) if len(own) else 1.0) > UPRIGHT
    return (np.maximum.reduceat(misses, firsts) < max(miss, CLOSE)) & same


def _is_whole(mesh: Topology, found: Cone) -> bool:
    """Return whether the fit is a cone that covers enough of the circle and ends where the surface turns away."""
    faces, fit = found.faces, found.fit
    vertices = mesh.vertices_of(faces)
    points = mesh.points[vertices]
    if fit.angle < STEEP_CONE or fit.rms > LARGEST_RMS * fit.radius or fit.direction_error > LEAST_SURE:
        return False
    is_exact = fit.rms < EXACT * fit.radius + mesh.grain
    if not is_exact and _has_trend(points, fit):
        return False
    low, high = intervals(mesh, faces, fit.origin, fit.direction)
    around, usual = covered(low, high), float(np.median(high - low))
    is_round = around > math.tau - 0.5 * usual
    if usual > WIDEST_FACET or around < SHORTEST_ARC or around < (FEWEST_ROUND if is_round else FEWEST_ARC) * usual:
        return False
    border = mesh.border_of(faces)
    edges = mesh.points[mesh.ends[border]] - mesh.points[mesh.corners[border]]
    is_side = np.abs(matmul(edges, fit.direction)) > ALONG_AXIS * cos_sin(fit.angle)[0] * mesh.lengths(border)
    along = matmul(points - fit.origin, fit.direction)
    levels = len(np.unique(np.round(along / (CLOSE * fit.radius))))
    ends_well = (is_exact and levels >= FEWEST_LEVELS) or breaks_off(mesh, border[~is_side], None, MOST)
    return ends_well and (is_exact or breaks_off(mesh, border[is_side], None, MOST))


def _has_trend(points: np.ndarray, fit: Fit) -> bool:
    """Return whether the residuals depend on the position, as those of a bell, an oval or a bent cone do."""
    arms = points - fit.origin
    along, (x, y) = matmul(arms, fit.direction), matmul(perpendiculars(fit.direction), arms.T)
    reach = np.maximum(hypot(x, y), 1e-300)
    x, y, along = x / reach, y / reach, along / max(float(np.abs(along).max()), 1e-300)
    belly, saddle, slanted = along**2 - (along**2).mean(), x * x - y * y, x * y
    shapes = (belly, belly * x, belly * y, saddle, slanted, along * saddle, along * slanted)
    return goes_with(np.column_stack(shapes), _misses(points, fit), 6)
