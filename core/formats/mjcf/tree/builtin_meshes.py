# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that MuJoCo makes: the attributes `builtin` and `params` of a mesh asset.

Vertices have single precision as in MuJoCo, so that masses are the same. All shapes have a size of about 1 m before the
asset's scale.

Source: MuJoCo documentation, XML Reference, "asset/mesh/builtin".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ....spatial import raised
from ....spatial.arrays import cosines_sines, det, norm

MAX_VERTICES = 1_000_000
"""Largest number of vertices of a mesh that is made. Public files have up to 1,400."""

MAX_HEMISPHERE, MAX_SPHERE = 10, 4
"""Largest resolution of a hemisphere, and largest number of subdivisions of a sphere, that MuJoCo allows."""

NO_TRIANGLES = np.zeros((0, 3), np.int64)
"""Triangles of a mesh that is the convex hull of its vertices."""

MadeMesh = tuple[np.ndarray, np.ndarray]
"""Vertices, shape (n, 3) [m], and triangles, shape (t, 3)."""


@dataclass(frozen=True)
class BuiltinMesh:
    """A kind of mesh that MuJoCo makes.

    Attributes:
        params: names of its parameters.
        make: function from the parameters to the mesh. Raises ValueError if MuJoCo does not allow them.
        is_shell: whether the mass is in the surface, whatever the attribute `inertia` says.
    """

    params: tuple[str, ...]
    make: Callable[..., MadeMesh]
    is_shell: bool = False


def make_builtin(kind: BuiltinMesh, params: Sequence[float]) -> MadeMesh:
    """Return the vertices of a mesh in single precision, and its triangles; none for the hull of the vertices.

    Raises:
        ValueError: if the parameters are not allowed.
    """
    if len(params) != len(kind.params) or not all(map(math.isfinite, params)):
        raise ValueError(f"its params are {len(params)} numbers; give {len(kind.params)}: {', '.join(kind.params)}")
    vertices, triangles = kind.make(*params)
    return vertices.astype(np.float32), triangles.astype(np.int64)


def _require(is_allowed: bool, rule: str) -> None:
    if not is_allowed:
        raise ValueError(rule)


def _require_size(count: int) -> None:
    _require(count <= MAX_VERTICES, f"it has {count:,} vertices; at most {MAX_VERTICES:,} are made: reduce its params")


def _sphere(subdivisions: float) -> MadeMesh:
    """Return an icosahedron whose triangles are divided into four, several times."""
    _require(0 <= int(subdivisions) <= MAX_SPHERE, f"a sphere is subdivided 0 to {MAX_SPHERE} times")
    golden = np.float32((1.0 + math.sqrt(5.0)) / 2.0)
    one, zero = np.float32(1.0), np.float32(0.0)
    pairs = [(-one, golden), (one, golden), (-one, -golden), (one, -golden)]
    corners = [(x, y, zero) for x, y in pairs] + [(zero, x, y) for x, y in pairs] + [(y, zero, x) for x, y in pairs]
    length = math.sqrt(1.0 + float(golden * golden))
    vertices = (np.array(corners, np.float64) / length).astype(np.float32)
    triangles = _nearest_triples(vertices.astype(np.float64))
    for _ in range(int(subdivisions)):
        vertices, triangles = _subdivided(vertices, triangles)
    return vertices, triangles


def _nearest_triples(corners: np.ndarray) -> np.ndarray:
    """Return the triangles of an icosahedron, shape (20, 3): three corners at the least distance from each other."""
    apart = norm(corners[:, None] - corners)
    side = 1.001 * apart[apart > 0.0].min()  # with room for rounding; the next distance is 1.6 times as long
    found = []
    for a, b, c in combinations(range(len(corners)), 3):
        if max(apart[a, b], apart[b, c], apart[c, a]) <= side:
            is_outward = float(det(corners[[a, b, c]])) > 0.0
            found.append((a, b, c) if is_outward else (a, c, b))
    return np.array(found)


def _subdivided(vertices: np.ndarray, triangles: np.ndarray) -> MadeMesh:
    """Return a mesh with a new vertex on the unit sphere in the middle of each edge, in single precision."""
    edges = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    keys = np.sort(edges, axis=1)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # new vertices are numbered as their edges are met
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order))
    ends = vertices[keys[first[order]]]
    middles = (ends[:, 0] + ends[:, 1]) / np.float32(2.0)
    middles /= norm(middles)[:, None]
    a, b, c = triangles.T
    ab, bc, ca = (len(vertices) + numbers[which.ravel()]).reshape(-1, 3).T
    inner = np.stack([a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca], axis=1)
    return np.vstack([vertices, middles]), inner.reshape(-1, 3)


def _hemisphere(resolution: float) -> MadeMesh:
    """Return the upper half of an octahedron with divided sides, on the unit sphere, and a disk under it."""
    most = int(resolution)
    _require(0 <= most <= MAX_HEMISPHERE, f"the resolution of a hemisphere is 0 to {MAX_HEMISPHERE}")
    equator = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])
    rings, triangles, start = [np.array([(0.0, 0.0, 1.0)])], [], 1
    for row in range(1, most + 2):
        height = row / (most + 1)
        ends = height * equator
        steps = (np.roll(ends, -1, axis=0) - ends) / row
        flat = (ends[:, None] + np.arange(row)[:, None] * steps[:, None]).reshape(-1, 2)
        points = np.column_stack([flat, np.full(len(flat), 1.0 - height)])
        rings.append(points / norm(points)[:, None])
        before = start - 4 * (row - 1) if row > 1 else 0
        for side in range(4):
            for i in range(row):
                outer = [start + (i + k + row * side) % (4 * row) for k in range(2)]
                inner = [before + (i + k + (row - 1) * side) % (4 * (row - 1)) if row > 1 else 0 for k in range(2)]
                triangles.append((inner[0], outer[0], outer[1]))
                if i < row - 1:
                    triangles.append((inner[0], outer[1], inner[1]))
        start += 4 * row
    count = 4 * (most + 1)
    first = start - count
    triangles += [(first + i, start, first + (i + 1) % count) for i in range(count)]
    return np.vstack([*rings, np.zeros((1, 3))]), np.array(triangles)


def _super(cosines: np.ndarray, exponent: float) -> np.ndarray:
    """Return cosines or sines whose absolute values are raised to a power, with their signs."""
    powers = [raised(size, exponent) if size else float(exponent == 0.0) for size in np.abs(cosines).ravel().tolist()]
    return np.copysign(np.reshape(powers, cosines.shape), cosines)


def _supersphere(resolution: float, e: float, n: float) -> MadeMesh:
    """Return a superellipsoid of circles of latitude: exponent `n` along the meridians, `e` along the circles."""
    count = int(resolution)
    _require(count >= 3, "the resolution of a supersphere is 3 or more")
    _require(e >= 0.0 and n >= 0.0, "the exponents of a supersphere are 0 or more")
    _require_size((count - 1) * count + 2)
    up = _circle(-math.pi / 2.0 + np.arange(1, count) * math.pi / count, n)
    around = _circle(-math.pi + np.arange(count) * 2.0 * math.pi / count, e)
    points = _points(up[0][:, None] * around[0], up[0][:, None] * around[1], up[1][:, None])
    vertices = np.vstack([[(0.0, 0.0, -1.0)], points, [(0.0, 0.0, 1.0)]])
    j = np.arange(count)
    after = (j + 1) % count
    last = 1 + (count - 2) * count
    south = np.stack([np.zeros(count, np.int64), 1 + after, 1 + j], axis=1)
    north = np.stack([last + j, last + after, np.full(count, len(vertices) - 1)], axis=1)
    rows = 1 + count * np.arange(count - 2)[:, None]
    return vertices, np.vstack([south, _quads(rows + j, rows + after, rows + count + after, rows + count + j), north])


def _circle(angles: np.ndarray, exponent: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the x and y of a superellipse at angles [rad]."""
    cosines, sines = cosines_sines(angles)
    return _super(cosines, exponent), _super(sines, exponent)


def _points(x: np.ndarray | float, y: np.ndarray | float, z: np.ndarray | float) -> np.ndarray:
    """Return points of a grid, row by row, from coordinates that are broadcast, shape (n, 3)."""
    return np.stack(np.broadcast_arrays(x, y, z), axis=-1).reshape(-1, 3)


def _quads(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return two triangles, a b d and b c d, for each quadrilateral, shape (t, 3)."""
    return np.stack([a, b, d, b, c, d], axis=-1).reshape(-1, 3)


def _supertorus(resolution: float, radius: float, s: float, t: float) -> MadeMesh:
    """Return a torus of superellipses: exponent `s` of the tube's section, `t` of the ring."""
    count = int(resolution)
    _require(count >= 3, "the resolution of a supertorus is 3 or more")
    _require(0.0 < radius <= 1.0, "the radius of a supertorus is above 0, at most 1")
    _require(s > 0.0 and t > 0.0, "the exponents of a supertorus are above 0")
    _require_size(count * count)
    angles = 2.0 * math.pi * np.arange(count) / count
    ring, section = _circle(angles, t), _circle(angles, s)
    out = 1.0 + radius * section[0]
    points = _points(out * ring[0][:, None], out * ring[1][:, None], radius * section[1])
    j = np.arange(count)
    rows, following = count * j[:, None], count * ((j[:, None] + 1) % count)
    after = (j + 1) % count
    return points, _quads(rows + j, following + j, following + after, rows + after)


def _wedge(columns: float, rows: float, width: float, height: float, gamma: float) -> MadeMesh:
    """Return points on the part of the unit sphere that a field of view covers [degrees].

    They are the middles of cells, which are smaller in the middle of the view if `gamma` is above 0.
    """
    counts = int(columns), int(rows)
    _require(min(counts) > 0, "the resolutions of a wedge are 1 or more")
    _require(0.0 < width <= 180.0 and 0.0 < height <= 90.0, "the angles of a wedge are above 0, at most 180 and 90")
    _require(0.0 <= gamma <= 1.0, "gamma of a wedge is 0 to 1")
    _require_size(counts[0] * counts[1])
    across, up = (
        cosines_sines(_middles(count, gamma, angle)) for count, angle in zip(counts, (width, height), strict=True)
    )
    points = _points(up[0] * across[1][:, None], up[1], -up[0] * across[0][:, None])
    return points, NO_TRIANGLES


def _middles(count: int, gamma: float, angle: float) -> np.ndarray:
    """Return the middles of cells from -angle to angle [degrees], as angles in rad."""
    edges = -1.0 + (2.0 / count) * np.arange(count + 1)
    edges = (gamma * edges**5 + (1.0 - gamma) * edges) * (angle * math.pi / 180.0)
    return 0.5 * (edges[1:] + edges[:-1])


def _plate(columns: float, rows: float) -> MadeMesh:
    """Return a rectangle of cells below the origin, from -1 to 1 without half a cell at its edges."""
    counts = int(columns), int(rows)
    _require(min(counts) > 0, "the resolutions of a plate are 1 or more")
    _require_size(counts[0] * counts[1])
    x, y = (-1.0 + (np.arange(count) + 0.5) * (2.0 / count) for count in counts)
    points = _points(x[:, None], y, -1.0)
    a = counts[1] * np.arange(counts[0] - 1)[:, None] + np.arange(counts[1] - 1)
    b, c, d = a + counts[1], a + counts[1] + 1, a + 1
    return points, np.stack([a, b, d, c, d, b], axis=-1).reshape(-1, 3)


def _cone(edges: float, radius: float) -> MadeMesh:
    """Return a polygon of radius 1 at z = -1, and one of another radius, or a point, at z = 1."""
    count = int(edges)
    _require(count >= 3, "a cone has 3 edges or more")
    _require(0.0 <= radius <= 1.0, "the upper radius of a cone is 0 to 1")
    _require_size(2 * count)
    cosines, sines = cosines_sines(2.0 * np.arange(count) * math.pi / count)
    bottom = np.column_stack([cosines, sines, np.full(count, -1.0)])
    top = np.column_stack([radius * cosines, radius * sines, np.ones(count)])
    return np.vstack([bottom, top if radius > 0.0 else [(0.0, 0.0, 1.0)]]), NO_TRIANGLES


BUILTIN_MESHES: dict[str, BuiltinMesh] = {
    "sphere": BuiltinMesh(("subdivisions",), _sphere),
    "hemisphere": BuiltinMesh(("resolution",), _hemisphere),
    "cone": BuiltinMesh(("edges", "radius"), _cone),
    "supersphere": BuiltinMesh(("resolution", "e", "n"), _supersphere),
    "supertorus": BuiltinMesh(("resolution", "radius", "s", "t"), _supertorus),
    "wedge": BuiltinMesh(("columns", "rows", "width", "height", "gamma"), _wedge),
    "plate": BuiltinMesh(("columns", "rows"), _plate, is_shell=True),
}
"""The kinds of meshes by the value of `builtin`. MuJoCo 4.0 has six more, which are meant for flexes."""
