# SPDX-License-Identifier: GPL-3.0-or-later
"""Primitives that enclose points, with the smallest volume or nearly so."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from ...spatial.arrays import covariance, det, eigh, matmul, norm, solve
from ..shapes import Box, Capsule, Cylinder, Geometry, Sphere

SLACK = 1e-9
"""Fraction of a ball's radius by which rounding may place a point of its surface outside."""

SINGULAR = 1e-15
"""Determinant, as a part of the product of the diagonal, up to which points count as in line or in a plane. Rounding
leaves 1e-16, with which the equations may have no solution."""

UPRIGHT = 0.99
"""Largest ratio of the volume of an inclined primitive to the volume along the given axes at which the inclined one is
chosen.
"""

Placed = tuple[Geometry, np.ndarray]
"""A primitive, and the matrix that places it, shape (4, 4)."""


def enclosing_ball(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Return centre and radius of the smallest ball, or circle, around points, shape (n, 3) or (n, 2).

    Source: Gärtner, Fast and robust smallest enclosing balls, ESA 1999: the farthest point outside is added to the
    points that determine the ball, until no point is outside.
    """
    support = [int(norm(points - points.mean(axis=0)).argmax())]
    centre, radius = points[support[0]], 0.0
    for _ in range(len(points) + 10):
        away = norm(points - centre)
        farthest = int(away.argmax())
        if away[farthest] <= radius * (1.0 + SLACK):
            break
        found = _smallest_on([*support, farthest], points)
        if found is None or found[2] <= radius:  # nothing but rounding is left
            break
        support, centre, radius = found
    return centre, float(norm(points - centre).max())


def _smallest_on(numbers: list[int], points: np.ndarray) -> tuple[list[int], np.ndarray, float] | None:
    """Return the smallest ball around a few points that has the last of them on its surface, or None.

    The result consists of the points on its surface, its centre and its radius.
    """
    best: tuple[list[int], np.ndarray, float] | None = None
    *others, last = numbers
    for count in range(1, min(len(others), points.shape[1]) + 1):
        for chosen in combinations(others, count):
            support = [*chosen, last]
            centre = _circumcentre(points[support])
            if centre is None:
                continue
            radius = float(norm(points[support] - centre).max())
            is_around = norm(points[numbers] - centre).max() <= radius * (1.0 + SLACK)
            if is_around and (best is None or radius < best[2]):
                best = support, centre, radius
    return best


def _circumcentre(points: np.ndarray) -> np.ndarray | None:
    """Return the centre of the sphere through two to four points, or None if they lie on a line or in a plane."""
    sides = points[1:] - points[0]
    gram = matmul(sides, sides.T)
    if det(gram) <= SINGULAR * np.prod(np.diag(gram)):
        return None
    return points[0] + matmul(sides.T, solve(gram, 0.5 * np.diag(gram)))


def enclosing_box(points: np.ndarray) -> Placed:
    """Return the smallest box around points, shape (n, 3), along their coordinate axes."""
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
    """Return the smallest cylinder along z around points, shape (n, 3), its centre, and its volume divided by pi."""
    centre, radius = enclosing_ball(points[:, :2])
    low, high = float(points[:, 2].min()), float(points[:, 2].max())
    length = high - low
    return Cylinder(radius, length), np.array((*centre, (low + high) / 2.0)), radius**2 * length


def upright_capsule(points: np.ndarray) -> tuple[Capsule, np.ndarray, float]:
    """Return a capsule along z around points, shape (n, 3), its centre, and its volume divided by pi.

    The radius is that of the smallest cylinder. Each point limits how close the ends of the axis segment may be to the
    middle.
    """
    centre, radius = enclosing_ball(points[:, :2])
    reach = np.sqrt(np.maximum(radius**2 - ((points[:, :2] - centre) ** 2).sum(axis=1), 0.0))
    low, high = float((points[:, 2] + reach).min()), float((points[:, 2] - reach).max())
    length = max(high - low, 0.0)
    volume = radius**2 * length + 4.0 / 3.0 * radius**3
    return Capsule(radius, length), np.array((*centre, (low + high) / 2.0)), volume


def _along_the_best(points: np.ndarray, enclose: Callable[[np.ndarray], tuple[Geometry, np.ndarray, float]]) -> Placed:
    """Return the smallest primitive with its z axis along one of the coordinate axes or principal axes of the points.

    A principal axis is chosen only if the volume is then smaller than `UPRIGHT` times that along the coordinate axes.
    """
    own = [_turn_to(axis) for axis in np.eye(3)[[2, 0, 1]]]
    principal = [_turn_to(axis) for axis in eigh(covariance(points))[1].T]
    found = [(turn, *enclose(matmul(points, turn))) for turn in own + principal]
    upright = min(found[:3], key=lambda each: each[3])
    leaning = min(found[3:], key=lambda each: each[3])
    turn, shape, centre, _ = leaning if leaning[3] < UPRIGHT * upright[3] else upright
    return shape, _placed(turn, matmul(turn, centre))


def _turn_to(axis: np.ndarray) -> np.ndarray:
    """Return a rotation matrix that takes z to `axis`. If possible, x and y lie along coordinate axes."""
    aside = np.eye(3)[int(np.argmin(np.abs(axis)))]
    y = np.cross(axis, aside)
    y /= norm(y)
    return np.column_stack([np.cross(y, axis), y, axis])


def _placed(turn: np.ndarray, place: np.ndarray) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn, place
    return matrix
