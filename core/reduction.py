# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys: samples replaced by cubics, within an error that the caller measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .spatial.arrays import matmul, pseudo_inverse, svd

Error = Callable[[int, np.ndarray], np.ndarray]
"""Of fitted values, shape (n, C), in the place of the samples from a given one on: shape (n,), the tolerance's unit."""

WEAKEST = 0.05
"""The least singular value by which samples may tell inner control values. Samples that all lie close to one end, or to
each other, would else be met by a curve that is thrown far out where there are none."""


@dataclass(frozen=True)
class Keys:
    """K keys of C channels that share their frames, of F samples.

    Attributes:
        at: indices of the samples that are keys, ascending, shape (K,).
        values: those samples, shape (K, C).
        left, right: the values of the handles, which lie a third of the way to the key before and after, shape (K, C);
            the key's own value where there is no such key. With handles there, a Bézier F-curve is a cubic in time.
    """

    at: np.ndarray
    values: np.ndarray
    left: np.ndarray
    right: np.ndarray

    def __len__(self) -> int:
        return len(self.at)


def reduced(frames: np.ndarray, values: np.ndarray, error: Error, tolerance: float) -> Keys:
    """Few keys, whose curves stay within the tolerance at every sample and are exact at the keys.

    Between samples the curves are smooth, and nothing more is promised.

    From the left, each segment between two keys is the longest found that still has a cubic, the least-squares one
    through both its ends, within the tolerance; it is searched for by strides that double, from the length of the
    segment before, and then by bisection. Each side of a key is fitted by itself: a jump of velocity becomes a key with
    a break. One key where nothing leaves the first sample by more than the tolerance.

    A trial of a segment of n samples takes some 30 n C operations, two dozen calls of numpy and one of `error`: some
    30 µs for a link. There are two to four trials a key, some 2 log2(n) where lengths change abruptly. The result is
    the same each time.

    Source: P. J. Schneider, "An Algorithm for Automatically Fitting Digitized Curves", Graphics Gems (1990), for the
    least-squares Bézier segment. Time is given here, so that his search for parameters falls away.

    Args:
        frames: of the samples, ascending, evenly spaced or not, shape (F,).
        values: the samples, shape (F, C).
        error: measures what a curve is off by; see `Error`. It is asked about samples between keys only, where what is
            no number counts as too much.
        tolerance: the largest error allowed, in the unit of `error`; at 0 the curves are exact at every sample.

    Raises:
        ValueError: there are no samples, a frame or value is no finite number, frames do not ascend, frames and values
            differ in number, or the tolerance is negative or no number.
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
    """Tries cubics between samples."""

    def __init__(self, frames: np.ndarray, values: np.ndarray, error: Error, tolerance: float):
        self.last = len(frames) - 1
        self._frames, self._values = frames, values
        self._error, self._tolerance = error, tolerance
        self._bases: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

    def straight(self, first: int, length: int) -> np.ndarray:
        """Both inner control values of a straight line of so many steps, shape (2, C)."""
        begin, end = self._values[first], self._values[first + length]
        third = (end - begin) / 3.0
        return np.stack([begin + third, end - third])

    def handles(self, first: int, length: int) -> np.ndarray | None:
        """Both inner control values of the cubic of so many steps, 2 or more, shape (2, C); None where none will do."""
        begin, end = self._values[first], self._values[first + length]
        handles = self.straight(first, length)
        u, solve = self._basis(self._frames[first : first + length + 1])
        samples = self._values[first + 1 : first + length]
        handles += matmul(solve, samples - begin - u * (end - begin))
        errors = self._error(first + 1, _cubic(u, begin, handles[0], handles[1], end))
        return handles if np.all(errors <= self._tolerance) else None

    def _basis(self, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the inner samples lie between the ends, shape (n, 1), and the matrix that takes what they are off the
        straight line to what the inner control values are off it, shape (2, n).

        The same for all segments with the same spacing.
        """
        pattern = (frames - frames[0]).tobytes()
        if pattern not in self._bases:
            u = ((frames[1:-1] - frames[0]) / (frames[-1] - frames[0]))[:, None]
            v = 1.0 - u
            bulges = np.hstack([3.0 * u * v * v, 3.0 * u * u * v])
            self._bases[pattern] = u, pseudo_inverse(bulges, WEAKEST / float(svd(bulges)[1][0]))
        return self._bases[pattern]


def _longest(fits: _Fits, first: int, guess: int) -> tuple[int, np.ndarray]:
    """The most steps from the sample `first` that one cubic bridges, as far as the search sees, and its handles."""
    beyond = fits.last - first + 1
    fit, unfit, best = 1, beyond, None
    length, stride = guess, 1
    while unfit - fit > 1:
        length = min(max(length, fit + 1), unfit - 1)
        handles = fits.handles(first, length)
        if handles is None:
            unfit = length
        else:
            fit, best = length, handles
        if best is None:
            length = unfit - stride
        elif unfit == beyond:
            length = fit + stride
        else:
            length = (fit + unfit) // 2
        stride *= 2
    return fit, fits.straight(first, 1) if best is None else best


def _cubic(
    u: np.ndarray, begin: np.ndarray, after_begin: np.ndarray, before_end: np.ndarray, end: np.ndarray
) -> np.ndarray:
    """The cubic of four control values at u of the way: a straight line and how far the inner two lie off it.

    In this form it is exact where all four are one.
    """
    v = 1.0 - u
    way = end - begin
    third = way / 3.0
    bulge = v * (after_begin - (begin + third)) + u * (before_end - (end - third))
    return begin + u * way + 3.0 * u * v * bulge
