# SPDX-License-Identifier: GPL-3.0-or-later
"""The capsule that approximates the surface of a limb along a given direction. Other modules enclose all points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...spatial.arrays import matmul, solve

MAX_STEPS = 100
"""Upper bound for the steps of Levenberg and Marquardt's method, which mostly takes ten to thirty."""

DAMPING = 1e-3
"""First damping factor, relative to the diagonal of the normal equations."""

DAMPING_MAX = 1e8
"""Damping factor above which no step reduces the error: the fit has converged."""

UNDETERMINED = 1e-9
"""Part of the largest diagonal entry of the normal equations that is added to all: a tube has no ends of its own."""

CONVERGED = 1e-12
"""Relative reduction of the squared error below which the fit has converged."""

STRAY = 3.0
"""Distance from the surface from which a point counts as stray, relative to the usual distance of the points."""

USUAL = 1.4826
"""Ratio of the standard deviation to the median of absolute values, for a normal distribution."""

LEAST_STRAY = 0.05
"""Distance from the surface at which no point counts as stray, relative to the radius."""

MOST_STRAY = 0.2
"""Part of the surface that may count as stray. What is more belongs to the limb."""

ROUNDS = 3
"""Number of fits, of which each leaves out the points that are stray in the one before."""

THINNEST = 1e-3
"""Least radius, as a part of the extent of the points across the axis."""


@dataclass(frozen=True)
class LimbCapsule:
    """A capsule along y.

    Attributes:
        radius: of its cylinder and its round ends.
        start, end: y of its lowest and its highest point, at the ends of the round caps.
        across: x and z of its axis.
        error: root of the mean squared distance between its surface and the points.
    """

    radius: float
    start: float
    end: float
    across: tuple[float, float]
    error: float


def limb_capsule_without_strays(points: np.ndarray, weights: np.ndarray) -> LimbCapsule | None:
    """Return the result of `limb_capsule` without points far from the surface, such as those of stray weights.

    Args:
        points, weights: as those of `limb_capsule`.
    """
    capsule, kept = limb_capsule(points, weights), np.ones(len(points), dtype=bool)
    areas = weights if weights.any() else np.ones(len(points))
    for _ in range(ROUNDS - 1):
        if capsule is None:
            return None
        distances = np.abs(_distances(points, _values_of(capsule))[0])
        usual = USUAL * weighted_median(distances[kept], areas[kept])
        still = distances <= max(STRAY * usual, LEAST_STRAY * capsule.radius)
        if (still == kept).all() or areas[still].sum() < (1.0 - MOST_STRAY) * areas.sum():
            break
        kept = still
        capsule = limb_capsule(points[kept], weights[kept])
    return capsule


def _values_of(capsule: LimbCapsule) -> np.ndarray:
    """Return the variables of the fit for a capsule, shape (5,)."""
    half = 0.5 * (capsule.end - capsule.start) - capsule.radius
    x, z = capsule.across
    return np.array((x, z, 0.5 * (capsule.start + capsule.end), half, capsule.radius))


def weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    """Return the least of some values such that those up to it have half of the weight."""
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(sums, 0.5 * sums[-1])])


def limb_capsule(points: np.ndarray, weights: np.ndarray) -> LimbCapsule | None:
    """Return the capsule along y whose surface is nearest to points; None if these lie on a line along y.

    The sum of the squared distances is minimised by Levenberg and Marquardt's method (Nocedal, Wright, Numerical
    Optimization (2006), section 10.3), starting from the extents of the points. The radius is at most half of the
    extent across y: points on a flat patch would have an infinite one.

    Args:
        points: of a surface, in any unit of length, shape (n, 3).
        weights: the area that each point stands for, shape (n,). If all are 0, all points count alike.
    """
    total = float(weights.sum())
    weights = weights / total if total > 0.0 else np.full(len(points), 1.0 / len(points))
    low, high = points.min(axis=0), points.max(axis=0)
    widest = 0.5 * float(max(high[0] - low[0], high[2] - low[2]))
    if widest <= 0.0:
        return None
    bounds = (
        np.array((low[0], low[2], low[1], 0.0, THINNEST * widest)),
        np.array((high[0], high[2], high[1], 0.5 * (high[1] - low[1]), widest)),
    )
    values = _start(points, weights, *bounds)
    damping, (residuals, slopes) = DAMPING, _distances(points, values)
    cost = float((weights * residuals * residuals).sum())
    for _ in range(MAX_STEPS):
        normal = matmul(slopes * weights, slopes.T)
        gradient = (slopes * weights * residuals).sum(axis=1)
        diagonal = np.diag(normal)
        regular = np.diag(damping * diagonal + UNDETERMINED * max(float(diagonal.max()), 1.0))
        tried = np.clip(values - solve(normal + regular, gradient), *bounds)
        found = _distances(points, tried)
        new_cost = float((weights * found[0] * found[0]).sum())
        if new_cost < cost:
            has_converged = cost - new_cost <= CONVERGED * cost
            values, (residuals, slopes), cost, damping = tried, found, new_cost, 0.1 * damping
            if has_converged:
                break
        elif (damping := 10.0 * damping) > DAMPING_MAX:
            break
    x, z, middle, half, radius = values.tolist()
    return LimbCapsule(radius, middle - half - radius, middle + half + radius, (x, z), cost**0.5)


def _start(points: np.ndarray, weights: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return x, z and y of the middle of the axis segment, half of its length, and the radius, within bounds."""
    x, y, z = points.T
    middle = (weights[:, None] * points).sum(axis=0)
    across = (x - middle[0]) ** 2 + (z - middle[2]) ** 2
    radius = float((weights * across).sum()) ** 0.5
    half = 0.5 * float(y.max() - y.min()) - radius
    return np.clip((middle[0], middle[2], 0.5 * float(y.max() + y.min()), max(half, 0.0), radius), low, high)


def _distances(points: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the signed distances of points from the surface, shape (n,), and their derivatives, shape (5, n)."""
    x, z, middle, half, radius = values.tolist()
    across, up = points[:, 0] - x, points[:, 2] - z
    beyond = points[:, 1] - np.clip(points[:, 1], middle - half, middle + half)
    away = np.sqrt(across * across + beyond * beyond + up * up)
    scale = 1.0 / np.where(away > 0.0, away, 1.0)
    slopes = np.array(
        (-across * scale, -up * scale, -beyond * scale, -np.abs(beyond) * scale, np.full(len(points), -1.0))
    )
    return away - radius, slopes
