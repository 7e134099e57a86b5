# SPDX-License-Identifier: GPL-3.0-or-later
"""The geometric feature of a mesh to which a joint can be fitted where the user points.

Features are holes, shafts, cones, spheres, rims, straight edges and flat faces, or else the bare place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...spatial import cos_sin
from ...spatial.arrays import cosines_sines, least_squares, matmul, norm, outer, svd
from .cones import Cone, cone_at
from .fits import Fit, fit_circle, fit_line, fit_plane, perpendiculars
from .loops import edges_between_corners, is_regular_circle, loop_through, without_straight_points
from .spheres import Sphere, sphere_at
from .tolerances import BORDERS_SEEN, CREASE, EXAMINED, LARGEST_RMS, UNLIKE
from .topology import NONE, Topology
from .walls import Wall, facet_areas, facet_at, wall_at

Kind = Literal["hole", "shaft", "cone", "sphere", "rim", "edge", "face", "place"]

PLANAR = 1e-3
"""Largest unevenness of a flat facet, as a fraction of its extent. A facet that bends more belongs to a round surface.
"""
ROUGH = 0.025
"""Largest unevenness of a noisy flat face, as a fraction of its extent."""
MANY = 100_000
"""Largest number of polygons of a noisy flat face. A rough surface of more polygons is a landscape."""
ROUGH_STEPS = (
    (cos_sin(math.radians(35.0))[0], EXAMINED),
    (cos_sin(math.radians(25.0))[0], EXAMINED),
    (cos_sin(math.radians(25.0))[0], MANY),
)
"""Steps in which the normal of a noisy flat face is found: cosine of the largest angle between it and a polygon's
normal, and largest number of polygons. The angles are less than 45 degrees, the angle of a chamfer.
"""
SMOOTH = math.radians(20.0)
"""Angle [rad] between two polygons below which the surface bends at their edge and has no crease."""
FINER = 4.0
"""Least ratio of the area of a flat face to that of a facet that bends away from it. The facets of a fillet in eight
steps have this ratio.
"""
BOWL = 0.7
"""Least fraction of the squared heights above a plane that a quadratic surface explains if the surface is curved:
a bowl, a saddle or a trough.
"""
ALONG = 0.95
"""Least cosine between a wall's axis and a straight edge of it. Other straight edges are the ends of its facets."""
CIRCLE = 64
"""Number of segments of a circle as drawn."""


@dataclass(frozen=True, eq=False)
class Feature:
    """A feature of a mesh to which a joint can be fitted. Lengths are in the mesh's unit.

    Attributes:
        kind: the kind of feature.
        origin: the middle of the axis of a hole, shaft or cone; the centre of a sphere or rim; the middle of an edge;
            the centre of area of a face; or the place itself; shape (3,).
        direction: unit vector along the axis or edge, or normal to the rim, face or place, shape (3,). It points
            outward for a face or place, else upward (see `upward`). It is 0 for a sphere.
        radius: of a hole, shaft, sphere or rim, or of a cone where it is widest; else 0.
        outline: points of a line that shows the feature, shape (m, 3).
        rms: root mean square distance of the mesh's points from the fitted geometry.
    """

    kind: Kind
    origin: np.ndarray
    direction: np.ndarray
    radius: float
    outline: np.ndarray
    rms: float


@dataclass(frozen=True, eq=False)
class _Region:
    """Polygons that form one feature.

    Attributes:
        feature: the feature.
        border: the corners whose edges surround the polygons.
        axis: unit vector along a wall or cone, shape (3,); None for other features.
    """

    feature: Feature
    border: np.ndarray
    axis: np.ndarray | None = None


class Surface(Topology):
    """A polygon mesh in which features are found. Its points are in the user's coordinates, with all scales applied.

    Arguments and attributes are those of `Topology`.
    """

    def __init__(self, vertices: np.ndarray, corners: np.ndarray, starts: np.ndarray):
        super().__init__(vertices, corners, starts)
        self._regions: dict[int, _Region | None] = {}

    def feature_at(self, face: int, point: np.ndarray, reach: float) -> Feature | None:
        """Return the feature that the user points at, or None if nothing can be fitted there.

        Args:
            face: number of the polygon.
            point: the place on it, shape (3,).
            reach: largest distance of the place from an edge at which the edge is meant.

        Raises:
            IndexError: if there is no such polygon.
        """
        if not 0 <= face < len(self):
            raise IndexError(f"polygon {face} of {len(self)}")
        region = self._region(face)
        border = region.border if region else self.corners_of(np.array([face]))
        corner = self._nearest(border, np.asarray(point, dtype=np.float64), reach)
        if corner is not None and (found := self._at_edge(corner, region)):
            return found
        return region.feature if region else None

    def place_at(self, face: int, point: np.ndarray, size: float) -> Feature | None:
        """Return the place itself with the polygon's normal, or None if the polygon has no area.

        Args:
            face: number of the polygon.
            point: the place on it, shape (3,).
            size: radius of the circle that shows the place.
        """
        if not self.areas[face] > 0.0:
            return None
        point, normal = np.asarray(point, dtype=np.float64), self.normals[face]
        return Feature("place", point, normal, 0.0, _circle(point, normal, size), 0.0)

    def _region(self, face: int) -> _Region | None:
        if face not in self._regions:
            faces, region = self._region_of(face) or (np.array([face]), None)
            self._regions.update(dict.fromkeys(faces.tolist(), region))
        return self._regions[face]

    def _region_of(self, face: int) -> tuple[np.ndarray, _Region] | None:
        """Return the polygons of the feature that a polygon belongs to, and the feature, or None.

        The order of the tests matters. Spheres come first, since a band of a sphere can be taken for another feature.
        Rough faces come last, since noise can make another feature seem one.
        """
        if not self.areas[face] > 0.0:
            return None
        if (sphere := sphere_at(self, face)) is not None:
            return sphere.faces, _Region(_sphere_feature(sphere), self.border_of(sphere.faces))
        if (wall := wall_at(self, face)) is not None:
            return wall.faces, _Region(_wall_feature(wall), self.border_of(wall.faces), wall.fit.direction)
        if (even := self._even_face(face)) is not None:
            return self._flat_region(even)
        if (cone := cone_at(self, face)) is not None:
            return cone.faces, _Region(_cone_feature(cone), self.border_of(cone.faces), cone.fit.direction)
        rough = self._rough_face(face)
        return None if rough is None else self._flat_region(rough)

    def _flat_region(self, faces: np.ndarray) -> tuple[np.ndarray, _Region]:
        border = self.border_of(faces)
        return faces, _Region(self._face_feature(faces, border), border)

    def _even_face(self, face: int) -> np.ndarray | None:
        faces = facet_at(self, face, len(self))
        points = self.points[self.vertices_of(faces)]
        normal = self._normal(faces)
        heights = matmul(points - self.centres[face], normal)
        if np.ptp(heights) > PLANAR * float(np.ptp(points, axis=0).max()) and len(faces) > 1:
            return None
        return faces if self._stands_out(faces) else None

    def _stands_out(self, faces: np.ndarray) -> bool:
        """Return whether the surface turns away sharply, or to much finer facets, along most of the face's border.

        A facet of a curved surface bends smoothly into facets of about its own size.
        """
        border = self.border_of(faces)
        seen = border[np.unique(np.linspace(0, len(border) - 1, BORDERS_SEEN).astype(int))] if len(border) else border
        turns, lengths, own = self.turns[self.corner_edge[seen]], self.lengths(seen), float(self.areas[faces].sum())
        beyond = np.where(self.other[seen] == NONE, 0.0, facet_areas(self, self.other[seen]))
        unlike = np.where(turns < SMOOTH, own > FINER * beyond, (own > UNLIKE * beyond) | (beyond > UNLIKE * own))
        return bool(lengths[unlike | (turns > CREASE)].sum() > 0.5 * lengths.sum())

    def _rough_face(self, face: int) -> np.ndarray | None:
        """Return the polygons that deviate from one plane by noise only, or None.

        The surface must turn away around nearly all of their border.
        """
        faces, normal, middle, tolerance = np.array([face]), self.normals[face], self.centres[face], math.inf
        points = self.points[:0]
        for least, limit in ROUGH_STEPS:

            def is_near(found, _, normal=normal, middle=middle, tolerance=tolerance, least=least):
                return (matmul(self.normals[found], normal) > least) & (
                    np.abs(matmul(self.centres[found] - middle, normal)) < tolerance
                )

            faces = self.grow(face, is_near, limit)
            points = self.points[self.vertices_of(faces)]
            if len(points) < 4:
                return None
            try:
                plane = fit_plane(points)
            except ValueError:
                return None
            if _is_bowl(points, plane):
                return None
            normal = math.copysign(1.0, float(matmul(plane.direction, self._normal(faces)))) * plane.direction
            middle, tolerance = plane.origin, ROUGH * float(np.ptp(points, axis=0).max())
        corners = self.border_of(faces)
        turned = self.turns[self.corner_edge[corners]] > CREASE
        lengths = self.lengths(corners)
        is_flat = float(np.abs(matmul(points - middle, normal)).max()) < 2.0 * tolerance
        return faces if is_flat and lengths[turned].sum() > 0.9 * lengths.sum() else None

    def _normal(self, faces: np.ndarray) -> np.ndarray:
        """Return the unit normal of the sum of the polygons' area vectors."""
        total = matmul(self.areas[faces], self.normals[faces])
        return total / max(float(norm(total)), 1e-300)

    def _face_feature(self, faces: np.ndarray, border: np.ndarray) -> Feature:
        normal, areas = self._normal(faces), self.areas[faces]
        points = self.points[self.vertices_of(faces)]
        rms = 0.0
        if len(points) > 3:
            plane = fit_plane(points)
            normal, rms = math.copysign(1.0, float(matmul(plane.direction, normal))) * plane.direction, plane.rms
        loop = loop_through(self, border, border[np.argmax(self.lengths(border))]) if len(border) else []
        origin = matmul(areas, self.centres[faces]) / areas.sum()
        return Feature("face", origin, normal, 0.0, self._outline(loop), rms)

    def _outline(self, loop: list[int]) -> np.ndarray:
        return self.points[np.array([*loop, *loop[:1]], dtype=np.int64)]

    def _nearest(self, corners: np.ndarray, point: np.ndarray, reach: float) -> int | None:
        """Return the corner that begins the nearest edge, or None if no edge is within reach."""
        if not len(corners):
            return None
        starts, ends = self.points[self.corners[corners]], self.points[self.ends[corners]]
        along = ends - starts
        square = np.maximum((along**2).sum(axis=1), 1e-300)
        part = np.clip(((point - starts) * along).sum(axis=1) / square, 0.0, 1.0)
        far = norm(starts + part[:, None] * along - point)
        best = int(np.argmin(far))
        return int(corners[best]) if far[best] <= reach else None

    def _at_edge(self, corner: int, region: _Region | None) -> Feature | None:
        """Return the rim or straight edge that an edge belongs to, or None.

        The edge may be on the border of the region on either of its sides.
        """
        sides = [(region, corner)]
        if self.other[corner] != NONE:
            beyond = int(self.other[corner])
            own = self.corners_of(np.array([beyond]))
            sides.append((self._region(beyond), int(own[self.corner_edge[own] == self.corner_edge[corner]][0])))
        loops = [
            (side, at, loop_through(self, side.border, at)) for side, at in sides if side and np.any(side.border == at)
        ]
        if self.other[corner] == NONE and not loops:
            loops = [(None, corner, loop_through(self, np.flatnonzero(self.other == NONE), corner))]
        for _, _, loop in loops:
            if rim := self._rim(loop):
                return rim
        for side, at, loop in loops:
            if side and (edge := self._edge(loop, at, side.axis)):
                return edge
        return None

    def _rim(self, loop: list[int]) -> Feature | None:
        points = without_straight_points(self.points[np.array(loop, dtype=np.int64)])
        if len(points) < 6:
            return None
        try:
            fit = fit_circle(points)
        except ValueError:
            return None
        if fit.rms > LARGEST_RMS * fit.radius or not is_regular_circle(points, fit):
            return None
        direction = upward(fit.direction)
        return Feature("rim", fit.origin, direction, fit.radius, _circle(fit.origin, direction, fit.radius), fit.rms)

    def _edge(self, loop: list[int], corner: int, axis: np.ndarray | None) -> Feature | None:
        """Return the straight run of the loop through the corner's edge, or None if that is a facet of a curve."""
        run = edges_between_corners(self.points, loop, int(self.corners[corner]), CREASE, anyhow=axis is not None)
        if run is None:
            return None
        points = self.points[np.array(run)]
        fit = fit_line(points)
        if axis is not None and abs(matmul(fit.direction, axis)) < ALONG:
            return None
        ends = points[[0, -1]]
        return Feature("edge", ends.mean(axis=0), upward(fit.direction), 0.0, ends, fit.rms)


def upward(direction: np.ndarray) -> np.ndarray:
    """Return the direction or its opposite, whichever points along +z.

    Horizontal directions point along +y, and those along the x axis along +x.
    """
    for part in direction[::-1]:
        if abs(part) > 1e-4:
            return direction if part > 0.0 else -direction
    return direction


def _is_bowl(points: np.ndarray, plane: Fit) -> bool:
    """Return whether the heights of the points above the plane are those of a curved surface and not noise."""
    if len(points) < 20:
        return False
    arms = points - plane.origin
    heights = matmul(arms, plane.direction)
    flat = arms - outer(heights, plane.direction)
    x, y = matmul(svd(flat)[2][:2], flat.T) / max(float(np.abs(flat).max()), 1e-300)
    shapes = np.column_stack([np.ones(len(x)), x, y, x * x, x * y, y * y])
    best = matmul(shapes, least_squares(shapes, heights)[0])
    return float(matmul(best, best)) > BOWL * float(matmul(heights, heights)) > 0.0


def _wall_feature(wall: Wall) -> Feature:
    fit: Fit = wall.fit
    direction = upward(fit.direction)
    low, high = wall.ends
    rings = [_circle(fit.origin + end * fit.direction, direction, fit.radius) for end in (low, high)]
    middle = fit.origin + 0.5 * (low + high) * fit.direction
    return Feature("hole" if wall.is_hole else "shaft", middle, direction, fit.radius, np.vstack(rings), fit.rms)


def _cone_feature(cone: Cone) -> Feature:
    fit: Fit = cone.fit
    cosine, sine = cos_sin(fit.angle)
    slope, (low, high) = sine / cosine, cone.ends
    low = max(low, -fit.radius / slope)
    direction = upward(fit.direction)
    rings = [_circle(fit.origin + end * fit.direction, direction, fit.radius + end * slope) for end in (low, high)]
    middle = fit.origin + 0.5 * (low + high) * fit.direction
    return Feature("cone", middle, direction, fit.radius + high * slope, np.vstack(rings), fit.rms)


def _sphere_feature(sphere: Sphere) -> Feature:
    """Return the feature of a sphere. Its outline consists of three great circles in one line."""
    centre, radius = sphere.fit.origin, sphere.fit.radius
    angles = np.linspace(0.0, math.tau, CIRCLE + 1)
    (cosine, sine), zero = cosines_sines(angles), np.zeros(CIRCLE + 1)
    quarter = CIRCLE // 4 + 1
    level, front = np.column_stack([cosine, sine, zero]), np.column_stack([cosine, zero, sine])
    side = np.column_stack([zero, cosine, sine])
    line = np.vstack([level, front, level[:quarter], side])
    return Feature("sphere", centre, np.zeros(3), radius, centre + radius * line, sphere.fit.rms)


def _circle(centre: np.ndarray, direction: np.ndarray, radius: float) -> np.ndarray:
    """Return a circle as a closed line, shape (CIRCLE + 1, 3)."""
    angles = np.linspace(0.0, math.tau, CIRCLE + 1)
    return centre + matmul(radius * np.column_stack(cosines_sines(angles)), perpendiculars(direction))
