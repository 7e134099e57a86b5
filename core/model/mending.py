# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that no body can have, and the nearest ones that a body can."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..spatial import Sym3
from ..spatial.arrays import eigh, matmul
from .model import Model

TOLERANCE = 1e-6
"""Part of the largest principal moment by which rounding may break the triangle inequality."""
LEAST = 2.0 * TOLERANCE
"""Part of the whole that a mended body spreads along each direction, so that rounding in a file does not undo it."""


def principal_moments(inertia: Sym3) -> np.ndarray:
    """The three [kg m^2], smallest first, of (xx, xy, xz, yy, yz, zz)."""
    return eigh(_matrix(inertia))[0]


def is_physical(inertia: Sym3) -> bool:
    """Whether a body can have it: all principal moments above 0, and none above the sum of the others."""
    small, middle, large = principal_moments(inertia)
    return bool(small > 0.0 and small + middle >= large * (1.0 - TOLERANCE))


def mended_inertia(inertia: Sym3) -> Sym3:
    """The nearest inertia [kg m^2] that a body can have, in the same axes.

    The second moments of a body's mass, S = trace(I) / 2 - I, have no negative eigenvalue, which says the same as the
    inequalities of its principal moments. Negative ones are raised to next to nothing, and I = trace(S) - S.

    Source: Wensing, Kim, Slotine, Linear Matrix Inequalities for Physically Consistent Inertial Parameter
    Identification, IEEE Robotics and Automation Letters 3 (2018), section III.
    """
    matrix = _matrix(inertia)
    spreads, axes = eigh(0.5 * np.trace(matrix) * np.eye(3) - matrix)
    spreads = np.maximum(spreads, LEAST * np.abs(spreads).max())
    mended = spreads.sum() * np.eye(3) - matmul(matmul(axes, np.diag(spreads)), axes.T)
    xx, xy, xz, _, yy, yz, _, _, zz = mended.ravel().tolist()
    return xx, xy, xz, yy, yz, zz


def with_mended_inertias(model: Model) -> tuple[Model, list[str]]:
    """A copy in which each link with mass has an inertia that a body can have, and a line for each that was changed."""
    links, told = [], []
    for link in model.links:
        if link.mass > 0.0 and not is_physical(link.inertia):
            mended = replace(link, inertia=mended_inertia(link.inertia))
            before, after = (
                " ".join(f"{moment:g}" for moment in principal_moments(it.inertia)) for it in (link, mended)
            )
            told.append(
                f"link '{link.name}': its principal moments {before} kg m^2, which no body has, are now {after}"
            )
            link = mended
        links.append(link)
    return replace(model, links=links), told


def _matrix(inertia: Sym3) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
