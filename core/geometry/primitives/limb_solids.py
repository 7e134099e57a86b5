# SPDX-License-Identifier: GPL-3.0-or-later
"""The box and the convex hull of a limb, without points far from it. `limbs.py` has its capsule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...collision.hulls import Hull, HullError, convex_hull
from ...spatial.arrays import cosines_sines, matmul, norm
from .fitting import even_directions
from .limbs import weighted_median

FAR_FROM_MIDDLE = 3.0
"""Distance from the middle of a limb beyond which a point counts as stray, relative to the usual distance. In a rod of
even surface, the ends are at twice the usual distance."""

FAR_ALONG_AXIS = 5.0
"""The same for the coordinate along each axis of a box, beside which thumbs and ankles stick out."""

MOST_STRAY = 0.2
"""Part of the surface that may count as stray. What is more belongs to the limb."""

ROLLS = 90
"""Number of directions across a limb that are tried as an axis of its box, one degree apart."""

ROUND = 0.98
"""Ratio of the areas of two rectangles around a cross-section above which neither counts as smaller."""

HULL_DIRECTIONS = 48
"""Number of directions in which the farthest points of a limb become corners of its hull. Contact of a hull costs time
in proportion to its corners. The surface of a round limb lies outside the hull by up to 6 percent of half its length.
"""

LEAST_THICKNESS = 1e-3
"""Least size of a box along an axis, relative to its greatest: a limb may be a flat piece of a mesh."""


@dataclass(frozen=True)
class LimbBox:
    """A box around a limb.

    Attributes:
        axes: the directions of its sizes, as columns, shape (3, 3). The second one is along the limb.
        center: in the axes of the points, shape (3,).
        size: along its axes, shape (3,).
    """

    axes: np.ndarray
    center: np.ndarray
    size: np.ndarray


def limb_box(points: np.ndarray, weights: np.ndarray, axes: np.ndarray | None = None) -> LimbBox | None:
    """Return the box around points without strays; None if these lie on a line or in a point.

    Args:
        points: of a surface, in any unit of length, shape (n, 3).
        weights: the area that each point stands for, shape (n,). If all are 0, all points count alike.
        axes: those of the box as columns, shape (3, 3). If None, the second one is y, and the others those of the
            smallest rectangle around the points as seen along y.
    """
    weights = weights if weights.any() else np.ones(len(points))
    chosen = is_near(points, weights)
    near, areas = points[chosen], weights[chosen]
    if axes is None:
        axes = _smallest_rectangle(near)
    local = matmul(near, axes)
    kept = np.ones(len(local), dtype=bool)
    for column in local.T:
        middle = weighted_median(column, areas)
        apart = np.abs(column - middle)
        kept &= apart <= FAR_ALONG_AXIS * weighted_median(apart, areas)
    if areas[kept].sum() < (1.0 - MOST_STRAY) * areas.sum() or kept.sum() < 2:
        kept[:] = True
    low, high = local[kept].min(axis=0), local[kept].max(axis=0)
    size = high - low
    if np.sort(size)[1] <= LEAST_THICKNESS * size.max():
        return None
    return LimbBox(axes, matmul(axes, 0.5 * (low + high)), np.maximum(size, LEAST_THICKNESS * size.max()))


def limb_hull(points: np.ndarray, weights: np.ndarray) -> Hull | None:
    """Return the convex hull of points without strays, of at most `HULL_DIRECTIONS` corners; None if it is flat.

    Args:
        points, weights: as those of `limb_box`.
    """
    near = points[is_near(points, weights)]
    extents = np.ptp(near, axis=0)
    alike = near / np.where(extents > 0.0, extents, 1.0)  # the ends of a slender limb count no more than its sides
    corners = np.unique(matmul(alike, even_directions(HULL_DIRECTIONS).T).argmax(axis=0))
    try:
        hull = convex_hull(near[corners])
    except HullError:
        return None
    return hull if len(hull.vertices) > 3 and len(hull.faces) > 2 else None


def is_near(points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return which points belong to a limb, and are not far from its middle by stray weights, shape (n,).

    Args:
        points, weights: as those of `limb_box`.
    """
    areas = weights if weights.any() else np.ones(len(points))
    middle = np.array([weighted_median(column, areas) for column in points.T])
    apart = norm(points - middle)
    found = apart <= FAR_FROM_MIDDLE * weighted_median(apart, areas)
    return found if areas[found].sum() >= (1.0 - MOST_STRAY) * areas.sum() else np.ones(len(points), dtype=bool)


def _smallest_rectangle(points: np.ndarray) -> np.ndarray:
    """Return axes as columns, turned about y, along which points have the smallest extents across y.

    Of directions that are nearly as good, it is the one that is nearest to the axes of the points.
    """
    angles = np.radians(np.arange(ROLLS) - ROLLS // 2)
    angles = angles[np.argsort(np.abs(angles), kind="stable")]
    cosines, sines = cosines_sines(angles)
    x, z = points[:, 0, None], points[:, 2, None]
    areas = np.ptp(x * cosines - z * sines, axis=0) * np.ptp(x * sines + z * cosines, axis=0)
    best = int(areas.argmin())
    best = best if areas[best] < ROUND * areas[0] else 0
    c, s = float(cosines[best]), float(sines[best])
    return np.array(((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)))
