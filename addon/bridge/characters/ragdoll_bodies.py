# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses, surfaces and collisions of the parts of a ragdoll, once they are links."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import bpy
import numpy as np

from ....core.characters.body_masses import masses_of
from ....core.characters.flesh import flesh_surface
from ....core.characters.muscles import Rod
from ....core.characters.self_collision import overlapping_pairs
from ....core.geometry.densities import SUBSTANCES
from ....core.geometry.mass import mass_properties
from ....core.spatial import Pose
from ....core.spatial.arrays import det, matmul, matvec
from ...nodes import Node, owner_of
from ...props.pairs import overlapping_parts, pair_of, remove_pairs_of, store_overlapping_parts
from ...props.ragdoll import ragdoll_bones
from ...props.settings import joint_settings, link_settings
from ..links.bone_capsules import BoneCapsule, capsule_of, solid_of_capsule
from ..links.bone_shapes import shape_of
from ..links.contact_settings import write_surface
from ..meshes.meshes import mesh_data
from ..meshes.solids import solid_of
from ..posing.link_poses import live_pose, pose_of_matrix, to_array, world_scale
from ..skins.bone_fitting import extent_of
from ..values.numbers import scaled_pose, unit_length, units_of
from .ragdoll_plans import RagdollPlan
from .skeletons import vec3

LIKE_CAPSULES = (0.5, 2.0)
"""Ratios of the volume of meshes to that of all capsules between which the meshes are the body. Clothes would count
twice, and open meshes as their convex hulls."""

OVERLAP_GAP = 2e-3
"""Gap below which two parts at rest count as overlapping, relative to the extent of the character."""


def body_mass(plan: RagdollPlan, meshes: Sequence[bpy.types.Object], depsgraph: bpy.types.Depsgraph) -> float:
    """Return the mass of the parts of a body that fall [kg]: their volume times the density of flesh.

    It is that of the meshes if they can be the body.
    """
    unit = unit_length(depsgraph.scene)
    by_shape = sum(solid_of_capsule(capsule_for(part.bone, unit)).volume for part in plan.falling_parts.values())
    by_mesh = sum(_volume_of(obj, depsgraph, unit) for obj in meshes)
    low, high = LIKE_CAPSULES
    volume = by_mesh if low * by_shape <= by_mesh <= high * by_shape else by_shape
    return volume * _density()


def _density() -> float:
    """Return the density of flesh and bone [kg/m³]."""
    return next(each.density for each in SUBSTANCES if each.name == "body")


def _volume_of(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> float:
    evaluated = obj.evaluated_get(depsgraph)
    data = mesh_data(evaluated)
    if not len(data.starts):
        return 0.0
    solid = solid_of(data)
    matrix = to_array(evaluated.matrix_world)[:3, :3] * unit
    triangles = matmul(solid.triangles, matrix.T)
    is_mirrored = bool(det(matrix) < 0.0)  # then all faces are turned inside out
    return mass_properties(triangles[:, ::-1] if is_mirrored else triangles).volume


def capsule_for(bone: Node, unit: float) -> BoneCapsule:
    """Return the capsule of a bone, by which parts weigh whatever their shape. unit: length of a Blender unit [m]."""
    capsule = capsule_of(bone, unit)
    assert capsule is not None  # every bone has one
    return capsule


def store_masses(plan: RagdollPlan, total: float, scene: bpy.types.Scene) -> None:
    """Store the mass of each part that is set up.

    Args:
        total: of the parts that fall [kg]. The others weigh as much as their volume in flesh.
    """
    unit = unit_length(scene)
    volumes = {name: solid_of_capsule(capsule_for(part.bone, unit)).volume for name, part in plan.new_parts.items()}
    places = {name: part.place for name, part in plan.falling_parts.items()}
    masses = {name: volumes[name] * _density() for name in plan.anchors}
    masses |= masses_of(places, volumes, total, plan.anatomy.is_humanoid)
    for name, mass in masses.items():
        settings = link_settings(plan.parts[name].bone)
        settings.mass_source, settings.mass = "MASS", mass


def store_surfaces(plan: RagdollPlan, scene: bpy.types.Scene) -> None:
    """Store the surface of each part that is set up."""
    units = units_of(scene)
    for part in plan.new_parts.values():
        capsule = capsule_for(part.bone, unit_length(scene))
        write_surface(flesh_surface(capsule.geometry.radius), link_settings(part.bone).surface, units)


def rods_of(plan: RagdollPlan, scene: bpy.types.Scene) -> dict[str, Rod]:
    """Return the parts as rods at rest, in the axes of the armature [m], as muscles take them."""
    unit, found = unit_length(scene), {}
    for name, part in plan.parts.items():
        capsule = capsule_for(part.bone, unit)
        middle = matvec(part.rest[:3, :3], np.array(capsule.pose[:3])) + part.head(scene)
        length = capsule.geometry.length + 2.0 * capsule.geometry.radius
        found[name] = Rod(link_settings(part.bone).mass_shown, vec3(middle), length)
    return found


def present_poses(plan: RagdollPlan, scene: bpy.types.Scene) -> dict[str, Pose]:
    """Return the poses of the parts in the world at the frame that the scene shows [m], by name."""
    unit = unit_length(scene)
    return {name: scaled_pose(live_pose(part.bone), unit) for name, part in plan.parts.items()}


def store_pairs(
    plan: RagdollPlan, extent: float, scene: bpy.types.Scene, others: Sequence[Mapping[str, Pose]] = ()
) -> int:
    """Let parts that overlap, at rest or now, not collide with each other. Return the number of these pairs.

    Neighbours do not collide anyway. Pairs of bones that stay as they are keep their settings. The pairs are stored on
    the armature, so that they come along with it. Former versions stored them in the scene, from which they are
    removed.

    Args:
        extent: of the character [Blender units].
        others: more poses in which parts that overlap do not collide, as `present_poses` returns them.
    """
    bones = {name: part.bone for name, part in plan.parts.items()}
    rest = {name: _rest_pose(bone, scene) for name, bone in bones.items()}
    poses = [rest, present_poses(plan, scene), *others]
    found = _overlapping(bones, poses, extent, scene)
    new = plan.new_parts.keys()
    remove_pairs_of(scene, {bones[name] for name in new})
    pairs = [pair for pair in combinations(bones, 2) if pair in found and not _are_neighbours(plan, *pair)]
    pairs = [pair for pair in pairs if not new.isdisjoint(pair)]
    armature = owner_of(next(iter(bones.values())))
    former = [pair for pair in overlapping_parts(armature) if new.isdisjoint(bone.name for bone in pair)]
    store_overlapping_parts(armature, [*former, *((bones[a], bones[b]) for a, b in pairs)])
    return len(pairs)


def add_pairs_of(changed: Collection[Node], scene: bpy.types.Scene) -> int:
    """Let parts whose shapes were changed not collide with other parts that they overlap, at rest or now.

    Pairs of which the scene says already whether they collide keep that. Return the number of new pairs.
    """
    count = 0
    for armature in {owner_of(bone) for bone in changed}:
        bones = {bone.name: bone for bone in ragdoll_bones(armature)}
        poses = [
            {name: _rest_pose(bone, scene) for name, bone in bones.items()},
            {name: scaled_pose(live_pose(bone), unit_length(scene)) for name, bone in bones.items()},
        ]
        stored = overlapping_parts(armature)
        known = {frozenset((a.name, b.name)) for a, b in stored}
        new: list[tuple[Node, Node]] = []
        for names in _overlapping(bones, poses, extent_of(armature, {}), scene):
            a, b = (bones[name] for name in names)
            is_new = frozenset(names) not in known and pair_of(scene, a, b) is None and (a in changed or b in changed)
            if is_new and b != joint_settings(a).parent_node and a != joint_settings(b).parent_node:
                new.append((a, b))
        if new:
            store_overlapping_parts(armature, [*stored, *new])
        count += len(new)
    return count


def _overlapping(
    bones: Mapping[str, Node], poses: Sequence[Mapping[str, Pose]], extent: float, scene: bpy.types.Scene
) -> set[tuple[str, str]]:
    """Return the pairs of parts, by name, that overlap in at least one pose.

    Args:
        poses: of the parts in the world [m], by name.
        extent: of the character [Blender units].
    """
    unit = unit_length(scene)
    shapes = {name: shape for name, bone in bones.items() if (shape := shape_of(bone, unit))}
    return overlapping_pairs(
        {name: (shape.geometry, shape.pose) for name, shape in shapes.items()}, poses, OVERLAP_GAP * extent * unit
    )


def _are_neighbours(plan: RagdollPlan, a: str, b: str) -> bool:
    return plan.parts[a].above == b or plan.parts[b].above == a


def _rest_pose(bone: Node, scene: bpy.types.Scene) -> Pose:
    """Return the pose of a bone at rest in the world [m]."""
    armature = owner_of(bone)
    rest = matmul(to_array(armature.matrix_world), to_array(bone.bone.matrix_local))
    return scaled_pose(pose_of_matrix(rest, np.abs(world_scale(armature))), unit_length(scene))
