# SPDX-License-Identifier: GPL-3.0-or-later
"""The coordinates of screws in series that bring one frame onto another: exp(S1 q1) ... exp(Sn qn) = X.

Up to three turns are found in closed form, then slides and whole turns by linear least squares, and Newton's method has
the last word, so that redundant columns and poses that no coordinates reach find an answer as well.

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

CLOSE = 1e-12
"""Gap [m, rad] at which Newton's method has nothing left to do."""

SINGULAR = 1e-9
"""Sine below which two directions count as parallel."""

MOST_STEPS = 30

STARTS = 24
"""Random places from which to try when all others have led nowhere."""


def screw_coordinates(screws: Sequence[Screw], X: Pose, near: np.ndarray) -> np.ndarray:
    """The coordinates of the screws that are not locked, shape (n,), nearest to `near`, shape (n,), where several fit.

    Where a gimbal lets only the sum of two turns be known, the first stays as it is in `near`.
    """
    moving, X = _without_locked(screws, X)
    if not moving:
        return np.zeros(0)
    best, least = near, math.inf
    redundant = sum(screw.turn != 0.0 for screw in moving) > len(_SOLVERS)
    for angles in [*_angles(moving, X, near), near, *(_spread(near) if redundant else [])]:
        if least < 1e-9:
            break
        found = _refined(moving, X, _placed(moving, X, angles, near))
        gap = np.abs(_gap(moving, found, X)).max()
        if gap < least - CLOSE:
            best, least = found, gap
    return _wound(moving, best, near)


def _spread(near: np.ndarray) -> list[np.ndarray]:
    """Where Newton's method starts anew for more turns than are solved in closed form; the same every time."""
    return list(near + np.random.default_rng(len(near)).uniform(-np.pi, np.pi, (STARTS, len(near))))


def _without_locked(screws: Sequence[Screw], X: Pose) -> tuple[list[Screw], Pose]:
    """The moving screws as if nothing were locked between them: what is locked acts first, and on those after it."""
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


def _product(screws: Sequence[Screw], q: np.ndarray) -> Pose:
    X = IDENTITY
    for screw, value in zip(screws, q.tolist(), strict=True):
        X = compose(X, screw.pose(value))
    return X


def _gap(screws: Sequence[Screw], q: np.ndarray, X: Pose) -> np.ndarray:
    """What is left to X, in the frame reached: (m, rad), shape (6,)."""
    left = compose(inverse(_product(screws, q)), X)
    return np.array([*left[:3], *rotvec_of_quat(left[3:])])


# ---- turns, in closed form


def _angles(screws: list[Screw], X: Pose, near: np.ndarray) -> list[np.ndarray]:
    """Candidates for all coordinates that turn, the likeliest first; those of slides as in `near`."""
    turning = [i for i, screw in enumerate(screws) if screw.turn]
    if not 0 < len(turning) <= 3:
        return [near]
    axes = [screws[i].direction for i in turning]
    start = [screws[i].turn * near[i] for i in turning]
    candidates = []
    for angles in _SOLVERS[len(turning)](X[3:], axes, start):
        q = near.copy()
        for i, angle in zip(turning, angles, strict=True):
            q[i] = angle / screws[i].turn
        candidates.append(_wound(screws, q, near))
    return sorted(candidates, key=lambda q: np.abs(q - near).max())


def _one_turn(R, axes, _start) -> list[list[float]]:
    return [[_turn_in(R, axes[0])]]


def _two_turns(R, axes, start) -> list[list[float]]:
    first, second = axes
    one = _turn_to(first, second, quat_rotate(R, second), start[0])
    return [[one, _turn_in(_after(R, first, one), second)]]


def _three_turns(R, axes, start) -> list[list[float]]:
    """The middle turn decides how far apart the outer axes end; each of its two answers decides the others."""
    first, middle, last = axes
    aside = sub(last, scale(middle, dot(last, middle)))
    a, b = dot(first, aside), dot(first, cross(middle, last))
    c = dot(first, quat_rotate(R, last)) - dot(first, middle) * dot(middle, last)
    reach = math.sqrt(a * a + b * b)
    if reach < SINGULAR:
        return []
    spread = atan2(math.sqrt(max((reach - c) * (reach + c), 0.0)), c)
    found = []
    for turn in {atan2(b, a) + spread, atan2(b, a) - spread}:
        carried = quat_rotate(quat_of_rotvec(scale(middle, turn)), last)
        one = _turn_to(first, carried, quat_rotate(R, last), start[0])
        rest = _after(_after(R, first, one), middle, turn)
        found.append([one, turn, _turn_in(rest, last)])
    return found


_SOLVERS = {1: _one_turn, 2: _two_turns, 3: _three_turns}


def _turn_in(R, axis) -> float:
    """The turn about `axis` that R holds once its swing has been undone."""
    return 2.0 * atan2(dot(R[1:], axis), R[0])


def _turn_to(axis, v, goal, otherwise: float) -> float:
    """The turn about `axis` that brings v nearest to `goal`; `otherwise` where v lies along the axis."""
    v = sub(v, scale(axis, dot(v, axis)))
    goal = sub(goal, scale(axis, dot(goal, axis)))
    if norm(v) < SINGULAR or norm(goal) < SINGULAR:
        return otherwise
    return atan2(dot(axis, cross(v, goal)), dot(v, goal))


def _after(R, axis, angle: float):
    """What is left of R after a turn about `axis`."""
    return quat_mul(quat_of_rotvec(scale(axis, -angle)), R)


# ---- slides and whole turns


def _placed(screws: list[Screw], X: Pose, q: np.ndarray, near: np.ndarray) -> np.ndarray:
    """With the angles of q, the slides that reach X, and the whole turns of the threads that climb there."""
    climbing = [i for i, screw in enumerate(screws) if screw.turn and screw.slide]
    q = q.copy()
    if climbing:
        found = q + _slides(screws, X, q, climbing)
        for i in climbing:
            whole = math.tau / screws[i].turn
            q[i] += round((found[i] - q[i]) / whole) * whole
    return q + _slides(screws, X, q, [])


def _slides(screws: list[Screw], X: Pose, q: np.ndarray, climbing: list[int]) -> np.ndarray:
    """The smallest change of q that moves the frame to X's origin, turning nothing: threads climb as if they slid."""
    sliding = climbing + [i for i, screw in enumerate(screws) if not screw.turn]
    change = np.zeros(len(q))
    if sliding:
        gap = np.array(sub(X[:3], _product(screws, q)[:3]))
        ways, reached = [], IDENTITY
        for screw, value in zip(screws, q.tolist(), strict=True):
            ways.append(quat_rotate(reached[3:], scale(screw.direction, screw.slide)))
            reached = compose(reached, screw.pose(value))
        change[sliding] = arrays.least_squares(np.array([ways[i] for i in sliding]).T, gap, 1e-9)[0]
    return change


# ---- Newton's method


def _refined(screws: list[Screw], X: Pose, q: np.ndarray) -> np.ndarray:
    """Gauss-Newton, for as long as it brings the frame nearer."""
    gap = _gap(screws, q, X)
    for _ in range(MOST_STEPS):
        if np.abs(gap).max() < CLOSE:
            break
        step = arrays.least_squares(screw_motions(screws, q), gap, 1e-9)[0]
        for _ in range(4):
            tried = q + step
            left = _gap(screws, tried, X)
            if arrays.norm(left) < arrays.norm(gap):
                break
            step = 0.5 * step
        else:
            break
        q, gap = tried, left
    return q


def screw_motions(screws: Sequence[Screw], q: np.ndarray) -> np.ndarray:
    """S(q) in the frame reached, linear first, of the screws that are not locked, shape (6, n)."""
    columns, X, values = [], IDENTITY, iter(q[::-1].tolist())
    for screw in reversed(screws):
        if screw.locked_at is not None:
            X = compose(screw.held_pose(), X)
            continue
        angular = scale(screw.direction, screw.turn)
        linear = add(add(scale(screw.direction, screw.slide), cross(screw.point, angular)), cross(angular, X[:3]))
        back = inverse(X)[3:]
        columns.append((*quat_rotate(back, linear), *quat_rotate(back, angular)))
        X = compose(screw.pose(next(values)), X)
    return np.array(columns[::-1]).reshape(-1, 6).T


def _wound(screws: Sequence[Screw], q: np.ndarray, near: np.ndarray) -> np.ndarray:
    """With as many whole turns as bring each hinge nearest to `near`; threads count theirs by their height."""
    q = q.copy()
    for i, screw in enumerate(screws):
        if screw.turn and not screw.slide:
            whole = math.tau / abs(screw.turn)
            q[i] += round((near[i] - q[i]) / whole) * whole
    return q
