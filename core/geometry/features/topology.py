# SPDX-License-Identifier: GPL-3.0-or-later
"""The connectivity of the polygons of a mesh."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...spatial.arrays import angle_of, dot, norm

Accept = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""A function of faces, and of the edges over which they are reached. It returns which of the faces belong to a growing
set.
"""

NONE = -1
"""Number that stands for no polygon."""


class Topology:
    """A polygon mesh in which vertices in the same place are one, as formats that split vertices need.

    Args:
        vertices: shape (n, 3).
        corners: the vertex at each corner of each polygon, counter-clockwise seen from outside, one after another.
        starts: the first corner of each polygon.

    Attributes:
        points: the vertices, shape (n, 3).
        corners: as given, with the first of the vertices in the same place instead of each of them.
        starts: as given.
        counts: number of corners of each polygon.
        ends: the vertex that follows each corner's.
        corner_face: the polygon of each corner.
        corner_edge: the edge that each corner begins.
        other: the polygon on the other side of that edge; `NONE` at a border, or if more than two polygons share the
            edge.
        turns: the angle between the normals of the polygons at each edge [rad], pi at a border, shape (edges,).
        grain: largest rounding error of the points in single precision.
        normals, areas, centres: of each polygon. The normal of a polygon without area is 0.
    """

    def __init__(self, vertices: np.ndarray, corners: np.ndarray, starts: np.ndarray):
        self.points = np.asarray(vertices, dtype=np.float64).reshape(-1, 3)
        self.grain = float(np.finfo(np.float32).eps * np.abs(self.points).max(initial=0.0))
        self.starts = np.asarray(starts, dtype=np.int64)
        self.counts = np.diff(np.append(self.starts, len(corners)))
        self.corners = _welded(self.points)[np.asarray(corners, dtype=np.int64)]
        self.corner_face = np.repeat(np.arange(len(self.starts)), self.counts)
        following = np.arange(1, len(self.corners) + 1)
        if len(self.starts):
            following[self.starts + self.counts - 1] = self.starts
        self.ends = self.corners[following]
        self._measure()
        self._join()

    def __len__(self) -> int:
        return len(self.starts)

    def _measure(self) -> None:
        """Compute areas, normals and centres of the polygons.

        Normals are Newell's. Centres are those of area of the triangles that fan out of each first corner.
        """
        first = self.points[self.corners[self.starts]] if len(self) else np.zeros((0, 3))
        near, far = (self.points[at] - first[self.corner_face] for at in (self.corners, self.ends))
        doubled = np.cross(near, far)
        total = self._over_faces(doubled)
        size = norm(total)
        extent = np.sqrt(self._over_faces((near**2).sum(axis=1)))
        solid = size > 1e-12 * np.maximum(extent**2, 1e-300)
        self.areas = np.where(solid, 0.5 * size, 0.0)
        self.normals = np.where(solid[:, None], total / np.where(solid, size, 1.0)[:, None], 0.0)
        weights = dot(doubled, self.normals[self.corner_face])
        sums = self._over_faces(weights[:, None] * (near + far)) / 3.0
        even = self._over_faces(near) / np.maximum(self.counts, 1)[:, None]
        self.centres = first + np.where(solid[:, None], sums / np.where(solid, size, 1.0)[:, None], even)

    def _join(self) -> None:
        low, high = np.minimum(self.corners, self.ends), np.maximum(self.corners, self.ends)
        keys = low * (len(self.points) + 1) + high
        _, self.corner_edge, uses = np.unique(keys, return_inverse=True, return_counts=True)
        order = np.argsort(self.corner_edge, kind="stable")
        pairs = order[uses[self.corner_edge[order]] == 2]
        one, two = pairs[0::2], pairs[1::2]
        self.other = np.full(len(self.corners), NONE, dtype=np.int64)
        self.other[one], self.other[two] = self.corner_face[two], self.corner_face[one]
        self.turns = np.full(len(uses), np.pi)
        a, b = self.normals[self.corner_face[one]], self.normals[self.corner_face[two]]
        self.turns[self.corner_edge[one]] = angle_of(norm(np.cross(a, b)), dot(a, b))

    def _over_faces(self, values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values, self.starts, axis=0) if len(self) else values[:0]

    def corners_of(self, faces: np.ndarray) -> np.ndarray:
        """Return the corners of the polygons, one polygon after another."""
        counts = self.counts[faces]
        before = np.cumsum(counts) - counts
        return np.arange(counts.sum()) - np.repeat(before - self.starts[faces], counts)

    def vertices_of(self, faces: np.ndarray) -> np.ndarray:
        """Return the vertices of the polygons, each once, in the order of the polygons."""
        found, first = np.unique(self.corners[self.corners_of(faces)], return_index=True)
        return found[np.argsort(first)]

    def border_of(self, faces: np.ndarray) -> np.ndarray:
        """Return the corners whose edges have exactly one side among the polygons."""
        corners = self.corners_of(faces)
        _, inverse, uses = np.unique(self.corner_edge[corners], return_inverse=True, return_counts=True)
        return corners[uses[inverse] == 1]

    def lengths(self, corners: np.ndarray) -> np.ndarray:
        """Return the lengths of the edges that begin at the corners."""
        return norm(self.points[self.ends[corners]] - self.points[self.corners[corners]])

    def grow(self, seed: int, accept: Accept, limit: int) -> np.ndarray:
        """Return the polygons that are connected to the seed by polygons which `accept` admits, the nearest first.

        The search stops once it has more than `limit` polygons.
        """
        seen = np.zeros(len(self), dtype=bool)
        seen[seed] = True
        last = np.empty(len(self), dtype=np.int64)
        layers, total = [np.array([seed])], 1
        while len(layers[-1]) and total <= limit:
            corners = self.corners_of(layers[-1])
            reached = self.other[corners]
            fresh = (reached != NONE) & ~seen[reached]
            corners, reached = corners[fresh], reached[fresh]
            if len(reached):
                reached = reached[accept(reached, self.corner_edge[corners])]
                last[reached] = np.arange(len(reached))
                reached = reached[last[reached] == np.arange(len(reached))]  # each polygon once; faster than sorting
                seen[reached] = True
            layers.append(reached)
            total += len(reached)
        return np.concatenate(layers)

    def connected(self, seed: int, faces: np.ndarray) -> np.ndarray:
        """Return those of the polygons that are connected to the seed, or none if the seed is not among them."""
        among = np.zeros(len(self), dtype=bool)
        among[faces] = True
        return self.grow(seed, lambda reached, _: among[reached], len(faces)) if among[seed] else faces[:0]


def _welded(points: np.ndarray) -> np.ndarray:
    """Return for each point the number of the first one in the same place."""
    if not len(points):
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort(points.T)
    ordered = points[order]
    new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    first = np.minimum.reduceat(order, np.flatnonzero(new))
    result = np.empty(len(points), dtype=np.int64)
    result[order] = first[np.cumsum(new) - 1]
    return result
