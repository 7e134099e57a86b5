# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion at other times than those of its frames, by cubic Hermite interpolation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .differences import tangents
from .files.columns import ENERGIES
from .quaternions import continuous, normalized, quaternions_among
from .trajectory import Trajectory


def resampled(trajectory: Trajectory, times: Sequence[float] | np.ndarray) -> Trajectory:
    """Return the motion at other times. Before the first and after the last frame, it keeps the pose of that frame.

    At the time of a frame, the result is that frame. Between two frames, each number follows the cubic with the values
    and rates at these frames. The rate of a coordinate is the velocity of the same name; all other rates are those of
    `tangents`. Components of quaternions are interpolated and then normalised. Between a frame where it is NaN and
    another, a number is NaN. Outside of the frames, velocities are 0. Contacts and impacts are left out, since those
    between two frames are not known.

    Args:
        times: ascending [s], shape (G,).

    Raises:
        ValueError: if times do not ascend, or if the motion has no frames.
    """
    wanted = np.array(times, dtype=np.float64)
    if wanted.ndim != 1 or not np.isfinite(wanted).all() or not (np.diff(wanted) > 0.0).all():
        raise ValueError("times must be ascending numbers of seconds")
    if not len(trajectory):
        raise ValueError("a motion without frames cannot be resampled: give it one at least")
    grid = _Grid.between(trajectory.times, wanted)
    qd = grid.curve(trajectory.qd)
    qd[grid.is_outside] = np.where(np.isnan(qd[grid.is_outside]), np.nan, 0.0)
    loop_error = trajectory.loop_error
    return replace(
        trajectory,
        times=wanted,
        X_WL=_poses(grid, trajectory.X_WL),
        q=_coordinates(grid, trajectory),
        qd=qd,
        **{name: grid.curve(getattr(trajectory, name)[:, None])[:, 0] for name in ENERGIES},
        efforts=None if trajectory.efforts is None else grid.curve(trajectory.efforts),
        wrenches=None if trajectory.wrenches is None else _flat(grid.curve, trajectory.wrenches),
        loop_error=None if loop_error is None else grid.curve(loop_error[:, None])[:, 0],
        contacts=None,
        impacts=None,
    )


@dataclass(frozen=True)
class _Grid:
    """The places of G times among the frames of a motion.

    Attributes:
        times: of the frames, shape (F,) [s].
        before, after: numbers of the frames around each time, shape (G,); both are the same at a frame or outside.
        part: of the way from one to the other, from 0 to 1, shape (G, 1).
        is_outside: whether the time is before the first or after the last frame, shape (G,).
    """

    times: np.ndarray
    before: np.ndarray
    after: np.ndarray
    part: np.ndarray
    is_outside: np.ndarray

    @classmethod
    def between(cls, times: np.ndarray, wanted: np.ndarray) -> _Grid:
        last = len(times) - 1
        before = np.clip(np.searchsorted(times, wanted, side="right") - 1, 0, last)
        is_between = (wanted > times[before]) & (before < last)
        after = np.where(is_between, before + 1, before)
        step = np.where(is_between, times[after] - times[before], 1.0)
        part = np.where(is_between, (wanted - times[before]) / step, 0.0)
        return cls(times, before, after, part[:, None], (wanted < times[0]) | (wanted > times[-1]))

    def curve(self, values: np.ndarray, rates: np.ndarray | None = None) -> np.ndarray:
        """Return the cubics through values, shape (F, n), at the G times, shape (G, n).

        rates: at the frames, shape (F, n); NaN if they are to be computed from the values.
        """
        steps = np.diff(self.times)
        found = tangents(np.diff(values, axis=0) / steps[:, None], steps)
        rates = found if rates is None else np.where(np.isnan(rates), found, rates)
        a, b, s = values[self.before], values[self.after], self.part
        step = (self.times[self.after] - self.times[self.before])[:, None]
        bend = step * (rates[self.before] * (1.0 - s) - rates[self.after] * s) + (b - a) * (2.0 * s - 1.0)
        return np.where(s == 0.0, a, a + s * (b - a) + s * (1.0 - s) * bend)

    def turn(self, quaternions: np.ndarray) -> np.ndarray:
        """Return interpolated rotations, shape (G, 4), each with the sign of the frame before it."""
        signs = continuous(quaternions)[:, None]
        found = self.curve(quaternions * signs) * signs[self.before]
        return np.where(self.part == 0.0, quaternions[self.before], normalized(found))


def _coordinates(grid: _Grid, trajectory: Trajectory) -> np.ndarray:
    rates = np.full_like(trajectory.q, np.nan)
    at_v = {name: place for place, (name, _) in enumerate(trajectory.qd_names)}
    for place, (name, _) in enumerate(trajectory.q_names):
        if name in at_v:
            rates[:, place] = trajectory.qd[:, at_v[name]]
    q = grid.curve(trajectory.q, rates)
    for place in quaternions_among(trajectory.q_names):
        q[:, place] = grid.turn(trajectory.q[:, place])
    return q


def _poses(grid: _Grid, X_WL: np.ndarray) -> np.ndarray:
    X = _flat(grid.curve, X_WL)
    for link in range(X_WL.shape[1]):
        X[:, link, 3:] = grid.turn(X_WL[:, link, 3:])
    return X


def _flat(curve: Callable[[np.ndarray], np.ndarray], values: np.ndarray) -> np.ndarray:
    """Return the interpolation of an array with more than two dimensions; the first one is that of time."""
    found = curve(values.reshape(len(values), int(np.prod(values.shape[1:]))))
    return found.reshape(len(found), *values.shape[1:])
