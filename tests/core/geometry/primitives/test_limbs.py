# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules that are fitted to the surface of limbs: known surfaces give their own measures."""

import numpy as np
import pytest

from limberjack.core.geometry.primitives.limbs import limb_capsule
from support.processor import recording

COUNT = 4000


def sphere(rng, radius, count=COUNT):
    found = rng.normal(size=(count, 3))
    return radius * found / np.linalg.norm(found, axis=1)[:, None]


def tube(rng, radius, low, high, count=COUNT):
    angle, y = rng.uniform(0.0, 2.0 * np.pi, count), rng.uniform(low, high, count)
    return np.column_stack([radius * np.cos(angle), y, radius * np.sin(angle)])


def closed(rng):
    """A capsule of radius 0.5 from -2.5 to 2.5."""
    ends = sphere(rng, 0.5)
    ends[:, 1] += np.where(ends[:, 1] > 0.0, 2.0, -2.0)
    return np.vstack([ends, tube(rng, 0.5, -2.0, 2.0, 2 * COUNT)])


SURFACES = {
    "capsule": (closed, (0.5, -2.5, 2.5)),
    "ball": (lambda rng: sphere(rng, 1.0), (1.0, -1.0, 1.0)),
    "tube": (lambda rng: tube(rng, 0.5, 0.0, 4.0), (0.5, -0.5, 4.5)),
}


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", SURFACES)
def test_measures_of_known_surfaces(name, scale):
    """Guards radius, ends and place of the fit at any size, and its error, of a capsule, a ball and an open tube, whose
    round ends lie beyond it."""
    make, (radius, start, end) = SURFACES[name]
    shift = np.array([0.2, 0.7, -0.1])
    found = limb_capsule(
        scale * (make(np.random.default_rng(1)) + shift), np.ones(COUNT if name != "capsule" else 12000)
    )
    values = np.array([found.radius, found.start, found.end, *found.across, found.error]) / scale
    np.testing.assert_allclose(values, [radius, start + 0.7, end + 0.7, 0.2, -0.1, 0.0], atol=5e-3)


def test_density_of_points_does_not_matter():
    """Guards meshes with many vertices on one side, by the areas that points stand for: the axis does not move."""
    rng = np.random.default_rng(2)
    points = tube(rng, 0.5, 0.0, 3.0) * (1.0, 1.0, 0.6)
    dense = np.vstack([points, np.repeat(points[points[:, 0] > 0.3], 20, axis=0)])
    areas = np.ones(len(dense))
    areas[(dense[:, 0] > 0.3)] = 1.0 / 21.0
    assert limb_capsule(dense, areas).across == pytest.approx(limb_capsule(points, np.ones(COUNT)).across, abs=1e-6)


def test_boxes_and_patches():
    """Guards limbs of few faces, whose radius is half of their width, and patches, which would have infinite radii."""
    corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (0.0, 4.0) for z in (-1.0, 1.0)])
    assert limb_capsule(corners, np.zeros(8)).radius == pytest.approx(1.0)
    rng = np.random.default_rng(3)
    patch = np.column_stack([rng.uniform(-1.0, 1.0, 500), rng.uniform(0.0, 1.0, 500), np.zeros(500)])
    found = limb_capsule(patch, np.ones(500))
    assert 0.1 < found.radius <= 1.0
    assert abs(found.across[0]) < 0.1


def test_a_line_has_no_capsule():
    """Guards points without any extent across the bone, which have no radius."""
    assert limb_capsule(np.array([(0.1, y, 0.2) for y in range(5)], dtype=float), np.ones(5)) is None


def test_no_function_depends_on_the_processor():
    """Guards the same capsule on all processors, since motions depend on it."""
    points = closed(np.random.default_rng(4))
    with recording() as calls:
        limb_capsule(points, np.ones(len(points)))
    assert not [call for call in calls if "/core/" in call]
