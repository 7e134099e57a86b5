# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether what a fit leaves is noise."""

from __future__ import annotations

import numpy as np

from ..spatial.arrays import least_squares, matmul
from .tolerances import CHANCE, DEPENDENT


def goes_with(shapes: np.ndarray, residuals: np.ndarray, parameters: int) -> bool:
    """Whether the residuals, shape (n,), go with one of the shapes, (n, m), by more than chance makes.

    The part of the square residuals that 2 k meaningless shapes explain has a beta distribution, whose tail is a sum of
    k terms; of an odd number of shapes it is less than of one more. parameters: how many the fit has used up.
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
