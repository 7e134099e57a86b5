# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests whether triangles intersect."""

from __future__ import annotations

import numpy as np

from ..spatial.arrays import matvec, norm


def triangles_intersect(one: np.ndarray, other: np.ndarray, slack: float) -> np.ndarray:
    """Return for each pair of triangles whether they intersect, as booleans of shape (n,).

    Triangles that only touch, or that share a plane, do not intersect.

    Args:
        one, other: corner points of the pairs, shape (n, 3, 3).
        slack: smallest distance of a corner from the other's plane, and smallest length of the common line segment, in
            the unit of the points.

    Source: Möller, A fast triangle-triangle intersection test, Journal of Graphics Tools 2 (1997): each triangle has
    corners on both sides of the other's plane, and the intervals that they cut from the line of the two planes overlap.
    """
    one, other = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    normal_one, normal_other = _normals(one), _normals(other)
    above_other = matvec(one - other[:, :1], normal_other)
    above_one = matvec(other - one[:, :1], normal_one)
    line = np.cross(normal_one, normal_other)
    size = norm(line)
    line /= np.where(size > 0.0, size, 1.0)[:, None]
    origin = one[:, :1]
    low_one, high_one = _span(matvec(one - origin, line), above_other)
    low_other, high_other = _span(matvec(other - origin, line), above_one)
    shared = np.minimum(high_one, high_other) - np.maximum(low_one, low_other)
    return _is_on_both_sides(above_other, slack) & _is_on_both_sides(above_one, slack) & (shared > slack)


def _normals(triangles: np.ndarray) -> np.ndarray:
    """Return the unit normals of triangles, shape (n, 3). The normal of a triangle without area is zero."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    sizes = norm(normals)
    return normals / np.where(sizes > 0.0, sizes, 1.0)[:, None]


def _is_on_both_sides(above: np.ndarray, slack: float) -> np.ndarray:
    return (above.min(axis=1) < -slack) & (above.max(axis=1) > slack)


def _span(along: np.ndarray, above: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where each triangle begins and ends on the line in which a plane cuts it, two arrays of shape (n,).

    Args:
        along: coordinates of the corners along that line, shape (n, 3).
        above: signed distances of the corners from that plane, shape (n, 3).
    """
    along_next, above_next = np.roll(along, -1, axis=1), np.roll(above, -1, axis=1)
    cuts = (above > 0.0) != (above_next > 0.0)
    part = above / np.where(cuts, above - above_next, 1.0)
    met = along + part * (along_next - along)
    return np.where(cuts, met, np.inf).min(axis=1), np.where(cuts, met, -np.inf).max(axis=1)
