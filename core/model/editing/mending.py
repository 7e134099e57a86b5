# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that no body can have, and the nearest ones that a body can have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...spatial import Quat, Sym3
from ...spatial.arrays import det, eigh, matmul
from ...spatial.rotations import quat_of_mat
from ..model import Model

TOLERANCE = 1e-6
"""Violation of the triangle inequality that counts as rounding, as a part of the largest principal moment."""
LEAST = 2.0 * TOLERANCE
"""Smallest second moment of a mended body, as a part of the largest one.

It is twice `TOLERANCE`, so that rounding of numbers in a file does not make the inertia invalid again.
"""


def principal_moments(inertia: Sym3) -> np.ndarray:
    """Return the three principal moments of (xx, xy, xz, yy, yz, zz), shape (3,), smallest first [kg m^2]."""
    return eigh(_matrix(inertia))[0]


def principal_axes(inertia: Sym3) -> tuple[tuple[float, ...], Quat]:
    """Return the principal moments of an inertia, smallest first [kg m^2], and the rotation of their axes.

    The rotation is a quaternion that takes vectors from the principal axes to those of the inertia.
    """
    moments, axes = eigh(_matrix(inertia))
    if det(axes) < 0.0:
        axes[:, 2] *= -1.0
    return tuple(moments.tolist()), quat_of_mat(axes.ravel().tolist())


def is_physical(inertia: Sym3) -> bool:
    """Return whether a body can have this inertia.

    All principal moments must be above 0, and none may exceed the sum of the others.
    """
    small, middle, large = principal_moments(inertia)
    return bool(small > 0.0 and small + middle >= large * (1.0 - TOLERANCE))


def mended_inertia(inertia: Sym3) -> Sym3:
    """Return the nearest inertia that a body can have, in the same axes [kg m^2].

    The second moments of a body's mass, S = trace(I) / 2 - I, have no negative eigenvalue. This is equivalent to the
    inequalities of its principal moments. Eigenvalues below `LEAST` times the largest are raised to that value, and I =
    trace(S) - S.

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
    """Return a copy in which each link with mass has an inertia that a body can have, and notes.

    There is a note for each link that was changed, with its principal moments before and after. A point, whose inertia
    is 0, stays one.
    """
    links, notes = [], []
    for link in model.links:
        if link.mass > 0.0 and any(link.inertia) and not is_physical(link.inertia):
            mended = replace(link, inertia=mended_inertia(link.inertia))
            before, after = (
                " ".join(f"{moment:g}" for moment in principal_moments(it.inertia)) for it in (link, mended)
            )
            notes.append(
                f"link '{link.name}': its principal moments {before} kg m^2, which no body has, are now {after}"
            )
            link = mended
        links.append(link)
    return replace(model, links=links), notes


def _matrix(inertia: Sym3) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
