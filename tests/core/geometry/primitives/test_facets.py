# SPDX-License-Identifier: GPL-3.0-or-later
"""Curved solids and outlines as meshes: closed, of the right size, and the same by every Python."""

import math

import numpy as np
import pytest

from limberjack.core.geometry.primitives.facets import as_mesh
from limberjack.core.geometry.shapes import Polyline

KNUCKLES = [(x, 4.0) for k in (3, 2, 1, 0) for x in (k + 0.9, k + 0.1)]


def triangles_of(outline):
    mesh = as_mesh(Polyline((tuple(outline),), 1.0))
    vertices = np.asarray(mesh.vertices)
    return [vertices[list(face), :2] for face in mesh.faces if len(face) == 3 and vertices[face[0], 2] > 0.0]


def area(corners):
    (ax, ay), (bx, by), (cx, cy) = corners
    return 0.5 * ((bx - ax) * (cy - ay) - (cx - ax) * (by - ay))


@pytest.mark.parametrize("turn", np.linspace(0.0, 3.0, 13))
def test_corners_on_one_line_make_no_triangle(turn):
    """Whichever way their tiny area is rounded, which differs from one Python to another.

    Lids with such a triangle cross themselves: CoACD took a hand for torn on Python 3.13, and made 14 round pieces.
    """
    fingers = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0)]
    for (right, y), (left, _) in zip(KNUCKLES[::2], KNUCKLES[1::2], strict=True):
        fingers += [(right, y), (right, 7.0), (left, 7.0), (left, y)]
    fingers.append((0.0, 4.0))
    c, s = math.cos(turn), math.sin(turn)
    found = [area(corners) for corners in triangles_of([(c * x - s * y, s * x + c * y) for x, y in fingers])]
    assert min(found) > 1e-3
    assert sum(found) == pytest.approx(16.0 + 4 * 0.8 * 3.0)
