# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduction of keys: samples are replaced by cubics, within an error that the caller measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..spatial.arrays import matmul, pseudo_inverse, svd

Error = Callable[[int, np.ndarray], np.ndarray]
"""A function of the number of the first sample and of fitted values, shape (n, C), that replace the samples from there
on. It returns their errors, shape (n,), in the unit of the tolerance.
"""

WEAKEST = 0.05
"""Least singular value at which samples determine inner control values. If all samples lie close to one end, or to each
other, a weaker one would give a curve that deviates far where there are none.
"""


@dataclass(frozen=True)
class Keys:
    """K keys of C channels that share their frames, of F samples.

    Attributes:
        at: indices of the samples that are keys, ascending, shape (K,).
        values: those samples, shape (K, C).
        left, right: values of the handles, which lie a third of the way to the previous and the next key, shape (K, C);
            the key's own value if there is no such key. With handles there, a Bézier F-curve is a cubic in time.
    """

    at: np.ndarray
    values: np.ndarray
    left: np.ndarray
    right: np.ndarray

    def __len__(self) -> int:
        return len(self.at)


def reduced(frames: np.ndarray, values: np.ndarray, error: Error, tolerance: float) -> Keys:
    """Return few keys whose curves are within the tolerance at every sample and exact at the keys.

    Between samples the curves are smooth; their error there is not bounded.

    From the left, each segment between two keys is the longest found that has a cubic within the tolerance: the
    least-squares one through both its ends. The search doubles its step from the length of the previous segment, and
    then bisects. Each side of a key is fitted separately, so a jump of velocity becomes a key with a break. There is
    only one key if no sample differs from the first by more than the tolerance.

    A trial of a segment of n samples takes some 30 n C operations, two dozen calls of numpy and one of `error`: some
    30 µs for a link. There are two to four trials a key, and some 2 log2(n) where lengths change abruptly. The result
    is the same each time.

    Source: P. J. Schneider, "An Algorithm for Automatically Fitting Digitized Curves", Graphics Gems (1990), for the
    least-squares Bézier segment. Time is given here, so his search for parameters is not needed.

    Args:
        frames: of the samples, ascending, evenly spaced or not, shape (F,).
        values: the samples, shape (F, C).
        error: measures the error of a curve; see `Error`. It is called for samples between keys only. NaN counts as too
            large.
        tolerance: the largest error allowed, in the unit of `error`; at 0 the curves are exact at every sample.

    Raises:
        ValueError: if there are no samples, a frame or value is not finite, frames do not ascend, frames and values
            differ in number, or the tolerance is negative or NaN.
    """
    frames, values = np.asarray(frames, dtype=np.float64), np.asarray(values, dtype=np.float64)
    _require_samples(frames, values)
    if not tolerance >= 0.0:
        raise ValueError(f"the tolerance is {tolerance}: it must be 0 or more")
    last = len(frames) - 1
    still = np.repeat(values[:1], last, axis=0)
    if last == 0 or np.all(error(1, still) <= tolerance):
        only = values[:1].copy()
        return Keys(np.zeros(1, dtype=int), only, only, only)
    fits = _Fits(frames, values, error, tolerance)
    at, inner, length = [0], [], 1
    while at[-1] < last:
        length, handles = _longest(fits, at[-1], length)
        inner.append(handles)
        at.append(at[-1] + length)
    keys = values[at]
    handles = np.array(inner)
    return Keys(np.array(at), keys, np.vstack([keys[:1], handles[:, 1]]), np.vstack([handles[:, 0], keys[-1:]]))


def _require_samples(frames: np.ndarray, values: np.ndarray) -> None:
    if frames.ndim != 1 or values.ndim != 2 or len(frames) != len(values) or not len(frames):
        raise ValueError(
            f"frames of shape {frames.shape} with values of shape {values.shape}: give (F,) and (F, C), F at least 1"
        )
    if not np.isfinite(frames).all():
        raise ValueError(f"frames[{np.argmin(np.isfinite(frames))}] is no finite number: give all of them one")
    if not np.all(np.diff(frames) > 0.0):
        number = int(np.argmin(np.diff(frames) > 0.0))
        raise ValueError(
            f"frames[{number + 1}] is {frames[number + 1]:g}, after {frames[number]:g}: give them in ascending order"
        )
    if not np.isfinite(values).all():
        number, channel = np.argwhere(~np.isfinite(values))[0].tolist()
        raise ValueError(
            f"channel {channel} is {values[number, channel]} at frame {frames[number]:g}: values must be finite numbers"
        )


class _Fits:
    """Fits of cubics to samples."""

    def __init__(self, frames: np.ndarray, values: np.ndarray, error: Error, tolerance: float):
        self.last = len(frames) - 1
        self._frames, self._values = frames, values
        self._error, self._tolerance = error, tolerance
        self._bases: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

    def straight(self, first: int, length: int) -> np.ndarray:
        """Return both inner control values of a straight line of `length` steps, shape (2, C)."""
        begin, end = self._values[first], self._values[first + length]
        third = (end - begin) / 3.0
        return np.stack([begin + third, end - third])

    def handles(self, first: int, length: int) -> np.ndarray | None:
        """Return both inner control values of the cubic of `length` steps, 2 or more, shape (2, C), or None.

        None means that the cubic is not within the tolerance.
        """
        begin, end = self._values[first], self._values[first + length]
        handles = self.straight(first, length)
        u, solve = self._basis(self._frames[first : first + length + 1])
        samples = self._values[first + 1 : first + length]
        handles += matmul(solve, samples - begin - u * (end - begin))
        errors = self._error(first + 1, _cubic(u, begin, handles[0], handles[1], end))
        return handles if np.all(errors <= self._tolerance) else None

    def _basis(self, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the places of inner samples between the ends, from 0 to 1, shape (n, 1), and a matrix, shape (2, n).

        The matrix maps the deviations of samples from the straight line to those of the inner control values. Both are
        the same for all segments with the same spacing.
        """
        pattern = (frames - frames[0]).tobytes()
        if pattern not in self._bases:
            u = ((frames[1:-1] - frames[0]) / (frames[-1] - frames[0]))[:, None]
            v = 1.0 - u
            bulges = np.hstack([3.0 * u * v * v, 3.0 * u * u * v])
            self._bases[pattern] = u, pseudo_inverse(bulges, WEAKEST / float(svd(bulges)[1][0]))
        return self._bases[pattern]


def _longest(fits: _Fits, first: int, guess: int) -> tuple[int, np.ndarray]:
    """Return the largest number of steps from the sample `first` that one cubic fits, and its handles.

    The number is the largest that the search finds.
    """
    beyond = fits.last - first + 1
    fit, unfit, best = 1, beyond, None
    length, step = guess, 1
    while unfit - fit > 1:
        length = min(max(length, fit + 1), unfit - 1)
        handles = fits.handles(first, length)
        if handles is None:
            unfit = length
        else:
            fit, best = length, handles
        if best is None:
            length = unfit - step
        elif unfit == beyond:
            length = fit + step
        else:
            length = (fit + unfit) // 2
        step *= 2
    return fit, fits.straight(first, 1) if best is None else best


def _cubic(
    u: np.ndarray, begin: np.ndarray, after_begin: np.ndarray, before_end: np.ndarray, end: np.ndarray
) -> np.ndarray:
    """Return the cubic of four control values at the fractions u of the way, as a straight line and its deviation from
    it.

    In this form it is exact if all four values are equal.
    """
    v = 1.0 - u
    way = end - begin
    third = way / 3.0
    bulge = v * (after_begin - (begin + third)) + u * (before_end - (end - third))
    return begin + u * way + 3.0 * u * v * bulge
