# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's tools in the 3D view's toolbar."""

import bpy

from .. import ids
from .simulation.pull import PullBones, PullLinks


class PickJoint(bpy.types.WorkSpaceTool):
    """Press on a hole, a shaft, an edge or a face, and release: the joint is fitted to it.
    What is pointed at becomes a link, if it is none"""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = ids.TOOL_PICK
    bl_label = "Pick Joint"
    bl_icon = "ops.armature.bone.roll"
    bl_cursor = "CROSSHAIR"
    bl_options = {"KEYMAP_FALLBACK"}  # drags beside objects select, as in Blender's tools
    bl_keymap = ((ids.OP_JOINT_PICK, {"type": "LEFTMOUSE", "value": "PRESS"}, {"properties": [("by_tool", True)]}),)


def add_tools():
    """Add the tools one below the other, separated from Blender's."""
    bpy.utils.register_tool(PickJoint, after={"builtin.select_lasso"}, separator=True, group=True)
    bpy.utils.register_tool(PullLinks, after={ids.TOOL_PICK}, group=True)
    bpy.utils.register_tool(PullBones, after={"builtin.select_lasso"}, separator=True, group=True)


def remove_tools():
    bpy.utils.unregister_tool(PullBones)
    bpy.utils.unregister_tool(PullLinks)
    bpy.utils.unregister_tool(PickJoint)
