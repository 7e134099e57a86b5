# SPDX-License-Identifier: GPL-3.0-or-later
"""Split the meshes that armatures deform among the bones that are links, for files, whose links are rigid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np

from ....core.spatial.arrays import inverse, matmul
from ...nodes import Node, armature_bones, evaluated, owner_of, parts_among, world_matrix
from ...nodes.copied_bones import bones_above, copied_bone
from ...props.settings import is_link_bone
from ..links.parts import EvaluatedScene, Instance, Part, Source
from ..meshes.meshes import data_of, subset
from ..posing.link_poses import matrix_of_pose, pose_of_matrix, to_array, world_scale
from .bound_meshes import armatures_of, weights_of


def split_among(links: Iterable[Node], evaluated_scene: EvaluatedScene) -> tuple[dict[Node, list[Part]], list[str]]:
    """Return the parts of deformed meshes that follow each link, in the present pose, and notes on what follows none.

    A face follows the link of the bones that have most of the weight of its corners. Bones that are no links belong to
    the nearest link above them, and bones that only copy others to these.

    Args:
        links: those of the scene; other kinds than bones are ignored.
    """
    found: dict[Node, list[Part]] = {}
    notes = []
    bones = parts_among(links)
    for armature in dict.fromkeys(map(owner_of, bones)):
        own = [bone for bone in bones if owner_of(bone) == armature]
        for obj in _deformed_by(armature, evaluated_scene):
            pieces, left = _pieces_of(obj, armature, own, evaluated_scene)
            for bone, part in pieces:
                found.setdefault(bone, []).append(part)
            if left:
                notes.append(
                    f"{left} faces of object '{obj.name}' follow bones without a link, and are left out: tag a bone "
                    "above these"
                )
    return found, notes


def _deformed_by(armature: bpy.types.Object, evaluated_scene: EvaluatedScene) -> list[bpy.types.Object]:
    scene = evaluated_scene.depsgraph.scene
    originals = (obj.original for obj in scene.objects if obj.type == "MESH")
    found = (obj for obj in originals if isinstance(obj, bpy.types.Object) and armature in armatures_of(obj))
    return sorted(found, key=lambda obj: obj.name)


def _pieces_of(
    obj: bpy.types.Object, armature: bpy.types.Object, bones: Sequence[bpy.types.PoseBone], scene: EvaluatedScene
) -> tuple[list[tuple[bpy.types.PoseBone, Part]], int]:
    """Return the part of a mesh that follows each bone, and the number of faces that follow none."""
    shown = obj.evaluated_get(scene.depsgraph)
    mesh = shown.to_mesh()
    data, weights = data_of(mesh), _weights(mesh, obj, armature, bones)
    shown.to_mesh_clear()
    if not len(data.starts):
        return [], 0
    owners = np.add.reduceat(weights[data.corners], data.starts, axis=0).argmax(axis=1)
    materials = tuple(slot.material for slot in obj.material_slots)
    found = []
    for number, bone in enumerate(bones):
        if not (owners == number).any():
            continue
        source = Source(subset(data, owners == number), materials)
        matrix = matmul(inverse(_frame_of(bone, scene)), to_array(shown.matrix_world))
        found.append((bone, Part(obj, matrix, scene, Instance(bone.name, np.eye(4), "MESH", source))))
    return found, int((owners == len(bones)).sum())


def _weights(
    mesh: bpy.types.Mesh,
    obj: bpy.types.Object,
    armature: bpy.types.Object,
    bones: Sequence[bpy.types.PoseBone],
) -> np.ndarray:
    """Return by how much each vertex follows each link, and last, bones without a link, shape (vertices, bones + 1)."""
    vertices, followed, weights = weights_of(mesh, obj, armature)
    numbers: dict[bpy.types.PoseBone | None, int] = {bone: number for number, bone in enumerate(bones)}
    column_of = {
        bone.name: numbers.get(_link_of(bone), -1) for bone in armature_bones(armature) if bone.bone.use_deform
    }
    found = np.zeros((len(mesh.vertices), len(bones) + 1))
    np.add.at(found, (vertices, np.array([column_of[name] for name in followed], dtype=np.int64)), weights)
    totals = found.sum(axis=1, keepdims=True)
    return np.where(totals > 0.0, found / np.where(totals > 0.0, totals, 1.0), np.eye(len(bones) + 1)[-1])


def _link_of(bone: bpy.types.PoseBone) -> bpy.types.PoseBone | None:
    """Return the link to which a bone belongs: the bone, the one that it copies, or the nearest link above these."""
    moving = copied_bone(bone) or bone
    return next(filter(is_link_bone, (bone, moving, *bones_above(moving))), None)


def _frame_of(bone: bpy.types.PoseBone, scene: EvaluatedScene) -> np.ndarray:
    """Return the link's frame in the world as it is shown, shape (4, 4) [Blender units]."""
    return matrix_of_pose(pose_of_matrix(world_matrix(evaluated(bone, scene.depsgraph)), world_scale(bone)))
