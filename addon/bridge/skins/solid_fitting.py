# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit the box and the convex hull of a bone to the meshes that the bone deforms. `bone_fitting` fits its capsule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix

from ....core.geometry.primitives.limb_solids import limb_box, limb_hull
from ....core.spatial import Vec3, quat_of_rpy, quat_to_mat
from ....core.spatial.arrays import inverse, matmul, norm
from ..links.bone_capsules import length_of
from ..links.bone_shapes import text_of_points
from ..posing.link_poses import to_array, world_scale
from .rest_skins import BonePoints, joined

DIGITS = 4
"""Decimals of the fitted settings, which are relative to the length of the bone."""

STEEPEST = 0.7
"""Sine of the angle between a foot and the floor above which its box is along the foot, as for other parts: the foot of
a character that was drawn on tiptoe (about 45 degrees)."""


@dataclass(frozen=True)
class BoxFit:
    """The box of a bone, as the settings of a link store it: relative to the length of the bone.

    Attributes:
        size, center: along the axes of the box, from the head of the bone.
        turn: angles of the box's axes from those of the bone [rad], as Blender's Euler angles XYZ.
    """

    size: Vec3
    center: Vec3
    turn: Vec3


def local_points(bone: bpy.types.PoseBone, parts: Sequence[BonePoints]) -> BonePoints:
    """Return the points of parts in the axes of a bone at rest, relative to the length of the bone."""
    every = joined(parts)
    rest, length = inverse(to_array(bone.bone.matrix_local)), length_of(bone)
    local = (matmul(every.points, rest[:3, :3].T) + rest[:3, 3]) * np.abs(world_scale(bone)) / length
    return BonePoints(local, every.areas)


def box_fit(local: BonePoints, turn: Vec3, is_final: bool) -> BoxFit | None:
    """Return the box of a bone; None if the points lie on a line.

    Args:
        local: as `local_points` returns it.
        turn: angles from the axes of the bone to axes of which y is along the limb [rad].
        is_final: whether these are the axes of the box. Otherwise it may be turned about y.
    """
    to_limb = np.array(quat_to_mat(quat_of_rpy(*turn))).reshape(3, 3)
    found = limb_box(matmul(local.points, to_limb), local.areas, np.eye(3) if is_final else None)
    if found is None:
        return None
    angles = Matrix(matmul(to_limb, found.axes).tolist()).to_euler("XYZ")
    return BoxFit(_rounded(found.size), _rounded(found.center), turn if is_final else _rounded(angles))


def hull_fit(local: BonePoints) -> str:
    """Return the corners of the hull of a bone as the settings store them; empty if the points are flat.

    Args:
        local: as `local_points` returns it.
    """
    hull = limb_hull(local.points, local.areas)
    return text_of_points(hull.vertices, DIGITS) if hull is not None else ""


def turn_to_floor(bone: bpy.types.PoseBone, direction: Vec3, up: Vec3) -> Vec3 | None:
    """Return the turn of a box whose z axis points up, and whose y axis leads along a foot; None for a steep foot.

    Args:
        direction: of the foot, a unit vector in the axes of the armature at rest. up: that of the sky.

    Returns:
        Angles from the axes of the bone, as Blender's Euler angles XYZ [rad].
    """
    along, z = np.array(direction), np.array(up)
    rise = float(along @ z)
    if abs(rise) > STEEPEST:
        return None
    y = along - rise * z
    y /= norm(y)
    to_bone = to_array(bone.bone.matrix_local)[:3, :3].T
    return _rounded(Matrix(matmul(to_bone, np.column_stack([np.cross(y, z), y, z])).tolist()).to_euler("XYZ"))


def _rounded(values) -> Vec3:
    x, y, z = (round(float(value), DIGITS) + 0.0 for value in values)
    return x, y, z
