# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons of OBJ files as MuJoCo divides them into triangles, on which masses depend.

MuJoCo's reader cuts quadrilaterals along the shorter diagonal, in single precision. Off others it cuts ears in a
projection along one axis. A corner counts as convex there if it turns as its first side does about the origin, whatever
the polygon, and small polygons are projected along x. So some polygons are cut wrongly, and parts of others are left
out.

Source: tinyobjloader 2.0 (2024), which MuJoCo 4.0 uses; W. R. Franklin, PNPOLY, for points in a triangle.
"""

from __future__ import annotations

import numpy as np

from ....spatial.arrays import dot

EPSILON = np.finfo(np.float32).eps
"""Length of the cross product of two sides up to which their corner does not decide the projection [m^2]."""


def cut_as_mujoco(counts: np.ndarray, numbers: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """Return the triangles of polygons, shape (t, 3).

    Args:
        counts: shape (p,), corners of each polygon.
        numbers: shape (counts.sum(),), the vertex numbers around each polygon in turn.
        vertices: shape (n, 3) [m].
    """
    points = vertices.astype(np.float32)
    starts = np.cumsum(counts) - counts
    found = [np.zeros((0, 3), np.int64)]
    for count in np.unique(counts[counts > 2]).tolist():
        corners = numbers[starts[counts == count][:, None] + np.arange(count)]
        if count == 3:
            found.append(corners)
            continue
        if count == 4:
            found.append(_halves(corners, points))
            continue
        flat = _projected(points[corners])
        is_fan = _is_fan(flat)
        found.append(np.stack([corners[is_fan][:, [0, k, k + 1]] for k in range(1, count - 1)], axis=1).reshape(-1, 3))
        for row in np.flatnonzero(~is_fan).tolist():
            ears = _ears(flat[row])
            found.append(corners[row][np.array(ears, np.int64).reshape(-1, 3)])
    return np.vstack(found)


def _halves(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return two triangles of each quadrilateral, shape (p, 4) to (2 p, 3), divided along the shorter diagonal."""
    first, second = (points[corners[:, b]] - points[corners[:, a]] for a, b in ((0, 2), (1, 3)))
    is_first = dot(first, first) < dot(second, second)
    order = np.where(is_first[:, None], (0, 1, 2, 0, 2, 3), (0, 1, 3, 1, 2, 3))
    return np.take_along_axis(corners, order, axis=1).reshape(-1, 3)


def _projected(corners: np.ndarray) -> np.ndarray:
    """Return two coordinates of each corner, shape (p, k, 3) to (p, k, 2).

    The first corner that is not straight decides which one is left out.
    """
    sides = np.roll(corners, -1, axis=1) - corners
    turns = np.abs(_cross(sides, np.roll(sides, -1, axis=1)))
    is_bent = (turns > EPSILON).any(axis=2)
    x, y, z = np.moveaxis(turns[np.arange(len(corners)), is_bent.argmax(axis=1)], -1, 0)
    along_x = ~is_bent.any(axis=1) | ((x > y) & (x > z))
    along_z = ~along_x & (z > x) & (z > y)
    first = np.where(along_x, 1, 0)
    second = np.where(along_z, 1, 2)
    rows = np.arange(len(corners))[:, None]
    columns = np.arange(corners.shape[1])
    return np.stack([corners[rows, columns, first[:, None]], corners[rows, columns, second[:, None]]], axis=-1)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return cross products along the last axis, with each product rounded to single precision."""
    return np.stack(
        [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))],
        axis=-1,
    )


def _is_fan(flat: np.ndarray) -> np.ndarray:
    """Return whether all ears have their first corner in the polygon's first one, shape (p, k, 2) to (p,)."""
    count = flat.shape[1]
    is_fan = np.ones(len(flat), bool)
    for k in range(1, count - 2):
        triangle = flat[:, [0, k, k + 1]]
        is_fan &= ~_is_inner(triangle)
        for other in range(k + 2, count):
            is_fan &= ~_contains(triangle, flat[:, other])
    return is_fan


def _is_inner(triangle: np.ndarray) -> np.ndarray:
    """Return whether the second corner turns in the other direction than its first side about the origin.

    Shape (…, 3, 2) to (…).
    """
    a, b, c = (triangle[..., k, :] for k in range(3))
    first, second = b - a, c - b
    turn = first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
    return turn * ((a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]) * np.float32(0.5)) < 0.0


def _contains(triangle: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return whether a ray from a point along x passes an odd number of sides, shapes (…, 3, 2) and (…, 2) to (…)."""
    x, y = point[..., 0], point[..., 1]
    is_inside = np.zeros(np.shape(x), bool)
    with np.errstate(divide="ignore", invalid="ignore"):  # of level sides, which no ray along x passes
        for i, j in ((0, 2), (1, 0), (2, 1)):
            (xi, yi), (xj, yj) = (np.moveaxis(triangle[..., n, :], -1, 0) for n in (i, j))
            is_inside ^= ((yi > y) != (yj > y)) & (x < (xj - xi) * (y - yi) / (yj - yi) + xi)
    return is_inside


def _ears(flat: np.ndarray) -> list[tuple[int, int, int]]:
    """Return the triangles of one polygon as corner numbers, from corners of shape (k, 2).

    The search ends after as many tries as there are corners; the try that cuts off an ear counts, too.
    """
    left, found = list(range(len(flat))), []
    at, tries, before = 0, len(left), len(left)
    while len(left) > 3 and tries:
        tries = tries - 1 if len(left) == before else len(left)
        before = len(left)
        at %= before
        a, b, c = (left[(at + k) % len(left)] for k in range(3))
        triangle = flat[[a, b, c]]
        others = [left[(at + k) % len(left)] for k in range(3, len(left))]
        if _is_inner(triangle) or any(_contains(triangle, flat[other]) for other in others):
            at += 1
        else:
            found.append((a, b, c))
            left.remove(b)
    return [*found, (left[0], left[1], left[2])] if len(left) == 3 else found
