# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirror the settings of bones to the bones of the other side, which the armature has already."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ....core.characters.bone_names import name_of_other_side
from ....core.model import ModelError
from ....core.model.editing.mirroring import mirrored_inertia, mirrored_joint, mirrored_mimic, mirrored_point
from ....core.spatial import Vec3
from ...nodes import Node, armature_bones, is_part, model_name, owner_of
from ...props import is_joint, is_known_joint
from ...props.settings import joint_settings, link_settings
from ..joints.bone_joints import add_bone_joint, remove_bone_joint
from ..joints.read_joints import read_joint
from ..links.bone_shapes import mirrored_hull
from ..links.tagging import obstacle_to_tagging
from ..posing.link_poses import drawn_pose
from ..values.fields import MIMIC_FIELDS, write_fields
from ..values.numbers import format_pose, units_of
from .mirroring import flipped_name
from .write import store_joint

REFLECTION = np.diag([-1.0, 1.0, 1.0])

SAME_AXES = 1e-3
"""Largest difference between two matrices of rotation that count as equal [1]."""

OWN = {
    *("rna_type", "name", "version", "rest_pose", "before_preview", "led_by", "led_by_bone", "surface"),
    *("name_in_file", "name_here", "mass_shown", "force", "torque", "velocity", "angular_velocity"),
}
"""Properties of a link that its image does not get: its state, and vectors in the world's axes."""


def has_side(bone: bpy.types.PoseBone) -> bool:
    """Return whether the bone's name has a side, as arm.L or mixamorig:LeftArm has."""
    return _name_of_image(bone) != bone.name


def other_side(bone: bpy.types.PoseBone) -> bpy.types.PoseBone | None:
    """Return the bone of the same armature with the name of the other side; None if there is none."""
    bones = armature_bones(owner_of(bone))
    return bones.get(_name_of_image(bone)) if bones and has_side(bone) else None


def _name_of_image(bone: bpy.types.PoseBone) -> str:
    """Return the name of the bone on the other side, by Blender's rules or by those of the makers of rigs."""
    flipped = flipped_name(bone.name)
    return flipped if flipped != bone.name else name_of_other_side(bone.name)


def mirror_settings(bones: list[bpy.types.PoseBone], scene: bpy.types.Scene) -> list[str]:
    """Give the bones of the other side the mirrored settings of links and joints. Return messages for the user.

    The forces and initial velocities of links stay as they are.

    Raises:
        ModelError: if a bone has no other side, or one that is not its mirror image; nothing is changed then.
    """
    images = {bone: _image_of(bone) for bone in bones}
    joints = {bone: read_joint(bone, scene) for bone in bones if is_known_joint(bone)}
    mirrored = {bone: mirrored_joint(joint) for bone, joint in joints.items()}
    notes: list[str] = []
    for bone, image in images.items():
        _copy_link(bone, image)
        if is_joint(bone):
            add_bone_joint(image)
            joint_settings(image).to_world = joint_settings(bone).to_world
        else:
            remove_bone_joint(image)
    for bone, joint in mirrored.items():
        notes += store_joint(joint, images[bone], scene)
        own, settings = joint_settings(bone), joint_settings(images[bone])
        settings.is_held, settings.use_mimic = own.is_held, own.use_mimic
        settings.drive_strength = own.drive_strength
        settings.limit_turn = _mirrored_angles(own.limit_turn)
        if mimic := joints[bone].mimic:
            leader = own.mimic.leader_node
            image = other_side(leader) if leader and is_part(leader) else None
            settings.mimic.leader_node = image or leader
            led = mirrored_mimic(mimic, joints[bone], _joint_of(leader, joints, scene) if leader and image else None)
            notes += write_fields(MIMIC_FIELDS, settings.mimic, led, units_of(scene))
    return notes


def _joint_of(leader: Node, joints: dict, scene: bpy.types.Scene):
    return joints.get(leader) or read_joint(leader, scene)


def _image_of(bone: bpy.types.PoseBone) -> bpy.types.PoseBone:
    """Return the bone of the other side. Raise `ModelError` if there is none, or if it is no mirror image at rest."""
    image = other_side(bone)
    if image is None:
        raise ModelError(f"armature '{owner_of(bone).name}' has no bone on the other side of '{bone.name}'")
    if reason := obstacle_to_tagging(image):
        raise ModelError(reason)
    here, there = (np.array(each.bone.matrix_local, dtype=np.float64)[:3, :3] for each in (bone, image))
    if np.abs(REFLECTION @ here @ REFLECTION - there).max() > SAME_AXES:
        raise ModelError(
            f"bone '{model_name(image)}' is not the mirror image of '{bone.name}': symmetrize the armature, or give "
            "the two opposite rolls"
        )
    return image


def _copy_link(bone: bpy.types.PoseBone, image: bpy.types.PoseBone) -> None:
    source, target = link_settings(bone), link_settings(image)
    for one, other in ((source, target), (source.surface, target.surface)):
        for item in one.bl_rna.properties:
            # what no file saves is computed from other settings, and may belong to the whole armature
            is_stored = not (item.is_readonly or item.is_skip_save)
            if item.identifier not in OWN and item.type != "POINTER" and is_stored:
                setattr(other, item.identifier, getattr(one, item.identifier))
    target.com = mirrored_point(tuple(source.com))
    target.inertia = mirrored_inertia(tuple(source.inertia))
    x, z = source.bone_offset
    target.bone_offset, target.bone_turn = (-x, z), _mirrored_angles(source.bone_turn)
    target.box_center, target.box_turn = mirrored_point(tuple(source.box_center)), _mirrored_angles(source.box_turn)
    target.bone_hull = mirrored_hull(source.bone_hull)
    target.rest_pose = format_pose(drawn_pose(image))


def _mirrored_angles(angles: Sequence[float]) -> Vec3:
    """Return the Euler angles XYZ of the image of a rotation by such angles [rad], see `mirrored_turn`."""
    x, y, z = angles
    return x, -y, -z
