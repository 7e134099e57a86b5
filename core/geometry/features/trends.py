# SPDX-License-Identifier: GPL-3.0-or-later
"""A statistical test whether the residuals of a fit are noise."""

from __future__ import annotations

import numpy as np

from ...spatial.arrays import least_squares, matmul
from .tolerances import CHANCE, DEPENDENT


def goes_with(shapes: np.ndarray, residuals: np.ndarray, parameters: int) -> bool:
    """Return whether the residuals depend on a combination of the shapes by more than chance explains.

    The fraction of the squared residuals that 2 k random shapes explain has a beta distribution, whose tail is a sum of
    k terms. For an odd number of shapes, the tail of one more shape is an upper bound.

    Args:
        shapes: values of m functions at the points, shape (n, m).
        residuals: shape (n,).
        parameters: number of parameters of the fit.
    """
    best, rank = least_squares(shapes, residuals, DEPENDENT)
    pairs = (rank + 1) // 2
    half = 0.5 * (len(residuals) - parameters) - pairs
    if half <= 0.0:
        return False
    fitted = matmul(shapes, best)
    explained = min(float(matmul(fitted, fitted)) / float(matmul(residuals, residuals)), 1.0)
    terms = [1.0]
    for i in range(1, pairs):
        terms.append(terms[-1] * explained * (half + i - 1.0) / i)
    return (1.0 - explained) ** half * sum(terms) < CHANCE
