# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass properties of meshes against closed forms."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from limberjack.core.geometry.mass import mass_properties


def box_triangles(size, center=(0.0, 0.0, 0.0)):
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size + center
    hull = ConvexHull(corners)
    triangles = corners[hull.simplices]
    outward = np.einsum(
        "ni,ni->n",
        np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]),
        triangles[:, 0] - np.asarray(center),
    )
    triangles[outward < 0] = triangles[outward < 0][:, ::-1]
    return triangles


@pytest.mark.parametrize("center", [(0.0, 0.0, 0.0), (3.0, -2.0, 5.0), (1e4, 0.0, 0.0)])
def test_a_box(center):
    """Guards volume, centre and inertia, near the origin and far from it."""
    a, b, c = 2.0, 0.5, 1.2
    found = mass_properties(box_triangles((a, b, c), center))
    assert found.volume == pytest.approx(a * b * c, rel=1e-9)
    assert found.com == pytest.approx(center, rel=1e-12, abs=1e-12)
    expected = a * b * c / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    assert found.inertia == pytest.approx(expected, rel=1e-8, abs=1e-9)


def test_a_tetrahedron():
    """Guards the off-diagonal terms: the unit corner tetrahedron has I_xy = -V/20 about the origin."""
    p = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    found = mass_properties(p[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]])
    volume = 1 / 6
    assert found.volume == pytest.approx(volume)
    assert found.com == pytest.approx([0.25] * 3)
    about_origin = found.inertia + volume * (0.1875 * np.eye(3) - np.full((3, 3), 0.0625))
    assert about_origin[0, 1] == pytest.approx(-volume / 20)
    assert about_origin[0, 0] == pytest.approx(volume / 5)


def test_a_mesh_that_encloses_nothing_is_refused():
    """Guards open and inside-out meshes: no mass is made up for them."""
    triangles = box_triangles((1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="no volume"):
        mass_properties(triangles[:, ::-1])
    with pytest.raises(ValueError, match="no volume"):
        mass_properties(triangles[:1])
