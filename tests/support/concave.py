# SPDX-License-Identifier: GPL-3.0-or-later
"""Concave meshes by formulas, as (vertices, triangles): what convex pieces are tried on."""

import math
from itertools import pairwise

import numpy as np

from .round_meshes import prism, torus, turned

Mesh = tuple[np.ndarray, np.ndarray]
CORNERS = ((0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6))
"""Of a box's faces; corner 4 x + 2 y + z, counter-clockwise seen from inside."""


def triangles(vertices, faces) -> Mesh:
    return np.asarray(vertices, float), np.array([(a, *pair) for a, *rest in faces for pair in pairwise(rest)])


def joined(*meshes: Mesh) -> Mesh:
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    return np.vstack([v for v, _ in meshes]), np.vstack([t + k for (_, t), k in zip(meshes, starts, strict=False)])


def box(low, high) -> Mesh:
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    return triangles(corners, [face[::-1] for face in CORNERS])


def revolved(profile, segments=32) -> Mesh:
    """A closed profile of radii and heights, counter-clockwise in their plane, turned about z: a ring."""
    vertices, faces = turned([*profile, profile[0]], segments)
    count = len(profile) * segments
    return triangles(vertices[:count], [tuple(corner % count for corner in face) for face in faces])


def cup() -> Mesh:
    """Closed at the bottom by disks of fans."""
    segments = 32
    profile = [(0.9, 0.1), (0.9, 1.5), (1.0, 1.5), (1.0, 0.0)]
    vertices, faces = turned(profile, segments)
    inner, outer = len(vertices), len(vertices) + 1
    vertices = np.vstack([vertices, [(0.0, 0.0, 0.1), (0.0, 0.0, 0.0)]])
    last = 3 * segments
    fans = [((i + 1) % segments, i, inner) for i in range(segments)]
    fans += [(last + i, last + (i + 1) % segments, outer) for i in range(segments)]
    v, t = triangles(vertices, [*faces, *fans])
    return v, t[:, ::-1]


def chair() -> Mesh:
    legs = [box((x, y, 0.0), (x + 0.05, y + 0.05, 0.45)) for x in (0.0, 0.4) for y in (0.0, 0.4)]
    return joined(*legs, box((0.0, 0.0, 0.45), (0.45, 0.45, 0.5)), box((0.0, 0.4, 0.5), (0.45, 0.45, 1.0)))


def hand() -> Mesh:
    """A palm with four fingers and a thumb, cut from a plate."""
    outline = [(0.0, 0.0), (4.0, 0.0), (4.0, 1.0), (5.5, 2.0), (5.0, 2.6), (4.0, 2.0), (4.0, 4.0)]
    for k in (3, 2, 1, 0):
        outline += [(k + 0.9, 4.0), (k + 0.9, 7.0), (k + 0.1, 7.0), (k + 0.1, 4.0)]
    return extruded([*outline, (0.0, 4.0)], 0.8)


def gear(teeth=12) -> Mesh:
    outline = []
    for k in range(teeth):
        for reach, part in ((1.0, 0.0), (1.0, 0.5), (1.25, 0.55), (1.25, 0.95)):
            turn = math.tau * (k + part) / teeth
            outline.append((reach * math.cos(turn), reach * math.sin(turn)))
    return star(outline, 0.3)


def extruded(outline, height) -> Mesh:
    """A prism whose flat faces are cut into triangles by ears."""
    from limberjack.core.geometry.primitives.facets import as_mesh
    from limberjack.core.geometry.shapes import Polyline

    mesh = as_mesh(Polyline((tuple(outline),), height))
    return triangles(mesh.vertices, mesh.faces)


def star(outline, height) -> Mesh:
    """A prism all of whose outline is seen from the origin."""
    count = len(outline)
    vertices, faces = prism(outline, height)
    vertices = np.vstack([vertices, [(0.0, 0.0, 0.0), (0.0, 0.0, height)]])
    around = [(i, (i + 1) % count) for i in range(count)]
    fans = [(j, i, 2 * count) for i, j in around] + [(count + i, count + j, 2 * count + 1) for i, j in around]
    return triangles(vertices, [*faces[:-2], *fans])


def inside_out(mesh: Mesh) -> Mesh:
    return mesh[0], mesh[1][:, ::-1]


def klein(around=24, across=8) -> Mesh:
    """A tube that is bent round and closed the wrong way: closed, with no inside."""
    u, v = np.meshgrid(np.arange(around) * math.tau / around, np.arange(across) * math.tau / across, indexing="ij")
    reach = 2.0 + np.cos(u / 2) * np.sin(v) - np.sin(u / 2) * np.sin(2 * v)
    height = np.sin(u / 2) * np.sin(v) + np.cos(u / 2) * np.sin(2 * v)
    vertices = np.stack([reach * np.cos(u), reach * np.sin(u), height], axis=-1).reshape(-1, 3)
    faces = []
    for i in range(around):
        for j in range(across):
            corners = []
            for k, l in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)):
                corners.append(k * across + l % across if k < around else -l % across)
            faces.append(tuple(corners))
    return triangles(vertices, faces)


def sheet(count=6) -> Mesh:
    x, y = np.meshgrid(np.linspace(0.0, 1.0, count), np.linspace(0.0, 1.0, count), indexing="ij")
    i = np.arange(count * count).reshape(count, count)
    a, b, c, d = (part.ravel() for part in (i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]))
    vertices = np.column_stack([x.ravel(), y.ravel(), 0.2 * x.ravel() ** 2])
    return vertices, np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


L = extruded([(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)], 1.0)
U = extruded([(0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (2.0, 3.0), (2.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)], 1.0)

SHAPES: dict[str, Mesh] = {
    "L": L,
    "U": U,
    "two boxes that cross": joined(box((-2, -0.5, -0.5), (2, 0.5, 0.5)), box((-0.5, -2, -0.5), (0.5, 2, 0.5))),
    "L, inside out": inside_out(L),
    "annulus": revolved([(0.8, 0.0), (1.0, 0.0), (1.0, 0.2), (0.8, 0.2)]),
    "torus": triangles(*torus(around=32)),
    "cup": cup(),
    "cup with a hole": revolved([(0.2, 0.0), (1.0, 0.0), (1.0, 1.5), (0.9, 1.5), (0.9, 0.1), (0.2, 0.1)]),
    "thin shell": revolved([(math.cos(a), math.sin(a)) for a in np.linspace(0.1, 1.4, 9)]
                           + [(0.97 * math.cos(a), 0.97 * math.sin(a)) for a in np.linspace(1.4, 0.1, 9)]),
    "chair": chair(),
    "hand": hand(),
    "gear": gear(),
    "Klein's bottle": klein(),
}  # fmt: skip
