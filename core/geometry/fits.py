"""Planes, lines, circles and cylinders through points, by least squares of the distances, and how sure they are.

Errors of a fit are standard errors: sigma^2 (J^T J)^-1, where J holds the derivatives of the distances by the fit's
parameters and sigma is what the residuals leave after as many were used up as there are parameters.

Sources: Forbes, Least-squares best-fit geometric elements, NPL report DITC 140/89 (1989), for planes, lines and
cylinders; Gander, Golub and Strebel, Least-squares fitting of circles and ellipses, BIT 34 (1994), for circles; their
start is Kåsa, A circle fitting procedure and its error analysis, IEEE Trans. Instrum. Meas. 25 (1976).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

ROUNDS = 30
"""Gauss-Newton doubles the right digits near the end; what has not settled by then has no least nearby."""
SETTLED = 1e-13
"""Steps below this part of the points' extent are rounding."""
DEGENERATE = 1e-9
"""Points whose spread is below this part of their extent lie in fewer directions than the fit needs."""


@dataclass(frozen=True, eq=False)
class Fit:
    """What was fitted, and how well. Lengths in the points' unit.

    Attributes:
        origin: the points' mean (plane, line), the centre (circle), the axis's point nearest the mean (cylinder);
            shape (3,).
        direction: unit vector, shape (3,): the normal, the line or the axis; its sign means nothing.
        radius: 0 for planes and lines.
        rms: root of the mean square of the distances of the points.
        direction_error: standard error of the direction where it is largest [rad].
    """

    origin: np.ndarray
    direction: np.ndarray
    radius: float
    rms: float
    direction_error: float


def fit_plane(points: np.ndarray) -> Fit:
    """The plane of least squares. points: shape (n, 3), n >= 3.

    Raises:
        ValueError: there are too few points, or they lie on a line.
    """
    points, origin, spread, axes = _principal(points, 3)
    if not spread[1] > DEGENERATE * spread[0]:
        raise ValueError("the points lie on a line, through which go many planes")
    count = len(points)
    sigma = _sigma(spread[2] ** 2, count, 3)
    return Fit(origin, axes[2], 0.0, float(spread[2]) / math.sqrt(count), sigma / float(spread[1]))


def fit_line(points: np.ndarray) -> Fit:
    """The line of least squares. points: shape (n, 3), n >= 2.

    Raises:
        ValueError: there are too few points, or they all lie in one place.
    """
    points, origin, spread, axes = _principal(points, 2)
    if not spread[0] > 0.0:
        raise ValueError("the points lie in one place, through which go many lines")
    count, across = len(points), float(spread[1:] @ spread[1:])
    sigma = _sigma(across, 2 * count, 4)  # each point has two distances from a line
    return Fit(origin, axes[0], 0.0, math.sqrt(across / count), sigma / float(spread[0]))


def fit_circle(points: np.ndarray) -> Fit:
    """The circle of least squares: the plane by its normal, then the circle in it. points: shape (n, 3), n >= 3.

    Raises:
        ValueError: there are too few points, they lie on a line, or so nearly so that no circle is best.
    """
    plane = fit_plane(points)
    points = np.asarray(points, dtype=np.float64)
    across = perpendiculars(plane.direction)
    flat = (points - plane.origin) @ across.T
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
    above = ((points - plane.origin) @ plane.direction) / size
    square = float(distances @ distances + above @ above)
    sigma = _sigma(square, 2 * len(points), 6)
    return Fit(
        plane.origin + size * (unknowns[:2] @ across),
        plane.direction,
        size * float(unknowns[2]),
        size * math.sqrt(square / len(points)),
        sigma / float(np.linalg.svd(flat / size, compute_uv=False)[1]),
    )


def fit_cylinder(points: np.ndarray, axis: np.ndarray) -> Fit:
    """The cylinder of least squares near one whose axis is known roughly.

    Args:
        points: shape (n, 3), n >= 5.
        axis: a direction of any length, shape (3,), within some 10 degrees of the cylinder's own where the points go
            round it, within a few where they lie on an arc.

    Raises:
        ValueError: there are too few points, or they do not determine a cylinder.
    """
    points = _checked(points, 5)
    middle = points.mean(axis=0)
    size = float(np.abs(points - middle).max())
    if not size > 0.0:
        raise ValueError("the points lie in one place, through which go many cylinders")
    scaled = (points - middle) / size
    direction = np.asarray(axis, dtype=np.float64) / np.linalg.norm(axis)
    across = perpendiculars(direction)
    x, y, radius = _circle_start(scaled @ across.T)
    centre = np.array((x, y)) @ across
    for _ in range(ROUNDS):
        across = perpendiculars(direction)
        distances, slopes = _from_cylinder(scaled, centre, direction, across, radius)
        step = _solve(slopes, distances)
        centre = centre - step[:2] @ across
        turned = direction - step[2:4] @ across
        direction = turned / np.linalg.norm(turned)
        centre = centre - (centre @ direction) * direction
        radius -= float(step[4])
        if float(np.abs(step).max()) < SETTLED * max(1.0, abs(radius)):
            break
    else:
        raise ValueError("no cylinder is the best one: the points do not determine its axis")
    distances, slopes = _from_cylinder(scaled, centre, direction, perpendiculars(direction), radius)
    square = float(distances @ distances)
    covariance = _sigma(square, len(points), 5) ** 2 * np.linalg.inv(slopes.T @ slopes)
    return Fit(
        middle + size * centre,
        direction,
        size * float(abs(radius)),
        size * math.sqrt(square / len(points)),
        _largest(covariance[2:4, 2:4]),
    )


def _checked(points: np.ndarray, least: int) -> np.ndarray:
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < least:
        raise ValueError(f"at least {least} points of three numbers are needed (found shape {points.shape})")
    if not np.isfinite(points).all():
        raise ValueError("a point is not finite")
    return points


def _principal(points: np.ndarray, least: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The points, their mean, and their spread along three axes, the largest first."""
    points = _checked(points, least)
    middle = points.mean(axis=0)
    _, spread, axes = np.linalg.svd(np.vstack([points - middle, np.zeros((3, 3))]), full_matrices=False)
    return points, middle, spread, axes


def perpendiculars(direction: np.ndarray) -> np.ndarray:
    """Two unit vectors that make a right-handed system with the unit vector, as the first two of it, shape (2, 3).

    Duff et al., Building an orthonormal basis, revisited, JCGT 6(1) (2017).
    """
    x, y, z = direction.tolist()
    sign = math.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    return np.array(((1.0 + sign * x * x * a, sign * b, -sign * x), (b, sign + y * y * a, -y)))


def _circle_start(flat: np.ndarray) -> np.ndarray:
    """Centre and radius by Kåsa's linear equations: x^2 + y^2 = 2 a x + 2 b y + c."""
    a, b, c = np.linalg.lstsq(np.column_stack([2.0 * flat, np.ones(len(flat))]), (flat**2).sum(axis=1), rcond=None)[0]
    return np.array((a, b, math.sqrt(max(c + a * a + b * b, 0.0))))


def _from_circle(flat: np.ndarray, unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Signed distances from the circle, and their derivatives by centre and radius."""
    arms = flat - unknowns[:2]
    reach = np.maximum(np.linalg.norm(arms, axis=1), 1e-300)
    return reach - unknowns[2], np.column_stack([-arms / reach[:, None], -np.ones(len(flat))])


def _from_cylinder(
    points: np.ndarray, centre: np.ndarray, direction: np.ndarray, across: np.ndarray, radius: float
) -> tuple[np.ndarray, np.ndarray]:
    """Signed distances, and their derivatives by two shifts and two tilts of the axis, and the radius."""
    arms = points - centre
    flat, along = arms @ across.T, arms @ direction
    reach = np.maximum(np.linalg.norm(flat, axis=1), 1e-300)
    outward = flat / reach[:, None]
    return reach - radius, np.column_stack([-outward, -outward * along[:, None], -np.ones(len(points))])


def _solve(slopes: np.ndarray, distances: np.ndarray) -> np.ndarray:
    step, _, rank, _ = np.linalg.lstsq(slopes, distances, rcond=DEGENERATE)
    if rank < slopes.shape[1] or not np.isfinite(step).all():
        raise ValueError("the points do not determine the shape")
    return step


def _sigma(square: float, distances: int, parameters: int) -> float:
    """Standard deviation of a distance, of which so many were used up; 0 where none is left over."""
    left = distances - parameters
    return math.sqrt(square / left) if left > 0 else 0.0


def _largest(covariance: np.ndarray) -> float:
    return math.sqrt(max(float(np.linalg.eigvalsh(covariance)[-1]), 0.0))
