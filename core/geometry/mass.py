# SPDX-License-Identifier: GPL-3.0-or-later
"""Volume, centre of mass and inertia of a closed triangle mesh of uniform density."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..spatial.arrays import det, outer


@dataclass(frozen=True)
class MassProperties:
    """Mass properties of a solid of density 1 kg/m^3.

    Attributes:
        volume: [m^3].
        com: centre of mass, shape (3,) [m].
        inertia: shape (3, 3), about the centre of mass, per unit of density [m^5].
    """

    volume: float
    com: np.ndarray
    inertia: np.ndarray


def mass_properties(triangles: np.ndarray) -> MassProperties:
    """Return the mass properties of a closed mesh, as a sum over the tetrahedra of its triangles and a common apex.

    Args:
        triangles: corner points, shape (n, 3, 3) [m], counter-clockwise seen from outside.

    Raises:
        ValueError: if the mesh encloses no volume, or is turned inside out.

    Source: Tonon, Explicit exact formulas for the 3-D tetrahedron inertia tensor (2004); the covariance form is from
    Blow and Binstock, How to find the inertia tensor of a 3D solid body (2004).
    """
    triangles = np.asarray(triangles, dtype=np.float64)
    middle = triangles.reshape(-1, 3).mean(axis=0)  # an apex near the mesh avoids cancellation far from the origin
    corners = triangles - middle
    determinants = det(corners)
    volume = determinants.sum() / 6.0
    extent = np.ptp(triangles.reshape(-1, 3), axis=0).max()
    if not volume > 1e-12 * extent**3:
        raise ValueError(f"the mesh encloses no volume (found {volume:.3g} m^3)")
    sums = corners.sum(axis=1)
    weights = determinants[:, None]
    com = (weights * sums).sum(axis=0) / (24.0 * volume)
    products = outer(corners, corners).sum(axis=1) + outer(sums, sums)
    second = (weights[..., None] * products).sum(axis=0)
    covariance = second / 120.0 - volume * outer(com, com)
    inertia = np.trace(covariance) * np.eye(3) - covariance
    return MassProperties(float(volume), com + middle, inertia)
