# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones of an armature that may become links of a ragdoll, as a tree with the points that follow each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector

from ....core.characters.anatomy import Bone
from ....core.spatial import Vec3
from ....core.spatial.arrays import norm
from ...nodes import armature_bones
from ...nodes.copied_bones import bones_above, copied_bone
from ..skins.rest_skins import BonePoints, joined
from ..skins.solid_fitting import DIGITS

SHORT = 0.1
"""Distance below which the end of a limb does not tell its direction, relative to the length of the bone."""


ALONG_BONE = Vector((0.0, 1.0, 0.0))

STRAIGHT = math.radians(15.0)
"""Angle between a bone and its limb up to which the capsule lies along the bone [rad]."""


@dataclass(frozen=True)
class Skeleton:
    """The bones of an armature that move a character.

    Attributes:
        bones: by name, each after the bone above it. Of bones that copy others, the copied ones.
        parents: the name of the nearest of these bones above each one; None for those at the top.
        points: of the meshes that follow a bone, by its name.
    """

    bones: dict[str, bpy.types.PoseBone]
    parents: dict[str, str | None]
    points: dict[str, BonePoints]

    def core_bones(self) -> list[Bone]:
        """Return the bones at rest, each after the bone above it."""
        return [
            Bone(name, self.parents[name], vec3(bone.bone.head_local), vec3(bone.bone.tail_local))
            for name, bone in self.bones.items()
        ]

    def children_of(self, name: str) -> list[str]:
        """Return the names of the bones that hang on a bone directly."""
        return [each for each, parent in self.parents.items() if parent == name]

    def bones_above(self, name: str) -> list[str]:
        """Return the names of the bones that carry a bone, the nearest first."""
        found: list[str] = []
        parent = self.parents[name]
        while parent is not None:
            found.append(parent)
            parent = self.parents[parent]
        return found

    def carrier(self, name: str, chosen: Mapping[str, object]) -> str | None:
        """Return the bone itself or the nearest one above it that is chosen; None if there is none."""
        carrier: str | None = name
        while carrier is not None and carrier not in chosen:
            carrier = self.parents[carrier]
        return carrier


def skeleton_of(armature: bpy.types.Object, skin: Mapping[str, BonePoints]) -> Skeleton:
    """Return the skeleton of an armature: the bones that meshes follow, or those that would deform some.

    Args:
        skin: as `rest_skin` returns it.
    """
    bones = armature_bones(armature)
    deforming = (
        [bone for bone in bones if bone.name in skin] if skin else [bone for bone in bones if bone.bone.use_deform]
    )
    parts: dict[str, list[BonePoints]] = {}
    found: dict[str, bpy.types.PoseBone] = {}
    for bone in deforming or bones:
        link = copied_bone(bone) or bone
        found[link.name] = link
        if bone.name in skin:
            parts.setdefault(link.name, []).append(skin[bone.name])
    parents = {name: _nearest(bone, found) for name, bone in found.items()}
    ordered = {name: found[name] for name in parents_first(parents)}
    return Skeleton(ordered, parents, {name: joined(own) for name, own in parts.items()})


def _nearest(bone: bpy.types.PoseBone, found: Mapping[str, object]) -> str | None:
    return next((above.name for above in bones_above(bone) if above.name in found and above != bone), None)


def extent_along(name: str, skeleton: Skeleton, continued: Iterable[str]) -> tuple[Vec3, float]:
    """Return the direction of a bone's limb, a unit vector in the axes of the armature, and its length [its units].

    The direction leads to the bones that continue the limb; if there are none, to the middle of the points that follow
    the bone; else it is that of the bone, which may point across the limb in rigs from other programs.
    """
    bone = skeleton.bones[name].bone
    head = np.array(bone.head_local, dtype=np.float64)
    ends = [np.array(skeleton.bones[each].bone.head_local, dtype=np.float64) for each in continued]
    if not ends and name in skeleton.points:
        ends = [skeleton.points[name].points.mean(axis=0)]
    along = sum(ends) / len(ends) - head if ends else np.zeros(3)
    size = float(norm(along))
    if size < SHORT * bone.length:
        return vec3((bone.tail_local - bone.head_local).normalized()), bone.length
    return vec3(along / size), size


def turn_along(bone: bpy.types.PoseBone, direction: Vec3) -> Vec3:
    """Return the shortest turn from the y axis of a bone at rest to a direction in the axes of its armature.

    It is none if the bone points in that direction but for a small angle.

    Returns:
        Angles as Blender's Euler angles XYZ [rad].
    """
    local = bone.bone.matrix_local.to_3x3().transposed() @ Vector(direction)
    if local.angle(ALONG_BONE) < STRAIGHT:
        return (0.0, 0.0, 0.0)
    return vec3(round(angle, DIGITS) + 0.0 for angle in ALONG_BONE.rotation_difference(local).to_euler("XYZ"))


def parents_first(parents: Mapping[str, str | None]) -> list[str]:
    """Return the names of a tree, each after its parent, else in their order.

    Args:
        parents: the parent of each name; None for those at the top.
    """
    ordered: dict[str, None] = {}
    rest = [*parents]
    while rest:
        ready = [name for name in rest if parents[name] is None or parents[name] in ordered]
        if not ready:
            raise RuntimeError(f"the bones above '{rest[0]}' form a circle")
        ordered |= dict.fromkeys(ready)
        rest = [name for name in rest if name not in ordered]
    return [*ordered]


def vec3(values) -> Vec3:
    """Return a vector of mathutils or of NumPy as a tuple."""
    x, y, z = map(float, values)
    return x, y, z
