# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the walls of holes and shafts in a mesh: polygons that lie around an axis.

A wall is searched for from one of its polygons, among the polygons nearby:

1. Each of the longest creases around the polygon's facet may be parallel to the axis.
2. The polygons that are parallel to such an axis are gathered, EXAMINED at most.
3. Circles through three of their points are tried (Fischler and Bolles, Random sample consensus, Comm. ACM 24 (1981),
   but without random choice): those with most points on them, and those with most of the nearest exactly on them.
4. The polygons along the best circle are gathered, and a cylinder is fitted to their corners, in turns, until they stay
   the same. In each turn, the residuals of the fit must be noise: no taper, belly, bend or ellipse beyond chance.
5. A wall that was found among the nearest polygons is gathered as far as it reaches, and fitted again.
6. The wall must cover enough of the circle, and the surface must turn away where the wall ends.

All thresholds are in `tolerances.py`, with their reasons.

Two kinds of surfaces cannot be distinguished from a wall: parts of a cone of few facets, if noise hides their
inclination (one of 8 facets a ring that tapers by 5.7 degrees, with 0.5 % of noise); and the outermost band of a torus
so coarse that its next bands are inclined by more than STEEPEST, which has exactly the shape of a cylinder of one ring
of facets, chamfered on both sides. The same holds for a band of a sphere, so `spheres.py` is asked first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...spatial import raised
from ...spatial.arrays import angle_of, dot, hypot, matmul, norm, outer
from .fits import Fit, fit_cylinder, perpendiculars
from .tolerances import (
    ALONG_AXIS,
    ASTRAY,
    BORDERS_SEEN,
    CLOSE,
    CLOSE_STEEPEST,
    COARSE_FACET,
    CREASE,
    CREASES_SEEN,
    EXACT,
    EXAMINED,
    FEWEST_ARC,
    FEWEST_KEPT,
    FEWEST_LEVELS,
    FEWEST_LINES,
    FEWEST_POINTS,
    FEWEST_POLYGONS,
    FEWEST_ROUND,
    FLAT,
    LARGEST_MISS,
    LARGEST_RMS,
    LEANING,
    LEAST_SURE,
    MOST,
    NEARBY,
    NORMAL,
    OUTLIER,
    PICKS_FAR,
    PICKS_NEAR,
    ROUNDS,
    SAME_AXIS,
    SAME_CIRCLE,
    SAME_LINE,
    SCORED,
    SHARPEST,
    SHORTEST_ARC,
    STEEPEST,
    TRIES,
    UNEVEN,
    UNEVEN_FINE,
    UNLIKE,
    UPRIGHT,
    WIDEST_CIRCLE,
    WIDEST_FACET,
    miss_for,
)
from .topology import NONE, Topology
from .trends import goes_with


@dataclass(frozen=True, eq=False)
class Wall:
    """The wall of a hole or a shaft in a mesh.

    Attributes:
        faces: its polygons in the mesh.
        fit: the cylinder.
        is_hole: whether the inside of the wall is empty.
        ends: how far the wall reaches from `fit.origin` along `fit.direction`: least and greatest coordinate.
    """

    faces: np.ndarray
    fit: Fit
    is_hole: bool
    ends: tuple[float, float]


def facet_at(mesh: Topology, seed: int, limit: int = EXAMINED) -> np.ndarray:
    """Return the polygons that are connected to the seed over edges that turn by less than `FLAT`.

    The search stops beyond `limit` polygons.
    """
    return mesh.grow(seed, lambda _, edges: mesh.turns[edges] < FLAT, limit)


def wall_at(mesh: Topology, seed: int) -> Wall | None:
    """Return the wall that the polygon `seed` belongs to, or None if it belongs to none."""
    for axis in _possible_axes(mesh, seed):
        upright = mesh.grow(seed, lambda faces, edges, axis=axis: _goes_on(mesh, faces, edges, axis), EXAMINED)
        if len(upright) < FEWEST_POLYGONS:
            continue
        for guess in _possible_cylinders(mesh, seed, upright, axis):
            found = _settled(mesh, seed, upright, guess)
            if found and len(upright) > EXAMINED:
                every = mesh.grow(seed, lambda faces, _, guess=found.guess: guess.holds(mesh, faces), len(mesh))
                found = _settled(mesh, seed, every, found.guess)
            if found and _is_whole(mesh, found):
                along = matmul(mesh.points[mesh.vertices_of(found.faces)] - found.fit.origin, found.fit.direction)
                return Wall(found.faces, found.fit, found.guess.facing < 0.0, (float(along.min()), float(along.max())))
    return None


def _goes_on(mesh: Topology, faces: np.ndarray, edges: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Return which polygons, reached over `edges`, are parallel to the axis and not beyond a sharp edge."""
    upright = (np.abs(matmul(mesh.normals[faces], axis)) < STEEPEST) & (mesh.areas[faces] > 0.0)
    return upright & (mesh.turns[edges] < SHARPEST)


def _possible_axes(mesh: Topology, seed: int) -> list[np.ndarray]:
    """Return the different directions of the creases around the seed's facet, the longest first, `TRIES` at most."""
    facet = facet_at(mesh, seed)
    corners = mesh.border_of(facet)
    turns = mesh.turns[mesh.corner_edge[corners]]
    corners = corners[(turns > FLAT) & (turns < SHARPEST) & (mesh.other[corners] != NONE)]
    if not len(corners):
        return []
    corners = corners[np.argsort(-mesh.lengths(corners))]
    along = mesh.points[mesh.ends[corners]] - mesh.points[mesh.corners[corners]]
    along /= norm(along)[:, None]
    found: list[np.ndarray] = []
    for direction in along[:CREASES_SEEN]:
        if all(abs(matmul(direction, known)) < SAME_AXIS for known in found):
            found.append(direction)
    return found[:TRIES]


def _possible_cylinders(mesh: Topology, seed: int, faces: np.ndarray, axis: np.ndarray) -> Iterator[_Guess]:
    """Yield cylinders along the axis through a corner of the seed and two further points, the best first."""
    vertices = mesh.vertices_of(faces)
    middle = mesh.centres[seed]
    first = np.cross(axis, mesh.normals[seed])
    across = np.stack([first, np.cross(axis, first)]) / norm(first)
    flat = matmul(mesh.points[vertices] - middle, across.T)
    own = matmul(mesh.points[mesh.vertices_of(np.array([seed]))] - middle, across.T)
    own = own[[np.argmin(own[:, 0]), np.argmax(own[:, 0])]]
    last = len(flat) - 1
    near = [round(raised(float(last), k / (PICKS_NEAR - 1))) for k in range(PICKS_NEAR)]
    picks = np.unique([*near, *np.linspace(0, last, PICKS_FAR).astype(int).tolist()])
    i, j = np.triu_indices(len(picks), 1)
    centres, radii = _circles_through(
        np.repeat(own, len(i), axis=0), np.tile(flat[picks[i]], (2, 1)), np.tile(flat[picks[j]], (2, 1))
    )
    sound = np.isfinite(radii) & (radii < WIDEST_CIRCLE * np.abs(flat).max()) & (radii > 0.0)
    centres, radii = centres[sound], radii[sound]
    everywhere = _scores(flat[np.unique(np.linspace(0, last, SCORED).astype(int))], centres, radii, LARGEST_RMS)
    nearby = _scores(flat[:NEARBY], centres, radii, CLOSE)
    for scores, miss, steepest in ((everywhere, LARGEST_MISS, STEEPEST), (nearby, CLOSE, CLOSE_STEEPEST)) * TRIES:
        if not len(scores) or not scores.max() > 0.0:
            continue
        best = int(np.argmax(scores))
        centre, radius = centres[best], radii[best]
        origin = middle + matmul(centre, across)
        facing = math.copysign(1.0, float(matmul(mesh.normals[seed], middle - origin)))
        yield _Guess(origin, axis, float(radius), miss, WIDEST_FACET, steepest, facing)
        same = (norm(centres - centre) < SAME_CIRCLE * radius) & (np.abs(radii - radius) < SAME_CIRCLE * radius)
        scores[same] = 0.0


def _scores(points: np.ndarray, centres: np.ndarray, radii: np.ndarray, miss: float) -> np.ndarray:
    """Return for each circle the sum of the points' weights.

    A weight decreases from 1 on the circle to 0 at the distance `miss`, a fraction of the radius.
    """
    misses = np.abs(norm(points[None] - centres[:, None]) / radii[:, None] - 1.0)
    return np.maximum(0.0, 1.0 - (misses / miss) ** 2).sum(axis=1)


def _circles_through(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return centres, shape (n, 2), and radii, shape (n,), of the circles through three points each.

    The results are not finite for three points in a line.
    """
    b, c = b - a, c - a
    with np.errstate(divide="ignore", invalid="ignore"):
        doubled = 2.0 * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
        bb, cc = (b**2).sum(axis=1), (c**2).sum(axis=1)
        x = (c[:, 1] * bb - b[:, 1] * cc) / doubled
        y = (b[:, 0] * cc - c[:, 0] * bb) / doubled
    return a + np.column_stack([x, y]), hypot(x, y)


@dataclass(frozen=True, eq=False)
class _Guess:
    """A cylinder, and the tolerances with which polygons are gathered along it.

    Attributes:
        origin: a point of the axis, shape (3,).
        axis: unit vector, shape (3,).
        radius: in the mesh's unit.
        miss: largest distance of corners from the cylinder, as a fraction of the radius.
        widest: largest angle that a facet spans about the axis [rad].
        steepest: largest sine of the angle between a facet and the axis.
        facing: 1 if the facets face away from the axis, -1 if they face it.
    """

    origin: np.ndarray
    axis: np.ndarray
    radius: float
    miss: float
    widest: float
    steepest: float
    facing: float

    def misses(self, points: np.ndarray) -> np.ndarray:
        """Return signed distances from the cylinder as fractions of its radius, positive outside."""
        arms = points - self.origin
        return norm(arms - outer(matmul(arms, self.axis), self.axis)) / self.radius - 1.0

    def holds(self, mesh: Topology, faces: np.ndarray) -> np.ndarray:
        """Return which polygons may belong to the wall.

        Some corners may lie on chords of the circle, so the tolerance is larger inward.
        """
        corners = mesh.corners_of(faces)
        firsts = np.cumsum(mesh.counts[faces]) - mesh.counts[faces]
        misses = self.misses(mesh.points[mesh.corners[corners]])
        near = np.maximum.reduceat(misses, firsts) < self.miss
        near &= np.minimum.reduceat(misses, firsts) > -(self.miss + LARGEST_MISS)
        arms = mesh.centres[faces] - self.origin
        arms -= outer(matmul(arms, self.axis), self.axis)
        normals = mesh.normals[faces]
        outward = dot(normals, arms) / np.maximum(norm(arms), 1e-300)
        upright = (np.abs(matmul(normals, self.axis)) < self.steepest) & (self.facing * outward > UPRIGHT)
        return near & upright & (self.spans(mesh, faces) < self.widest) & (mesh.areas[faces] > 0.0)

    def intervals(self, mesh: Topology, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return intervals(mesh, faces, self.origin, self.axis)

    def spans(self, mesh: Topology, faces: np.ndarray) -> np.ndarray:
        low, high = self.intervals(mesh, faces)
        return high - low


@dataclass(frozen=True, eq=False)
class _Found:
    """A cylinder and its polygons, which stay the same if they are gathered and fitted again.

    Attributes:
        faces: the polygons.
        fit: the cylinder that was fitted to them.
        guess: the tolerances with which they were gathered.
    """

    faces: np.ndarray
    fit: Fit
    guess: _Guess


def _settled(mesh: Topology, seed: int, upright: np.ndarray, first: _Guess) -> _Found | None:
    """Return the cylinder whose fitted shape and gathered polygons agree, or None. Fitting and gathering alternate."""
    guess, fit = first, None
    before = kept = np.zeros(0, dtype=np.int64)
    for _ in range(ROUNDS):
        faces = mesh.connected(seed, upright[guess.holds(mesh, upright)])
        vertices = mesh.vertices_of(faces)
        if len(vertices) < FEWEST_POINTS:
            return None
        corners = vertices[np.abs(guess.misses(mesh.points[vertices])) < guess.miss]
        if fit is not None and np.array_equal(faces, before) and np.array_equal(corners, kept):
            break
        before, kept = faces, corners
        if len(kept) < FEWEST_KEPT * len(vertices):
            return None
        try:
            fit = fit_cylinder(mesh.points[kept], guess.axis)
        except ValueError:
            return None
        if abs(matmul(fit.direction, first.axis)) < ASTRAY or not _is_cylinder(mesh, mesh.points[kept], fit):
            return None
        guess = _next_guess(mesh, faces, vertices, fit, first.facing)
    return None if fit is None else _Found(before, fit, guess)


def _next_guess(mesh: Topology, faces: np.ndarray, vertices: np.ndarray, fit: Fit, facing: float) -> _Guess:
    """Return the fitted cylinder with new tolerances.

    They follow from the scatter of the corners and the width of the facets.
    """
    guess = _Guess(fit.origin, fit.direction, fit.radius, LARGEST_MISS, WIDEST_FACET, STEEPEST, facing)
    usual = float(np.median(guess.spans(mesh, faces)))
    widest = max(UNEVEN * usual, min(UNEVEN_FINE * usual, COARSE_FACET))
    miss = miss_for(guess.misses(mesh.points[vertices]), mesh.grain / fit.radius)
    lean = NORMAL * float(np.median(np.abs(matmul(mesh.normals[faces], fit.direction))))
    steepest = min(max(OUTLIER * lean, CLOSE), STEEPEST)
    return replace(guess, miss=miss, widest=min(widest, WIDEST_FACET), steepest=steepest)


def _is_cylinder(mesh: Topology, points: np.ndarray, fit: Fit) -> bool:
    """Return whether the fit is good, and its residuals are noise."""
    if fit.rms > LARGEST_RMS * fit.radius or fit.direction_error > LEAST_SURE:
        return False
    x, y = matmul(perpendiculars(fit.direction), (points - fit.origin).T)
    if np.count_nonzero(np.diff(np.sort(angle_of(y, x))) > SAME_LINE) + 1 < FEWEST_LINES:
        return False
    return _is_exact(mesh, fit) or not _has_trend(points, fit)


def _is_exact(mesh: Topology, fit: Fit) -> bool:
    return fit.rms < EXACT * fit.radius + mesh.grain


def _is_whole(mesh: Topology, found: _Found) -> bool:
    """Return whether the wall covers enough of the circle, and the surface turns away where the wall ends.

    A wall with three exact circles of corners need not end so, since no sphere, torus or cone contains them.
    """
    faces, fit = found.faces, found.fit
    low, high = found.guess.intervals(mesh, faces)
    around, usual = covered(low, high), float(np.median(high - low))
    is_round = around > math.tau - 0.5 * usual
    if around < SHORTEST_ARC or around < (FEWEST_ROUND if is_round else FEWEST_ARC) * usual:
        return False
    border = mesh.border_of(faces)
    edges = mesh.points[mesh.ends[border]] - mesh.points[mesh.corners[border]]
    is_side = np.abs(matmul(edges, fit.direction)) > ALONG_AXIS * mesh.lengths(border)
    along = matmul(mesh.points[mesh.vertices_of(faces)] - fit.origin, fit.direction)
    levels = len(np.unique(np.round(along / (CLOSE * fit.radius))))
    is_exact = _is_exact(mesh, fit)
    ends = border[~is_side]
    ends_well = (is_exact and levels >= FEWEST_LEVELS) or breaks_off(mesh, ends, _leaves(mesh, found, ends), MOST)
    return ends_well and (is_exact or breaks_off(mesh, border[is_side], None, MOST))


def _leaves(mesh: Topology, found: _Found, corners: np.ndarray) -> np.ndarray:
    """Return whether the polygons beyond the edges are inclined to the axis by much more than those of the wall."""
    axis = found.fit.direction
    usual = float(np.sqrt(np.mean((matmul(mesh.normals[found.faces], axis)) ** 2)))
    beyond = mesh.other[corners]
    return (beyond == NONE) | (np.abs(matmul(mesh.normals[beyond], axis)) > max(STEEPEST, LEANING * usual))


def intervals(mesh: Topology, faces: np.ndarray, origin: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and greatest angle of each polygon about the axis [rad], two arrays of shape (faces,).

    A corner on the axis counts as being in the middle of its polygon.
    """
    across = perpendiculars(axis)
    corners = mesh.corners_of(faces)
    firsts = np.cumsum(mesh.counts[faces]) - mesh.counts[faces]
    middles = angle_of(*(matmul(mesh.centres[faces] - origin, across[::-1].T)).T)
    flat = matmul(mesh.points[mesh.corners[corners]] - origin, across[::-1].T)
    own = np.repeat(middles, mesh.counts[faces])
    reach = norm(flat)
    angles = np.where(reach > CLOSE * reach.max(), angle_of(*flat.T), own)
    around = np.remainder(angles - own + math.pi, math.tau) - math.pi
    return middles + np.minimum.reduceat(around, firsts), middles + np.maximum.reduceat(around, firsts)


def covered(low: np.ndarray, high: np.ndarray) -> float:
    """Return the angle of the circle that the intervals cover together [rad]."""
    widths = high - low
    low = np.remainder(low, math.tau)
    order = np.argsort(low)
    starts = np.append(low[order], low[order] + math.tau)
    reached = np.maximum.accumulate(np.append((low + widths)[order], (low + widths)[order] + math.tau))
    gaps = np.maximum(starts[1:] - reached[:-1], 0.0)
    return math.tau - float(gaps[len(low) - 1 :].sum())


def _has_trend(points: np.ndarray, fit: Fit) -> bool:
    """Return whether the residuals depend on the position, as those of a cone, a sphere, a torus or an ellipse do."""
    arms = points - fit.origin
    along, (x, y) = matmul(arms, fit.direction), matmul(perpendiculars(fit.direction), arms.T) / fit.radius
    residuals = hypot(x, y) - 1.0
    along = along / max(float(np.abs(along).max()), 1e-300)
    belly, saddle, slanted = along**2 - (along**2).mean(), x * x - y * y, x * y
    shapes = (along, belly, belly * x, belly * y, saddle, slanted, along * saddle, along * slanted)
    return goes_with(np.column_stack(shapes), residuals, 5)


def breaks_off(mesh: Topology, corners: np.ndarray, leaves: np.ndarray | None, part: float) -> bool:
    """Return whether the surface changes along at least the fraction `part` of a border's length.

    A change is a crease, or a neighbouring facet that is much larger or smaller. The facets of round surfaces have
    neighbours of similar size.

    Args:
        mesh: the mesh.
        corners: corners whose edges form the border.
        leaves: which of the edges are known to be a change, or None.
        part: least fraction of the border's length.
    """
    lengths = mesh.lengths(corners)
    broken = mesh.turns[mesh.corner_edge[corners]] > CREASE
    if leaves is not None:
        broken |= leaves
    rest = np.flatnonzero(~broken)
    enough = part * lengths.sum() - lengths[broken].sum()
    if enough <= 0.0:
        return True
    sample = rest[np.unique(np.linspace(0, len(rest) - 1, BORDERS_SEEN).astype(int))]
    inside = facet_areas(mesh, mesh.corner_face[corners[sample]])
    outside = facet_areas(mesh, mesh.other[corners[sample]])
    unlike = sample[(inside > UNLIKE * outside) | (outside > UNLIKE * inside)]
    return float(lengths[unlike].sum() / lengths[sample].sum() * lengths[rest].sum()) >= enough


def facet_areas(mesh: Topology, faces: np.ndarray) -> np.ndarray:
    """Return the areas of the facets that the polygons belong to."""
    known: dict[int, float] = {}
    for face in faces.tolist():
        if face not in known:
            facet = facet_at(mesh, face)
            known.update(dict.fromkeys(facet.tolist(), float(mesh.areas[facet].sum())))
    return np.array([known[face] for face in faces.tolist()])
