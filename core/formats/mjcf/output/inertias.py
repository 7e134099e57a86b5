# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that MuJoCo accepts: it refuses a file in which one body has another, even by rounding."""

from __future__ import annotations

from ....model import WORLD, Model
from ....model.editing.mending import principal_moments
from ....spatial import Sym3

MARGIN = 1e-10
"""Margin by which the triangle inequality of principal moments holds, as a part of the largest one."""


def strictly_physical(inertia: Sym3) -> Sym3:
    """Return an inertia whose principal moments keep the triangle inequality by a margin [kg m^2].

    A flat body has A + B = C, and rounding may make that A + B < C. The same number is added to all three moments.
    """
    small, middle, large = principal_moments(inertia).tolist()
    lack = large * (1.0 + MARGIN) - small - middle
    if lack <= 0.0:
        return inertia
    xx, xy, xz, yy, yz, zz = inertia
    return xx + lack, xy, xz, yy + lack, yz, zz + lack


def moving_without_mass(model: Model) -> list[str]:
    """Return the links that move although nothing that is fixed to them has mass."""
    parts = model.rigid_parts()
    heavy = {parts[link.name] for link in model.links if link.mass > 0.0}
    still = {parts[joint.child] for joint in model.rigid_joints() if joint.parent == WORLD}
    first = {part: name for name, part in reversed(parts.items())}
    return [first[part] for part in dict.fromkeys(parts.values()) if part not in heavy | still]
