# SPDX-License-Identifier: GPL-3.0-or-later
"""The coordinates of screws in series that bring one frame onto another: exp(S1 q1) ... exp(Sn qn) = X.

Up to three rotations are solved in closed form, and translations and whole turns of threads by linear least squares.
The Gauss-Newton method then refines the result. It also solves series with more screws than needed, and finds the
nearest pose if no coordinates reach X.

Source: Murray, Li, Sastry, A Mathematical Introduction to Robotic Manipulation (1994), section 3.2, subproblems 1 and
2; for three turns about any axes, Piovan and Bullo, On coordinate-free rotation decomposition (2012).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..model.screws import Screw
from ..spatial import (
    IDENTITY,
    Pose,
    add,
    arrays,
    atan2,
    compose,
    cross,
    dot,
    inverse,
    norm,
    quat_mul,
    quat_of_rotvec,
    quat_rotate,
    rotvec_of_quat,
    scale,
    sub,
)

CONVERGED = 1e-12
"""Pose error at which the Gauss-Newton method has converged [m, rad]."""

SINGULAR = 1e-9
"""Sine of an angle below which two directions count as parallel [1]."""

MOST_ITERATIONS = 30
"""Maximum number of Gauss-Newton iterations. They converge quadratically unless q is singular or X out of reach."""

RANDOM_STARTS = 24
"""Number of random starts of the Gauss-Newton method, for series with more rotations than closed forms solve."""


def screw_coordinates(screws: Sequence[Screw], X: Pose, reference: np.ndarray) -> np.ndarray:
    """Return the coordinates of the screws that are not locked, shape (n,).

    If several solutions exist, the one nearest to `reference`, shape (n,), is returned. In gimbal lock, only the sum of
    two angles is determined. Then the first one keeps its value in `reference`.
    """
    moving, X = _without_locked(screws, X)
    if not moving:
        return np.zeros(0)
    best_q, best_error = reference, math.inf
    redundant = sum(screw.turn != 0.0 for screw in moving) > len(_SOLVERS)
    starts = [*_angle_candidates(moving, X, reference), reference, *(_random_starts(reference) if redundant else [])]
    for angles in starts:
        if best_error < 1e-9:
            break
        candidate = _gauss_newton(moving, X, _with_slides(moving, X, angles, reference))
        error = np.abs(_pose_error(moving, candidate, X)).max()
        if error < best_error - CONVERGED:
            best_q, best_error = candidate, error
    return _nearest_turns(moving, best_q, reference)


def _random_starts(reference: np.ndarray) -> list[np.ndarray]:
    """Return random starts of the Gauss-Newton method. They are the same in each call."""
    n = len(reference)
    return list(reference + np.random.default_rng(n).uniform(-np.pi, np.pi, (RANDOM_STARTS, n)))


def _without_locked(screws: Sequence[Screw], X: Pose) -> tuple[list[Screw], Pose]:
    """Return the screws that can move, and the pose that they must reach, such that locked screws are left out.

    The pose of a locked screw is applied to the lines of all screws after it, and removed from the end of the series.
    """
    locked_pose, moving = IDENTITY, []
    for screw in screws:
        if screw.locked_at is not None:
            locked_pose = compose(locked_pose, screw.pose(screw.locked_at))
        else:
            point = compose(locked_pose, (*screw.point, *IDENTITY[3:]))[:3]
            moving.append(
                Screw(quat_rotate(locked_pose[3:], screw.direction), point, screw.turn, screw.slide, screw.axis)
            )
    return moving, compose(X, inverse(locked_pose))


def _product_of_exponentials(screws: Sequence[Screw], q: np.ndarray) -> Pose:
    X = IDENTITY
    for screw, value in zip(screws, q.tolist(), strict=True):
        X = compose(X, screw.pose(value))
    return X


def _pose_error(screws: Sequence[Screw], q: np.ndarray, X: Pose) -> np.ndarray:
    """Return the displacement from the pose at q to X, in the axes of the former: [m], then [rad], shape (6,)."""
    residual = compose(inverse(_product_of_exponentials(screws, q)), X)
    return np.array([*residual[:3], *rotvec_of_quat(residual[3:])])


# ---- rotations, in closed form


def _angle_candidates(screws: list[Screw], X: Pose, reference: np.ndarray) -> list[np.ndarray]:
    """Return candidates for q whose rotation is that of X, the nearest to `reference` first.

    Coordinates of translations have their values in `reference`.
    """
    turning = [i for i, screw in enumerate(screws) if screw.turn]
    if not 0 < len(turning) <= 3:
        return [reference]
    axes = [screws[i].direction for i in turning]
    start = [screws[i].turn * reference[i] for i in turning]
    candidates = []
    for angles in _SOLVERS[len(turning)](X[3:], axes, start):
        q = reference.copy()
        for i, angle in zip(turning, angles, strict=True):
            q[i] = angle / screws[i].turn
        candidates.append(_nearest_turns(screws, q, reference))
    return sorted(candidates, key=lambda q: np.abs(q - reference).max())


def _one_angle(R, axes, _start) -> list[list[float]]:
    return [[_twist_angle(R, axes[0])]]


def _two_angles(R, axes, start) -> list[list[float]]:
    first, second = axes
    first_angle = _angle_between(first, second, quat_rotate(R, second), start[0])
    return [[first_angle, _twist_angle(_remaining_rotation(R, first, first_angle), second)]]


def _three_angles(R, axes, start) -> list[list[float]]:
    """Return the two solutions. The middle angle determines the angle between the outer axes, and then the others."""
    first, middle, last = axes
    perpendicular = sub(last, scale(middle, dot(last, middle)))
    a, b = dot(first, perpendicular), dot(first, cross(middle, last))
    c = dot(first, quat_rotate(R, last)) - dot(first, middle) * dot(middle, last)
    amplitude = math.sqrt(a * a + b * b)
    if amplitude < SINGULAR:
        return []
    half_width = atan2(math.sqrt(max((amplitude - c) * (amplitude + c), 0.0)), c)
    found = []
    for turn in {atan2(b, a) + half_width, atan2(b, a) - half_width}:
        moved_axis = quat_rotate(quat_of_rotvec(scale(middle, turn)), last)
        first_angle = _angle_between(first, moved_axis, quat_rotate(R, last), start[0])
        remaining = _remaining_rotation(_remaining_rotation(R, first, first_angle), middle, turn)
        found.append([first_angle, turn, _twist_angle(remaining, last)])
    return found


_SOLVERS = {1: _one_angle, 2: _two_angles, 3: _three_angles}


def _twist_angle(R, axis) -> float:
    """Return the angle of R about `axis`, after its swing has been removed [rad]."""
    return 2.0 * atan2(dot(R[1:], axis), R[0])


def _angle_between(axis, v, goal, default: float) -> float:
    """Return the rotation about `axis` that brings v nearest to `goal` [rad]; `default` if v is along the axis."""
    v = sub(v, scale(axis, dot(v, axis)))
    goal = sub(goal, scale(axis, dot(goal, axis)))
    if norm(v) < SINGULAR or norm(goal) < SINGULAR:
        return default
    return atan2(dot(axis, cross(v, goal)), dot(v, goal))


def _remaining_rotation(R, axis, angle: float):
    """Return the rotation that must follow a rotation about `axis` by `angle`, so that the product is R."""
    return quat_mul(quat_of_rotvec(scale(axis, -angle)), R)


# ---- translations and whole turns


def _with_slides(screws: list[Screw], X: Pose, q: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return q with the translations, and the whole turns of threaded screws, that bring the frame to X's origin."""
    threaded = [i for i, screw in enumerate(screws) if screw.turn and screw.slide]
    q = q.copy()
    if threaded:
        found = q + _slides(screws, X, q, threaded)
        for i in threaded:
            whole = math.tau / screws[i].turn
            q[i] += round((found[i] - q[i]) / whole) * whole
    return q + _slides(screws, X, q, [])


def _slides(screws: list[Screw], X: Pose, q: np.ndarray, threaded: list[int]) -> np.ndarray:
    """Return the smallest change of q that moves the frame to X's origin without rotations.

    Threaded screws with the numbers in `threaded` translate as if they did not rotate.
    """
    sliding = threaded + [i for i, screw in enumerate(screws) if not screw.turn]
    change = np.zeros(len(q))
    if sliding:
        error = np.array(sub(X[:3], _product_of_exponentials(screws, q)[:3]))
        directions, X_here = [], IDENTITY
        for screw, value in zip(screws, q.tolist(), strict=True):
            directions.append(quat_rotate(X_here[3:], scale(screw.direction, screw.slide)))
            X_here = compose(X_here, screw.pose(value))
        change[sliding] = arrays.least_squares(np.array([directions[i] for i in sliding]).T, error, 1e-9)[0]
    return change


# ---- Gauss-Newton method


def _gauss_newton(screws: list[Screw], X: Pose, q: np.ndarray) -> np.ndarray:
    """Return q improved by the Gauss-Newton method. A step that does not reduce the error is halved up to 4 times."""
    error = _pose_error(screws, q, X)
    for _ in range(MOST_ITERATIONS):
        if np.abs(error).max() < CONVERGED:
            break
        step = arrays.least_squares(screw_motions(screws, q), error, 1e-9)[0]
        for _ in range(4):
            tried = q + step
            residual = _pose_error(screws, tried, X)
            if arrays.norm(residual) < arrays.norm(error):
                break
            step = 0.5 * step
        else:
            break
        q, error = tried, residual
    return q


def screw_motions(screws: Sequence[Screw], q: np.ndarray) -> np.ndarray:
    """Return S(q), shape (6, n), of the screws that are not locked.

    Its columns are twists at the last frame, in the axes of that frame, linear part first.
    """
    columns, X, values = [], IDENTITY, iter(q[::-1].tolist())
    for screw in reversed(screws):
        if screw.locked_at is not None:
            X = compose(screw.locked_pose(), X)
            continue
        angular = scale(screw.direction, screw.turn)
        linear = add(add(scale(screw.direction, screw.slide), cross(screw.point, angular)), cross(angular, X[:3]))
        back = inverse(X)[3:]
        columns.append((*quat_rotate(back, linear), *quat_rotate(back, angular)))
        X = compose(screw.pose(next(values)), X)
    return np.array(columns[::-1]).reshape(-1, 6).T


def _nearest_turns(screws: Sequence[Screw], q: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return q with whole turns added to each rotation, so that it is nearest to `reference`.

    The turns of threaded screws follow from their translation.
    """
    q = q.copy()
    for i, screw in enumerate(screws):
        if screw.turn and not screw.slide:
            whole = math.tau / abs(screw.turn)
            q[i] += round((reference[i] - q[i]) / whole) * whole
    return q
