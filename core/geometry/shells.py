# SPDX-License-Identifier: GPL-3.0-or-later
"""The closed surfaces (shells) of a mesh: which triangles are connected, and which shell lies inside another.

Only shells inside others can be cavities. A shell outside all others that faces inward was drawn inside out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..spatial.arrays import angle_of, det, dot, norm


@dataclass(frozen=True)
class OrientedShells:
    """Triangles whose shells face outward, except those of cavities.

    Attributes:
        triangles: vertex numbers, shape (n, 3).
        some_were_inside_out: whether some of the shells had to be turned, and others not.
        counts_twice: whether a shell that faces outward lies in the solid part of another.
    """

    triangles: np.ndarray
    some_were_inside_out: bool
    counts_twice: bool


def orient_outward(points: np.ndarray, triangles: np.ndarray) -> OrientedShells:
    """Return the triangles with the shells turned that were drawn inside out.

    Args:
        points: shape (v, 3).
        triangles: vertex numbers of closed surfaces, shape (n, 3).
    """
    shells = shell_numbers(triangles, len(points))
    corners = points[triangles] - points[triangles[:, 0]].mean(axis=0)
    signs = np.where(np.bincount(shells, det(corners)) < 0.0, -1, 1)
    outside = containers(points, triangles, shells)
    turned = signs.copy()
    for shell in sorted(range(len(signs)), key=lambda number: len(outside[number])):
        around = sum(int(turned[other]) for other in outside[shell])
        if turned[shell] < 0 and around <= 0:
            turned[shell] = 1
            if not outside[shell]:  # the shells inside it were drawn inside out together with it
                turned[[number for number, above in enumerate(outside) if shell in above]] *= -1
    flips = turned != signs
    triangles = np.where(flips[shells, None], triangles[:, ::-1], triangles)
    counts_twice = any(
        turned[shell] > 0 and sum(int(turned[other]) for other in above) > 0 for shell, above in enumerate(outside)
    )
    return OrientedShells(triangles, bool(flips.any() and not flips.all()), counts_twice)


def shell_numbers(triangles: np.ndarray, count: int) -> np.ndarray:
    """Return for each triangle the number of the component that it is connected to by vertices, shape (n,).

    Args:
        triangles: vertex numbers, shape (n, 3).
        count: number of vertices.
    """
    root = np.arange(count)
    while True:
        roots = root[triangles]
        lowest = roots.min(axis=1)
        if (roots == lowest[:, None]).all():
            return np.unique(lowest, return_inverse=True)[1].ravel()
        np.minimum.at(root, roots.ravel(), lowest.repeat(3))
        while (root != root[root]).any():
            root = root[root]


def containers(points: np.ndarray, triangles: np.ndarray, shells: np.ndarray) -> list[list[int]]:
    """Return for each shell the numbers of the shells that it lies in."""
    count = int(shells.max()) + 1
    if count == 1:
        return [[]]
    order = np.argsort(shells, kind="stable")
    own = np.split(triangles[order], np.cumsum(np.bincount(shells))[:-1])
    low = np.array([points[part].min(axis=(0, 1)) for part in own])
    high = np.array([points[part].max(axis=(0, 1)) for part in own])
    found: list[list[int]] = []
    for shell, part in enumerate(own):
        around = ((low <= low[shell]) & (high >= high[shell])).all(axis=1)
        around[shell] = False
        candidates = np.flatnonzero(around).tolist()
        found.append([other for other in candidates if _lies_in(points[part], points[own[other]])])
    return found


def _lies_in(inner: np.ndarray, outer: np.ndarray) -> bool:
    """Return whether most of the extreme points of a shell lie in another one. Single points may touch it.

    Args:
        inner, outer: corner points, shape (n, 3, 3).
    """
    corners = inner.reshape(-1, 3)
    extremes = corners[np.concatenate([corners.argmin(axis=0), corners.argmax(axis=0)])]
    return float(np.mean([abs(winding_number(point, outer)) for point in extremes])) > 0.5


def winding_number(point: np.ndarray, triangles: np.ndarray) -> float:
    """Return how often closed surfaces surround a point: 1 inside, 0 outside.

    Args:
        point: shape (3,).
        triangles: corner points, shape (n, 3, 3).

    Source: van Oosterom and Strackee, The solid angle of a plane triangle, IEEE Trans. Biomed. Eng. 30 (1983).
    """
    corners = triangles - point
    a, b, c = (corners[:, number] for number in range(3))
    far_a, far_b, far_c = (norm(each) for each in (a, b, c))
    across = dot(a, np.cross(b, c))
    along = far_a * far_b * far_c
    along = along + (a * b).sum(axis=1) * far_c + (b * c).sum(axis=1) * far_a + (c * a).sum(axis=1) * far_b
    return float(2.0 * angle_of(across, along).sum() / (4.0 * math.pi))
