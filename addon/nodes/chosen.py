# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that the user has chosen: bones in Pose Mode, and objects in all other modes."""

from __future__ import annotations

import bpy

from . import Node, is_part, is_selected, owner_of, select


def active_node(context: bpy.types.Context) -> Node | None:
    """Return the active bone in Pose Mode, else the active object; None if there is none."""
    return context.active_pose_bone if context.mode == "POSE" else context.object


def selected_nodes(context: bpy.types.Context) -> list[Node]:
    """Return the selected bones in Pose Mode, of all armatures that are in this mode, else the selected objects."""
    chosen = context.selected_pose_bones if context.mode == "POSE" else context.selected_objects
    return list(chosen or ())


def choose_only(context: bpy.types.Context, node: Node) -> bool:
    """Select one node only, and make it active, in the mode in which its kind is selected.

    Return whether this was possible: Blender does not select in Edit Mode, or in collections that the view layer
    excludes.
    """
    owner, layer = owner_of(node), context.view_layer
    if context.mode not in ("OBJECT", "POSE") or owner.name not in layer.objects:
        return False
    mode = "POSE" if is_part(node) else "OBJECT"
    if context.mode != "OBJECT" and (mode == "OBJECT" or owner.mode != "POSE"):
        bpy.ops.object.mode_set(mode="OBJECT")
    if context.mode == "OBJECT":
        for other in layer.objects.selected:
            other.select_set(False)
        owner.select_set(True)
    layer.objects.active = owner
    if is_part(node):
        for other in [bone for bone in context.selected_pose_bones or () if is_selected(bone)]:
            select(other, False)
        if owner.mode != "POSE":
            bpy.ops.object.mode_set(mode="POSE")
            for other in context.selected_pose_bones or ():
                select(other, False)
        armature = owner.data
        assert isinstance(armature, bpy.types.Armature)
        armature.bones.active = node.bone
        select(node, True)
    return True
