# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles that run through each other are found, and no others, whatever way they lie."""

from fractions import Fraction

import numpy as np
import pytest

from limberjack.core.geometry.triangle_intersections import triangles_intersect


def side(a, b, c, d):
    """The sign of the volume of a tetrahedron, exactly."""
    u, v, w = ([Fraction(x) - Fraction(y) for x, y in zip(point, a, strict=True)] for point in (b, c, d))
    volume = sum(u[i] * (v[(i + 1) % 3] * w[(i + 2) % 3] - v[(i + 2) % 3] * w[(i + 1) % 3]) for i in range(3))
    return (volume > 0) - (volume < 0)


def pierces(p, q, triangle):
    """Whether a segment passes through the inside of a triangle, exactly."""
    a, b, c = triangle
    if side(a, b, c, p) * side(a, b, c, q) >= 0:
        return False
    turns = {side(p, q, *edge) for edge in ((a, b), (b, c), (c, a))}
    return turns in ({1}, {-1})


def cross_exactly(one, other):
    """Two triangles cross where an edge of either passes through the inside of the other, unless edges meet."""
    return any(pierces(s[i - 1], s[i], t) for s, t in ((one, other), (other, one)) for i in range(3))


def test_against_exact_arithmetic():
    """Random triangles, near each other and apart: as exact fractions decide, so it is found."""
    random = np.random.default_rng(7)
    one, other = (random.normal(size=(1500, 3, 3)).astype(np.float32).astype(float) for _ in range(2))
    expected = [cross_exactly(s.tolist(), t.tolist()) for s, t in zip(one, other, strict=True)]
    assert 200 < sum(expected) < 1300
    assert triangles_intersect(one, other, 1e-12).tolist() == expected
    assert triangles_intersect(other, one, 1e-12).tolist() == expected


FLAT = [(0, 0, 0), (2, 0, 0), (0, 2, 0)]


@pytest.mark.parametrize(
    "other",
    [
        [(0.2, 0.2, 0), (1, 0.2, 0), (0.2, 0.2, 1)],  # stands on it with an edge
        [(0.2, 0.2, 0), (1, 0.2, 1), (0.2, 1, 1)],  # stands on it with a corner
        [(0.1, 0.1, 0), (1, 0.1, 0), (0.1, 1, 0)],  # lies in it
        [(1, -1, -1), (1, -1, 1), (1, 0, 0)],  # touches its edge with a corner
        [(5, 0.2, -1), (5, 0.2, 1), (6, 0.2, 0)],  # through its plane, elsewhere
        [(0.2, 0.2, -1e-7), (1, 0.2, -1e-7), (0.2, 0.2, 1)],  # sunk in by less than the slack
    ],
)
def test_touching_is_not_crossing(other):
    """What touches, lies beside or is sunk in by next to nothing is not told."""
    pair = np.array([FLAT], dtype=float), np.array([other], dtype=float)
    assert not triangles_intersect(*pair, 1e-5)[0]
    assert not triangles_intersect(*pair[::-1], 1e-5)[0]
