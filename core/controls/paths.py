# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth functions of time through samples, from which `Controls` makes prescribed motion."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping

import numpy as np

from ..spatial.arrays import norm


def pose_path(
    first: float, step: float, poses: np.ndarray, jumps: Mapping[int, np.ndarray] | None = None
) -> Callable[[float], np.ndarray]:
    """Return the pose as a function of time [s], through samples `step` apart that begin at `first`.

    Before the first sample and after the last one, the pose is that of the nearest sample.

    Args:
        poses: shape (n, 7), x y z qw qx qy qz.
        jumps: {number of a sample to which the poses jump: the pose from which they jump there, shape (7,)}.

    Returns:
        A function that returns x y z and a unit quaternion, shape (7,). Its acceleration is continuous between the
        first sample and the last, except at jumps.
    """
    jumps = jumps or {}
    begins = [0, *sorted(jumps)]
    pieces = []
    for begin, end in zip(begins, [*begins[1:], len(poses)], strict=True):
        own = np.array(poses[begin:end], dtype=np.float64)
        pieces.append(_smooth(np.vstack([own, jumps[end]]) if end in jumps else own))
    starts = [first + begin * step for begin in begins]

    def pose(time: float) -> np.ndarray:
        number = max(bisect.bisect_right(starts, time) - 1, 0)
        return pieces[number]((time - starts[number]) / step)

    return pose


def _smooth(samples: np.ndarray) -> Callable[[float], np.ndarray]:
    """Return the pose, shape (7,), as a function of the place, which is counted in samples, shape (n, 7).

    Before the first sample and after the last one, it is that of the nearest sample.
    """
    turns = samples[:, 3:] / norm(samples[:, 3:])[..., None]
    flips = np.where(np.sum(turns[1:] * turns[:-1], axis=1) < 0.0, -1.0, 1.0)
    samples[:, 3:] = turns * np.concatenate([[1.0], np.cumprod(flips)])[:, None]
    bends = spline_bends(samples)

    def pose(place: float) -> np.ndarray:
        place = min(max(place, 0.0), len(samples) - 1.0)
        number = min(int(place), max(len(samples) - 2, 0))
        found = _between(samples[number : number + 2], bends[number : number + 2], place - number)
        found[3:] /= math.hypot(*found[3:])  # hypot rounds alike on every processor, and BLAS does not
        return found

    return pose


def spline_bends(samples: np.ndarray) -> np.ndarray:
    """Return the second differences of the cubic spline through evenly spaced samples, shape (n, k).

    The first two pieces are one polynomial, and so are the last two. Nothing is known beyond the ends, and with this
    condition the spline follows the samples as closely there as between them.

    Source: de Boor, A Practical Guide to Splines (1978), chapter IV, the not-a-knot condition.
    """
    count = len(samples)
    bends = np.zeros_like(samples)
    if count < 3:
        return bends
    second = samples[2:] - 2.0 * samples[1:-1] + samples[:-2]
    bends[1], bends[-2] = second[0], second[-1]
    if count == 3:
        bends[:] = second[0]
        return bends
    right = 6.0 * second[1:-1]
    if len(right):
        right[0] -= bends[1]
        right[-1] -= bends[-2]
        bends[2:-2] = _solved(right)
    bends[0], bends[-1] = 2.0 * bends[1] - bends[2], 2.0 * bends[-2] - bends[-3]
    return bends


def _solved(right: np.ndarray) -> np.ndarray:
    """Return the solution x of x[i - 1] + 4 x[i] + x[i + 1] = right[i], by elimination."""
    found, factors = right.copy(), np.empty(len(right))
    factors[0] = 0.25
    found[0] *= 0.25
    for i in range(1, len(right)):
        factors[i] = 1.0 / (4.0 - factors[i - 1])
        found[i] = (found[i] - found[i - 1]) * factors[i]
    for i in range(len(right) - 2, -1, -1):
        found[i] -= factors[i] * found[i + 1]
    return found


def _between(samples: np.ndarray, bends: np.ndarray, part: float) -> np.ndarray:
    """Return the spline at a part of the way between two samples; at the ends, exactly the samples."""
    if len(samples) == 1:
        return samples[0].copy()
    rest = 1.0 - part
    curve = ((rest * rest * rest - rest) * bends[0] + (part * part * part - part) * bends[1]) / 6.0
    return rest * samples[0] + part * samples[1] + curve
