# SPDX-License-Identifier: GPL-3.0-or-later
"""The capsule that gives a bone its shape if no object hangs on it, or if it was fitted to meshes."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ....core.geometry import Capsule
from ....core.geometry.mass import MassProperties
from ....core.geometry.shape_mass import solid_properties
from ....core.spatial import (
    IDENTITY_QUAT,
    Pose,
    Quat,
    quat_mul,
    quat_of_mat,
    quat_of_rpy,
    quat_rotate,
    quat_to_mat,
    z_axis,
    z_to,
)
from ....core.spatial.arrays import outer
from ...nodes import Node, is_part
from ...props.settings import link_settings
from ..posing.link_poses import world_scale
from ..values.numbers import shortest, shortest_vec3, significant

ALONG_BONE = quat_of_mat(z_to((0.0, 1.0, 0.0)))
"""Orientation of a capsule, whose axis is z, on a bone, whose axis is y."""

SHORTEST = 1e-6
"""Least length of the cylinder of a capsule, relative to the bone. A shorter one is an error of rounding: the settings
are in single precision."""


@dataclass(frozen=True)
class BoneCapsule:
    """A capsule along a bone.

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
    if not is_part(link):
        return None
    settings = link_settings(link)
    length = length_of(link) * unit
    radius, start, end = (
        shortest(part) * length for part in (settings.bone_radius, settings.bone_start, settings.bone_end)
    )
    x, z = (shortest(part) * length for part in settings.bone_offset)
    between = end - start - 2.0 * radius
    if between < SHORTEST * length:  # too short a capsule is a ball
        between = 0.0
    turn = turn_of_capsule(link)
    place = quat_rotate(turn, (x, (start + end) / 2.0, z))
    return BoneCapsule(Capsule(radius, between), (*place, *quat_mul(turn, ALONG_BONE)))


def turn_of_capsule(bone: bpy.types.PoseBone) -> Quat:
    """Return the rotation of the capsule's axes from those of the bone."""
    angles = shortest_vec3(link_settings(bone).bone_turn)
    return quat_of_rpy(*angles) if any(angles) else IDENTITY_QUAT


def length_of(bone: bpy.types.PoseBone) -> float:
    """Return the length of a bone at rest in the world [Blender units]."""
    return significant(shortest(bone.bone.length) * abs(float(world_scale(bone)[1])), 9)


def solid_of_capsule(capsule: BoneCapsule) -> MassProperties:
    """Return the mass properties of the capsule in the bone's axes."""
    found = solid_properties(capsule.geometry)
    assert found is not None  # a capsule encloses a volume
    across, along = float(found.inertia[0, 0]), float(found.inertia[2, 2])
    axis = np.array(z_axis(quat_to_mat(capsule.pose[3:])))
    inertia = across * np.eye(3) + (along - across) * outer(axis, axis)
    return MassProperties(found.volume, np.array(capsule.pose[:3]), inertia)
