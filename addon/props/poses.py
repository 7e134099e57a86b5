# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that a scene stores by name."""

from bpy.props import CollectionProperty, PointerProperty, StringProperty
from bpy.types import Object, PropertyGroup

from .references import bone_beside, node_at
from .settings import scene_settings


class PoseJointProperties(PropertyGroup):
    """The coordinates of one joint in a pose."""

    joint: PointerProperty(name="Joint", description="Joint that the values belong to", type=Object)
    joint_bone: bone_beside()
    q: StringProperty(
        name="Position", description="Exact values of its unlocked coordinates, in radians and Blender units"
    )

    joint_node = node_at("joint")


def _keep_apart(pose, _context):
    """Add a number to a name that another pose of the scene has, as Blender does."""
    poses = scene_settings(pose.id_data).poses
    if not pose.name:
        pose.name = "Pose"  # this calls the function again
        return
    taken = {other.name for other in poses if other != pose}
    if pose.name in taken:
        pose.name = unused_name(pose.name, taken)


def unused_name(name: str, taken: set[str]) -> str:
    """Return the name, or the first of name.001, name.002, ... that is not taken."""
    stem, dot, tail = name.rpartition(".")
    stem = stem if dot and tail.isdigit() else name
    number, chosen = 0, name
    while chosen in taken:
        number += 1
        chosen = f"{stem}.{number:03}"
    return chosen


class PoseProperties(PropertyGroup):
    """A pose of the scene's joints."""

    name: StringProperty(name="Name", description="Name of the pose", update=_keep_apart)
    joints: CollectionProperty(type=PoseJointProperties)
