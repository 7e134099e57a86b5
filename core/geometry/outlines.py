# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds where a path goes below a surface of triangles, and whether it leads through a hole or over the edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .shells import shell_numbers

SUBDIVISIONS = 16
"""Number of equal parts of a path's segment, at whose ends the depth is computed to find the crossing."""


@dataclass(frozen=True, eq=False)
class Crossing:
    """The place where a path goes below the border of a surface.

    Attributes:
        point: on the path, shape (3,) [m].
        is_within: whether the point lies within the outline of the nearest piece of the surface, so that the path leads
            through a hole; else it leads over the edge.
    """

    point: np.ndarray
    is_within: bool


def last_crossing(path: np.ndarray, vertices: np.ndarray, faces: np.ndarray, down: np.ndarray) -> Crossing | None:
    """Return the last place where a path goes below the border of a surface, or None if the path does not end below it.

    The border consists of the edges that have a face on one side only: the rims of all holes, and the outlines of all
    connected pieces. A point is below it if it is farther along `down` than the border's nearest point, where
    distances are measured across `down`. A surface without a border, such as a closed one, has no crossing.

    Args:
        path: successive points, connected by straight lines, shape (n, 3) [m].
        vertices: shape (k, 3) [m].
        faces: vertex numbers of each triangle, shape (t, 3). Triangles of one piece share vertices.
        down: unit vector, shape (3,).
    """
    edges = border_edges(faces)
    if not len(edges):
        return None
    flat = np.column_stack([_across(vertices, down), (vertices * down).sum(axis=1)])
    track = np.column_stack([_across(path, down), (path * down).sum(axis=1)])
    number = len(path) - 1
    if _depth(track[number], flat[edges])[0] <= 0.0:
        return None
    while number > 0 and _depth(track[number - 1], flat[edges])[0] > 0.0:
        number -= 1
    if number == 0:
        return None
    parts = np.linspace(0.0, 1.0, SUBDIVISIONS + 1)[:, None]
    way = (1.0 - parts) * track[number - 1] + parts * track[number]
    first = next(place for place, point in enumerate(way) if _depth(point, flat[edges])[0] > 0.0)
    outline = _outline_at(_depth(way[first], flat[edges])[1], edges, faces, flat)
    point = (1.0 - parts[first]) * path[number - 1] + parts[first] * path[number]
    return Crossing(point, _surrounds(flat[outline], way[first]))


def border_edges(faces: np.ndarray) -> np.ndarray:
    """Return the edges that belong to one face only, as vertex numbers, shape (e, 2)."""
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    found, counts = np.unique(edges, axis=0, return_counts=True)
    return found[counts == 1]


def _across(points: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Return the coordinates of points along two unit vectors across `down`, shape (n, 2)."""
    first = np.cross(down, np.eye(3)[np.argmin(np.abs(down))])
    first /= np.sqrt((first * first).sum())
    second = np.cross(down, first)
    return np.column_stack([(points * first).sum(axis=1), (points * second).sum(axis=1)])


def _depth(point: np.ndarray, edges: np.ndarray) -> tuple[float, int]:
    """Return the depth of a point below the nearest of some edges [m], and the number of that edge.

    Args:
        point: coordinates along the two directions across `down`, and along `down`, shape (3,) [m].
        edges: both ends of each edge in the same coordinates, shape (e, 2, 3) [m].
    """
    start, along = edges[:, 0], edges[:, 1] - edges[:, 0]
    squares = (along[:, :2] ** 2).sum(axis=1)
    products = ((point[:2] - start[:, :2]) * along[:, :2]).sum(axis=1)
    part = np.clip(products / np.where(squares > 0.0, squares, 1.0), 0.0, 1.0)
    nearest = start + part[:, None] * along
    number = int(np.argmin(((point[:2] - nearest[:, :2]) ** 2).sum(axis=1)))
    return float(point[2] - nearest[number, 2]), number


def _outline_at(edge: int, edges: np.ndarray, faces: np.ndarray, flat: np.ndarray) -> np.ndarray:
    """Return the edges of the outline of the piece that an edge belongs to, shape (k, 2).

    The outline is the line of the piece's border that contains its extreme point.
    """
    pieces = np.zeros(len(flat), np.int64)
    pieces[faces.ravel()] = shell_numbers(faces, len(flat)).repeat(3)
    own = edges[pieces[edges[:, 0]] == pieces[edges[edge, 0]]]
    lines = shell_numbers(own[:, [0, 1, 1]], len(flat))
    return own[lines == lines[np.argmax(flat[own].max(axis=1)[:, 0])]]


def _surrounds(outline: np.ndarray, point: np.ndarray) -> bool:
    """Return whether closed lines surround a point, by the even-odd rule.

    Args:
        outline: edges of the lines, shape (e, 2, 3).
        point: shape (3,). The third coordinate of all points is ignored.
    """
    x, y = outline[:, :, 0] - point[0], outline[:, :, 1] - point[1]
    passes = (y[:, 0] > 0.0) != (y[:, 1] > 0.0)
    rise = np.where(passes, y[:, 1] - y[:, 0], 1.0)
    return bool((passes & (x[:, 0] - y[:, 0] * (x[:, 1] - x[:, 0]) / rise > 0.0)).sum() % 2)
