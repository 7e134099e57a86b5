# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex solids for tests: many of a kind at random, and in numpy what they are, apart from all that core does.

A `Crowd` is n solids of one kind with n poses. A separation along a unit vector is a lower bound of the signed distance
of two solids, and the greatest of all is that distance, so `separations` and `best_separations` judge any answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
from scipy.optimize import nnls
from scipy.spatial import ConvexHull

from limberjack.core.collision import packing
from limberjack.core.collision.broad_phase import SOLID_POSE, write_solid_poses
from limberjack.core.collision.hulls import Hull, convex_hull
from limberjack.core.collision.packing import Solid, pack
from limberjack.core.collision.pairs import SEPARATION, make_pair_work, write_signed_distances
from limberjack.core.collision.solids import BALL, BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, PLANE

NAMES = ("plane", "ball", "capsule", "box", "cylinder", "cone", "ellipsoid", "hull")
"""Of the kinds, by their numbers."""

SHAPES = ("plain", "long", "flat", "tiny", "huge", "mixed", "far", "aligned", "degenerate")
"""What random solids and placements are like; see `random_crowds`."""


@dataclass
class Crowd:
    """Solids of one kind and where they are.

    Attributes:
        solids: n of them, of core's class. half: shape (n, 3). radius: shape (n,).
        clouds: of hulls, the points each was made of, shape (m, 3).
        R: shape (n, 3, 3), own axes as columns. t: shape (n, 3) [m].
    """

    kind: int
    solids: list[Solid]
    half: np.ndarray
    radius: np.ndarray
    clouds: list[np.ndarray]
    R: np.ndarray
    t: np.ndarray

    def __len__(self) -> int:
        return len(self.solids)

    def moved(self, R: np.ndarray, t: np.ndarray) -> Crowd:
        """All turned and shifted alike, or each by its own."""
        return replace(self, R=R @ self.R, t=np.einsum("...ij,...j->...i", R, self.t) + t)

    def chosen(self, which: np.ndarray) -> Crowd:
        """Some of them, by a mask of shape (n,)."""
        places = np.flatnonzero(which)
        return Crowd(
            self.kind,
            [self.solids[i] for i in places],
            self.half[which],
            self.radius[which],
            [self.clouds[i] for i in places] if self.clouds else [],
            self.R[which],
            self.t[which],
        )

    @property
    def vertices(self) -> np.ndarray:
        """Of hulls, shape (n, most, 3); those of few repeat their first."""
        most = max(len(cloud) for cloud in self.clouds)
        return np.array([np.vstack([cloud, np.repeat(cloud[:1], most - len(cloud), axis=0)]) for cloud in self.clouds])

    @property
    def sizes(self) -> np.ndarray:
        """Of each, a length that holds it, 0 for a plane; shape (n,)."""
        if self.kind == HULL:
            return np.array([np.linalg.norm(cloud, axis=1).max() for cloud in self.clouds])
        return self.radius + np.linalg.norm(self.half, axis=1)


def random_rotations(rng: np.random.Generator, count: int) -> np.ndarray:
    """Shape (count, 3, 3)."""
    w, x, y, z = (q := rng.normal(size=(count, 4))).T / np.linalg.norm(q, axis=1)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)


def random_directions(rng: np.random.Generator, count: int) -> np.ndarray:
    """Unit vectors, shape (count, 3)."""
    d = rng.normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


@cache
def quarter_turns() -> np.ndarray:
    """The 24 rotations that take axes to axes, exactly."""
    found = []
    for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
        for signs in np.ndindex(2, 2, 2):
            R = np.zeros((3, 3))
            R[range(3), order] = 1.0 - 2.0 * np.array(signs)
            if np.linalg.det(R) > 0.0:
                found.append(R)
    return np.array(found)


@cache
def cloud(seed: int) -> np.ndarray:
    """Points whose hull is a solid of a size near 1, the origin not always inside."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(rng.integers(4, 40), 3)) * rng.uniform(0.2, 1.0, 3)
    if seed % 3 == 0:
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    if seed % 5 == 0:
        points = np.array(list(np.ndindex(2, 2, 2)), float) * rng.uniform(0.2, 1.0, 3)
    return points


def degenerate_cloud(seed: int) -> np.ndarray:
    """Points in a plane, in a line, or one."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(8, 3))
    points[:, 2] = 0.0
    if seed % 3 == 1:
        points[:, 1] = 0.0
    return points[:1] if seed % 3 == 2 else points


@lru_cache(1000)
def scaled(make: Callable[[int], np.ndarray], seed: int, scale: tuple) -> np.ndarray:
    return make(seed) * scale


@lru_cache(1000)
def hull_of(points: bytes) -> Hull:
    """Of points, shape (n, 3), as their bytes."""
    return convex_hull(np.frombuffer(points).reshape(-1, 3))


def random_crowd(kind: int, shape: str, count: int, rng: np.random.Generator) -> Crowd:
    """Of sizes near 1, at the origin."""
    sizes = np.exp(rng.uniform(-1.0, 1.0, (count, 3)))
    stretch = np.array({"long": (0.01, 0.01, 1.0), "flat": (1.0, 1.0, 0.01)}.get(shape, (1.0, 1.0, 1.0)))
    scale = {"tiny": np.full(count, 1e-4), "huge": np.full(count, 1e3)}.get(shape, np.ones(count))
    if shape == "mixed":
        scale = 10.0 ** rng.uniform(-4.0, 3.0, count)
    if shape == "aligned":
        sizes = rng.integers(1, 4, (count, 3)) / 4.0
    half = sizes * stretch * scale[:, None]
    if kind in (CYLINDER, CONE):
        half[:, 1] = half[:, 0]
    radius, clouds = np.zeros(count), []
    if kind in (BALL, CAPSULE):
        radius = sizes[:, 0] * scale * (stretch[0] if kind == CAPSULE else 1.0)
        half[:, :2] = 0.0
        if kind == BALL:
            half[:] = 0.0
    if kind == HULL:
        make = degenerate_cloud if shape == "degenerate" else cloud
        clouds = [
            scaled(make, int(seed), tuple(stretch * k))
            for seed, k in zip(rng.integers(0, 60, count), scale, strict=True)
        ]
        half[:] = 0.0
    elif shape == "degenerate":  # a sheet, a disc, a ring's plane; a needle
        axes = np.where(rng.random(count) < 0.5, 2, 0)
        half[np.arange(count), axes] *= 0.0 if kind in (BOX, CYLINDER, CAPSULE) else 1e-6
        if kind in (CYLINDER, CONE):
            half[:, 1] = half[:, 0]
    if kind == PLANE:
        half[:] = 0.0
    hulls = {id(points): hull_of(points.tobytes()) for points in clouds}
    solids = [Solid(kind, tuple(half[i]), radius[i], hulls[id(clouds[i])] if clouds else None) for i in range(count)]
    return Crowd(kind, solids, half, radius, clouds, np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3)))


def random_crowds(kind_a: int, kind_b: int, shape: str, count: int, seed: int = 0) -> tuple[Crowd, Crowd]:
    """Pairs, placed apart, near, just touching, overlapping a little, deeply, and with coincident middles."""
    rng = np.random.default_rng([seed, kind_a, kind_b, SHAPES.index(shape)])
    A, B = random_crowd(kind_a, shape, count, rng), random_crowd(kind_b, shape, count, rng)
    away = random_directions(rng, count)
    if shape == "aligned":
        turns = quarter_turns()
        A.R, B.R = turns[rng.integers(0, 24, count)], turns[rng.integers(0, 24, count)]
        away = turns[rng.integers(0, 24, count)][:, :, 0]
    else:
        A.R, B.R = random_rotations(rng, count), random_rotations(rng, count)
    if kind_a == PLANE:
        away = A.R[:, :, 2]
    reach = -separations(A, B, away[:, None])[:, 0]
    small = np.where(A.sizes > 0.0, np.minimum(A.sizes, B.sizes), B.sizes)
    gap = rng.choice([0.5, 0.05, 1e-3, 1e-6, 1e-9, 0.0, -1e-9, -1e-6, -1e-3, -0.05, -0.3, -0.8], count) * small
    B.t = away * (reach + gap)[:, None]
    if shape == "aligned":
        slide = rng.integers(-2, 3, (count, 3)) / 8.0
        B.t += slide - away * (slide * away).sum(axis=1, keepdims=True)
    same = rng.random(count) < 0.03
    B.t[same] = 0.0
    if shape == "far":
        shift = 1e4 * random_directions(rng, count)
        A.t, B.t = A.t + shift, B.t + shift
    return A, B


def farthest(crowd: Crowd, d: np.ndarray) -> np.ndarray:
    """The farthest points along d, of shape (n, m, 3), in each solid's own frame."""
    half, kind = crowd.half[:, None], crowd.kind
    up = np.where(d[..., 2:] >= 0.0, 1.0, -1.0)
    if kind == HULL:
        vertices = crowd.vertices
        best = np.einsum("nvi,nmi->nmv", vertices, d).argmax(axis=2)
        return np.take_along_axis(vertices, best[..., None], axis=1)
    if kind == ELLIPSOID:
        return half**2 * d / np.linalg.norm(half * d, axis=2, keepdims=True)
    if kind == BOX:
        return np.where(d >= 0.0, half, -half)
    if kind in (BALL, CAPSULE):
        lengths = np.linalg.norm(d, axis=2, keepdims=True)
        return (
            np.concatenate([0.0 * d[..., :2], up * half[..., 2:]], axis=2) + crowd.radius[:, None, None] * d / lengths
        )
    across = np.hypot(d[..., 0], d[..., 1])[..., None]
    rim = half[..., :1] * np.divide(d[..., :2], across, out=np.zeros_like(d[..., :2]), where=across > 0.0)
    if kind == CYLINDER:
        return np.concatenate([rim, up * half[..., 2:]], axis=2)
    assert kind == CONE
    base = np.concatenate([rim, -half[..., 2:] + 0.0 * up], axis=2)
    tip = np.concatenate([0.0 * rim, half[..., 2:] + 0.0 * up], axis=2)
    return np.where(((tip - base) * d).sum(axis=2, keepdims=True) > 0.0, tip, base)


def reaches(crowd: Crowd, n: np.ndarray) -> np.ndarray:
    """How far each solid reaches from its own origin along n, of shape (n, m, 3) in the world; shape (n, m)."""
    d = np.einsum("nij,nmi->nmj", crowd.R, n)
    return (d * farthest(crowd, d)).sum(axis=2)


def separations(A: Crowd, B: Crowd, n: np.ndarray) -> np.ndarray:
    """How far B is from A along n, of shape (n, m, 3): a lower bound of the signed distance; shape (n, m)."""
    own = 0.0 if A.kind == PLANE else reaches(A, n)
    return (n * (B.t - A.t)[:, None]).sum(axis=2) - own - reaches(B, -n)


def best_separations(A: Crowd, B: Crowd, seed: int = 0, starts: int = 600, rounds: int = 8) -> np.ndarray:
    """The greatest separation that a search of many starts finds, none of which is told by core; shape (n,)."""
    rng = np.random.default_rng(seed)
    count, kept, tried = len(A), 4, 24
    if A.kind == PLANE:
        return separations(A, B, A.R[:, None, :, 2])[:, 0]
    axes = np.concatenate([A.R, -A.R, B.R, -B.R], axis=2).transpose(0, 2, 1)
    n = np.concatenate([axes, np.broadcast_to(random_directions(rng, starts), (count, starts, 3))], axis=1)
    s = separations(A, B, n)
    step = 0.15
    for _ in range(rounds):
        best = np.argsort(-s, axis=1)[:, :kept]
        n, s = np.take_along_axis(n, best[..., None], axis=1), np.take_along_axis(s, best, axis=1)
        beside = (n[:, :, None] + step * rng.normal(size=(count, kept, tried, 3))).reshape(count, -1, 3)
        beside /= np.linalg.norm(beside, axis=2, keepdims=True)
        n, s = np.concatenate([n, beside], axis=1), np.concatenate([s, separations(A, B, beside)], axis=1)
        step *= 0.3
    return s.max(axis=1)


def outside(crowd: Crowd, points: np.ndarray) -> np.ndarray:
    """By how much points, one for each solid in the world, lie outside of it, at most [m]; at or below 0 inside."""
    x = np.einsum("nij,ni->nj", crowd.R, points - crowd.t)
    half, kind = crowd.half, crowd.kind
    if kind == PLANE:
        return x[:, 2]
    if kind in (BALL, CAPSULE):
        z = x[:, 2] - np.clip(x[:, 2], -half[:, 2], half[:, 2])
        return np.sqrt(x[:, 0] ** 2 + x[:, 1] ** 2 + z**2) - crowd.radius
    if kind == BOX:
        return (abs(x) - half).max(axis=1)
    across = np.hypot(x[:, 0], x[:, 1])
    if kind == CYLINDER:
        return np.maximum(across - half[:, 0], abs(x[:, 2]) - half[:, 2])
    if kind == CONE:
        slant = np.hypot(2.0 * half[:, 2], half[:, 0])
        side = (2.0 * half[:, 2] * across + half[:, 0] * (x[:, 2] - half[:, 2])) / slant
        return np.maximum(side, -half[:, 2] - x[:, 2])
    if kind == ELLIPSOID:
        return distances_to_ellipsoids(half, x)
    found, places = np.zeros(len(x)), {}
    for i, points in enumerate(crowd.clouds):  # many share one
        places.setdefault(id(points), []).append(i)
    for same in places.values():
        found[same] = outside_hull(crowd.clouds[same[0]], x[same])
    return found


def distances_to_ellipsoids(half: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Of points, shape (n, 3), from ellipsoids with radii of the same shape; 0 inside.

    The nearest point is x h^2 / (h^2 + t), t >= 0 being the root of Eberly's function, Distance from a point to an
    ellipse, an ellipsoid, or a hyperellipsoid (2013), here halved in logarithms until no digit moves.
    """
    low, high = np.full(len(x), 1e-40), (half * np.abs(x)).sum(axis=1) + 1e-30
    for _ in range(200):
        t = np.sqrt(low * high)
        is_below = ((half * x / (half**2 + t[:, None])) ** 2).sum(axis=1) > 1.0
        low, high = np.where(is_below, t, low), np.where(is_below, high, t)
    inside = ((x / half) ** 2).sum(axis=1) <= 1.0
    return np.where(inside, 0.0, np.linalg.norm(t[:, None] * x / (half**2 + t[:, None]), axis=1))


def outside_hull(points: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The same of the hull of points: by scipy's facets, or by the nearest mean of the points where there are none."""
    size = abs(points).max()
    if len(points) > 3 and np.linalg.matrix_rank(points - points[0], tol=1e-9 * size) == 3:
        facets = ConvexHull(points).equations
        return (x @ facets[:, :3].T + facets[:, 3]).max(axis=1)
    heavy = 1e3
    weights = np.vstack([points.T / size, np.full(len(points), heavy)])
    found = np.array([nnls(weights, np.append(p / size, heavy), maxiter=1000)[0] for p in x])
    return np.linalg.norm(found @ points / found.sum(axis=1, keepdims=True) - x, axis=1)


def poses_of(*crowds: Crowd) -> np.ndarray:
    """Shape (all, 12), as write_solid_poses takes them."""
    return np.concatenate([np.column_stack([crowd.R.reshape(-1, 9), crowd.t]) for crowd in crowds])


def measured(A: Crowd, B: Crowd, margin: float = np.inf, swapped: bool = False) -> np.recarray:
    """SEPARATION records of all pairs, n of them, from core."""
    solids = [replace(solid, body=i) for i, solid in enumerate([*A.solids, *B.solids])]
    records, hulls = pack(solids)
    placed = np.zeros(len(records), SOLID_POSE).view(np.recarray)
    write_solid_poses(records, hulls, poses_of(A, B), placed)
    count = len(A)
    pairs = np.column_stack([np.arange(count), np.arange(count) + count])
    separations = np.zeros(count, SEPARATION).view(np.recarray)
    pairs = np.ascontiguousarray(pairs[:, ::-1] if swapped else pairs)
    write_signed_distances(records, hulls, placed, pairs, margin, make_pair_work(), separations)
    return separations


def made(kind: int, numbers: np.ndarray) -> Solid:
    """By core's own maker, of up to three numbers."""
    x, y, z = (float(number) for number in numbers)
    makers = {
        PLANE: packing.plane,
        BALL: lambda: packing.ball(x),
        CAPSULE: lambda: packing.capsule(x, y),
        BOX: lambda: packing.box((x, y, z)),
        CYLINDER: lambda: packing.cylinder(x, y),
        CONE: lambda: packing.cone(x, y),
        ELLIPSOID: lambda: packing.ellipsoid((x, y, z)),
        HULL: lambda: packing.hulled(convex_hull(cloud(1) * (x, y, z))),
    }
    return makers[kind]()
