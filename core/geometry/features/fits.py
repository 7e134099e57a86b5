# SPDX-License-Identifier: GPL-3.0-or-later
"""Least-squares fits of planes, lines, circles, cylinders, spheres and cones to points, with their standard errors.

The sum of squared distances is minimised. Standard errors are the roots of sigma^2 (J^T J)^-1, where J holds the
derivatives of the distances by the fit's parameters, and sigma^2 is the sum of squared residuals divided by the number
of distances less the number of parameters.

Sources: Forbes, Least-squares best-fit geometric elements, NPL report DITC 140/89 (1989), for planes, lines,
cylinders, spheres and cones; Gander, Golub and Strebel, Least-squares fitting of circles and ellipses, BIT 34 (1994),
for circles; Kåsa, A circle fitting procedure and its error analysis, IEEE Trans. Instrum. Meas. 25 (1976), for the
initial values of circles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...spatial import atan2, cos_sin
from ...spatial.arrays import eigh, inverse, least_squares, matmul, norm, svd

ROUNDS = 30
"""Largest number of Gauss-Newton iterations. Near the solution each iteration doubles the number of correct digits, so
a fit that has not converged by then has no minimum nearby.
"""
SETTLED = 1e-13
"""Largest step at which the iteration has converged, as a fraction of the points' extent. It is rounding."""
DEGENERATE = 1e-9
"""Ratio of the points' spread in a direction to their largest spread at or below which they have no extent in that
direction.
"""
MOST_OPEN = math.radians(88.0)
"""Largest angle [rad] between a cone's side and its axis. Beyond it the shape is a plane."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted shape and the quality of the fit. Lengths are in the points' unit.

    Attributes:
        origin: the points' mean (plane, line), the centre (circle, sphere), or the axis's point nearest to the mean
            (cylinder, cone); shape (3,).
        direction: unit vector, shape (3,): the normal, the line or the axis. Its sign is arbitrary, except that a cone
            becomes wider along it. It is 0 for a sphere.
        radius: radius of the shape, for a cone at its origin; 0 for planes and lines.
        rms: root mean square distance of the points.
        direction_error: largest standard error of the direction [rad]; for a sphere, that of its centre divided by the
            radius.
        angle: angle between the side of a cone and its axis [rad]; else 0.
    """

    origin: np.ndarray
    direction: np.ndarray
    radius: float
    rms: float
    direction_error: float
    angle: float = 0.0


def fit_plane(points: np.ndarray) -> Fit:
    """Return the least-squares plane.

    Args:
        points: shape (n, 3), n >= 3.

    Raises:
        ValueError: if there are too few points, or if they lie on a line.
    """
    points, origin, spread, axes = _principal(points, 3)
    if not spread[1] > DEGENERATE * spread[0]:
        raise ValueError("the points lie on a line, through which go many planes")
    count = len(points)
    sigma = _sigma(spread[2] ** 2, count, 3)
    return Fit(origin, axes[2], 0.0, float(spread[2]) / math.sqrt(count), sigma / float(spread[1]))


def fit_line(points: np.ndarray) -> Fit:
    """Return the least-squares line.

    Args:
        points: shape (n, 3), n >= 2.

    Raises:
        ValueError: if there are too few points, or if they all lie in one place.
    """
    points, origin, spread, axes = _principal(points, 2)
    if not spread[0] > 0.0:
        raise ValueError("the points lie in one place, through which go many lines")
    count, across = len(points), float(matmul(spread[1:], spread[1:]))
    sigma = _sigma(across, 2 * count, 4)  # each point has two distances from a line
    return Fit(origin, axes[0], 0.0, math.sqrt(across / count), sigma / float(spread[0]))


def fit_circle(points: np.ndarray) -> Fit:
    """Return the least-squares circle in the least-squares plane of the points.

    Args:
        points: shape (n, 3), n >= 3.

    Raises:
        ValueError: if there are too few points, or if they lie on a line or so close to one that no circle is best.
    """
    plane = fit_plane(points)
    points = np.asarray(points, dtype=np.float64)
    across = perpendiculars(plane.direction)
    flat = matmul(points - plane.origin, across.T)
    size = float(np.abs(flat).max())
    unknowns = _circle_start(flat / size)
    for _ in range(ROUNDS):
        distances, slopes = _from_circle(flat / size, unknowns)
        step = _solve(slopes, distances)
        unknowns = unknowns - step
        if float(np.abs(step).max()) < SETTLED * max(1.0, unknowns[2]):
            break
    else:
        raise ValueError("no circle is the best one: the points lie too nearly on a line")
    distances, _ = _from_circle(flat / size, unknowns)
    above = (matmul(points - plane.origin, plane.direction)) / size
    square = float(matmul(distances, distances) + matmul(above, above))
    sigma = _sigma(square, 2 * len(points), 6)
    return Fit(
        plane.origin + size * (matmul(unknowns[:2], across)),
        plane.direction,
        size * float(unknowns[2]),
        size * math.sqrt(square / len(points)),
        sigma / float(svd(flat / size)[1][1]),
    )


def fit_cylinder(points: np.ndarray, axis: np.ndarray) -> Fit:
    """Return the least-squares cylinder near one whose axis is known roughly.

    Args:
        points: shape (n, 3), n >= 5.
        axis: a direction of any length, shape (3,). It must be within about 10 degrees of the cylinder's own if the
            points lie all around it, and within a few degrees if they lie on an arc.

    Raises:
        ValueError: if there are too few points, or if they do not determine a cylinder.
    """
    scaled, middle, size = _centred(points, 5)
    direction = np.asarray(axis, dtype=np.float64) / norm(axis)
    across = perpendiculars(direction)
    x, y, radius = _circle_start(matmul(scaled, across.T))
    centre = matmul(np.array((x, y)), across)
    for _ in range(ROUNDS):
        across = perpendiculars(direction)
        distances, slopes = _from_cylinder(scaled, centre, direction, across, radius)
        step = _solve(slopes, distances)
        centre = centre - matmul(step[:2], across)
        turned = direction - matmul(step[2:4], across)
        direction = turned / norm(turned)
        centre = centre - (matmul(centre, direction)) * direction
        radius -= float(step[4])
        if float(np.abs(step).max()) < SETTLED * max(1.0, abs(radius)):
            break
    else:
        raise ValueError("no cylinder is the best one: the points do not determine its axis")
    distances, slopes = _from_cylinder(scaled, centre, direction, perpendiculars(direction), radius)
    square = float(matmul(distances, distances))
    covariance = _sigma(square, len(points), 5) ** 2 * inverse(matmul(slopes.T, slopes))
    return Fit(
        middle + size * centre,
        direction,
        size * float(abs(radius)),
        size * math.sqrt(square / len(points)),
        _largest(covariance[2:4, 2:4]),
    )


def fit_sphere(points: np.ndarray) -> Fit:
    """Return the least-squares sphere.

    Args:
        points: shape (n, 3), n >= 4.

    Raises:
        ValueError: if there are too few points, or if they lie in a plane or so close to one that no sphere is best.
    """
    points, middle, size = _centred(points, 4)
    columns = np.column_stack([2.0 * points, np.ones(len(points))])
    start = least_squares(columns, (points**2).sum(axis=1))[0]
    unknowns = np.append(start[:3], math.sqrt(max(float(start[3] + matmul(start[:3], start[:3])), 0.0)))

    def distances(unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        arms = points - unknowns[:3]
        reach = np.maximum(norm(arms), 1e-300)
        return reach - unknowns[3], np.column_stack([-arms / reach[:, None], -np.ones(len(points))])

    for _ in range(ROUNDS):
        misses, slopes = distances(unknowns)
        step = _solve(slopes, misses)
        unknowns = unknowns - step
        if float(np.abs(step).max()) < SETTLED * max(1.0, abs(unknowns[3])):
            break
    else:
        raise ValueError("no sphere is the best one: the points lie too nearly in a plane")
    misses, slopes = distances(unknowns)
    square, radius = float(matmul(misses, misses)), float(abs(unknowns[3]))
    covariance = _sigma(square, len(points), 4) ** 2 * inverse(matmul(slopes.T, slopes))
    return Fit(
        middle + size * unknowns[:3],
        np.zeros(3),
        size * radius,
        size * math.sqrt(square / len(points)),
        _largest(covariance[:3, :3]) / max(radius, 1e-300),
    )


def fit_cone(points: np.ndarray, axis: np.ndarray, tips: int = 0) -> Fit:
    """Return the least-squares cone near one whose axis is known roughly.

    Args:
        points: shape (n, 3), n >= 6.
        axis: a direction of any length, shape (3,), within about 10 degrees of the cone's own, and within less than the
            cone's angle.
        tips: number of points, at the end of `points`, that are the cone's tip and not on its side.

    Raises:
        ValueError: if there are too few points, or if they do not determine a cone.
    """
    points, middle, size = _centred(points, 6)
    direction = np.asarray(axis, dtype=np.float64) / norm(axis)
    centre, radius, angle = _cone_start(points, tips, direction)
    for _ in range(ROUNDS):
        across = perpendiculars(direction)
        distances, slopes = _from_cone(points, tips, centre, direction, across, radius, angle)
        step = _solve(slopes, distances)
        centre = centre - matmul(step[:2], across)
        turned = direction - matmul(step[2:4], across)
        direction = turned / norm(turned)
        radius, angle = radius - float(step[4]), angle - float(step[5])
        along = float(matmul(centre, direction))
        centre, radius = centre - along * direction, radius - along * _tangent(angle)
        if abs(angle) > MOST_OPEN:
            break
        if float(np.abs(step).max()) < SETTLED * max(1.0, abs(radius)):
            break
    else:
        raise ValueError("no cone is the best one: the points do not determine its axis")
    if abs(angle) > MOST_OPEN or not radius > 0.0:
        raise ValueError("the points lie on a plane rather than on a cone")
    distances, slopes = _from_cone(points, tips, centre, direction, perpendiculars(direction), radius, angle)
    square = float(matmul(distances, distances))
    covariance = _sigma(square, len(points), 6) ** 2 * inverse(matmul(slopes.T, slopes))
    return Fit(
        middle + size * centre,
        math.copysign(1.0, angle) * direction,
        size * radius,
        size * math.sqrt(square / len(points)),
        _largest(covariance[2:4, 2:4]),
        abs(angle),
    )


def _cone_start(points: np.ndarray, tips: int, direction: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return initial values: a point of the axis, shape (3,), the radius there and the angle [rad].

    They follow from the tip if it is known, else from the linear equations x^2 + y^2 = 2 a x + 2 b y + c + d z + e z^2.
    """
    across = perpendiculars(direction)
    flat, along = matmul(points, across.T), matmul(points, direction)
    if tips:
        arms, heights = flat[:-tips] - flat[-1], along[:-tips] - along[-1]
        slope = float(np.median(norm(arms) / np.where(heights == 0.0, 1e-300, heights)))
        return matmul(flat[-1], across), abs(slope * float(along[-1])), atan2(slope, 1.0)
    columns = np.column_stack([2.0 * flat, np.ones(len(flat)), along, along**2])
    a, b, c, d, _ = least_squares(columns, (flat**2).sum(axis=1), DEGENERATE)[0].tolist()
    radius = math.sqrt(max(c + a * a + b * b, 1e-12))
    return matmul(np.array((a, b)), across), radius, atan2(0.5 * d, radius)


def _from_cone(
    points: np.ndarray,
    tips: int,
    centre: np.ndarray,
    direction: np.ndarray,
    across: np.ndarray,
    radius: float,
    angle: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return signed distances, and their derivatives by two shifts and two tilts of the axis, the radius and the angle.

    A tip has three distances: from the side as if it lay on the axis, and from the axis along each of `across`.
    """
    arms = points - centre
    flat, along = matmul(arms, across.T), matmul(arms, direction)
    sides = len(points) - tips
    beside = flat[sides:]
    reach = np.append(norm(flat[:sides]), np.zeros(tips))
    outward = np.vstack([flat[:sides] / np.maximum(reach[:sides, None], 1e-300), np.zeros((tips, 2))])
    cosine, sine = cos_sin(angle)
    tilts = -outward * (along * cosine + reach * sine)[:, None]
    slopes = (-outward * cosine, tilts, np.full(len(points), -cosine), (radius - reach) * sine - along * cosine)
    distances, slopes = (reach - radius) * cosine - along * sine, np.column_stack(slopes)
    for i in range(2 if tips else 0):
        rows = np.zeros((tips, 6))
        rows[:, i], rows[:, 2 + i] = -1.0, -along[sides:]
        distances, slopes = np.append(distances, beside[:, i]), np.vstack([slopes, rows])
    return distances, slopes


def _centred(points: np.ndarray, least: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the points relative to their mean and divided by their extent, the mean, and the extent.

    The extent is the largest coordinate relative to the mean.
    """
    points = _checked(points, least)
    middle = points.mean(axis=0)
    size = float(np.abs(points - middle).max())
    if not size > 0.0:
        raise ValueError("the points lie in one place")
    return (points - middle) / size, middle, size


def _checked(points: np.ndarray, least: int) -> np.ndarray:
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < least:
        raise ValueError(f"at least {least} points of three numbers are needed (found shape {points.shape})")
    if not np.isfinite(points).all():
        raise ValueError("a point is not finite")
    return points


def _principal(points: np.ndarray, least: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the points, their mean, three singular values with the largest first, and the principal axes as rows."""
    points = _checked(points, least)
    middle = points.mean(axis=0)
    _, spread, axes = svd(np.vstack([points - middle, np.zeros((3, 3))]))
    return points, middle, spread, axes


def perpendiculars(direction: np.ndarray) -> np.ndarray:
    """Return two unit vectors perpendicular to the unit vector `direction` and to each other, shape (2, 3).

    The three vectors form a right-handed system with `direction` as the third.

    Source: Duff et al., Building an orthonormal basis, revisited, JCGT 6(1) (2017).
    """
    x, y, z = direction.tolist()
    sign = math.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    return np.array(((1.0 + sign * x * x * a, sign * b, -sign * x), (b, sign + y * y * a, -y)))


def _circle_start(flat: np.ndarray) -> np.ndarray:
    """Return centre and radius by Kåsa's linear equations: x^2 + y^2 = 2 a x + 2 b y + c."""
    a, b, c = least_squares(np.column_stack([2.0 * flat, np.ones(len(flat))]), (flat**2).sum(axis=1))[0].tolist()
    return np.array((a, b, math.sqrt(max(c + a * a + b * b, 0.0))))


def _from_circle(flat: np.ndarray, unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the signed distances of points from the circle, and their derivatives by centre and radius."""
    arms = flat - unknowns[:2]
    reach = np.maximum(norm(arms), 1e-300)
    return reach - unknowns[2], np.column_stack([-arms / reach[:, None], -np.ones(len(flat))])


def _from_cylinder(
    points: np.ndarray, centre: np.ndarray, direction: np.ndarray, across: np.ndarray, radius: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return signed distances, and their derivatives by two shifts and two tilts of the axis, and the radius."""
    arms = points - centre
    flat, along = matmul(arms, across.T), matmul(arms, direction)
    reach = np.maximum(norm(flat), 1e-300)
    outward = flat / reach[:, None]
    return reach - radius, np.column_stack([-outward, -outward * along[:, None], -np.ones(len(points))])


def _solve(slopes: np.ndarray, distances: np.ndarray) -> np.ndarray:
    step, rank = least_squares(slopes, distances, DEGENERATE)
    if rank < slopes.shape[1] or not np.isfinite(step).all():
        raise ValueError("the points do not determine the shape")
    return step


def _sigma(square: float, distances: int, parameters: int) -> float:
    """Return the standard deviation of a distance, or 0 if there are no more distances than parameters."""
    left = distances - parameters
    return math.sqrt(square / left) if left > 0 else 0.0


def _largest(covariance: np.ndarray) -> float:
    return math.sqrt(max(float(eigh(covariance)[0][-1]), 0.0))


def _tangent(angle: float) -> float:
    cosine, sine = cos_sin(angle)
    return sine / cosine
