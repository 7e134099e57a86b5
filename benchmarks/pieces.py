# SPDX-License-Identifier: GPL-3.0-or-later
"""Divides concave meshes into convex pieces, and tells how near these come to them. See README.md."""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from limberjack.core.collision.broad_phase import SOLID_POSE, write_solid_poses
from limberjack.core.collision.hulls import Hull
from limberjack.core.collision.meshes import TriangleMesh, triangle_mesh
from limberjack.core.collision.packing import ball, meshed, pack
from limberjack.core.collision.pairs import SEPARATION, make_pair_work, write_signed_distances
from limberjack.core.geometry.pieces import DEFAULT, decompose
from limberjack.core.spatial import IDENTITY

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.concave import SHAPES

TINY = 1e-9  # radius of a ball that stands for a point [m]
CUTS = 4  # of each edge of a piece's triangles


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threshold", type=float, default=DEFAULT)
    threshold = parser.parse_args().threshold
    print("| mesh | triangles | pieces | volume | surface | seconds |")
    print("|---|---|---|---|---|---|")
    for name, (vertices, triangles) in SHAPES.items():
        begun = time.perf_counter()
        found = decompose(vertices, triangles, threshold)
        seconds = time.perf_counter() - begun
        more = f"{100 * found.volume_error:+.1f} %" if math.isfinite(found.volume_error) else ""
        off = surface_error(found.hulls, vertices, triangles)
        off = f"{100 * off / np.ptp(vertices, axis=0).max():.1f} %"
        print(f"| {name} | {len(triangles)} | {len(found.hulls)} | {more} | {off} | {seconds:.1f} |", flush=True)


def surface_error(hulls: tuple[Hull, ...], vertices: np.ndarray, triangles: np.ndarray) -> float:
    """How far a point of the pieces lies outside of the mesh, at most [m]."""
    points = np.concatenate([_points(hull) for hull in hulls])
    outside = np.concatenate([is_outside(vertices[triangles], some) for some in np.array_split(points, len(hulls))])
    return float(distances(triangle_mesh(vertices, triangles), points[outside]).max(initial=0.0))


def is_outside(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Whether a mesh, shape (t, 3, 3), does not wind around points, shape (n, 3).

    Source: Van Oosterom and Strackee, The solid angle of a plane triangle, IEEE Trans. Biomed. Eng. 30 (1983).
    """
    a, b, c = (corners[None, :, k] - points[:, None] for k in range(3))
    A, B, C = (np.linalg.norm(each, axis=2) for each in (a, b, c))
    above = np.einsum("pti,pti->pt", a, np.cross(b, c))
    below = A * B * C + C * (a * b).sum(axis=2) + A * (b * c).sum(axis=2) + B * (c * a).sum(axis=2)
    return np.abs(np.arctan2(above, below).sum(axis=1)) < math.pi


def distances(mesh: TriangleMesh, points: np.ndarray) -> np.ndarray:
    """Of points outside of a mesh, shape (n, 3), from it [m]."""
    solids, store = pack(
        [meshed(mesh), *(replace(ball(TINY), pose=(*point, *IDENTITY[3:])) for point in points.tolist())]
    )
    placed = np.zeros(len(solids), SOLID_POSE).view(np.recarray)
    write_solid_poses(solids, store, np.array([[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]), placed)
    numbers = np.arange(1, len(solids))
    found = np.zeros(len(numbers), SEPARATION).view(np.recarray)
    pairs = np.column_stack([np.zeros_like(numbers), numbers])
    write_signed_distances(solids, store, placed, pairs, math.inf, make_pair_work(), found)
    return found.gap + TINY


def _points(hull: Hull) -> np.ndarray:
    """A net of points on each face."""
    corners = [hull.vertices[[face[0], *face[k : k + 2]]] for face in hull.faces for k in range(1, len(face) - 1)]
    weights = np.array([(i, j, CUTS - i - j) for i in range(CUTS + 1) for j in range(CUTS + 1 - i)]) / CUTS
    return (weights @ np.array(corners)).reshape(-1, 3)


if __name__ == "__main__":
    main()
