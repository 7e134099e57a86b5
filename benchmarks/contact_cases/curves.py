# SPDX-License-Identifier: GPL-3.0-or-later
"""Where curves that are known at frames cross, peak and end, by polynomials through a few frames.

Between events a motion is smooth, and the engine's frames lie on it to its own accuracy; a polynomial of degree 7
through frames that are a fiftieth of a period apart is off by 1e-9 of the amplitude or less. None may reach over an
event.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Polynomial

POINTS = 8
HALVINGS = 80


def through(t: np.ndarray, x: np.ndarray, near: float, points: int = POINTS) -> Polynomial:
    """The polynomial through the frames that are nearest to a time [s]."""
    begin = int(np.clip(np.searchsorted(t, near) - points // 2, 0, max(len(t) - points, 0)))
    t, x = t[begin : begin + points], x[begin : begin + points]
    return Polynomial.fit(t, x, len(t) - 1)


def at(t: np.ndarray, x: np.ndarray, when: float, points: int = POINTS) -> float:
    """The value at a time, which may lie a frame beyond the ends."""
    return float(through(t, x, when, points)(when))


def between(t: np.ndarray, *curves: np.ndarray, begin: float = -np.inf, end: float = np.inf) -> tuple[np.ndarray, ...]:
    """Times and curves strictly between two times."""
    inside = (t > begin) & (t < end)
    return t[inside], *(curve[inside] for curve in curves)


def crossings(t: np.ndarray, x: np.ndarray, points: int = POINTS) -> list[float]:
    """Where a curve passes 0; frames at which it is exactly 0 count as above."""
    found = []
    for i in np.flatnonzero((x[:-1] < 0.0) != (x[1:] < 0.0)):
        found.append(zero_within(through(t, x, 0.5 * (t[i] + t[i + 1]), points), t[i], t[i + 1]))
    return found


def zero_within(curve: Polynomial, low: float, high: float) -> float:
    """By halving; the curve has different signs at both ends."""
    sign = curve(low) < 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (curve(middle) < 0.0) == sign else (low, middle)
    return 0.5 * (low + high)


def peaks(t: np.ndarray, x: np.ndarray, points: int = POINTS) -> list[tuple[float, float]]:
    """(time, value) of each maximum that is not at an end."""
    found = []
    for i in np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:])) + 1:
        curve = through(t, x, t[i], points)
        when = zero_within(curve.deriv(), t[i - 1], t[i + 1])
        found.append((when, float(curve(when))))
    return found


def end_of_fall(t: np.ndarray, x: np.ndarray) -> float:
    """When a curve that falls along a straight line comes to 0, from its frames above a tenth of where it began."""
    falling = t[: int(np.argmax(x < 0.1 * x[0])) or None], x[: int(np.argmax(x < 0.1 * x[0])) or None]
    line = Polynomial.fit(*falling, 1)
    return float(line.roots()[0])


def turned(directions: np.ndarray) -> np.ndarray:
    """The angle of vectors, shape (F, 2), counted on from frame to frame, from 0 [rad]."""
    angle = np.unwrap(np.arctan2(directions[:, 1], directions[:, 0]))
    return angle - angle[0]
