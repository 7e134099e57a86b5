# SPDX-License-Identifier: GPL-3.0-or-later
"""The property groups of this add-on on Blender's data, with their types.

Blender adds these properties while the add-on is enabled, so type checkers do not know them as attributes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import bpy

from .. import ids
from ..nodes import Node, armature_bones, joins_itself, prefix_of

if TYPE_CHECKING:
    from .bake import BeforeProperties
    from .joint import JointProperties
    from .light import LightProperties
    from .link import LinkProperties
    from .scene import SceneProperties, StatusProperties


def link_settings(node: Node) -> LinkProperties:
    """Return the settings of a link, or of a shape of a link. Every node has them; most require `is_link`."""
    return getattr(node, ids.LINK)


def joint_settings(node: Node) -> JointProperties:
    """Return the settings of a joint. Every node has them; they are used only if `is_joint` is set."""
    return getattr(node, ids.JOINT)


def before_bake(node: Node) -> BeforeProperties:
    """Return what a bake has replaced on a link or joint, for Clear Bake."""
    return getattr(node, ids.BEFORE)


def light_settings(light: bpy.types.Light) -> LightProperties:
    """Return what a file says of a light that Blender does not store."""
    return getattr(light, ids.LIGHT)


def scene_settings(scene: bpy.types.Scene) -> SceneProperties:
    """Return the settings of a scene's model and of its simulation."""
    return getattr(scene, ids.SCENE)


def window_status(window_manager: bpy.types.WindowManager) -> StatusProperties:
    """Return what operators report of their work: it belongs to the session and is not saved."""
    return getattr(window_manager, ids.STATUS)


def bones_with_settings(obj: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """Return the bones of an armature that store settings of links or joints; none for other objects.

    Blender creates a property group when it is read first, and saves it. So the groups of all other bones are not read.
    """
    return [bone for bone in armature_bones(obj) if bone.is_property_set(ids.LINK) or bone.is_property_set(ids.JOINT)]


def tagged_bones(obj: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """Return the bones of an armature that are links or joints, in the armature's order; none for other objects."""
    return [bone for bone in bones_with_settings(obj) if link_settings(bone).is_link or joint_settings(bone).is_joint]


def is_link_bone(bone: bpy.types.PoseBone) -> bool:
    """Return whether a bone is a link. As for `bones_with_settings`, no group of another bone is read."""
    return bone.is_property_set(ids.LINK) and link_settings(bone).is_link


def acts_as_joint(node: Node) -> bool:
    """Return whether the node is a joint. A bone with no link above it is none, unless a parent was chosen for it."""
    joint = joint_settings(node)
    if not joint.is_joint or not joins_itself(node):
        return joint.is_joint
    return joint.to_world or joint.parent is not None or joint.parent_node is not None


_bone_names: dict[tuple[int, str], dict[int, str]] = {}
"""Names of the bones by the addresses of their groups, for session uid of the armature and name of the groups' type.

All bones are entered together, so that reading one group of each bone takes one search and not one for each bone.
"""


def node_with(group: bpy.types.PropertyGroup) -> Node:
    """Return the node on which a property group of this add-on is, directly or within another group.

    Blender gives the object only, and no data path for groups on pose bones. So the bones are searched. The result of
    the last search is used if the group is still on that bone.
    """
    owner = group.id_data
    assert isinstance(owner, bpy.types.Object)  # links and joints are stored on objects only
    if owner.pose is None or _path_on(owner, group):
        return owner
    key, address = (owner.session_uid, type(group).__name__), group.as_pointer()
    bone = owner.pose.bones.get(_bone_names.get(key, {}).get(address, ""))
    if bone is None or not _path_on(bone, group):
        _bone_names[key] = {
            found.as_pointer(): bone.name
            for bone in bones_with_settings(owner)
            for _, found in _groups_like(group, bone)
        }
        bone = owner.pose.bones[_bone_names[key][address]]
    return bone


def data_path_of(group: bpy.types.PropertyGroup, name: str) -> str:
    """Return the data path of a property of a link or joint, relative to the object that stores it."""
    node = node_with(group)
    return f"{prefix_of(node)}{_path_on(node, group)}.{name}"


def _path_on(node: Node, group: bpy.types.PropertyGroup) -> str:
    """Return the data path of a group relative to a node; empty if it is on another node."""
    return next((path for path, found in _groups_like(group, node) if found == group), "")


def _groups_like(group: bpy.types.PropertyGroup, node: Node) -> Iterable[tuple[str, bpy.types.PropertyGroup]]:
    """Return the groups of a node that have the type of `group`, with their data paths relative to the node."""
    match type(group).__name__:
        case "LinkProperties":
            return [(ids.LINK, link_settings(node))]
        case "SurfaceProperties":
            return [(f"{ids.LINK}.surface", link_settings(node).surface)]
        case "JointProperties":
            return [(ids.JOINT, joint_settings(node))]
        case "MimicProperties":
            return [(f"{ids.JOINT}.mimic", joint_settings(node).mimic)]
        case "AxisProperties":
            return [(f"{ids.JOINT}.axes[{number}]", axis) for number, axis in enumerate(joint_settings(node).axes)]
        case "CoordinateProperties":
            found = enumerate(joint_settings(node).coordinates)
            return [(f"{ids.JOINT}.coordinates[{number}]", coordinate) for number, coordinate in found]
        case "BeforeProperties":
            return [(ids.BEFORE, before_bake(node))]
    raise TypeError(f"{type(group).__name__} is no property group of links or joints")
