# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a path leaves a surface of triangles: through a hole, or over its edge."""

import numpy as np
import pytest

from limberjack.core.geometry.outlines import border_edges, last_crossing

DOWN = np.array([0.0, 0.0, -1.0])


def grid(is_there, count=8, height=lambda x, y: 0.0 * x):
    """Squares of two triangles each over [-1, 1]², those for whose middle `is_there` holds."""
    ticks = np.linspace(-1.0, 1.0, count + 1)
    x, y = (each.ravel() for each in np.meshgrid(ticks, ticks, indexing="ij"))
    faces = []
    for i in range(count):
        for j in range(count):
            if is_there(*(ticks[[i, j]] + 1.0 / count)):
                a, b = i * (count + 1) + j, (i + 1) * (count + 1) + j
                faces += [(a, b, b + 1), (a, b + 1, a + 1)]
    return np.column_stack([x, y, height(x, y)]), np.array(faces)


WHOLE = grid(lambda x, y: True)
HOLED = grid(lambda x, y: max(abs(x - 0.4), abs(y)) > 0.3)
BENT = grid(lambda x, y: x < 0.0 or y < 0.0)
"""An L: its inner corner is at the origin, and its missing quarter within its convex hull."""
BOWL = grid(lambda x, y: x * x + y * y > 0.1, height=lambda x, y: x * x + y * y)


def fall(x, y, start=0.0):
    """Along x at a height of 0.1, and down at (x, y), as what rolls along and falls."""
    ahead = [(part * x + (1.0 - part) * start, y, 0.1) for part in np.linspace(0.0, 1.0, 5)]
    return np.array([*ahead, (x, y, -0.1), (x, y, -5.0)])


def turned(points, seed):
    """In random axes, with the direction that is down in them."""
    random = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(random.normal(size=(3, 3)))
    axes *= np.sign(np.linalg.det(axes))
    return points @ axes.T, axes


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("surface", "x", "y", "is_within"),
    [
        (WHOLE, 1.2, 0.3, False),
        (HOLED, 0.4, 0.1, True),
        (HOLED, 1.01, 0.1, False),
        (HOLED, -1.3, 0.0, False),
        (BENT, 0.4, 0.4, False),
        (BENT, -1.1, 0.4, False),
        (BOWL, 0.1, 0.05, True),
    ],
    ids=["edge", "hole", "edge near a hole", "far edge", "inner corner", "outer edge of an L", "hole in a bowl"],
)
def test_hole_or_edge(surface, x, y, is_within, seed):
    """Guards the distinction, in surfaces that are turned anyhow: by the outline of the piece, not its convex hull."""
    path = fall(x, y) + np.array([0.0, 0.0, 1.0 if surface is BOWL else 0.0])
    points, axes = turned(np.vstack([path, surface[0]]), seed)
    found = last_crossing(points[: len(path)], points[len(path) :], surface[1], axes @ DOWN)
    assert found is not None
    assert found.is_within == is_within
    assert axes.T @ found.point == pytest.approx([x, y, axes.T[2] @ found.point], abs=1e-9)


def test_the_last_crossing_counts():
    """Guards a path into a bowl, out of it over its rim, and down outside."""
    vertices, faces = grid(lambda x, y: True, height=lambda x, y: x * x + y * y)
    path = np.array(
        [(0, 0, 3), (0, 0, 0.2), (0.5, 0, 0.5), (1.0, 0, 1.2), (1.3, 0, 1.2), (1.4, 0, 0.5), (1.5, 0, -3.0)]
    )
    found = last_crossing(path, vertices, faces, DOWN)
    assert found is not None
    assert not found.is_within
    assert 1.3 < found.point[0] < 1.4


def test_of_two_pieces_the_nearest_counts():
    """Guards treads of stairs: leaving the upper one over its edge is no hole, though a plate surrounds the place."""
    (upper, one), (lower, other) = grid(lambda x, y: True), HOLED
    vertices = np.vstack([0.2 * upper + np.array([-0.7, 0.0, 0.0]), lower - np.array([0.0, 0.0, 0.5])])
    faces = np.vstack([one, other + len(upper)])
    found = last_crossing(np.array([(-0.7, 0, 0.05), (-0.45, 0, 0.05), (-0.45, 0, -0.1)]), vertices, faces, DOWN)
    assert found is not None
    assert not found.is_within


@pytest.mark.parametrize(
    "path",
    [
        pytest.param([(0, 0, -0.1), (0, 0, -5)], id="from below"),
        pytest.param([(0, 0, 1), (0, 0, 0.1)], id="not down"),
    ],
)
def test_no_crossing(path):
    """Guards paths that never go below the border."""
    assert last_crossing(np.array(path, float), *WHOLE, DOWN) is None


def test_a_closed_surface_has_no_border():
    """Guards a tetrahedron: each of its edges has two faces."""
    faces = np.array([(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)])
    assert len(border_edges(faces)) == 0
    assert last_crossing(np.array([(0, 0, 1.0), (0, 0, -1.0)]), np.eye(4, 3), faces, DOWN) is None
