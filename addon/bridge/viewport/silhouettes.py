# SPDX-License-Identifier: GPL-3.0-or-later
"""Find edges on the outline of an object when the mouse is just beside it, so that its ray misses the object."""

from __future__ import annotations

import math

import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

from ....core.geometry.features.features import Feature
from .picking import Hit, Surfaces, hit_under

RAY_COUNT = 16
"""Number of rays in a circle about the mouse."""

REACH_FACTORS = (1.0, 3.0)
"""Multiples of the reach that are tried in turn. On a face that is seen from its side, points that are near in the view
are farther apart on the face.
"""


def edge_beside(
    context, surfaces: Surfaces, region, rv3d, coord: tuple[float, float], pixels: float, behind: Hit | None
) -> tuple[Hit, float, Feature] | None:
    """Return the rim or straight edge nearest to the mouse, on an object that the ray through the mouse misses.

    Args:
        pixels: largest distance from the mouse in the view.
        behind: what the ray hits; an edge on another object in front of it takes precedence.

    Returns:
        The intersection of a ray beside the mouse with the object, the largest distance from it at which the same edge
        is found again [Blender units], and the edge; None if there is none.
    """
    found: list[tuple[float, Hit, float, Feature]] = []
    for hit in _hits_around(context, region, rv3d, coord, pixels):
        if behind is not None and (hit.obj == behind.obj or hit.distance > behind.distance):
            continue
        reach = reach_at(region, rv3d, coord, hit.point, pixels)
        for slant in REACH_FACTORS:
            feature = surfaces.feature_under(context, hit, slant * reach)
            if feature is not None and feature.kind in ("rim", "edge"):
                distance = _pixels_from(region, rv3d, coord, feature.outline)
                if distance <= pixels:
                    found.append((distance, hit, slant * reach, feature))
                break
    return min(found, key=lambda each: each[0])[1:] if found else None


def reach_at(region, rv3d, coord: tuple[float, float], point: np.ndarray, pixels: float) -> float:
    """Return the length of a number of pixels at the depth of a point [Blender units]."""
    here, there = (
        view3d_utils.region_2d_to_location_3d(region, rv3d, at, Vector(point.tolist()))
        for at in (coord, (coord[0] + pixels, coord[1]))
    )
    return (there - here).length


def _hits_around(context, region, rv3d, coord: tuple[float, float], pixels: float) -> list[Hit]:
    angles = (math.tau * i / RAY_COUNT for i in range(RAY_COUNT))
    around = [(coord[0] + pixels * math.cos(angle), coord[1] + pixels * math.sin(angle)) for angle in angles]
    return [hit for at in around if (hit := hit_under(context, region, rv3d, at)) is not None]


def _pixels_from(region, rv3d, coord: tuple[float, float], outline: np.ndarray) -> float:
    """Return the distance between the mouse and a line in the view [pixels]. Parts behind the eye do not count."""
    seen = [view3d_utils.location_3d_to_region_2d(region, rv3d, Vector(point.tolist())) for point in outline]
    points = np.array([(math.inf, math.inf) if point is None else point[:] for point in seen]) - np.array(coord)
    ends = np.stack([points[:-1], points[1:]], axis=1)
    ends = ends[np.isfinite(ends).all(axis=(1, 2))]
    ways = ends[:, 1] - ends[:, 0]
    part = -(ends[:, 0] * ways).sum(axis=1) / np.maximum((ways**2).sum(axis=1), 1e-300)
    nearest = ends[:, 0] + np.clip(part, 0.0, 1.0)[:, None] * ways
    return float(np.linalg.norm(nearest, axis=1).min(initial=math.inf))
