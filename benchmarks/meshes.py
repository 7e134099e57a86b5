# SPDX-License-Identifier: GPL-3.0-or-later
"""Times meshes of triangles: how long a tree over them takes to make, its memory, and what a question costs.

Beside Blender's own BVHTree and, where it has one, trimesh's, on the same mesh: points near a wavy surface, each asked
for its distance. See README.md.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import replace

import numpy as np

from limberjack.core.collision.broad_phase import SOLID_POSE, write_solid_poses
from limberjack.core.collision.manifold import CONTACT
from limberjack.core.collision.meshes import triangle_mesh
from limberjack.core.collision.packing import ball, box, meshed, pack
from limberjack.core.collision.pairs import SEPARATION, make_pair_work, write_contact_points, write_signed_distances
from limberjack.core.spatial import IDENTITY

POINTS = 2000
TINY = 1e-9  # radius of a ball that stands for a point [m]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=708, help="vertices along a side; 708 make a million triangles")
    vertices, triangles = waves(parser.parse_args().side)
    points = np.random.default_rng(0).uniform([-5.0, -5.0, -0.3], [5.0, 5.0, 0.3], (POINTS, 3))
    begun = time.perf_counter()
    mesh = triangle_mesh(vertices, triangles)
    seconds = time.perf_counter() - begun
    size = sum(getattr(mesh, name).nbytes for name in ("vertices", "neighbours", "faces", "normals", "beyond", "lower"))
    print(f"{len(mesh.faces)} triangles: made in {seconds:.2f} s, {size / 1e6:.0f} MB")
    told, mine = distances(mesh, points)
    print(f"distance of a point: {mine:.1f} us")
    print(f"contacts of a box of 0.2 m: {contacts(mesh, points):.1f} us")
    try:
        import bpy  # noqa: F401 - which has mathutils
        from mathutils.bvhtree import BVHTree
    except ImportError:
        print("no bpy: nothing to compare with")
        return
    begun = time.perf_counter()
    tree = BVHTree.FromPolygons(vertices.tolist(), triangles.tolist(), all_triangles=True)
    print(f"Blender's BVHTree: made in {time.perf_counter() - begun:.2f} s")
    begun = time.perf_counter()
    theirs = [tree.find_nearest(point)[3] for point in points.tolist()]
    cost = 1e6 * (time.perf_counter() - begun) / POINTS
    print(f"distance of a point: {cost:.1f} us, ours over it {mine / cost:.2f}; they differ by "
          f"{np.abs(np.array(theirs) - told).max():.1e} m (it computes in single precision)")  # fmt: skip


def waves(side: int) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles) of a wavy square of 12 m."""
    x, y = np.meshgrid(np.linspace(-6.0, 6.0, side), np.linspace(-6.0, 6.0, side), indexing="ij")
    vertices = np.column_stack([x.ravel(), y.ravel(), 0.1 * (np.sin(x) * np.cos(y)).ravel()])
    i = np.arange(side * side).reshape(side, side)
    a, b, c, d = (part.ravel() for part in (i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]))
    return vertices, np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def distances(mesh, points: np.ndarray) -> tuple[np.ndarray, float]:
    """(distance of each point [m], microseconds for one), by one call for all."""
    solids = [replace(meshed(mesh), body=0)]
    solids += [replace(ball(TINY), body=0, pose=(*point, *IDENTITY[3:])) for point in points.tolist()]
    records, store = pack(solids)
    placed = np.zeros(len(records), SOLID_POSE).view(np.recarray)
    poses = np.array([[1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]])
    write_solid_poses(records, store, poses, placed)
    pairs = np.column_stack([np.zeros(len(points), np.int64), 1 + np.arange(len(points))])
    found, room = np.zeros(len(points), SEPARATION).view(np.recarray), make_pair_work()
    write_signed_distances(records, store, placed, pairs[:2], math.inf, room, found)  # compiled from here on
    begun = time.perf_counter()
    write_signed_distances(records, store, placed, pairs, math.inf, room, found)
    return found.gap + TINY, 1e6 * (time.perf_counter() - begun) / len(points)


def contacts(mesh, points: np.ndarray) -> float:
    """Microseconds for the contact points of a box, where a point is."""
    solids = [replace(meshed(mesh), body=0)]
    solids += [replace(box((0.2, 0.2, 0.2)), body=0, pose=(*point, *IDENTITY[3:])) for point in points[:200].tolist()]
    records, store = pack(solids)
    placed = np.zeros(len(records), SOLID_POSE).view(np.recarray)
    write_solid_poses(records, store, np.array([[1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]]), placed)
    pairs = np.column_stack([np.zeros(200, np.int64), 1 + np.arange(200)])
    found, room = np.zeros(200_000, CONTACT).view(np.recarray), make_pair_work()
    write_contact_points(records, store, placed, pairs, 2, 0.01, room, found)
    begun = time.perf_counter()
    write_contact_points(records, store, placed, pairs, 200, 0.01, room, found)
    return 1e6 * (time.perf_counter() - begun) / 200


if __name__ == "__main__":
    main()
