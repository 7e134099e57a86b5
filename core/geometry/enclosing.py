# SPDX-License-Identifier: GPL-3.0-or-later
"""Primitives that enclose points, as small as they can be, or nearly so."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from ..spatial.arrays import covariance, det, eigh, matmul, norm, solve
from .shapes import Box, Capsule, Cylinder, Geometry, Sphere

SLACK = 1e-9
"""Part of a ball's radius by which a point on it may seem to lie outside."""

SINGULAR = 1e-15
"""Determinant, as a part of the product of the diagonal, up to which points count as in line or in a plane. Rounding
leaves 1e-16, with which the equations may have no solution."""

UPRIGHT = 0.99
"""A primitive leans away from the given axes only if that makes it smaller than this part of what it would be."""

Placed = tuple[Geometry, np.ndarray]
"""A primitive, and the matrix that puts it where it belongs, shape (4, 4)."""


def enclosing_ball(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Centre and radius of the smallest ball, or circle, around points, shape (n, 3) or (n, 2).

    Source: Gärtner, Fast and robust smallest enclosing balls, ESA 1999: the farthest point outside joins those that
    hold the ball, until there is none.
    """
    held = [int(norm(points - points.mean(axis=0)).argmax())]
    centre, radius = points[held[0]], 0.0
    for _ in range(len(points) + 10):
        away = norm(points - centre)
        farthest = int(away.argmax())
        if away[farthest] <= radius * (1.0 + SLACK):
            break
        found = _smallest_on([*held, farthest], points)
        if found is None or found[2] <= radius:  # nothing but rounding is left
            break
        held, centre, radius = found
    return centre, float(norm(points - centre).max())


def _smallest_on(numbers: list[int], points: np.ndarray) -> tuple[list[int], np.ndarray, float] | None:
    """The smallest ball around the last of a few points and all others, with those that lie on it."""
    best: tuple[list[int], np.ndarray, float] | None = None
    *others, last = numbers
    for count in range(1, min(len(others), points.shape[1]) + 1):
        for chosen in combinations(others, count):
            held = [*chosen, last]
            centre = _circumcentre(points[held])
            if centre is None:
                continue
            radius = float(norm(points[held] - centre).max())
            is_around = norm(points[numbers] - centre).max() <= radius * (1.0 + SLACK)
            if is_around and (best is None or radius < best[2]):
                best = held, centre, radius
    return best


def _circumcentre(points: np.ndarray) -> np.ndarray | None:
    """Of two to four points; None where they are in line, or in a plane."""
    sides = points[1:] - points[0]
    gram = matmul(sides, sides.T)
    if det(gram) <= SINGULAR * np.prod(np.diag(gram)):
        return None
    return points[0] + matmul(sides.T, solve(gram, 0.5 * np.diag(gram)))


def enclosing_box(points: np.ndarray) -> Placed:
    """Along the axes of the points, shape (n, 3)."""
    low, high = points.min(axis=0), points.max(axis=0)
    x, y, z = (high - low).tolist()
    return Box((x, y, z)), _placed(np.eye(3), (low + high) / 2.0)


def enclosing_sphere(points: np.ndarray) -> Placed:
    centre, radius = enclosing_ball(points)
    return Sphere(radius), _placed(np.eye(3), centre)


def enclosing_cylinder(points: np.ndarray) -> Placed:
    return _along_the_best(points, upright_cylinder)


def enclosing_capsule(points: np.ndarray) -> Placed:
    return _along_the_best(points, upright_capsule)


def upright_cylinder(points: np.ndarray) -> tuple[Cylinder, np.ndarray, float]:
    """Return the smallest cylinder along z around points, shape (n, 3), its centre, and its volume in parts of pi."""
    centre, radius = enclosing_ball(points[:, :2])
    low, high = float(points[:, 2].min()), float(points[:, 2].max())
    length = high - low
    return Cylinder(radius, length), np.array((*centre, (low + high) / 2.0)), radius**2 * length


def upright_capsule(points: np.ndarray) -> tuple[Capsule, np.ndarray, float]:
    """As `upright_cylinder`. Each point lets an end of the capsule's segment come only so near to the middle."""
    centre, radius = enclosing_ball(points[:, :2])
    reach = np.sqrt(np.maximum(radius**2 - ((points[:, :2] - centre) ** 2).sum(axis=1), 0.0))
    low, high = float((points[:, 2] + reach).min()), float((points[:, 2] - reach).max())
    length = max(high - low, 0.0)
    volume = radius**2 * length + 4.0 / 3.0 * radius**3
    return Capsule(radius, length), np.array((*centre, (low + high) / 2.0)), volume


def _along_the_best(points: np.ndarray, enclose: Callable[[np.ndarray], tuple[Geometry, np.ndarray, float]]) -> Placed:
    """With its z axis along that of the points' own and principal axes with which it is smallest."""
    own = [_turn_to(axis) for axis in np.eye(3)[[2, 0, 1]]]
    principal = [_turn_to(axis) for axis in eigh(covariance(points))[1].T]
    found = [(turn, *enclose(matmul(points, turn))) for turn in own + principal]
    upright = min(found[:3], key=lambda each: each[3])
    leaning = min(found[3:], key=lambda each: each[3])
    turn, shape, centre, _ = leaning if leaning[3] < UPRIGHT * upright[3] else upright
    return shape, _placed(turn, matmul(turn, centre))


def _turn_to(axis: np.ndarray) -> np.ndarray:
    """A rotation that takes z to `axis`, with x and y along axes where they can be."""
    aside = np.eye(3)[int(np.argmin(np.abs(axis)))]
    y = np.cross(axis, aside)
    y /= norm(y)
    return np.column_stack([np.cross(y, axis), y, axis])


def _placed(turn: np.ndarray, place: np.ndarray) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn, place
    return matrix
