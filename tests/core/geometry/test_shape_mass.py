# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass properties of shapes, against integrals over their slices."""

import numpy as np
import pytest
from scipy.integrate import quad

from limberjack.core.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Polyline, Sphere
from limberjack.core.geometry.shape_mass import solid_properties


def ellipses(a, b, low, high):
    """Mass properties of a stack of ellipses with half axes a(z), b(z): volume, com, diagonal moments about the com."""

    def integral(f):
        return quad(f, low, high, epsabs=1e-14, epsrel=1e-12, limit=400, points=[0.0])[0]

    volume = integral(lambda z: np.pi * a(z) * b(z))
    height = integral(lambda z: np.pi * a(z) * b(z) * z) / volume
    xx = integral(lambda z: np.pi * a(z) * b(z) * (b(z) ** 2 / 4 + (z - height) ** 2))
    yy = integral(lambda z: np.pi * a(z) * b(z) * (a(z) ** 2 / 4 + (z - height) ** 2))
    zz = integral(lambda z: np.pi * a(z) * b(z) * (a(z) ** 2 + b(z) ** 2) / 4)
    return volume, (0.0, 0.0, height), np.diag((xx, yy, zz))


def ball_slice(radius, z):
    return np.sqrt(max(radius**2 - z**2, 0.0))


def capsule_slice(radius, half, z):
    return ball_slice(radius, max(abs(z) - half, 0.0))


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (Sphere(0.7), ellipses(lambda z: ball_slice(0.7, z), lambda z: ball_slice(0.7, z), -0.7, 0.7)),
        (Cylinder(0.3, 1.1), ellipses(lambda z: 0.3, lambda z: 0.3, -0.55, 0.55)),
        (Cone(0.3, 1.2), ellipses(lambda z: 0.3 * (0.5 - z / 1.2), lambda z: 0.3 * (0.5 - z / 1.2), -0.6, 0.6)),
        (
            Capsule(0.3, 1.0),
            ellipses(lambda z: capsule_slice(0.3, 0.5, z), lambda z: capsule_slice(0.3, 0.5, z), -0.8, 0.8),
        ),
        (
            Ellipsoid((0.2, 0.5, 0.9)),
            ellipses(lambda z: 0.2 / 0.9 * ball_slice(0.9, z), lambda z: 0.5 / 0.9 * ball_slice(0.9, z), -0.9, 0.9),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_round_shapes(shape, expected):
    """Guards the closed forms by another way to integrate."""
    found = solid_properties(shape)
    assert found.volume == pytest.approx(expected[0], rel=1e-9)
    assert found.com == pytest.approx(expected[1], abs=1e-9)
    assert found.inertia == pytest.approx(expected[2], rel=1e-7, abs=1e-12)


SQUARE = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
HOLE = ((0.5, 0.5), (1.5, 0.5), (1.5, 1.5), (0.5, 1.5))
L_SHAPE = ((0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0))


@pytest.mark.parametrize("hole", [HOLE, HOLE[::-1]])
def test_an_outline_with_a_hole(hole):
    """Guards holes, whichever way round they are drawn: a box without a smaller one."""
    found = solid_properties(Polyline((SQUARE, hole), 0.5))
    whole, part = solid_properties(Box((2.0, 2.0, 0.5))), solid_properties(Box((1.0, 1.0, 0.5)))
    assert found.volume == pytest.approx(1.5)
    assert found.com == pytest.approx((1.0, 1.0, 0.25))
    assert found.inertia == pytest.approx(whole.inertia - part.inertia)


def test_an_outline_that_is_not_convex():
    """Guards the fans of triangles: an L is three squares."""
    found = solid_properties(Polyline((L_SHAPE,), 1.0))
    assert found.volume == pytest.approx(3.0)
    assert found.com == pytest.approx((5 / 6, 5 / 6, 0.5))


def test_a_mesh_is_scaled_and_may_be_mirrored():
    """Guards scale: a unit cube, stretched and mirrored, is the box of that size."""
    vertices = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    found = solid_properties(Mesh("", (2.0, -3.0, 0.5), vertices=vertices, faces=faces))
    box = solid_properties(Box((2.0, 3.0, 0.5)))
    assert found.volume == pytest.approx(box.volume)
    assert found.inertia == pytest.approx(box.inertia)


def test_what_has_no_inside():
    """Guards against made-up masses."""
    assert solid_properties(Plane()) is None
    with pytest.raises(ValueError, match="it was not found"):
        solid_properties(Mesh("model://m/a.stl"))
    assert solid_properties(None) is None
    for shape in (
        Cylinder(1e200, 1.0),
        Sphere(1e200),
        Box((1e200, 1e200, 1.0)),
        Polyline((((0, 0), (1e200, 0), (0, 1)),), 1),
    ):
        with pytest.raises(ValueError, match=r"too large|no volume"):
            solid_properties(shape)
    for flat in (Sphere(0.0), Box((1.0, 0.0, 1.0)), Polyline((((0.0, 0.0), (1.0, 0.0)),), 1.0), Polyline((), 1.0)):
        with pytest.raises(ValueError, match=r"no volume|no points"):
            solid_properties(flat)
