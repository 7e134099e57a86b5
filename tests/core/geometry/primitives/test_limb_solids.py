# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes and hulls of limbs: known surfaces give their own measures, also with points of stray weights among them."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from limberjack.core.geometry.primitives.limb_solids import HULL_DIRECTIONS, limb_box, limb_hull

SIZE = np.array((0.08, 0.3, 0.03))
"""Size of a hand: across, along and through it [m]."""

CENTER = np.array((0.02, 0.14, -0.01))

STRAYS = np.array([(1.0, 0.2, 0.1), (-0.9, 0.6, 0.0), (0.0, -1.1, 0.3)])
"""Points far from the hand."""


def box_surface(rng, size=SIZE, count=3000):
    """Points spread evenly over the surface of a box about the origin."""
    areas = np.array((size[1] * size[2], size[2] * size[0], size[0] * size[1]))
    axis = rng.choice(3, count, p=areas / areas.sum())
    points = rng.uniform(-0.5, 0.5, (count, 3)) * size
    points[np.arange(count), axis] = 0.5 * size[axis] * rng.choice((-1.0, 1.0), count)
    return points


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("roll", [-40.0, 0.0, 25.0])
def test_a_box_is_its_own_box(rng, scale, roll):
    """Guards size, middle and the turn about the limb, at any size; the sides may be exchanged beyond 45 degrees."""
    turn = Rotation.from_euler("y", roll, degrees=True).as_matrix()
    points = scale * ((box_surface(rng) + CENTER) @ turn.T)
    found = limb_box(points, np.ones(len(points)))
    np.testing.assert_allclose(found.size / scale, SIZE, rtol=0.01)
    np.testing.assert_allclose(found.center / scale, turn @ CENTER, atol=1e-3)
    np.testing.assert_allclose(found.axes, turn, atol=0.02)


def test_given_axes_are_kept(rng):
    """Guards feet, whose boxes stand upright whatever their cross-section: the box around a turned one is larger."""
    turn = Rotation.from_euler("y", 30.0, degrees=True).as_matrix()
    points = box_surface(rng) @ turn.T
    found = limb_box(points, np.ones(len(points)), np.eye(3))
    np.testing.assert_array_equal(found.axes, np.eye(3))
    np.testing.assert_allclose(found.size, np.abs(turn) @ SIZE, rtol=0.01)


def test_points_of_stray_weights_do_not_count(rng):
    """Guards automatic weights: a few points far away change neither the box nor the hull."""
    points = box_surface(rng) + CENTER
    every = np.vstack([points, STRAYS])
    weights = np.ones(len(every))
    np.testing.assert_allclose(limb_box(every, weights).size, SIZE, rtol=0.01)
    assert ConvexHull(limb_hull(every, weights).vertices).volume < np.prod(SIZE)


def test_what_is_far_but_large_belongs_to_the_limb(rng):
    """Guards limbs of two pieces, such as a hand with a shield: a piece with much of the surface is no stray."""
    shield = box_surface(rng, count=400) + np.array((0.0, 2.0, 0.0))
    points = np.vstack([box_surface(rng, count=600), shield])
    assert limb_box(points, np.ones(1000)).size[1] == pytest.approx(2.3, rel=0.01)


def test_density_of_points_does_not_matter(rng):
    """Guards fine meshes at one end, by the areas that points stand for: the coarse end is not left out."""
    points = box_surface(rng)
    dense = np.vstack([points, np.repeat(points[points[:, 1] > 0.12], 60, axis=0)])
    areas = np.where(dense[:, 1] > 0.12, 1.0 / 61.0, 1.0)
    np.testing.assert_allclose(limb_box(dense, areas).size, SIZE, rtol=0.01)


def test_a_hull_of_few_corners_lies_close(rng):
    """Guards hulls of round limbs: corners are points of the limb, at most one for each direction, and no point is
    outside by more than 6 percent of half its length."""
    points = rng.normal(size=(4000, 3))
    points *= np.array((0.1, 0.2, 0.1)) / np.linalg.norm(points, axis=1)[:, None]
    hull = limb_hull(points, np.ones(len(points)))
    assert 20 < len(hull.vertices) <= HULL_DIRECTIONS
    outside = (points @ hull.planes[:, :3].T - hull.planes[:, 3]).max(axis=1)
    assert outside.max() < 0.06 * 0.2
    assert all((points == vertex).all(axis=1).any() for vertex in hull.vertices)


def test_flat_and_straight_limbs(rng):
    """Guards planes and lines: a plane has a thin box and no hull, points on a line have neither."""
    flat = box_surface(rng) * (1.0, 1.0, 0.0)
    weights = np.ones(len(flat))
    assert limb_box(flat, weights).size[2] == pytest.approx(3e-4)
    assert limb_hull(flat, weights) is None
    line = flat * (0.0, 1.0, 0.0)
    assert limb_box(line, weights) is None
    assert limb_hull(line, weights) is None
    assert limb_box(box_surface(rng), np.zeros(3000)).size == pytest.approx(SIZE, rel=0.01)
