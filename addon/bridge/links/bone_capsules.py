# SPDX-License-Identifier: GPL-3.0-or-later
"""The capsule that gives a bone its shape if no object hangs on it."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ....core.geometry import Capsule
from ....core.geometry.mass import MassProperties
from ....core.geometry.shape_mass import solid_properties
from ....core.spatial import Pose, quat_of_mat, z_to
from ...nodes import Node
from ..posing.link_poses import world_scale
from ..values.numbers import shortest, significant

THICKNESS = 0.1
"""Radius of a capsule, relative to the length of its bone: slim, so that neighbours at a joint hardly overlap."""

ALONG_BONE = quat_of_mat(z_to((0.0, 1.0, 0.0)))
"""Orientation of a capsule, whose axis is z, on a bone, whose axis is y."""


@dataclass(frozen=True)
class BoneCapsule:
    """A capsule from the head of a bone to its tail.

    Attributes:
        geometry: [m].
        pose: in the bone's frame [m].
    """

    geometry: Capsule
    pose: Pose


def capsule_of(link: Node, unit: float) -> BoneCapsule | None:
    """Return the capsule of a bone; None for a node of another kind.

    Args:
        unit: length of a Blender unit [m].
    """
    if not isinstance(link, bpy.types.PoseBone):
        return None
    length = significant(shortest(link.bone.length) * abs(float(world_scale(link)[1])), 9) * unit
    radius = THICKNESS * length
    return BoneCapsule(Capsule(radius, length - 2.0 * radius), (0.0, length / 2.0, 0.0, *ALONG_BONE))


def solid_of_capsule(capsule: BoneCapsule) -> MassProperties:
    """Return the mass properties of the capsule in the bone's axes."""
    found = solid_properties(capsule.geometry)
    assert found is not None  # a capsule encloses a volume
    across, along = float(found.inertia[0, 0]), float(found.inertia[2, 2])
    return MassProperties(found.volume, np.array(capsule.pose[:3]), np.diag((across, along, across)))
