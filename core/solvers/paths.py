# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth functions of time through samples, for `Controls`."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping

import numpy as np

from ..spatial.arrays import norm


def pose_path(
    first: float, step: float, poses: np.ndarray, jumps: Mapping[int, np.ndarray] | None = None
) -> Callable[[float], np.ndarray]:
    """Return the pose at any time [s], through samples `step` apart from `first` on; it stays at the last one.

    Args:
        poses: shape (n, 7), x y z qw qx qy qz.
        jumps: {number of a sample to which the poses jump: the pose from which they jump there, shape (7,)}.

    Returns:
        a function that gives x y z and a unit quaternion, shape (7,), with a continuous acceleration between the
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
    """Return the pose at any place, counted in samples, shape (n, 7); before and after them, the first and the last."""
    turns = samples[:, 3:] / norm(samples[:, 3:])[..., None]
    flips = np.where(np.sum(turns[1:] * turns[:-1], axis=1) < 0.0, -1.0, 1.0)
    samples[:, 3:] = turns * np.concatenate([[1.0], np.cumprod(flips)])[:, None]
    bends = spline_bends(samples)

    def pose(place: float) -> np.ndarray:
        place = min(max(place, 0.0), len(samples) - 1.0)
        number = min(int(place), max(len(samples) - 2, 0))
        found = _between(samples[number : number + 2], bends[number : number + 2], place - number)
        found[3:] /= math.hypot(*found[3:])  # of one rounding on any processor, which BLAS's is not
        return found

    return pose


def spline_bends(samples: np.ndarray) -> np.ndarray:
    """Second differences of the cubic spline through even samples, shape (n, k), at each of them.

    Its first two pieces are one polynomial, and so are its last two: with nothing known beyond the ends, this follows
    the samples as closely there as in between.

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
    """x of x[i - 1] + 4 x[i] + x[i + 1] = right[i], by elimination."""
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
    """The spline between two samples; exactly these at its ends."""
    if len(samples) == 1:
        return samples[0].copy()
    rest = 1.0 - part
    curve = ((rest * rest * rest - rest) * bends[0] + (part * part * part - part) * bends[1]) / 6.0
    return rest * samples[0] + part * samples[1] + curve
