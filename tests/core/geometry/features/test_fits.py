# SPDX-License-Identifier: GPL-3.0-or-later
"""Least-squares fits against known geometry, with errors from an independent covariance."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limberjack.core.geometry.features.fits import (
    fit_circle,
    fit_cone,
    fit_cylinder,
    fit_line,
    fit_plane,
    fit_sphere,
)


def placed(points, seed):
    """The points turned and shifted at random; and the turn and the shift."""
    rng = np.random.default_rng(seed)
    turn, shift = Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3) * 5.0
    return points @ turn.T + shift, turn, shift


def ring(count, radius=1.0, height=0.0, span=math.tau):
    angles = np.arange(count) * span / count
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(count, height)])


def tube(count, rings=2, radius=1.0, length=2.0, span=math.tau):
    return np.vstack([ring(count, radius, z, span) for z in np.linspace(-length / 2, length / 2, rings)])


def cylinder_distance(points, unknowns):
    """Of points from a cylinder near the z axis: two places, two slopes, a radius; written apart from the fit."""
    x, y, slope_x, slope_y, radius = unknowns
    axis = np.array((slope_x, slope_y, 1.0)) / math.hypot(slope_x, slope_y, 1.0)
    return np.linalg.norm(np.cross(points - (x, y, 0.0), axis), axis=1) - radius


def true_covariance(distance, points, truth, sigma):
    """sigma^2 (J^T J)^-1 by differences at the true geometry."""
    truth, step = np.asarray(truth, dtype=float), 1e-6
    slopes = [
        (distance(points, truth + step * unit) - distance(points, truth - step * unit)) / (2.0 * step)
        for unit in np.eye(len(truth))
    ]
    J = np.array(slopes).T
    return sigma**2 * np.linalg.inv(J.T @ J)


def cylinder_error(fit, turn, shift, radius):
    """The fit's five unknowns less the true ones, in the cylinder's own axes."""
    axis = turn.T @ fit.direction
    axis /= axis[2]
    origin = turn.T @ (fit.origin - shift)
    at_middle = origin - origin[2] * axis
    return np.array((at_middle[0], at_middle[1], axis[0], axis[1], fit.radius - radius))


@pytest.mark.parametrize("count", [8, 9, 12, 16, 32, 64, 128])
def test_exact_cylinders_and_circles(count):
    """Points without noise give the very geometry, whole or in part, however far off and turned."""
    for seed in range(5):
        for span in (math.tau, math.pi, math.pi / 2.0):
            points, turn, shift = placed(tube(count, radius=0.3, span=span), seed)
            tilted = turn[:, 2] + (0.2 if span == math.tau else 0.02) * turn[:, 0]
            fit = fit_cylinder(points, tilted)
            assert np.abs(cylinder_error(fit, turn, shift, 0.3)).max() < 1e-9
            assert fit.rms < 1e-12
            points, turn, shift = placed(ring(count, radius=0.3, span=span), seed)
            circle = fit_circle(points)
            assert circle.origin == pytest.approx(shift, abs=1e-10)
            assert abs(circle.direction @ turn[:, 2]) == pytest.approx(1.0, abs=1e-12)
            assert circle.radius == pytest.approx(0.3, abs=1e-10)


@pytest.mark.parametrize(("count", "span"), [(8, math.tau), (32, math.tau), (128, math.tau), (32, math.pi)])
@pytest.mark.parametrize("sigma", [0.001, 0.01])
def test_noise_on_cylinders_is_met_as_well_as_can_be(count, span, sigma):
    """Over many draws, errors have the covariance of least squares, and the fit's error of direction says the same."""
    plain = tube(count, span=span)
    covariance = true_covariance(cylinder_distance, plain, (0, 0, 0, 0, 1), sigma)
    points, turn, shift = placed(plain, 3)
    rng, draws = np.random.default_rng(7), 200
    fits = [fit_cylinder(points + rng.normal(size=points.shape) * sigma, turn[:, 2]) for _ in range(draws)]
    errors = np.array([cylinder_error(fit, turn, shift, 1.0) for fit in fits])
    square = np.einsum("ni,ij,nj->n", errors, np.linalg.inv(covariance), errors).mean() / 5.0
    assert square == pytest.approx(1.0, abs=4.0 * math.sqrt(2.0 / (5 * draws)) + 10.0 * sigma)
    said = math.sqrt(np.mean([fit.direction_error**2 for fit in fits]))
    assert said == pytest.approx(math.sqrt(np.linalg.eigvalsh(covariance[2:4, 2:4])[-1]), rel=0.1)


@pytest.mark.parametrize("span", [math.tau, math.pi])
def test_noise_on_circles_is_met_as_well_as_can_be(span):
    """The same for circles, whose plane and whose centre in it are found one after the other."""
    plain, sigma, draws = ring(24, span=span), 0.005, 400

    def in_plane(points, unknowns):
        return np.hypot(points[:, 0] - unknowns[0], points[:, 1] - unknowns[1]) - unknowns[2]

    def above(points, unknowns):
        return points[:, 2] - unknowns[0] - points[:, :2] @ unknowns[1:]

    flat = true_covariance(in_plane, plain, (0, 0, 1), sigma)
    lifted = true_covariance(above, plain, (0, 0, 0), sigma)
    points, turn, shift = placed(plain, 5)
    rng = np.random.default_rng(11)
    fits = [fit_circle(points + rng.normal(size=points.shape) * sigma) for _ in range(draws)]
    errors = []
    for fit in fits:
        centre, normal = turn.T @ (fit.origin - shift), turn.T @ fit.direction
        slopes = -normal[:2] / normal[2]
        height = centre[2] - slopes @ centre[:2]
        errors.append((*centre[:2], fit.radius - 1.0, height, *slopes))
    errors = np.array(errors)
    for part, covariance in ((errors[:, :3], flat), (errors[:, 3:], lifted)):
        square = np.einsum("ni,ij,nj->n", part, np.linalg.inv(covariance), part).mean() / 3.0
        assert square == pytest.approx(1.0, abs=4.0 * math.sqrt(2.0 / (3 * draws)) + 0.05)
    said = np.mean([fit.direction_error for fit in fits])
    assert said == pytest.approx(math.sqrt(np.linalg.eigvalsh(lifted[1:, 1:])[-1]), rel=0.1)


def side(count, angle, *radii):
    """Rings on a cone about z that widens upward, 1 wide at 0."""
    return np.vstack([ring(count, radius, (radius - 1.0) / math.tan(angle)) for radius in radii])


def cone_distance(points, unknowns):
    """Of points from a cone near the z axis: two places, two slopes, the radius at 0 and the angle."""
    *line, radius, angle = unknowns
    axis = np.array((line[2], line[3], 1.0)) / math.hypot(line[2], line[3], 1.0)
    arms = points - (line[0], line[1], 0.0)
    reach = np.linalg.norm(np.cross(arms, axis), axis=1)
    return (reach - radius) * math.cos(angle) - (arms @ axis) * math.sin(angle)


@pytest.mark.parametrize("degrees", [3.0, 30.0, 60.0, 80.0])
def test_exact_cones(degrees):
    """Rings, and one ring with a tip, give the very cone from an axis that is some degrees off."""
    angle = math.radians(degrees)
    for seed in range(5):
        for tips in (0, 1):
            plain = np.vstack([side(11, angle, 1.6), side(1, angle, 0.0)]) if tips else side(11, angle, 1.6, 0.5)
            points, turn, shift = placed(plain, seed)
            off = np.random.default_rng(seed).normal(size=3) * min(0.04, 0.2 * angle)
            found = fit_cone(points, turn[:, 2] + off, tips)
            assert found.angle == pytest.approx(angle, abs=1e-7)
            assert found.direction == pytest.approx(turn[:, 2], abs=1e-7)
            height = turn[:, 2] @ (found.origin - shift)
            assert found.origin == pytest.approx(shift + height * turn[:, 2], abs=1e-7)
            assert found.radius == pytest.approx(1.0 + math.tan(angle) * height, rel=1e-7)


def test_noise_on_cones_is_met_as_well_as_can_be():
    """Angles and axes scatter as least squares at the true geometry must: mean squares are 1 within 5 standard errors,
    and the fit says so of its direction."""
    angle, sigma = 0.4, 1e-3
    plain = side(24, angle, 0.6, 0.9, 1.1, 1.4)
    covariance = true_covariance(cone_distance, plain, (0, 0, 0, 0, 1, angle), sigma)
    errors, told = [], []
    for seed in range(200):
        noise = np.random.default_rng(seed).normal(size=plain.shape) * sigma
        points, turn, _ = placed(plain + noise, seed)
        found = fit_cone(points, turn[:, 2])
        axis = turn.T @ found.direction
        errors.append((axis[0] / axis[2], axis[1] / axis[2], found.angle - angle))
        told.append(found.direction_error)
    squares = (np.array(errors) ** 2 / np.diag(covariance)[[2, 3, 5]]).mean(axis=0)
    assert squares == pytest.approx(np.ones(3), abs=5.0 * math.sqrt(2.0 / 200))
    assert np.mean(told) == pytest.approx(math.sqrt(covariance[2, 2]), rel=0.2)


def test_spheres():
    """Points of a sphere, of half and of a small part of one, give it; with noise, its centre within its own error."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        plain = rng.normal(size=(60, 3))
        plain[:, 2] = np.abs(plain[:, 2]) + seed % 3
        plain /= np.linalg.norm(plain, axis=1)[:, None]
        points, _, shift = placed(0.3 * plain, seed)
        found = fit_sphere(points)
        assert (*found.origin, found.radius) == pytest.approx((*shift, 0.3), abs=1e-9)
        noisy = fit_sphere(points + rng.normal(size=points.shape) * 1e-4)
        assert np.linalg.norm(noisy.origin - shift) < 5.0 * noisy.direction_error * 0.3
        assert noisy.rms == pytest.approx(1e-4, rel=0.4)


def test_planes_and_lines():
    """Directions and places of planes and lines, and the standard error of the directions over many draws."""
    rng, sigma = np.random.default_rng(2), 0.01
    flat = np.column_stack([rng.uniform(-2, 2, 60), rng.uniform(-1, 1, 60), np.zeros(60)])
    thin = np.column_stack([np.zeros((30, 2)), np.linspace(-2, 2, 30)])
    for plain, solve, column in ((flat, fit_plane, 2), (thin, fit_line, 2)):
        points, turn, _ = placed(plain, 9)
        assert abs(solve(points).direction @ turn[:, column]) == pytest.approx(1.0, abs=1e-12)
        fits = [solve(points + rng.normal(size=points.shape) * sigma) for _ in range(300)]
        tilts = np.array([turn.T @ fit.direction for fit in fits])
        tilts = tilts[:, :2] / tilts[:, 2:]
        spread = math.sqrt(np.linalg.eigvalsh(np.cov(tilts.T))[-1])
        assert np.mean([fit.direction_error for fit in fits]) == pytest.approx(spread, rel=0.12)
        middle = np.mean([fit.origin for fit in fits], axis=0)
        assert middle == pytest.approx(points.mean(axis=0), abs=0.3 * sigma)


def test_what_determines_nothing_is_refused():
    """Too few points, points in a line and nonsense raise, and give no shape."""
    line = np.outer(np.arange(9.0), (1.0, 2.0, 3.0))
    for solve in (fit_plane, fit_circle):
        with pytest.raises(ValueError, match="line"):
            solve(line)
        with pytest.raises(ValueError, match="at least 3 points"):
            solve(line[:2])
    with pytest.raises(ValueError, match="one place"):
        fit_line(np.ones((4, 3)))
    with pytest.raises(ValueError, match="determine"):
        fit_cylinder(ring(8), np.array((0.0, 0.0, 1.0)))  # one ring lies on cylinders of many directions
    with pytest.raises(ValueError, match="finite"):
        fit_plane(np.full((4, 3), np.nan))
